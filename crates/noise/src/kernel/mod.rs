//! The inner loops, and why they are as they are: `README.md` beside this file.

pub(crate) mod cellular;
pub(crate) mod columns;
pub(crate) mod located;
pub(crate) mod noise_rs;
pub(crate) mod octave;
pub(crate) mod points;
pub(crate) mod rows;
pub(crate) mod separable;
pub(crate) mod simplex;
#[cfg(test)]
mod tests;
