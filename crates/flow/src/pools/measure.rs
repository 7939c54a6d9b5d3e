//! Weighs a pool of the last reconciliation on today's bed. Reads alone, so that pools are weighed side by side.

use super::hypsometry::{self, Beds};
use super::kept::Kept;
use super::{Bed, Kind, Pool};
use crate::height::{At, Lowest};
use rayon::prelude::*;

/// Cells that one thread weighs at a time: enough to be worth handing out, few enough to share one large lake.
const SHARE: usize = 1 << 16;

/// What a pool comes to before anything new reaches it.
pub(super) struct Weight {
    /// The level, m, of its water without what came.
    pub(super) stood_m: f64,
    /// The level, m, of all its water over its own cells.
    pub(super) level_m: f64,
    /// What is the same as it was, if all its cells are wet still.
    pub(super) whole: Option<Whole>,
    /// Other pools that touch it, more than once perhaps.
    pub(super) beside: Vec<u32>,
}

/// A pool all of whose cells are under water still, and connected.
pub(super) struct Whole {
    pub(super) beds: Beds,
    /// The highest bed, m.
    pub(super) highest_m: f64,
    /// The cells around.
    pub(super) rim: Lowest,
}

/// Weighs a pool to which `comes` m × cells have come. None where no cell of it is land any more.
pub(super) fn weigh<B: Bed>(
    bed: &B,
    number: u32,
    pool: &Pool,
    kept: Option<&Kept>,
    comes: f64,
) -> Option<Weight> {
    let (beds, highest_m, odd) = sum(bed, &pool.cells);
    if beds.cells() == 0 {
        return None;
    }
    let heights = || {
        let land = pool.cells.iter().filter(|&&cell| is_land(bed, cell));
        land.map(|&cell| bed.elevation_m(cell))
    };
    let level_of = |water: f64| {
        let all = beds.level(water);
        if all > highest_m {
            all
        } else {
            hypsometry::level(water, heights())
        }
    };
    let stood_m = if pool.level_m > highest_m && beds.agree(pool.level_m, pool.volume_m) {
        pool.level_m
    } else {
        level_of(pool.volume_m)
    };
    let level_m = match comes > 0.0 {
        true => level_of(pool.volume_m + comes),
        false => stood_m,
    };
    let shore = kept.map_or(&pool.cells, |kept| &kept.shore);
    let (rim, beside) = rim(bed, number, shore);
    let connected = !odd && kept.is_some_and(|kept| kept.connected);
    let whole = (connected && highest_m < level_m).then_some(Whole {
        beds,
        highest_m,
        rim,
    });
    Some(Weight {
        // Not what sediment lifted: water that a cut sill holds back would carry its bed up with it, without end.
        stood_m: stood_m.min(pool.level_m),
        level_m,
        whole,
        beside,
    })
}

/// Whether water can stand on a cell.
pub(super) fn is_land<B: Bed>(bed: &B, cell: usize) -> bool {
    bed.kind(cell) == Kind::Land && bed.elevation_m(cell).is_finite()
}

/// The beds of the cells that are land, the highest of them, and whether any is not.
pub(super) fn sum<B: Bed>(bed: &B, cells: &[usize]) -> (Beds, f64, bool) {
    let none = || (Beds::default(), f64::NEG_INFINITY, false);
    let some = |cells: &[usize]| {
        let (mut beds, mut highest, mut odd) = none();
        for &cell in cells {
            if is_land(bed, cell) {
                let height = bed.elevation_m(cell);
                beds.add(height);
                highest = highest.max(height);
            } else {
                odd = true;
            }
        }
        (beds, highest, odd)
    };
    if cells.len() <= SHARE {
        return some(cells);
    }
    // Sums are exact and a maximum is one: how they are grouped does not matter.
    let both =
        |a: (Beds, f64, bool), b: (Beds, f64, bool)| (a.0.with(b.0), a.1.max(b.1), a.2 | b.2);
    cells.par_chunks(SHARE).map(some).reduce(none, both)
}

/// The cells around a pool, and the pools among them.
pub(super) fn rim<B: Bed>(bed: &B, number: u32, shore: &[usize]) -> (Lowest, Vec<u32>) {
    let shape = bed.shape();
    let mut rim = Vec::new();
    let mut beside = Vec::new();
    for &cell in shore {
        for other in shape.neighbours(cell) {
            let pool = bed.pool(other);
            if pool == number {
                continue;
            }
            if pool != 0 {
                beside.push(pool);
            }
            rim.push(other);
        }
    }
    // Along a straight shore each cell comes up three times.
    rim.sort_unstable();
    rim.dedup();
    let at = |cell| At {
        height: ground(bed, cell),
        cell,
    };
    (rim.into_iter().map(at).collect(), beside)
}

/// Height of the ground, bottomless where there is none.
pub(super) fn ground<B: Bed>(bed: &B, cell: usize) -> f64 {
    let height = bed.elevation_m(cell);
    if height.is_finite() && bed.kind(cell) != Kind::Void {
        height
    } else {
        f64::NEG_INFINITY
    }
}
