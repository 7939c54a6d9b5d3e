//! Lattice noise at scattered points: below a warp or a rotation nothing is shared between points.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use super::located::{Located, Workspace};
use super::octave::{Nodes, Octave, Slice};
use crate::hash::{self, Key};
use crate::math::{self, BLOCK, Block};
use thalweg_grid::{Isa, kernels};

/// A block of places: easting and northing, m.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    pub(crate) x_m: [f64; BLOCK],
    pub(crate) y_m: [f64; BLOCK],
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

/// Locates points between two lines of either axis, with weights.
#[inline(always)]
fn located<'a>(
    octave: &Octave,
    points: &Points,
    work: &'a mut Workspace,
) -> (&'a Located, &'a Located) {
    work.locate::<2>(&octave.to_lattice, points, octave.key, 0);
    work.x.fade(octave.interpolation);
    work.y.fade(octave.interpolation);
    (&work.x, &work.y)
}

#[inline(always)]
fn add_seen<S: Seen>(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
    let (x, y) = located(octave, points, work);
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
            out[k] += weight * mix(y.u[k], mix(x.u[k], sw, se), mix(x.u[k], nw, ne));
        }
    }
}

kernels! {
    fn circles(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_seen::<Circle>(octave, points, work, out);
    }

    fn slopes_x(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_seen::<SlopeX>(octave, points, work, out);
    }

    fn slopes_y(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_seen::<SlopeY>(octave, points, work, out);
    }

    fn spheres(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_seen::<Sphere>(octave, points, work, out);
    }

    fn spheres4(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_seen::<Sphere4>(octave, points, work, out);
    }

    fn values(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        add_seen::<Value>(octave, points, work, out);
    }

    /// Gradient noise in two dimensions and its derivatives by the lattice coordinates, times the octave's scale.
    pub(crate) fn with_slope(octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block, steps: &mut [Block; 2]) {
        let [dx, dy] = steps;
        let (x, y) = located(octave, points, work);
        let ([u, du], [v, dv]) = ([&x.u, &x.du], [&y.u, &y.du]);
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
    fn white_noise(key: Key, points: &Points, work: &mut Workspace, out: &mut Block) {
        const STEPS: f64 = (1_u64 << 20) as f64;
        work.locate::<1>(&[[STEPS, 0.0, 0.5], [0.0, STEPS, 0.5]], points, key, 0);
        for k in 0..BLOCK {
            out[k] = hash::signed(hash::node(work.x.lines[0][k].wrapping_add(work.y.lines[0][k])));
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
pub(crate) fn add(
    isa: Isa,
    octave: &Octave,
    points: &Points,
    work: &mut Workspace,
    out: &mut Block,
) {
    match octave.nodes {
        Nodes::Circle => circles(isa, octave, points, work, out),
        Nodes::SlopeX => slopes_x(isa, octave, points, work, out),
        Nodes::SlopeY => slopes_y(isa, octave, points, work, out),
        Nodes::Sphere => spheres(isa, octave, points, work, out),
        Nodes::Sphere4 => spheres4(isa, octave, points, work, out),
        Nodes::Value => values(isa, octave, points, work, out),
    }
}

/// White noise at points.
pub(crate) fn white(isa: Isa, key: Key, points: &Points, work: &mut Workspace, out: &mut Block) {
    white_noise(isa, key, points, work, out);
}
