//! Rasters in and out, features out: the only crate that sees GDAL.
//!
//! [`read()`] takes any raster that GDAL opens and hands on a north-up grid of square cells in metres, or refuses
//! it with the command that would make it one; [`inspect`] does so by the header alone. [`write()`] makes a GeoTIFF that is either complete under its final
//! name or not there, [`write_picture`] and [`write_film`] those of several bands, [`write_vectors`] files of
//! points, lines and areas. [`write_atomically`] does the same for files of other kinds.
//!
//! GDAL counts `(x, y)` in pixels and lines and places them by six affine coefficients; both end in this crate
//! (`affine` documents each coefficient). Everything that leaves it is indexed `(row, col)`, row 0 at the north.
//!
//! A GDAL dataset belongs to one thread: each call opens its own and closes it before it returns, so calls may
//! run side by side. GDAL writes nothing to stderr meanwhile; what it has to say is in the error.

mod advice;
mod affine;
mod atomic;
mod band;
mod crs;
mod error;
mod ffi;
mod file;
mod format;
mod layout;
mod open;
mod picture;
mod pixels;
mod read;
mod request;
mod source;
mod statistics;
mod steps;
mod units;
mod vector;
mod write;

pub use affine::Problem;
pub use atomic::write_atomically;
pub use band::{Band, Cells, DEFAULT_NODATA, Provenance};
pub use crs::check_crs;
pub use error::{ErrorKind, GeotiffError};
pub use ffi::free_space;
pub use format::{CACHE_BYTES, Compress, Format, GTIFF};
pub use layout::largest_file_bytes;
pub use picture::{Film, MOST_BANDS, write_film, write_picture};
pub use read::{Header, Note, Reading, inspect, read};
pub use request::{Fit, Method, Request};
pub use statistics::Statistics;
pub use steps::Steps;
pub use vector::{
    Contour, Feature, FeatureShape, FieldKind, FieldValue, Geometry, Paint, Position, Style,
    VectorFormat, VectorLayer, contours, write_vectors,
};
pub use write::{Written, write};
