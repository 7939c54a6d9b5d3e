//! PNG files and their world files.

use crate::AnalysisError;
use ndarray::{ArrayView2, ArrayView3};
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Writer};
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

/// Writes a picture of red, green and blue (sRGB) along the last axis, row 0 at the top; a fourth band is opacity.
///
/// # Errors
/// When the picture is empty or too large for the format, its last axis is not 3 or 4 long, or `out` fails.
pub fn write_colour(out: impl Write, pixels: ArrayView3<'_, u8>) -> Result<(), AnalysisError> {
    let (rows, cols, bands) = pixels.dim();
    write(
        out,
        (rows, cols),
        colour_type(bands)?,
        pixels.as_standard_layout().as_slice(),
    )
}

/// An animated PNG on its way: pictures one after another, of which only the one at hand is in memory. Viewers that
/// know no animation show the first.
pub struct Film<W: Write> {
    writer: Writer<W>,
    dim: (usize, usize, usize),
    /// Pictures that are still to come.
    left: u32,
}

/// Longest time for which a film can show a frame, s.
pub const LONGEST_S: f64 = 60.0;

impl<W: Write> Film<W> {
    /// A film of `frames` pictures of the given rows, columns and bands (see [`write_colour`]), each shown for `show_s`
    /// (to a millisecond), over and over again.
    ///
    /// # Errors
    /// When the pictures are empty or too large for the format, a number is out of range, or `out` fails.
    pub fn new(
        out: W,
        dim: (usize, usize, usize),
        frames: u32,
        show_s: f64,
    ) -> Result<Self, AnalysisError> {
        let (rows, cols, bands) = dim;
        let mut encoder = encoder(out, (rows, cols), colour_type(bands)?)?;
        if !(1e-3..=LONGEST_S).contains(&show_s) {
            return Err(AnalysisError::Parameter {
                name: "time to show a frame, s,",
                expected: "0.001 to 60",
                found: show_s,
            });
        }
        encoder.set_animated(frames, 0).map_err(io_error)?;
        // In range of 16 bits, as checked.
        let thousandths = (show_s * 1000.0).round() as u16;
        encoder
            .set_frame_delay(thousandths, 1000)
            .map_err(io_error)?;
        let writer = encoder.write_header().map_err(io_error)?;
        Ok(Self {
            writer,
            dim,
            left: frames,
        })
    }

    /// Adds the next picture.
    ///
    /// # Errors
    /// When its size is another, there were as many as was told, or `out` fails.
    pub fn add(&mut self, pixels: ArrayView3<'_, u8>) -> Result<(), AnalysisError> {
        let (rows, cols, _) = pixels.dim();
        let pixels = pixels.as_standard_layout();
        self.left = self.left.checked_sub(1).ok_or(miscounted(1))?;
        match pixels.as_slice() {
            Some(bytes) if pixels.dim() == self.dim => {
                self.writer.write_image_data(bytes).map_err(io_error)
            }
            _ => Err(AnalysisError::PictureSize { rows, cols }),
        }
    }

    /// Writes the end.
    ///
    /// # Errors
    /// When pictures are missing, or `out` fails.
    pub fn finish(self) -> Result<(), AnalysisError> {
        if self.left > 0 {
            return Err(miscounted(-i64::from(self.left)));
        }
        self.writer.finish().map_err(io_error)
    }
}

/// So many pictures too many.
fn miscounted(surplus: i64) -> AnalysisError {
    AnalysisError::Parameter {
        name: "surplus of a film's pictures",
        expected: "0",
        found: surplus as f64,
    }
}

fn colour_type(bands: usize) -> Result<ColorType, AnalysisError> {
    match bands {
        3 => Ok(ColorType::Rgb),
        4 => Ok(ColorType::Rgba),
        _ => Err(AnalysisError::Parameter {
            name: "bands of a colour picture",
            expected: "3 or 4: red, green, blue, and opacity",
            found: bands as f64,
        }),
    }
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
    dim: (usize, usize),
    color: ColorType,
    bytes: Option<&[u8]>,
) -> Result<(), AnalysisError> {
    let (rows, cols) = dim;
    let bytes = bytes.ok_or(AnalysisError::PictureSize { rows, cols })?;
    let mut writer = encoder(out, dim, color)?.write_header().map_err(io_error)?;
    writer.write_image_data(bytes).map_err(io_error)?;
    writer.finish().map_err(io_error)
}

fn encoder<W: Write>(
    out: W,
    (rows, cols): (usize, usize),
    color: ColorType,
) -> Result<Encoder<'static, W>, AnalysisError> {
    let (Some(height), Some(width)) = (side(rows), side(cols)) else {
        return Err(AnalysisError::PictureSize { rows, cols });
    };
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    Ok(encoder)
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
        write_colour(&mut file, turned).unwrap();
        let (info, found) = read(&file);
        assert_eq!(
            (info.width, info.height, info.color_type),
            (5, 3, ColorType::Rgb)
        );
        assert_eq!(found, turned.iter().copied().collect::<Vec<u8>>());
    }

    /// As the format's own reader sees it: frames, their time, how often, and every pixel.
    #[test]
    fn a_film_is_read_back_frame_by_frame() {
        let frame = |t: u8| {
            Array3::from_shape_fn((4, 6, 3), |(row, col, band)| {
                t * 40 + (row * 18 + col * 3 + band) as u8
            })
        };
        let mut film = Film::new(Vec::new(), (4, 6, 3), 3, 0.125).unwrap();
        assert!(film.add(Array3::zeros((4, 5, 3)).view()).is_err());
        assert!(film.finish().is_err(), "pictures are missing");
        let mut file = Vec::new();
        let mut film = Film::new(&mut file, (4, 6, 3), 3, 0.125).unwrap();
        (0..3).for_each(|t| film.add(frame(t).view()).unwrap());
        assert!(film.add(frame(3).view()).is_err(), "more than was told");
        film.finish().unwrap();
        let mut reader = Decoder::new(Cursor::new(&file)).read_info().unwrap();
        let control = reader.info().animation_control().unwrap();
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        for t in 0..3 {
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels, frame(t).into_raw_vec_and_offset().0, "frame {t}");
            let shown = reader.info().frame_control().unwrap();
            assert_eq!((shown.delay_num, shown.delay_den), (125, 1000));
        }
        for show_s in [0.0, 61.0, f64::NAN] {
            assert!(Film::new(Vec::new(), (4, 6, 3), 3, show_s).is_err());
        }
    }

    #[test]
    fn a_picture_that_cannot_be_is_an_error() {
        let empty = write_grey(Vec::new(), Array2::zeros((0, 5)).view());
        assert!(matches!(
            empty,
            Err(AnalysisError::PictureSize { rows: 0, cols: 5 })
        ));
        let bands = write_colour(Vec::new(), Array3::zeros((2, 2, 5)).view());
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
