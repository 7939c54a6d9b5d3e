//! Worley's cellular noise: distances to the nearest of one uniformly drawn point per lattice cell.
//!
//! A place's own cell holds a point at most √2 away and its nearer neighbour one at most √2.5 away, so the second
//! nearest can lie two cells out, but not three: 5 × 5 cells are exact and 3 × 3 are not. The outer ring is looked into
//! only by blocks in which a place may find something there, which is most of them for F2 and few for F1.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use super::located::{Located, Workspace};
use super::octave::{Octave, Turning};
use super::points::Points;
use crate::expression::{Cells, Metric, Value};
use crate::hash;
use crate::math::{BLOCK, Block};
use thalweg_grid::{Isa, kernels};

/// The nearest two distances (squared where Euclidean) and the hash of the nearest cell, of a block.
struct Nearest {
    first: Block,
    second: Block,
    cell: [u32; BLOCK],
}

/// The largest F1 and F2 that there can be, for each metric. F1: from a corner to the opposite one of the place's cell.
/// F2: from the middle of two sides' corner, say (½, ½), to the far corner of the nearer neighbour.
pub(crate) const fn largest(cells: Cells) -> f64 {
    match (cells.metric, cells.value) {
        (Metric::Euclidean, Value::Nearest) => std::f64::consts::SQRT_2,
        (Metric::Euclidean, _) => 1.581_138_830_084_189_8,
        (Metric::Manhattan, _) => 2.0,
        (Metric::Chebyshev, Value::Nearest) => 1.0,
        (Metric::Chebyshev, _) => 1.5,
    }
}

#[inline(always)]
fn distance(metric: Metric, x: f32, y: f32) -> f32 {
    match metric {
        Metric::Euclidean => x * x + y * y,
        Metric::Manhattan => x.abs() + y.abs(),
        Metric::Chebyshev => {
            let (x, y) = (x.abs(), y.abs());
            if x > y { x } else { y }
        }
    }
}

/// Where a node's point lies in its cell: 16 bits for either coordinate, in the middle of their steps.
trait Point {
    fn at(hash: u32, turning: Turning) -> [f32; 2];
}

/// It lies still.
struct Still;
/// It runs to and fro along either coordinate: uniform at any moment.
struct Running;

impl Point for Still {
    #[inline(always)]
    fn at(hash: u32, _: Turning) -> [f32; 2] {
        [hash >> 16, hash & 0xffff].map(|bits| (bits as f32 + 0.5) * (1.0 / 65_536.0))
    }
}

impl Point for Running {
    #[inline(always)]
    fn at(hash: u32, turning: Turning) -> [f32; 2] {
        let rates = hash::again(hash);
        let x = hash.wrapping_add(turning.of(rates));
        let y = (hash << 16).wrapping_add(turning.of(rates >> 16));
        // Half a turn there, half a turn back; the 24 highest bits of it.
        [x, y].map(|p| {
            let folded = if p >> 31 == 0 { p } else { !p };
            ((folded >> 7) as f32 + 0.5) * (1.0 / 16_777_216.0)
        })
    }
}

/// Looks into the cell (i, j) of 5 × 5 for every place.
#[inline(always)]
fn look<P: Point>(
    metric: Metric,
    (x, y): (&Located, &Located),
    (i, j): (usize, usize),
    turning: Turning,
    found: &mut Nearest,
) {
    let (dx, dy) = (i as f32 - 2.0, j as f32 - 2.0);
    for k in 0..BLOCK {
        let hash = hash::node(x.lines[i][k].wrapping_add(y.lines[j][k]));
        let [px, py] = P::at(hash, turning);
        let (px, py) = (px + dx - x.f[k], py + dy - y.f[k]);
        let d = distance(metric, px, py);
        let nearer = d < found.first[k];
        let rest = if nearer { found.first[k] } else { d };
        found.second[k] = if rest < found.second[k] {
            rest
        } else {
            found.second[k]
        };
        found.first[k] = if nearer { d } else { found.first[k] };
        found.cell[k] = if nearer { hash } else { found.cell[k] };
    }
}

#[inline(always)]
fn search<P: Point>(
    metric: Metric,
    second: bool,
    octave: &Octave,
    points: &Points,
    work: &mut Workspace,
) -> Nearest {
    work.locate::<5>(&octave.to_lattice, points, octave.key, -2);
    let (at, turning) = ((&work.x, &work.y), octave.turning);
    let mut found = Nearest {
        first: [f32::MAX; BLOCK],
        second: [f32::MAX; BLOCK],
        cell: [0; BLOCK],
    };
    for j in 1..4 {
        for i in 1..4 {
            look::<P>(metric, at, (i, j), turning, &mut found);
        }
    }
    // The outer ring is one cell away and more.
    let bound = if second { &found.second } else { &found.first };
    if bound.iter().any(|d| *d > 1.0) {
        for j in 0..5 {
            for i in 0..5 {
                if i % 4 == 0 || j % 4 == 0 {
                    look::<P>(metric, at, (i, j), turning, &mut found);
                }
            }
        }
    }
    found
}

#[inline(always)]
fn with_metric<P: Point>(
    metric: Metric,
    value: Value,
    octave: &Octave,
    points: &Points,
    work: &mut Workspace,
    out: &mut Block,
) {
    let found = search::<P>(
        metric,
        matches!(value, Value::Second | Value::Border),
        octave,
        points,
        work,
    );
    let scale = (2.0 / largest(Cells { metric, value })) as f32;
    let root = |d: f32| {
        if metric == Metric::Euclidean {
            d.sqrt()
        } else {
            d
        }
    };
    for k in 0..BLOCK {
        let told = match value {
            Value::Nearest => scale * root(found.first[k]) - 1.0,
            Value::Second => scale * root(found.second[k]) - 1.0,
            Value::Border => scale * (root(found.second[k]) - root(found.first[k])) - 1.0,
            Value::Cell => hash::signed(hash::again(found.cell[k])),
        };
        out[k] += octave.scale * told;
    }
}

#[inline(always)]
fn nearest<P: Point>(
    cells: Cells,
    octave: &Octave,
    points: &Points,
    work: &mut Workspace,
    out: &mut Block,
) {
    let value = cells.value;
    // One loop for each: the choice stands outside of it.
    match cells.metric {
        Metric::Euclidean => with_metric::<P>(Metric::Euclidean, value, octave, points, work, out),
        Metric::Manhattan => with_metric::<P>(Metric::Manhattan, value, octave, points, work, out),
        Metric::Chebyshev => with_metric::<P>(Metric::Chebyshev, value, octave, points, work, out),
    }
}

kernels! {
    fn still(cells: Cells, octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        nearest::<Still>(cells, octave, points, work, out);
    }

    fn running(cells: Cells, octave: &Octave, points: &Points, work: &mut Workspace, out: &mut Block) {
        nearest::<Running>(cells, octave, points, work, out);
    }
}

/// Adds an octave of cellular noise at points, times its scale.
pub(crate) fn add(
    isa: Isa,
    cells: Cells,
    octave: &Octave,
    points: &Points,
    work: &mut Workspace,
    out: &mut Block,
) {
    let kernel = if octave.turns { running } else { still };
    kernel(isa, cells, octave, points, work, out);
}
