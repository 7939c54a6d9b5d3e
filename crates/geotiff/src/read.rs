//! Reading a raster as a map's ground: its place, unit and system here, its cells in `pixels`.

use crate::advice::{self, Case};
use crate::affine::{self, Placement, Problem};
use crate::pixels::{Ground, Scaling};
use crate::request::{self, Fit, Request, Window};
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

/// An open raster, and what it is seen as. The view reads from the file, so it goes first.
struct Source {
    view: Option<Dataset>,
    file: Dataset,
    /// The band's number.
    band: usize,
    /// What the view mends or does.
    note: Option<Note>,
}

/// A band whose header has passed.
struct Opened<'a> {
    band: RasterBand<'a>,
    scaling: Scaling,
    south_up: bool,
    window: Window,
    header: Header,
}

impl Source {
    /// Opens a raster, through a view on other cells where the request asks for it.
    fn open(path: &Path, request: &Request) -> Result<Self, GeotiffError> {
        let file = open(path)?;
        let found = file.raster_count();
        let band = match request.band {
            Some(band) => band,
            None if found > 1 => {
                return Err(GeotiffError::WhichBand {
                    path: path.to_owned(),
                    found,
                });
            }
            None => 1,
        };
        let mut source = Self {
            view: None,
            file,
            band,
            note: None,
        };
        let picked = pick(path, &source.file, band)?;
        let number = number(&picked);
        let system = source.file.spatial_ref().ok();
        let arguments = if let Fit::Resample(grid) = &request.fit {
            source.note = Some(Note::Resampled);
            onto(grid, system.as_ref())
        } else {
            let shape = Shape::new(picked.y_size(), picked.x_size());
            match place(path, &source.file, &picked, shape, system.as_ref()) {
                Ok(_) => return Ok(source),
                Err((error, None)) => return Err(error),
                Err((error, Some(_))) if !request.reproject => return Err(error),
                Err((error, Some((problem, words)))) => {
                    let Some(words) = words else {
                        return Err(error);
                    };
                    // Completed when the view is there.
                    source.note = Some(Note::Reprojected {
                        problem,
                        crs: String::new(),
                        cell_size_m: 0.0,
                    });
                    words
                }
            }
        };
        drop(picked);
        let mut words = arguments;
        let fixed = [
            "-r",
            request.method.name(),
            "-et",
            "0",
            "-ovr",
            "NONE",
            "-ot",
            number,
        ];
        words.extend(fixed.map(str::to_owned));
        // NaN is in no one's way, and a hole of NaN must not eat its neighbours.
        words.extend(["-dstnodata", "nan"].map(str::to_owned));
        if source
            .file
            .rasterband(band)
            .is_ok_and(|band| band.no_data_value().is_none())
        {
            words.extend(["-srcnodata", "nan"].map(str::to_owned));
        }
        let (view, failures) = ffi::listen(|| ffi::warped(&source.file, &words));
        source.view = Some(view.map_err(|error| GeotiffError::Fit {
            path: path.to_owned(),
            message: format!(
                "cannot be reprojected or resampled ({})",
                failures.or(&error)
            ),
        })?);
        Ok(source)
    }

