//! Noise synthesis: heightmaps as functions of seed and world coordinates.
//!
//! A [`Noise`] is an expression. It is evaluated at cell *centres*, in metres of easting and northing, so that
//! a tile computed alone equals the same cells of the whole map and overlapping maps agree, bit for bit.
//! [`sample`] gives raw values of a window, [`synthesize`] a whole map in metres of elevation.
//!
//! An expression is lowered once (`lower`): parameters become numbers, keys are drawn, affine changes of coordinates go
//! into the leaves, and lattice noise that lies along rows and columns gets tables for them. Then workers go through the
//! map in strips of 128 columns, row by row (`sample`). The inner loops and what was measured of them are told in
//! `kernel/README.md`.

mod curve;
mod error;
mod expression;
mod hash;
mod kernel;
mod layer;
mod lower;
mod math;
mod modify;
mod node;
mod raster;
mod sample;
mod synthesize;
#[cfg(test)]
mod testing;

pub use error::NoiseError;
pub use expression::{
    Along, Automaton, Backend, Cells, DiamondSquare, Evolution, Interpolation, Metric, Noise,
    Plain, Source, Sum, Value, Warp, WarpMode,
};
pub use sample::{sample, sample_with};
pub use synthesize::{Film, Range, synthesize};
pub use thalweg_grid::Instructions;
