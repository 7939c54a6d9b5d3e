//! Turns the bodies of water back into numbered pools.

use super::breach::CUT_M;
use super::release::{Leaving, let_go};
use super::work::{Spill, Work};
use super::{Bed, Kind, Outflow, Outlet, Pool, Release, hypsometry};

/// Depth, m, below which a full pool is a film that sediment left.
const FILM_M: f64 = 2e-6;

/// What a reconciliation leaves.
pub(super) struct Closing {
    pub(super) pools: Vec<Pool>,
    pub(super) damp: Vec<(usize, f64)>,
    pub(super) outflow: Outflow,
}

impl<B: Bed> Work<'_, B> {
    /// Water that was held back above a cut sill goes back to bodies that are not full after all.
    pub(super) fn release_held(&mut self, settle: bool) {
        loop {
            let mut todo = Vec::new();
            for body in self.alive() {
                let lake = &mut self.bodies[body];
                if lake.held > 0.0 && lake.spill.is_none() {
                    lake.water += std::mem::take(&mut lake.held);
                    lake.cut.clear();
                    todo.push(body);
                }
            }
            if todo.is_empty() {
                return;
            }
            self.level_all(todo, settle);
        }
    }

    /// Closes all bodies: levels, wet cells, excess, numbers by lowest cell.
    pub(super) fn close(mut self, release: Release) -> Closing {
        for body in self.alive() {
            if self.find(body) == body && self.bodies[body].held > 0.0 {
                self.flood_again(body);
            }
        }
        let alive = self.alive();
        let mut closed: Vec<(usize, Pool, Option<Leaving>)> = alive
            .into_iter()
            .map(|body| self.close_body(body))
            .collect();
        closed.sort_unstable_by_key(|lake| lake.0);
        let mut outflow = Outflow {
            exported_m: self.exported_m,
            to_sea_m: self.to_sea_m,
            ..Outflow::default()
        };
        let mut pools: Vec<Pool> = Vec::with_capacity(closed.len());
        for (first, mut pool, leaving) in closed {
            pool.surplus_m = leaving.map_or(0.0, |leaving| let_go(leaving, release, &mut outflow));
            let water = pool.volume_m + pool.surplus_m;
            if !pool.cells.is_empty() {
                pools.push(pool);
            } else if water > 0.0 {
                self.damp.push((first, water));
            }
        }
        self.number(&pools);
        Closing {
            pools,
            damp: self.damp,
            outflow,
        }
    }

    /// Writes the pools' numbers into the field.
    fn number(&mut self, pools: &[Pool]) {
        for (number, pool) in (1..).zip(pools) {
            for &cell in &pool.cells {
                self.bed.set_pool(cell, number);
            }
        }
    }

    /// Raises a body whose sill was cut by the water that it holds back, over the cells where that stood and
    /// those that the body has now, with whatever else stands on them.
    fn flood_again(&mut self, body: usize) {
        let mut going = self.bodies[body].excess();
        let mut cut = std::mem::take(&mut self.bodies[body].cut);
        while let Some(cell) = cut.pop() {
            match self.owner(cell) {
                None => {
                    self.mark(cell, body);
                    self.bodies[body].cells.push(cell);
                }
                Some(other) if other != body => {
                    going += self.absorb(body, other);
                    cut.append(&mut self.bodies[body].cut);
                }
                Some(_) => {}
            }
        }
        let lake = &mut self.bodies[body];
        lake.water += std::mem::take(&mut lake.held);
        lake.going = Some(going);
    }

    /// Puts another body's cells and water under a body's surface; returns what spilled over its own sill.
    fn absorb(&mut self, body: usize, other: usize) -> f64 {
        let mut given = self.give(other, body);
        let full = given.spill.is_some();
        let going = given
            .going
            .unwrap_or(if full { given.excess() } else { 0.0 });
        let lake = &mut self.bodies[body];
        lake.cells.append(&mut given.cells);
        lake.cut.append(&mut given.cut);
        lake.water += given.water;
        lake.held += given.held;
        going
    }

    /// The lowest cell, the pool and the excess of a body; its dry cells are let go.
    fn close_body(&mut self, body: usize) -> (usize, Pool, Option<Leaving>) {
        let spill = self.bodies[body].spill;
        let sill_m = self.bodies[body].level;
        let going = self.bodies[body]
            .going
            .or(spill.map(|_| self.bodies[body].excess()));
        let volume_m = self.bodies[body].water - going.unwrap_or(0.0);
        let level_m = self.surface_m(body, volume_m);
        // A pool that has silted up to its sill but for the rounding of sediment to micrometres is none.
        let film = spill.is_some() && self.depth_m(body, level_m) < FILM_M;
        let (first, cells) = self.wet_cells(body, if film { f64::NEG_INFINITY } else { level_m });
        let leaving = spill.map(|spill| Leaving {
            kind: self.kind(spill.to),
            cell: spill.to,
            excess: going.unwrap_or(0.0),
        });
        let pool = Pool {
            level_m,
            cells,
            volume_m,
            surplus_m: 0.0,
            outlet: spill.map(|spill| self.outlet(spill, sill_m)),
            full: spill.is_some(),
            draining: spill.is_some() && level_m > sill_m + CUT_M,
        };
        (first, pool, leaving)
    }

    /// The level of a body's water.
    fn surface_m(&self, body: usize, volume_m: f64) -> f64 {
        let lake = &self.bodies[body];
        if lake.going.is_none() && lake.spill.is_some() {
            lake.level
        } else if lake.going.is_none() && volume_m >= lake.capacity {
            lake.level + (volume_m - lake.capacity) / lake.cells.len() as f64
        } else {
            hypsometry::level(volume_m, &mut self.beds(body))
        }
    }

    /// The deepest water in a body, m.
    fn depth_m(&self, body: usize, level_m: f64) -> f64 {
        let beds = self.bodies[body].cells.iter();
        let depths = beds.map(|&cell| level_m - self.bed.elevation_m(cell));
        depths.fold(0.0, f64::max)
    }

    /// Lets go of a body's cells; returns the lowest and those that are wet, ascending.
    fn wet_cells(&mut self, body: usize, level_m: f64) -> (usize, Vec<usize>) {
        let mut cells = std::mem::take(&mut self.bodies[body].cells);
        let lowest = cells.iter().copied().min().unwrap_or(0);
        for &cell in &cells {
            self.bed.set_pool(cell, 0);
        }
        cells.retain(|&cell| self.bed.elevation_m(cell) < level_m);
        cells.sort_unstable();
        cells.shrink_to_fit();
        (cells.first().copied().unwrap_or(lowest), cells)
    }

    /// What the pool tells of its spill.
    fn outlet(&self, spill: Spill, sill_m: f64) -> Outlet {
        let leaves = matches!(self.kind(spill.to), Kind::Drain | Kind::Void);
        let receiver = if leaves { spill.sill } else { spill.to };
        Outlet {
            sill: spill.sill,
            receiver,
            sill_m,
        }
    }
}
