//! Points, lines and areas to GeoPackage, GeoJSON and FlatGeobuf.

mod contours;
mod style;
mod types;
mod write;

pub use contours::{Contour, contours};
pub use style::{Paint, Style};
pub use types::{Feature, FeatureShape, FieldKind, FieldValue, Geometry, Position, VectorLayer};
pub use write::{VectorFormat, write_vectors};
