use crate::sample::Sampler;
use crate::{Noise, NoiseError};
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView2, Axis, s};
use thalweg_grid::{Grid, Observer, Progress, Shape, StageKey, Window};

/// Which raw values the ends of an elevation range stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Range {
    /// The least and the largest value of this very map: the elevations mean what they say. Maps that overlap
    /// then differ in scale.
    #[default]
    Observed,
    /// The formula's bounds: the same for every map, so that overlapping maps agree bit for bit. Sums of
    /// octaves use about the middle half of the range.
    Theoretical,
}

/// A whole map's elevation, m: raw values of `noise`, with `range` mapped to `elevation_m` (lowest, highest).
///
/// With [`Range::Observed`] the map's extremes are the given elevations. A map whose raw values are all the
/// same (one cell, say) has no observed range and takes the theoretical one. The same bits at any number of
/// threads.
///
/// # Errors
/// When a parameter is out of range, the elevations are not a range, the map is too far from the origin (see
/// [`sample`](crate::sample)), or the observer, which is told rows, cancels.
pub fn synthesize(
    noise: &Noise,
    grid: &Grid,
    elevation_m: [f64; 2],
    range: Range,
    key: StageKey,
    observer: &dyn Observer,
) -> Result<Array2<f32>, NoiseError> {
    let [lowest_m, highest_m] = elevation_m;
    let fits_f32 = elevation_m.iter().all(|&e_m| (e_m as f32).is_finite());
    if !(fits_f32 && lowest_m <= highest_m) {
        return Err(NoiseError::Elevation { found: elevation_m });
    }
    let mut values = raw(noise, grid, key, observer)?;
    let theoretical = noise.theoretical_range();
    let from = match range {
        Range::Theoretical => theoretical,
        Range::Observed => observed(values.view()).unwrap_or(theoretical),
    };
    let scale = (highest_m - lowest_m) / (from[1] - from[0]);
    values.par_mapv_inplace(|value| (lowest_m + (f64::from(value) - from[0]) * scale) as f32);
    Ok(values)
}

/// Raw values of the whole map, in blocks of rows between which the observer is asked.
fn raw(
    noise: &Noise,
    grid: &Grid,
    key: StageKey,
    observer: &dyn Observer,
) -> Result<Array2<f32>, NoiseError> {
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    let sampler = Sampler::new(noise, grid, whole, key)?;
    let mut values = Array2::zeros(grid.shape.dim());
    let (rows, block) = (grid.shape.rows, block_rows(grid.shape));
    for first in (0..rows).step_by(block) {
        if observer.cancelled() {
            return Err(NoiseError::Cancelled);
        }
        let end = (first + block).min(rows);
        sampler.fill(first, values.slice_mut(s![first..end, ..]));
        observer.progress(Progress {
            done: end as u64,
            total: rows as u64,
            droplets: 0,
        });
    }
    Ok(values)
}

/// About a million cells: a tenth of a second on a core, enough rows for many of them.
fn block_rows(shape: Shape) -> usize {
    ((1 << 20) / shape.cols).max(1)
}

/// The least and the largest value, unless they are equal.
fn observed(values: ArrayView2<'_, f32>) -> Option<[f64; 2]> {
    let [low, high] = values
        .axis_iter(Axis(0))
        .into_par_iter()
        .map(|row| row.fold(NONE, |[low, high], &v| [low.min(v), high.max(v)]))
        .reduce(|| NONE, |a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    (low < high).then(|| [f64::from(low), f64::from(high)])
}

/// The range of no values. Least and largest do not depend on the order in which they are taken.
const NONE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

#[cfg(test)]
mod tests;
