//! A leaf of an expression: the octaves of one source, and how they are put together.

use crate::expression::{Backend, Cells, HYBRID_OFFSET, Source};
use crate::kernel::columns::Strip;
use crate::kernel::located::Workspace;
use crate::kernel::octave::Octave;
use crate::kernel::points::Points;
use crate::kernel::rows::Row;
use crate::kernel::separable::Lines;
use crate::kernel::{cellular, noise_rs, points, separable, simplex};
use crate::math::{self, BLOCK, Block};
use thalweg_grid::{Isa, kernels};

/// How octaves are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Fbm,
    Billow,
    Turbulence,
    Ridged,
    Hybrid,
    Heterogeneous,
    PingPong,
    Eroded,
}

/// The octaves of one source.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) octaves: Vec<Octave>,
    pub(crate) combine: Combine,
    pub(crate) cells: Cells,
    pub(crate) backend: Backend,
    /// Tables for the map's rows and columns, where the layer lies along them.
    pub(crate) tables: Option<Tables>,
}

/// What a worker keeps from block to block.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Lattice lines, of all octaves that lie along rows and columns.
    pub(crate) lines: Vec<Lines>,
    pub(crate) work: Box<Workspace>,
}

/// What the rows and the columns of a map have in common, for each octave.
#[derive(Debug)]
pub(crate) struct Tables {
    /// By octave, then strip.
    pub(crate) strips: Vec<Vec<Strip>>,
    /// By octave, then row.
    pub(crate) rows: Vec<Vec<Row>>,
    /// The first of the octaves' places among a worker's lattice lines.
    pub(crate) slot: usize,
}

/// Where a block of values lies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// On the map: a strip of columns and a row.
    Map {
        strip: usize,
        row: usize,
        /// The same cells as points.
        points: &'a Points,
    },
    /// Anywhere.
    Points(&'a Points),
}

impl<'a> Place<'a> {
    pub(crate) const fn points(self) -> &'a Points {
        match self {
            Self::Map { points, .. } | Self::Points(points) => points,
        }
    }
}

impl Layer {
    /// Whether kernels for whole rows can do it.
    pub(crate) fn separable(&self) -> bool {
        let straight = |octave: &Octave| {
            let [[_, b, _], [d, ..]] = octave.to_lattice;
            b.abs() + d.abs() == 0.0
        };
        self.backend == Backend::Thalweg
            && self.combine != Combine::Eroded
            && self.octaves.iter().all(|octave| {
                matches!(octave.source, Source::Perlin | Source::Value) && straight(octave)
            })
    }

    pub(crate) fn eval(&self, isa: Isa, place: Place<'_>, kept: &mut Kept, out: &mut Block) {
        match self.combine {
            Combine::Fbm => {
                *out = [0.0; BLOCK];
                (0..self.octaves.len()).for_each(|i| self.add_octave(isa, i, place, kept, out));
            }
            Combine::Eroded => self.eroded(isa, place.points(), &mut kept.work, out),
            _ => self.combined(isa, place, kept, out),
        }
    }

    /// Adds octave `i`, times its weight.
    fn add_octave(&self, isa: Isa, i: usize, place: Place<'_>, kept: &mut Kept, out: &mut Block) {
        let octave = &self.octaves[i];
        if let (Place::Map { strip, row, .. }, Some(tables)) = (place, &self.tables) {
            let (strip, row) = (&tables.strips[i][strip], &tables.rows[i][row]);
            return separable::add(
                isa,
                octave,
                strip,
                row,
                &mut kept.lines[tables.slot + i],
                out,
            );
        }
        let at = place.points();
        match (self.backend, octave.source) {
            (Backend::NoiseRs, _) => noise_rs::add(octave, octave.weight, at, out),
            (_, Source::Perlin | Source::Value) => {
                points::add(isa, octave, at, &mut kept.work, out)
            }
            (_, Source::Worley) => cellular::add(isa, self.cells, octave, at, &mut kept.work, out),
            _ => simplex::add(isa, octave, at, &mut kept.work, out),
        }
    }

