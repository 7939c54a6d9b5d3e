//! Noise synthesis: heightmaps as functions of seed and world coordinates.
//!
//! A [`Noise`] is an expression. It is evaluated at cell *centres*, in metres of easting and northing, so that
//! a tile computed alone equals the same cells of the whole map and overlapping maps agree, bit for bit.
//! [`sample`] gives raw values of a window, [`synthesize`] a whole map in metres of elevation.
//!
//! Most kernels are those of the `noise` crate, reached through one small trait and hashed by us: its own
//! tables repeat every 256 lattice cells and give neighbouring seeds most of their octaves in common. Here
//! every octave has its own 64-bit lattice key and its own offset, both drawn from the stage's key. Two of
//! its kernels are replaced, because they are not continuous (see `kernel`).

mod error;
mod expression;
mod kernel;
mod lattice;
mod layer;
mod octave;
mod sample;
mod synthesize;
#[cfg(test)]
mod testing;

pub use error::NoiseError;
pub use expression::{Noise, Source, Sum};
pub use sample::sample;
pub use synthesize::{Range, synthesize};
