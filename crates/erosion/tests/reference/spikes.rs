//! Spikes and pits of one cell that a stage made are evened out at its end.

use super::{Land, Place, Real, moved};
use std::collections::BTreeSet;

const ROUNDS: usize = 2000;
/// How far off its neighbours' mean a cell may be, and is afterwards, cell sizes.
const LIMIT: f64 = 0.98;
const TARGET: f64 = 0.9;
/// Up to where a cell was none before, cell sizes.
const EVEN: f64 = 1.000_001;

/// Evens out; returns how many times.
pub(crate) fn relieve<R: Real>(land: &mut Land<R>, cell_size_m: f64) -> u64 {
    let mut count = 0;
    // What becomes one in the first round has its turn in the second.
    let mut cells: BTreeSet<usize> = (0..land.cells.len())
        .filter(|&index| new_departure(land, land.place(index), cell_size_m).is_some())
        .collect();
    for _ in 0..ROUNDS {
        let mut next = BTreeSet::new();
        for index in cells {
            let at = land.place(index);
            let Some(departure) = new_departure(land, at, cell_size_m) else {
                continue;
            };
            let target = (TARGET * cell_size_m).copysign(departure);
            even_out(land, at, departure - target);
            count += 1;
            let beside = land.neighbours(at).into_iter();
            let beyond = beside.flat_map(|place| land.neighbours(place));
            next.extend(beyond.map(|place| land.index(place)));
        }
        if next.is_empty() {
            break;
        }
        cells = next;
    }
    count
}

/// How far a cell stands above its neighbours' mean, m, where that is too much and more than at the start.
fn new_departure<R: Real>(land: &Land<R>, at: Place, cell_size_m: f64) -> Option<f64> {
    let now = departure(land, at, |at| land.cell(at).elevation_m())?;
    let was = departure(land, at, |at| land.cell(at).base_m.wide())?;
    let is_new = now.abs() > LIMIT * cell_size_m && was.abs() <= EVEN * cell_size_m;
    (is_new && now.abs() > was.abs()).then_some(now)
}

fn is_ground<R: Real>(land: &Land<R>, at: Place) -> bool {
    let cell = land.cell(at);
    !cell.void && !cell.apron
}

/// Opposite neighbours of which both are ground of the map.
fn pairs<R: Real>(land: &Land<R>, at: Place) -> Vec<[Place; 2]> {
    [[0, 1], [1, -1], [1, 0], [1, 1]]
        .map(|[rows, cols]| [moved(at, [rows, cols]), moved(at, [-rows, -cols])])
        .into_iter()
        .filter(|pair| pair.iter().all(|&other| is_ground(land, other)))
        .collect()
}

fn departure<R: Real>(land: &Land<R>, at: Place, height: impl Fn(Place) -> f64) -> Option<f64> {
    let pairs = pairs(land, at);
    if !is_ground(land, at) || pairs.is_empty() {
        return None;
    }
    let sum: f64 = pairs.iter().map(|&[a, b]| height(a) + height(b)).sum();
    Some(height(at) - sum / (2 * pairs.len()) as f64)
}

fn even_out<R: Real>(land: &mut Land<R>, at: Place, excess_m: f64) {
    let others = pairs(land, at).concat();
    let share = (excess_m * 1e6 / (others.len() + 1) as f64).ceil() as i32;
    for other in others {
        let given = land.cell_mut(other).raise(share);
        let taken = land.cell_mut(at).raise(-given);
        land.cell_mut(other).raise(-(given + taken));
    }
}
