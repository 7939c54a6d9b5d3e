//! Measures and pictures of terrain.
//!
//! [`measure`] turns layers into numbers, [`outline`] into polygons, [`picture`] into images. Nothing here reads or writes GIS formats, and nothing depends on the number of threads.

pub mod measure;
pub mod outline;
pub mod picture;

mod error;

pub use error::AnalysisError;
pub use measure::sanity::{self, Sanity};
pub use measure::statistics::{Statistics, statistics};
pub use picture::colour::{Ground, Look, Shade, colour};
pub use picture::hillshade::{Hillshade, hillshade};
pub use picture::png;
pub use picture::ramp::{Ramp, Rgb};
