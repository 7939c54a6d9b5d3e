//! Lakes, rivers and basins of a run as features, judged by GDAL, SpatiaLite and GEOS. Skipped, and said so, where there
//! is no ogrinfo.

use crate::support::{SMALL, Workshop, hashes};
use std::process::Command;

const VECTORS: &str = "
  - { table: lakes, path: lakes.csv }
  - { vectors: { river_area_km2: 0.05, interval_m: 50 }, path: map.gpkg }
  - { vectors: { river_area_km2: 0.05, layers: [rivers] }, path: rivers.geojson }
  - { vectors: { layers: [lakes] }, path: lakes.fgb }
";

/// Values of the columns of a query, row by row; none where there is no ogrinfo.
fn rows(shop: &Workshop, file: &str, query: &str) -> Option<Vec<Vec<String>>> {
    let output = Command::new("ogr2ogr")
        .args([
            "-q",
            "-f",
            "CSV",
            "/vsistdout/",
            "-dialect",
            "SQLITE",
            "-sql",
        ])
        .arg(query)
        .arg(shop.path("a").join(file))
        .output()
        .ok()?;
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{query}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    Some(text.lines().skip(1).map(cells).collect())
}

#[track_caller]
fn number(shop: &Workshop, file: &str, query: &str) -> Option<f64> {
    let rows = rows(shop, file, query)?;
    let text = rows[0][0].trim_matches('"').to_owned();
    Some(text.parse().unwrap_or_else(|_| panic!("{query}: {text:?}")))
}

fn ran() -> Workshop {
    let shop = Workshop::new();
    shop.write(
        "small.yaml",
        &format!("{SMALL}{}", VECTORS.trim_start_matches('\n')),
    );
    shop.done(&["run", "small.yaml", "--out", "a"]);
    shop
}

#[test]
fn features_are_valid_and_agree_with_tables_and_with_one_another() {
    let shop = ran();
    let zero = |what: &str, query: &str| {
        let found = number(&shop, "map.gpkg", query);
        if let Some(found) = found {
            assert!(found.abs() == 0.0, "{what}: {found}");
        }
        found.is_some()
    };
    if !zero("a first question", "SELECT 0 FROM lakes LIMIT 1") {
        return skipped();
    }
    for layer in ["lakes", "basins", "rivers", "contours", "outlets"] {
        let count = number(&shop, "map.gpkg", &format!("SELECT COUNT(*) FROM {layer}")).unwrap();
        assert!(count > 0.0, "{layer} is empty");
        zero(
            layer,
            &format!("SELECT COUNT(*) FROM {layer} WHERE NOT ST_IsValid(geom)"),
        );
    }
    for layer in ["lakes", "basins"] {
        zero(
            "areas",
            &format!(
                "SELECT COUNT(*) FROM {layer} WHERE ABS(ST_Area(geom) / 1e6 - area_km2) > 1e-9"
            ),
        );
    }
    zero(
        "lengths",
        "SELECT COUNT(*) FROM rivers WHERE ABS(ST_Length(geom) - length_m) > 1e-6",
    );
    zero(
        "slopes, orders and areas",
        "SELECT COUNT(*) FROM rivers WHERE slope < 0 OR strahler < 1 OR area_km2 < 0.05 - 1e-9 OR discharge_m3_per_cycle IS NULL",
    );
    zero(
        "ends that are no beginnings of what comes after",
        "SELECT COUNT(*) FROM rivers a JOIN rivers b ON a.to_node = b.from_node WHERE ST_Distance(ST_EndPoint(a.geom), ST_StartPoint(b.geom)) > 1e-6 OR b.strahler < a.strahler OR b.area_km2 < a.area_km2",
    );
    zero(
        "more than one way on",
        "SELECT COUNT(*) - COUNT(DISTINCT from_node) FROM rivers",
    );
    zero(
        "rivers that end outside of the lake that they run into",
        "SELECT COUNT(*) FROM rivers r JOIN lakes l ON l.id = r.into_lake_id WHERE NOT ST_Intersects(l.geom, ST_EndPoint(r.geom))",
    );
    zero(
        "basins that overlap",
        "SELECT COUNT(*) FROM basins a JOIN basins b ON a.id < b.id WHERE ST_Area(ST_Intersection(a.geom, b.geom)) > 0",
    );
    let lines = std::fs::read_to_string(shop.path("a/lakes.csv")).unwrap();
    let lakes = lines.lines().count() as f64 - 1.0;
    assert_eq!(
        number(&shop, "map.gpkg", "SELECT COUNT(*) FROM lakes"),
        Some(lakes)
    );
    assert_eq!(
        number(&shop, "lakes.fgb", "SELECT COUNT(*) FROM lakes"),
        Some(lakes)
    );
    let rivers = number(&shop, "map.gpkg", "SELECT COUNT(*) FROM rivers");
    assert_eq!(
        number(&shop, "rivers.geojson", "SELECT COUNT(*) FROM rivers"),
        rivers
    );
    let styles = "SELECT COUNT(*) FROM layer_styles WHERE useAsDefault = 1 AND styleQML LIKE '%<qgis%</qgis>%'";
    assert_eq!(number(&shop, "map.gpkg", styles), Some(5.0));
}

