//! Lattice noise at scattered points: below a warp or a rotation nothing is shared between points.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use super::octave::{Nodes, Octave, Slice};
use crate::expression::Interpolation;
use crate::hash::{self, Key};
use crate::isa::{Isa, kernels};
use crate::math::{self, BLOCK, Block};

/// A block of places: easting and northing, m.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    pub(crate) x_m: [f64; BLOCK],
    pub(crate) y_m: [f64; BLOCK],
}

/// Where points lie between `N` lattice lines of one axis.
pub(crate) struct Located<const N: usize> {
    /// Hashes of the lines from `first` on, counted from the cell's lower one.
    pub(crate) lines: [[u32; BLOCK]; N],
    /// Fraction of the cell.
    pub(crate) f: Block,
}

impl<const N: usize> Located<N> {
    /// In passes of one width each: what mixes 64 and 32 bits is not vectorised on the baseline.
    #[inline(always)]
    pub(crate) fn new<const AXIS: usize>(at: &[f64; BLOCK], key: Key, first: i64) -> Self {
        let mut cells = [0_i64; BLOCK];
        let mut fractions = [0.0; BLOCK];
        for k in 0..BLOCK {
            let (whole, cell) = math::floor(at[k]);
            cells[k] = cell + first;
            fractions[k] = at[k] - whole;
        }
        let (mut low, mut high) = ([0_u32; BLOCK], [0_u32; BLOCK]);
        for k in 0..BLOCK {
            low[k] = cells[k] as u32;
        }
        for k in 0..BLOCK {
            high[k] = (cells[k] >> 32) as u32;
        }
        let mut found = Self {
            lines: [[0; BLOCK]; N],
            f: [0.0; BLOCK],
        };
        for k in 0..BLOCK {
            found.f[k] = fractions[k] as f32;
        }
        for (n, lines) in found.lines.iter_mut().enumerate() {
            for k in 0..BLOCK {
                let next = low[k].wrapping_add(n as u32);
                let carry = u32::from(next < low[k]);
                lines[k] = hash::line_of::<AXIS>(next, high[k].wrapping_add(carry), key);
            }
        }
        found
    }
}

impl Octave {
    /// Lattice coordinates of a block of points on one axis.
    #[inline(always)]
    pub(crate) fn along(&self, axis: usize, points: &Points) -> [f64; BLOCK] {
        let [a, b, c] = self.to_lattice[axis];
        let mut found = [0.0; BLOCK];
        for k in 0..BLOCK {
            found[k] = a * points.x_m[k] + b * points.y_m[k] + c;
        }
        found
    }
}

/// Fades and their derivatives for a block of fractions. The choice stands outside of the loop.
#[inline(always)]
fn fades(f: &Block, kind: Interpolation) -> [Block; 2] {
    #[inline(always)]
    fn with(f: &Block, kind: Interpolation) -> [Block; 2] {
        let mut found = [[0.0; BLOCK]; 2];
        for k in 0..BLOCK {
            let [u, du] = math::fade(f[k], kind);
            found[0][k] = u;
            found[1][k] = du;
        }
        found
    }
    match kind {
        Interpolation::Linear => with(f, Interpolation::Linear),
        Interpolation::Cosine => with(f, Interpolation::Cosine),
        Interpolation::Smoothstep => with(f, Interpolation::Smoothstep),
        Interpolation::Quintic => with(f, Interpolation::Quintic),
    }
}

/// The weight of what is `u` of the way from `a` to `b`.
#[inline(always)]
fn mix(u: f32, a: f32, b: f32) -> f32 {
    a + u * (b - a)
}

/// What a node looks like from (x, y) away.
trait Seen {
    fn seen(hash: u32, x: f32, y: f32, slice: &Slice) -> f32;
}

struct Circle;
struct SlopeX;
struct SlopeY;
struct Sphere;
struct Sphere4;
struct Value;

impl Seen for Circle {
    #[inline(always)]
    fn seen(hash: u32, x: f32, y: f32, _: &Slice) -> f32 {
        let g = math::circle(hash);
        g[0] * x + g[1] * y
    }
}

impl Seen for SlopeX {
    #[inline(always)]
    fn seen(hash: u32, x: f32, _: f32, _: &Slice) -> f32 {
        hash::signed(hash) * x
    }
}

impl Seen for SlopeY {
    #[inline(always)]
    fn seen(hash: u32, _: f32, y: f32, _: &Slice) -> f32 {
        hash::signed(hash) * y
    }
}

impl Seen for Sphere {
    #[inline(always)]
    fn seen(hash: u32, x: f32, y: f32, slice: &Slice) -> f32 {
        let g = math::sphere(hash);
        g[0] * x + g[1] * y + g[2] * slice.z
    }
}

impl Seen for Sphere4 {
    #[inline(always)]
    fn seen(hash: u32, x: f32, y: f32, slice: &Slice) -> f32 {
        let g = math::sphere4(hash);
        g[0] * x + g[1] * y + (g[2] * slice.z + g[3] * slice.w)
    }
}

impl Seen for Value {
    #[inline(always)]
    fn seen(hash: u32, _: f32, _: f32, _: &Slice) -> f32 {
        hash::signed(hash)
    }
}

