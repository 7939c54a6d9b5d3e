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

#[expect(clippy::print_stderr, reason = "says what was not checked")]
fn skipped() {
    eprintln!("SKIP gdalinfo_agrees_with_every_output: there is no gdalinfo");
}
