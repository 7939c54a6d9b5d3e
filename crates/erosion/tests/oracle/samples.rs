//! Statistics over seeds.

use thalweg_erosion::Report;
use thalweg_grid::{Layer, Map};

/// Seeds that are pooled.
pub(crate) const SEEDS: u64 = 8;

/// Named numbers of one run.
pub(crate) type Sample = Vec<(String, f64)>;

/// Totals, hypsometry, and the histogram of the stream map: numbers that no mirror changes.
pub(crate) fn statistics(map: &Map, report: &Report) -> Sample {
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
    found.extend(hypsometry(map));
    found.extend(stream_histogram(map));
    found
}

/// Elevations at each eighth of the cells, m.
fn hypsometry(map: &Map) -> Sample {
    let mut heights: Vec<f32> = map.elevation.iter().copied().collect();
    heights.sort_by(f32::total_cmp);
    let at = |eighth: usize| f64::from(heights[eighth * (heights.len() - 1) / 8]);
    (1..8)
        .map(|e| (format!("{e}/8 of the elevations, m"), at(e)))
        .collect()
}

/// Cells by stream value.
fn stream_histogram(map: &Map) -> Sample {
    let stream = map.float(Layer::Stream).expect("a stream map");
    let edges = [0.0, 0.1, 0.2, 0.4, 0.6, 1.1];
    let count = |from: f32, to: f32| stream.iter().filter(|&&s| s >= from && s < to).count() as f64;
    edges
        .windows(2)
        .map(|pair| (format!("stream from {}", pair[0]), count(pair[0], pair[1])))
        .collect()
}

/// Mean, and variance of the mean.
pub(crate) fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, squares / (n - 1.0) / n)
}

/// Each statistic's means over the seeds differ by less than sampling explains: 3.5 standard errors, which one in some
/// hundred such tests of 16 statistics would exceed by chance with Student's 14 degrees of freedom.
pub(crate) fn assert_alike(ones: &[Sample], others: &[Sample], place: &str) {
    for (number, (name, _)) in ones[0].iter().enumerate() {
        let of = |runs: &[Sample]| runs.iter().map(|run| run[number].1).collect::<Vec<_>>();
        let ((a, a_error), (b, b_error)) = (mean(&of(ones)), mean(&of(others)));
        let score = (a - b) / (a_error + b_error).sqrt().max(1e-9);
        assert!(
            score.abs() < 3.5,
            "{place}, {name}: {a} and {b}, {score} standard errors"
        );
    }
}
