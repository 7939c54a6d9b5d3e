use crate::{correlation, map};
use thalweg_noise::{Noise, Source, Sum};

/// Octave by octave, in either order: one seed's against the next one's, and one another's within a seed. Cells are as
/// large as a lattice cell, so that 62,500 of them are met.
#[test]
fn octaves_of_neighbouring_seeds_are_unrelated() {
    for source in [
        Source::Perlin,
        Source::Simplex,
        Source::OpenSimplex2S,
        Source::Value,
    ] {
        let octave = |seed, index: u32| {
            // What a sum has more than one with an octave less, with weights of 2ⁱ that make the last the largest.
            let fbm = |octaves: u32| {
                let sum = Sum {
                    octaves,
                    gain: 1.0,
                    ..Sum::new(source, 0.97 * f64::from(1_u32 << index))
                };
                map(&Noise::Fbm(sum), 250, seed) * octaves as f32
            };
            if index == 0 {
                fbm(1)
            } else {
                fbm(index + 1) - fbm(index)
            }
        };
        let (this, next): (Vec<_>, Vec<_>) = (0..4).map(|i| (octave(42, i), octave(43, i))).unzip();
        for (i, a) in this.iter().enumerate() {
            for (j, b) in next.iter().enumerate() {
                let r = correlation(a, b);
                assert!(
                    r.abs() < 0.02,
                    "{source:?}: octave {i} of seed 42 and {j} of 43: {r}"
                );
            }
            for (j, b) in this.iter().enumerate().take(i) {
                let r = correlation(a, b);
                assert!(
                    r.abs() < 0.02,
                    "{source:?}: octaves {i} and {j} of one seed: {r}"
                );
            }
        }
    }
}
