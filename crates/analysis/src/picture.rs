//! Layers to images.

pub(crate) mod hillshade;
pub mod png;
