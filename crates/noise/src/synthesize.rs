use crate::sample::{NONE, Sampler, wider};
use crate::{Noise, NoiseError};
use ndarray::{Array2, s};
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
    let (mut values, observed) = raw(noise, grid, key, observer)?;
    let from = match range {
        Range::Observed if observed[0] < observed[1] => observed.map(f64::from),
        _ => noise.theoretical_range(),
    };
    // A constant has no range at all: it is as low as it is high.
    let width = if from[0] < from[1] {
        from[1] - from[0]
    } else {
        1.0
    };
    let scale = (highest_m - lowest_m) / width;
    values.par_mapv_inplace(|value| (lowest_m + (f64::from(value) - from[0]) * scale) as f32);
    Ok(values)
}

/// Raw values of the whole map and their range, in blocks of rows between which the observer is asked.
fn raw(
    noise: &Noise,
    grid: &Grid,
    key: StageKey,
    observer: &dyn Observer,
) -> Result<(Array2<f32>, [f32; 2]), NoiseError> {
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    let sampler = Sampler::new(noise, grid, whole, key)?;
    let mut values = Array2::zeros(grid.shape.dim());
    let (rows, block) = (grid.shape.rows, block_rows(grid.shape));
    let mut range = NONE;
    for first in (0..rows).step_by(block) {
        if observer.cancelled() {
            return Err(NoiseError::Cancelled);
        }
        let end = (first + block).min(rows);
        range = wider(
            range,
            sampler.fill(first, values.slice_mut(s![first..end, ..])),
        );
        observer.progress(Progress {
            done: end as u64,
            total: rows as u64,
            droplets: 0,
        });
    }
    Ok((values, range))
}

/// About a million cells: a tenth of a second on a core, enough rows for many of them.
fn block_rows(shape: Shape) -> usize {
    ((1 << 20) / shape.cols).max(1)
}

#[cfg(test)]
mod tests;
