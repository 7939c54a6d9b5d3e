use crate::lattice::Lattice;
use thalweg_grid::{Purpose, StageKey};

/// Lattice cells from the origin of the coordinates within which noise keeps its detail: a position in the
/// lattice is an f64, which here still resolves 1/4096 of a cell.
pub(crate) const REACH: f64 = (1_u64 << 40) as f64;

/// One octave's place in the world: how metres map to its lattice, and the lattice's key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Octave {
    /// Lattice cells per metre.
    frequency: f64,
    /// Where the world's origin lies in a lattice cell. Gradient noise is 0 along lattice lines; without an
    /// offset whole rows of cells would lie on them when the wavelength is a whole number of cells.
    offset: [f64; 2],
    /// The nodes' randomness.
    pub(crate) lattice: Lattice,
    /// Factor of its values in a sum.
    pub(crate) weight: f64,
}

impl Octave {
    /// Octave `index` of the stage's layer `layer`. Its key and offset depend on nothing else: another octave
    /// more or less changes none of the others.
    pub(crate) fn new(key: StageKey, layer: u64, index: u64, frequency: f64, weight: f64) -> Self {
        let bits = |part| key.bits(Purpose::Noise, layer, index * 4 + part);
        Self {
            frequency,
            offset: [unit(bits(1)), unit(bits(2))],
            lattice: Lattice::new(bits(0)),
            weight,
        }
    }

    #[inline]
    pub(crate) fn x(&self, x_m: f64) -> f64 {
        x_m * self.frequency + self.offset[0]
    }

    #[inline]
    pub(crate) fn y(&self, y_m: f64) -> f64 {
        y_m * self.frequency + self.offset[1]
    }
}

/// A number strictly between 0 and 1.
fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}
