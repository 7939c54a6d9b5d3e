//! Turns the pools of the last reconciliation into bodies of water over today's bed.

use super::hypsometry::Beds;
use super::kept::Kept;
use super::measure::{Weight, is_land};
use super::work::{Body, Work};
use super::{Balance, Bed, Pool};
use std::collections::HashMap;

/// Water to be poured out on the ground: cell, m × cells.
pub(super) type Poured = Vec<(usize, f64)>;

/// A pool of the last reconciliation and what became of it since.
pub(super) struct Old {
    pub(super) number: u32,
    pub(super) pool: Pool,
    pub(super) kept: Option<Kept>,
    pub(super) balance: Balance,
    /// Water that came, m × cells.
    pub(super) comes: f64,
    /// Droplets that reached it.
    pub(super) droplets: f64,
}

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
    /// The lowest cell around, m; none where the rim was not looked for yet.
    pub(super) rim_m: Option<f64>,
    /// The highest bed, m, where that is known.
    highest_m: f64,
}

impl<B: Bed> Work<'_, B> {
    /// Takes over an old pool that is as it was.
    pub(super) fn leave(&mut self, old: Old) {
        let kept = old.kept.unwrap_or_default();
        self.add_body(Body {
            number: old.number,
            level: old.pool.level_m,
            water: old.pool.volume_m,
            cells: old.pool.cells,
            beds: kept.beds,
            balance: old.balance,
            asleep: true,
            old: true,
            kept,
            ..Body::default()
        });
    }

    /// Gives an old pool's water to one body for each part of the pool that is still connected.
    pub(super) fn open(
        &mut self,
        old: Old,
        weight: Option<Weight>,
        poured: &mut Poured,
    ) -> Vec<Part> {
        let Some(weight) = weight else {
            self.dry(&old.pool.cells);
            let cell = old.pool.cells.first();
            poured.extend(cell.map(|&cell| (cell, old.pool.volume_m + old.comes)));
            return Vec::new();
        };
        match weight.whole {
            Some(_) => vec![self.open_whole(old, weight)],
            None => self.open_parts(&old, &weight, poured),
        }
    }

    fn open_whole(&mut self, old: Old, weight: Weight) -> Part {
        let (level, stood_m) = (weight.level_m, weight.stood_m);
        let whole = weight.whole.expect("asked for by the caller");
        let rim_m = whole.rim.peek().map_or(f64::INFINITY, |at| at.height);
        let body = self.add_body(Body {
            number: old.number,
            level,
            water: old.pool.volume_m + old.comes,
            cells: old.pool.cells,
            beds: whole.beds,
            rim: whole.rim,
            old: true,
            balance: old.balance,
            kept: old.kept.unwrap_or_default(),
            ..Body::default()
        });
        Part {
            body,
            level,
            stood_m,
            droplets: old.droplets,
            rim_m: Some(rim_m),
            highest_m: whole.highest_m,
        }
    }

    fn open_parts(&mut self, old: &Old, weight: &Weight, poured: &mut Poured) -> Vec<Part> {
        let (level, stood_m) = (weight.level_m, weight.stood_m);
        let water = old.pool.volume_m + old.comes;
        let is_land = |&cell: &usize| is_land(self.bed, cell);
        let (land, rest): (Vec<usize>, Vec<usize>) =
            old.pool.cells.iter().copied().partition(is_land);
        self.dry(&rest);
        let bodies = self.split(old.number, &land, level);
        let columns: Vec<f64> = bodies
            .iter()
            .map(|&body| self.columns(body, level))
            .collect();
        let sum: f64 = columns.iter().sum();
        let count = bodies.len() as f64;
        if bodies.is_empty() {
            self.dried.push((land[0], old.balance));
            poured.push((land[0], water));
        }
        let part = |(&body, column): (&usize, f64)| {
            // A film thinner than heights resolve is on no part more than on another.
            let share = if sum > 0.0 { column / sum } else { 1.0 / count };
            let lake = &mut self.bodies[body];
            lake.water = water * share;
            lake.level = level;
            lake.balance = old.balance.part(share);
            Part {
                body,
                level,
                stood_m,
                droplets: old.droplets * share,
                rim_m: None,
                highest_m: f64::INFINITY,
            }
        };
        bodies.iter().zip(columns).map(part).collect()
    }

    /// Marks cells as dry.
    fn dry(&mut self, cells: &[usize]) {
        cells.iter().for_each(|&cell| self.bed.set_pool(cell, 0));
    }

    /// One body for each connected set of a pool's cells below a level; the other cells fall dry.
    fn split(&mut self, number: u32, cells: &[usize], level: f64) -> Vec<usize> {
        for &cell in cells {
            if self.bed.elevation_m(cell) >= level {
                self.bed.set_pool(cell, 0);
            }
        }
        let mut bodies = Vec::new();
        for &cell in cells {
            if self.bed.pool(cell) == number {
                bodies.push(self.gather(cell, |work, other| work.bed.pool(other) == number));
            }
        }
        bodies
    }

    /// A new body of all cells of an old pool connected with `from` that are `inside`.
    fn gather(&mut self, from: usize, inside: impl Fn(&Self, usize) -> bool) -> usize {
        let body = self.add_body(Body {
            old: true,
            ..Body::default()
        });
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
        cells.sort_unstable();
        self.bodies[body].kept.shore.clone_from(&cells);
        self.bodies[body].cells = cells;
        self.bodies[body].beds = self.heights(body).collect();
        body
    }

    /// Water that stands on a body's cells below a level, m × cells.
    pub(super) fn columns(&self, body: usize, level: f64) -> f64 {
        let below: Beds = self.heights(body).filter(|&bed| bed < level).collect();
        below.below(level)
    }

    /// Finds the rim of a body; returns the lowest cell of it, m, or infinity where there is none.
    pub(super) fn find_rim(&mut self, body: usize) -> f64 {
        for i in 0..self.bodies[body].cells.len() {
            let cell = self.bodies[body].cells[i];
            self.queue_rim(body, cell);
        }
        let lowest = self.bodies[body].rim.peek();
        lowest.map_or(f64::INFINITY, |at| at.height)
    }

    /// Readies a part for growth: as it is where its water is within its rim; else only what is connected
    /// below the rim is sure to be one body, and what stands higher runs down from where it stands.
    pub(super) fn start(&mut self, part: &Part, poured: &mut Poured) {
        let body = part.body;
        let base = part.rim_m.map_or(part.level, |rim_m| part.level.min(rim_m));
        if part.highest_m < base || self.heights(body).all(|bed| bed < base) {
            self.bodies[body].level = base;
        } else {
            self.dissolve(body, part.level, base, poured);
        }
    }

    /// Replaces a body by those of its parts that are connected below `base`; each keeps the water that
    /// stands on it, and the water on the other cells is poured out down their paths.
    fn dissolve(&mut self, body: usize, level: f64, base: f64, poured: &mut Poured) {
        let old = std::mem::take(&mut self.bodies[body]);
        let heights = old.cells.iter().map(|&cell| self.bed.elevation_m(cell));
        let below: Beds = heights.filter(|&bed| bed < level).collect();
        let sum = below.below(level);
        let scale = if sum > 0.0 { old.water / sum } else { 0.0 };
        if sum <= 0.0 {
            poured.extend(old.cells.first().map(|&cell| (cell, old.water)));
        }
        let (deep, high): (Vec<usize>, Vec<usize>) =
            (old.cells.iter()).partition(|&&cell| self.bed.elevation_m(cell) < base);
        self.dry(&high);
        let mut largest = None;
        for cell in deep {
            if self.owner(cell) != Some(body) {
                continue;
            }
            let part = self.gather_below(cell, body);
            let water = self.columns(part, level) * scale;
            self.bodies[part].water = water;
            // To all but the largest, which goes on as the old pool.
            self.bodies[part].balance.received_m = water;
            let size = self.bodies[part].cells.len();
            if largest.is_none_or(|(most, _)| size > most) {
                largest = Some((size, part));
            }
            self.bodies[part].level = base;
            self.find_rim(part);
        }
        match largest {
            Some((_, part)) => {
                self.bodies[part].held = old.held;
                self.bodies[part].balance = old.balance;
                self.bodies[part].cut = old.cut;
            }
            None => {
                self.dried
                    .extend(high.first().map(|&cell| (cell, old.balance)));
                if old.held > 0.0 {
                    self.orphans.push((old.held, old.cut));
                }
            }
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
        // Weighed in the steps in which the whole was, or what is on the cells would not add up to it.
        let column = |&cell: &usize| {
            let bed: Beds = Some(height(&cell))
                .filter(|&bed| bed < level)
                .into_iter()
                .collect();
            (cell, bed.below(level) * scale)
        };
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
