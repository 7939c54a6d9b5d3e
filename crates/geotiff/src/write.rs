//! Writing one layer: what can be refused beforehand, and what becomes of each value.

use crate::band::{check_floats, choose_nodata};
use crate::file::{Format, Job};
use crate::{Band, Cells, GeotiffError, Provenance, Statistics, atomic, crs, ffi};
use gdal::errors::GdalError;
use gdal::{Dataset, Metadata};
use ndarray::ArrayView2;
use std::path::Path;
use thalweg_grid::{Grid, Layer, Shape};

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written {
    /// Size of the file.
    pub bytes: u64,
    /// The value that marks cells without data.
    pub nodata: f64,
    /// Statistics of the cells with data; none where there is none.
    pub statistics: Option<Statistics>,
    /// Whether the file has 64-bit offsets.
    pub bigtiff: bool,
}

/// Writes a layer: tiled, deflated, with CRS, place, nodata, description, unit, statistics and provenance inside of
/// the one file. Cells that `valid` excludes, and NaN in a water level, become nodata; all other values are kept bit
/// for bit. Equal arguments make equal bytes.
///
/// The file gets its final name when it is complete and on disk; until then it is a temporary file beside it. A
/// write that fails leaves nothing behind.
///
/// # Errors
/// When sizes differ, a value is not finite, the CRS is unknown or not in metres, the file exists and `overwrite` is
/// false, the disk is full, or the system fails.
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
    let options: &[&str] = match band.cells {
        Cells::Float(_) => &["PREDICTOR=3"],
        Cells::Ids(_) => &["PREDICTOR=2"],
    };
    let format = Format {
        bands: 1,
        cell_bytes: 4,
        options,
    };
    let job = Job::new(path, grid, format, provenance, overwrite)?;
    let written = |bytes, nodata, statistics| Written {
        bytes,
        nodata,
        statistics,
        bigtiff: job.layout.bigtiff,
    };
    match band.cells {
        Cells::Float(cells) => {
            check_floats(path, band.layer, cells, &is_valid)?;
            let data = |row: usize, col: usize, value: f32| {
                (is_valid(row, col) && !value.is_nan()).then(|| f64::from(value))
            };
            let statistics = Statistics::of(cells, data);
            let nodata = choose_nodata(path, band.nodata, cells, statistics.as_ref(), &data)?;
            let stored = |_, row, col| match data(row, col, cells[(row, col)]) {
                Some(_) => cells[(row, col)],
                None => nodata as f32,
            };
            let bytes = job.run::<f32>(
                &|dataset| describe(dataset, band.layer, grid, nodata, statistics.as_ref()),
                &mut |dataset| job.write_tiles(dataset, 1..=1, &stored),
            )?;
            Ok(written(bytes, nodata, statistics))
        }
        Cells::Ids(cells) => {
            let data = |row: usize, col: usize, id: u32| {
                (is_valid(row, col) && id != 0).then(|| f64::from(id))
            };
            let statistics = Statistics::of(cells, data);
            let stored = |_, row, col| {
                if is_valid(row, col) {
                    cells[(row, col)]
                } else {
                    0
                }
            };
            let bytes = job.run::<u32>(
                &|dataset| describe(dataset, band.layer, grid, 0.0, statistics.as_ref()),
                &mut |dataset| job.write_tiles(dataset, 1..=1, &stored),
            )?;
            Ok(written(bytes, 0.0, statistics))
        }
    }
}

/// What a layer's band says of itself, statistics under the names that GDAL reads them by.
fn describe(
    dataset: &Dataset,
    layer: Layer,
    grid: &Grid,
    nodata: f64,
    statistics: Option<&Statistics>,
) -> Result<(), GdalError> {
    let mut band = dataset.rasterband(1)?;
    band.set_no_data_value(Some(nodata))?;
    band.set_description(layer.name())?;
    ffi::set_unit(&mut band, layer.unit())?;
    if let Some(found) = statistics {
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
    let valid = statistics.map_or(0, |found| found.valid_cells);
    let percent = 100.0 * valid as f64 / grid.shape.cells() as f64;
    band.set_metadata_item("STATISTICS_VALID_PERCENT", &percent.to_string(), "")
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
