//! Maps to run on.

use ndarray::Array2;
use thalweg_grid::{Grid, Map, Shape};

/// Edge of a cell, m.
pub(crate) const CELL_M: f64 = 10.0;

/// A map of a height function, m, of row and column.
pub(crate) fn map_of(shape: Shape, height_m: impl Fn(f64, f64) -> f64) -> Map {
    let grid = Grid::new(shape, CELL_M, [500_000.0, 5_200_000.0], None).unwrap();
    let height = |(row, col)| height_m(row as f64, col as f64) as f32;
    Map::new(grid, Array2::from_shape_fn(shape.dim(), height), None)
}
