//! One raster on its way to the disk: written as it comes, or through a temporary GeoTIFF that GDAL copies.

use crate::format::{Cells, Format};
use crate::layout::Layout;
use crate::{GeotiffError, Provenance, affine, atomic, crs, ffi};
use gdal::errors::GdalError;
use gdal::raster::{Buffer, GdalType, RasterBand, RasterCreationOptions};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager, Metadata};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use thalweg_grid::{Grid, Shape};

/// What kinds of rasters differ in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) bands: usize,
    /// Bytes of a cell in one band.
    pub(crate) cell_bytes: u64,
    pub(crate) cells: Cells,
    /// Creation options of a GeoTIFF that say how bands are kept.
    pub(crate) options: &'static [&'static str],
}

/// What became of a job.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Size of the file.
    pub(crate) bytes: u64,
    /// Files that GDAL made beside it.
    pub(crate) companions: Vec<PathBuf>,
}

/// One file to be written.
pub(crate) struct Job<'a> {
    pub(crate) path: &'a Path,
    pub(crate) grid: &'a Grid,
    provenance: &'a Provenance<'a>,
    overwrite: bool,
    system: Option<SpatialRef>,
    kind: Kind,
    format: &'a Format,
    pub(crate) layout: Layout,
}

impl<'a> Job<'a> {
    /// A file whose name, size and CRS have been checked.
    pub(crate) fn new(
        path: &'a Path,
        grid: &'a Grid,
        kind: Kind,
        format: &'a Format,
        provenance: &'a Provenance<'a>,
        overwrite: bool,
    ) -> Result<Self, GeotiffError> {
        crate::format::prepare();
        let system = grid.crs.as_deref().map(crs::parse).transpose()?;
        let layout = Layout::new(grid.shape, kind.bands as u64 * kind.cell_bytes);
        Ok(Self {
            path,
            grid,
            provenance,
            overwrite,
            system,
            kind,
            format,
            layout,
        })
    }

    /// Writes into a temporary folder, checks what is there and gives it its name. `describe` writes tags of its own,
    /// all before the first pixel: so the directory stands at the head of the file and is not moved.
    ///
    /// # Errors
    /// When GDAL or the system fails, at the close too.
    pub(crate) fn run<T: GdalType>(
        &self,
        describe: &dyn Fn(&mut Dataset) -> Result<(), GdalError>,
        write: &mut dyn FnMut(&mut Dataset) -> Result<(), GdalError>,
    ) -> Result<Stored, GeotiffError> {
        let folder = atomic::folder_beside(self.path)?;
        let file = folder
            .path()
            .join(self.path.file_name().unwrap_or_default());
        let (result, failures) = ffi::listen(|| {
            if self.format.is_direct() {
                self.make::<T>(&file, describe, write)?;
            } else {
                let pixels = folder.path().join(".pixels");
                self.make::<T>(&pixels, describe, write)?;
                self.copy(&pixels, &file)?;
            }
            self.check_complete(&file)
        });
        // GDAL before 3.7 says of a flush or close that failed in its messages alone.
        let message = match result {
            Ok(()) if failures.is_empty() => None,
            Ok(()) => Some(failures.text()),
            Err(error) => Some(failures.or(&error)),
        };
        if let Some(message) = message {
            // Room that the temporary files take is free again before the error says how much there is.
            drop(folder);
            return Err(GeotiffError::failed_write(
                self.path,
                self.largest_bytes(),
                message,
            ));
        }
        let bytes = std::fs::metadata(&file)
            .map_err(|source| GeotiffError::io(self.path, "measure it", 0, source))?
            .len();
        let companions = atomic::publish_all(folder.path(), self.path, self.overwrite, bytes)?;
        Ok(Stored { bytes, companions })
    }

    /// A GeoTIFF with everything in it, closed.
    fn make<T: GdalType>(
        &self,
        file: &Path,
        describe: &dyn Fn(&mut Dataset) -> Result<(), GdalError>,
        write: &mut dyn FnMut(&mut Dataset) -> Result<(), GdalError>,
    ) -> Result<(), GdalError> {
        let mut dataset = self.create::<T>(file)?;
        self.describe(&mut dataset)?;
        describe(&mut dataset)?;
        write(&mut dataset)?;
        dataset.flush_cache()?;
        dataset.close()
    }

