//! Writing one layer: what can be refused beforehand, and what becomes of each value.

use crate::band::{check_floats, choose_nodata};
use crate::file::{Job, Kind, Stored};
use crate::{Band, Cells, GeotiffError, Provenance, Statistics, Steps, atomic, crs, ffi, format};
use gdal::errors::GdalError;
use gdal::{Dataset, Metadata};
use ndarray::ArrayView2;
use std::path::{Path, PathBuf};
use thalweg_grid::{Grid, Layer, Shape};

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Size of the file.
    pub bytes: u64,
    /// The value that marks cells without data.
    pub nodata: f64,
    /// Statistics of the stored numbers of cells with data; none where there is none. With LERC, those before its
    /// error.
    pub statistics: Option<Statistics>,
    /// How 16-bit integers stand for the values; none where values are stored as they are.
    pub steps: Option<Steps>,
    /// Whether the file has 64-bit offsets.
    pub bigtiff: bool,
    /// Files that the format needs beside it.
    pub companions: Vec<PathBuf>,
}

/// Writes a layer in the band's format: CRS, place, nodata, description, unit, statistics and provenance with it, as
/// far as the format holds them. Cells that `valid` excludes, and NaN in a water level, become nodata; all other
/// values are kept bit for bit, unless the format has a step or an error. Equal arguments make equal bytes.
///
/// The file gets its final name when it is complete and on disk; until then it is in a temporary folder beside it. A
/// write that fails leaves nothing behind.
///
/// # Errors
/// When sizes differ, a value is not finite, the CRS is unknown or not in metres, the format cannot hold the layer,
/// the file exists and `overwrite` is false, the disk is full, or the system fails.
pub fn write(
    path: &Path,
    grid: &Grid,
    band: &Band<'_>,
    valid: Option<ArrayView2<'_, bool>>,
    provenance: &Provenance<'_>,
    overwrite: bool,
) -> Result<Written, GeotiffError> {
    let sizes = [
        ("layer", Some(band.cells.shape())),
        ("mask", valid.as_ref().map(|mask| mask.dim().into())),
    ];
    check(path, grid, &sizes, overwrite)?;
    let is_valid = |row: usize, col: usize| valid.as_ref().is_none_or(|mask| mask[(row, col)]);
    let step = band.format.step;
    let float = matches!(band.cells, Cells::Float(_));
    let kind = Kind {
        bands: 1,
        cell_bytes: if float && step.is_some() { 2 } else { 4 },
        cells: format::Cells {
            float: float && step.is_none(),
            identifiers: !float,
        },
        options: &[],
    };
    let job = Job::new(path, grid, kind, band.format, provenance, overwrite)?;
    match band.cells {
        Cells::Float(cells) => {
            check_floats(path, band.layer, cells, &is_valid)?;
            let data = |row: usize, col: usize, value: f32| {
                (is_valid(row, col) && !value.is_nan()).then(|| f64::from(value))
            };
            match step {
                Some(step) => stepped(&job, band, cells, step, &data),
                None => floats(&job, band, cells, &data),
            }
        }
        Cells::Ids(cells) => identifiers(&job, band, cells, &is_valid),
    }
}

/// A quantity's value; none without data.
type Data<'a> = &'a dyn Fn(usize, usize, f32) -> Option<f64>;

fn floats(
    job: &Job<'_>,
    band: &Band<'_>,
    cells: ArrayView2<'_, f32>,
    data: Data<'_>,
) -> Result<Written, GeotiffError> {
    let statistics = Statistics::of(cells, data);
    let wanted = match band.format.needs_nan() {
        true => Some(f64::NAN),
        false => band.nodata,
    };
    let nodata = choose_nodata(job.path, wanted, cells, statistics.as_ref(), data)?;
    let stored = |_, row, col| match data(row, col, cells[(row, col)]) {
        Some(_) => cells[(row, col)],
        None => nodata as f32,
    };
    let described = Described {
        layer: band.layer,
        nodata,
        statistics,
        steps: None,
    };
    let stored = job.run::<f32>(
        &|dataset| described.put(dataset, job.grid),
        &mut |dataset| job.write_tiles(dataset, 1..=1, &stored),
    )?;
    Ok(described.written(stored, job))
}

