//! PNG files and their world files.

use crate::AnalysisError;
use ndarray::{ArrayView2, ArrayView3};
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};
use std::io::{self, Write};
use thalweg_grid::Grid;

/// Writes a grey picture, row 0 at the top.
///
/// The same pixels give the same bytes: there is no time stamp, and compression is one stream.
///
/// # Errors
/// When the picture is empty or too large for the format, or `out` fails.
pub fn write_grey(out: impl Write, pixels: ArrayView2<'_, u8>) -> Result<(), AnalysisError> {
    write(
        out,
        pixels.dim(),
        ColorType::Grayscale,
        pixels.as_standard_layout().as_slice(),
    )
}

/// Writes a picture of red, green and blue (sRGB) along the last axis, row 0 at the top.
///
/// # Errors
/// When the picture is empty or too large for the format, its last axis is not 3 long, or `out` fails.
pub fn write_rgb(out: impl Write, pixels: ArrayView3<'_, u8>) -> Result<(), AnalysisError> {
    let (rows, cols, bands) = pixels.dim();
    if bands != 3 {
        return Err(AnalysisError::Parameter {
            name: "bands of a colour picture",
            expected: "3: red, green and blue",
            found: bands as f64,
        });
    }
    write(
        out,
        (rows, cols),
        ColorType::Rgb,
        pixels.as_standard_layout().as_slice(),
    )
}

/// The text of a world file (`.pgw`): where a picture of the grid's cells lies. Six lines: pixel width, two
/// rotations, pixel height (negative: rows go south), easting and northing of the *centre* of the north-west
/// pixel, all in metres.
#[must_use]
pub fn world_file(grid: &Grid) -> String {
    let size_m = grid.cell_size_m;
    let (x_m, y_m) = (grid.x_m(0), grid.y_m(0));
    format!("{size_m}\n0\n0\n{}\n{x_m}\n{y_m}\n", -size_m)
}

fn write(
    out: impl Write,
    (rows, cols): (usize, usize),
    color: ColorType,
    bytes: Option<&[u8]>,
) -> Result<(), AnalysisError> {
    let too_large = AnalysisError::PictureSize { rows, cols };
    let (Some(height), Some(width), Some(bytes)) = (side(rows), side(cols), bytes) else {
        return Err(too_large);
    };
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let mut writer = encoder.write_header().map_err(io_error)?;
    writer.write_image_data(bytes).map_err(io_error)?;
    writer.finish().map_err(io_error)
}

/// A side as the format holds it: 1 to 2³¹ − 1.
fn side(cells: usize) -> Option<u32> {
    let side = i32::try_from(cells).ok()?.unsigned_abs();
    (side > 0).then_some(side)
}

fn io_error(error: EncodingError) -> AnalysisError {
    AnalysisError::Write(match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Array3};
    use png::{Decoder, OutputInfo};
    use std::io::Cursor;
    use thalweg_grid::Shape;

    fn read(bytes: &[u8]) -> (OutputInfo, Vec<u8>) {
        let mut reader = Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        pixels.truncate(info.buffer_size());
        (info, pixels)
    }

    #[test]
    fn grey_pixels_round_trip_and_bytes_repeat() {
        let pixels = Array2::from_shape_fn((3, 5), |(row, col)| (row * 50 + col) as u8);
        let mut files = [Vec::new(), Vec::new()];
        for file in &mut files {
            write_grey(file, pixels.view()).unwrap();
        }
        assert_eq!(files[0], files[1]);
        let (info, found) = read(&files[0]);
        assert_eq!(
            (info.width, info.height, info.color_type),
            (5, 3, ColorType::Grayscale)
        );
        assert_eq!(found, pixels.into_raw_vec_and_offset().0);
    }

    /// Also from a view whose memory is not in row order.
    #[test]
    fn colour_pixels_round_trip() {
        let pixels = Array3::from_shape_fn((5, 3, 3), |(row, col, band)| {
            (row * 9 + col * 3 + band) as u8
        });
        let turned = pixels.view().permuted_axes([1, 0, 2]);
        let mut file = Vec::new();
        write_rgb(&mut file, turned).unwrap();
        let (info, found) = read(&file);
        assert_eq!(
            (info.width, info.height, info.color_type),
            (5, 3, ColorType::Rgb)
        );
        assert_eq!(found, turned.iter().copied().collect::<Vec<u8>>());
    }

    #[test]
    fn a_picture_that_cannot_be_is_an_error() {
        let empty = write_grey(Vec::new(), Array2::zeros((0, 5)).view());
        assert!(matches!(
            empty,
            Err(AnalysisError::PictureSize { rows: 0, cols: 5 })
        ));
        let bands = write_rgb(Vec::new(), Array3::zeros((2, 2, 4)).view());
        assert!(matches!(bands, Err(AnalysisError::Parameter { .. })));
        let mut short = [0_u8; 20];
        let full = write_grey(&mut short[..], Array2::zeros((9, 9)).view());
        assert!(matches!(full, Err(AnalysisError::Write(_))));
    }

    #[test]
    fn a_world_file_names_the_centre_of_the_first_pixel() {
        let grid = Grid::new(Shape::new(4, 6), 10.0, [500_000.0, 5_200_000.0], None).unwrap();
        assert_eq!(world_file(&grid), "10\n0\n0\n-10\n500005\n5199995\n");
    }
}
