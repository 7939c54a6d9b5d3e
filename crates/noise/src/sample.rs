use crate::NoiseError;
use crate::expression::Noise;
use crate::kernel::points::Points;
use crate::layer::Place;
use crate::lower::{Frame, IDENTITY, Lowering, Seeds};
use crate::math::{BLOCK, Block};
use crate::node::{Node, Scratch, padded};
use crate::raster::Extent;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayViewMut2, Axis};
use thalweg_grid::{Grid, StageKey, Window};
use thalweg_grid::{Instructions, Isa, kernels};

/// Raw values of a window of a grid, rows in parallel.
///
/// A value depends on the expression, the key and the world coordinates of its cell's centre, and on nothing
/// else: a window equals the same cells of the whole map, and overlapping grids agree, bit for bit, at any
/// number of threads and on any processor. To that end coordinates are rounded to 2⁻²⁰ m, so that grids of different
/// origin see the same number even where `origin + index × cell size` does not round alike. There is no period; detail
/// holds to 2⁴⁰ wavelengths from the origin of the coordinates. Only nodes that are normalised to their
/// observed range look at the whole grid.
///
/// # Errors
/// When a parameter is out of range, the window lies further away than that, or a lattice that is made as a whole has too
/// many nodes.
pub fn sample(
    noise: &Noise,
    grid: &Grid,
    window: Window,
    key: StageKey,
) -> Result<Array2<f32>, NoiseError> {
    sample_with(Instructions::Detected, noise, grid, window, key)
}

/// [`sample`] with chosen instructions, to compare them.
///
/// # Errors
/// As [`sample`].
pub fn sample_with(
    instructions: Instructions,
    noise: &Noise,
    grid: &Grid,
    window: Window,
    key: StageKey,
) -> Result<Array2<f32>, NoiseError> {
    let mut sampler = Sampler::new(noise, grid, window, key, 0.0)?;
    sampler.isa = Isa::of(instructions);
    let mut values = Array2::zeros(window.shape.dim());
    sampler.fill(0, values.view_mut());
    Ok(values)
}

/// An expression made ready for the cells of one window.
pub(crate) struct Sampler {
    root: Node,
    xs_m: Vec<f64>,
    ys_m: Vec<f64>,
    octaves: usize,
    shared: usize,
    /// Whether any node asks for places one by one.
    by_points: bool,
    isa: Isa,
}

/// The least and the largest value; of none, an interval that everything widens.
pub(crate) const NONE: [f32; 2] = [f32::INFINITY, f32::NEG_INFINITY];

impl Sampler {
    /// An expression `later_s` after each of the moments that it names, s.
    pub(crate) fn new(
        noise: &Noise,
        grid: &Grid,
        window: Window,
        key: StageKey,
        later_s: f64,
    ) -> Result<Self, NoiseError> {
        noise.check()?;
        Self::at(noise, grid, window, key, Seeds::default(), [0.0, later_s])
    }

    /// A part of an expression, before which `seeds` were drawn, at a moment that it names, s, or so much later.
    fn at(
        noise: &Noise,
        grid: &Grid,
        window: Window,
        key: StageKey,
        seeds: Seeds,
        [time_s, later_s]: [f64; 2],
    ) -> Result<Self, NoiseError> {
        let cols = window.col..window.col + window.shape.cols;
        let rows = window.row..window.row + window.shape.rows;
        let xs_m: Vec<f64> = cols.map(|col| rounded(grid.x_m(col))).collect();
        let ys_m: Vec<f64> = rows.map(|row| rounded(grid.y_m(row))).collect();
        let mut lowering = Lowering {
            key,
            xs_m: &xs_m,
            ys_m: &ys_m,
            seeds,
            later_s,
            octaves: 0,
            shared: Vec::new(),
            by_points: false,
            // Of the moment named: what is scaled by it must not flicker later on.
            observe: &|noise, seeds, time_s| observe(noise, grid, key, seeds, time_s),
        };
        let frame = Frame {
            affine: IDENTITY,
            extent: Extent {
                x_m: ends(&xs_m),
                y_m: ends(&ys_m),
            },
            on_map: true,
            time_s,
        };
        let root = lowering.node(noise, frame)?;
        let (octaves, shared, by_points) =
            (lowering.octaves, lowering.shared.len(), lowering.by_points);
        Ok(Self {
            root,
            xs_m,
            ys_m,
            octaves,
            shared,
            by_points,
            isa: Isa::detect(),
        })
    }

