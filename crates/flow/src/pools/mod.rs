//! Standing water: pools as objects between reconciliations, and a field of their numbers.
//!
//! How it works and why is told in `README.md` beside this file.

mod breach;
mod close;
mod films;
mod flats;
mod forgotten;
mod grow;
mod hypsometry;
mod kept;
mod lose;
mod measure;
mod open;
mod release;
mod sediment;
mod survey;
mod touched;
mod types;
mod work;

pub use sediment::{Repose, Water, largest_first, spread_sediment};
pub use survey::{DryBasin, Lake, Relief, Survey};
pub use touched::Touched;
pub use types::{
    Balance, Bed, Inflow, Kind, Losses, Outflow, Outlet, Pool, PoolInflow, Release, Since, Spring,
};

use kept::Kept;
use measure::{Weight, weigh};
use open::Old;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use work::Work;

/// All standing water of a map. Written down and read back it is the same; what is kept of each pool is then found anew.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Pools {
    drain_share: f64,
    /// How steep sediment under water lies; none for any slope.
    repose: Option<Repose>,
    pools: Vec<Pool>,
    /// What is kept of each, to save looking for it; nothing that comes out depends on it.
    #[serde(with = "forgotten")]
    kept: Vec<Option<Kept>>,
    /// What each received and lost.
    balances: Vec<Balance>,
    /// The same of pools that dried up, by a cell of theirs.
    dried: BTreeMap<usize, Balance>,
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
            repose: None,
            pools: Vec::new(),
            kept: Vec::new(),
            balances: Vec::new(),
            dried: BTreeMap::new(),
            sediment: Vec::new(),
            damp: Vec::new(),
        }
    }

    /// Limits the slope of sediment under water, but where a pool silts up.
    #[must_use]
    pub const fn with_repose(mut self, repose: Repose) -> Self {
        self.repose = Some(repose);
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
        pools.kept.resize_with(pools.len(), || None);
        let began = |pool: &Pool| Balance {
            received_m: pool.volume_m,
            ..Balance::default()
        };
        pools.balances = pools.pools.iter().map(began).collect();
        pools
    }

    /// Forgets what is kept of each pool from one reconciliation to the next. It is found anew: that takes time and
    /// changes nothing that comes out.
    pub fn forget(&mut self) {
        self.kept.fill_with(|| None);
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
        self.reconcile_since(bed, inflow, release, Since::default())
    }

    /// [`reconcile`](Self::reconcile), followed by losses to air and ground, leaving alone what nothing has touched.
    ///
    /// All standing water, with what has just come in, loses the given depth on the cells that it covers, as far as
    /// there is water. A full pool's excess goes to losses first, and only the rest of it is let go. A pool that falls
    /// below a ridge in its bed has one level and one number until the next time, and is two from then on.
    ///
    /// # Panics
    /// When `inflow` tells of more pools than there are, or `since` marks the blocks of another map.
    pub fn reconcile_since<B: Bed>(
        &mut self,
        bed: &mut B,
        mut inflow: Inflow,
        release: Release,
        mut since: Since,
    ) -> Outflow {
        assert!(
            inflow.pools.len() <= self.pools.len(),
            "inflow into unknown pools"
        );
        self.sediment.append(&mut inflow.sediment);
        let entries = std::mem::take(&mut self.sediment);
        self.sediment =
            sediment::settle(bed, &self.pools, self.repose, entries, &mut since.touched);

        let mut work = Work::new(bed, self.pools.len(), since.losses);
        let settle = release == Release::Settle;
        let mut poured = std::mem::take(&mut self.damp);
        self.open(&mut work, &inflow.pools, settle, &since, &mut poured);
        poured.append(&mut inflow.ground);
        work.pour(&poured);
        let all = work.alive();
        work.level_all(all, settle);
        work.adopt(settle);
        work.release_held(settle);
        let closing = work.close(release, since.touched.is_known());
        self.pools = closing.pools;
        self.kept = closing.kept;
        self.balances = closing.balances;
        self.damp = closing.damp;
        for (cell, balance) in closing.dried {
            self.dried.entry(cell).or_default().add(balance);
        }
        closing.outflow
    }

    /// Turns the pools into bodies of water, ready for growth.
    fn open<B: Bed>(
        &mut self,
        work: &mut Work<'_, B>,
        inflow: &[PoolInflow],
        settle: bool,
        since: &Since,
        poured: &mut open::Poured,
    ) {
        let mut old = self.take_pools(inflow);
        let asleep = sleepers(&old, since);
        let mut weights = weigh_all(work.bed, &old, asleep);
        let mut parts = Vec::new();
        for (old, weight) in old.drain(..).zip(weights.drain(..)) {
            match weight {
                None => work.leave(old),
                Some(weight) => parts.extend(work.open(old, weight, poured)),
            }
        }
        // Each step needs the one before done for all: bodies look at their neighbours.
        for part in &mut parts {
            part.rim_m = part.rim_m.or_else(|| Some(work.find_rim(part.body)));
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

    /// The pools with all that belongs to each.
    fn take_pools(&mut self, inflow: &[PoolInflow]) -> Vec<Old> {
        let pools = std::mem::take(&mut self.pools).into_iter();
        let kept = std::mem::take(&mut self.kept).into_iter();
        let balances = std::mem::take(&mut self.balances).into_iter();
        let all = (1..).zip(pools.zip(kept.zip(balances)));
        let old = all.map(|(number, (pool, (kept, mut balance)))| {
            let inflow = inflow.get(number as usize - 1).copied().unwrap_or_default();
            let came = Some(inflow.water_m).filter(|water| water.is_finite() && *water > 0.0);
            let came = came.unwrap_or(0.0);
            balance.received_m += came;
            Old {
                number,
                comes: pool.surplus_m + came,
                droplets: inflow.droplets as f64,
                pool,
                kept,
                balance,
            }
        });
        old.collect()
    }
}

/// Which pools may be left as they are, if no other comes near.
fn sleepers(old: &[Old], since: &Since) -> Vec<bool> {
    if since.losses.depth_m() > 0.0 || !since.touched.is_known() {
        return vec![false; old.len()];
    }
    let sleeps = |old: &Old| {
        let kept = old.kept.as_ref();
        old.comes <= 0.0 && kept.is_some_and(|kept| kept.may_sleep(&old.pool, &since.touched))
    };
    old.par_iter().map(sleeps).collect()
}

/// Weighs all pools but those that sleep, and those that they touch, side by side. None for those left asleep.
fn weigh_all<B: Bed>(bed: &B, old: &[Old], mut asleep: Vec<bool>) -> Vec<Option<Option<Weight>>> {
    let mut weights: Vec<Option<Option<Weight>>> = old.iter().map(|_| None).collect();
    let mut todo: Vec<usize> = (0..old.len()).filter(|&pool| !asleep[pool]).collect();
    while !todo.is_empty() {
        let weighed = |&index: &usize| {
            let Old {
                number,
                pool,
                kept,
                comes,
                ..
            } = &old[index];
            weigh(bed, *number, pool, kept.as_ref(), *comes)
        };
        let new: Vec<Option<Weight>> = todo.par_iter().map(weighed).collect();
        let mut next = Vec::new();
        for (index, weight) in todo.into_iter().zip(new) {
            for &number in weight.iter().flat_map(|weight| &weight.beside) {
                if std::mem::replace(&mut asleep[number as usize - 1], false) {
                    next.push(number as usize - 1);
                }
            }
            weights[index] = Some(weight);
        }
        todo = next;
    }
    weights
}

/// Pools are the same whatever is kept of them.
impl PartialEq for Pools {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |pools: &Self| (pools.drain_share, pools.repose);
        numbers(self) == numbers(other)
            && self.pools == other.pools
            && self.balances == other.balances
            && self.dried == other.dried
            && self.sediment == other.sediment
            && self.damp == other.damp
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
    let beds = cells.iter().map(|&cell| bed.elevation_m(cell));
    Pool {
        level_m: hypsometry::level(volume_m, beds),
        cells,
        volume_m,
        surplus_m: 0.0,
        outlet: None,
        full: false,
        draining: false,
    }
}
