//! What several tests use.

use crate::{
    Cells, Evolution, Interpolation, Metric, Noise, Plain, Source, Sum, Value, Warp, WarpMode,
};
use ndarray::Array2;
use thalweg_grid::{Grid, Shape, Window};

pub(crate) const INTERPOLATIONS: [Interpolation; 4] = [
    Interpolation::Linear,
    Interpolation::Cosine,
    Interpolation::Smoothstep,
    Interpolation::Quintic,
];

pub(crate) fn plain(source: Source, wavelength_m: f64) -> Noise {
    Noise::Plain(Plain::new(source, wavelength_m))
}

pub(crate) fn sum(source: Source, wavelength_m: f64, octaves: u32) -> Sum {
    Sum {
        octaves,
        ..Sum::new(source, wavelength_m)
    }
}

type Kind = fn(Sum) -> Noise;

pub(crate) const SUMS: [(&str, Kind); 7] = [
    ("fbm", Noise::Fbm),
    ("billow", Noise::Billow),
    ("turbulence", Noise::Turbulence),
    ("ridged", Noise::Ridged),
    ("hybrid", Noise::Hybrid),
    ("heterogeneous", Noise::Heterogeneous),
    ("ping_pong", Noise::PingPong),
];

/// Every source alone with all its choices, every sum of every source, and whatever goes point by point.
pub(crate) fn every_kind(wavelength_m: f64, octaves: u32) -> Vec<Noise> {
    let mut all: Vec<Noise> = Source::ALL
        .iter()
        .map(|&s| plain(s, wavelength_m))
        .collect();
    for (_, kind) in SUMS {
        all.extend(
            Source::ALL
                .iter()
                .map(|&s| kind(sum(s, wavelength_m, octaves))),
        );
    }
    let perlin = Plain::new(Source::Perlin, wavelength_m);
    let evolving = |loop_s| {
        Some(Evolution {
            change_s: 3.0,
            loop_s,
        })
    };
    for evolution in [evolving(None), evolving(Some(10.0))] {
        for source in Source::ALL {
            let noise = Noise::Plain(Plain {
                source,
                evolution,
                ..perlin
            });
            all.push(Noise::At {
                of: Box::new(noise),
                time_s: 4.3,
            });
        }
    }
    for along in [crate::Along::Easting, crate::Along::Northing] {
        all.push(Noise::Plain(Plain { along, ..perlin }));
    }
    all.push(Noise::Eroded(sum(Source::Perlin, wavelength_m, octaves)));
    all.push(Noise::Fbm(Sum {
        rotation_deg: 37.0,
        ..sum(Source::Perlin, wavelength_m, octaves)
    }));
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
        for value in [Value::Second, Value::Border, Value::Cell] {
            let cells = Cells { metric, value };
            all.push(Noise::Plain(Plain {
                cells,
                ..Plain::new(Source::Worley, wavelength_m)
            }));
        }
    }
    for mode in [WarpMode::Progressive, WarpMode::Independent] {
        all.push(warped(
            Noise::Fbm(sum(Source::Perlin, wavelength_m, octaves)),
            wavelength_m,
            mode,
        ));
    }
    all
}

pub(crate) fn warped(of: Noise, wavelength_m: f64, mode: WarpMode) -> Noise {
    let by = Warp {
        amplitude_m: 0.4 * wavelength_m,
        wavelength_m,
        octaves: 3,
        lacunarity: 2.0,
        gain: 0.5,
        mode,
        seed: 0,
    };
    Noise::Warp {
        of: Box::new(of),
        by,
    }
}

/// The same noise, from the kernels that go point by point.
pub(crate) fn by_points(of: Noise) -> Noise {
    let still = || Noise::Constant(0.0);
    Noise::Displace {
        of: Box::new(of),
        by: Box::new([still(), still()]),
        amplitude_m: 0.0,
    }
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
