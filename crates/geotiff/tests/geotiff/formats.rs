//! Cloud-optimised files, compressions, steps and other formats, judged by GDAL's validator and read back.

use crate::support::{Folder, PROVENANCE, available, bits, grid, noise, ramp, skip};
use gdal::{Dataset, Metadata};
use ndarray::{Array2, Array3};
use std::path::{Path, PathBuf};
use std::process::Command;
use thalweg_geotiff::{
    Band, Compress, Film, Format, GeotiffError, Request, Steps, Written, read, write, write_film,
    write_picture,
};
use thalweg_grid::{Layer, Shape};

const SHAPE: (usize, usize) = (1300, 1100);

/// GDAL's own judgement of a file; none where its Python scripts are not installed.
fn validator(path: &Path) -> Option<(bool, String)> {
    // The distribution's Python has them; another one on PATH may not.
    let python = ["/usr/bin/python3", "python3"].into_iter().find(|python| {
        let asked = Command::new(python)
            .args(["-c", "import osgeo_utils"])
            .output();
        asked.is_ok_and(|output| output.status.success())
    })?;
    let script = "osgeo_utils.samples.validate_cloud_optimized_geotiff";
    let output = Command::new(python)
        .args(["-m", script, "--full-check=yes"])
        .arg(path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Some((output.status.success(), text + &errors))
}

fn valid_cog(path: &Path) {
    match validator(path) {
        Some((fine, text)) => assert!(fine, "{}: {text}", path.display()),
        None => skip("GDAL's Python scripts are not installed"),
    }
}

fn store(path: &Path, cells: &Array2<f32>, format: &Format) -> Result<Written, GeotiffError> {
    let hole = Array2::from_shape_fn(cells.dim(), |(row, col)| row >= 300 || col < 700);
    let band = Band::float(Layer::Elevation, cells).with_format(format);
    let grid = grid(cells.dim(), Some("EPSG:32633"));
    write(path, &grid, &band, Some(hole.view()), &PROVENANCE, false)
}

fn compressed(driver: &str, compress: Compress) -> Format {
    Format {
        compress,
        ..Format::new(driver)
    }
}

#[test]
fn a_cog_is_one_in_gdals_eyes_and_keeps_everything() {
    let folder = Folder::new();
    let cells = ramp(SHAPE);
    for (name, compress) in [
        ("deflate", Compress::Deflate),
        ("zstd", Compress::Zstd),
        ("none", Compress::None),
        ("lerc", Compress::Lerc { max_error: 0.0 }),
    ] {
        let path = folder.file(&format!("{name}.tif"));
        let format = compressed("COG", compress);
        if format.check("Float32").is_err() {
            skip(&format!("this GDAL has no {name}"));
            continue;
        }
        let written = store(&path, &cells, &format).unwrap();
        valid_cog(&path);
        let found = read(&path, &Request::of_band(1)).unwrap();
        let valid = found.valid.unwrap();
        for (at, value) in found.elevation.indexed_iter() {
            assert_eq!(valid[at], at.0 >= 300 || at.1 < 700, "{name} {at:?}");
            assert!(
                !valid[at] || value.to_bits() == cells[at].to_bits(),
                "{name} {at:?}"
            );
        }
        assert_eq!(found.grid.crs.as_deref(), Some("EPSG:32633"));
        let dataset = Dataset::open(&path).unwrap();
        let band = dataset.rasterband(1).unwrap();
        assert_eq!(band.block_size(), (512, 512));
        assert_eq!(band.overview_count().unwrap(), 2, "650 and 325 rows");
        assert_eq!(band.unit(), "m");
        assert_eq!(band.description().unwrap(), "elevation");
        let item = |key: &str| band.metadata_item(key, "").unwrap();
        let statistics = written.statistics.unwrap();
        assert_eq!(item("STATISTICS_MEAN"), statistics.mean.to_string());
        assert_eq!(dataset.metadata_item("THALWEG_SEED", "").unwrap(), "42");
        assert_eq!(dataset.metadata_item("AREA_OR_POINT", "").unwrap(), "Area");
        assert_eq!(written.nodata.is_nan(), name == "lerc");
    }
}

/// A check of the check: overviews that are added to a finished GeoTIFF lie behind the pixels.
#[test]
fn late_overviews_are_no_cog() {
    let folder = Folder::new();
    let path = folder.file("late.tif");
    store(&path, &ramp(SHAPE), &Format::new("GTiff")).unwrap();
    if !available("gdaladdo") {
        return;
    }
    let added = Command::new("gdaladdo")
        .arg(&path)
        .args(["2", "4"])
        .output();
    assert!(added.unwrap().status.success());
    match validator(&path) {
        Some((fine, text)) => assert!(!fine, "{text}"),
        None => skip("GDAL's Python scripts are not installed"),
    }
}

#[test]
fn bytes_are_the_same_again_and_with_more_threads() {
    let folder = Folder::new();
    let cells = noise(SHAPE);
    for driver in ["COG", "GTiff"] {
        let files: Vec<Vec<u8>> = [1, 1, 2, 4]
            .into_iter()
            .enumerate()
            .map(|(run, threads)| {
                let path = folder.file(&format!("{driver}-{run}.tif"));
                let format = Format {
                    threads,
                    ..Format::new(driver)
                };
                store(&path, &cells, &format).unwrap();
                std::fs::read(path).unwrap()
            })
            .collect();
        assert!(files.iter().all(|file| *file == files[0]), "{driver}");
    }
}

#[test]
fn overviews_are_means_of_quantities_and_neighbours_of_identifiers() {
    let folder = Folder::new();
    let overview = |path: &Path| {
        let dataset = Dataset::open(path).unwrap();
        let view = dataset.rasterband(1).unwrap().overview(0).unwrap();
        let (cols, rows) = view.size();
        let buffer = view.read_as::<f64>((0, 0), (cols, rows), (cols, rows), None);
        (cols, buffer.unwrap().data().to_vec())
    };
    let path = folder.file("dem.tif");
    let cells = ramp((1200, 1200));
    store(&path, &cells, &Format::cog()).unwrap();
    let (cols, values) = overview(&path);
    // Of a plane, the mean of four cells is the value where they meet.
    let (row, col) = (400, 17);
    let expected = f64::from(cells[(2 * row, 2 * col)]) + (10.0 + 0.25) / 2.0;
    assert!((values[row * cols + col] - expected).abs() < 1e-3);

    let path = folder.file("ids.tif");
    let ids = Array2::from_shape_fn((1200, 1200), |(row, col)| {
        (7 + (row + col) % 2 * 1000) as u32
    });
    let format = Format::cog();
    let band = Band::ids(Layer::LakeId, &ids).with_format(&format);
    write(
        &path,
        &grid((1200, 1200), None),
        &band,
        None,
        &PROVENANCE,
        false,
    )
    .unwrap();
    valid_cog(&path);
    assert!(
        overview(&path)
            .1
            .iter()
            .all(|id| [7.0, 1007.0].contains(id))
    );
}

#[test]
fn lerc_keeps_its_error_and_the_hole() {
    let folder = Folder::new();
    // Rough ground, which an error has to do with.
    let cells = noise(SHAPE).mapv(|value| (value.to_bits() % 10_000) as f32 / 100.0);
    for driver in ["COG", "GTiff"] {
        let format = compressed(driver, Compress::Lerc { max_error: 0.25 });
        if format.check("Float32").is_err() {
            return skip("this GDAL has no LERC");
        }
        let path = folder.file(&format!("{driver}.tif"));
        store(&path, &cells, &format).unwrap();
        let found = read(&path, &Request::of_band(1)).unwrap();
        let valid = found.valid.unwrap();
        let mut largest = 0.0_f32;
        for (at, value) in found.elevation.indexed_iter() {
            assert_eq!(valid[at], at.0 >= 300 || at.1 < 700, "{at:?}");
            if valid[at] {
                largest = largest.max((value - cells[at]).abs());
            }
        }
        assert!((0.1..=0.2501).contains(&largest), "{driver}: {largest}");
    }
}

#[test]
fn steps_are_sixteen_bit_integers_with_a_scale() {
    let folder = Folder::new();
    let cells = ramp(SHAPE);
    for driver in ["COG", "GTiff"] {
        let path = folder.file(&format!("{driver}.tif"));
        let format = Format {
            step: Some(0.5),
            ..Format::new(driver)
        };
        let written = store(&path, &cells, &format).unwrap();
        let steps = written.steps.unwrap();
        assert_eq!(
            (steps.step.to_bits(), steps.offset.to_bits()),
            (0.5_f64.to_bits(), (-500.0_f64).to_bits())
        );
        let found = read(&path, &Request::of_band(1)).unwrap();
        let valid = found.valid.unwrap();
        for (at, value) in found.elevation.indexed_iter() {
            assert_eq!(valid[at], at.0 >= 300 || at.1 < 700, "{at:?}");
            assert!(!valid[at] || (value - cells[at]).abs() <= 0.25, "{at:?}");
        }
        let dataset = Dataset::open(&path).unwrap();
        let band = dataset.rasterband(1).unwrap();
        assert_eq!(band.band_type(), gdal::raster::GdalDataType::UInt16);
        assert_eq!(band.no_data_value(), Some(f64::from(Steps::NODATA)));
        // In GDAL, statistics are those of the stored numbers.
        assert_eq!(band.metadata_item("STATISTICS_MINIMUM", "").unwrap(), "0");
    }
    let format = Format {
        step: Some(0.01),
        ..Format::cog()
    };
    let error = store(&folder.file("fine.tif"), &cells, &format).unwrap_err();
    assert!(matches!(error, GeotiffError::Step { .. }), "{error}");
    assert!(error.to_string().contains("fine.tif"), "{error}");
}

/// Names of a folder's files.
fn beside(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path.parent().unwrap()).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn other_formats_come_with_their_companions() {
    let folder = Folder::new();
    let path = folder.file("dem.asc");
    let format = Format {
        options: vec![("DECIMAL_PRECISION".to_owned(), "2".to_owned())],
        ..Format::new("AAIGrid")
    };
    let cells = ramp((40, 30));
    let band = Band::float(Layer::Elevation, &cells).with_format(&format);
    let grid = grid((40, 30), Some("EPSG:32633"));
    let written = write(&path, &grid, &band, None, &PROVENANCE, false).unwrap();
    assert!(
        written.companions.contains(&folder.file("dem.prj")),
        "{written:?}"
    );
    // Nothing else lies there, and nothing that is there was not told.
    let mut told = written.companions.clone();
    told.push(path.clone());
    told.sort();
    let mut there = beside(&path);
    there.sort();
    assert_eq!(told, there);
    let found = read(&path, &Request::of_band(1)).unwrap();
    assert_eq!(bits(&found.elevation), bits(&cells));
    // One companion in the way is enough.
    std::fs::remove_file(&path).unwrap();
    let error = write(&path, &grid, &band, None, &PROVENANCE, false).unwrap_err();
    assert!(matches!(error, GeotiffError::Exists { .. }), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_format_that_cannot_hold_the_layer_says_so_and_leaves_nothing() {
    let folder = Folder::new();
    let path = folder.file("dem.jpg");
    let format = Format::new("JPEG");
    let cells = ramp((40, 30));
    let band = Band::float(Layer::Elevation, &cells).with_format(&format);
    let error = write(
        &path,
        &grid((40, 30), None),
        &band,
        None,
        &PROVENANCE,
        false,
    )
    .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("dem.jpg") && text.contains("Float32"),
        "{text}"
    );
    assert!(folder.names().is_empty());
}

#[test]
fn pictures_and_films_are_cogs_too() {
    let folder = Folder::new();
    let grid = grid(SHAPE, Some("EPSG:32633"));
    let format = Format::cog();
    for depth in [3, 4] {
        let path = folder.file(&format!("picture{depth}.tif"));
        let pixels = Array3::from_shape_fn((SHAPE.0, SHAPE.1, depth), |(row, col, band)| {
            (row / 7 * 13 + col / 5 + band * 80) as u8
        });
        write_picture(&path, &grid, pixels.view(), &format, &PROVENANCE, false).unwrap();
        valid_cog(&path);
        let dataset = Dataset::open(&path).unwrap();
        for band in 1..=depth {
            let found = dataset.rasterband(band).unwrap();
            let size = (SHAPE.1, SHAPE.0);
            let found = found.read_as::<u8>((0, 0), size, size, None).unwrap();
            let expected: Vec<u8> = pixels
                .index_axis(ndarray::Axis(2), band - 1)
                .iter()
                .copied()
                .collect();
            assert!(found.data() == expected, "band {band} of {depth}");
        }
    }
    let path = folder.file("film.tif");
    let film = Film {
        layer: Layer::Elevation,
        times_s: &[0.0, 0.5],
        format: &format,
    };
    let mut frame = |number: usize| Some(ramp(SHAPE) + number as f32 * 1000.0);
    write_film(&path, &grid, &film, &mut frame, &PROVENANCE, false).unwrap();
    valid_cog(&path);
    let found = read(&path, &Request::of_band(2)).unwrap();
    assert_eq!(bits(&found.elevation), bits(&(ramp(SHAPE) + 1000.0)));
}

#[test]
fn small_maps_are_cogs_without_overviews() {
    let folder = Folder::new();
    for shape in [(1, 1), (3, 5), (90, 60), (512, 512)] {
        let path = folder.file(&format!("{}.tif", shape.0));
        let format = Format::cog();
        let cells = ramp(shape);
        let band = Band::float(Layer::Elevation, &cells).with_format(&format);
        write(&path, &grid(shape, None), &band, None, &PROVENANCE, false).unwrap();
        valid_cog(&path);
        let found = read(&path, &Request::of_band(1)).unwrap();
        assert_eq!(bits(&found.elevation), bits(&cells));
        assert_eq!(found.grid.shape, Shape::from(shape));
    }
}

/// More than 4 GiB in one file, which narrow offsets cannot hold: 33,000² cells of 4 bytes, and their overviews.
#[test]
#[ignore = "writes 12 GB for some minutes"]
fn files_beyond_four_gibibytes_are_cogs() {
    let folder = Folder::new();
    let path = folder.file("large.tif");
    let shape = (33_000, 33_000);
    let cells = Array2::from_shape_fn(shape, |(row, col)| (row * 7 + col) as f32);
    let format = compressed("COG", Compress::None);
    let band = Band::float(Layer::Elevation, &cells).with_format(&format);
    let written = write(&path, &grid(shape, None), &band, None, &PROVENANCE, false).unwrap();
    assert!(written.bytes > 1 << 32 && written.bigtiff);
    match validator(&path) {
        Some((fine, text)) => assert!(fine, "{text}"),
        None => skip("GDAL's Python scripts are not installed"),
    }
    let dataset = Dataset::open(&path).unwrap();
    let band = dataset.rasterband(1).unwrap();
    for (row, col) in [
        (0, 0),
        (0, 32_999),
        (32_999, 0),
        (32_999, 32_999),
        (20_000, 17),
    ] {
        let at = (col as isize, row as isize);
        let found = band.read_as::<f32>(at, (1, 1), (1, 1), None).unwrap();
        assert_eq!(found.data()[0].to_bits(), cells[(row, col)].to_bits());
    }
}
