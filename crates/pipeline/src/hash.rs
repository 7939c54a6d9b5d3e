//! Hashes of pipelines and pixels.

use crate::spec::{Pipeline, Stage};
use ndarray::ArrayView2;
use serde_json::Value;
use thalweg_geotiff::Reading;

/// Hash of a resolved pipeline: of its JSON with sorted keys, in which an input stands for its content, not its
/// path, so that the same data in another folder is the same pipeline.
pub(crate) fn of_pipeline(pipeline: &Pipeline, input: Option<&str>) -> String {
    let mut pipeline = pipeline.clone();
    for stage in &mut pipeline.stages {
        if let (Stage::Read(read), Some(input)) = (stage, input) {
            read.path = format!("blake3:{input}");
        }
    }
    let mut json = serde_json::to_value(&pipeline).unwrap_or(Value::Null);
    json.sort_all_objects();
    of_bytes(json.to_string().as_bytes())
}

/// Hash of what a raster brings: size, place, elevation and mask, however the file stores them.
pub(crate) fn of_input(reading: &Reading) -> String {
    let mut hash = blake3::Hasher::new();
    let grid = &reading.grid;
    for lines in [grid.shape.rows, grid.shape.cols] {
        hash.update(&(lines as u64).to_le_bytes());
    }
    for metres in [grid.cell_size_m, grid.origin_m[0], grid.origin_m[1]] {
        hash.update(&metres.to_le_bytes());
    }
    hash.update(grid.crs.as_deref().unwrap_or_default().as_bytes());
    let valid = |row, col| reading.valid.as_ref().is_none_or(|mask| mask[(row, col)]);
    update(
        &mut hash,
        reading.elevation.view(),
        |row, col, value: f32| {
            // A quiet NaN is no elevation: the mask needs no pass of its own.
            if valid(row, col) {
                value.to_le_bytes()
            } else {
                f32::NAN.to_le_bytes()
            }
        },
    );
    hash.finalize().to_hex().to_string()
}

/// Hash of a file's content.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Hash of frames one after another, each in the order of its array, little-endian.
#[derive(Default)]
pub(crate) struct Frames(blake3::Hasher);

impl Frames {
    pub(crate) fn add<T: Copy, const N: usize>(
        &mut self,
        cells: impl Iterator<Item = T>,
        stored: impl Fn(T) -> [u8; N],
    ) {
        let mut bytes = Vec::with_capacity(1 << 16);
        for cell in cells {
            bytes.extend(stored(cell));
            if bytes.len() >= 1 << 16 {
                self.0.update(&bytes);
                bytes.clear();
            }
        }
        self.0.update(&bytes);
    }

    pub(crate) fn finish(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// Hash of a raster's pixels as they are stored: little-endian, row by row.
pub(crate) fn of_pixels<T: Copy, const N: usize>(
    cells: ArrayView2<'_, T>,
    stored: impl Fn(usize, usize, T) -> [u8; N],
) -> String {
    let mut hash = blake3::Hasher::new();
    update(&mut hash, cells, stored);
    hash.finalize().to_hex().to_string()
}

fn update<T: Copy, const N: usize>(
    hash: &mut blake3::Hasher,
    cells: ArrayView2<'_, T>,
    stored: impl Fn(usize, usize, T) -> [u8; N],
) {
    let mut line = Vec::with_capacity(cells.ncols() * N);
    for (row, values) in cells.rows().into_iter().enumerate() {
        line.clear();
        for (col, &value) in values.iter().enumerate() {
            line.extend_from_slice(&stored(row, col, value));
        }
        hash.update(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_hash_as_their_little_endian_bytes_row_by_row() {
        let cells = ndarray::arr2(&[[1.0_f32, 2.0, 3.0], [4.0, 5.0, -9999.0]]);
        let bytes: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, -9999.0]
            .iter()
            .flat_map(|value| value.to_bits().to_le_bytes())
            .collect();
        let expected = blake3::hash(&bytes).to_hex().to_string();
        let view = cells.view().reversed_axes().reversed_axes();
        assert_eq!(of_pixels(view, |_, _, value| value.to_le_bytes()), expected);
    }
}
