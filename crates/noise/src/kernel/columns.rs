//! What all rows of a map have in common: for each octave, where each column lies between lattice lines.

use super::octave::Octave;
use crate::hash;
use crate::math::{self, BLOCK};

/// Kernels work on this many columns at once, and may run over the end of a cell by so many.
pub(crate) const LANES: usize = 8;

/// Columns of a strip, with room to run over.
pub(crate) type Wide = [f32; BLOCK + LANES];

/// Columns that share a lattice cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// The first column in its strip.
    pub(crate) start: usize,
    /// One past the last.
    pub(crate) end: usize,
    /// The node to the west, an index into `Strip::lines`; the next is the one to the east.
    pub(crate) node: usize,
}

/// [`BLOCK`] columns of one octave; the last strip of a map repeats its last column.
#[derive(Debug, Clone)]
pub(crate) struct Strip {
    /// Weight of the eastern line, u.
    pub(crate) u: Wide,
    /// f (1 − u), with the fraction f of a cell: the factor of the western gradient.
    pub(crate) west: Wide,
    /// (f − 1) u: that of the eastern one.
    pub(crate) east: Wide,
    pub(crate) runs: Vec<Run>,
    /// Hashes of the lattice lines.
    pub(crate) lines: Vec<u32>,
}

/// The most lines that a strip can meet, a whole number of lanes.
pub(crate) const MOST_LINES: usize = 2 * BLOCK;

impl Strip {
    pub(crate) fn new(octave: &Octave, xs_m: &[f64; BLOCK]) -> Self {
        let mut strip = Self {
            u: [0.0; BLOCK + LANES],
            west: [0.0; BLOCK + LANES],
            east: [0.0; BLOCK + LANES],
            runs: Vec::new(),
            lines: Vec::new(),
        };
        let mut last = None;
        for (col, &x_m) in xs_m.iter().enumerate() {
            // The y coefficient is 0 in a separable octave.
            let p = octave.at(0, x_m, 0.0);
            let (whole, cell) = math::floor(p);
            let f = (p - whole) as f32;
            let u = math::fade(f, octave.interpolation)[0];
            strip.u[col] = u;
            strip.west[col] = f * (1.0 - u);
            strip.east[col] = (f - 1.0) * u;
            strip.join(col, cell, last, octave);
            last = Some(cell);
        }
        strip
    }

    /// Puts a column into the run that it belongs to, or begins one.
    fn join(&mut self, col: usize, cell: i64, last: Option<i64>, octave: &Octave) {
        if last == Some(cell)
            && let Some(run) = self.runs.last_mut()
        {
            run.end = col + 1;
            return;
        }
        if last != Some(cell - 1) {
            self.lines.push(hash::line::<0>(cell, octave.key));
        }
        self.lines.push(hash::line::<0>(cell + 1, octave.key));
        self.runs.push(Run {
            start: col,
            end: col + 1,
            node: self.lines.len() - 2,
        });
    }
}
