//! Ramps whose values say where they stand, and rasters made through GDAL alone.

use gdal::raster::{Buffer, GdalType};
use gdal::spatial_ref::SpatialRef;
use gdal::{Dataset, DriverManager};
use ndarray::Array2;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use thalweg_geotiff::{Band, GeotiffError, Provenance, Written, write};
use thalweg_grid::{Grid, Layer, Purpose, Shape, StageKey};

pub(crate) const PROVENANCE: Provenance<'static> = Provenance {
    version: "0.1.0",
    pipeline: "0123456789abcdef",
    seed: 42,
};

/// A folder of its own for each test.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Names of all files, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

pub(crate) fn grid(shape: (usize, usize), crs: Option<&str>) -> Grid {
    let crs = crs.map(str::to_owned);
    Grid::new(shape.into(), 12.5, [500_000.0, 5_200_000.0], crs).unwrap()
}

/// Rises by 10 per row and 0.25 per column, so that no flip, turn or shift maps it to itself.
pub(crate) fn ramp_at(row: usize, col: usize) -> f32 {
    -500.0 + 10.0 * row as f32 + 0.25 * col as f32
}

pub(crate) fn ramp(shape: (usize, usize)) -> Array2<f32> {
    Array2::from_shape_fn(shape, |(row, col)| ramp_at(row, col))
}

pub(crate) fn write_elevation(
    path: &Path,
    grid: &Grid,
    cells: &Array2<f32>,
) -> Result<Written, GeotiffError> {
    let band = Band::float(Layer::Elevation, cells);
    write(path, grid, &band, None, &PROVENANCE, false)
}

/// Finite floats of 31 random bits, which do not compress.
pub(crate) fn noise(shape: (usize, usize)) -> Array2<f32> {
    let key = StageKey::new(1, "noise");
    Array2::from_shape_fn(shape, |(row, col)| {
        let bits = key.bits(Purpose::Noise, row as u64, col as u64) as u32;
        f32::from_bits(bits & 0xbfff_ffff)
    })
}

/// A GeoTIFF made without this crate: rows in stored order.
pub(crate) struct Foreign<'a, T> {
    pub(crate) shape: Shape,
    pub(crate) values: Vec<T>,
    pub(crate) transform: Option<[f64; 6]>,
    pub(crate) epsg: Option<u32>,
    pub(crate) options: &'a [&'a str],
}

impl<T: GdalType + Copy> Foreign<'_, T> {
    /// UTM, 10 m, north-up.
    pub(crate) fn new(shape: (usize, usize), value: impl Fn(usize, usize) -> T) -> Self {
        let shape = Shape::from(shape);
        let at = |index| {
            let (row, col) = shape.position(index);
            value(row, col)
        };
        Self {
            shape,
            values: (0..shape.len()).map(at).collect(),
            transform: Some([300_000.0, 10.0, 0.0, 4_000_000.0, 0.0, -10.0]),
            epsg: Some(32_611),
            options: &[],
        }
    }

    pub(crate) fn make(self, path: &Path) -> Dataset {
        let driver = DriverManager::get_driver_by_name("GTiff").unwrap();
        let Shape { rows, cols } = self.shape;
        let options = self.options.iter().copied().collect();
        let mut dataset = driver
            .create_with_band_type_with_options::<T, _>(path, cols, rows, 1, &options)
            .unwrap();
        if let Some(transform) = self.transform {
            dataset.set_geo_transform(&transform).unwrap();
        }
        if let Some(code) = self.epsg {
            dataset
                .set_spatial_ref(&SpatialRef::from_epsg(code).unwrap())
                .unwrap();
        }
        let mut buffer = Buffer::new((cols, rows), self.values);
        dataset
            .rasterband(1)
            .unwrap()
            .write((0, 0), (cols, rows), &mut buffer)
            .unwrap();
        dataset
    }
}

/// Whether a program can be started; prints why a check is skipped if not.
pub(crate) fn available(program: &str) -> bool {
    let found = std::process::Command::new(program)
        .arg("--version")
        .output()
        .is_ok();
    if !found {
        skip(&format!("{program} is not on PATH"));
    }
    found
}

/// Says that a check was skipped, past the test harness, which swallows what passing tests print.
pub(crate) fn skip(reason: &str) {
    use std::io::Write;
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default();
    let mut stderr = std::io::stderr();
    writeln!(stderr, "SKIP {name}: {reason}").unwrap();
}

/// Bits, so that −0 and 0 differ.
pub(crate) fn bits(cells: &Array2<f32>) -> Array2<u32> {
    cells.mapv(f32::to_bits)
}
