use super::row;
use crate::Source;
use crate::lattice::Lattice;
use crate::testing::{SOURCES, correlation, moments};

/// Values at n² places spread over n² lattice cells, shifted by `shift` lattice units.
fn field(source: Source, key: u64, n: i32, shift: [f64; 2]) -> Vec<f64> {
    let lattice = Lattice::new(key);
    let mut out = vec![0.0; n as usize];
    // An irrational step, so that the places inside their cells are spread evenly as well.
    let step = 1.0 + std::f64::consts::SQRT_2 / 7.0;
    let mut all = Vec::new();
    for r in 0..n {
        let xs = (0..n).map(|c| f64::from(c - n / 2) * step + shift[0]);
        row(
            source,
            &lattice,
            xs,
            f64::from(r - n / 2) * step + shift[1],
            &mut out,
        );
        all.extend_from_slice(&out);
    }
    all
}

#[test]
fn values_stay_within_one_and_none_is_stuck_there() {
    for source in SOURCES {
        let values = field(source, 11, 1024, [0.31, 0.77]);
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(largest <= 1.0 + 1e-12, "{source:?} reaches {largest}");
        // The crate's `perlin_2d` has 1% there.
        let stuck = values.iter().filter(|v| v.abs() >= 1.0 - 1e-9).count();
        assert!(stuck <= 2, "{source:?}: {stuck} samples at an extreme");
        let (mean, std) = moments(&values);
        assert!((0.2..0.6).contains(&std), "{source:?}: {std}");
        if source != Source::Worley {
            assert!(mean.abs() < 0.005, "{source:?}: mean {mean}");
        }
    }
}

/// The steepest of these kernels rises by about 4 per lattice unit; the crate's `open_simplex_2d` and `worley_2d`
/// jump by 0.01 and 0.3.
#[test]
fn there_are_no_cliffs() {
    let step = 1e-4;
    for source in SOURCES {
        let here = field(source, 5, 1024, [0.0, 0.0]);
        let there = field(source, 5, 1024, [step, step]);
        let jump = here
            .iter()
            .zip(&there)
            .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(jump < 10.0 * step, "{source:?} jumps by {jump}");
    }
}

#[test]
fn nothing_repeats() {
    for source in SOURCES {
        let here = field(source, 3, 400, [0.0, 0.0]);
        for shift in [[256.0, 0.0], [0.0, 256.0], [256.0, 256.0], [65_536.0, 0.0]] {
            let r = correlation(&here, &field(source, 3, 400, shift));
            assert!(r.abs() < 0.02, "{source:?}: {r} at a shift of {shift:?}");
        }
    }
}

/// What a wavelength means: values a tenth of it apart are alike, two of it apart are unrelated.
#[test]
fn values_decorrelate_over_a_wavelength() {
    for source in SOURCES {
        let here = field(source, 9, 400, [0.0, 0.0]);
        let near = correlation(&here, &field(source, 9, 400, [0.1, 0.0]));
        let far = correlation(&here, &field(source, 9, 400, [3.0, 0.0]));
        assert!(near > 0.8, "{source:?}: {near} at 0.1");
        assert!(far.abs() < 0.05, "{source:?}: {far} at 3");
    }
}
