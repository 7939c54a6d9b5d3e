//! One GeoTIFF on its way to the disk.

use crate::layout::Layout;
use crate::{Band, Cells, GeotiffError, Provenance, Statistics, Written, affine, atomic, crs, ffi};
use gdal::errors::GdalError;
use gdal::raster::{Buffer, GdalType, RasterBand, RasterCreationOptions};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager, Metadata};
use ndarray::ArrayView2;
use std::path::Path;
use tempfile::TempPath;
use thalweg_grid::{Grid, Shape};

/// One file to be written.
pub(crate) struct Job<'a, 'b> {
    path: &'a Path,
    grid: &'a Grid,
    band: &'a Band<'b>,
    provenance: &'a Provenance<'a>,
    overwrite: bool,
    system: Option<SpatialRef>,
    layout: Layout,
}

impl<'a, 'b> Job<'a, 'b> {
    /// A file for a layer that has been checked against its grid.
    pub(crate) fn new(
        path: &'a Path,
        grid: &'a Grid,
        band: &'a Band<'b>,
        provenance: &'a Provenance<'a>,
        overwrite: bool,
    ) -> Result<Self, GeotiffError> {
        let system = grid.crs.as_deref().map(crs::parse).transpose()?;
        let layout = Layout::new(grid.shape);
        Ok(Self {
            path,
            grid,
            band,
            provenance,
            overwrite,
            system,
            layout,
        })
    }

    /// Writes to a temporary file, checks it and gives it its name.
    ///
    /// # Errors
    /// When GDAL or the system fails, at the close too.
    pub(crate) fn run<T: GdalType + Copy + Default>(
        &self,
        cells: ArrayView2<'_, T>,
        stored: &dyn Fn(usize, usize, T) -> T,
        nodata: f64,
        statistics: Option<Statistics>,
    ) -> Result<Written, GeotiffError> {
        let temporary = atomic::temporary_beside(self.path)?;
        let (result, failures) = ffi::listen(|| {
            let mut dataset = self.create::<T>(&temporary)?;
            self.describe(&mut dataset, nodata, statistics.as_ref())?;
            self.write_tiles(&mut dataset.rasterband(1)?, cells, stored)?;
            dataset.flush_cache()?;
            dataset.close()?;
            self.check_complete(&temporary)
        });
        // GDAL before 3.7 says of a flush or close that failed in its messages alone.
        let message = match result {
            Ok(()) if failures.is_empty() => None,
            Ok(()) => Some(failures.text()),
            Err(error) => Some(failures.or(&error)),
        };
        if let Some(message) = message {
            // Room that the temporary file takes is free again before the error says how much there is.
            drop(temporary);
            return Err(GeotiffError::failed_write(
                self.path,
                self.layout.largest_bytes,
                message,
            ));
        }
        let bytes = std::fs::metadata(&temporary)
            .map_err(|source| GeotiffError::io(self.path, "measure it", 0, source))?
            .len();
        atomic::publish(temporary, self.path, self.overwrite, bytes)?;
        Ok(Written {
            bytes,
            nodata,
            statistics,
            bigtiff: self.layout.bigtiff,
        })
    }

    /// An empty file of the right layout. Every option that GDAL would else take from the environment is given.
    fn create<T: GdalType>(&self, temporary: &TempPath) -> Result<Dataset, GdalError> {
        let Layout { tile, bigtiff, .. } = self.layout;
        let predictor = match self.band.cells {
            Cells::Float(_) => 3,
            Cells::Ids(_) => 2,
        };
        let options = [
            "TILED=YES".to_owned(),
            format!("BLOCKXSIZE={}", tile.cols),
            format!("BLOCKYSIZE={}", tile.rows),
            "COMPRESS=DEFLATE".to_owned(),
            "ZLEVEL=6".to_owned(),
            format!("PREDICTOR={predictor}"),
            format!("BIGTIFF={}", if bigtiff { "YES" } else { "NO" }),
            "NUM_THREADS=1".to_owned(),
            "ENDIANNESS=LITTLE".to_owned(),
        ];
        let options: RasterCreationOptions = options.iter().map(String::as_str).collect();
        let Shape { rows, cols } = self.grid.shape;
        DriverManager::get_driver_by_name("GTiff")?
            .create_with_band_type_with_options::<T, _>(temporary, cols, rows, 1, &options)
    }

