//! Writing one layer: what can be refused beforehand, and what becomes of each value.

use crate::band::{check_floats, choose_nodata};
use crate::file::Job;
use crate::{Band, Cells, GeotiffError, Provenance, Statistics, atomic, crs};
use ndarray::ArrayView2;
use std::path::Path;
use thalweg_grid::Grid;

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
    check(path, grid, band, valid.as_ref())?;
    atomic::refuse_existing(path, overwrite)?;
    let is_valid = |row: usize, col: usize| valid.as_ref().is_none_or(|mask| mask[(row, col)]);
    let job = Job::new(path, grid, band, provenance, overwrite)?;
    match band.cells {
        Cells::Float(cells) => {
            check_floats(path, band.layer, cells, &is_valid)?;
            let data = |row: usize, col: usize, value: f32| {
                (is_valid(row, col) && !value.is_nan()).then(|| f64::from(value))
            };
            let statistics = Statistics::of(cells, data);
            let nodata = choose_nodata(path, band.nodata, cells, statistics.as_ref(), &data)?;
            let stored = |row, col, value| match data(row, col, value) {
                Some(_) => value,
                None => nodata as f32,
            };
            job.run(cells, &stored, nodata, statistics)
        }
        Cells::Ids(cells) => {
            let data = |row: usize, col: usize, id: u32| {
                (is_valid(row, col) && id != 0).then(|| f64::from(id))
            };
            let statistics = Statistics::of(cells, data);
            let stored = |row, col, id| if is_valid(row, col) { id } else { 0 };
            job.run(cells, &stored, 0.0, statistics)
        }
    }
}

/// Everything that can be refused before the disk is touched.
fn check(
    path: &Path,
    grid: &Grid,
    band: &Band<'_>,
    valid: Option<&ArrayView2<'_, bool>>,
) -> Result<(), GeotiffError> {
    if path.to_str().is_none() {
        return Err(GeotiffError::Name {
            path: path.to_owned(),
        });
    }
    let expected = grid.shape;
    let sizes = [
        ("layer", Some(band.cells.shape())),
        ("mask", valid.map(|mask| mask.dim().into())),
    ];
    for (what, found) in sizes {
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
    grid.crs.as_deref().map_or(Ok(()), crs::check_crs)
}
