//! Lines of equal elevation.

use super::Position;
use crate::{GeotiffError, affine, ffi};
use gdal::errors::GdalError;
use gdal::raster::Buffer;
use gdal::vector::{FieldDefn, LayerAccess, LayerOptions};
use gdal::{Dataset, DriverManager};
use gdal_sys::{CPLErr, OGRFieldType, OGRwkbGeometryType};
use ndarray::ArrayView2;
use std::path::Path;
use thalweg_grid::Grid;

/// A line of equal elevation.
#[derive(Debug, Clone, PartialEq)]
pub struct Contour {
    /// Elevation, m.
    pub elevation_m: f64,
    /// The line; closed where its ends are equal.
    pub line: Vec<Position>,
}

/// Contours of the ground at the multiples of `interval_m`, as `gdal_contour` draws them: between centres of cells;
/// none within cells that `valid` excludes. `path` is named in errors.
///
/// # Errors
/// When GDAL fails.
pub fn contours(
    path: &Path,
    grid: &Grid,
    elevation: ArrayView2<'_, f32>,
    valid: Option<ArrayView2<'_, bool>>,
    interval_m: f64,
) -> Result<Vec<Contour>, GeotiffError> {
    let data = |at| valid.as_ref().is_none_or(|mask| mask[at]);
    let cells = elevation.indexed_iter();
    let cells = cells.map(|(at, value)| if data(at) { *value } else { NODATA });
    let cells: Vec<f32> = cells.collect();
    let (result, failures) = ffi::listen(|| draw(grid, cells, interval_m));
    result.map_err(|error| GeotiffError::failed_write(path, 0, failures.or(&error)))
}

/// No elevation is as low.
const NODATA: f32 = f32::MIN;

fn draw(grid: &Grid, cells: Vec<f32>, interval_m: f64) -> Result<Vec<Contour>, GdalError> {
    let (rows, cols) = grid.shape.dim();
    let driver = DriverManager::get_driver_by_name("MEM")?;
    let mut raster = driver.create_with_band_type::<f32, _>("", cols, rows, 1)?;
    raster.set_geo_transform(&affine::transform_of(grid))?;
    let mut buffer = Buffer::new((cols, rows), cells);
    raster
        .rasterband(1)?
        .write((0, 0), (cols, rows), &mut buffer)?;
    // The one driver took the other's place in GDAL 3.11.
    let driver = DriverManager::get_driver_by_name("Memory")
        .or_else(|_| DriverManager::get_driver_by_name("MEM"))?;
    let mut lines = driver.create_vector_only("")?;
    {
        let layer = lines.create_layer(LayerOptions {
            name: "contours",
            ty: OGRwkbGeometryType::wkbLineString,
            ..LayerOptions::default()
        })?;
        FieldDefn::new("elevation_m", OGRFieldType::OFTReal)?.add_to_layer(&layer)?;
        generate(&raster, &layer, interval_m)?;
    }
    collect(&lines)
}

#[expect(unsafe_code, reason = "the gdal crate draws no contours")]
fn generate(
    raster: &Dataset,
    layer: &gdal::vector::Layer<'_>,
    interval_m: f64,
) -> Result<(), GdalError> {
    let band = raster.rasterband(1)?;
    // SAFETY: both handles are live while `band` and `layer` are; without fixed levels and progress the pointers to
    // them are null, which GDAL allows; field 0 is there and takes numbers, and −1 stands for no field.
    let result = unsafe {
        gdal_sys::GDALContourGenerate(
            band.c_rasterband(),
            interval_m,
            0.0,
            0,
            std::ptr::null_mut(),
            1,
            f64::from(NODATA),
            layer.c_layer().cast(),
            -1,
            0,
            None,
            std::ptr::null_mut(),
        )
    };
    if result == CPLErr::CE_None {
        return Ok(());
    }
    Err(GdalError::BadArgument("contours".to_owned()))
}

fn collect(lines: &Dataset) -> Result<Vec<Contour>, GdalError> {
    let mut layer = lines.layer(0)?;
    let mut found = Vec::new();
    for feature in layer.features() {
        let (Some(elevation_m), Some(geometry)) = (feature.field_as_double(0)?, feature.geometry())
        else {
            continue;
        };
        let mut points = Vec::new();
        geometry.get_points(&mut points);
        let line = points.iter().map(|(x, y, _)| [*x, *y]).collect();
        found.push(Contour { elevation_m, line });
    }
    Ok(found)
}