    /// Octave by octave, where one depends on those before.
    fn combined(&self, isa: Isa, place: Place<'_>, kept: &mut Kept, out: &mut Block) {
        let (mut signal, mut state) = ([0.0; BLOCK], [1.0; BLOCK]);
        *out = [0.0; BLOCK];
        for (i, octave) in self.octaves.iter().enumerate() {
            signal.fill(0.0);
            self.add_octave(isa, i, place, kept, &mut signal);
            let w = octave.weight;
            match self.combine {
                Combine::Billow => billow(isa, &signal, w, out),
                Combine::Turbulence => turbulence(isa, &signal, out),
                Combine::Ridged => ridged(isa, &signal, w, &mut state, out),
                Combine::Hybrid => hybrid(isa, &signal, w, &mut state, out),
                Combine::Heterogeneous => heterogeneous(isa, &signal, w, i == 0, out),
                Combine::PingPong => ping_pong(isa, &signal, w, out),
                Combine::Fbm | Combine::Eroded => {}
            }
        }
    }

    fn eroded(&self, isa: Isa, at: &Points, work: &mut Workspace, out: &mut Block) {
        let (mut slope, mut steps) = ([[0.0; BLOCK]; 2], [[0.0; BLOCK]; 2]);
        let mut n = [0.0; BLOCK];
        *out = [0.0; BLOCK];
        for octave in &self.octaves {
            points::with_slope(isa, octave, at, work, &mut n, &mut steps);
            damped(isa, &n, &steps, &octave.turned, &mut slope, out);
        }
    }
}

// Signals come times their weight w. Weights of the normalised sums add up to 1.
kernels! {
    fn billow(signal: &Block, w: f32, out: &mut Block) {
        for k in 0..BLOCK {
            out[k] += 2.0 * signal[k].abs() - w;
        }
    }

    fn turbulence(signal: &Block, out: &mut Block) {
        for k in 0..BLOCK {
            out[k] += signal[k].abs();
        }
    }

    /// The state is min(1, 2 r) of the octave before.
    fn ridged(signal: &Block, w: f32, state: &mut Block, out: &mut Block) {
        // An octave without weight adds nothing and leaves nothing for those behind it.
        let back = if w > 0.0 { 1.0 / w } else { 0.0 };
        for k in 0..BLOCK {
            let ridge = 1.0 - signal[k].abs() * back;
            let value = ridge * ridge * state[k];
            out[k] += w * value;
            let next = FEEDBACK * value;
            state[k] = if next < 1.0 { next } else { 1.0 };
        }
    }

    /// The state is min(1, s w) of the octave before.
    fn hybrid(signal: &Block, w: f32, state: &mut Block, out: &mut Block) {
        const OFFSET: f32 = HYBRID_OFFSET as f32;
        for k in 0..BLOCK {
            let value = (signal[k] + OFFSET * w) * state[k];
            out[k] += value;
            state[k] = if value < 1.0 { value } else { 1.0 };
        }
    }

    fn heterogeneous(signal: &Block, w: f32, first: bool, out: &mut Block) {
        // Halved, and divided by the largest that an octave can make of it: 1 at most after each.
        let scale = if first { 0.5 } else { 1.0 / (1.0 + 2.0 * w) };
        for k in 0..BLOCK {
            let before = if first { 1.0 } else { out[k] };
            let more = signal[k] + w;
            out[k] = if first { more * scale } else { (before + before * more) * scale };
        }
    }

    fn ping_pong(signal: &Block, w: f32, out: &mut Block) {
        let back = if w > 0.0 { 1.0 / w } else { 0.0 };
        for k in 0..BLOCK {
            let t = 2.0 * (signal[k] * back + 1.0);
            let (whole, _) = math::floor(f64::from(t) * 0.5);
            let t = t - 2.0 * whole as f32;
            let folded = if t < 1.0 { t } else { 2.0 - t };
            out[k] += w * (2.0 * folded - 1.0);
        }
    }

    fn damped(n: &Block, steps: &[Block; 2], turned: &[[f32; 2]; 2], slope: &mut [Block; 2], out: &mut Block) {
        let ([dx, dy], [sx, sy]) = (steps, slope);
        for k in 0..BLOCK {
            sx[k] += dx[k] * turned[0][0] + dy[k] * turned[1][0];
            sy[k] += dx[k] * turned[0][1] + dy[k] * turned[1][1];
            out[k] += n[k] / (1.0 + sx[k] * sx[k] + sy[k] * sy[k]);
        }
    }
}

/// Musgrave's "gain": below 1 hardly a ridge carries detail, above 4 the valleys do as well.
const FEEDBACK: f32 = 2.0;
