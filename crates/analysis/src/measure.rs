//! Layers to numbers.

pub mod sanity;
pub(crate) mod statistics;
