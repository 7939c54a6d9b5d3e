//! Lattice noise at scattered points: below a warp or a rotation nothing is shared between points.

use super::octave::{Nodes, Octave};
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
    #[inline(always)]
    pub(crate) fn new<const AXIS: usize>(at: impl Fn(usize) -> f64, key: Key, first: i64) -> Self {
        let mut found = Self {
            lines: [[0; BLOCK]; N],
            f: [0.0; BLOCK],
        };
        let mut cells = [0_i64; BLOCK];
        for k in 0..BLOCK {
            let p = at(k);
            let (whole, cell) = math::floor(p);
            cells[k] = cell + first;
            found.f[k] = (p - whole) as f32;
        }
        found.hash::<AXIS>(&cells, key);
        found
    }

    /// Hashes the lines from `cells` on.
    #[inline(always)]
    pub(crate) fn hash<const AXIS: usize>(&mut self, cells: &[i64; BLOCK], key: Key) {
        for (n, lines) in self.lines.iter_mut().enumerate() {
            for k in 0..BLOCK {
                let cell = cells[k] + n as i64;
                lines[k] = hash::line_of::<AXIS>(cell as u32, (cell >> 32) as u32, key);
            }
        }
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

/// Adds noise whose value at a node, seen from (x, y) away, is `seen(hash, x, y)`.
#[inline(always)]
fn add_with(octave: &Octave, points: &Points, seen: impl Fn(u32, f32, f32, &super::octave::Slice) -> f32, out: &mut Block) {
    let x = Located::<2>::new::<0>(|k| octave.at(0, points.x_m[k], points.y_m[k]), octave.key, 0);
    let y = Located::<2>::new::<1>(|k| octave.at(1, points.x_m[k], points.y_m[k]), octave.key, 0);
    let [u, _] = fades(&x.f, octave.interpolation);
    let [v, _] = fades(&y.f, octave.interpolation);
    for slice in &octave.slices {
        let weight = slice.weight * octave.scale;
        for k in 0..BLOCK {
            let corner = |i: usize, j: usize| {
                let lines = x.lines[i][k].wrapping_add(y.lines[j][k]).wrapping_add(slice.lines);
                seen(hash::node(lines), x.f[k] - i as f32, y.f[k] - j as f32, slice)
            };
            let south = mix(u[k], corner(0, 0), corner(1, 0));
            let north = mix(u[k], corner(0, 1), corner(1, 1));
            out[k] += weight * mix(v[k], south, north);
        }
    }
}

kernels! {
    fn circles(octave: &Octave, points: &Points, out: &mut Block) {
        add_with(octave, points, |hash, x, y, _| { let g = math::circle(hash); g[0] * x + g[1] * y }, out);
    }

    fn slopes_x(octave: &Octave, points: &Points, out: &mut Block) {
        add_with(octave, points, |hash, x, _, _| hash::signed(hash) * x, out);
    }

    fn slopes_y(octave: &Octave, points: &Points, out: &mut Block) {
        add_with(octave, points, |hash, _, y, _| hash::signed(hash) * y, out);
    }

    fn spheres(octave: &Octave, points: &Points, out: &mut Block) {
        add_with(octave, points, |hash, x, y, slice| {
            let g = math::sphere(hash);
            g[0] * x + g[1] * y + g[2] * slice.z
        }, out);
    }

    fn spheres4(octave: &Octave, points: &Points, out: &mut Block) {
        add_with(octave, points, |hash, x, y, slice| {
            let g = math::sphere4(hash);
            g[0] * x + g[1] * y + (g[2] * slice.z + g[3] * slice.w)
        }, out);
    }

    fn values(octave: &Octave, points: &Points, out: &mut Block) {
        add_with(octave, points, |hash, _, _, _| hash::signed(hash), out);
    }

    /// Gradient noise in two dimensions and its derivatives by the lattice coordinates, times the octave's scale.
    pub(crate) fn with_slope(octave: &Octave, points: &Points, out: &mut Block, dx: &mut Block, dy: &mut Block) {
        let x = Located::<2>::new::<0>(|k| octave.at(0, points.x_m[k], points.y_m[k]), octave.key, 0);
        let y = Located::<2>::new::<1>(|k| octave.at(1, points.x_m[k], points.y_m[k]), octave.key, 0);
        let [u, du] = fades(&x.f, octave.interpolation);
        let [v, dv] = fades(&y.f, octave.interpolation);
        for k in 0..BLOCK {
            let corner = |i: usize, j: usize| {
                let [gx, gy] = math::circle(hash::node(x.lines[i][k].wrapping_add(y.lines[j][k])));
                [gx, gy, gx * (x.f[k] - i as f32) + gy * (y.f[k] - j as f32)]
            };
            let [sw, se, nw, ne] = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
            let south: [f32; 3] = std::array::from_fn(|i| mix(u[k], sw[i], se[i]));
            let north: [f32; 3] = std::array::from_fn(|i| mix(u[k], nw[i], ne[i]));
            let across = mix(v[k], se[2] - sw[2], ne[2] - nw[2]);
            out[k] = octave.scale * mix(v[k], south[2], north[2]);
            dx[k] = octave.scale * (mix(v[k], south[0], north[0]) + du[k] * across);
            dy[k] = octave.scale * (mix(v[k], south[1], north[1]) + dv[k] * (north[2] - south[2]));
        }
    }

    /// An independent number, uniform in [−1, 1), for each place of a lattice of 2⁻²⁰ m.
    fn white_noise(key: Key, points: &Points, out: &mut Block) {
        const STEPS: f64 = (1_u64 << 20) as f64;
        let x = Located::<1>::new::<0>(|k| points.x_m[k] * STEPS + 0.5, key, 0);
        let y = Located::<1>::new::<1>(|k| points.y_m[k] * STEPS + 0.5, key, 0);
        for k in 0..BLOCK {
            out[k] = hash::signed(hash::node(x.lines[0][k].wrapping_add(y.lines[0][k])));
        }
    }
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
