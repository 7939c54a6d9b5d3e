//! The written file in the eyes of GDAL's own tool, run as a program of its own.

use crate::support::{Folder, PROVENANCE, available, grid, ramp, ramp_at};
use ndarray::{Array2, Array3};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use thalweg_geotiff::{Band, Film, GTIFF, GeotiffError, write, write_film, write_picture};
use thalweg_grid::Layer;

fn gdalinfo(path: &Path, arguments: &[&str]) -> Value {
    let output = Command::new("gdalinfo")
        .arg("-json")
        .args(arguments)
        .arg(path)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap()
}

#[test]
fn every_declared_property_is_seen() {
    if !available("gdalinfo") {
        return;
    }
    let folder = Folder::new();
    let path = folder.file("dem.tif");
    let (shape, grid) = ((600, 1100), grid((600, 1100), Some("EPSG:32633")));
    let valid = Array2::from_shape_fn(shape, |(row, _)| row >= 100);
    let cells = ramp(shape);
    let band = Band::float(Layer::Elevation, &cells);
    write(&path, &grid, &band, Some(valid.view()), &PROVENANCE, false).unwrap();

    let info = gdalinfo(&path, &["-proj4"]);
    assert_eq!(info["size"], serde_json::json!([1100, 600]));
    let transform = [500_000.0, 12.5, 0.0, 5_200_000.0, 0.0, -12.5];
    assert_eq!(info["geoTransform"], serde_json::json!(transform));
    let wkt = info["coordinateSystem"]["wkt"].as_str().unwrap();
    assert!(wkt.trim_end().ends_with(r#"ID["EPSG",32633]]"#), "{wkt}");
    let tags = &info["metadata"][""];
    assert_eq!(tags["AREA_OR_POINT"], "Area");
    assert_eq!(tags["THALWEG_VERSION"], "0.1.0");
    assert_eq!(tags["THALWEG_PIPELINE"], "0123456789abcdef");
    assert_eq!(tags["THALWEG_SEED"], "42");
    assert_eq!(tags["TIFFTAG_SOFTWARE"], "Thalweg 0.1.0");
    assert!(tags.get("TIFFTAG_DATETIME").is_none());
    assert_eq!(
        info["metadata"]["IMAGE_STRUCTURE"]["COMPRESSION"],
        "DEFLATE"
    );

    let band = &info["bands"][0];
    assert_eq!(band["type"], "Float32");
    assert_eq!(band["block"], serde_json::json!([512, 512]));
    assert_eq!(band["noDataValue"], -9999.0);
    assert_eq!(band["description"], "elevation");
    assert_eq!(band["unit"], "m");
    // One file: nothing hides beside it.
    assert_eq!(info["files"].as_array().unwrap().len(), 1);
    assert_eq!(folder.names(), ["dem.tif"]);
}

#[test]
fn stored_statistics_are_those_of_the_pixels() {
    if !available("gdalinfo") {
        return;
    }
    let folder = Folder::new();
    let path = folder.file("dem.tif");
    let (shape, grid) = ((300, 700), grid((300, 700), Some("EPSG:32633")));
    let valid = Array2::from_shape_fn(shape, |(row, _)| row >= 75);
    let cells = ramp(shape);
    let band = Band::float(Layer::Elevation, &cells);
    write(&path, &grid, &band, Some(valid.view()), &PROVENANCE, false).unwrap();
    let info = gdalinfo(&path, &[]);
    let stored = &info["bands"][0]["metadata"][""];
    // By hand: rows 75..299 and columns 0..699 of a plane.
    let (first, last) = (f64::from(ramp_at(75, 0)), f64::from(ramp_at(299, 699)));
    let variance = |n: f64, step: f64| step * step * (n * n - 1.0) / 12.0;
    let spread = (variance(225.0, 10.0) + variance(700.0, 0.25)).sqrt();
    let expected = [
        ("STATISTICS_MINIMUM", first),
        ("STATISTICS_MAXIMUM", last),
        ("STATISTICS_MEAN", f64::midpoint(first, last)),
        ("STATISTICS_STDDEV", spread),
        ("STATISTICS_VALID_PERCENT", 75.0),
    ];
    for (key, value) in expected {
        assert!(
            (number(&stored[key]) - value).abs() < 1e-6,
            "{key}: {} {value}",
            stored[key]
        );
    }
    // And by GDAL, which counts the pixels of a copy without our tags.
    let copy = folder.file("copy.tif");
    let status = Command::new("gdalwarp")
        .args(["-q", "-nomd"])
        .args([&path, &copy])
        .status()
        .unwrap();
    assert!(status.success());
    let counted = &gdalinfo(&copy, &["-stats"])["bands"][0];
    for (key, name) in [
        ("MINIMUM", "minimum"),
        ("MAXIMUM", "maximum"),
        ("MEAN", "mean"),
        ("STDDEV", "stdDev"),
    ] {
        let ours = number(&stored[format!("STATISTICS_{key}")]);
        assert!(
            (number(&counted[name]) - ours).abs() < 1e-3,
            "{key}: {} {ours}",
            counted[name]
        );
    }
}

#[test]
fn small_maps_identifiers_and_maps_without_crs_are_plain_files_too() {
    if !available("gdalinfo") {
        return;
    }
    let folder = Folder::new();
    let path = folder.file("ids.tif");
    let ids = Array2::from_shape_fn((3, 5), |(row, _)| row as u32);
    let band = Band::ids(Layer::LakeId, &ids);
    write(&path, &grid((3, 5), None), &band, None, &PROVENANCE, false).unwrap();
    let info = gdalinfo(&path, &[]);
    assert_eq!(info["size"], serde_json::json!([5, 3]));
    assert_eq!(info["geoTransform"][5], -12.5);
    assert!(
        info.get("coordinateSystem")
            .is_none_or(|system| system["wkt"] == "")
    );
    let band = &info["bands"][0];
    assert_eq!(band["type"], "UInt32");
    assert_eq!(band["block"], serde_json::json!([16, 16]));
    assert_eq!(band["noDataValue"], 0.0);
    assert_eq!(band["description"], "lake_id");
    assert_eq!(
        number(&band["metadata"][""]["STATISTICS_MEAN"]).to_bits(),
        1.5_f64.to_bits()
    );
}

/// Each tile starts where the one before it ends: written in order, nothing rewritten, nothing moved.
#[test]
fn tiles_follow_each_other() {
    use gdal::Metadata;
    let folder = Folder::new();
    let path = folder.file("dem.tif");
    let shape = (1100, 1600);
    crate::support::write_elevation(&path, &grid(shape, None), &ramp(shape)).unwrap();
    let dataset = gdal::Dataset::open(&path).unwrap();
    let band = dataset.rasterband(1).unwrap();
    let number =
        |key: String| -> u64 { band.metadata_item(&key, "TIFF").unwrap().parse().unwrap() };
    let mut end = None;
    for (row, col) in (0..3).flat_map(|row| (0..4).map(move |col| (row, col))) {
        let offset = number(format!("BLOCK_OFFSET_{col}_{row}"));
        assert!(
            end.is_none_or(|end| (end..end + 16).contains(&offset)),
            "{row} {col}"
        );
        end = Some(offset + number(format!("BLOCK_SIZE_{col}_{row}")));
    }
    // The directory stands before the pixels.
    assert!(end.unwrap() + 16 > std::fs::metadata(&path).unwrap().len());
}

/// Levels that tell row, column and band apart.
fn level(row: usize, col: usize, band: usize) -> u8 {
    (row % 16 * 10 + col % 7 + band * 80) as u8
}

fn bands<'a>(info: &'a Value, key: &str) -> Vec<&'a Value> {
    let bands = info["bands"].as_array().unwrap();
    bands.iter().map(|band| &band[key]).collect()
}