#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn skipped() {
    eprintln!("SKIP features_are_valid_and_agree_with_tables_and_with_one_another: no ogr2ogr");
}

fn band(path: &std::path::Path, number: usize) -> thalweg_geotiff::Reading {
    let request = thalweg_geotiff::Request::of_band(number);
    thalweg_geotiff::read(path, &request).expect("a raster of ours")
}

/// The surface of the water, where there is any, else the ground, sampled along each river by the raster reader.
#[test]
fn rivers_go_down_the_water_surface_but_for_dry_hollows() {
    let shop = ran();
    let read = |name: &str| band(&shop.path("a").join(name), 1);
    let (dem, water) = (read("dem.tif"), read("layers/water_level.tif"));
    let json = crate::support::json(&shop.path("a/rivers.geojson"));
    let mut steps = 0;
    let (mut up, mut highest) = (0, 0.0_f64);
    for feature in json["features"].as_array().unwrap() {
        let positions = feature["geometry"]["coordinates"].as_array().unwrap();
        let levels: Vec<f64> = positions
            .iter()
            .map(|at| {
                let col = (at[0].as_f64().unwrap() - 500_000.0) / 20.0;
                let row = (5_200_000.0 - at[1].as_f64().unwrap()) / 20.0;
                let at = (row as usize, col as usize);
                let wet = water.valid.as_ref().is_none_or(|mask| mask[at]);
                f64::from(if wet {
                    water.elevation[at]
                } else {
                    dem.elevation[at]
                })
            })
            .collect();
        for pair in levels.windows(2) {
            steps += 1;
            // Hollows of less than a centimetre hold no lake, and rivers cross them on their filled surface.
            if pair[1] > pair[0] {
                up += 1;
                highest = highest.max(pair[1] - pair[0]);
            }
        }
    }
    assert!(steps > 150, "{steps}");
    assert!(
        highest <= 0.01,
        "{up} of {steps} steps go up, by up to {highest} m"
    );
}

