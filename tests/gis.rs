//! What GDAL's own `gdalinfo` says of every output. Skipped, and said so, where there is no gdalinfo.

use crate::support::{SMALL, Workshop};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn gdalinfo(path: &Path) -> Option<Value> {
    // -checksum reads every block.
    let output = Command::new("gdalinfo")
        .args(["-json", "-checksum"])
        .arg(path)
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", path.display());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Minimum, maximum and mean of the pixels, computed by GDAL from a copy without our statistics.
fn statistics(path: &Path, shop: &Workshop) -> [f64; 3] {
    let copy = shop.path("copy.tif");
    // gdalwarp with these flags leaves metadata behind.
    let copied = Command::new("gdalwarp")
        .args(["-q", "-nomd", "-overwrite"])
        .arg(path)
        .arg(&copy)
        .status();
    assert!(copied.unwrap().success());
    let info = Command::new("gdalinfo")
        .args(["-json", "-stats"])
        .arg(&copy)
        .output()
        .unwrap();
    let info: Value = serde_json::from_slice(&info.stdout).unwrap();
    let band = &info["bands"][0];
    let _ = std::fs::remove_file(shop.path("copy.tif.aux.xml"));
    ["minimum", "maximum", "mean"].map(|key| band[key].as_f64().unwrap())
}

#[test]
fn gdalinfo_agrees_with_every_output() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    shop.done(&["run", "small.yaml", "--out", "a"]);
    let outputs = [
        ("dem", "elevation", "m", "Float32"),
        ("layers/change", "change", "m", "Float32"),
        ("layers/stream", "stream", "", "Float32"),
        ("layers/discharge", "discharge", "m3/cycle", "Float32"),
        ("layers/pool_depth", "pool_depth", "m", "Float32"),
        ("layers/water_level", "water_level", "m", "Float32"),
        ("layers/lake_id", "lake_id", "", "UInt32"),
        ("layers/vegetation", "vegetation", "", "Float32"),
    ];
    for (file, layer, unit, kind) in outputs {
        let path = shop.path("a").join(format!("{file}.tif"));
        let Some(info) = gdalinfo(&path) else {
            return skipped();
        };
        assert_eq!(
            info["size"],
            serde_json::json!([90, 60]),
            "{file}: cols, rows"
        );
        assert_eq!(
            info["geoTransform"],
            serde_json::json!([500_000.0, 20.0, 0.0, 5_200_000.0, 0.0, -20.0]),
            "{file}"
        );
        let wkt = info["coordinateSystem"]["wkt"].as_str().unwrap();
        assert!(wkt.contains("ID[\"EPSG\",32633]"), "{file}: {wkt}");
        assert_eq!(info["metadata"][""]["AREA_OR_POINT"], "Area", "{file}");
        assert_eq!(
            info["metadata"]["IMAGE_STRUCTURE"]["COMPRESSION"], "DEFLATE",
            "{file}"
        );
        assert_eq!(
            info["metadata"]["IMAGE_STRUCTURE"]["LAYOUT"], "COG",
            "{file}"
        );
        let band = &info["bands"][0];
        assert_eq!(band["description"], layer, "{file}");
        assert_eq!(band["unit"].as_str().unwrap_or(""), unit, "{file}");
        assert_eq!(band["type"], kind, "{file}");
        assert!(band["noDataValue"].is_number(), "{file}: {band:#}");
        let Some(minimum) = band["metadata"][""]["STATISTICS_MINIMUM"].as_str() else {
            // Ids that are 0 everywhere are nodata everywhere: there is nothing to count.
            assert_eq!(layer, "lake_id");
            continue;
        };
        let item = |key: &str| -> f64 {
            let text = band["metadata"][""][key].as_str().unwrap();
            text.parse().unwrap()
        };
        let ours = [
            minimum.parse().unwrap(),
            item("STATISTICS_MAXIMUM"),
            item("STATISTICS_MEAN"),
        ];
        for (ours, theirs) in ours.into_iter().zip(statistics(&path, &shop)) {
            // gdalinfo prints three decimals.
            assert!(
                (ours - theirs).abs() <= 6e-4,
                "{file}: {ours} against {theirs}"
            );
        }
    }
}

/// Every way to store the same ground: the record names what lies there, and GDAL reads the same heights.
#[test]
fn a_layer_is_stored_in_any_format() {
    let shop = Workshop::new();
    let (head, _) = SMALL.split_once("  - erode:").unwrap();
    let outputs = "outputs:\n\
        \x20 - { layer: elevation, path: dem.tif }\n\
        \x20 - { layer: elevation, path: plain.tif, format: gtiff, compress: none }\n\
        \x20 - { layer: elevation, path: lerc.tif, compress: lerc, max_error: 0.2 }\n\
        \x20 - { layer: elevation, path: steps.tif, step_m: 0.4 }\n\
        \x20 - { layer: elevation, path: dem.asc, format: AAIGrid, options: { DECIMAL_PRECISION: 3 } }\n\
        \x20 - { layer: elevation, path: dem.img, format: HFA, options: { COMPRESSED: true } }\n";
    shop.write("formats.yaml", &format!("{head}{outputs}"));
    shop.done(&["run", "formats.yaml", "--out", "a", "--threads", "1"]);
    shop.done(&["run", "formats.yaml", "--out", "b", "--threads", "2"]);
    let record = shop.record("a");
    let outputs = record["outputs"].as_array().unwrap();
    assert_eq!(outputs[0]["pixels_blake3"], outputs[1]["pixels_blake3"]);
    assert_ne!(outputs[0]["pixels_blake3"], outputs[3]["pixels_blake3"]);
    let mut told = vec!["run.json".to_owned()];
    for output in outputs {
        let others = output["companions"].as_array().into_iter().flatten();
        let names = others.chain([&output["path"]]);
        told.extend(names.map(|name| name.as_str().unwrap().to_owned()));
    }
    assert!(told.contains(&"dem.prj".to_owned()), "{told:?}");
    told.sort();
    let entries = std::fs::read_dir(shop.path("a")).unwrap();
    let mut there: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(told, there);
    for file in told.iter().filter(|file| *file != "run.json") {
        let bytes = |folder: &str| std::fs::read(shop.path(folder).join(file)).unwrap();
        assert!(bytes("a") == bytes("b"), "{file} differs with the threads");
    }
    let read = |file: &str| {
        let request = thalweg_geotiff::Request::default();
        let reading = thalweg_geotiff::read(&shop.path("a").join(file), &request);
        reading.unwrap().elevation
    };
    let exact = read("dem.tif");
    for (file, most) in [
        ("plain.tif", 0.0),
        ("lerc.tif", 0.2001),
        ("steps.tif", 0.2001),
        ("dem.asc", 0.00051),
        ("dem.img", 0.0),
    ] {
        let off = (&read(file) - &exact).mapv(f32::abs);
        let largest = off.iter().copied().fold(0.0, f32::max);
        assert!(largest <= most, "{file}: {largest}");
    }
}

#[expect(clippy::print_stderr, reason = "says what was not checked")]
fn skipped() {
    eprintln!("SKIP gdalinfo_agrees_with_every_output: there is no gdalinfo");
}
