//! Where points lie in a lattice.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use super::octave::Affine;
use super::points::Points;
use crate::expression::Interpolation;
use crate::hash::{self, Key};
use crate::math::{self, BLOCK, Block};

/// The most lattice lines of an axis that a kernel looks at.
pub(crate) const LINES: usize = 5;

/// Where points lie between the lattice lines of one axis.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    /// Hashes of lines from the first that was asked for on.
    pub(crate) lines: [[u32; BLOCK]; LINES],
    /// Fraction of the cell.
    pub(crate) f: Block,
    /// Weight of the upper line, where that was asked for.
    pub(crate) u: Block,
    /// Its derivative by the fraction.
    pub(crate) du: Block,
}

/// What kernels write on the way. It is kept: clearing it for every block and octave took an eighth of the time.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    pub(crate) x: Located,
    pub(crate) y: Located,
    near: Nearest,
}

impl Default for Workspace {
    fn default() -> Self {
        let nowhere = Located {
            lines: [[0; BLOCK]; LINES],
            f: [0.0; BLOCK],
            u: [0.0; BLOCK],
            du: [0.0; BLOCK],
        };
        Self {
            x: nowhere.clone(),
            y: nowhere,
            near: Nearest {
                lines: [0; BLOCK],
                off: [0.0; BLOCK],
                low: [0; BLOCK],
                high: [0; BLOCK],
            },
        }
    }
}

impl Workspace {
    /// Cells and fractions of a block of points, and `N` lattice lines of both axes from `first` on, counted from the
    /// cell's lower one.
    #[inline(always)]
    pub(crate) fn locate<const N: usize>(
        &mut self,
        to_lattice: &Affine,
        points: &Points,
        key: Key,
        first: i64,
    ) {
        self.x
            .fill::<0, N>(to_lattice, points, key, first, &mut self.near);
        self.y
            .fill::<1, N>(to_lattice, points, key, first, &mut self.near);
    }
}

/// The lattice lines of one axis that are nearest to points. In passes of one width each: what mixes 64 and 32 bits is
/// not vectorised on the baseline.
#[derive(Debug, Clone)]
struct Nearest {
    lines: [i64; BLOCK],
    /// How far points are beyond them, −½ to ½; with a sign where it is 0 because it was rounded.
    off: [f64; BLOCK],
    low: [u32; BLOCK],
    high: [u32; BLOCK],
}

/// Coordinates looked at side by side.
const LANES: usize = 8;

impl Nearest {
    /// Finds them, and tells the least and the largest coordinate.
    #[inline(always)]
    fn find(&mut self, [a, b, c]: [f64; 3], points: &Points) -> [f64; 2] {
        let (mut least, mut most) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for first in (0..BLOCK).step_by(LANES) {
            for lane in 0..LANES {
                let k = first + lane;
                let p = a * points.x_m[k] + b * points.y_m[k] + c;
                (self.lines[k], self.off[k]) = math::nearest(p);
                least[lane] = if p < least[lane] { p } else { least[lane] };
                most[lane] = if p > most[lane] { p } else { most[lane] };
            }
        }
        let wider = |[low, high]: [f64; 2], k: usize| [low.min(least[k]), high.max(most[k])];
        (1..LANES).fold([least[0], most[0]], wider)
    }

    /// Halves of the lines `first` beyond the lower one, which is the nearest or the one before it.
    #[inline(always)]
    fn halve(&mut self, first: i64) {
        for k in 0..BLOCK {
            self.lines[k] += first + ((self.off[k].to_bits() as i64) >> 63);
        }
        for k in 0..BLOCK {
            self.low[k] = self.lines[k] as u32;
        }
        for k in 0..BLOCK {
            self.high[k] = (self.lines[k] >> 32) as u32;
        }
    }
}

/// The upper half of all lines around coordinates, where they have one in common.
#[inline(always)]
fn upper_half([low, high]: [f64; 2]) -> Option<u32> {
    // More than there are lines around a point.
    const AROUND: f64 = 8.0;
    let [low, high] = [low - AROUND, high + AROUND].map(|p| (p as i64) >> 32);
    (low == high).then_some(low as u32)
}

impl Located {
    #[inline(always)]
    fn fill<const AXIS: usize, const N: usize>(
        &mut self,
        to_lattice: &Affine,
        points: &Points,
        key: Key,
        first: i64,
        near: &mut Nearest,
    ) {
        let range = near.find(to_lattice[AXIS], points);
        for k in 0..BLOCK {
            self.f[k] = near.off[k] as f32;
        }
        if let Some(high) = upper_half(range) {
            self.hash_near::<AXIS, N>(near, hash::mixed::<AXIS>(high, key), first);
        } else {
            self.hash_far::<AXIS, N>(near, key, first);
        }
        for k in 0..BLOCK {
            let d = self.f[k];
            self.f[k] = if d.is_sign_negative() { d + 1.0 } else { d };
        }
    }

    /// Lines that have their upper half in common, which `mixed` contains.
    #[inline(always)]
    fn hash_near<const AXIS: usize, const N: usize>(
        &mut self,
        near: &mut Nearest,
        mixed: u32,
        first: i64,
    ) {
        for k in 0..BLOCK {
            near.low[k] = near.lines[k] as u32;
        }
        for k in 0..BLOCK {
            let before = (self.f[k].to_bits() as i32 >> 31) as u32;
            let line = near.low[k].wrapping_add(before).wrapping_add(first as u32);
            for n in 0..N {
                self.lines[n][k] = hash::line_of::<AXIS>(line.wrapping_add(n as u32), mixed);
            }
        }
    }

    #[inline(always)]
    fn hash_far<const AXIS: usize, const N: usize>(
        &mut self,
        near: &mut Nearest,
        key: Key,
        first: i64,
    ) {
        near.halve(first);
        for n in 0..N {
            let lines = &mut self.lines[n];
            for k in 0..BLOCK {
                let next = near.low[k].wrapping_add(n as u32);
                let carry = u32::from(next < near.low[k]);
                let mixed = hash::mixed::<AXIS>(near.high[k].wrapping_add(carry), key);
                lines[k] = hash::line_of::<AXIS>(next, mixed);
            }
        }
    }

    /// Weights and their derivatives. The choice stands outside of the loop.
    #[inline(always)]
    pub(crate) fn fade(&mut self, kind: Interpolation) {
        match kind {
            Interpolation::Linear => self.fade_by(Interpolation::Linear),
            Interpolation::Cosine => self.fade_by(Interpolation::Cosine),
            Interpolation::Smoothstep => self.fade_by(Interpolation::Smoothstep),
            Interpolation::Quintic => self.fade_by(Interpolation::Quintic),
        }
    }

    #[inline(always)]
    fn fade_by(&mut self, kind: Interpolation) {
        for k in 0..BLOCK {
            let [u, du] = math::fade(self.f[k], kind);
            self.u[k] = u;
            self.du[k] = du;
        }
    }
}
