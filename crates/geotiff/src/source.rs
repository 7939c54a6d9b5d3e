//! A raster's header: its place, unit and system, seen through gdalwarp where its cells are computed anew.

use crate::advice::{self, Case};
use crate::affine::{self, Placement, Problem};
use crate::open::{open, pick};
use crate::pixels::Scaling;
use crate::read::{Header, Note};
use crate::request::{self, Fit, Request, Window};
use crate::{GeotiffError, crs, ffi, units};
use gdal::Dataset;
use gdal::raster::{GdalDataType, RasterBand};
use gdal::spatial_ref::SpatialRef;
use std::path::Path;
use thalweg_grid::{Grid, Shape};

/// An open raster, and what it is seen as. The view reads from the file, so it goes first.
pub(crate) struct Source {
    view: Option<Dataset>,
    file: Dataset,
    /// The band's number.
    band: usize,
    /// What the view mends or does.
    note: Option<Note>,
}

/// A band whose header has passed.
pub(crate) struct Opened<'a> {
    pub(crate) band: RasterBand<'a>,
    pub(crate) scaling: Scaling,
    pub(crate) south_up: bool,
    pub(crate) window: Window,
    pub(crate) header: Header,
}

impl Source {
    /// Opens a raster, through a view on other cells where the request asks for it.
    pub(crate) fn open(path: &Path, request: &Request) -> Result<Self, GeotiffError> {
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
        if let Some(words) = source.arguments(path, request)? {
            source.look(path, request, words)?;
        }
        Ok(source)
    }

    /// What `gdalwarp` must be told of the plane that the raster is seen on, and the note on it; none where it is seen
    /// as it is.
    fn arguments(
        &mut self,
        path: &Path,
        request: &Request,
    ) -> Result<Option<Vec<String>>, GeotiffError> {
        let band = pick(path, &self.file, self.band)?;
        let system = self.file.spatial_ref().ok();
        if let Fit::Resample(grid) = &request.fit {
            self.note = Some(Note::Resampled);
            return Ok(Some(onto(grid, system.as_ref())));
        }
        let case = case(path, &self.file, &band, system.as_ref())?;
        match place(&case) {
            Ok(_) => Ok(None),
            Err(GeotiffError::NeedsWarp {
                path,
                problem,
                command,
            }) if request.reproject => {
                let words = advice::arguments(&case, &problem);
                // Completed when the view is there.
                self.note = Some(Note::Reprojected {
                    problem: problem.clone(),
                    crs: String::new(),
                    cell_size_m: 0.0,
                });
                words.map(Some).ok_or(GeotiffError::NeedsWarp {
                    path,
                    problem,
                    command,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// Sees the raster as `gdalwarp` with these words would make it.
    fn look(
        &mut self,
        path: &Path,
        request: &Request,
        mut words: Vec<String>,
    ) -> Result<(), GeotiffError> {
        let band = pick(path, &self.file, self.band)?;
        let fixed = ["-r", request.method.name(), "-et", "0", "-ovr", "NONE"];
        // NaN is in no value's way.
        let made = ["-ot", number(&band), "-dstnodata", "nan"];
        words.extend(fixed.iter().chain(&made).map(|&word| word.to_owned()));
        let floats = matches!(
            band.band_type(),
            GdalDataType::Float32 | GdalDataType::Float64
        );
        if floats && band.no_data_value().is_none() {
            // A hole of NaN must not eat its neighbours.
            words.extend(["-srcnodata", "nan"].map(str::to_owned));
        }
        let (view, failures) = ffi::listen(|| ffi::warped(&self.file, &words));
        self.view = Some(view.map_err(|error| GeotiffError::Fit {
            path: path.to_owned(),
            message: format!(
                "cannot be reprojected or resampled ({})",
                failures.or(&error)
            ),
        })?);
        Ok(())
    }

    pub(crate) fn opened(
        &self,
        path: &Path,
        request: &Request,
    ) -> Result<Opened<'_>, GeotiffError> {
        let dataset = self.view.as_ref().unwrap_or(&self.file);
        // A view keeps no unit, scale or nodata value.
        let stored = pick(path, &self.file, self.band)?;
        let band = pick(path, dataset, self.band)?;
        let shape = Shape::new(band.y_size(), band.x_size());
        let system = dataset.spatial_ref().ok();
        let place = place(&case(path, dataset, &band, system.as_ref())?)?;
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
    pub(crate) fn explain(
        &self,
        path: &Path,
        request: &Request,
        error: GeotiffError,
    ) -> GeotiffError {
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

/// Cells in degrees are far smaller than any in metres, and no coordinate is beyond a turn.
const DEGREES: (f64, f64) = (0.1, 360.0);

/// What is known of a raster's place.
fn case<'a>(
    path: &'a Path,
    dataset: &Dataset,
    band: &RasterBand<'_>,
    system: Option<&'a SpatialRef>,
) -> Result<Case<'a>, GeotiffError> {
    let transform = dataset
        .geo_transform()
        .map_err(|_| GeotiffError::NoGeotransform {
            path: path.to_owned(),
        })?;
    Ok(Case {
        path,
        shape: Shape::new(band.y_size(), band.x_size()),
        transform,
        system,
        has_nodata: band.no_data_value().is_some(),
    })
}

/// Where the raster lies, or the command that would make it lie so.
fn place(case: &Case<'_>) -> Result<Placement, GeotiffError> {
    let refused = |problem: Problem| {
        let command = advice::command(case, &problem);
        GeotiffError::NeedsWarp {
            path: case.path.to_owned(),
            problem,
            command,
        }
    };
    if let Some(problem) = case.system.and_then(crs::problem) {
        return Err(refused(problem));
    }
    let place = affine::placement(case.transform, case.shape).map_err(refused)?;
    let (cell, turn) = DEGREES;
    let near = place.origin.iter().all(|edge| edge.abs() <= turn);
    if case.system.is_none() && place.cell_size < cell && near {
        return Err(GeotiffError::NeedsCrs {
            path: case.path.to_owned(),
            cell_size: place.cell_size,
        });
    }
    Ok(place)
}
