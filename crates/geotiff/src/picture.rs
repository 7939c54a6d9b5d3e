//! Pictures and films: colours of cells, and a layer at several moments.

use crate::file::{Job, Kind};
use crate::format::{self, Format};
use crate::write::check;
use crate::{GeotiffError, Provenance, ffi};
use gdal::Metadata;
use gdal::errors::GdalError;
use ndarray::{Array2, ArrayView3};
use std::path::Path;
use thalweg_grid::{Grid, Layer, Shape};

/// Writes a picture of red, green and blue along the last axis, three bands of bytes that GIS software shows as they
/// are; a fourth band is opacity. Otherwise as [`write()`](crate::write()). Gives back the size of the file.
///
/// # Errors
/// When sizes differ, there are not 3 or 4 bands, or as [`write()`](crate::write()).
pub fn write_picture(
    path: &Path,
    grid: &Grid,
    pixels: ArrayView3<'_, u8>,
    format: &Format,
    provenance: &Provenance<'_>,
    overwrite: bool,
) -> Result<u64, GeotiffError> {
    let (rows, cols, bands) = pixels.dim();
    check(
        path,
        grid,
        &[("picture", Some(Shape::new(rows, cols)))],
        overwrite,
    )?;
    let options: &[&str] = match bands {
        3 => &["PHOTOMETRIC=RGB", "INTERLEAVE=PIXEL"],
        4 => &["PHOTOMETRIC=RGB", "INTERLEAVE=PIXEL", "ALPHA=YES"],
        _ => {
            return Err(GeotiffError::Bands {
                path: path.to_owned(),
                expected: "3 or 4: red, green, blue, and opacity",
                found: bands,
            });
        }
    };
    let kind = Kind {
        bands,
        cell_bytes: 1,
        cells: format::Cells {
            float: false,
            identifiers: false,
        },
        options,
    };
    let job = Job::new(path, grid, kind, format, provenance, overwrite)?;
    let value = |band: usize, row, col| pixels[(row, col, band - 1)];
    let stored = job.run::<u8>(&|_| Ok(()), &mut |dataset| {
        job.write_tiles(dataset, 1..=bands, &value)
    })?;
    Ok(stored.bytes)
}

/// Most bands that a film may have: what a TIFF can count.
pub const MOST_BANDS: usize = 65_535;

/// A layer at several moments.
#[derive(Debug, Clone, Copy)]
pub struct Film<'a> {
    /// The layer.
    pub layer: Layer,
    /// The moments, s.
    pub times_s: &'a [f64],
    /// In what format it is stored.
    pub format: &'a Format,
}

/// Writes a layer at several moments as bands of one file, 32-bit floats without nodata; the bands' descriptions tell
/// the moments. `frame` makes the layer at a moment, by number from 0, and only the one at hand
/// is in memory; where it makes none, the write fails and leaves nothing. Otherwise as [`write()`](crate::write()).
/// Gives back the size of the file.
///
/// # Errors
/// When a frame is missing, of another size or not finite, there are no moments or too many for a TIFF, or as
/// [`write()`](crate::write()).
pub fn write_film(
    path: &Path,
    grid: &Grid,
    film: &Film<'_>,
    frame: &mut dyn FnMut(usize) -> Option<Array2<f32>>,
    provenance: &Provenance<'_>,
    overwrite: bool,
) -> Result<u64, GeotiffError> {
    check(path, grid, &[], overwrite)?;
    let &Film {
        layer,
        times_s,
        format,
    } = film;
    if !(1..=MOST_BANDS).contains(&times_s.len()) {
        return Err(GeotiffError::Bands {
            path: path.to_owned(),
            expected: "1 to 65535",
            found: times_s.len(),
        });
    }
    let kind = Kind {
        bands: times_s.len(),
        cell_bytes: 4,
        cells: format::Cells {
            float: true,
            identifiers: false,
        },
        options: &["INTERLEAVE=BAND"],
    };
    let job = Job::new(path, grid, kind, format, provenance, overwrite)?;
    let stored = job.run::<f32>(
        &|dataset| {
            for (band, time_s) in (1..).zip(times_s) {
                let mut band = dataset.rasterband(band)?;
                band.set_description(&format!("{layer} at {time_s} s"))?;
                ffi::set_unit(&mut band, layer.unit())?;
            }
            Ok(())
        },
        &mut |dataset| {
            for number in 0..times_s.len() {
                let cells = frame(number);
                let fits = |cells: &Array2<f32>| {
                    Shape::from(cells.dim()) == grid.shape && cells.iter().all(|v| v.is_finite())
                };
                let cells = cells.filter(fits).ok_or_else(|| {
                    GdalError::BadArgument(format!("frame {number} was not made, or is damaged"))
                })?;
                let band = number + 1;
                job.write_tiles(dataset, band..=band, &|_, row, col| cells[(row, col)])?;
            }
            Ok(())
        },
    )?;
    Ok(stored.bytes)
}
