use crate::{SUMS, map, plain};
use thalweg_noise::{Cells, Metric, Noise, Plain, Source, Sum, Value};

/// The least and largest value, and the share of values at either, beside the two that must be there.
fn extremes(noise: &Noise, size: usize) -> ([f32; 2], f64) {
    let values = map(noise, size, 5);
    let [low, high] = values
        .iter()
        .fold([f32::MAX, f32::MIN], |[l, h], v| [l.min(*v), h.max(*v)]);
    let stuck = values.iter().filter(|v| **v <= low || **v >= high).count();
    ([low, high], (stuck - 2) as f64 / values.len() as f64)
}

/// Within the theoretical range, and hardly any value at an extreme.
fn check(noise: &Noise, size: usize) -> [f32; 2] {
    let ([low, high], stuck) = extremes(noise, size);
    let [least, most] = noise.theoretical_range();
    assert!(
        f64::from(low) >= least && f64::from(high) <= most,
        "{low}..{high} of {noise:?}"
    );
    assert!(stuck < 2e-5, "{stuck} at {low} or {high} of {noise:?}");
    [low, high]
}

fn every_sum() -> Vec<Noise> {
    let mut all = Vec::new();
    for source in Source::ALL {
        for (octaves, gain) in [(1, 0.5), (3, 1.0), (8, 0.5), (8, 0.8)] {
            let sum = Sum {
                octaves,
                gain,
                ..Sum::new(source, 7.3)
            };
            let kinds = SUMS
                .into_iter()
                .take(if source == Source::Perlin { 8 } else { 7 });
            all.extend(kinds.map(|kind| kind(sum)));
        }
    }
    all
}

#[test]
fn values_stay_in_their_range_and_reach_no_plateau() {
    for source in Source::ALL {
        check(&plain(source, 7.3), 1000);
    }
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
        for value in [Value::Nearest, Value::Second, Value::Border, Value::Cell] {
            let cells = Cells { metric, value };
            let noise = Noise::Plain(Plain {
                cells,
                ..Plain::new(Source::Worley, 7.3)
            });
            if value == Value::Cell {
                let [least, most] = noise.theoretical_range();
                let ([low, high], _) = extremes(&noise, 300);
                assert!(f64::from(low) >= least && f64::from(high) <= most);
            } else {
                check(&noise, 600);
            }
        }
    }
    for noise in every_sum() {
        check(&noise, 300);
    }
}

/// The documented observed ranges, with ten million samples: `cargo test -p thalweg-noise -- --ignored`.
#[test]
#[ignore = "minutes: ten million samples of every source and sum"]
fn ten_million_samples_of_everything() {
    for noise in Source::ALL
        .map(|source| plain(source, 7.3))
        .into_iter()
        .chain(every_sum())
    {
        let ([low, high], stuck) = extremes(&noise, 3163);
        let [least, most] = noise.theoretical_range();
        assert!(
            f64::from(low) >= least && f64::from(high) <= most,
            "{low}..{high} of {noise:?}"
        );
        assert!(stuck < 1e-6, "{stuck} at {low} or {high} of {noise:?}");
    }
}

/// What the documentation says of single octaves: they come near the ends of their range.
#[test]
fn single_octaves_use_their_range() {
    for (source, reach) in [
        (Source::Perlin, 0.95),
        (Source::Simplex, 0.9),
        (Source::OpenSimplex2, 0.9),
        (Source::OpenSimplex2S, 0.8),
        (Source::Value, 0.99),
    ] {
        let [low, high] = check(&plain(source, 3.7), 1000);
        assert!(low < -reach && high > reach, "{source:?}: {low}..{high}");
    }
}
