//! Ground to run on.

use ndarray::Array2;
use thalweg_grid::{Grid, Map, Purpose, Shape, StageKey};

/// Side of a cell, m.
const CELL_SIZE_M: f64 = 10.0;
/// Wavelength, cells, and amplitude, m, of the broadest bumps. Each further octave has half of both.
const WAVELENGTH: f64 = 150.0;
const AMPLITUDE_M: f64 = 200.0;
const OCTAVES: u32 = 7;

/// Hills of fractal value noise, `size` × `size` cells of 10 m, other ones for each seed: no line of the map is
/// special, and no length below the broadest bumps'.
pub(crate) fn hills(size: usize, seed: u64) -> Map {
    let shape = Shape::new(size, size);
    let grid = Grid::new(shape, CELL_SIZE_M, [500_000.0, 5_200_000.0], None).expect("a grid");
    let mut elevation = Array2::zeros(shape.dim());
    for octave in 0..OCTAVES {
        let key = StageKey::new(seed, &format!("octave {octave}"));
        let share = 0.5f64.powi(octave as i32);
        for ((row, col), height) in elevation.indexed_iter_mut() {
            let scale = 1.0 / (WAVELENGTH * share);
            let bump = value_noise(key, [row as f64 * scale, col as f64 * scale]);
            *height += (AMPLITUDE_M * share * bump) as f32;
        }
    }
    Map::new(grid, elevation, None)
}

/// Random numbers in 0..1 on a lattice, with smooth transitions between them.
fn value_noise(key: StageKey, at: [f64; 2]) -> f64 {
    let [(row, south), (col, east)] = at.map(|x| (x.floor(), smooth(x - x.floor())));
    let corner = |r: f64, c: f64| {
        let bits = key.bits(Purpose::Noise, (row + r) as u64, (col + c) as u64);
        (bits >> 11) as f64 / (1u64 << 53) as f64
    };
    let along = |r: f64| corner(r, 0.0) * (1.0 - east) + corner(r, 1.0) * east;
    along(0.0) * (1.0 - south) + along(1.0) * south
}

fn smooth(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}
