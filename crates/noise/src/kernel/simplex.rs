//! Gradient noise on the triangular lattice, after Gustavson (*Simplex noise demystified*, 2005) and Spencer
//! (OpenSimplex2 and 2S, <https://github.com/KdotJPG/OpenSimplex2>): wavelets (R − r²)⁴ times a ramp.
//!
//! Skewed by (x + y)(√3 − 1) ÷ 2 the lattice is square. `R` is ½ for simplex and OpenSimplex2, so that three nodes reach
//! a place, and ⅔ for 2S, where four are needed.

use super::octave::Octave;
use super::points::{Located, Points};
use crate::expression::Source;
use crate::hash;
use crate::isa::{Isa, kernels};
use crate::math::{self, BLOCK, Block};

/// 1 ÷ the largest value with R = ½ and unit gradients; found by search, which the tests repeat.
pub(crate) const NARROW_SCALE: f64 = 99.204;
/// The same with the 24 directions.
pub(crate) const NARROW24_SCALE: f64 = 99.836;
/// With R = ⅔ and the 24 directions.
pub(crate) const WIDE_SCALE: f64 = 18.24;

/// (√3 − 1) ÷ 2.
const SKEW: f64 = 0.366_025_403_784_438_6;
/// (3 − √3) ÷ 6.
const UNSKEW: f64 = 0.211_324_865_405_187_13;
const G: f32 = UNSKEW as f32;

/// Skewed cells of a block: the lattice lines of both axes from `first` on, fractions of the cell.
#[inline(always)]
fn locate<const N: usize>(octave: &Octave, points: &Points, first: i64) -> (Located<N>, Located<N>) {
    let place = |k: usize| {
        let [x, y] = [0, 1].map(|axis| octave.at(axis, points.x_m[k], points.y_m[k]));
        (x, y, (x + y) * SKEW)
    };
    let x = Located::new::<0>(|k| { let (x, _, s) = place(k); x + s }, octave.key, first);
    let y = Located::new::<1>(|k| { let (_, y, s) = place(k); y + s }, octave.key, first);
    (x, y)
}

/// One of 24 directions, half-way between multiples of 15°.
#[inline(always)]
fn direction24(hash: u32) -> [f32; 2] {
    let k = ((hash >> 8) * 24) >> 24;
    math::circle((2 * k + 1).wrapping_mul(89_478_485))
}

#[inline(always)]
fn wavelet(r: f32, g: [f32; 2], x: f32, y: f32) -> f32 {
    let a = r - x * x - y * y;
    let a = if a > 0.0 { a } else { 0.0 };
    let a2 = a * a;
    a2 * a2 * (g[0] * x + g[1] * y)
}

#[inline(always)]
fn add_narrow(octave: &Octave, points: &Points, gradient: impl Fn(u32) -> [f32; 2], out: &mut Block) {
    let (x, y) = locate::<2>(octave, points, 0);
    for k in 0..BLOCK {
        let (fx, fy) = (x.f[k], y.f[k]);
        let t = (fx + fy) * G;
        let (x0, y0) = (fx - t, fy - t);
        let east = fx > fy;
        let (dx, dy) = if east { (1.0, 0.0) } else { (0.0, 1.0) };
        let middle = if east {
            x.lines[1][k].wrapping_add(y.lines[0][k])
        } else {
            x.lines[0][k].wrapping_add(y.lines[1][k])
        };
        let corner = |lines: u32, x: f32, y: f32| wavelet(0.5, gradient(hash::node(lines)), x, y);
        let near = corner(x.lines[0][k].wrapping_add(y.lines[0][k]), x0, y0);
        let middle = corner(middle, x0 - dx + G, y0 - dy + G);
        let far = corner(x.lines[1][k].wrapping_add(y.lines[1][k]), x0 - 1.0 + 2.0 * G, y0 - 1.0 + 2.0 * G);
        out[k] += octave.scale * (near + middle + far);
    }
}

/// Two of the four nodes are the cell's lower and upper corner; the other two depend on where in it the place lies.
#[inline(always)]
fn add_wide(octave: &Octave, points: &Points, out: &mut Block) {
    const R: f32 = 2.0 / 3.0;
    let (x, y) = locate::<4>(octave, points, -1);
    for k in 0..BLOCK {
        let (fx, fy) = (x.f[k], y.f[k]);
        let (lower, apart) = (fx + fy < 1.0, fx - fy);
        // Towards the east and the north: the near node of the pair, or the one beyond.
        let east = if lower { fx + apart < 0.0 } else { fx + apart > 1.0 };
        let north = if lower { fy - apart < 0.0 } else { fy - apart > 1.0 };
        let (i2, j2): (i32, i32) = match (lower, east) {
            (true, true) => (-1, 0),
            (true, false) => (1, 0),
            (false, true) => (2, 1),
            (false, false) => (0, 1),
        };
        let (i3, j3): (i32, i32) = match (lower, north) {
            (true, true) => (0, -1),
            (true, false) => (0, 1),
            (false, true) => (1, 2),
            (false, false) => (1, 0),
        };
        let pick = |lines: &[[u32; BLOCK]; 4], i: i32| {
            let low = if i < 0 { lines[0][k] } else { lines[1][k] };
            let high = if i < 2 { lines[2][k] } else { lines[3][k] };
            if i < 1 { low } else { high }
        };
        let t = (fx + fy) * G;
        let corner = |i: i32, j: i32| {
            let lines = pick(&x.lines, i).wrapping_add(pick(&y.lines, j));
            let (i, j) = (i as f32, j as f32);
            let back = (i + j) * G - t;
            wavelet(R, direction24(hash::node(lines)), fx - i + back, fy - j + back)
        };
        let sum = corner(0, 0) + corner(1, 1) + (corner(i2, j2) + corner(i3, j3));
        out[k] += octave.scale * sum;
    }
}

kernels! {
    fn simplex(octave: &Octave, points: &Points, out: &mut Block) {
        add_narrow(octave, points, math::circle, out);
    }

    fn open_simplex2(octave: &Octave, points: &Points, out: &mut Block) {
        add_narrow(octave, points, direction24, out);
    }

    fn open_simplex2s(octave: &Octave, points: &Points, out: &mut Block) {
        add_wide(octave, points, out);
    }
}

/// Adds an octave of wavelet noise at points, times its scale.
pub(crate) fn add(isa: Isa, octave: &Octave, points: &Points, out: &mut Block) {
    match octave.source {
        Source::OpenSimplex2 => open_simplex2(isa, octave, points, out),
        Source::OpenSimplex2S => open_simplex2s(isa, octave, points, out),
        _ => simplex(isa, octave, points, out),
    }
}