    /// GDAL's copy in the wanted format, block by block; takes the original away.
    fn copy(&self, pixels: &Path, file: &Path) -> Result<(), GdalError> {
        let Layout { tile, bigtiff, .. } = self.layout;
        let block = tile.rows.max(tile.cols).max(SMALLEST_BLOCK);
        let options = self.format.copy_options(self.kind.cells, bigtiff, block);
        let options: RasterCreationOptions = options.iter().map(String::as_str).collect();
        let driver = DriverManager::get_driver_by_name(self.format.driver())?;
        let dataset = Dataset::open(pixels)?;
        let mut copy = ffi::copy(&dataset, &driver, file, &options)?;
        copy.flush_cache()?;
        copy.close()?;
        dataset.close()?;
        std::fs::remove_file(pixels).map_err(|error| GdalError::BadArgument(error.to_string()))
    }

    /// Room that the job may take, its temporary files among it.
    fn largest_bytes(&self) -> u64 {
        let once = self.layout.largest_bytes;
        if self.format.is_direct() {
            return once;
        }
        // The pixels as they are, their overviews, and the copy with overviews.
        once.saturating_add(once.saturating_add(once / 3).saturating_mul(2))
    }

    /// An empty file of the right layout. Every option that GDAL would else take from the environment is given.
    fn create<T: GdalType>(&self, temporary: &Path) -> Result<Dataset, GdalError> {
        let Layout { tile, bigtiff, .. } = self.layout;
        let mut options = vec![
            "TILED=YES".to_owned(),
            format!("BLOCKXSIZE={}", tile.cols),
            format!("BLOCKYSIZE={}", tile.rows),
            format!("BIGTIFF={}", if bigtiff { "YES" } else { "NO" }),
            "ENDIANNESS=LITTLE".to_owned(),
        ];
        if self.format.is_direct() {
            options.extend(self.format.gtiff_options(self.kind.cells.float));
        }
        options.extend(self.kind.options.iter().map(|option| (*option).to_owned()));
        let options: RasterCreationOptions = options.iter().map(String::as_str).collect();
        let Shape { rows, cols } = self.grid.shape;
        DriverManager::get_driver_by_name("GTiff")?.create_with_band_type_with_options::<T, _>(
            temporary,
            cols,
            rows,
            self.kind.bands,
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

    /// That the finished file is one, and of a TIFF that every tile lies inside of it: the last defence against a file
    /// cut short without a message.
    fn check_complete(&self, file: &Path) -> Result<(), GdalError> {
        let length = std::fs::metadata(file).map_or(0, |file| file.len());
        let dataset = Dataset::open(file)?;
        let wrong = |text: String| Err(GdalError::BadArgument(text));
        let Shape { rows, cols } = self.grid.shape;
        if dataset.raster_size() != (cols, rows) || dataset.raster_count() != self.kind.bands {
            return wrong("the finished file has another size".to_owned());
        }
        if !self.format.is_tiff() {
            return Ok(());
        }
        for number in 1..=self.kind.bands {
            let band = dataset.rasterband(number)?;
            check_tiles(&band, length)?;
            for level in 0..usize::try_from(band.overview_count()?).unwrap_or(0) {
                check_tiles(&band.overview(level)?, length)?;
            }
        }
        Ok(())
    }
}

/// GDAL makes no smaller blocks in a cloud-optimised file.
const SMALLEST_BLOCK: usize = 128;

/// That each block of a band lies within the first `length` bytes.
fn check_tiles(band: &RasterBand<'_>, length: u64) -> Result<(), GdalError> {
    let (cols, rows) = band.block_size();
    let tiles = Shape::new(band.y_size().div_ceil(rows), band.x_size().div_ceil(cols));
    let number = |key: String| band.metadata_item(&key, "TIFF")?.parse::<u64>().ok();
    for (row, col) in cells_of(tiles) {
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