    /// Tags, all before the first pixel: so the directory stands at the head of the file and is not moved.
    fn describe(
        &self,
        dataset: &mut Dataset,
        nodata: f64,
        statistics: Option<&Statistics>,
    ) -> Result<(), GdalError> {
        if let Some(system) = &self.system {
            dataset.set_spatial_ref(system)?;
        }
        dataset.set_geo_transform(&affine::transform_of(self.grid))?;
        let Provenance {
            version,
            pipeline,
            seed,
        } = self.provenance;
        let tags = [
            ("AREA_OR_POINT", "Area"),
            ("TIFFTAG_SOFTWARE", &format!("Thalweg {version}")),
            ("THALWEG_VERSION", version),
            ("THALWEG_PIPELINE", pipeline),
            ("THALWEG_SEED", &seed.to_string()),
        ];
        for (key, value) in tags {
            dataset.set_metadata_item(key, value, "")?;
        }
        let mut band = dataset.rasterband(1)?;
        band.set_no_data_value(Some(nodata))?;
        band.set_description(self.band.layer.name())?;
        ffi::set_unit(&mut band, self.band.layer.unit())?;
        self.describe_values(&mut band, statistics)
    }

    /// Statistics under the names that GDAL reads them by.
    fn describe_values(
        &self,
        band: &mut RasterBand<'_>,
        statistics: Option<&Statistics>,
    ) -> Result<(), GdalError> {
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
        let percent = 100.0 * valid as f64 / self.grid.shape.cells() as f64;
        band.set_metadata_item("STATISTICS_VALID_PERCENT", &percent.to_string(), "")
    }

    /// Tiles from west to east and north to south, each once, past GDAL's cache. What sticks out is 0.
    fn write_tiles<T: GdalType + Copy + Default>(
        &self,
        band: &mut RasterBand<'_>,
        cells: ArrayView2<'_, T>,
        stored: &dyn Fn(usize, usize, T) -> T,
    ) -> Result<(), GdalError> {
        let Layout { tile, tiles, .. } = self.layout;
        let mut buffer = Buffer::new((tile.cols, tile.rows), vec![T::default(); tile.len()]);
        for tile_row in 0..tiles.rows {
            for tile_col in 0..tiles.cols {
                let corner = (tile_row * tile.rows, tile_col * tile.cols);
                fill(buffer.data_mut(), tile, corner, cells, stored);
                band.write_block((tile_col, tile_row), &mut buffer)?;
            }
        }
        Ok(())
    }

    /// That every tile lies inside of the file: the last defence against a file cut short without a message.
    fn check_complete(&self, temporary: &TempPath) -> Result<(), GdalError> {
        let length = std::fs::metadata(temporary).map_or(0, |file| file.len());
        let dataset = Dataset::open(temporary)?;
        let band = dataset.rasterband(1)?;
        let number = |key: String| band.metadata_item(&key, "TIFF")?.parse::<u64>().ok();
        let Shape { rows, cols } = self.layout.tiles;
        for (row, col) in (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))) {
            let offset = number(format!("BLOCK_OFFSET_{col}_{row}"));
            let size = number(format!("BLOCK_SIZE_{col}_{row}"));
            match (offset, size) {
                (Some(offset), Some(size)) if size > 0 && offset + size <= length => {}
                _ => {
                    let text = format!("tile {row}, {col} is missing from the finished file");
                    return Err(GdalError::BadArgument(text));
                }
            }
        }
        Ok(())
    }
}

/// One tile's values.
fn fill<T: Copy + Default>(
    buffer: &mut [T],
    tile: Shape,
    (first_row, first_col): (usize, usize),
    cells: ArrayView2<'_, T>,
    stored: &dyn Fn(usize, usize, T) -> T,
) {
    let (rows, cols) = cells.dim();
    buffer.fill(T::default());
    for row in first_row..(first_row + tile.rows).min(rows) {
        let line = &mut buffer[(row - first_row) * tile.cols..][..tile.cols];
        for (value, col) in line.iter_mut().zip(first_col..cols) {
            *value = stored(row, col, cells[(row, col)]);
        }
    }
}