    fn opened(&self, path: &Path, request: &Request) -> Result<Opened<'_>, GeotiffError> {
        let dataset = self.view.as_ref().unwrap_or(&self.file);
        // A view keeps no unit, scale or nodata value.
        let stored = pick(path, &self.file, self.band)?;
        let band = pick(path, dataset, self.band)?;
        let shape = Shape::new(band.y_size(), band.x_size());
        let system = dataset.spatial_ref().ok();
        let place =
            place(path, dataset, &band, shape, system.as_ref()).map_err(|(error, _)| error)?;
        let metres = metres(path, &stored, request)?;
        let scaling = Scaling {
            scale: stored.scale().unwrap_or(1.0) * metres,
            offset: stored.offset().unwrap_or(0.0) * metres,
        };
        let (window, mut grid) =
            request::window(path, &request.fit, shape, &place, system.as_ref())?;
        if let Fit::Resample(wanted) = &request.fit {
            // Its own numbers, not those that came back from GDAL.
            let crs = wanted.crs.clone().or(grid.crs);
            grid = Grid {
                crs,
                ..wanted.clone()
            };
        }
        let bands = self.file.raster_count();
        let mut notes: Vec<Note> = [
            (grid.crs.is_none(), Note::NoCrs),
            ((metres - 1.0).abs() > 0.0, Note::Converted { metres }),
            (place.south_up, Note::SouthUp),
            (bands > 1, Note::OtherBands { bands }),
        ]
        .into_iter()
        .filter_map(|(applies, note)| applies.then_some(note))
        .collect();
        notes.extend(self.note.clone().map(|note| {
            match note {
                Note::Reprojected { problem, .. } => Note::Reprojected {
                    problem,
                    crs: grid
                        .crs
                        .clone()
                        .unwrap_or_else(|| "the same plane".to_owned()),
                    cell_size_m: grid.cell_size_m,
                },
                other => other,
            }
        }));
        Ok(Opened {
            south_up: place.south_up,
            header: Header {
                notes,
                nodata: stored.no_data_value(),
                grid,
            },
            band,
            scaling,
            window,
        })
    }

    /// That a wanted grid has no data may be the grid's fault.
    fn explain(&self, path: &Path, request: &Request, error: GeotiffError) -> GeotiffError {
        match (&request.fit, error) {
            (Fit::Crop(grid) | Fit::Resample(grid), GeotiffError::AllNodata { .. }) => {
                GeotiffError::Fit {
                    path: path.to_owned(),
                    message: format!(
                        "has no data in `grid`, which covers {}; `gdalinfo` tells where the raster lies: set `grid.origin_m` and `grid.crs` to fit",
                        request::extent(grid)
                    ),
                }
            }
            (_, error) => error,
        }
    }
}

/// What `gdalwarp` must be told to fill a grid.
fn onto(grid: &Grid, system: Option<&SpatialRef>) -> Vec<String> {
    let mut words = vec!["-te".to_owned()];
    words.extend(request::edges(grid).map(|edge| edge.to_string()));
    words.push("-ts".to_owned());
    words.extend([grid.shape.cols, grid.shape.rows].map(|cells| cells.to_string()));
    if let Some(crs) = &grid.crs {
        words.extend(["-t_srs".to_owned(), crs.clone()]);
        if system.is_none() {
            words.extend(["-s_srs".to_owned(), crs.clone()]);
        }
    }
    words
}

/// The type that views are computed in: one that holds what the band does.
fn number(band: &RasterBand<'_>) -> &'static str {
    match band.band_type() {
        GdalDataType::UInt8
        | GdalDataType::UInt16
        | GdalDataType::Int16
        | GdalDataType::Float32 => "Float32",
        _ => "Float64",
    }
}

/// Metres per unit of a band's values.
fn metres(path: &Path, band: &RasterBand<'_>, request: &Request) -> Result<f64, GeotiffError> {
    let told = request.unit_m.or_else(|| units::metres_per(&band.unit()));
    told.ok_or_else(|| GeotiffError::Unit {
        path: path.to_owned(),
        unit: band.unit(),
    })
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

/// A refusal, and what could be mended: the problem, and what `gdalwarp` must be told where that is known.
type Refusal = (GeotiffError, Option<(Problem, Option<Vec<String>>)>);

/// Cells in degrees are far smaller than any in metres, and no coordinate is beyond a turn.
const DEGREES: (f64, f64) = (0.1, 360.0);

/// Where the raster lies, or the command that would make it lie so.
fn place(
    path: &Path,
    dataset: &Dataset,
    band: &RasterBand<'_>,
    shape: Shape,
    system: Option<&SpatialRef>,
) -> Result<Placement, Refusal> {
    let transform = dataset.geo_transform().map_err(|_| {
        let path = path.to_owned();
        (GeotiffError::NoGeotransform { path }, None)
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
        let words = advice::arguments(&case, &problem);
        let error = GeotiffError::NeedsWarp {
            path: path.to_owned(),
            problem: problem.clone(),
            command,
        };
        (error, Some((problem, words)))
    };
    if let Some(problem) = system.and_then(crs::problem) {
        return Err(refused(problem));
    }
    let place = affine::placement(transform, shape).map_err(refused)?;
    let (cell, turn) = DEGREES;
    let near = place.origin.iter().all(|edge| edge.abs() <= turn);
    if system.is_none() && place.cell_size < cell && near {
        let error = GeotiffError::NeedsCrs {
            path: path.to_owned(),
            cell_size: place.cell_size,
        };
        return Err((error, None));
    }
    Ok(place)
}
