//! Turns the pools of the last reconciliation into bodies of water over today's bed.

use super::work::Work;
use super::{Bed, Kind, Pool, PoolInflow, hypsometry};
use std::collections::HashMap;

/// Water to be poured out on the ground: cell, m × cells.
pub(super) type Poured = Vec<(usize, f64)>;

/// A connected part of an old pool.
pub(super) struct Part {
    /// Its body.
    pub(super) body: usize,
    /// The level, m, of all its water over its own cells.
    pub(super) level: f64,
    /// The level, m, of the old pool's water without the inflow.
    pub(super) stood_m: f64,
    /// The droplets that reached it.
    pub(super) droplets: f64,
    /// The lowest cell around, m.
    pub(super) rim_m: f64,
}

impl<B: Bed> Work<'_, B> {
    /// Gives an old pool's water to one body for each part of the pool that is still connected.
    pub(super) fn open(
        &mut self,
        number: u32,
        pool: Pool,
        inflow: PoolInflow,
        poured: &mut Poured,
    ) -> Vec<Part> {
        let inflowing = Some(inflow.water_m).filter(|water| water.is_finite() && *water > 0.0);
        let comes = pool.surplus_m + inflowing.unwrap_or(0.0);
        let water = pool.volume_m + comes;
        let (land, rest): (Vec<_>, Vec<_>) =
            (pool.cells.iter()).partition(|&&cell| self.kind(cell) == Kind::Land);
        rest.into_iter()
            .for_each(|&cell| self.bed.set_pool(cell, 0));
        if land.is_empty() {
            poured.extend(pool.cells.first().map(|&cell| (cell, water)));
            return Vec::new();
        }
        let mut beds: Vec<f64> = land
            .iter()
            .map(|&&cell| self.bed.elevation_m(cell))
            .collect();
        let level = hypsometry::level(water, &mut beds);
        let stood_m = hypsometry::level(pool.volume_m, &mut beds);
        let bodies = self.split(number, &land, level);
        let columns: Vec<f64> = bodies
            .iter()
            .map(|&body| self.columns(body, level))
            .collect();
        let sum: f64 = columns.iter().sum();
        if bodies.is_empty() {
            poured.push((*land[0], water));
        }
        let part = |(&body, column): (&usize, f64)| {
            let share = column / sum;
            self.bodies[body].water = water * share;
            self.bodies[body].level = level;
            let droplets = inflow.droplets as f64 * share;
            Part {
                body,
                level,
                stood_m,
                droplets,
                rim_m: 0.0,
            }
        };
        bodies.iter().zip(columns).map(part).collect()
    }

    /// One body for each connected set of a pool's cells below a level; the other cells fall dry.
    fn split(&mut self, number: u32, cells: &[&usize], level: f64) -> Vec<usize> {
        for &&cell in cells {
            if self.bed.elevation_m(cell) >= level {
                self.bed.set_pool(cell, 0);
            }
        }
        let mut bodies = Vec::new();
        for &&cell in cells {
            if self.bed.pool(cell) == number {
                bodies.push(self.gather(cell, |work, other| work.bed.pool(other) == number));
            }
        }
        bodies
    }

    /// A new body of all cells connected with `from` that are `inside`.
    fn gather(&mut self, from: usize, inside: impl Fn(&Self, usize) -> bool) -> usize {
        let body = self.add_body();
        let mut cells = vec![from];
        self.mark(from, body);
        let mut next = 0;
        while let Some(&cell) = cells.get(next) {
            next += 1;
            for other in self.shape.neighbours(cell) {
                if inside(self, other) {
                    self.mark(other, body);
                    cells.push(other);
                }
            }
        }
        self.bodies[body].cells = cells;
        body
    }

    /// Water that stands on a body's cells below a level, m × cells.
    pub(super) fn columns(&self, body: usize, level: f64) -> f64 {
        let cells = self.bodies[body].cells.iter();
        cells
            .map(|&cell| (level - self.bed.elevation_m(cell)).max(0.0))
            .sum()
    }

    /// Finds the rim of a body; returns the lowest cell of it, m, or infinity where there is none.
    pub(super) fn find_rim(&mut self, body: usize) -> f64 {
        for i in 0..self.bodies[body].cells.len() {
            let cell = self.bodies[body].cells[i];
            self.queue_rim(body, cell);
        }
        self.bodies[body]
            .rim
            .peek()
            .map_or(f64::INFINITY, |at| at.height)
    }

    /// Readies a part for growth: as it is where its water is within its rim; else only what is connected
    /// below the rim is sure to be one body, and what stands higher runs down from where it stands.
    pub(super) fn start(&mut self, part: &Part, poured: &mut Poured) {
        let body = part.body;
        let base = part.level.min(part.rim_m);
        let below = |&cell: &usize| self.bed.elevation_m(cell) < base;
        if self.bodies[body].cells.iter().all(below) {
            self.begin(body, base);
            if part.level <= part.rim_m {
                self.bodies[body].capacity = self.bodies[body].water;
            }
        } else {
            self.dissolve(body, part.level, base, poured);
        }
    }

    /// Sets a body's level and capacity from its cells, which all lie below the level.
    fn begin(&mut self, body: usize, level: f64) {
        self.bodies[body].level = level;
        self.bodies[body].capacity = self.columns(body, level);
    }

    /// Replaces a body by those of its parts that are connected below `base`; each keeps the water that
    /// stands on it, and the water on the other cells is poured out down their paths.
    fn dissolve(&mut self, body: usize, level: f64, base: f64, poured: &mut Poured) {
        let old = std::mem::take(&mut self.bodies[body]);
        let scale = {
            let column = |&cell: &usize| (level - self.bed.elevation_m(cell)).max(0.0);
            let sum: f64 = old.cells.iter().map(column).sum();
            if sum > 0.0 { old.water / sum } else { 0.0 }
        };
        let (deep, high): (Vec<usize>, Vec<usize>) =
            (old.cells.iter()).partition(|&&cell| self.bed.elevation_m(cell) < base);
        high.iter().for_each(|&cell| self.bed.set_pool(cell, 0));
        let mut largest = None;
        for cell in deep {
            if self.owner(cell) != Some(body) {
                continue;
            }
            let part = self.gather_below(cell, body);
            self.bodies[part].water = self.columns(part, level) * scale;
            let size = self.bodies[part].cells.len();
            if largest.is_none_or(|(most, _)| size > most) {
                largest = Some((size, part));
            }
            self.begin(part, base);
            self.find_rim(part);
        }
        match largest {
            Some((_, part)) => {
                self.bodies[part].held = old.held;
                self.bodies[part].cut = old.cut;
            }
            None => poured.extend(high.first().map(|&cell| (cell, old.held))),
        }
        self.run_down(high, level, scale, poured);
    }

    /// A new body of all cells of `body` connected with `from`.
    fn gather_below(&mut self, from: usize, body: usize) -> usize {
        let number = self.bed.pool(from);
        debug_assert_eq!(self.owner(from), Some(body));
        self.gather(from, |work, other| work.bed.pool(other) == number)
    }

    /// Runs the water on cells down their paths among one another and pours out what gathers at their feet.
    fn run_down(&mut self, mut cells: Vec<usize>, level: f64, scale: f64, poured: &mut Poured) {
        let height = |cell: &usize| self.bed.elevation_m(*cell);
        cells.sort_unstable_by(|a, b| height(b).total_cmp(&height(a)).then(a.cmp(b)));
        let column = |&cell: &usize| (cell, (level - height(&cell)).max(0.0) * scale);
        let mut water: HashMap<usize, f64> = cells.iter().map(column).collect();
        for cell in cells {
            let amount = water.remove(&cell).unwrap_or(0.0);
            let lower = self.descent(cell);
            match lower.and_then(|lower| water.get_mut(&lower)) {
                Some(below) => *below += amount,
                None => poured.push((lower.unwrap_or(cell), amount)),
            }
        }
    }
}
