//! Reading a raster as a map's ground: its place, unit and system here, its cells in `pixels`.

use crate::advice::{self, Case};
use crate::affine::{self, Placement, Problem};
use crate::pixels::{Ground, Scaling};
use crate::{GeotiffError, crs, ffi, units};
use gdal::raster::{GdalDataType, RasterBand};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DatasetOptions, GdalOpenFlags};
use ndarray::Array2;
use std::path::Path;
use thalweg_grid::{Grid, Shape};

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
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCrs => f.write_str("no CRS: taken as a local plane in metres"),
            Self::Converted { metres } => write!(f, "values converted to metres, × {metres}"),
            Self::SouthUp => f.write_str("stored south-up: rows turned round"),
            Self::Rounded => f.write_str("values rounded to 32-bit floats"),
            Self::OtherBands { bands } => write!(f, "one of {bands} bands read"),
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
pub fn inspect(path: &Path, band: usize) -> Result<Header, GeotiffError> {
    ffi::listen(|| {
        let dataset = open(path)?;
        Ok(header(path, &dataset, band)?.header)
    })
    .0
}

/// Reads band `band` (the first is 1) of any raster that GDAL opens. NaN, the declared nodata value and the file's
/// mask become the mask; the band's scale and offset are applied; feet become metres where the band says that it is
/// in feet, and a band without a unit is in metres.
///
/// # Errors
/// When the file is not there, not a raster, damaged, or empty of data; when a value with data is not finite in 32
/// bits; when the unit is unknown; when it has no place, is in degrees or feet, or its cells are not square or not
/// north-up (then with the `gdalwarp` command that mends it).
pub fn read(path: &Path, band: usize) -> Result<Reading, GeotiffError> {
    ffi::listen(|| read_heard(path, band)).0
}

fn read_heard(path: &Path, wanted: usize) -> Result<Reading, GeotiffError> {
    let dataset = open(path)?;
    let Opened {
        band,
        scaling,
        south_up,
        header,
    } = header(path, &dataset, wanted)?;
    let shape = header.grid.shape;
    let mut ground = Ground::new(shape);
    ground.read(path, &band, scaling, south_up)?;
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

/// A band whose header has passed.
struct Opened<'a> {
    band: RasterBand<'a>,
    scaling: Scaling,
    south_up: bool,
    header: Header,
}

fn header<'a>(
    path: &Path,
    dataset: &'a Dataset,
    wanted: usize,
) -> Result<Opened<'a>, GeotiffError> {
    let band = pick(path, dataset, wanted)?;
    let shape = Shape::new(band.y_size(), band.x_size());
    let system = dataset.spatial_ref().ok();
    let place = place(path, dataset, &band, shape, system.as_ref())?;
    let metres = units::metres_per(&band.unit()).ok_or_else(|| GeotiffError::Unit {
        path: path.to_owned(),
        unit: band.unit(),
    })?;
    let scaling = Scaling {
        scale: band.scale().unwrap_or(1.0) * metres,
        offset: band.offset().unwrap_or(0.0) * metres,
    };
    let crs = system.as_ref().and_then(crs::text_of);
    let header = Header {
        notes: notes(dataset, crs.is_some(), metres, place.south_up),
        nodata: band.no_data_value(),
        grid: Grid {
            shape,
            cell_size_m: place.cell_size,
            origin_m: place.origin,
            crs,
        },
    };
    Ok(Opened {
        band,
        scaling,
        south_up: place.south_up,
        header,
    })
}

fn notes(dataset: &Dataset, crs: bool, metres: f64, south_up: bool) -> Vec<Note> {
    let bands = dataset.raster_count();
    [
        (!crs, Note::NoCrs),
        ((metres - 1.0).abs() > 0.0, Note::Converted { metres }),
        (south_up, Note::SouthUp),
        (bands > 1, Note::OtherBands { bands }),
    ]
    .into_iter()
    .filter_map(|(applies, note)| applies.then_some(note))
    .collect()
}

/// Opens a raster, or says what is there instead.
fn open(path: &Path) -> Result<Dataset, GeotiffError> {
    if path.to_str().is_none() {
        return Err(GeotiffError::Name {
            path: path.to_owned(),
        });
    }
    let options = DatasetOptions {
        open_flags: GdalOpenFlags::GDAL_OF_RASTER | GdalOpenFlags::GDAL_OF_VERBOSE_ERROR,
        ..DatasetOptions::default()
    };
    // Opening a pipe would wait for whoever writes into it.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(GeotiffError::NotFile {
            path: path.to_owned(),
        });
    }
    let (opened, failures) = ffi::listen(|| Dataset::open_ex(path, options));
    opened.map_err(|error| diagnose(path, failures.or(&error)))
}

/// Why a path did not open: looked up only afterwards, since GDAL also opens names that are no files.
fn diagnose(path: &Path, message: String) -> GeotiffError {
    let owned = path.to_owned();
    match std::fs::metadata(path) {
        Err(error) => unopened(path, error),
        Ok(found) if found.is_dir() => GeotiffError::Folder { path: owned },
        Ok(found) if found.len() == 0 => GeotiffError::Empty { path: owned },
        Ok(_) => match std::fs::File::open(path) {
            Err(error) => unopened(path, error),
            Ok(_) => GeotiffError::NotRaster {
                path: owned,
                message,
            },
        },
    }
}

fn unopened(path: &Path, source: std::io::Error) -> GeotiffError {
    let path = path.to_owned();
    match source.kind() {
        std::io::ErrorKind::NotFound => GeotiffError::Missing { path },
        _ => GeotiffError::Io {
            path,
            doing: "open it for reading",
            source,
        },
    }
}

fn pick<'a>(
    path: &Path,
    dataset: &'a Dataset,
    wanted: usize,
) -> Result<RasterBand<'a>, GeotiffError> {
    let found = dataset.raster_count();
    let no_band = || GeotiffError::NoBand {
        path: path.to_owned(),
        wanted,
        found,
    };
    if wanted == 0 || wanted > found {
        return Err(no_band());
    }
    let band = dataset.rasterband(wanted).map_err(|_| no_band())?;
    if band.band_type() == GdalDataType::Unknown {
        let found = "complex or unknown".to_owned();
        return Err(GeotiffError::NumberType {
            path: path.to_owned(),
            found,
        });
    }
    Ok(band)
}

/// Where the raster lies, or the command that would make it lie so.
fn place(
    path: &Path,
    dataset: &Dataset,
    band: &RasterBand<'_>,
    shape: Shape,
    system: Option<&SpatialRef>,
) -> Result<Placement, GeotiffError> {
    let transform = dataset
        .geo_transform()
        .map_err(|_| GeotiffError::NoGeotransform {
            path: path.to_owned(),
        })?;
    let refused = |problem: Problem| {
        let has_nodata = band.no_data_value().is_some();
        let case = Case {
            path,
            shape,
            transform,
            system,
            has_nodata,
        };
        let command = advice::command(&case, &problem);
        GeotiffError::NeedsWarp {
            path: path.to_owned(),
            problem,
            command,
        }
    };
    match system.and_then(crs::problem) {
        Some(problem) => Err(refused(problem)),
        None => affine::placement(transform, shape).map_err(refused),
    }
}