#[test]
fn the_same_run_makes_the_same_files() {
    let (shop, again) = (ran(), ran());
    assert_eq!(hashes(&shop.record("a")), hashes(&again.record("a")));
    for file in ["map.gpkg", "rivers.geojson", "lakes.fgb"] {
        let bytes = |shop: &Workshop| std::fs::read(shop.path("a").join(file)).unwrap();
        assert!(bytes(&shop) == bytes(&again), "{file}");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_with_its_place() {
    let shop = Workshop::new();
    for (output, line) in [
        (
            "vectors: { layers: [contours] }, path: a.gpkg",
            "interval_m: 20",
        ),
        (
            "vectors: { layers: [rivers], interval_m: 5 }, path: a.gpkg",
            "add `contours`",
        ),
        ("vectors: {}, path: a.geojson", "found 4"),
        ("vectors: {}, path: a.shp", ".gpkg or .geojson or .fgb"),
        ("vectors: { layers: [streams] }, path: a.gpkg", "streams"),
        ("vectors: { layers: [] }, path: a.gpkg", "layers"),
        (
            "vectors: { river_area_km2: 0 }, path: a.gpkg",
            "river_area_km2",
        ),
    ] {
        shop.write("bad.yaml", &format!("{SMALL}  - {{ {output} }}\n"));
        let ended = shop.thalweg(&["validate", "bad.yaml"]);
        assert_eq!(ended.code, Some(3), "{output}: {}", ended.stderr);
        assert!(ended.stderr.contains(line), "{output}: {}", ended.stderr);
        assert!(ended.stderr.contains("bad.yaml:26"), "{}", ended.stderr);
    }
    let dry = SMALL.replace("      pools: {}\n", "");
    let outputs = dry.split("outputs:").next().unwrap();
    let lakes = "outputs:\n  - { vectors: { layers: [lakes] }, path: a.gpkg }\n";
    shop.write("dry.yaml", &format!("{outputs}{lakes}"));
    let ended = shop.thalweg(&["validate", "dry.yaml"]);
    assert!(ended.stderr.contains("add `pools: {}`"), "{}", ended.stderr);
}

/// Water in a colour of its own covers lakes and rivers, and leaves all else as it is without water.
#[test]
fn a_relief_picture_shows_rivers_and_lakes() {
    let shop = Workshop::new();
    let outputs = "  - { picture: { shade: {} }, path: plain.tif }
  - { picture: { shade: {}, water: { river_area_km2: 0.05, colour: \"#ff00fe\" } }, path: relief.tif }
  - { picture: { shade: {}, water: {} }, path: relief.png }
  - { vectors: { river_area_km2: 0.05, layers: [rivers] }, path: rivers.geojson }
";
    shop.write("small.yaml", &format!("{SMALL}{outputs}"));
    shop.done(&["run", "small.yaml", "--out", "a"]);
    assert!(shop.path("a/relief.pgw").exists());
    let bands = |name: &str| {
        let path = shop.path("a").join(name);
        [1, 2, 3].map(|number| band(&path, number).elevation)
    };
    let (plain, relief) = (bands("plain.tif"), bands("relief.tif"));
    let lakes = band(&shop.path("a/layers/lake_id.tif"), 1);
    let is_lake =
        |at| lakes.valid.as_ref().is_none_or(|mask| mask[at]) && lakes.elevation[at] > 0.0;
    let mut water = ndarray::Array2::from_shape_fn((60, 90), is_lake);
    let json = crate::support::json(&shop.path("a/rivers.geojson"));
    for feature in json["features"].as_array().unwrap() {
        // Wider ones would cover more.
        assert!(feature["properties"]["strahler"].as_i64().unwrap() < 4);
        for at in feature["geometry"]["coordinates"].as_array().unwrap() {
            let col = (at[0].as_f64().unwrap() - 500_000.0) / 20.0;
            let row = (5_200_000.0 - at[1].as_f64().unwrap()) / 20.0;
            water[(row as usize, col as usize)] = true;
        }
    }
    assert!(water.iter().filter(|wet| **wet).count() > 100);
    for (at, wet) in water.indexed_iter() {
        let colour =
            |bands: &[ndarray::Array2<f32>; 3]| [0, 1, 2].map(|band| bands[band][at] as u8);
        let expected = if *wet { [255, 0, 254] } else { colour(&plain) };
        assert_eq!(colour(&relief), expected, "{at:?}");
    }
}
