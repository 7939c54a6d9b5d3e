//! What becomes of the ground does not depend, statistically, on how many droplets move in lockstep.
//!
//! How long droplets last does, and is not compared: with one lane two thirds more steps are made, by droplets that
//! end in pits, and more of the water that stays evaporates before it seeps away. Why is not known; perhaps a droplet
//! alone in a hollow goes round in it where others would have changed the hollow meanwhile.

use crate::ground::{map_of, rough};
use thalweg_erosion::{Parameters, Tiling, erode};
use thalweg_grid::{Layer, Map, NoObserver, Shape, StageKey};

const SEEDS: u64 = 8;

/// What is compared of one run: totals, hypsometry, and the histogram of the stream map.
fn statistics(seed: u64, lanes: usize) -> Vec<(String, f64)> {
    let mut map = map_of(Shape::new(96, 96), 10.0, rough);
    let parameters = Parameters {
        droplets_per_cell: 0.5,
        cycles: 25,
        tiling: Tiling {
            lanes,
            ..Tiling::default()
        },
        ..Parameters::default()
    };
    let key = StageKey::new(seed, "lanes");
    let report = erode(&mut map, &parameters, key, &NoObserver).expect("a run");
    let sediment = &report.ledger.sediment;
    let mut found = vec![
        ("eroded, m³".to_owned(), sediment.eroded_m3),
        (
            "exchanged, m³".to_owned(),
            sediment.eroded_m3 + sediment.deposited_m3,
        ),
        ("exported, m³".to_owned(), sediment.exported_m3),
        (
            "water exported, m³".to_owned(),
            report.ledger.water.exported_m3,
        ),
    ];
    found.extend(hypsometry(&map));
    found.extend(stream_histogram(&map));
    found
}

/// Elevations at each eighth of the cells, m.
fn hypsometry(map: &Map) -> Vec<(String, f64)> {
    let mut heights: Vec<f32> = map.elevation.iter().copied().collect();
    heights.sort_by(f32::total_cmp);
    let at = |eighth: usize| f64::from(heights[eighth * (heights.len() - 1) / 8]);
    (1..8)
        .map(|e| (format!("{e}/8 of the elevations, m"), at(e)))
        .collect()
}

/// Cells by stream value.
fn stream_histogram(map: &Map) -> Vec<(String, f64)> {
    let stream = map.float(Layer::Stream).expect("a stream map");
    let edges = [0.0, 0.1, 0.2, 0.4, 0.6, 1.1];
    let count = |from: f32, to: f32| stream.iter().filter(|&&s| s >= from && s < to).count() as f64;
    edges
        .windows(2)
        .map(|pair| (format!("stream from {}", pair[0]), count(pair[0], pair[1])))
        .collect()
}

/// Mean and variance of the mean.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, squares / (n - 1.0) / n)
}

/// Each statistic's means over the seeds differ by less than sampling explains: 3.5 standard errors, which one in some
/// hundred such tests of 16 statistics would exceed by chance with Student's 14 degrees of freedom.
#[test]
fn sixteen_lanes_give_the_statistics_of_one() {
    let runs = |lanes| {
        (0..SEEDS)
            .map(|seed| statistics(seed, lanes))
            .collect::<Vec<_>>()
    };
    let (one, sixteen) = (runs(1), runs(16));
    for (number, (name, _)) in one[0].iter().enumerate() {
        let of =
            |runs: &[Vec<(String, f64)>]| runs.iter().map(|run| run[number].1).collect::<Vec<_>>();
        let ((a, a_error), (b, b_error)) = (mean(&of(&one)), mean(&of(&sixteen)));
        let score = (a - b) / (a_error + b_error).sqrt().max(1e-9);
        assert!(
            score.abs() < 3.5,
            "{name}: one lane {a}, sixteen {b}, {score} standard errors"
        );
    }
}
