//! Kernels of the `noise` crate, hashed by us: its own tables repeat every 256 lattice cells and give neighbouring
//! seeds most of their octaves in common. What was measured of them, 4 million samples each, and what follows:
//!
//! | kernel | found | used |
//! | --- | --- | --- |
//! | `perlin_2d` | 0.97% of the samples stuck at exactly ±1 | no |
//! | `perlin_surflet_2d` | ±1 reached, none stuck | `Perlin` |
//! | `simplex_2d` | reaches ±0.989; its wavelets' rims show as faint arcs in a hillshade of one octave | `Simplex` |
//! | `open_simplex_2d` | a wavelet is cut off: jumps of 0.011, 2% of its range | no |
//! | `super_simplex_2d` | reaches ±1 | `OpenSimplex2S` |
//! | `value_2d` | fine, but for 256 levels with the crate's hasher; 2³² with ours | `Value` |
//! | `worley_2d` | looks at 4 cells of the 9 it needs: jumps of 0.34, reaches +1.15 | no |

use super::octave::Octave;
use super::points::Points;
use crate::expression::Source;
use crate::math::Block;
use noise::Vector2;
use noise::core::perlin_surflet::perlin_surflet_2d;
use noise::core::simplex::simplex_2d;
use noise::core::super_simplex::super_simplex_2d;
use noise::core::value::value_2d;
use noise::permutationtable::NoiseHasher;

/// Whether the crate has a kernel of a source that can be used.
pub(crate) const fn has(source: Source) -> bool {
    matches!(
        source,
        Source::Perlin | Source::Simplex | Source::OpenSimplex2S | Source::Value
    )
}

/// A keyed hash of lattice nodes: 64 bits each, without a table and so without a period.
#[derive(Debug, Clone, Copy)]
struct Lattice(u64);

/// The largest hash that kernels get to see.
const MOST: f64 = u32::MAX as f64;

impl NoiseHasher for Lattice {
    /// The upper 32 bits after multiply–xorshift rounds of the `SplitMix64` finaliser, the first between the two
    /// coordinates, so that no pair of keys gives shifted copies of one lattice.
    #[inline]
    fn hash(&self, node: &[isize]) -> usize {
        let mut h = self.0 ^ (node[0] as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h ^= (node[1] as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (h >> 32) as usize
    }
}

/// Adds an octave at points, times `weight`.
pub(crate) fn add(octave: &Octave, weight: f32, points: &Points, out: &mut Block) {
    let lattice = Lattice(octave.bits);
    let places = points.x_m.iter().zip(&points.y_m);
    for (out, (&x_m, &y_m)) in out.iter_mut().zip(places) {
        let place = Vector2::new(octave.at(0, x_m, y_m), octave.at(1, x_m, y_m));
        *out += weight * at(octave.source, &lattice, place) as f32;
    }
}

#[inline]
fn at(source: Source, lattice: &Lattice, place: Vector2<f64>) -> f64 {
    match source {
        Source::Simplex => simplex_2d(place, lattice).0,
        Source::OpenSimplex2S => super_simplex_2d(place, lattice),
        // The crate takes a hash for 0..=255 and maps that to [−1, 1]; ours has 32 bits.
        Source::Value => (value_2d(place, lattice) + 1.0) * (255.0 / MOST) - 1.0,
        _ => perlin_surflet_2d(place, lattice),
    }
}