/// The tool's own reading of a cell, all bands.
fn cell(path: &Path, row: usize, col: usize) -> Vec<f64> {
    let output = Command::new("gdallocationinfo")
        .arg("-valonly")
        .arg(path)
        .args([col.to_string(), row.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace()
        .map(|word| word.parse().unwrap())
        .collect()
}

#[test]
fn pictures_are_red_green_and_blue_and_opacity() {
    if !available("gdalinfo") {
        return;
    }
    let folder = Folder::new();
    let grid = grid((530, 600), Some("EPSG:32633"));
    for (depth, colours) in [
        (3, &["Red", "Green", "Blue"][..]),
        (4, &["Red", "Green", "Blue", "Alpha"]),
    ] {
        let path = folder.file(&format!("picture{depth}.tif"));
        let pixels =
            Array3::from_shape_fn((530, 600, depth), |(row, col, band)| level(row, col, band));
        let bytes = write_picture(&path, &grid, pixels.view(), &GTIFF, &PROVENANCE, false).unwrap();
        assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
        let info = gdalinfo(&path, &[]);
        assert_eq!(bands(&info, "colorInterpretation"), colours);
        assert!(bands(&info, "type").iter().all(|kind| *kind == "Byte"));
        assert!(
            bands(&info, "noDataValue")
                .iter()
                .all(|value| value.is_null())
        );
        assert_eq!(info["metadata"]["IMAGE_STRUCTURE"]["INTERLEAVE"], "PIXEL");
        assert_eq!(info["metadata"][""]["THALWEG_SEED"], "42");
        assert_eq!(info["geoTransform"][0], 500_000.0);
        // In the corner tile, of which most sticks out.
        let found = cell(&path, 525, 590);
        let expected: Vec<f64> = (0..depth)
            .map(|band| f64::from(level(525, 590, band)))
            .collect();
        assert_eq!(found, expected);
        let again = folder.file(&format!("again{depth}.tif"));
        write_picture(&again, &grid, pixels.view(), &GTIFF, &PROVENANCE, false).unwrap();
        assert!(
            std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap(),
            "bytes differ"
        );
    }
    let grey = Array3::zeros((530, 600, 1));
    let error = write_picture(
        &folder.file("grey.tif"),
        &grid,
        grey.view(),
        &GTIFF,
        &PROVENANCE,
        false,
    );
    assert!(
        matches!(error, Err(GeotiffError::Bands { found: 1, .. })),
        "{error:?}"
    );
}

#[test]
fn films_have_a_band_for_each_moment() {
    if !available("gdalinfo") {
        return;
    }
    let folder = Folder::new();
    let (path, grid) = (folder.file("film.tif"), grid((40, 90), None));
    let at = |number: usize| ramp((40, 90)) + 1000.0 * number as f32;
    let film = Film {
        layer: Layer::Elevation,
        times_s: &[0.0, 0.25, 0.5],
        format: &GTIFF,
    };
    let mut made = Vec::new();
    let mut frame = |number| {
        made.push(number);
        Some(at(number))
    };
    write_film(&path, &grid, &film, &mut frame, &PROVENANCE, false).unwrap();
    assert_eq!(made, [0, 1, 2], "one after another, each once");
    let info = gdalinfo(&path, &[]);
    let told = [
        "elevation at 0 s",
        "elevation at 0.25 s",
        "elevation at 0.5 s",
    ];
    assert_eq!(bands(&info, "description"), told);
    assert!(bands(&info, "type").iter().all(|kind| *kind == "Float32"));
    assert!(bands(&info, "unit").iter().all(|unit| *unit == "m"));
    let expected: Vec<f64> = (0..3)
        .map(|n| f64::from(ramp_at(17, 31)) + 1000.0 * f64::from(n))
        .collect();
    assert_eq!(cell(&path, 17, 31), expected);

    // What cannot be made leaves nothing.
    for missing in [None, Some(Array2::zeros((3, 3))), Some(at(1) * f32::NAN)] {
        let lost = folder.file("lost.tif");
        let mut frame = |number| {
            if number == 1 {
                missing.clone()
            } else {
                Some(at(number))
            }
        };
        let error = write_film(&lost, &grid, &film, &mut frame, &PROVENANCE, false).unwrap_err();
        assert!(error.to_string().contains("frame 1"), "{error}");
    }
    let mut never = |_| None;
    let none = write_film(
        &folder.file("no.tif"),
        &grid,
        &Film {
            times_s: &[],
            ..film
        },
        &mut never,
        &PROVENANCE,
        false,
    );
    assert!(matches!(none, Err(GeotiffError::Bands { found: 0, .. })));
    assert_eq!(folder.names(), ["film.tif"]);
}
