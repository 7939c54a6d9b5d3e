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
    near: [Nearest; 2],
}

impl Default for Workspace {
    fn default() -> Self {
        let nowhere = Located {
            lines: [[0; BLOCK]; LINES],
            f: [0.0; BLOCK],
            u: [0.0; BLOCK],
            du: [0.0; BLOCK],
        };
        let near = Nearest {
            lines: [0; BLOCK],
            off: [0.0; BLOCK],
            low: [0; BLOCK],
            high: [0; BLOCK],
        };
        Self {
            x: nowhere.clone(),
            y: nowhere,
            near: [near.clone(), near],
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
        let [x, y] = find(&mut self.near, to_lattice, points);
        let [near_x, near_y] = &mut self.near;
        self.x.fill::<0, N>(near_x, x, key, first);
        self.y.fill::<1, N>(near_y, y, key, first);
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
const LANES: usize = 4;

/// Finds the lines of both axes, and tells the least and the largest coordinate of each.
#[inline(always)]
fn find(near: &mut [Nearest; 2], to_lattice: &Affine, points: &Points) -> [[f64; 2]; 2] {
    let mut least = [[f64::INFINITY; LANES]; 2];
    let mut most = [[f64::NEG_INFINITY; LANES]; 2];
    for first in (0..BLOCK).step_by(LANES) {
        for axis in 0..2 {
            let [a, b, c] = to_lattice[axis];
            for lane in 0..LANES {
                let k = first + lane;
                let p = a * points.x_m[k] + b * points.y_m[k] + c;
                (near[axis].lines[k], near[axis].off[k]) = math::nearest(p);
                let (low, high) = (&mut least[axis][lane], &mut most[axis][lane]);
                *low = if p < *low { p } else { *low };
                *high = if p > *high { p } else { *high };
            }
        }
    }
    [0, 1].map(|axis| {
        let wider =
            |[low, high]: [f64; 2], k: usize| [low.min(least[axis][k]), high.max(most[axis][k])];
        (0..LANES).fold([f64::INFINITY, f64::NEG_INFINITY], wider)
    })
}

impl Nearest {
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

/// −1 where a point lies before its nearest line, else 0.
#[inline(always)]
fn before(off: f32) -> u32 {
    (off.to_bits() as i32 >> 31) as u32
}

/// The upper half of all lines around cells, where they have one in common.
#[inline(always)]
fn upper_half(low: i64, high: i64) -> Option<u32> {
    // More than there are lines around a point.
    const AROUND: i64 = 8;
    let [low, high] = [low - AROUND, high + AROUND].map(|cell| cell >> 32);
    (low == high).then_some(low as u32)
}

impl Located {
    /// Fractions and lines of coordinates in a range.
    #[inline(always)]
    fn fill<const AXIS: usize, const N: usize>(
        &mut self,
        near: &mut Nearest,
        range: [f64; 2],
        key: Key,
        first: i64,
    ) {
        for k in 0..BLOCK {
            self.f[k] = near.off[k] as f32;
        }
        let [low, high] = range.map(|p| math::floor(p).1);
        if low == high {
            for n in 0..N {
                self.lines[n].fill(hash::line::<AXIS>(low + first + n as i64, key));
            }
        } else if let Some(high) = upper_half(low, high) {
            self.hash_near::<AXIS, N>(near, hash::mixed::<AXIS>(high, key), first);
        } else {
            self.hash_far::<AXIS, N>(near, key, first);
        }
        for k in 0..BLOCK {
            let d = self.f[k];
            // A choice would become a store under a mask, which takes as long as the rest of the loop several times.
            self.f[k] = d + f32::from_bits(before(d) & 1.0_f32.to_bits());
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
            let line = near.low[k]
                .wrapping_add(before(self.f[k]))
                .wrapping_add(first as u32);
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

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_grid::StageKey;

    /// Blocks within a cell, within an upper half and across both of its ends; whole numbers, and what is nearly one.
    #[test]
    fn lines_and_fractions_are_those_of_the_floor() {
        let key = Key::new(StageKey::new(5, "a"), 0, 0);
        let mut work = Workspace::default();
        let half = (1_u64 << 32) as f64;
        for origin in [0.0, -0.3, 17.0, half - 20.0, -half - 3.0, 7.0 * half - 1e-6] {
            for step in [0.0, 1e-9, 1e-3, 0.5, 0.7, 1e8] {
                let at = |k: usize| origin + step * k as f64;
                let mut points = Points {
                    x_m: std::array::from_fn(at),
                    y_m: std::array::from_fn(|k| -at(k)),
                };
                points.x_m[99] = if step < 1e-6 { points.x_m[98] } else { -1e-300 };
                work.locate::<3>(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &points, key, -1);
                for k in 0..BLOCK {
                    for n in 0..3 {
                        let line = |p: f64| p.floor() as i64 - 1 + n as i64;
                        let (x, y) = (line(points.x_m[k]), line(points.y_m[k]));
                        assert_eq!(work.x.lines[n][k], hash::line::<0>(x, key), "{x}");
                        assert_eq!(work.y.lines[n][k], hash::line::<1>(y, key), "{y}");
                    }
                    for (f, p) in [(work.x.f[k], points.x_m[k]), (work.y.f[k], points.y_m[k])] {
                        assert!((f64::from(f) - (p - p.floor())).abs() < 1e-7, "{f} at {p}");
                    }
                }
            }
        }
    }
}
