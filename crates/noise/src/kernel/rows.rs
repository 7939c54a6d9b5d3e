//! What all columns of a map have in common: for each octave, where each row lies between lattice lines.

use super::octave::Octave;
use crate::{hash, math};

/// One row of one octave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The lattice cell.
    pub(crate) cell: i64,
    /// Hashes of the lines south and north of it.
    pub(crate) lines: [u32; 2],
    /// 1 − v and v, with the weight v of the northern line.
    pub(crate) share: [f32; 2],
    /// f (1 − v) and (f − 1) v, with the fraction f of a cell: factors of the gradients.
    pub(crate) rise: [f32; 2],
}

impl Row {
    pub(crate) fn new(octave: &Octave, y_m: f64) -> Self {
        // The x coefficient is 0 in a separable octave.
        let p = octave.at(1, 0.0, y_m);
        let (whole, cell) = math::floor(p);
        let f = (p - whole) as f32;
        let v = math::fade(f, octave.interpolation)[0];
        Self {
            cell,
            lines: [cell, cell + 1].map(|cell| hash::line::<1>(cell, octave.key)),
            share: [1.0 - v, v],
            rise: [f * (1.0 - v), (f - 1.0) * v],
        }
    }
}
