//! Features to files, judged by GDAL's own tools.

use crate::support::available;
use ndarray::Array2;
use std::path::Path;
use std::process::Command;
use thalweg_geotiff::{
    Feature, FeatureShape, FieldKind, FieldValue, Geometry, GeotiffError, Style, VectorLayer,
    contours, write_vectors,
};
use thalweg_grid::{Grid, Shape};

fn grid(crs: Option<&str>) -> Grid {
    let crs = crs.map(str::to_owned);
    Grid::new(Shape::new(5, 8), 10.0, [500_000.0, 5_200_000.0], crs).unwrap()
}

fn square(west: f64, south: f64, edge: f64) -> Vec<[f64; 2]> {
    let (east, north) = (west + edge, south + edge);
    vec![
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
    ]
}

/// A lake of 30 m × 30 m with an island of 10 m × 10 m, and another lake of 10 m × 10 m as a part of it.
fn lakes() -> VectorLayer {
    let mut island = square(500_010.0, 5_199_960.0, 10.0);
    island.reverse();
    let first = vec![square(500_000.0, 5_199_950.0, 30.0), island];
    let second = vec![square(500_050.0, 5_199_950.0, 10.0)];
    VectorLayer {
        name: "lakes",
        description: "Standing water",
        shape: FeatureShape::Area,
        fields: vec![
            ("lake_id", FieldKind::Integer),
            ("level_m", FieldKind::Real),
            ("spills_to", FieldKind::Text),
        ],
        features: vec![Feature {
            geometry: Geometry::Area(vec![first, second]),
            values: vec![
                FieldValue::Integer(4_000_000_000),
                FieldValue::Real(812.3456789),
                FieldValue::Text("sea & \"more\"".to_owned()),
            ],
        }],
        style: Some(Style::Area {
            fill: [1, 2, 3, 255],
            rim: [4, 5, 6, 255],
            width_mm: 0.25,
        }),
    }
}

fn outlets() -> VectorLayer {
    let at = |x, lake: Option<i64>| Feature {
        geometry: Geometry::Point([x, 5_199_975.0]),
        values: vec![lake.into()],
    };
    VectorLayer {
        name: "outlets",
        description: "Where lakes spill",
        shape: FeatureShape::Point,
        fields: vec![("into", FieldKind::Integer)],
        features: vec![at(500_005.0, Some(3)), at(500_015.0, None)],
        style: Some(Style::Point {
            paint: [0, 0, 0, 255],
            size_mm: 1.5,
        }),
    }
}

fn rivers() -> VectorLayer {
    VectorLayer {
        name: "rivers",
        description: "Rivers",
        shape: FeatureShape::Line,
        fields: vec![("strahler", FieldKind::Integer)],
        features: vec![Feature {
            geometry: Geometry::Line(vec![[500_005.0, 5_199_995.0], [500_015.0, 5_199_985.0]]),
            values: vec![FieldValue::Integer(1)],
        }],
        style: Some(Style::Widening {
            paint: [0, 0, 255, 255],
            field: "strahler",
            width_mm: [0.2, 0.3],
            most: 4,
        }),
    }
}

fn ogrinfo(arguments: &[&str], path: &Path) -> String {
    let output = Command::new("ogrinfo")
        .args(["-ro", "-q"])
        .arg(path)
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    text
}

fn sql(path: &Path, query: &str) -> String {
    ogrinfo(&["-sql", query], path)
}

