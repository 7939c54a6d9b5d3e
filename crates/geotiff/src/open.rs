//! Opening a file and one of its bands, or saying what is there instead.

use crate::{GeotiffError, ffi};
use gdal::raster::{GdalDataType, RasterBand};
use gdal::{Dataset, DatasetOptions, GdalOpenFlags};
use std::path::Path;

/// Opens a raster, or says what is there instead.
pub(crate) fn open(path: &Path) -> Result<Dataset, GeotiffError> {
    if path.to_str().is_none() {
        return Err(GeotiffError::Name {
            path: path.to_owned(),
        });
    }
    let options = DatasetOptions {
        open_flags: GdalOpenFlags::GDAL_OF_RASTER | GdalOpenFlags::GDAL_OF_VERBOSE_ERROR,
        ..DatasetOptions::default()
    };
    crate::format::prepare();
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

/// A band of numbers that can be heights.
pub(crate) fn pick<'a>(
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
