//! The `noise` crate, where it is right.

use crate::{map, std};
use thalweg_noise::{Backend, Noise, Plain, Source, Sum};

/// Mean square, mean square slope and correlation length of a map, as its spectrum decides them.
fn statistics(noise: &Noise) -> [f64; 2] {
    let (mut spread, mut slope) = (0.0, 0.0);
    for seed in 0..4 {
        let values = map(noise, 400, seed);
        spread += std(&values) / 4.0;
        let steps = &values.slice(ndarray::s![.., 1..]) - &values.slice(ndarray::s![.., ..-1]);
        slope += std(&steps) / std(&values) / 4.0;
    }
    [spread, slope]
}

/// Of value noise the crate's is the same; its smooth triangles have other gradients and another scale, but are as rough
/// for their height. (Its `simplex_2d` has another wavelet, 2t² + t⁴.)
#[test]
fn our_noise_is_as_rough_as_the_crates() {
    for source in [Source::Value, Source::OpenSimplex2S] {
        let with = |backend| {
            statistics(&Noise::Plain(Plain {
                backend,
                ..Plain::new(source, 20.0)
            }))
        };
        let (ours, theirs) = (with(Backend::Thalweg), with(Backend::NoiseRs));
        let ratio = ours[1] / theirs[1];
        assert!(
            (0.93..1.07).contains(&ratio),
            "{source:?}: slopes {ours:?}, {theirs:?}"
        );
        if source == Source::Value {
            assert!(
                (ours[0] / theirs[0] - 1.0).abs() < 0.05,
                "{ours:?}, {theirs:?}"
            );
        }
    }
}

/// The backend is reached from sums, too, and is refused where the crate has nothing.
#[test]
fn the_crate_is_reachable_for_what_it_has() {
    for source in Source::ALL {
        let noise = Noise::Ridged(Sum {
            backend: Backend::NoiseRs,
            ..Sum::new(source, 50.0)
        });
        let has = !matches!(source, Source::Worley | Source::OpenSimplex2);
        assert_eq!(noise.check().is_ok(), has, "{source:?}");
        if has {
            let ours = map(&Noise::Ridged(Sum::new(source, 50.0)), 64, 1);
            let theirs = map(&noise, 64, 1);
            assert!(ours != theirs && theirs.iter().all(|v| (0.0..=1.0).contains(v)));
        }
    }
}
