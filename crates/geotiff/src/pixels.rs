//! Cells of a raster, from stored numbers to metres and a mask.

use crate::request::Window;
use crate::{GeotiffError, ffi};
use gdal::errors::GdalError;
use gdal::raster::RasterBand;
use ndarray::Array2;
use std::path::Path;
use thalweg_grid::Shape;

/// Cells that are decoded at a time, unless one block of the file holds more.
const CHUNK_CELLS: usize = 1 << 20;

/// From stored numbers to metres.
#[derive(Clone, Copy)]
pub(crate) struct Scaling {
    /// Metres per stored unit.
    pub(crate) scale: f64,
    /// Metres that a stored 0 stands for.
    pub(crate) offset: f64,
}

impl Scaling {
    /// Values that need no scaling are left alone: −0 + 0 would be 0.
    fn is_identity(self) -> bool {
        (self.scale - 1.0).abs() <= 0.0 && self.offset.abs() <= 0.0
    }

    fn metres(self, stored: f64) -> f64 {
        if self.is_identity() {
            stored
        } else {
            stored * self.scale + self.offset
        }
    }
}

/// The map as it fills.
pub(crate) struct Ground {
    /// Values, m; 0 where there is no data.
    pub(crate) elevation: Array2<f32>,
    /// Where there is data.
    pub(crate) valid: Array2<bool>,
    /// How many cells hold data.
    pub(crate) valid_cells: u64,
    /// Whether no value was rounded.
    pub(crate) lossless: bool,
}

impl Ground {
    /// A map without data yet.
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            elevation: Array2::zeros(shape.dim()),
            valid: Array2::from_elem(shape.dim(), false),
            valid_cells: 0,
            lossless: true,
        }
    }

    /// Reads the window's rows, whole blocks of the file at a time.
    ///
    /// # Errors
    /// When a block cannot be read, a value with data is not finite in 32 bits, or no cell holds data.
    pub(crate) fn read(
        &mut self,
        path: &Path,
        band: &RasterBand<'_>,
        scaling: Scaling,
        south_up: bool,
        window: Window,
    ) -> Result<(), GeotiffError> {
        let (rows, cols) = self.elevation.dim();
        let [north, west] = window.first;
        // The first of the rows as stored.
        let start = match south_up {
            true => band.y_size() - north - rows,
            false => north,
        };
        let block = band.block_size().1.clamp(1, rows);
        let blocks = (CHUNK_CELLS / (block * cols).max(1)).max(1);
        let step = block * blocks;
        let mut first = 0;
        while first < rows {
            // Up to where a block ends, though the window may begin within one.
            let count = (step - (start + first) % block).min(rows - first);
            let at = [start + first, west];
            let (chunk, failures) = ffi::listen(|| Chunk::read(band, at, count, cols));
            let chunk = chunk.map_err(|error| GeotiffError::Damaged {
                path: path.to_owned(),
                row: start + first,
                message: failures.or(&error),
            })?;
            for row in 0..count {
                let target = if south_up {
                    rows - 1 - first - row
                } else {
                    first + row
                };
                self.take_row(
                    path,
                    &chunk,
                    row,
                    [start + first + row, west],
                    target,
                    scaling,
                )?;
            }
            first += count;
        }
        match self.valid_cells {
            0 => Err(GeotiffError::AllNodata {
                path: path.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn take_row(
        &mut self,
        path: &Path,
        chunk: &Chunk,
        row: usize,
        [stored_row, west]: [usize; 2],
        target: usize,
        scaling: Scaling,
    ) -> Result<(), GeotiffError> {
        for col in 0..chunk.cols {
            let Some(stored) = chunk.value(row, col) else {
                continue;
            };
            let metres = scaling.metres(stored);
            let value = metres as f32;
            if !value.is_finite() {
                let path = path.to_owned();
                return Err(GeotiffError::NotFinite {
                    path,
                    row: stored_row,
                    col: west + col,
                    value: metres,
                });
            }
            self.lossless &= f64::from(value).to_bits() == metres.to_bits();
            self.elevation[(target, col)] = value;
            self.valid[(target, col)] = true;
            self.valid_cells += 1;
        }
        Ok(())
    }
}

/// Some rows as stored.
struct Chunk {
    cols: usize,
    values: Vec<f64>,
    mask: Option<Vec<u8>>,
}

impl Chunk {
    fn read(
        band: &RasterBand<'_>,
        [row, col]: [usize; 2],
        rows: usize,
        cols: usize,
    ) -> Result<Self, GdalError> {
        let window = (isize::try_from(col)?, isize::try_from(row)?);
        let size = (cols, rows);
        let mut values = vec![0.0; rows * cols];
        band.read_into_slice::<f64>(window, size, size, &mut values, None)?;
        let mask = if band.mask_flags()?.is_all_valid() {
            None
        } else {
            let mut mask = vec![0; rows * cols];
            band.open_mask_band()?
                .read_into_slice::<u8>(window, size, size, &mut mask, None)?;
            Some(mask)
        };
        Ok(Self { cols, values, mask })
    }

    /// A stored value; none without data.
    fn value(&self, row: usize, col: usize) -> Option<f64> {
        let index = row * self.cols + col;
        let masked = self.mask.as_ref().is_some_and(|mask| mask[index] == 0);
        let value = self.values[index];
        (!masked && !value.is_nan()).then_some(value)
    }
}
