//! Gradient noise on the triangular lattice, after Gustavson (*Simplex noise demystified*, 2005) and Spencer
//! (OpenSimplex2 and 2S, <https://github.com/KdotJPG/OpenSimplex2>): wavelets (R − r²)⁴ times a ramp.
//!
//! Skewed by (x + y)(√3 − 1) ÷ 2 the lattice is square. `R` is ½ for simplex and OpenSimplex2, so that three nodes reach
//! a place, and ⅔ for 2S, where four are needed.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use super::located::{Located, Workspace};
use super::octave::{Octave, Turning};
use super::points::Points;
use crate::expression::Source;
use crate::hash;
use crate::math::{self, BLOCK, Block};
use thalweg_grid::{Isa, kernels};

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
/// A cell's upper corner, on both axes.
const FAR: f32 = 1.0 - 2.0 * G;

/// Skewed cells of a block: `N` lattice lines of both axes from `first` on, fractions of the cell.
#[inline(always)]
fn locate<'a, const N: usize>(
    octave: &Octave,
    points: &Points,
    first: i64,
    work: &'a mut Workspace,
) -> (&'a Located, &'a Located) {
    let [x, y] = octave.to_lattice;
    let skew = [0, 1, 2].map(|i| (x[i] + y[i]) * SKEW);
    let skewed = [x, y].map(|row| [0, 1, 2].map(|i| row[i] + skew[i]));
    work.locate::<N>(&skewed, points, octave.key, first);
    (&work.x, &work.y)
}

/// Directions of the ramps.
trait Ramp {
    fn direction(hash: u32, turning: Turning) -> [f32; 2];
}

/// All of them.
struct All;
/// 24, half-way between multiples of 15°.
struct TwentyFour;
/// All of them, which turn.
struct AllTurning;
/// 24 at first.
struct TwentyFourTurning;

/// One of the 24 for a hash; 2³² make a turn.
#[inline(always)]
fn one_of_24(hash: u32) -> u32 {
    let k = ((hash >> 8) * 24) >> 24;
    // 2³² ÷ 48 for each half step.
    (2 * k + 1).wrapping_mul(89_478_485)
}

impl Ramp for All {
    #[inline(always)]
    fn direction(hash: u32, _: Turning) -> [f32; 2] {
        math::circle(hash)
    }
}

impl Ramp for TwentyFour {
    #[inline(always)]
    fn direction(hash: u32, _: Turning) -> [f32; 2] {
        math::circle_of_24(hash)
    }
}

impl Ramp for AllTurning {
    #[inline(always)]
    fn direction(hash: u32, turning: Turning) -> [f32; 2] {
        math::circle_at(hash.wrapping_add(turning.of(hash::again(hash))))
    }
}

impl Ramp for TwentyFourTurning {
    #[inline(always)]
    fn direction(hash: u32, turning: Turning) -> [f32; 2] {
        math::circle_at(one_of_24(hash).wrapping_add(turning.of(hash::again(hash))))
    }
}

/// The gradient of the node at which two lines meet.
#[inline(always)]
fn gradient<R: Ramp>(lines: u32, turning: Turning) -> [f32; 2] {
    R::direction(hash::node(lines), turning)
}

/// A node's wavelet, seen from (x, y) away.
#[inline(always)]
fn wavelet(g: [f32; 2], radius2: f32, x: f32, y: f32) -> f32 {
    let a = radius2 - x * x - y * y;
    let a = if a > 0.0 { a } else { 0.0 };
    let a2 = a * a;
    a2 * a2 * (g[0] * x + g[1] * y)
}

/// Points of which it is asked whether they lie in one cell: with fewer, four gradients for them cost what they save;
/// with more, they seldom do.
const NEIGHBOURS: usize = 32;

/// The lower two lines of both axes, where points from `first` on have them in common.
#[inline(always)]
fn shared(x: &Located, y: &Located, first: usize) -> Option<[[u32; 2]; 2]> {
    let mut others = 0;
    for k in first..first + NEIGHBOURS {
        others |= (x.lines[0][k] ^ x.lines[0][first]) | (y.lines[0][k] ^ y.lines[0][first]);
    }
    let pair = |of: &Located| [of.lines[0][first], of.lines[1][first]];
    (others == 0).then(|| [pair(x), pair(y)])
}

/// The wavelets of three nodes in a cell, at a fraction of it. The middle one is picked by whether it lies east.
#[inline(always)]
fn narrow(fx: f32, fy: f32, near: [f32; 2], middle: [[f32; 2]; 2], far: [f32; 2]) -> f32 {
    let t = (fx + fy) * G;
    let (px, py) = (fx - t, fy - t);
    let east = fx > fy;
    let pick = |se: f32, nw: f32| if east { se } else { nw };
    let [se, nw] = middle;
    let g = [pick(se[0], nw[0]), pick(se[1], nw[1])];
    let (dx, dy) = (pick(G - 1.0, G), pick(G, G - 1.0));
    wavelet(near, 0.5, px, py)
        + wavelet(g, 0.5, px + dx, py + dy)
        + wavelet(far, 0.5, px - FAR, py - FAR)
}

