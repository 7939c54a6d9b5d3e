//! Ground to run on.

use ndarray::Array2;
use thalweg_grid::{Grid, Map, Shape};

/// A map of a height function of row and column.
pub(crate) fn map_of(
    shape: Shape,
    cell_size_m: f64,
    height_m: impl Fn(usize, usize) -> f64,
) -> Map {
    let grid = Grid::new(shape, cell_size_m, [500_000.0, 5_200_000.0], None).expect("a grid");
    let height = |(row, col)| height_m(row, col) as f32;
    Map::new(grid, Array2::from_shape_fn(shape.dim(), height), None)
}

/// Rough ground with valleys, ridges and pits, around 400 m.
pub(crate) fn rough(row: usize, col: usize) -> f64 {
    let (row, col) = (row as f64, col as f64);
    let wave = |a: f64, b: f64, length: f64| libm::sin((a * row + b * col) / length);
    let pebble = libm::sin(12.9898 * row + 78.233 * col) * 43_758.547;
    400.0
        + 60.0 * wave(1.0, 0.3, 17.0) * wave(-0.4, 1.0, 23.0)
        + 15.0 * wave(0.7, -0.9, 5.3)
        + 4.0 * wave(0.2, 1.0, 1.9)
        + 2.0 * (pebble - pebble.floor())
}

/// A cone of slope 0.35 on cells of 10 m, with its top between four cells.
pub(crate) fn cone(size: usize) -> impl Fn(usize, usize) -> f64 {
    let middle = size as f64 / 2.0 - 0.5;
    move |row, col| {
        let (south, east) = (row as f64 - middle, col as f64 - middle);
        900.0 - 3.5 * (south * south + east * east).sqrt()
    }
}

/// Whole metres as little-endian i16, 96 × 96 cells of 30 m: see `../reference/data/README.md`.
const MOUNTAINS: &[u8] = include_bytes!("../reference/data/bigtujunga_96x96_i16le.bin");

/// 96 × 96 cells of the San Gabriel Mountains, 30 m each.
pub(crate) fn mountains() -> Map {
    map_of(Shape::new(96, 96), 30.0, |row, col| {
        let at = 2 * (96 * row + col);
        f64::from(i16::from_le_bytes([MOUNTAINS[at], MOUNTAINS[at + 1]]))
    })
}
