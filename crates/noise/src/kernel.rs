//! One octave's shape: noise on a lattice of unit spacing.
//!
//! What was measured of the `noise` crate's two-dimensional kernels (4 million samples each), and what follows:
//!
//! | kernel | found | used |
//! | --- | --- | --- |
//! | `perlin_2d` | 0.97% of the samples stuck at exactly ±1 | no |
//! | `perlin_surflet_2d` | ±1 reached, none stuck | `perlin` |
//! | `simplex_2d` | reaches ±0.989; its wavelets' rims show as faint arcs in a hillshade of one octave | `simplex` |
//! | `open_simplex_2d` | a wavelet is cut off: jumps of 0.011, 2% of its range | no |
//! | `super_simplex_2d` | reaches ±1 | `opensimplex` |
//! | `value_2d` | fine, but for 256 levels with the crate's hasher; 2³² with ours | `value` |
//! | `worley_2d` | looks at 4 cells of the 9 it needs: jumps of 0.34, reaches +1.15 | no: ours |

mod worley;

use crate::Source;
use crate::lattice::Lattice;
use noise::Vector2;
use noise::core::perlin_surflet::perlin_surflet_2d;
use noise::core::simplex::simplex_2d;
use noise::core::super_simplex::super_simplex_2d;
use noise::core::value::value_2d;
use worley::Worley;

/// Noise of unit wavelength with values in [−1, 1].
pub(crate) trait Kernel {
    /// The value at `(x, y)`, in lattice units.
    fn at(lattice: &Lattice, x: f64, y: f64) -> f64;
}

struct Perlin;
struct Simplex;
struct OpenSimplex;
struct Value;

impl Kernel for Perlin {
    #[inline]
    fn at(lattice: &Lattice, x: f64, y: f64) -> f64 {
        perlin_surflet_2d(Vector2::new(x, y), lattice)
    }
}

impl Kernel for Simplex {
    #[inline]
    fn at(lattice: &Lattice, x: f64, y: f64) -> f64 {
        simplex_2d(Vector2::new(x, y), lattice).0
    }
}

impl Kernel for OpenSimplex {
    #[inline]
    fn at(lattice: &Lattice, x: f64, y: f64) -> f64 {
        super_simplex_2d(Vector2::new(x, y), lattice)
    }
}

impl Kernel for Value {
    /// The crate takes a hash for 0..=255 and maps that to [−1, 1]; ours has 32 bits.
    #[inline]
    fn at(lattice: &Lattice, x: f64, y: f64) -> f64 {
        (value_2d(Vector2::new(x, y), lattice) + 1.0) * (255.0 / Lattice::MAX) - 1.0
    }
}

/// Fills `out` with a source's values at the points `(xs[i], y)`, in lattice units.
pub(crate) fn row(
    source: Source,
    lattice: &Lattice,
    xs: impl Iterator<Item = f64>,
    y: f64,
    out: &mut [f64],
) {
    match source {
        Source::Perlin => fill::<Perlin>(lattice, xs, y, out),
        Source::Simplex => fill::<Simplex>(lattice, xs, y, out),
        Source::OpenSimplex => fill::<OpenSimplex>(lattice, xs, y, out),
        Source::Value => fill::<Value>(lattice, xs, y, out),
        Source::Worley => fill::<Worley>(lattice, xs, y, out),
    }
}

fn fill<K: Kernel>(lattice: &Lattice, xs: impl Iterator<Item = f64>, y: f64, out: &mut [f64]) {
    for (value, x) in out.iter_mut().zip(xs) {
        *value = K::at(lattice, x, y);
    }
}

#[cfg(test)]
mod tests;
