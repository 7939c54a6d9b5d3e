//! What several tests use.

use crate::{Noise, Source, Sum};
use ndarray::Array2;
use thalweg_grid::{Grid, Shape, Window};

pub(crate) const SOURCES: [Source; 5] = [
    Source::Perlin,
    Source::Simplex,
    Source::OpenSimplex,
    Source::Value,
    Source::Worley,
];

pub(crate) fn plain(source: Source, wavelength_m: f64) -> Noise {
    match source {
        Source::Perlin => Noise::Perlin { wavelength_m },
        Source::Simplex => Noise::Simplex { wavelength_m },
        Source::OpenSimplex => Noise::OpenSimplex { wavelength_m },
        Source::Value => Noise::Value { wavelength_m },
        Source::Worley => Noise::Worley { wavelength_m },
    }
}

pub(crate) fn sum(source: Source, wavelength_m: f64, octaves: u32) -> Sum {
    Sum {
        source,
        wavelength_m,
        octaves,
        lacunarity: 2.0,
        gain: 0.5,
    }
}

/// Every source alone and in every sum.
pub(crate) fn every_kind(wavelength_m: f64, octaves: u32) -> Vec<Noise> {
    let kinds = [Noise::Fbm, Noise::Billow, Noise::Ridged, Noise::Turbulence];
    let mut all: Vec<Noise> = SOURCES.iter().map(|&s| plain(s, wavelength_m)).collect();
    for kind in kinds {
        all.extend(SOURCES.iter().map(|&s| kind(sum(s, wavelength_m, octaves))));
    }
    all
}

pub(crate) fn grid(shape: Shape, cell_size_m: f64, origin_m: [f64; 2]) -> Grid {
    Grid::new(shape, cell_size_m, origin_m, None).unwrap()
}

pub(crate) fn window(row: usize, col: usize, rows: usize, cols: usize) -> Window {
    Window {
        row,
        col,
        shape: Shape::new(rows, cols),
    }
}

pub(crate) fn whole(grid: &Grid) -> Window {
    window(0, 0, grid.shape.rows, grid.shape.cols)
}

pub(crate) fn bits(values: &Array2<f32>) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Mean and population standard deviation.
pub(crate) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

/// Pearson's correlation.
pub(crate) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let ((mean_a, std_a), (mean_b, std_b)) = (moments(a), moments(b));
    let products = a.iter().zip(b).map(|(x, y)| (x - mean_a) * (y - mean_b));
    products.sum::<f64>() / a.len() as f64 / (std_a * std_b)
}
