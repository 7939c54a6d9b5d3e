//! What noise looks like as a whole: ranges, directions, spectra, seeds, smoothness, and random expressions.

mod expressions;
mod fourier;
mod interpolation;
mod isotropy;
mod oracle;
mod range;
mod seeds;
mod spectrum;

use ndarray::Array2;
use thalweg_grid::{Grid, Shape, StageKey, Window};
use thalweg_noise::{Noise, Plain, Source, Sum, sample};

/// Every sum of octaves. The last, slope-damped one, is of gradient noise alone.
const SUMS: [fn(Sum) -> Noise; 8] = [
    Noise::Fbm,
    Noise::Billow,
    Noise::Turbulence,
    Noise::Ridged,
    Noise::Hybrid,
    Noise::Heterogeneous,
    Noise::PingPong,
    Noise::Eroded,
];

fn grid(rows: usize, cols: usize, cell_m: f64) -> Grid {
    Grid::new(
        Shape::new(rows, cols),
        cell_m,
        [431_000.0, 5_312_000.0],
        None,
    )
    .unwrap()
}

/// A map of cells of 1 m.
fn map(noise: &Noise, size: usize, seed: u64) -> Array2<f32> {
    let grid = grid(size, size, 1.0);
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    sample(noise, &grid, whole, StageKey::new(seed, "base")).unwrap()
}

fn plain(source: Source, wavelength_m: f64) -> Noise {
    Noise::Plain(Plain::new(source, wavelength_m))
}

fn sum(wavelength_m: f64, octaves: u32, gain: f64) -> Sum {
    Sum {
        octaves,
        gain,
        ..Sum::new(Source::Perlin, wavelength_m)
    }
}

/// Pearson's correlation.
fn correlation(a: &Array2<f32>, b: &Array2<f32>) -> f64 {
    let mean = |of: &Array2<f32>| of.iter().map(|v| f64::from(*v)).sum::<f64>() / of.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let mut sums = [0.0; 3];
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (f64::from(*x) - ma, f64::from(*y) - mb);
        sums = [sums[0] + x * y, sums[1] + x * x, sums[2] + y * y];
    }
    sums[0] / (sums[1] * sums[2]).sqrt()
}

fn std(values: &Array2<f32>) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
    (values
        .iter()
        .map(|v| (f64::from(*v) - mean).powi(2))
        .sum::<f64>()
        / n)
        .sqrt()
}
