//! Where points lie in a lattice.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use super::octave::Octave;
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
    /// Lattice coordinates.
    pub(crate) at: [[f64; BLOCK]; 2],
    pub(crate) x: Located,
    pub(crate) y: Located,
    cells: [i64; BLOCK],
    fractions: [f64; BLOCK],
    low: [u32; BLOCK],
    high: [u32; BLOCK],
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
            at: [[0.0; BLOCK]; 2],
            x: nowhere.clone(),
            y: nowhere,
            cells: [0; BLOCK],
            fractions: [0.0; BLOCK],
            low: [0; BLOCK],
            high: [0; BLOCK],
        }
    }
}

impl Workspace {
    /// Lattice coordinates of a block of points.
    #[inline(always)]
    pub(crate) fn place(&mut self, octave: &Octave, points: &Points) {
        for axis in 0..2 {
            let [a, b, c] = octave.to_lattice[axis];
            for k in 0..BLOCK {
                self.at[axis][k] = a * points.x_m[k] + b * points.y_m[k] + c;
            }
        }
    }

    /// Cells and fractions, and `N` lattice lines of both axes from `first` on, counted from the cell's lower one.
    #[inline(always)]
    pub(crate) fn locate<const N: usize>(&mut self, key: Key, first: i64) {
        self.split(0, first);
        self.x
            .fill::<0, N>(&self.fractions, &self.low, &self.high, key);
        self.split(1, first);
        self.y
            .fill::<1, N>(&self.fractions, &self.low, &self.high, key);
    }

    /// In passes of one width each: what mixes 64 and 32 bits is not vectorised on the baseline.
    #[inline(always)]
    fn split(&mut self, axis: usize, first: i64) {
        for k in 0..BLOCK {
            let p = self.at[axis][k];
            let (whole, cell) = math::floor(p);
            self.cells[k] = cell + first;
            self.fractions[k] = p - whole;
        }
        for k in 0..BLOCK {
            self.low[k] = self.cells[k] as u32;
        }
        for k in 0..BLOCK {
            self.high[k] = (self.cells[k] >> 32) as u32;
        }
    }
}

impl Located {
    #[inline(always)]
    fn fill<const AXIS: usize, const N: usize>(
        &mut self,
        fractions: &[f64; BLOCK],
        low: &[u32; BLOCK],
        high: &[u32; BLOCK],
        key: Key,
    ) {
        for k in 0..BLOCK {
            self.f[k] = fractions[k] as f32;
        }
        for n in 0..N {
            let lines = &mut self.lines[n];
            for k in 0..BLOCK {
                let next = low[k].wrapping_add(n as u32);
                let carry = u32::from(next < low[k]);
                lines[k] = hash::line_of::<AXIS>(next, high[k].wrapping_add(carry), key);
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
