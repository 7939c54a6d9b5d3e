//! Writes a ramp whose every cell says where it stands: `ramp OUT.tif [ROWS COLS]`.
//!
//! Cell (row, col) of the 10 m grid holds 1000 + 10 row + 0.25 col metres; the north-west outer corner lies at
//! 500,000 E, 5,200,000 N of EPSG:32633. Judges outside of this repository's code read it back.

use ndarray::Array2;
use std::path::Path;
use thalweg_geotiff::{Band, Provenance, write};
use thalweg_grid::{Grid, Layer, Shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, shape) = match arguments.as_slice() {
        [path] => (path, Shape::new(300, 700)),
        [path, rows, cols] => (path, Shape::new(rows.parse()?, cols.parse()?)),
        _ => return Err("usage: ramp OUT.tif [ROWS COLS]".into()),
    };
    let crs = Some("EPSG:32633".to_owned());
    let grid = Grid::new(shape, 10.0, [500_000.0, 5_200_000.0], crs)?;
    let cells = Array2::from_shape_fn(shape.dim(), |(row, col)| {
        1000.0 + 10.0 * row as f32 + 0.25 * col as f32
    });
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION"),
        pipeline: "ramp",
        seed: 0,
    };
    let band = Band::float(Layer::Elevation, &cells);
    write(Path::new(path), &grid, &band, None, &provenance, true)?;
    Ok(())
}
