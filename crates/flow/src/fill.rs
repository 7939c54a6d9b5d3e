//! Depression filling by priority-flood.

use crate::height::Lowest;
use crate::{FlowError, heights};
use ndarray::{Array2, ArrayView2};
use thalweg_grid::Shape;

/// The surface of the map with every depression filled to its outlet: the lowest surface at or above the
/// ground from which no water stands. Cells on the map's edge and beside cells without data are outlets; cells
/// without data keep what they hold.
///
/// Priority-flood with a plain queue for what lies below the flood (Barnes, Lehman & Mulla 2014,
/// doi:10.1016/j.cageo.2013.04.024); O(n log n) in cells.
///
/// # Errors
/// When the mask has another shape, or a cell with data is not finite.
pub fn fill<T: Copy + Into<f64>>(
    elevation: ArrayView2<'_, T>,
    valid: Option<ArrayView2<'_, bool>>,
) -> Result<Array2<T>, FlowError> {
    let shape = Shape::from(elevation.dim());
    let heights = heights(elevation, valid, f64::INFINITY)?;
    let outlets = (0..heights.len()).filter(|&cell| is_outlet(shape, &heights, cell));
    let from = flood(shape, |cell| heights[cell], outlets, |_, _| ());
    let level = |(row, col)| elevation[shape.position(from[shape.index(row, col)])];
    Ok(Array2::from_shape_fn(shape.dim(), level))
}

/// For each cell the cell whose height its filled surface has: itself, or the outlet of its depression. Tells each
/// other cell and from which it was reached. Cells of infinite height are reached only as outlets.
pub(crate) fn flood(
    shape: Shape,
    height: impl Fn(usize) -> f64,
    outlets: impl Iterator<Item = usize>,
    mut reach: impl FnMut(usize, usize),
) -> Vec<usize> {
    let mut from: Vec<usize> = (0..shape.len()).collect();
    let mut reached: Vec<bool> = from
        .iter()
        .map(|&cell| height(cell).is_infinite())
        .collect();
    let mut open = Lowest::default();
    for cell in outlets {
        reached[cell] = true;
        open.push(height(cell), cell);
    }
    let mut below = Vec::new();
    while let Some(cell) = below.pop().or_else(|| open.pop().map(|at| at.cell)) {
        let level = from[cell];
        let level_m = height(level);
        for other in shape.neighbours(cell) {
            if std::mem::replace(&mut reached[other], true) {
                continue;
            }
            reach(other, cell);
            let other_m = height(other);
            if other_m <= level_m {
                from[other] = level;
                below.push(other);
            } else {
                open.push(other_m, other);
            }
        }
    }
    from
}

/// Whether a cell with data lies on the map's edge or beside a cell without.
fn is_outlet(shape: Shape, heights: &[f64], cell: usize) -> bool {
    let inner = |other: usize| heights[other].is_finite();
    inner(cell) && shape.neighbours(cell).filter(|&other| inner(other)).count() < 8
}

#[cfg(test)]
mod tests {
    use super::fill;
    use ndarray::{Array2, array};

    #[test]
    fn a_depression_fills_to_its_lowest_outlet() {
        let map = array![
            [9.0, 9.0, 9.0, 9.0, 9.0],
            [9.0, 1.0, 6.0, 2.0, 9.0],
            [9.0, 9.0, 9.0, 9.0, 7.0],
        ];
        let filled = array![
            [9.0, 9.0, 9.0, 9.0, 9.0],
            [9.0, 7.0, 7.0, 7.0, 9.0],
            [9.0, 9.0, 9.0, 9.0, 7.0],
        ];
        assert_eq!(fill(map.view(), None).unwrap(), filled);
    }

    #[test]
    fn water_runs_into_cells_without_data() {
        let mut map = Array2::from_elem((5, 5), 9.0_f32);
        map[(2, 2)] = 1.0;
        map[(1, 1)] = f32::NAN;
        let mut valid = Array2::from_elem((5, 5), true);
        valid[(1, 1)] = false;
        let filled = fill(map.view(), Some(valid.view())).unwrap();
        assert!((filled[(2, 2)] - 1.0).abs() < 1e-6);
        assert!(filled[(1, 1)].is_nan());
    }

    /// The definition, relaxed until it holds (Planchon & Darboux 2002): an oracle that shares no code.
    fn relaxed(map: &Array2<f64>) -> Array2<f64> {
        let (rows, cols) = map.dim();
        let inner = |r: usize, c: usize| r > 0 && c > 0 && r + 1 < rows && c + 1 < cols;
        let mut level =
            Array2::from_shape_fn(
                map.dim(),
                |(r, c)| {
                    if inner(r, c) { f64::MAX } else { map[(r, c)] }
                },
            );
        loop {
            let before = level.clone();
            for (r, c) in (1..rows - 1).flat_map(|r| (1..cols - 1).map(move |c| (r, c))) {
                let around = level.slice(ndarray::s![r - 1..=r + 1, c - 1..=c + 1]);
                let lowest = around.iter().copied().fold(f64::MAX, f64::min);
                level[(r, c)] = map[(r, c)].max(lowest);
            }
            if level == before {
                return level;
            }
        }
    }

    #[test]
    fn any_map_fills_as_the_definition_says() {
        let mut state = 1_u64;
        for size in 3..20 {
            let map = Array2::from_shape_fn((size, size + 3), |_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                ((state >> 33) % 8) as f64
            });
            assert_eq!(fill(map.view(), None).unwrap(), relaxed(&map), "{map}");
        }
    }
}
