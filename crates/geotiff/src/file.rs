//! One GeoTIFF on its way to the disk.

use crate::layout::Layout;
use crate::{GeotiffError, Provenance, affine, atomic, crs, ffi};
use gdal::errors::GdalError;
use gdal::raster::{Buffer, GdalType, RasterCreationOptions};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager, Metadata};
use std::ops::RangeInclusive;
use std::path::Path;
use tempfile::TempPath;
use thalweg_grid::{Grid, Shape};

/// What kinds of files differ in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) bands: usize,
    /// Bytes of a cell in one band.
    pub(crate) cell_bytes: u64,
    /// Creation options of GDAL, besides those that all files have.
    pub(crate) options: &'static [&'static str],
}

/// One file to be written.
pub(crate) struct Job<'a> {
    path: &'a Path,
    grid: &'a Grid,
    provenance: &'a Provenance<'a>,
    overwrite: bool,
    system: Option<SpatialRef>,
    format: Format,
    pub(crate) layout: Layout,
}

impl<'a> Job<'a> {
    /// A file whose name, size and CRS have been checked.
    pub(crate) fn new(
        path: &'a Path,
        grid: &'a Grid,
        format: Format,
        provenance: &'a Provenance<'a>,
        overwrite: bool,
    ) -> Result<Self, GeotiffError> {
        let system = grid.crs.as_deref().map(crs::parse).transpose()?;
        let layout = Layout::new(grid.shape, format.bands as u64 * format.cell_bytes);
        Ok(Self {
            path,
            grid,
            provenance,
            overwrite,
            system,
            format,
            layout,
        })
    }

    /// Writes to a temporary file, checks it and gives it its name; gives back its size. `describe` writes tags of its
    /// own, all before the first pixel: so the directory stands at the head of the file and is not moved.
    ///
    /// # Errors
    /// When GDAL or the system fails, at the close too.
    pub(crate) fn run<T: GdalType>(
        &self,
        describe: &dyn Fn(&mut Dataset) -> Result<(), GdalError>,
        write: &mut dyn FnMut(&mut Dataset) -> Result<(), GdalError>,
    ) -> Result<u64, GeotiffError> {
        let temporary = atomic::temporary_beside(self.path)?;
        let (result, failures) = ffi::listen(|| {
            let mut dataset = self.create::<T>(&temporary)?;
            self.describe(&mut dataset)?;
            describe(&mut dataset)?;
            write(&mut dataset)?;
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
        Ok(bytes)
    }

    /// An empty file of the right layout. Every option that GDAL would else take from the environment is given.
    fn create<T: GdalType>(&self, temporary: &TempPath) -> Result<Dataset, GdalError> {
        let Layout { tile, bigtiff, .. } = self.layout;
        let common = [
            "TILED=YES".to_owned(),
            format!("BLOCKXSIZE={}", tile.cols),
            format!("BLOCKYSIZE={}", tile.rows),
            "COMPRESS=DEFLATE".to_owned(),
            "ZLEVEL=6".to_owned(),
            format!("BIGTIFF={}", if bigtiff { "YES" } else { "NO" }),
            "NUM_THREADS=1".to_owned(),
            "ENDIANNESS=LITTLE".to_owned(),
        ];
        let common = common.iter().map(String::as_str);
        let own = self.format.options.iter().copied();
        let options: RasterCreationOptions = common.chain(own).collect();
        let Shape { rows, cols } = self.grid.shape;
        DriverManager::get_driver_by_name("GTiff")?.create_with_band_type_with_options::<T, _>(
            temporary,
            cols,
            rows,
            self.format.bands,
            &options,
        )
    }

    /// Place and provenance.
    fn describe(&self, dataset: &mut Dataset) -> Result<(), GdalError> {
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
        Ok(())
    }

    /// Tiles from west to east and north to south, each once, past GDAL's cache. What sticks out is 0. `value` tells
    /// that of a band (from 1), row and column.
    pub(crate) fn write_tiles<T: GdalType + Copy + Default>(
        &self,
        dataset: &Dataset,
        bands: RangeInclusive<usize>,
        value: &dyn Fn(usize, usize, usize) -> T,
    ) -> Result<(), GdalError> {
        let Layout { tile, tiles, .. } = self.layout;
        let mut buffer = Buffer::new((tile.cols, tile.rows), vec![T::default(); tile.len()]);
        for (tile_row, tile_col) in cells_of(tiles) {
            let corner = (tile_row * tile.rows, tile_col * tile.cols);
            // Where a file holds all bands of a tile together, it gets them together.
            for band in bands.clone() {
                let value = |row, col| value(band, row, col);
                fill(buffer.data_mut(), tile, corner, self.grid.shape, &value);
                dataset
                    .rasterband(band)?
                    .write_block((tile_col, tile_row), &mut buffer)?;
            }
        }
        Ok(())
    }

    /// That every tile lies inside of the file: the last defence against a file cut short without a message.
    fn check_complete(&self, temporary: &TempPath) -> Result<(), GdalError> {
        let length = std::fs::metadata(temporary).map_or(0, |file| file.len());
        let dataset = Dataset::open(temporary)?;
        for band in 1..=self.format.bands {
            let band = dataset.rasterband(band)?;
            let number = |key: String| band.metadata_item(&key, "TIFF")?.parse::<u64>().ok();
            for (row, col) in cells_of(self.layout.tiles) {
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
        }
        Ok(())
    }
}

/// Rows and columns, row by row.
fn cells_of(shape: Shape) -> impl Iterator<Item = (usize, usize)> {
    (0..shape.rows).flat_map(move |row| (0..shape.cols).map(move |col| (row, col)))
}

/// One tile's values.
fn fill<T: Copy + Default>(
    buffer: &mut [T],
    tile: Shape,
    (first_row, first_col): (usize, usize),
    shape: Shape,
    value: &dyn Fn(usize, usize) -> T,
) {
    buffer.fill(T::default());
    for row in first_row..(first_row + tile.rows).min(shape.rows) {
        let line = &mut buffer[(row - first_row) * tile.cols..][..tile.cols];
        for (cell, col) in line.iter_mut().zip(first_col..shape.cols) {
            *cell = value(row, col);
        }
    }
}
