//! Layers to images.

pub(crate) mod colour;
pub(crate) mod hillshade;
pub mod png;
pub(crate) mod ramp;
