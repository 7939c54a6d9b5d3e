//! A cone is alike on all sides, and so must be the streams on it.
//!
//! Harmonic m of a stream map is A_m = Σ (s − s̄) e^(imθ) ÷ Σ s, over the cells of a ring around the top; s̄ keeps the
//! ring's own cells, which lie on a square grid, out of it. Where no azimuth is preferred, the phase of A_m is as
//! likely one as another, seed by seed, so that the phases of n seeds pass Rayleigh's test: with n R̄² = |Σ A/|A||² ÷ n,
//! p ≈ exp(√(1 + 4n + 4n²(1 − R̄²)) − (1 + 2n)) (Zar 2010, Biostatistical Analysis, section 27.1). A grid that pulls
//! droplets would show in the real part of A_8, and of A_4, with one sign for all seeds; its mean over the seeds ÷
//! its standard error is Student's t with n − 1 degrees of freedom.

use crate::ground::{cone, map_of};
use crate::samples::{SEEDS, mean};
use thalweg_erosion::{Parameters, erode};
use thalweg_grid::{Layer, NoObserver, Shape, StageKey};

const SIZE: usize = 128;

/// One azimuth, a line, the grid's sides, and its sides and diagonals.
const ORDERS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// Real and imaginary part of the harmonics of one seed's stream map.
fn harmonics(seed: u64, height_m: impl Fn(usize, usize) -> f64) -> Vec<[f64; 2]> {
    let mut map = map_of(Shape::new(SIZE, SIZE), 10.0, height_m);
    let parameters = Parameters {
        cycles: 50,
        ..Parameters::default()
    };
    let key = StageKey::new(seed, "cone");
    erode(&mut map, &parameters, key, &NoObserver).expect("a run");
    let stream = map.float(Layer::Stream).expect("a stream map");
    let middle = SIZE as f64 / 2.0 - 0.5;
    let ring: Vec<(f64, f64)> = stream
        .indexed_iter()
        .filter_map(|((row, col), &stream)| {
            let (south, east) = (row as f64 - middle, col as f64 - middle);
            let radius = libm::hypot(south, east) / middle;
            (0.2..0.95)
                .contains(&radius)
                .then(|| (libm::atan2(south, east), f64::from(stream)))
        })
        .collect();
    let sum: f64 = ring.iter().map(|cell| cell.1).sum();
    let share = sum / ring.len() as f64;
    let along = |wave: fn(f64) -> f64, order: f64| {
        let waves = ring
            .iter()
            .map(|(azimuth, s)| (s - share) * wave(order * azimuth));
        waves.sum::<f64>() / sum
    };
    ORDERS
        .iter()
        .map(|&order| [along(libm::cos, order), along(libm::sin, order)])
        .collect()
}

/// The probability of phases as like as these, or more, where all are as likely.
fn rayleigh(of_seeds: &[[f64; 2]]) -> f64 {
    let n = of_seeds.len() as f64;
    let unit = |part: usize| {
        let parts = of_seeds.iter().map(|a| a[part] / libm::hypot(a[0], a[1]));
        parts.sum::<f64>()
    };
    let resultant2 = unit(0).powi(2) + unit(1).powi(2);
    libm::exp((1.0 + 4.0 * n + 4.0 * (n * n - resultant2)).sqrt() - (1.0 + 2.0 * n))
}

/// Rayleigh's p, and Student's t of the real and the imaginary part, of each order.
fn tests(height_m: impl Fn(usize, usize) -> f64) -> Vec<(f64, [f64; 2])> {
    let seeds: Vec<_> = (0..SEEDS).map(|seed| harmonics(seed, &height_m)).collect();
    (0..ORDERS.len())
        .map(|order| {
            let found: Vec<[f64; 2]> = seeds.iter().map(|seed| seed[order]).collect();
            let t = [0, 1].map(|part| {
                let (mean, variance) = mean(&found.iter().map(|a| a[part]).collect::<Vec<_>>());
                mean / variance.sqrt()
            });
            (rayleigh(&found), t)
        })
        .collect()
}

/// Four p and eight t: one of them in some hundred such tests would pass these bounds by chance.
#[test]
fn streams_on_a_cone_prefer_no_azimuth() {
    for (order, (p, t)) in ORDERS.iter().zip(tests(cone(SIZE))) {
        assert!(p > 1e-3, "order {order}: p {p}, t {t:?}");
        assert!(
            t.iter().all(|t| t.abs() < 5.4),
            "order {order}: p {p}, t {t:?}"
        );
    }
}

/// A cone whose slope is steeper by a share of cos(order × azimuth).
fn uneven(order: f64, share: f64) -> impl Fn(usize, usize) -> f64 {
    let middle = SIZE as f64 / 2.0 - 0.5;
    let cone = cone(SIZE);
    move |row, col| {
        let azimuth = libm::atan2(row as f64 - middle, col as f64 - middle);
        900.0 - (900.0 - cone(row, col)) * (1.0 + share * libm::cos(order * azimuth))
    }
}

/// The tests see a cone of which one side is steeper by a fifth, and one with eight valleys too faint for the eye.
#[test]
fn streams_on_an_uneven_cone_prefer_azimuths() {
    for (number, order, share) in [(0, 1.0, 0.2), (3, 8.0, 0.005)] {
        let (p, [t, _]) = tests(uneven(order, share))[number];
        assert!(p < 1e-3 && t > 5.4, "order {order}: p {p}, t {t}");
    }
}
