//! Standing water: pools as objects between reconciliations, and a field of their numbers.
//!
//! How it works and why is told in `README.md` beside this file.

mod breach;
mod close;
mod grow;
mod hypsometry;
mod open;
mod release;
mod sediment;
mod types;
mod work;

pub use sediment::{Water, spread_sediment};
pub use types::{Bed, Inflow, Kind, Outflow, Outlet, Pool, PoolInflow, Release, Spring};

use work::Work;

/// All standing water of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Pools {
    drain_share: f64,
    /// Height, m, by which sediment under water may rise above its lowest neighbour.
    step_m: f64,
    pools: Vec<Pool>,
    /// Sediment that found no room: entry cell, µm × cells.
    sediment: Vec<(usize, i64)>,
    /// Water too little to cover the cell where it lies: cell, m × cells.
    damp: Vec<(usize, f64)>,
}

impl Pools {
    /// A dry map. `drain_share` (0..1) of the water above a sill that was cut leaves per droplet that reaches
    /// the pool.
    #[must_use]
    pub const fn new(drain_share: f64) -> Self {
        Self {
            drain_share,
            step_m: f64::INFINITY,
            pools: Vec::new(),
            sediment: Vec::new(),
            damp: Vec::new(),
        }
    }

    /// Limits the slope of sediment under water: no cell rises more than `step_m` above its lowest neighbour, but
    /// where a pool silts up.
    #[must_use]
    pub const fn with_step(mut self, step_m: f64) -> Self {
        self.step_m = step_m;
        self
    }

    /// The pools of a depth field, m by cell: each connected set of wet land cells is one, whose level its
    /// water has over its bed; the next reconciliation finds where they spill. Numbers the bed's pool field.
    pub fn from_depths<B: Bed>(
        drain_share: f64,
        bed: &mut B,
        depth_m: impl Fn(usize) -> f64,
    ) -> Self {
        let mut pools = Self::new(drain_share);
        let wet = |bed: &B, cell: usize| depth_m(cell) > 0.0 && bed.kind(cell) == Kind::Land;
        for cell in 0..bed.shape().len() {
            bed.set_pool(cell, 0);
        }
        for cell in 0..bed.shape().len() {
            if bed.pool(cell) == 0 && wet(bed, cell) {
                let number = pools.pools.len() as u32 + 1;
                let cells = connected(bed, cell, number, wet);
                let volume_m = cells.iter().map(|&cell| depth_m(cell)).sum();
                pools.pools.push(at_rest(bed, cells, volume_m));
            }
        }
        pools
    }

    /// The pool with a number of the field.
    ///
    /// # Panics
    /// When no pool has that number; 0 means dry and is none.
    #[must_use]
    pub fn get(&self, number: u32) -> &Pool {
        &self.pools[number as usize - 1]
    }

    /// All pools with their numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Pool)> {
        (1..).zip(&self.pools)
    }

    /// How many pools there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.pools.len()
    }

    /// Whether there is no pool.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }

    /// Sediment that waits for room, µm × cells.
    #[must_use]
    pub fn sediment_waiting_um(&self) -> i64 {
        self.sediment.iter().map(|entry| entry.1).sum()
    }

    /// Takes out the sediment that waits where there is no water any more: entry cell, µm × cells.
    pub fn take_stranded<B: Bed>(&mut self, bed: &B) -> Vec<(usize, i64)> {
        let (wet, dry) = std::mem::take(&mut self.sediment)
            .into_iter()
            .partition(|&(cell, _)| bed.pool(cell) != 0);
        self.sediment = wet;
        dry
    }

    /// All water, m × cells: in pools, waiting at their outlets, and too little to cover its cell.
    #[must_use]
    pub fn water_m(&self) -> f64 {
        let pools: f64 = (self.pools.iter())
            .map(|pool| pool.volume_m + pool.surplus_m)
            .sum();
        let damp: f64 = self.damp.iter().map(|entry| entry.1).sum();
        pools + damp
    }

    /// Makes the map's water agree with its bed and with what came in: one level per pool, none above its sill
    /// unless it is draining, excess gone. Then numbers the pools by their lowest cell and writes the field.
    ///
    /// Sediment is conserved as integers, water to rounding (a few parts in 10¹⁴). The result depends on the
    /// arguments alone. Only wet cells, their shores and the paths between them are visited. Water that is not
    /// positive or not finite is ignored.
    ///
    /// # Panics
    /// When `inflow` tells of more pools than there are.
    pub fn reconcile<B: Bed>(&mut self, bed: &mut B, inflow: Inflow, release: Release) -> Outflow {
        assert!(
            inflow.pools.len() <= self.pools.len(),
            "inflow into unknown pools"
        );
        self.sediment.extend(inflow.sediment);
        let entries = std::mem::take(&mut self.sediment);
        self.sediment = sediment::settle(bed, &self.pools, self.step_m, entries);

        let mut work = Work::new(bed, self.pools.len());
        let mut poured = std::mem::take(&mut self.damp);
        let settle = release == Release::Settle;
        self.open(&mut work, &inflow.pools, settle, &mut poured);
        poured.extend(inflow.ground);
        for (cell, water) in poured {
            if water > 0.0 && water.is_finite() {
                let end = work.follow(cell);
                work.deliver(water, end);
            }
        }
        let all = work.alive();
        work.level_all(all, settle);
        work.release_held(settle);
        let closing = work.close(release);
        self.pools = closing.pools;
        self.damp = closing.damp;
        closing.outflow
    }

    /// Turns the pools into bodies of water, ready for growth.
    fn open<B: Bed>(
        &mut self,
        work: &mut Work<'_, B>,
        inflow: &[PoolInflow],
        settle: bool,
        poured: &mut open::Poured,
    ) {
        let mut parts = Vec::new();
        for (number, pool) in (1..).zip(std::mem::take(&mut self.pools)) {
            let inflow = inflow.get(number as usize - 1).copied().unwrap_or_default();
            parts.extend(work.open(number, pool, inflow, poured));
        }
        // Each step needs the one before done for all: bodies look at their neighbours.
        for part in &mut parts {
            part.rim_m = work.find_rim(part.body);
        }
        if !settle {
            for part in &mut parts {
                work.hold_back(part, self.drain_share);
            }
        }
        for part in &parts {
            work.start(part, poured);
        }
    }
}

/// The wet cells connected with one, ascending, marked with a number.
fn connected<B: Bed>(
    bed: &mut B,
    from: usize,
    number: u32,
    wet: impl Fn(&B, usize) -> bool,
) -> Vec<usize> {
    let mut cells = vec![from];
    bed.set_pool(from, number);
    let mut next = 0;
    while let Some(&cell) = cells.get(next) {
        next += 1;
        for other in bed.shape().neighbours(cell) {
            if bed.pool(other) == 0 && wet(bed, other) {
                bed.set_pool(other, number);
                cells.push(other);
            }
        }
    }
    cells.sort_unstable();
    cells
}

/// A pool of which only cells and volume are known.
fn at_rest<B: Bed>(bed: &B, cells: Vec<usize>, volume_m: f64) -> Pool {
    let mut beds: Vec<f64> = cells.iter().map(|&cell| bed.elevation_m(cell)).collect();
    Pool {
        level_m: hypsometry::level(volume_m, &mut beds),
        cells,
        volume_m,
        surplus_m: 0.0,
        outlet: None,
        full: false,
        draining: false,
    }
}
