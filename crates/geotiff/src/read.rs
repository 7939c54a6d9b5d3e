//! Reading a raster as a map's ground: what is asked and what comes back. Its header is in `source`, its cells in `pixels`.

use crate::affine::Problem;
use crate::pixels::Ground;
use crate::request::Request;
use crate::source::{Opened, Source};
use crate::{GeotiffError, ffi};
use ndarray::Array2;
use std::path::Path;
use thalweg_grid::Grid;

/// What a user should know of a raster that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// No CRS: the map is a plane in metres without a place on the Earth.
    NoCrs,
    /// Feet became metres; one unit is this many.
    Converted {
        /// Metres per unit.
        metres: f64,
    },
    /// The first stored line was the southernmost; rows were turned round.
    SouthUp,
    /// Some values are not 32-bit floats and were rounded to the nearest.
    Rounded,
    /// There are other bands.
    OtherBands {
        /// How many there are in all.
        bands: usize,
    },
    /// Cells were computed anew on a plane of square metres.
    Reprojected {
        /// What it was.
        problem: Problem,
        /// Where the map lies now.
        crs: String,
        /// Edge of a cell, m.
        cell_size_m: f64,
    },
    /// Cells were computed anew on the wanted grid.
    Resampled,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCrs => f.write_str("no CRS: taken as a local plane in metres"),
            Self::Converted { metres } => write!(f, "values converted to metres, × {metres}"),
            Self::SouthUp => f.write_str("stored south-up: rows turned round"),
            Self::Rounded => f.write_str("values rounded to 32-bit floats"),
            Self::OtherBands { bands } => write!(f, "one of {bands} bands read"),
            Self::Reprojected {
                problem,
                crs,
                cell_size_m,
            } => write!(
                f,
                "{problem}; reprojected to {crs} with cells of {cell_size_m} m"
            ),
            Self::Resampled => f.write_str("resampled to the cells of `grid`"),
        }
    }
}

/// A raster that was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Its place; north-up, square cells, metres. The CRS is `EPSG:n` where the file's system has such a number,
    /// else WKT, and none where the file has none.
    pub grid: Grid,
    /// Values, m; 0 where there is no data.
    pub elevation: Array2<f32>,
    /// Where there is data; none means everywhere.
    pub valid: Option<Array2<bool>>,
    /// The nodata value that the file declares, as stored: hand it to [`crate::Band::with_nodata`].
    pub nodata: Option<f64>,
    /// Whether every value is kept exactly: 64-bit numbers may have to be rounded.
    pub lossless: bool,
    /// What a user should know.
    pub notes: Vec<Note>,
}

/// What a raster's header says, before any pixel is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// Its place, as in [`Reading::grid`].
    pub grid: Grid,
    /// The nodata value that the file declares, as stored.
    pub nodata: Option<f64>,
    /// What a user should know; whether values are rounded shows only when they are read.
    pub notes: Vec<Note>,
}

/// What [`read()`] would make of a raster, from its header alone: size, place, unit and number type are checked as
/// there, values are not.
///
/// # Errors
/// As [`read()`], but for what only the pixels tell: damage, emptiness, and values that are not finite.
pub fn inspect(path: &Path, request: &Request) -> Result<Header, GeotiffError> {
    ffi::listen(|| {
        let source = Source::open(path, request)?;
        Ok(source.opened(path, request)?.header)
    })
    .0
}

/// Reads one band of any raster that GDAL opens. NaN, the declared nodata value and the file's mask become the mask;
/// the band's scale and offset are applied; feet become metres where the band or the request says that it is in
/// feet, and a band without a unit is in metres.
///
/// # Errors
/// When the file is not there, not a raster, damaged, or empty of data; when there are several bands and none is
/// named; when a value with data is not finite in 32 bits; when the unit is unknown; when the wanted grid is not the
/// raster's or no part of it; when it has no place, is in degrees or feet, or its cells are not square or not north-up
/// (then with the `gdalwarp` command that mends it), and the request does not ask to mend that.
pub fn read(path: &Path, request: &Request) -> Result<Reading, GeotiffError> {
    ffi::listen(|| read_heard(path, request)).0
}

fn read_heard(path: &Path, request: &Request) -> Result<Reading, GeotiffError> {
    let source = Source::open(path, request)?;
    let Opened {
        band,
        scaling,
        south_up,
        window,
        header,
    } = source.opened(path, request)?;
    let shape = header.grid.shape;
    let mut ground = Ground::new(shape);
    let result = ground.read(path, &band, scaling, south_up, window);
    result.map_err(|error| source.explain(path, request, error))?;
    let mut notes = header.notes;
    if !ground.lossless {
        notes.push(Note::Rounded);
    }
    Ok(Reading {
        grid: header.grid,
        elevation: ground.elevation,
        valid: (ground.valid_cells < shape.cells()).then_some(ground.valid),
        nodata: header.nodata,
        lossless: ground.lossless,
        notes,
    })
}
