//! A receiver for every cell, all the way to the rim, and the cells above each.

use crate::fill::fill;
use crate::{FlowError, receiver};
use ndarray::{Array2, ArrayView2};
use std::collections::VecDeque;
use thalweg_grid::Shape;

/// Where every cell's water runs, and how much ground lies above.
#[derive(Debug, Clone, PartialEq)]
pub struct Drainage {
    pub(super) shape: Shape,
    /// The surface with its depressions filled, row-major; not a number without data.
    pub(super) level: Vec<f64>,
    /// Whose water runs to which cell; mouths and cells without data are their own.
    pub(super) to: Vec<usize>,
    /// Cells with data, none before one whose water runs to it.
    pub(super) downstream: Vec<usize>,
    /// Flow accumulation in cells, the cell itself included; 0 without data.
    pub(super) above: Vec<u64>,
}

/// Drains a surface, the ground or the water where there is any, by D8: to the steepest lower neighbour on the surface
/// with its depressions filled, and across what is flat there by the fewest steps to where it goes down. Cells on the
/// map's edge and beside cells without data that have no lower neighbour are mouths, and so are `sinks`, row-major indices
/// of cells where water stays: their depressions are not filled above them. O(n log n) in cells.
///
/// # Errors
/// When the mask has another shape, or a cell with data is not finite.
///
/// # Panics
/// When a sink is no cell of the surface.
pub fn drainage<T: Copy + Into<f64>>(
    surface: ArrayView2<'_, T>,
    valid: Option<ArrayView2<'_, bool>>,
    sinks: &[usize],
) -> Result<Drainage, FlowError> {
    let shape = Shape::from(surface.dim());
    if let Some(mask) = valid.filter(|mask| mask.dim() != surface.dim()) {
        return Err(FlowError::Mask {
            expected: shape,
            found: mask.dim().into(),
        });
    }
    let data = |at| valid.is_none_or(|mask| mask[at]);
    let sinks: Vec<usize> = (sinks.iter().copied())
        .filter(|sink| data(shape.position(*sink)))
        .collect();
    // Water runs off into cells without data.
    let mut open = Array2::from_shape_fn(shape.dim(), data);
    for sink in &sinks {
        open[shape.position(*sink)] = false;
    }
    let filled = fill(surface, Some(open.view()))?;
    let cells = filled.indexed_iter();
    let level: Vec<f64> = cells
        .map(|(at, value)| if data(at) { (*value).into() } else { f64::NAN })
        .collect();
    let to = receivers(shape, &level, &sinks);
    let (downstream, above) = accumulate(&level, &to);
    Ok(Drainage {
        shape,
        level,
        to,
        downstream,
        above,
    })
}

/// Receivers on a surface without depressions.
fn receivers(shape: Shape, level: &[f64], sinks: &[usize]) -> Vec<usize> {
    let wall = |cell: usize| {
        if level[cell].is_nan() {
            f64::INFINITY
        } else {
            level[cell]
        }
    };
    let mut to: Vec<usize> = (0..level.len()).collect();
    let mut found = vec![false; level.len()];
    let mut waiting = VecDeque::new();
    for sink in sinks {
        found[*sink] = true;
        waiting.push_back(*sink);
    }
    for cell in 0..level.len() {
        if level[cell].is_nan() || found[cell] {
            continue;
        }
        let lower = receiver(shape, cell, wall);
        if lower.is_some() || is_rim(shape, level, cell) {
            to[cell] = lower.unwrap_or(cell);
            found[cell] = true;
            waiting.push_back(cell);
        }
    }
    // From where flats go down, step by step into them.
    while let Some(cell) = waiting.pop_front() {
        for other in shape.neighbours(cell) {
            let flat = (level[other] - level[cell]).abs() == 0.0;
            if flat && !std::mem::replace(&mut found[other], true) {
                to[other] = cell;
                waiting.push_back(other);
            }
        }
    }
    to
}

fn is_rim(shape: Shape, level: &[f64], cell: usize) -> bool {
    let inner = shape.neighbours(cell).filter(|&at| !level[at].is_nan());
    inner.count() < 8
}

/// Cells in the order of their water, and how many lie above each.
fn accumulate(level: &[f64], to: &[usize]) -> (Vec<usize>, Vec<u64>) {
    let mut donors = vec![0_u8; to.len()];
    for (cell, &next) in to.iter().enumerate() {
        donors[next] += u8::from(next != cell);
    }
    let data = |cell: &usize| !level[*cell].is_nan();
    let mut above: Vec<u64> = (0..to.len()).map(|cell| u64::from(data(&cell))).collect();
    let mut order: Vec<usize> = (0..to.len())
        .filter(|cell| data(cell) && donors[*cell] == 0)
        .collect();
    let mut done = 0;
    while let Some(&cell) = order.get(done) {
        done += 1;
        let next = to[cell];
        if next == cell {
            continue;
        }
        above[next] += above[cell];
        donors[next] -= 1;
        if donors[next] == 0 {
            order.push(next);
        }
    }
    (order, above)
}

impl Drainage {
    /// Flow accumulation: cells whose water passes a cell, itself included; 0 without data.
    #[must_use]
    pub fn cells_above(&self) -> Array2<u64> {
        Array2::from_shape_fn(self.shape.dim(), |(row, col)| {
            self.above[self.shape.index(row, col)]
        })
    }

    /// The surface with its depressions filled, by row-major index; not a number without data.
    #[must_use]
    pub fn level(&self, cell: usize) -> f64 {
        self.level[cell]
    }

    /// The cell to which a cell's water runs, by row-major index; a mouth's is its own.
    #[must_use]
    pub fn to(&self, cell: usize) -> usize {
        self.to[cell]
    }

    /// Numbers of basins, from 1 in the order of their mouths, of at least so many cells; 0 for all other cells.
    /// With them the mouths, the first that of number 1.
    #[must_use]
    pub fn basins(&self, least_cells: u64) -> (Array2<u32>, Vec<usize>) {
        let is_mouth = |cell: &usize| self.to[*cell] == *cell && self.above[*cell] >= least_cells;
        // A cell without data has none above, not even itself.
        let mouths: Vec<usize> = (0..self.to.len())
            .filter(|cell| self.above[*cell] > 0 && is_mouth(cell))
            .collect();
        let mut basin = vec![0; self.to.len()];
        for (number, mouth) in (1..).zip(&mouths) {
            basin[*mouth] = number;
        }
        for &cell in self.downstream.iter().rev() {
            basin[cell] = basin[self.to[cell]];
        }
        let basins = Array2::from_shape_fn(self.shape.dim(), |(row, col)| {
            basin[self.shape.index(row, col)]
        });
        (basins, mouths)
    }
}