    /// Fills rows from `first` on, counted from the window's first row, and tells the least and largest value.
    pub(crate) fn fill(&self, first: usize, mut values: ArrayViewMut2<'_, f32>) -> [f32; 2] {
        values
            .axis_chunks_iter_mut(Axis(0), CHUNK)
            .into_par_iter()
            .enumerate()
            .map_init(
                || Scratch::new(self.isa, self.octaves, self.shared),
                |scratch, (chunk, rows)| self.chunk(first + chunk * CHUNK, rows, scratch),
            )
            .reduce(|| NONE, wider)
    }

    /// A few rows, strip by strip, so that lattice lines are used for many of them.
    fn chunk(
        &self,
        first: usize,
        mut values: ArrayViewMut2<'_, f32>,
        scratch: &mut Scratch,
    ) -> [f32; 2] {
        let mut block = [0.0; BLOCK];
        let (mut low, mut high) = ([NONE[0]; LANES], [NONE[1]; LANES]);
        for (strip, xs_m) in self.xs_m.chunks(BLOCK).enumerate() {
            scratch.next_strip();
            let mut points = Points {
                x_m: padded(xs_m),
                y_m: [0.0; BLOCK],
            };
            for (row, mut out) in values.axis_iter_mut(Axis(0)).enumerate() {
                scratch.next_row();
                let row = first + row;
                if self.by_points {
                    points.y_m.fill(self.ys_m[row]);
                }
                let place = Place::Map {
                    strip,
                    row,
                    points: &points,
                };
                self.root.eval(place, scratch, &mut block);
                extremes(self.isa, &block, &mut low, &mut high);
                let from = strip * BLOCK;
                // Rows of an array in standard layout are contiguous.
                if let Some(out) = out.as_slice_mut() {
                    out[from..from + xs_m.len()].copy_from_slice(&block[..xs_m.len()]);
                }
            }
        }
        let pairs = low.into_iter().zip(high);
        pairs.fold(NONE, |range, (low, high)| wider(range, [low, high]))
    }
}

/// Rows that a worker takes at a time: enough to use lattice lines again, few enough for many workers.
const CHUNK: usize = 64;

/// The range of a node over the cells of the whole grid.
fn observe(
    noise: &Noise,
    grid: &Grid,
    key: StageKey,
    seeds: Seeds,
    time_s: f64,
) -> Result<[f64; 2], NoiseError> {
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    let sampler = Sampler::at(noise, grid, whole, key, seeds, [time_s, 0.0])?;
    let mut range = NONE;
    // A few rows at a time: nothing of the size of the map is kept.
    let rows = CHUNK * rayon::current_num_threads();
    let mut values = Array2::zeros((rows, grid.shape.cols));
    for first in (0..grid.shape.rows).step_by(rows) {
        let rows = rows.min(grid.shape.rows - first);
        let part = values.slice_mut(ndarray::s![..rows, ..]);
        range = wider(range, sampler.fill(first, part));
    }
    Ok(range.map(f64::from))
}

/// The least and largest of both. The order in which they are taken does not matter.
pub(crate) fn wider(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [
        if b[0] < a[0] { b[0] } else { a[0] },
        if b[1] > a[1] { b[1] } else { a[1] },
    ]
}

/// Values of which the extremes are kept side by side.
const LANES: usize = 16;

kernels! {
    /// Takes a block into account. What fills one up repeats a value of it.
    fn extremes(block: &Block, low: &mut [f32; LANES], high: &mut [f32; LANES]) {
        // In locals, which stay in registers: conditional stores take longer than all the rest.
        let (mut least, mut most) = (*low, *high);
        for lanes in block.chunks_exact(LANES) {
            for k in 0..LANES {
                let v = lanes[k];
                least[k] = if v < least[k] { v } else { least[k] };
                most[k] = if v > most[k] { v } else { most[k] };
            }
        }
        (*low, *high) = (least, most);
    }
}

fn ends(coordinates_m: &[f64]) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    coordinates_m
        .iter()
        .fold(none, |[low, high], c_m| [low.min(*c_m), high.max(*c_m)])
}

/// A coordinate, m, rounded to 2⁻²⁰ m. No coordinate written with a few decimals lies half-way between two
/// steps.
fn rounded(coordinate_m: f64) -> f64 {
    const STEPS: f64 = (1_u64 << 20) as f64;
    (coordinate_m * STEPS).round() / STEPS
}

#[cfg(test)]
mod tests;
