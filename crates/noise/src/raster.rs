//! Sources that are made for a whole lattice at once: diamond–square and cellular automata.
//!
//! Their lattices are those of the world and have no borders: a node depends on nodes near it and on hashes of its place,
//! so that any part of the lattice can be made from a somewhat larger one, and is the same in each.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

mod automaton;
mod diamond_square;

use crate::NoiseError;
use crate::expression::{Automaton, DiamondSquare};
use crate::hash::Key;
use crate::kernel::octave::Affine;
use crate::kernel::points::Points;
use crate::math::{self, BLOCK, Block};
use ndarray::Array2;

/// Nodes that a raster may have: 1 GiB of values.
pub(crate) const MOST_NODES: f64 = (1_u64 << 28) as f64;

/// A rectangle of lattice nodes, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nodes {
    pub(crate) x: [i64; 2],
    pub(crate) y: [i64; 2],
}

impl Nodes {
    /// The nodes around every place of a rectangle given in lattice coordinates.
    fn around(x: [f64; 2], y: [f64; 2]) -> Result<Self, NoiseError> {
        let count = (x[1] - x[0] + 4.0) * (y[1] - y[0] + 4.0);
        let far = x
            .into_iter()
            .chain(y)
            .fold(0.0_f64, |far, v| far.max(v.abs()));
        if !(count <= MOST_NODES && far <= crate::kernel::octave::REACH) {
            return Err(NoiseError::TooManyNodes { nodes: count });
        }
        let ends = |ends: [f64; 2]| [math::floor(ends[0]).1 - 1, math::floor(ends[1]).1 + 2];
        Ok(Self {
            x: ends(x),
            y: ends(y),
        })
    }

    fn wider(self, by: i64) -> Self {
        let wider = |[from, to]: [i64; 2]| [from - by, to + by];
        Self {
            x: wider(self.x),
            y: wider(self.y),
        }
    }

    /// Columns along x, rows along y.
    fn array(self) -> Array2<f32> {
        let count = |[from, to]: [i64; 2]| (to - from + 1) as usize;
        Array2::zeros((count(self.y), count(self.x)))
    }
}

/// Values at lattice nodes, and how to read them.
#[derive(Debug)]
pub(crate) struct Raster {
    values: Array2<f32>,
    /// The node at index (0, 0).
    first: [i64; 2],
    to_lattice: Affine,
    smooth: bool,
}

/// The rectangle of places, m, that will be asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) x_m: [f64; 2],
    pub(crate) y_m: [f64; 2],
}

impl Raster {
    pub(crate) fn diamond_square(
        of: &DiamondSquare,
        frame: Affine,
        extent: Extent,
        keys: &[Key],
    ) -> Result<Self, NoiseError> {
        let step_m = of.wavelength_m / (1_u64 << of.levels) as f64;
        let to_lattice = frame.map(|row| row.map(|v| v / step_m));
        let nodes = covered(to_lattice, extent)?;
        Ok(Self {
            values: diamond_square::values(nodes, of.gain, keys),
            first: [nodes.x[0], nodes.y[0]],
            to_lattice,
            smooth: true,
        })
    }

    pub(crate) fn automaton(
        of: &Automaton,
        frame: Affine,
        extent: Extent,
        key: Key,
    ) -> Result<Self, NoiseError> {
        // Cell n spans n to n + 1: smooth values stand at its middle.
        let half = if of.smooth { 0.5 } else { 0.0 };
        let to_lattice =
            frame.map(|[a, b, c]| [a / of.cell_m, b / of.cell_m, c / of.cell_m - half]);
        let nodes = covered(to_lattice, extent)?;
        Ok(Self {
            values: automaton::values(nodes, of, key),
            first: [nodes.x[0], nodes.y[0]],
            to_lattice,
            smooth: of.smooth,
        })
    }

    pub(crate) fn eval(&self, points: &Points, out: &mut Block) {
        for k in 0..BLOCK {
            let at = self
                .to_lattice
                .map(|[a, b, c]| a * points.x_m[k] + b * points.y_m[k] + c);
            let [(x, i), (y, j)] = at.map(math::floor);
            let value = |di: i64, dj: i64| {
                let index = [j + dj - self.first[1], i + di - self.first[0]].map(|n| n as usize);
                // Every place of the extent is covered; a block's padding repeats one of them.
                self.values.get(index).copied().unwrap_or(0.0)
            };
            out[k] = if self.smooth {
                let (u, v) = ((at[0] - x) as f32, (at[1] - y) as f32);
                let south = value(0, 0) * (1.0 - u) + value(1, 0) * u;
                let north = value(0, 1) * (1.0 - u) + value(1, 1) * u;
                south * (1.0 - v) + north * v
            } else {
                value(0, 0)
            };
        }
    }
}

fn covered(to_lattice: Affine, extent: Extent) -> Result<Nodes, NoiseError> {
    let [x, y] = to_lattice.map(|row| span(row, extent));
    Nodes::around(x, y)
}

/// The least and the largest coordinate over an extent.
pub(crate) fn span([a, b, c]: [f64; 3], extent: Extent) -> [f64; 2] {
    let ends = |factor: f64, [from, to]: [f64; 2]| {
        let (p, q) = (factor * from, factor * to);
        [p.min(q), p.max(q)]
    };
    let ([x0, x1], [y0, y1]) = (ends(a, extent.x_m), ends(b, extent.y_m));
    [x0 + y0 + c, x1 + y1 + c]
}
