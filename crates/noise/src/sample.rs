use crate::layer::{Layer, Scratch};
use crate::octave::REACH;
use crate::{Noise, NoiseError};
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayViewMut2, Axis};
use thalweg_grid::{Grid, StageKey, Window};

/// Raw values of a window of a grid, rows in parallel.
///
/// A value depends on the expression, the key and the world coordinates of its cell's centre, and on nothing
/// else: a window equals the same cells of the whole map, and overlapping grids agree, bit for bit, at any
/// number of threads. To that end coordinates are rounded to 2⁻²⁰ m, so that grids of different origin see the
/// same number even where `origin + index × cell size` does not round alike. There is no period; detail holds
/// to 2⁴⁰ wavelengths from the origin of the coordinates.
///
/// # Errors
/// When a parameter is out of range, or the window lies further away than that.
pub fn sample(
    noise: &Noise,
    grid: &Grid,
    window: Window,
    key: StageKey,
) -> Result<Array2<f32>, NoiseError> {
    let sampler = Sampler::new(noise, grid, window, key)?;
    let mut values = Array2::zeros(window.shape.dim());
    sampler.fill(0, values.view_mut());
    Ok(values)
}

/// An expression made ready for the cells of one window.
pub(crate) struct Sampler {
    layer: Layer,
    xs_m: Vec<f64>,
    ys_m: Vec<f64>,
}

impl Sampler {
    pub(crate) fn new(
        noise: &Noise,
        grid: &Grid,
        window: Window,
        key: StageKey,
    ) -> Result<Self, NoiseError> {
        noise.check()?;
        let layer = Layer::new(noise, key);
        let cols = window.col..window.col + window.shape.cols;
        let rows = window.row..window.row + window.shape.rows;
        let sampler = Self {
            layer,
            xs_m: cols.map(|col| rounded(grid.x_m(col))).collect(),
            ys_m: rows.map(|row| rounded(grid.y_m(row))).collect(),
        };
        sampler.check_reach()?;
        Ok(sampler)
    }

    /// Fills rows from `first` on, counted from the window's first row.
    pub(crate) fn fill(&self, first: usize, mut values: ArrayViewMut2<'_, f32>) {
        values
            .axis_iter_mut(Axis(0))
            .into_par_iter()
            .enumerate()
            .for_each_init(Scratch::default, |scratch, (row, mut out)| {
                // Rows of an array in standard layout are contiguous.
                if let Some(out) = out.as_slice_mut() {
                    self.layer
                        .row(&self.xs_m, self.ys_m[first + row], scratch, out);
                }
            });
    }

    fn check_reach(&self) -> Result<(), NoiseError> {
        let coordinates = self.xs_m.iter().chain(&self.ys_m);
        let distance_m = coordinates.fold(0.0_f64, |far, c_m| far.max(c_m.abs()));
        let finest_m = self.layer.finest_m();
        // Written so that a quotient that is not a number is refused as well.
        if distance_m / finest_m <= REACH {
            return Ok(());
        }
        Err(NoiseError::TooFar {
            finest_m,
            distance_m,
        })
    }
}

/// A coordinate, m, rounded to 2⁻²⁰ m. No coordinate written with a few decimals lies half-way between two
/// steps.
fn rounded(coordinate_m: f64) -> f64 {
    const STEPS: f64 = (1_u64 << 20) as f64;
    (coordinate_m * STEPS).round() / STEPS
}

#[cfg(test)]
mod tests;
