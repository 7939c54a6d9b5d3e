//! What holds after any stage.

use super::MAX_STEPS;
use thalweg_erosion::Report;
use thalweg_grid::{Layer, Map};

/// Everything is finite, no depth or density below 0, shares at most 1, cells without data untouched; both accounts
/// close with nothing in flight; and no droplet takes more steps than it may.
///
/// # Panics
/// With the `place` and what was broken.
pub(crate) fn keeps_its_promises(before: &Map, after: &Map, report: &Report, place: &str) {
    for ((row, col), height) in after.elevation.indexed_iter() {
        let was = before.elevation[(row, col)];
        if after.is_valid(row, col) {
            assert!(height.is_finite(), "{height} m at {row}, {col}; {place}");
        } else {
            assert_eq!(height.to_bits(), was.to_bits(), "at {row}, {col}; {place}");
        }
    }
    for (layer, most) in [
        (Layer::Stream, 1.0),
        (Layer::Vegetation, 1.0),
        (Layer::Discharge, f32::MAX),
        (Layer::PoolDepth, f32::MAX),
    ] {
        for (at, &value) in after.float(layer).iter().flat_map(|l| l.indexed_iter()) {
            assert!(
                (0.0..=most).contains(&value),
                "{layer} {value} at {at:?}; {place}"
            );
        }
    }
    for value in after.float(Layer::Change).into_iter().flatten() {
        assert!(value.is_finite(), "change {value} m; {place}");
    }
    let ledger = &report.ledger;
    assert!(ledger.closes(), "{ledger:#?}; {place}");
    let in_flight = [ledger.sediment.in_flight_m3, ledger.water.in_flight_m3];
    assert!(
        in_flight.iter().all(|v| v.abs() <= 0.0),
        "{ledger:#?}; {place}"
    );
    let droplets = report.droplets + report.spring_droplets;
    assert!(report.steps <= droplets * MAX_STEPS, "{report:#?}; {place}");
}