#[test]
fn a_geopackage_holds_layers_attributes_and_holes() {
    if !available("ogrinfo") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.gpkg");
    let layers = [lakes(), outlets(), rivers()];
    let bytes = write_vectors(&path, &grid(Some("EPSG:32633")), &layers, false).unwrap();
    assert_eq!(bytes, std::fs::metadata(&path).unwrap().len());
    let all = ogrinfo(&["-al"], &path);
    for expected in [
        "lake_id (Integer64) = 4000000000",
        "level_m (Real) = 812.3456789",
        "spills_to (String) = sea & \"more\"",
        "MULTIPOLYGON (((500000 5199950,500030 5199950,500030 5199980,500000 5199980,500000 5199950),(500010 5199960,500010 5199970,500020 5199970,500020 5199960,500010 5199960)),((500050 5199950",
        "into (Integer64) = 3",
        "into (Integer64) = (null)",
        "POINT (500005 5199975)",
        "LINESTRING (500005 5199995,500015 5199985)",
    ] {
        assert!(all.contains(expected), "{expected}: {all}");
    }
    let query = "SELECT srs_id FROM gpkg_geometry_columns";
    let systems = sql(&path, query);
    assert_eq!(
        systems.matches("srs_id (Integer64) = 32633").count(),
        3,
        "{systems}"
    );
    // GEOS judges, through SpatiaLite or GDAL.
    let query = "SELECT ST_IsValid(geom) AS valid, ST_Area(geom) AS area FROM lakes";
    let judged = ogrinfo(&["-dialect", "SQLITE", "-sql", query], &path);
    assert!(judged.contains("valid (Integer) = 1"), "{judged}");
    assert!(judged.contains("area (Real) = 900"), "{judged}");
}

#[test]
fn styles_are_found_where_qgis_looks_for_them() {
    if !available("ogrinfo") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.gpkg");
    let plain = VectorLayer {
        name: "plain",
        style: None,
        ..lakes()
    };
    write_vectors(&path, &grid(None), &[lakes(), rivers(), plain], false).unwrap();
    let found = sql(&path, "SELECT * FROM layer_styles");
    for expected in [
        "f_table_name (String) = lakes",
        "f_geometry_column (String) = geom",
        "useAsDefault (Integer) = 1",
        "<prop k=\"color\" v=\"1,2,3,255\"/>",
        "<prop k=\"outline_width\" v=\"0.25\"/>",
    ] {
        assert!(found.contains(expected), "{expected}: {found}");
    }
    assert_eq!(found.matches("OGRFeature").count(), 2, "{found}");
    let query = "SELECT column_name FROM gpkg_geometry_columns WHERE table_name = 'lakes'";
    assert!(sql(&path, query).contains("column_name (String) = geom"));
}

