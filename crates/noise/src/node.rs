//! An expression made ready: every parameter lowered, every key drawn, evaluated block by block.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over blocks go through many arrays at once, by index"
)]

use crate::hash::Key;
use crate::kernel::columns::Strip;
use crate::kernel::octave::{Affine, Octave};
use crate::kernel::points::{self, Points};
use crate::kernel::separable::Lines;
use crate::layer::{Kept, Layer, Place};
use crate::math::{BLOCK, Block};
use crate::modify::{self, Combiner, Modifier};
use crate::raster::Raster;
use thalweg_grid::Isa;

/// One node. Changes of coordinates that are affine are part of the leaves by now.
#[derive(Debug)]
pub(crate) enum Node {
    Constant(f32),
    White(Key, Affine),
    /// A coordinate, cut to 0..1.
    Ramp([f64; 3]),
    /// The length of two coordinates, at most 1.
    Distance(Affine),
    Layer(Box<Layer>),
    Raster(Box<Raster>),
    Modify(Modifier, Box<Node>),
    Combine(Combiner, Vec<Node>),
    Blend(Box<[Node; 3]>),
    Select(Box<[Node; 3]>, f32, f32),
    Move(Box<Move>),
    /// A part that stands in several places: its values are kept for the others.
    Shared(usize, Box<Node>),
}

/// A change of coordinates that differs from place to place.
#[derive(Debug)]
pub(crate) struct Move {
    /// From places of the frame to those that are displaced.
    pub(crate) frame: Affine,
    pub(crate) by: Displacement,
    pub(crate) of: Node,
}

#[derive(Debug)]
pub(crate) enum Displacement {
    /// East and north, times an amplitude in metres.
    Fields(Node, Node, f64),
    /// East and north of each octave, one after the other; scales are metres.
    Octaves(Vec<[Octave; 2]>),
    /// About a point, m, within a radius, m: by so many turns at the point more than at the rim, and so many in all.
    Swirl {
        around_m: [f64; 2],
        radius_m: f64,
        turns: f64,
        all: f64,
    },
}

/// What a worker keeps while it goes through a strip row by row.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) isa: Isa,
    kept: Kept,
    /// Values of shared parts at the block at hand.
    shared: Vec<Option<Block>>,
}

impl Scratch {
    pub(crate) fn new(isa: Isa, octaves: usize, shared: usize) -> Self {
        Self {
            isa,
            kept: Kept {
                lines: vec![Lines::default(); octaves],
                work: Box::default(),
            },
            shared: vec![None; shared],
        }
    }

    /// Another strip: what is kept of lattice lines is not its own.
    pub(crate) fn next_strip(&mut self) {
        self.kept.lines.iter_mut().for_each(Lines::clear);
    }

    /// Another row.
    pub(crate) fn next_row(&mut self) {
        self.shared.iter_mut().for_each(|kept| *kept = None);
    }
}

impl Node {
    pub(crate) fn eval(&self, place: Place<'_>, scratch: &mut Scratch, out: &mut Block) {
        match self {
            Self::Constant(value) => out.fill(*value),
            Self::White(key, frame) => {
                let at = moved(place.points(), frame);
                points::white(scratch.isa, *key, &at, &mut scratch.kept.work, out);
            }
            Self::Ramp(row) => ramp(place.points(), *row, out),
            Self::Distance(frame) => distance(place.points(), frame, out),
            Self::Layer(layer) => layer.eval(scratch.isa, place, &mut scratch.kept, out),
            Self::Raster(raster) => raster.eval(place.points(), out),
            Self::Modify(modifier, of) => {
                of.eval(place, scratch, out);
                modifier.apply(scratch.isa, out);
            }
            Self::Combine(combiner, of) => combine(*combiner, of, place, scratch, out),
            Self::Blend(of) => mixed(of, None, place, scratch, out),
            Self::Select(of, threshold, falloff) => {
                mixed(of, Some([*threshold, *falloff]), place, scratch, out);
            }
            Self::Move(by) => by.eval(place, scratch, out),
            Self::Shared(slot, of) => shared(*slot, of, place, scratch, out),
        }
    }
}

fn combine(
    combiner: Combiner,
    of: &[Node],
    place: Place<'_>,
    scratch: &mut Scratch,
    out: &mut Block,
) {
    let Some((first, others)) = of.split_first() else {
        return out.fill(0.0);
    };
    first.eval(place, scratch, out);
    let mut other = [0.0; BLOCK];
    for node in others {
        node.eval(place, scratch, &mut other);
        combiner.apply(out, &other);
    }
}

