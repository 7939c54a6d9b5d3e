use super::sample;
use crate::testing::*;
use crate::{Noise, NoiseError, Source};
use thalweg_grid::{Shape, StageKey};

fn key() -> StageKey {
    StageKey::new(42, "base")
}

fn values(noise: &Noise, shape: Shape, cell_size_m: f64, key: StageKey) -> Vec<f64> {
    let grid = grid(shape, cell_size_m, [500_000.0, 5_200_000.0]);
    let cells = sample(noise, &grid, whole(&grid), key).unwrap();
    cells.iter().map(|&v| f64::from(v)).collect()
}

#[test]
fn a_tile_alone_equals_the_same_cells_of_the_whole() {
    let grid = grid(Shape::new(60, 83), 10.0, [500_000.0, 5_200_000.0]);
    for noise in every_kind(700.0, 5) {
        let map = sample(&noise, &grid, whole(&grid), key()).unwrap();
        let tile = sample(&noise, &grid, window(13, 29, 31, 47), key()).unwrap();
        let cut = map.slice(ndarray::s![13..44, 29..76]).to_owned();
        assert_eq!(bits(&tile), bits(&cut), "{noise:?}");
    }
}

/// Also where neither the cell size nor the origin is a binary fraction, and sums round differently.
#[test]
fn overlapping_grids_agree() {
    for cell_m in [10.0, 0.1, 30.1] {
        let [west_m, north_m] = [687_654.3, 5_234_567.8];
        let (right, down) = (37_usize, 22_usize);
        let other = [
            west_m + right as f64 * cell_m,
            north_m - down as f64 * cell_m,
        ];
        let first = grid(Shape::new(50, 70), cell_m, [west_m, north_m]);
        let second = grid(Shape::new(28, 33), cell_m, other);
        for noise in every_kind(23.0 * cell_m, 4) {
            let a = sample(&noise, &first, window(down, right, 28, 33), key()).unwrap();
            let b = sample(&noise, &second, whole(&second), key()).unwrap();
            assert_eq!(bits(&a), bits(&b), "{noise:?}, cells of {cell_m} m");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let grid = grid(Shape::new(97, 131), 10.0, [0.0, 0.0]);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let noise = Noise::Ridged(sum(Source::Perlin, 500.0, 6));
        pool.install(|| bits(&sample(&noise, &grid, whole(&grid), key()).unwrap()))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_million_samples_stay_within_the_theoretical_range() {
    for noise in every_kind(37.0, 6) {
        let [low, high] = noise.theoretical_range();
        let samples = values(&noise, Shape::new(1000, 1000), 10.0, key());
        let outside = samples
            .iter()
            .filter(|v| !(low..=high).contains(*v))
            .count();
        assert_eq!(outside, 0, "{noise:?}");
    }
}

#[test]
fn far_from_the_origin_noise_is_finite_and_still_noise() {
    for sign in [-1.0, 1.0] {
        let grid = grid(Shape::new(64, 64), 10.0, [sign * 1e9, -sign * 1e9]);
        for noise in every_kind(35.0, 5) {
            let cells = sample(&noise, &grid, whole(&grid), key()).unwrap();
            let cells: Vec<f64> = cells.iter().map(|&v| f64::from(v)).collect();
            assert!(cells.iter().all(|v| v.is_finite()), "{noise:?}");
            let (_, std) = moments(&cells);
            assert!(std > 0.05, "{noise:?}: {std}");
        }
    }
}

#[test]
fn further_out_is_an_error_and_no_panic() {
    for origin_m in [1e15, 1e300, f64::MAX] {
        let grid = grid(Shape::new(2, 2), 10.0, [0.0, origin_m]);
        for noise in every_kind(100.0, 3) {
            let result = sample(&noise, &grid, whole(&grid), key());
            assert!(
                matches!(result, Err(NoiseError::TooFar { .. })),
                "{result:?}"
            );
        }
    }
    let mut fine = sum(Source::Simplex, 100.0, 32);
    fine.lacunarity = 8.0;
    let grid = grid(Shape::new(2, 2), 10.0, [0.0, 0.0]);
    let result = sample(&Noise::Fbm(fine), &grid, whole(&grid), key());
    assert!(
        matches!(result, Err(NoiseError::TooFar { .. })),
        "{result:?}"
    );
}

/// With a wavelength of whole cells, every row meets the lattice at the same places. One octave has nothing to
/// cover for it.
#[test]
fn no_row_lies_on_the_lattice() {
    for seed in 0..20 {
        let key = StageKey::new(seed, "base");
        for wavelength_m in [10.0, 20.0, 40.0] {
            let noise = Noise::Perlin { wavelength_m };
            let cells = values(&noise, Shape::new(32, 200), 10.0, key);
            for row in cells.chunks(200) {
                let rms = (row.iter().map(|v| v * v).sum::<f64>() / 200.0).sqrt();
                assert!(rms > 0.01, "seed {seed}, {wavelength_m} m: {rms}");
                assert!(
                    row.iter().all(|v| v.abs() > 0.0),
                    "seed {seed}, {wavelength_m} m"
                );
            }
        }
    }
}

/// Octave by octave: with the first octave of one seed and each octave of the next one, in either order.
#[test]
fn neighbouring_seeds_are_unrelated_in_every_octave() {
    let octave = |seed, index: u32| {
        let key = StageKey::new(seed, "base");
        // What a sum of index + 1 octaves has more than one of index octaves.
        let gain_sum = |n: u32| 2.0 - 0.5_f64.powi(n as i32 - 1);
        let fbm = |n: u32| {
            let noise = Noise::Fbm(sum(Source::Perlin, 13.0 * 2.0_f64.powi(index as i32), n));
            let cells = values(&noise, Shape::new(300, 300), 10.0, key);
            cells
                .into_iter()
                .map(|v| v * gain_sum(n))
                .collect::<Vec<_>>()
        };
        if index == 0 {
            return fbm(1);
        }
        let (more, less) = (fbm(index + 1), fbm(index));
        more.iter()
            .zip(less)
            .map(|(a, b)| a - b)
            .collect::<Vec<_>>()
    };
    let (this, next): (Vec<_>, Vec<_>) = (0..5).map(|i| (octave(42, i), octave(43, i))).unzip();
    for (i, a) in this.iter().enumerate() {
        for (j, b) in next.iter().enumerate() {
            let r = correlation(a, b);
            assert!(r.abs() < 0.02, "octave {i} of seed 42 and {j} of 43: {r}");
        }
        for (j, b) in this.iter().enumerate().take(i) {
            let r = correlation(a, b);
            assert!(r.abs() < 0.02, "octaves {i} and {j} of one seed: {r}");
        }
    }
}

/// Each sum of two octaves from octaves that were taken apart by fBm alone.
#[test]
fn sums_follow_their_formulas() {
    for source in SOURCES {
        let (shape, gain) = (Shape::new(40, 90), 0.5);
        let of = |noise: Noise| values(&noise, shape, 10.0, key());
        let first = of(plain(source, 170.0));
        let both = of(Noise::Fbm(sum(source, 170.0, 2)));
        let ridged = of(Noise::Ridged(sum(source, 170.0, 2)));
        let billow = of(Noise::Billow(sum(source, 170.0, 2)));
        let turbulence = of(Noise::Turbulence(sum(source, 170.0, 2)));
        for i in 0..first.len() {
            let a = first[i];
            let b = ((1.0 + gain) * both[i] - a) / gain;
            let r0 = (1.0 - a.abs()).powi(2);
            let r1 = (1.0 - b.abs()).powi(2) * (2.0 * r0).min(1.0);
            let weighted = |x: f64, y: f64| (x + gain * y) / (1.0 + gain);
            let close = |found: f64, expected: f64| {
                assert!(
                    (found - expected).abs() < 2e-6,
                    "{source:?}: {found} for {expected}"
                );
            };
            close(ridged[i], weighted(r0, r1));
            close(turbulence[i], weighted(a.abs(), b.abs()));
            close(
                billow[i],
                weighted(2.0 * a.abs() - 1.0, 2.0 * b.abs() - 1.0),
            );
        }
    }
}

/// The key's octaves do not depend on how many there are; a gain of 0 leaves the first.
#[test]
fn a_sum_without_gain_is_its_first_octave() {
    let mut only = sum(Source::OpenSimplex, 170.0, 5);
    only.gain = 0.0;
    let shape = Shape::new(20, 30);
    let found = values(&Noise::Fbm(only), shape, 10.0, key());
    let expected = values(&plain(Source::OpenSimplex, 170.0), shape, 10.0, key());
    assert!(
        found
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-7)
    );
}