#[inline(always)]
fn add_narrow<R: Ramp>(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
    let (x, y) = locate::<2>(octave, points, 0, work);
    let turning = octave.turning;
    let corner = |west: u32, south: u32| gradient::<R>(west.wrapping_add(south), turning);
    for first in (0..BLOCK).step_by(NEIGHBOURS) {
        if let Some([[x0, x1], [y0, y1]]) = shared(x, y, first) {
            let lines = [[x0, y0], [x1, y0], [x0, y1], [x1, y1]];
            let mut gradients = [[0.0; 2]; 4];
            for (gradient, [x, y]) in gradients.iter_mut().zip(lines) {
                *gradient = corner(x, y);
            }
            let [near, se, nw, far] = gradients;
            for k in first..first + NEIGHBOURS {
                out[k] += octave.scale * narrow(x.f[k], y.f[k], near, [se, nw], far);
            }
            continue;
        }
        for k in first..first + NEIGHBOURS {
            let [x0, x1, y0, y1] = [x.lines[0][k], x.lines[1][k], y.lines[0][k], y.lines[1][k]];
            let [se, nw] = [x1.wrapping_add(y0), x0.wrapping_add(y1)];
            let middle = gradient::<R>(if x.f[k] > y.f[k] { se } else { nw }, turning);
            let value = narrow(x.f[k], y.f[k], corner(x0, y0), [middle; 2], corner(x1, y1));
            out[k] += octave.scale * value;
        }
    }
}

/// The line `n` cells off the lower corner, from −1 to 2.
#[inline(always)]
fn pick(lines: [u32; 4], n: i32) -> u32 {
    let low = if n < 0 { lines[0] } else { lines[1] };
    let high = if n < 2 { lines[2] } else { lines[3] };
    if n < 1 { low } else { high }
}

/// Two of the four nodes are the cell's lower and upper corner; the other two depend on where in it the place lies.
#[inline(always)]
fn add_wide<T: Ramp>(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
    const R: f32 = 2.0 / 3.0;
    let (x, y) = locate::<4>(octave, points, -1, work);
    let corner = |x: u32, y: u32| gradient::<T>(x.wrapping_add(y), octave.turning);
    for k in 0..BLOCK {
        let (fx, fy) = (x.f[k], y.f[k]);
        let columns = [x.lines[0][k], x.lines[1][k], x.lines[2][k], x.lines[3][k]];
        let rows = [y.lines[0][k], y.lines[1][k], y.lines[2][k], y.lines[3][k]];
        let (lower, apart) = (fx + fy < 1.0, fx - fy);
        // Whether a node beyond the cell is nearer than the one in it, towards x and towards y.
        let edge = if lower { 0.0 } else { 1.0 };
        let sign = if lower { -1.0 } else { 1.0 };
        let (beyond_x, beyond_y) = (
            (fx + apart - edge) * sign > 0.0,
            (fy - apart - edge) * sign > 0.0,
        );
        // (1, 0) or (−1, 0) below, (0, 1) or (2, 1) above; and the same with x and y changed.
        let near = if lower { 1 } else { 0 };
        let far = if lower { -1 } else { 2 };
        let (i2, j2) = (if beyond_x { far } else { near }, 1 - near);
        let (i3, j3) = (1 - near, if beyond_y { far } else { near });
        let t = (fx + fy) * G;
        let (px, py) = (fx - t, fy - t);
        let mut sum = wavelet(corner(columns[1], rows[1]), R, px, py);
        sum += wavelet(corner(columns[2], rows[2]), R, px - FAR, py - FAR);
        for (i, j) in [(i2, j2), (i3, j3)] {
            let g = corner(pick(columns, i), pick(rows, j));
            let (i, j) = (i as f32, j as f32);
            let back = (i + j) * G;
            sum += wavelet(g, R, px - i + back, py - j + back);
        }
        out[k] += octave.scale * sum;
    }
}

kernels! {
    fn simplex(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_narrow::<All>(octave, points, work, out);
    }

    fn simplex_turning(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_narrow::<AllTurning>(octave, points, work, out);
    }

    fn open_simplex2(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_narrow::<TwentyFour>(octave, points, work, out);
    }

    fn open_simplex2_turning(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_narrow::<TwentyFourTurning>(octave, points, work, out);
    }

    fn open_simplex2s(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_wide::<TwentyFour>(octave, points, work, out);
    }

    fn open_simplex2s_turning(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_wide::<TwentyFourTurning>(octave, points, work, out);
    }
}

/// Adds an octave of wavelet noise at points, times its scale.
pub(crate) fn add(
    isa: Isa,
    octave: &Octave,
    points: &Points,
    work: &mut Workspace,
    out: &mut Block,
) {
    let kernel = match (octave.source, octave.turns) {
        (Source::OpenSimplex2, false) => open_simplex2,
        (Source::OpenSimplex2, true) => open_simplex2_turning,
        (Source::OpenSimplex2S, false) => open_simplex2s,
        (Source::OpenSimplex2S, true) => open_simplex2s_turning,
        (_, false) => simplex,
        (_, true) => simplex_turning,
    };
    kernel(isa, octave, points, work, out);
}
