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

/// One walk outwards over the pool, in which each cell may take the metres that `room` says, never above the level.
///
/// It goes on until there is room for twice the amount, and each cell gets a share of its room that falls to 0 at
/// the distance reached: a delta thins out and has no edge.
fn fill<B: Bed>(
    bed: &mut B,
    level_m: f64,
    entry: usize,
    amount: i64,
    room: impl Fn(&B, usize) -> f64,
) -> i64 {
    if amount == 0 {
        return 0;
    }
    let shape = bed.shape();
    let pool = bed.pool(entry);
    let mut seen = HashSet::from([entry]);
    // By distance, so that deltas are round and not as square as neighbourhoods are.
    let distance = |cell: usize| {
        let ((row, col), (to_row, to_col)) = (shape.position(entry), shape.position(cell));
        let (rows, cols) = (row.abs_diff(to_row) as u64, col.abs_diff(to_col) as u64);
        rows * rows + cols * cols
    };
    let mut queue = BinaryHeap::from([Reverse((0, entry))]);
    let mut takers = Vec::new();
    let (mut found, mut reach) = (0, 0);
    while found < 2 * amount {
        let Some(Reverse((distance2, cell))) = queue.pop() else {
            break;
        };
        let metres = room(bed, cell).min(level_m - bed.elevation_m(cell));
        let most = ((metres * 1e6).floor() as i64).clamp(0, i64::from(i32::MAX));
        found += most;
        reach = distance2;
        takers.push((cell, distance2, most));
        for other in shape.neighbours(cell) {
            if bed.pool(other) == pool && seen.insert(other) {
                queue.push(Reverse((distance(other), other)));
            }
        }
    }
    let taper = |distance2: u64| 1.0 - distance2 as f64 / (reach + 1) as f64;
    let sum: f64 = takers
        .iter()
        .map(|&(_, d, most)| most as f64 * taper(d))
        .sum();
    let share = amount as f64 / sum.max(1.0);
    let mut left = amount;
    let mut give = |bed: &mut B, cell: usize, um: i64| {
        let um = um.min(left);
        let stored = if um > 0 {
            i64::from(bed.raise(cell, um as i32))
        } else {
            0
        };
        left -= stored;
        stored
    };
    for taker in &mut takers {
        let (cell, distance2, most) = *taker;
        let um = (most as f64 * taper(distance2) * share).min(most as f64) as i64;
        taker.2 -= give(bed, cell, um);
    }
    // What rounding left, or a pool too small for a taper.
    for (cell, _, most) in takers {
        give(bed, cell, most);
    }
    left
}
