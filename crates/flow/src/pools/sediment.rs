//! Sediment that reached standing water settles around where it entered: deltas.

use super::{Bed, Pool};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Lays down what can settle and returns what waits, by ascending entry cell. Amounts are µm × cells.
pub(super) fn settle<B: Bed>(
    bed: &mut B,
    pools: &[Pool],
    step_m: f64,
    mut entries: Vec<(usize, i64)>,
) -> Vec<(usize, i64)> {
    entries.sort_unstable();
    let mut choked = vec![false; pools.len()];
    let mut waiting = Vec::new();
    for run in entries.chunk_by(|a, b| a.0 == b.0) {
        let cell = run[0].0;
        let amount = run.iter().map(|entry| entry.1).sum();
        let pool = (bed.pool(cell) as usize).checked_sub(1);
        let left = match pool.filter(|&pool| !choked[pool]) {
            Some(pool) => {
                let left = spread(bed, step_m, pools[pool].level_m, cell, amount);
                // Without this mark each further entry would search the whole pool for room in vain.
                choked[pool] = left > 0;
                left
            }
            None => amount,
        };
        if left != 0 {
            waiting.push((cell, left));
        }
    }
    waiting
}

/// Rounds of growth of one delta in one reconciliation; what is left then silts up without regard to slope.
const ROUNDS: usize = 32;

/// Spreads one entry over the pool's cells, the nearest to it first: in rounds, each cell takes at most half of
/// its depth and rises at most `step_m` above its lowest neighbour in the pool, so that deltas grow outwards under
/// water and without spikes; where a pool is too small for that, up to its level, so that it silts up. Returns what
/// found no room.
fn spread<B: Bed>(bed: &mut B, step_m: f64, level_m: f64, entry: usize, amount: i64) -> i64 {
    let mut left = amount;
    for _ in 0..ROUNDS {
        let before = left;
        left = fill(bed, level_m, entry, left, |bed, cell| {
            let half = (level_m - bed.elevation_m(cell)) * 0.5;
            half.min(lowest_neighbour(bed, cell) + step_m - bed.elevation_m(cell))
        });
        if left == 0 || left == before {
            break;
        }
    }
    fill(bed, level_m, entry, left, |bed, cell| {
        level_m - bed.elevation_m(cell)
    })
}

/// The lowest bed among a cell's neighbours in its pool, m; +∞ without any.
fn lowest_neighbour<B: Bed>(bed: &B, cell: usize) -> f64 {
    let pool = bed.pool(cell);
    let beds = bed
        .shape()
        .neighbours(cell)
        .filter(|&other| bed.pool(other) == pool);
    beds.map(|other| bed.elevation_m(other))
        .fold(f64::INFINITY, f64::min)
}

/// One walk over the pool, in which each cell takes the metres that `room` says, never above the level.
fn fill<B: Bed>(
    bed: &mut B,
    level_m: f64,
    entry: usize,
    amount: i64,
    room: impl Fn(&B, usize) -> f64,
) -> i64 {
    let shape = bed.shape();
    let pool = bed.pool(entry);
    let mut left = amount;
    let mut seen = HashSet::from([entry]);
    // By distance, so that deltas are round and not as square as neighbourhoods are.
    let distance = |cell: usize| {
        let ((row, col), (to_row, to_col)) = (shape.position(entry), shape.position(cell));
        let (rows, cols) = (row.abs_diff(to_row) as u64, col.abs_diff(to_col) as u64);
        rows * rows + cols * cols
    };
    let mut queue = BinaryHeap::from([Reverse((0, entry))]);
    while left > 0 {
        let Some(Reverse((_, cell))) = queue.pop() else {
            break;
        };
        let metres = room(bed, cell).min(level_m - bed.elevation_m(cell));
        let take = left
            .min(((metres * 1e6).floor() as i64).max(0))
            .min(i64::from(i32::MAX));
        if take > 0 {
            left -= i64::from(bed.raise(cell, take as i32));
        }
        for other in shape.neighbours(cell) {
            if bed.pool(other) == pool && seen.insert(other) {
                queue.push(Reverse((distance(other), other)));
            }
        }
    }
    left
}