#[inline(always)]
fn add_seen<S: Seen>(octave: &Octave, points: &Points, out: &mut Block) {
    let x = Located::<2>::new::<0>(&octave.along(0, points), octave.key, 0);
    let y = Located::<2>::new::<1>(&octave.along(1, points), octave.key, 0);
    let [u, _] = fades(&x.f, octave.interpolation);
    let [v, _] = fades(&y.f, octave.interpolation);
    for slice in &octave.slices {
        let weight = slice.weight * octave.scale;
        for k in 0..BLOCK {
            let [west, east] =
                [x.lines[0][k], x.lines[1][k]].map(|line| line.wrapping_add(slice.lines));
            let [south, north] = [y.lines[0][k], y.lines[1][k]];
            let (fx, fy) = (x.f[k], y.f[k]);
            let sw = S::seen(hash::node(west.wrapping_add(south)), fx, fy, slice);
            let se = S::seen(hash::node(east.wrapping_add(south)), fx - 1.0, fy, slice);
            let nw = S::seen(hash::node(west.wrapping_add(north)), fx, fy - 1.0, slice);
            let ne = S::seen(
                hash::node(east.wrapping_add(north)),
                fx - 1.0,
                fy - 1.0,
                slice,
            );
            out[k] += weight * mix(v[k], mix(u[k], sw, se), mix(u[k], nw, ne));
        }
    }
}

kernels! {
    fn circles(octave: &Octave, points: &Points, out: &mut Block) {
        add_seen::<Circle>(octave, points, out);
    }

    fn slopes_x(octave: &Octave, points: &Points, out: &mut Block) {
        add_seen::<SlopeX>(octave, points, out);
    }

    fn slopes_y(octave: &Octave, points: &Points, out: &mut Block) {
        add_seen::<SlopeY>(octave, points, out);
    }

    fn spheres(octave: &Octave, points: &Points, out: &mut Block) {
        add_seen::<Sphere>(octave, points, out);
    }

    fn spheres4(octave: &Octave, points: &Points, out: &mut Block) {
        add_seen::<Sphere4>(octave, points, out);
    }

    fn values(octave: &Octave, points: &Points, out: &mut Block) {
        add_seen::<Value>(octave, points, out);
    }

    /// Gradient noise in two dimensions and its derivatives by the lattice coordinates, times the octave's scale.
    pub(crate) fn with_slope(octave: &Octave, points: &Points, out: &mut Block, steps: &mut [Block; 2]) {
        let [dx, dy] = steps;
        let x = Located::<2>::new::<0>(&octave.along(0, points), octave.key, 0);
        let y = Located::<2>::new::<1>(&octave.along(1, points), octave.key, 0);
        let [u, du] = fades(&x.f, octave.interpolation);
        let [v, dv] = fades(&y.f, octave.interpolation);
        for k in 0..BLOCK {
            let [west, east] = [x.lines[0][k], x.lines[1][k]];
            let [south, north] = [y.lines[0][k], y.lines[1][k]];
            let (fx, fy) = (x.f[k], y.f[k]);
            let sw = corner(west.wrapping_add(south), fx, fy);
            let se = corner(east.wrapping_add(south), fx - 1.0, fy);
            let nw = corner(west.wrapping_add(north), fx, fy - 1.0);
            let ne = corner(east.wrapping_add(north), fx - 1.0, fy - 1.0);
            let south = [0, 1, 2].map(|i| mix(u[k], sw[i], se[i]));
            let north = [0, 1, 2].map(|i| mix(u[k], nw[i], ne[i]));
            let across = mix(v[k], se[2] - sw[2], ne[2] - nw[2]);
            out[k] = octave.scale * mix(v[k], south[2], north[2]);
            dx[k] = octave.scale * (mix(v[k], south[0], north[0]) + du[k] * across);
            dy[k] = octave.scale * (mix(v[k], south[1], north[1]) + dv[k] * (north[2] - south[2]));
        }
    }

    /// An independent number, uniform in [−1, 1), for each place of a lattice of 2⁻²⁰ m.
    fn white_noise(key: Key, points: &Points, out: &mut Block) {
        const STEPS: f64 = (1_u64 << 20) as f64;
        let steps = |c_m: &[f64; BLOCK]| c_m.map(|c_m| c_m * STEPS + 0.5);
        let x = Located::<1>::new::<0>(&steps(&points.x_m), key, 0);
        let y = Located::<1>::new::<1>(&steps(&points.y_m), key, 0);
        for k in 0..BLOCK {
            out[k] = hash::signed(hash::node(x.lines[0][k].wrapping_add(y.lines[0][k])));
        }
    }
}

/// A node's gradient, and what it looks like from (x, y) away.
#[inline(always)]
fn corner(lines: u32, x: f32, y: f32) -> [f32; 3] {
    let [gx, gy] = math::circle(hash::node(lines));
    [gx, gy, gx * x + gy * y]
}

/// Adds an octave of lattice noise at points, times its scale.
pub(crate) fn add(isa: Isa, octave: &Octave, points: &Points, out: &mut Block) {
    match octave.nodes {
        Nodes::Circle => circles(isa, octave, points, out),
        Nodes::SlopeX => slopes_x(isa, octave, points, out),
        Nodes::SlopeY => slopes_y(isa, octave, points, out),
        Nodes::Sphere => spheres(isa, octave, points, out),
        Nodes::Sphere4 => spheres4(isa, octave, points, out),
        Nodes::Value => values(isa, octave, points, out),
    }
}

/// White noise at points.
pub(crate) fn white(isa: Isa, key: Key, points: &Points, out: &mut Block) {
    white_noise(isa, key, points, out);
}
