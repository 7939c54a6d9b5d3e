use super::*;
use crate::plan::Options;
use std::sync::atomic::{AtomicU32, Ordering};

const TEXT: &str = "\
thalweg: 1
name: hills
seed: 9
grid: { rows: 20, cols: 33, cell_size_m: 10 }
stages:
  - synthesize:
      id: base
      elevation_m: [-50, 1500]
      noise: { fbm: { wavelength_m: 300, octaves: 3 } }
outputs:
  - { layer: elevation, path: dem.tif }
  - { hillshade: {}, path: shade.png }
";

fn plan(out: &Path) -> Plan {
    let pipeline = crate::parse(TEXT, Path::new("hills.yaml"), &[]).unwrap();
    Plan::new(
        pipeline,
        &Options {
            out: Some(out.to_owned()),
            threads: 1,
        },
    )
    .unwrap()
}

struct Silent;
impl RunObserver for Silent {}

/// Stops at the n-th question.
struct StopAt(AtomicU32);
impl RunObserver for StopAt {
    fn cancelled(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) <= 1
    }
}

#[test]
fn the_recorded_hash_is_that_of_the_pixels_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(plan(&folder.path().join("a")), &Mode::default(), &Silent).unwrap();
    assert_eq!(outcome.violations, Vec::<String>::new());
    let record: serde_json::Value = serde_json::from_str(&outcome.record).unwrap();
    let pixels = thalweg_geotiff::read(&outcome.files[0], 1)
        .unwrap()
        .elevation;
    let bytes: Vec<u8> = pixels
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    assert_eq!(bytes.len(), 20 * 33 * 4);
    assert_eq!(
        record["outputs"][0]["pixels_blake3"],
        blake3::hash(&bytes).to_hex().as_str()
    );
}

#[test]
fn a_run_that_is_cancelled_is_never_taken_for_complete() {
    for question in 1..5 {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a");
        let error = run(
            plan(&out),
            &Mode::default(),
            &StopAt(AtomicU32::new(question)),
        )
        .unwrap_err();
        assert!(matches!(error, PipelineError::Interrupted), "{error}");
        assert!(!record_path(&out).exists());
        // The next run is not in its own way.
        let outcome = run(plan(&out), &Mode::default(), &Silent).unwrap();
        assert!(record_path(&outcome.folder).exists());
    }
}

fn record(report: thalweg_erosion::Report, sanity: Sanity) -> StageRecord {
    StageRecord {
        kind: "erode",
        id: "rivers".to_owned(),
        wall_s: 1.0,
        peak_rss_bytes: None,
        report: Report::Erode(Box::new(report)),
        sanity,
    }
}

const SANE: Sanity = Sanity {
    non_finite: 0,
    spikes: 12,
    new_spikes: 0,
};

#[test]
fn open_ledgers_and_insane_ground_are_violations() {
    let report = |sediment: f64, water: f64| {
        let mut report = thalweg_erosion::Report::default();
        report.ledger.sediment.relative_error = sediment;
        report.ledger.water.relative_error = water;
        report
    };
    let count = |stage: StageRecord| violations(&[stage]).len();
    assert_eq!(count(record(report(1e-6, 1e-9), SANE)), 0);
    assert_eq!(count(record(report(1.1e-6, 0.0), SANE)), 1);
    assert_eq!(count(record(report(1e-3, f64::NAN), SANE)), 2);
    assert_eq!(
        count(record(
            report(0.0, 0.0),
            Sanity {
                non_finite: 1,
                ..SANE
            }
        )),
        1
    );
    assert_eq!(
        count(record(
            report(0.0, 0.0),
            Sanity {
                new_spikes: 3,
                ..SANE
            }
        )),
        1
    );
}
