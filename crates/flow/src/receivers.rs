//! D8 receivers: the neighbour that a cell's water runs to.

use crate::{FlowError, heights};
use ndarray::{Array2, ArrayView2};
use std::f64::consts::FRAC_1_SQRT_2;
use thalweg_grid::Shape;

/// The neighbour down the steepest descent of one cell: the largest drop ÷ distance, where a diagonal is √2
/// long (O'Callaghan & Mark 1984, doi:10.1016/S0734-189X(84)80011-0). Among equals the lowest index wins; none
/// where no neighbour is lower.
///
/// `elevation` gives a cell's height by row-major index; infinite heights are walls (+) and sinks (−).
pub fn receiver(shape: Shape, cell: usize, elevation: impl Fn(usize) -> f64) -> Option<usize> {
    let height = elevation(cell);
    let (mut best, mut steepest) = (None, 0.0);
    let mut look = |other: usize, diagonal: bool| {
        let drop = height - elevation(other);
        let slope = if diagonal { drop * FRAC_1_SQRT_2 } else { drop };
        if slope > steepest {
            (best, steepest) = (Some(other), slope);
        }
    };
    if shape.is_inner(cell) {
        let (north, south) = (cell - shape.cols, cell + shape.cols);
        look(north - 1, true);
        look(north, false);
        look(north + 1, true);
        look(cell - 1, false);
        look(cell + 1, false);
        look(south - 1, true);
        look(south, false);
        look(south + 1, true);
    } else {
        let (row, col) = shape.position(cell);
        for other in shape.neighbours(cell) {
            let (r, c) = shape.position(other);
            look(other, r != row && c != col);
        }
    }
    best
}

/// The D8 receiver of every cell as a row-major index; a cell without a lower neighbour, or without data, is
/// its own. Cells without data receive nothing.
///
/// # Errors
/// When the mask has another shape, or a cell with data is not finite.
pub fn receivers<T: Copy + Into<f64>>(
    elevation: ArrayView2<'_, T>,
    valid: Option<ArrayView2<'_, bool>>,
) -> Result<Array2<usize>, FlowError> {
    let shape = Shape::from(elevation.dim());
    let heights = heights(elevation, valid, f64::INFINITY)?;
    let of = |(row, col)| {
        let cell = shape.index(row, col);
        // A wall's own drop would be infinite or undefined.
        let flows = heights[cell].is_finite();
        let to = flows.then(|| receiver(shape, cell, |c| heights[c]));
        to.flatten().unwrap_or(cell)
    };
    Ok(Array2::from_shape_fn(shape.dim(), of))
}

#[cfg(test)]
mod tests {
    use super::{receiver, receivers};
    use crate::FlowError;
    use ndarray::{Array2, array};
    use thalweg_grid::Shape;

    #[test]
    fn a_diagonal_counts_by_its_length() {
        // Drop 1.4 over √2 is less steep than 1.0 over 1; 1.5 over √2 is steeper.
        let gentle = array![[5.0, 5.0, 5.0], [5.0, 2.0, 1.0], [5.0, 5.0, 0.6]];
        assert_eq!(receivers(gentle.view(), None).unwrap()[(1, 1)], 5);
        let steep = array![[5.0, 5.0, 5.0], [5.0, 2.0, 1.0], [5.0, 5.0, 0.5]];
        assert_eq!(receivers(steep.view(), None).unwrap()[(1, 1)], 8);
    }

    #[test]
    fn ties_go_to_the_lowest_index_and_pits_to_themselves() {
        let map = array![[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]];
        let found = receivers(map.view(), None).unwrap();
        assert_eq!(found, array![[1, 1, 1], [3, 1, 5], [3, 7, 5]]);
    }

    #[test]
    fn two_columns_do_not_mix_up_rows_and_diagonals() {
        // Indices 1 and 2 differ by one and are diagonal neighbours.
        let map = [9.0, 2.0, 0.7, 1.0];
        assert_eq!(receiver(Shape::new(2, 2), 1, |c| map[c]), Some(3));
    }

    #[test]
    fn cells_without_data_receive_nothing() {
        let map = array![[3.0_f32, f32::NAN, 2.0]];
        let valid = array![[true, false, true]];
        let found = receivers(map.view(), Some(valid.view())).unwrap();
        assert_eq!(found, array![[0, 1, 2]]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let map = array![[0.0, f64::NAN]];
        let bad = receivers(map.view(), None).unwrap_err();
        assert!(bad.to_string().contains("row 0, col 1"), "{bad}");
        let mask = Array2::from_elem((2, 1), true);
        let bad = receivers(map.view(), Some(mask.view())).unwrap_err();
        assert!(matches!(bad, FlowError::Mask { .. }));
    }
}