/// The first two of three, mixed as the third says.
fn mixed(
    of: &[Node; 3],
    decide: Option<[f32; 2]>,
    place: Place<'_>,
    scratch: &mut Scratch,
    out: &mut Block,
) {
    let (mut other, mut mask) = ([0.0; BLOCK], [0.0; BLOCK]);
    of[0].eval(place, scratch, out);
    of[1].eval(place, scratch, &mut other);
    of[2].eval(place, scratch, &mut mask);
    if let Some([threshold, falloff]) = decide {
        modify::decide(&mut mask, threshold, falloff);
    }
    modify::blend(out, &other, &mask);
}

fn shared(slot: usize, of: &Node, place: Place<'_>, scratch: &mut Scratch, out: &mut Block) {
    if let Some(kept) = &scratch.shared[slot] {
        return *out = *kept;
    }
    of.eval(place, scratch, out);
    scratch.shared[slot] = Some(*out);
}

impl Move {
    fn eval(&self, place: Place<'_>, scratch: &mut Scratch, out: &mut Block) {
        let mut points = moved(place.points(), &self.frame);
        match &self.by {
            Displacement::Fields(east, north, amplitude_m) => {
                let (mut dx, mut dy) = ([0.0; BLOCK], [0.0; BLOCK]);
                east.eval(place, scratch, &mut dx);
                north.eval(place, scratch, &mut dy);
                displace(&mut points, &dx, &dy, *amplitude_m);
            }
            Displacement::Octaves(octaves) => {
                for [east, north] in octaves {
                    let (mut dx, mut dy) = ([0.0; BLOCK], [0.0; BLOCK]);
                    points::add(scratch.isa, east, &points, &mut scratch.kept.work, &mut dx);
                    points::add(scratch.isa, north, &points, &mut scratch.kept.work, &mut dy);
                    displace(&mut points, &dx, &dy, 1.0);
                }
            }
            Displacement::Swirl {
                around_m,
                radius_m,
                turns,
                all,
            } => swirl(&mut points, *around_m, *radius_m, *turns, *all),
        }
        self.of.eval(Place::Points(&points), scratch, out);
    }
}

fn displace(points: &mut Points, dx: &Block, dy: &Block, amplitude_m: f64) {
    for k in 0..BLOCK {
        points.x_m[k] += f64::from(dx[k]) * amplitude_m;
        points.y_m[k] += f64::from(dy[k]) * amplitude_m;
    }
}

/// What is seen turns clockwise where places turn the other way.
fn swirl(points: &mut Points, around_m: [f64; 2], radius_m: f64, turns: f64, all: f64) {
    for k in 0..BLOCK {
        let (x, y) = (points.x_m[k] - around_m[0], points.y_m[k] - around_m[1]);
        let inwards = 1.0 - (x * x + y * y).sqrt() / radius_m;
        if inwards > 0.0 {
            let angle = (turns * inwards * inwards + all) * std::f64::consts::TAU;
            let (sin, cos) = libm::sincos(angle);
            points.x_m[k] = around_m[0] + (cos * x - sin * y);
            points.y_m[k] = around_m[1] + (sin * x + cos * y);
        }
    }
}

/// Places seen through a change of coordinates.
fn moved(points: &Points, frame: &Affine) -> Points {
    let mut found = points.clone();
    let [[a, b, c], [d, e, f]] = *frame;
    for k in 0..BLOCK {
        let (x, y) = (points.x_m[k], points.y_m[k]);
        found.x_m[k] = a * x + b * y + c;
        found.y_m[k] = d * x + e * y + f;
    }
    found
}

fn ramp(points: &Points, [a, b, c]: [f64; 3], out: &mut Block) {
    for k in 0..BLOCK {
        let v = (a * points.x_m[k] + b * points.y_m[k] + c) as f32;
        out[k] = v.clamp(0.0, 1.0);
    }
}

fn distance(points: &Points, frame: &Affine, out: &mut Block) {
    let at = moved(points, frame);
    for k in 0..BLOCK {
        let d = (at.x_m[k] * at.x_m[k] + at.y_m[k] * at.y_m[k]).sqrt() as f32;
        out[k] = d.min(1.0);
    }
}

/// The strips of one octave: [`BLOCK`] columns each, the last repeated to fill up.
pub(crate) fn strips(octave: &Octave, xs_m: &[f64]) -> Vec<Strip> {
    xs_m.chunks(BLOCK)
        .map(|xs_m| Strip::new(octave, &padded(xs_m)))
        .collect()
}

/// A block of coordinates of which the last repeats.
pub(crate) fn padded(xs_m: &[f64]) -> [f64; BLOCK] {
    std::array::from_fn(|k| xs_m[k.min(xs_m.len() - 1)])
}