/// Tags that close in the order in which they opened, and as many widths as numbers, growing.
#[test]
fn styles_are_well_formed_and_rivers_widen() {
    let styles = [lakes(), outlets(), rivers()].map(|layer| layer.style.unwrap().qml());
    for style in &styles {
        let mut open = Vec::new();
        let body = style.split_once('\n').unwrap().1;
        for tag in body.split('<').skip(1) {
            let (tag, text) = tag.split_once('>').unwrap();
            assert!(!text.contains('&'), "{style}");
            assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
            let name = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{style}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
    let widths = styles[2].split("k=\"line_width\" v=\"").skip(1);
    let widths: Vec<&str> = widths.map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(widths, ["0.20", "0.50", "0.80", "1.10"]);
    for number in 1..=4 {
        let category = format!("value=\"{number}\" symbol=\"{}\"", number - 1);
        assert!(styles[2].contains(&category), "{category}");
    }
}

#[test]
fn a_map_without_crs_lies_on_some_plane() {
    if !available("ogrinfo") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.gpkg");
    write_vectors(&path, &grid(None), &[lakes(), outlets()], false).unwrap();
    let query = "SELECT c.srs_id AS a, g.srs_id AS b FROM gpkg_contents c, gpkg_geometry_columns g WHERE c.table_name = g.table_name";
    let found = sql(&path, query);
    assert_eq!(found.matches("(Integer64) = -1").count(), 4, "{found}");
    // What geometries say of themselves must agree with the tables.
    let found = sql(&path, "SELECT ST_SRID(geom) AS system FROM outlets");
    assert_eq!(found.matches("system (Integer) = -1").count(), 2, "{found}");
}

#[test]
fn equal_arguments_make_equal_bytes_at_any_time() {
    let folder = tempfile::tempdir().unwrap();
    let layers = [lakes(), outlets(), rivers()];
    let files = ["map.gpkg", "map.geojson", "map.fgb"];
    let write = |name: &str| {
        let path = folder.path().join(name);
        let all = if name == "map.gpkg" {
            &layers[..]
        } else {
            &layers[..1]
        };
        write_vectors(&path, &grid(Some("EPSG:32633")), all, true).unwrap();
        std::fs::read(path).unwrap()
    };
    let first = files.map(write);
    // Clocks of files tell seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    for ((name, before), after) in files.iter().zip(first).zip(files.map(write)) {
        assert!(before == after, "{name}");
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, files.len());
}

#[test]
fn geojson_and_flatgeobuf_hold_one_layer() {
    let folder = tempfile::tempdir().unwrap();
    let grid = grid(Some("EPSG:32633"));
    let path = folder.path().join("lakes.geojson");
    write_vectors(&path, &grid, &[lakes()], false).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let feature = &json["features"][0];
    assert_eq!(
        json["crs"]["properties"]["name"],
        "urn:ogc:def:crs:EPSG::32633"
    );
    assert_eq!(feature["properties"]["lake_id"], 4_000_000_000_u64);
    assert_eq!(feature["geometry"]["type"], "MultiPolygon");
    assert_eq!(feature["geometry"]["coordinates"][0][1][0][0], 500_010.0);
    let path = folder.path().join("lakes.fgb");
    write_vectors(&path, &grid, &[lakes()], false).unwrap();
    if available("ogrinfo") {
        let all = ogrinfo(&["-al"], &path);
        assert!(all.contains("level_m (Real) = 812.3456789"), "{all}");
        assert!(all.contains("(500010 5199960,"), "{all}");
    }
    for name in ["two.geojson", "two.fgb"] {
        let path = folder.path().join(name);
        let error = write_vectors(&path, &grid, &[lakes(), rivers()], false).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("found 2"), "{text}");
        assert!(!path.exists());
    }
}

#[test]
fn what_cannot_be_written_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.shp");
    let error = write_vectors(&path, &grid(None), &[lakes()], false).unwrap_err();
    assert!(error.to_string().contains(".gpkg"), "{error}");
    let path = folder.path().join("map.gpkg");
    std::fs::write(&path, "old").unwrap();
    let error = write_vectors(&path, &grid(None), &[lakes()], false).unwrap_err();
    assert!(matches!(error, GeotiffError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    // Two layers of one name cannot be in one file.
    let twice = [lakes(), lakes()];
    let error = write_vectors(&path, &grid(None), &twice, true).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("map.gpkg") && text.contains("lakes"),
        "{text}"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
}

/// On a slope that rises 1 m per metre eastwards, contours run from north to south where x is their elevation.
#[test]
fn contours_of_a_slope_are_straight_and_stop_at_nodata() {
    let grid = grid(None);
    let slope = Array2::from_shape_fn((5, 8), |(_, col)| (grid.x_m(col) - 500_000.0) as f32);
    let drawn = |valid: Option<&Array2<bool>>| {
        let valid = valid.map(|mask| mask.view());
        contours(Path::new("map.gpkg"), &grid, slope.view(), valid, 20.0).unwrap()
    };
    let found = drawn(None);
    let levels: Vec<f64> = found.iter().map(|contour| contour.elevation_m).collect();
    assert_eq!(levels.len(), 3, "{levels:?}");
    for contour in &found {
        for [x, _] in &contour.line {
            assert!(
                (x - 500_000.0 - contour.elevation_m).abs() < 1e-5,
                "{contour:?}"
            );
        }
        let ys: Vec<f64> = contour.line.iter().map(|[_, y]| *y).collect();
        let low = ys.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ys.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(high - low >= 40.0, "{contour:?}");
    }
    let west = Array2::from_shape_fn((5, 8), |(_, col)| col < 4);
    let found = drawn(Some(&west));
    assert!(!found.is_empty());
    assert!(
        found.iter().all(|contour| contour.elevation_m < 40.0),
        "{found:?}"
    );
}
