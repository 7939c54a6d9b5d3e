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
    check_elevation(elevation_m)?;
    let (values, observed) = raw(noise, grid, key, 0.0, observer)?;
    Ok(Scale::new(noise, elevation_m, range, observed).apply(values))
}

/// A map's ground at any moment, on the scale that it has at the moments which its expression names: what
/// [`synthesize`] gives, and then how it changes.
#[derive(Debug, Clone)]
pub struct Film<'a> {
    noise: &'a Noise,
    grid: &'a Grid,
    key: StageKey,
    scale: Scale,
}

impl<'a> Film<'a> {
    /// A film of the map that [`synthesize`] makes of the same arguments. With [`Range::Observed`], the map is evaluated
    /// once for its range.
    ///
    /// # Errors
    /// As [`synthesize`].
    pub fn new(
        noise: &'a Noise,
        grid: &'a Grid,
        elevation_m: [f64; 2],
        range: Range,
        key: StageKey,
        observer: &dyn Observer,
    ) -> Result<Self, NoiseError> {
        check_elevation(elevation_m)?;
        let observed = match range {
            Range::Observed => raw(noise, grid, key, 0.0, observer)?.1,
            Range::Theoretical => NONE,
        };
        let scale = Scale::new(noise, elevation_m, range, observed);
        Ok(Self {
            noise,
            grid,
            key,
            scale,
        })
    }

    /// Elevation, m, so much later than the moments that the expression names, s. At 0 it is that of [`synthesize`]; later
    /// on values may go beyond a range that was observed.
    ///
    /// # Errors
    /// When the observer cancels.
    pub fn frame(&self, later_s: f64, observer: &dyn Observer) -> Result<Array2<f32>, NoiseError> {
        let (values, _) = raw(self.noise, self.grid, self.key, later_s, observer)?;
        Ok(self.scale.apply(values))
    }
}

fn check_elevation(elevation_m: [f64; 2]) -> Result<(), NoiseError> {
    let [lowest_m, highest_m] = elevation_m;
    let fits_f32 = elevation_m.iter().all(|&e_m| (e_m as f32).is_finite());
    if fits_f32 && lowest_m <= highest_m {
        return Ok(());
    }
    Err(NoiseError::Elevation { found: elevation_m })
}

/// From raw values to metres.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// The raw value that becomes the lowest elevation.
    from: f64,
    lowest_m: f64,
    metres: f64,
}

impl Scale {
    fn new(
        noise: &Noise,
        [lowest_m, highest_m]: [f64; 2],
        range: Range,
        observed: [f32; 2],
    ) -> Self {
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
        Self {
            from: from[0],
            lowest_m,
            metres: (highest_m - lowest_m) / width,
        }
    }

    fn apply(self, mut values: Array2<f32>) -> Array2<f32> {
        let elevation =
            |value: f32| (self.lowest_m + (f64::from(value) - self.from) * self.metres) as f32;
        values.par_mapv_inplace(elevation);
        values
    }
}

/// Raw values of the whole map and their range, in blocks of rows between which the observer is asked.
fn raw(
    noise: &Noise,
    grid: &Grid,
    key: StageKey,
    later_s: f64,
    observer: &dyn Observer,
) -> Result<(Array2<f32>, [f32; 2]), NoiseError> {
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    let sampler = Sampler::new(noise, grid, whole, key, later_s)?;
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
