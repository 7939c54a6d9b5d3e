//! Sediment that reached standing water settles around where it entered: deltas.

use super::{Bed, Kind, Pool, Touched};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::f64::consts::SQRT_2;
use std::hash::{BuildHasherDefault, Hasher};
use thalweg_grid::{Purpose, Shape, StageKey};

/// Ground that remembers where it was raised.
struct Watched<'b, B> {
    bed: &'b mut B,
    touched: &'b mut Touched,
}

impl<B: Bed> Bed for Watched<'_, B> {
    fn shape(&self) -> Shape {
        self.bed.shape()
    }

    fn elevation_m(&self, cell: usize) -> f64 {
        self.bed.elevation_m(cell)
    }

    fn kind(&self, cell: usize) -> Kind {
        self.bed.kind(cell)
    }

    fn raise(&mut self, cell: usize, micrometres: i32) -> i32 {
        self.touched.mark(cell);
        self.bed.raise(cell, micrometres)
    }

    fn pool(&self, cell: usize) -> u32 {
        self.bed.pool(cell)
    }

    fn set_pool(&mut self, cell: usize, pool: u32) {
        self.bed.set_pool(cell, pool);
    }
}

/// Lays down what can settle and returns what waits, by ascending entry cell. Amounts are µm × cells. Marks what
/// it touches.
pub(super) fn settle<B: Bed>(
    bed: &mut B,
    pools: &[Pool],
    repose: Option<Repose>,
    entries: Vec<(usize, i64)>,
    touched: &mut Touched,
) -> Vec<(usize, i64)> {
    let bed = &mut Watched { bed, touched };
    let mut choked = vec![false; pools.len()];
    let mut waiting = Vec::new();
    for (cell, amount) in largest_first(entries) {
        let pool = (bed.pool(cell) as usize).checked_sub(1);
        let left = match pool.filter(|&pool| !choked[pool]) {
            Some(pool) => {
                let left = spread_in_pool(bed, repose, &pools[pool], cell, amount);
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
    waiting.sort_unstable();
    waiting
}

/// What enters at each cell, the most first. Who comes first finds more room: by place, that would be a direction.
pub fn largest_first(mut entries: Vec<(usize, i64)>) -> Vec<(usize, i64)> {
    entries.sort_unstable();
    let sum = |run: &[(usize, i64)]| (run[0].0, run.iter().map(|entry| entry.1).sum());
    let mut sums: Vec<(usize, i64)> = entries.chunk_by(|a, b| a.0 == b.0).map(sum).collect();
    sums.sort_unstable_by_key(|&(cell, amount)| (Reverse(amount), cell));
    sums
}

fn spread_in_pool<B: Bed>(
    bed: &mut B,
    repose: Option<Repose>,
    pool: &Pool,
    entry: usize,
    amount: i64,
) -> i64 {
    let number = bed.pool(entry);
    let water = Water {
        level_m: pool.level_m,
        repose,
        covers: move |bed: &B, cell| bed.pool(cell) == number,
    };
    spread_sediment(bed, &water, entry, amount)
}

/// Rounds of growth of one delta in one reconciliation; what is left then silts up without regard to slope.
const ROUNDS: usize = 12;

/// Still water over a connected set of cells, as sediment sees it.
pub struct Water<F> {
    /// Elevation of the surface, m.
    pub level_m: f64,
    /// How steep sediment lies under it; none for any slope.
    pub repose: Option<Repose>,
    /// Whether a cell lies under it.
    pub covers: F,
}

/// Spreads `amount` µm × cells of sediment that enters still water at cell `entry`, the nearest cells first: in
/// rounds, each cell takes at most half of its depth and rises at most a step above its lowest neighbour under
/// water, so that deltas grow outwards and without spikes; where there is too little water for that, up to its
/// level, so that it silts up. Returns what found no room.
pub fn spread_sediment<B: Bed>(
    bed: &mut B,
    water: &Water<impl Fn(&B, usize) -> bool>,
    entry: usize,
    amount: i64,
) -> i64 {
    let mut walk = Walk::from(entry, bed.shape());
    let mut left = amount;
    for _ in 0..ROUNDS {
        let before = left;
        left = fill(bed, water, &mut walk, left, |bed, cell| {
            let half = (water.level_m - bed.elevation_m(cell)) * 0.5;
            if half < MICROMETRE_M {
                return 0.0;
            }
            half.min(room_on_slope(bed, water, cell))
        });
        if left == 0 || left == before {
            break;
        }
    }
    fill(bed, water, &mut walk, left, |_, _| f64::INFINITY)
}

/// The step of ground, m: less room is none.
const MICROMETRE_M: f64 = 1e-6;

/// The cells under one water, by their distance from an entry, so that deltas are round and not as square as
/// neighbourhoods are; as far as anybody has asked.
struct Walk {
    entry: [usize; 2],
    /// Squared distance, cells, and cell.
    reached: Vec<(u64, usize)>,
    next: BinaryHeap<Reverse<(u64, usize)>>,
    seen: HashSet<usize, BuildHasherDefault<CellHasher>>,
}

/// Spreads cells' indices over a table. The standard one is made for keys that an attacker chooses, and took a tenth of a
/// run with large lakes. Nothing hangs on the order.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, cell: usize) {
        // The golden ratio's multiplier (Knuth, The Art of Computer Programming 3, 6.4); its high bits are the good ones.
        let product = (self.0 ^ cell as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Walk {
    fn from(entry: usize, shape: Shape) -> Self {
        let (row, col) = shape.position(entry);
        Self {
            entry: [row, col],
            reached: Vec::new(),
            next: BinaryHeap::from([Reverse((0, entry))]),
            seen: HashSet::from_iter([entry]),
        }
    }

    /// The cell with a number, if there are as many.
    fn get<B: Bed>(
        &mut self,
        number: usize,
        bed: &B,
        water: &Water<impl Fn(&B, usize) -> bool>,
    ) -> Option<(u64, usize)> {
        if let Some(&reached) = self.reached.get(number) {
            return Some(reached);
        }
        let Reverse((distance2, cell)) = self.next.pop()?;
        let shape = bed.shape();
        for other in shape.neighbours(cell) {
            if (water.covers)(bed, other) && self.seen.insert(other) {
                let (row, col) = shape.position(other);
                let rows = row.abs_diff(self.entry[0]) as u64;
                let cols = col.abs_diff(self.entry[1]) as u64;
                self.next.push(Reverse((rows * rows + cols * cols, other)));
            }
        }
        self.reached.push((distance2, cell));
        Some((distance2, cell))
    }
}

/// How steep sediment lies under water: how far a cell may rise above a neighbour's bed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Repose {
    step_m: f64,
    key: StageKey,
}

impl Repose {
    /// Steps of at most `step_m` m to an edge neighbour and √2 times that to a diagonal one. Each cell's own step is 0.25
    /// to 1 of that, drawn by `key`: with one step everywhere, fronts are planes along the grid's axes and diagonals.
    #[must_use]
    pub const fn new(step_m: f64, key: StageKey) -> Self {
        Self { step_m, key }
    }

    /// The step of a cell, m.
    fn step_m(self, cell: usize) -> f64 {
        let bits = self.key.bits(Purpose::Repose, 0, cell as u64);
        self.step_m * (0.25 + 0.75 * (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64))
    }
}

/// How far a cell may rise before it stands a step above a neighbour under water, m.
fn room_on_slope<B: Bed>(bed: &B, water: &Water<impl Fn(&B, usize) -> bool>, cell: usize) -> f64 {
    let shape = bed.shape();
    let (row, col) = shape.position(cell);
    let own = bed.elevation_m(cell);
    let mut room = f64::INFINITY;
    let Some(step_m) = water.repose.map(|repose| repose.step_m(cell)) else {
        return room;
    };
    for other in shape.neighbours(cell) {
        if (water.covers)(bed, other) {
            let (r, c) = shape.position(other);
            let diagonal = r != row && c != col;
            let step = if diagonal { step_m * SQRT_2 } else { step_m };
            room = room.min(bed.elevation_m(other) + step - own);
            if room < MICROMETRE_M {
                return 0.0;
            }
        }
    }
    room
}

/// One walk outwards over water, in which each cell may take the metres that `room` says, never above the level.
///
/// It goes on until there is room for twice the amount, and each cell gets a share of its room that falls to 0 at
/// the distance reached: a delta thins out and has no edge.
fn fill<B: Bed>(
    bed: &mut B,
    water: &Water<impl Fn(&B, usize) -> bool>,
    walk: &mut Walk,
    amount: i64,
    room: impl Fn(&B, usize) -> f64,
) -> i64 {
    if amount == 0 {
        return 0;
    }
    let mut takers: Vec<(usize, u64, i64)> = Vec::new();
    let (mut found, mut reach) = (0, 0);
    while let Some((distance2, cell)) = walk.get(takers.len(), bed, water) {
        // Cells that are as far as the last come along, or those with low indices would be preferred.
        if found >= 2 * amount && distance2 > reach {
            break;
        }
        let metres = room(bed, cell).min(water.level_m - bed.elevation_m(cell));
        let most = ((metres * 1e6).floor() as i64).clamp(0, i64::from(i32::MAX));
        found += most;
        reach = distance2;
        takers.push((cell, distance2, most));
    }
    let taper = |distance2: u64| 1.0 - distance2 as f64 / (reach + 1) as f64;
    let sum: f64 = takers
        .iter()
        .map(|&(_, d, most)| most as f64 * taper(d))
        .sum();
    let share = amount as f64 / sum.max(1.0);
    let mut left = amount;
    for taker in &mut takers {
        let um = taker.2 as f64 * (taper(taker.1) * share).min(1.0);
        give(bed, taker, um as i64, &mut left);
    }
    // What is left in a pool too small for a taper, ring by ring; then what rounding left.
    for ring in takers.chunk_by_mut(|a, b| a.1 == b.1) {
        let room: i64 = ring.iter().map(|taker| taker.2).sum();
        let share = (left as f64 / room.max(1) as f64).min(1.0);
        for taker in ring {
            give(bed, taker, (taker.2 as f64 * share) as i64, &mut left);
        }
    }
    for taker in &mut takers {
        give(bed, taker, taker.2, &mut left);
    }
    left
}

/// Raises a taker — cell, distance, room — by some µm, of what is left.
fn give<B: Bed>(bed: &mut B, taker: &mut (usize, u64, i64), um: i64, left: &mut i64) {
    let um = um.min(*left);
    if um > 0 {
        let stored = i64::from(bed.raise(taker.0, um as i32));
        taker.2 -= stored;
        *left -= stored;
    }
}