fn stepped(
    job: &Job<'_>,
    band: &Band<'_>,
    cells: ArrayView2<'_, f32>,
    step: f64,
    data: Data<'_>,
) -> Result<Written, GeotiffError> {
    let steps = Steps::of(job.path, step, Statistics::of(cells, data).as_ref())?;
    let integer =
        |row: usize, col: usize, value: f32| data(row, col, value).map(|_| steps.stored(value));
    let stored = |_, row, col| integer(row, col, cells[(row, col)]).unwrap_or(Steps::NODATA);
    let described = Described {
        layer: band.layer,
        nodata: f64::from(Steps::NODATA),
        // GDAL's are of the stored numbers too.
        statistics: Statistics::of(cells, |row, col, value| {
            integer(row, col, value).map(f64::from)
        }),
        steps: Some(steps),
    };
    let stored = job.run::<u16>(
        &|dataset| described.put(dataset, job.grid),
        &mut |dataset| job.write_tiles(dataset, 1..=1, &stored),
    )?;
    Ok(described.written(stored, job))
}

fn identifiers(
    job: &Job<'_>,
    band: &Band<'_>,
    cells: ArrayView2<'_, u32>,
    is_valid: &dyn Fn(usize, usize) -> bool,
) -> Result<Written, GeotiffError> {
    let data =
        |row: usize, col: usize, id: u32| (is_valid(row, col) && id != 0).then(|| f64::from(id));
    let stored = |_, row, col| {
        if is_valid(row, col) {
            cells[(row, col)]
        } else {
            0
        }
    };
    let described = Described {
        layer: band.layer,
        nodata: 0.0,
        statistics: Statistics::of(cells, data),
        steps: None,
    };
    let stored = job.run::<u32>(
        &|dataset| described.put(dataset, job.grid),
        &mut |dataset| job.write_tiles(dataset, 1..=1, &stored),
    )?;
    Ok(described.written(stored, job))
}

/// What a layer's band says of itself.
struct Described {
    layer: Layer,
    nodata: f64,
    statistics: Option<Statistics>,
    steps: Option<Steps>,
}

impl Described {
    /// Writes it into the band, statistics under the names that GDAL reads them by.
    fn put(&self, dataset: &Dataset, grid: &Grid) -> Result<(), GdalError> {
        let mut band = dataset.rasterband(1)?;
        band.set_no_data_value(Some(self.nodata))?;
        band.set_description(self.layer.name())?;
        ffi::set_unit(&mut band, self.layer.unit())?;
        if let Some(Steps { step, offset }) = self.steps {
            band.set_scale(step)?;
            band.set_offset(offset)?;
        }
        if let Some(found) = self.statistics {
            let items = [
                ("STATISTICS_MINIMUM", found.minimum),
                ("STATISTICS_MAXIMUM", found.maximum),
                ("STATISTICS_MEAN", found.mean),
                ("STATISTICS_STDDEV", found.standard_deviation),
            ];
            for (key, value) in items {
                band.set_metadata_item(key, &value.to_string(), "")?;
            }
        }
        let valid = self.statistics.map_or(0, |found| found.valid_cells);
        let percent = 100.0 * valid as f64 / grid.shape.cells() as f64;
        band.set_metadata_item("STATISTICS_VALID_PERCENT", &percent.to_string(), "")
    }

    fn written(&self, stored: Stored, job: &Job<'_>) -> Written {
        Written {
            bytes: stored.bytes,
            nodata: self.nodata,
            statistics: self.statistics,
            steps: self.steps,
            bigtiff: job.layout.bigtiff,
            companions: stored.companions,
        }
    }
}

/// Everything that can be refused before the disk is touched. `sizes` are those of what is to be written, and what
/// that is.
pub(crate) fn check(
    path: &Path,
    grid: &Grid,
    sizes: &[(&'static str, Option<Shape>)],
    overwrite: bool,
) -> Result<(), GeotiffError> {
    if path.to_str().is_none() {
        return Err(GeotiffError::Name {
            path: path.to_owned(),
        });
    }
    let expected = grid.shape;
    for &(what, found) in sizes {
        match found {
            Some(found) if found != expected => {
                let path = path.to_owned();
                return Err(GeotiffError::Size {
                    path,
                    what,
                    found,
                    expected,
                });
            }
            _ => {}
        }
    }
    let limit = i32::MAX as usize - 512;
    if expected.rows > limit || expected.cols > limit {
        return Err(GeotiffError::TooLarge {
            path: path.to_owned(),
            found: expected,
            limit,
        });
    }
    grid.crs.as_deref().map_or(Ok(()), crs::check_crs)?;
    atomic::refuse_existing(path, overwrite)
}
