//! The last word on one-cell spikes and pits.
//!
//! Where ground is steeper than banks may be when a stage begins, slides and streams can leave a cell more than
//! one cell size off its neighbours' mean. A few in a million do; they are evened out with their neighbours, mass
//! kept to the micrometre, and counted.

use crate::cell::{APRON, Cell, DRAIN, Ground, RIM, VOID};
use rayon::prelude::*;
use thalweg_flow::Bed;
use thalweg_grid::Shape;

/// Rounds at most; each takes up the neighbours of what the one before changed. Seldom more than ten are needed.
const ROUNDS: usize = 2000;

/// How far off its neighbours' mean a cell may be, cell sizes: below 1, so that rounding to f32 cannot undo it.
const LIMIT: f64 = 0.98;

/// Up to where a cell was none when the stage began, cell sizes: above 1, as the cell size here is rounded to f32.
const EVEN: f64 = 1.000_001;

/// How far it is after it was evened out.
const TARGET: f64 = 0.9;

/// Evens out cells that stand off their neighbours' mean by more than a cell size and did not when the stage
/// began. Returns how many times it did so.
pub(crate) fn relieve_spikes(ground: &mut Ground, cell_size_m: f64) -> u64 {
    let mut relieved = 0;
    let mut cells: Vec<usize> = (0..ground.shape.rows)
        .into_par_iter()
        .flat_map_iter(|row| suspects(ground, row, cell_size_m))
        .filter(|&index| new_departure_m(ground, index, cell_size_m).is_some())
        .collect();
    for _ in 0..ROUNDS {
        let mut next = Vec::new();
        for index in cells {
            if let Some(departure) = new_departure_m(ground, index, cell_size_m) {
                let target = (TARGET * cell_size_m).copysign(departure);
                even_out(ground, index, departure - target);
                relieved += 1;
                // The neighbours have moved as well, and with them the mean that cells beyond them see.
                for other in ground.shape.neighbours(index) {
                    next.extend(ground.shape.neighbours(other));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        cells = next;
        if cells.is_empty() {
            break;
        }
    }
    relieved
}

/// The cells of a row that can have become spikes: all that stand off their neighbours' mean by too much, and those
/// beside voids. The arithmetic is that of [`departure_m`] without its questions.
fn suspects(ground: &Ground, row: usize, cell_size_m: f64) -> Vec<usize> {
    let Shape { rows, cols } = ground.shape;
    let all = (0..cols).map(|col| ground.shape.index(row, col));
    if row == 0 || row + 1 == rows || cols < 3 {
        return all.collect();
    }
    let heights = |row: usize| -> Vec<f64> {
        let start = ground.shape.index(row, 0);
        let cells = &ground.cells[start..start + cols];
        cells.iter().map(Cell::elevation_m).collect()
    };
    let (north, here, south) = (heights(row - 1), heights(row), heights(row + 1));
    all.zip(0..cols)
        .filter(|&(index, col)| {
            if col == 0 || col + 1 == cols || ground.cells[index].flags & (RIM | DRAIN) != 0 {
                return true;
            }
            let sum = (here[col + 1] + here[col - 1])
                + (south[col - 1] + north[col + 1])
                + (south[col] + north[col])
                + (south[col + 1] + north[col - 1]);
            (here[col] - sum / 8.0).abs() > LIMIT * cell_size_m
        })
        .map(|(index, _)| index)
        .collect()
}

/// The departure of a cell that has become a spike or a pit, m.
fn new_departure_m(ground: &Ground, index: usize, cell_size_m: f64) -> Option<f64> {
    let now = departure_m(ground, index, Cell::elevation_m)?;
    if now.abs() <= LIMIT * cell_size_m {
        return None;
    }
    let was = departure_m(ground, index, |cell| f64::from(cell.base_m))?.abs();
    (was <= EVEN * cell_size_m && was < now.abs()).then_some(now)
}

/// The pairs of opposite neighbours that both are ground of the map.
fn pairs(ground: &Ground, index: usize) -> impl Iterator<Item = [usize; 2]> {
    let (row, col) = ground.shape.position(index);
    let beside = move |d_row: isize, d_col: isize| {
        let row = row.checked_add_signed(d_row)?;
        let col = col.checked_add_signed(d_col)?;
        let inside = row < ground.shape.rows && col < ground.shape.cols;
        let index = inside.then(|| ground.shape.index(row, col))?;
        (ground.cells[index].flags & (VOID | APRON) == 0).then_some(index)
    };
    [(0, 1), (1, -1), (1, 0), (1, 1)]
        .into_iter()
        .filter_map(move |(r, c)| Some([beside(r, c)?, beside(-r, -c)?]))
}

/// How far a cell stands above the mean of its neighbours, m; none beyond the map and where it has none.
fn departure_m(ground: &Ground, index: usize, height: impl Fn(&Cell) -> f64) -> Option<f64> {
    let cell = &ground.cells[index];
    if cell.flags & (VOID | APRON) != 0 {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0);
    for pair in pairs(ground, index) {
        sum += pair
            .map(|other| height(&ground.cells[other]))
            .iter()
            .sum::<f64>();
        count += 2;
    }
    (count > 0).then(|| height(cell) - sum / f64::from(count))
}

/// Moves ground between a cell and its neighbours until its departure is smaller by `excess_m`.
fn even_out(ground: &mut Ground, index: usize, excess_m: f64) {
    let others: Vec<usize> = pairs(ground, index).flatten().collect();
    let share = (excess_m * 1e6 / (others.len() + 1) as f64).ceil() as i32;
    for other in others {
        let moved = ground.raise(other, share);
        let taken = ground.raise(index, -moved);
        // What the cell could not give, the neighbour cannot have.
        ground.raise(other, -(moved + taken));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edges;
    use ndarray::Array2;

    fn flat(cells: usize) -> Ground {
        let edges = Edges {
            apron_m: 0.0,
            ..Edges::default()
        };
        Ground::new(
            Array2::zeros((cells, cells)).view(),
            None,
            edges,
            None,
            10.0,
        )
    }

    #[test]
    fn a_spike_is_evened_out_and_its_ground_kept() {
        let mut ground = flat(9);
        let peak = ground.shape.index(4, 4);
        ground.cells[peak].change_um = 40_000_000;
        assert!(relieve_spikes(&mut ground, 10.0) > 0);
        for index in 0..ground.shape.len() {
            let departure = departure_m(&ground, index, Cell::elevation_m);
            assert!(departure.is_none_or(|d| d.abs() <= 10.0), "{departure:?}");
        }
        let sum: i64 = ground.cells.iter().map(|c| i64::from(c.change_um)).sum();
        assert_eq!(sum, 40_000_000);
    }

    #[test]
    fn what_was_there_before_stays() {
        let mut map = Array2::zeros((9, 9));
        map[(4, 4)] = 40.0;
        map[(7, 2)] = 9.9;
        let mut ground = Ground::new(map.view(), None, Edges::default(), None, 10.0);
        assert_eq!(relieve_spikes(&mut ground, 10.0), 0);
        assert!(ground.cells.iter().all(|c| c.change_um == 0));
    }
}
