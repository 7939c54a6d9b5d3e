//! Whole runs: sizes, threads, seeds, records, overwriting.

use crate::support::{SMALL, Workshop, hashes, real_dem, shipped};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use thalweg_geotiff::{Request, read};

#[test]
fn each_shipped_pipeline_runs() {
    let shop = Workshop::new();
    for name in [
        "quickstart",
        "highland",
        "island",
        "compare-basic",
        "compare-streams",
        "compare-streams-trees",
    ] {
        let pipeline = shipped(name);
        shop.done(&[
            "run",
            &pipeline,
            "--set",
            "grid.rows=70",
            "--set",
            "grid.cols=110",
            "--set",
            "erode.rivers.cycles=8",
            "--out",
            name,
        ]);
        let record = shop.record(name);
        assert_eq!(record["sound"], true, "{record:#}");
        let ground = read(&shop.path(name).join("dem.tif"), &Request::of_band(1)).unwrap();
        assert_eq!(ground.grid.shape.dim(), (70, 110));
        assert!((ground.grid.cell_size_m - 10.0).abs() < 1e-9);
        assert_eq!(ground.valid, None);
    }
    assert!(!shop.path("highland/vegetation.tif").exists());
}

#[test]
fn a_real_model_keeps_its_grid_and_without_cycles_its_pixels() {
    let shop = Workshop::new();
    let (pipeline, dem) = (shipped("real"), real_dem());
    let path = format!("read.base.path={dem}");
    shop.done(&[
        "run",
        &pipeline,
        "--set",
        &path,
        "--set",
        "erode.rivers.cycles=0",
        "--out",
        "none",
    ]);
    let before = read(Path::new(&dem), &Request::of_band(1)).unwrap();
    let after = read(&shop.path("none/dem.tif"), &Request::of_band(1)).unwrap();
    assert_eq!(after.grid, before.grid);
    assert_eq!(after.valid, before.valid);
    let bits = |cells: &ndarray::Array2<f32>| cells.mapv(f32::to_bits);
    assert_eq!(bits(&after.elevation), bits(&before.elevation));
    assert_eq!(after.nodata, before.nodata.or(Some(-9999.0)));
}

/// A window of the real model, and the same place in cells of another size.
#[test]
fn a_real_model_is_cut_and_resampled_onto_a_grid() {
    let shop = Workshop::new();
    let dem = real_dem();
    let before = read(Path::new(&dem), &Request::of_band(1)).unwrap();
    let [west, north] = before.grid.origin_m;
    let own = before.grid.cell_size_m;
    let origin_m = [west + 500.0 * own, north - 200.0 * own];
    for (fit, cell_size_m, rows, cols) in [("crop", own, 50, 80), ("resample", own / 3.0, 150, 240)]
    {
        let text = format!(
            "thalweg: 1\nname: part\ngrid: {{ rows: {rows}, cols: {cols}, cell_size_m: {cell_size_m}, origin_m: {origin_m:?} }}\nstages:\n  - read: {{ id: base, path: {dem}, fit: {fit} }}\noutputs:\n  - {{ layer: elevation, path: dem.tif }}\n"
        );
        shop.write("part.yaml", &text);
        shop.done(&["run", "part.yaml", "--out", fit]);
        let after = read(&shop.path(fit).join("dem.tif"), &Request::of_band(1)).unwrap();
        assert_eq!(after.grid.crs, before.grid.crs);
        assert_eq!(after.elevation.dim(), (rows, cols));
        // The middle of each third cell is the middle of a cell of the model.
        let each = if fit == "crop" { 1 } else { 3 };
        for (row, col) in (0..50).flat_map(|row| (0..80).map(move |col| (row, col))) {
            let found = after.elevation[(each * row + each / 2, each * col + each / 2)];
            let expected = before.elevation[(200 + row, 500 + col)];
            assert!(
                (found - expected).abs() < 1e-2,
                "{fit} {row} {col}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_real_model_is_eroded_where_it_has_data() {
    let shop = Workshop::new();
    let (pipeline, dem) = (shipped("real"), real_dem());
    let path = format!("read.base.path={dem}");
    shop.done(&[
        "run",
        &pipeline,
        "--set",
        &path,
        "--set",
        "erode.rivers.cycles=3",
        "--set",
        "erode.rivers.droplets_per_cell=0.03",
        "--out",
        "some",
    ]);
    let before = read(Path::new(&dem), &Request::of_band(1)).unwrap();
    let after = read(&shop.path("some/dem.tif"), &Request::of_band(1)).unwrap();
    assert_eq!((&after.grid, &after.valid), (&before.grid, &before.valid));
    assert!(after.elevation.iter().all(|value| value.is_finite()));
    assert_ne!(after.elevation, before.elevation);
    let record = shop.record("some");
    assert_eq!(record["stages"][0]["kind"], "read");
    assert_eq!(record["stages"][1]["sanity"]["non_finite"], 0);
}

#[test]
fn maps_of_every_shape_run() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    for (rows, cols) in [(1, 1), (1, 40), (40, 1), (3, 5), (257, 511)] {
        let (rows_set, cols_set) = (format!("grid.rows={rows}"), format!("grid.cols={cols}"));
        let out = format!("{rows}x{cols}");
        shop.done(&[
            "run",
            "small.yaml",
            "--set",
            &rows_set,
            "--set",
            &cols_set,
            "--out",
            &out,
        ]);
        let ground = read(&shop.path(&out).join("dem.tif"), &Request::of_band(1)).unwrap();
        assert_eq!(ground.grid.shape.dim(), (rows, cols));
        assert!(ground.elevation.iter().all(|value| value.is_finite()));
    }
}

#[test]
fn pixels_do_not_depend_on_the_number_of_threads() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let run = |threads: &str| {
        shop.done(&[
            "run",
            "small.yaml",
            "--set",
            "grid.rows=200",
            "--threads",
            threads,
            "--out",
            threads,
        ]);
        let record = shop.record(threads);
        assert_eq!(record["threads"].to_string(), threads);
        hashes(&record)
    };
    let one = run("1");
    assert_eq!(one.len(), 9);
    for threads in ["2", "3", "8"] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn a_recorded_run_can_be_repeated_from_its_record() {
    let shop = Workshop::new();
    shop.write("small.yaml", &SMALL.replace("seed: 3\n", ""));
    let ended = shop.done(&[
        "run",
        "small.yaml",
        "--set",
        "erode.rivers.cycles=4",
        "--out",
        "first",
    ]);
    let first = shop.record("first");
    let seed = first["seed"].to_string();
    assert!(
        ended.stderr.contains(&format!("seed {seed} drawn")),
        "{}",
        ended.stderr
    );
    assert_eq!(first["pipeline"]["seed"], first["seed"]);
    fs::remove_file(shop.path("small.yaml")).unwrap();
    let ended = shop.done(&[
        "run",
        "--from",
        "first/run.json",
        "--threads",
        "3",
        "--out",
        "again",
    ]);
    assert!(!ended.stderr.contains("warning"), "{}", ended.stderr);
    let again = shop.record("again");
    assert_eq!(hashes(&again), hashes(&first));
    assert_eq!(again["pipeline"], first["pipeline"]);
    assert_eq!(again["pipeline_blake3"], first["pipeline_blake3"]);
}

#[test]
fn another_version_is_warned_of_and_other_pixels_are_8() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    shop.done(&["run", "small.yaml", "--out", "first"]);
    let mut record = shop.record("first");
    record["version"] = json!("0.0.0");
    record["outputs"][0]["pixels_blake3"] = json!("0");
    shop.write("old.json", &record.to_string());
    let ended = shop.thalweg(&["run", "--from", "old.json", "--out", "again"]);
    assert_eq!(ended.code, Some(8), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("written by thalweg 0.0.0"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("dem.tif: other pixels"),
        "{}",
        ended.stderr
    );
    let ended = shop.thalweg(&["run", "--from", "old.json", "--out", "b", "--quiet"]);
    assert_eq!(ended.code, Some(8), "{}", ended.stderr);
    assert!(ended.stderr.contains("dem.tif: other"), "{}", ended.stderr);
    // A variant is expected to differ.
    shop.done(&["run", "--from", "old.json", "--out", "c", "--seed", "4"]);
}

#[test]
fn a_recorded_input_that_changed_is_4_and_no_output_replaces_an_input() {
    let shop = Workshop::new();
    fs::create_dir(shop.path("a")).unwrap();
    let ground = shop.path("a/ground.tif");
    fs::copy(real_dem(), &ground).unwrap();
    let pipeline = shipped("real");
    let sets = [
        "--set",
        "read.base.path=a/ground.tif",
        "--set",
        "erode.rivers.cycles=0",
    ];
    let run = ["run", pipeline.as_str(), "--out", "a"];
    let over = ["--overwrite", "--set", "outputs.0.path=ground.tif"];
    let ended = shop.thalweg(&[&run[..], &sets[..], &over[..]].concat());
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stderr.contains("ground.tif"), "{}", ended.stderr);
    assert_eq!(fs::read(&ground).unwrap(), fs::read(real_dem()).unwrap());

    shop.done(&[&run[..], &sets[..]].concat());
    // The run's own elevation, one metre higher in one place, takes the input's place.
    let old = read(&ground, &Request::of_band(1)).unwrap();
    let mut elevation = old.elevation.clone();
    elevation[(9, 9)] += 1.0;
    let provenance = thalweg_geotiff::Provenance {
        version: "0",
        pipeline: "0",
        seed: 0,
    };
    let band = thalweg_geotiff::Band::float(thalweg_grid::Layer::Elevation, &elevation);
    let valid = old.valid.as_ref().map(|mask| mask.view());
    thalweg_geotiff::write(&ground, &old.grid, &band, valid, &provenance, true).unwrap();
    let ended = shop.thalweg(&["run", "--from", "a/run.json", "--out", "b"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("ground.tif"), "{}", ended.stderr);
    assert!(!shop.path("b").exists());
}

#[test]
fn a_read_path_in_a_record_holds_from_any_folder() {
    let shop = Workshop::new();
    fs::copy(real_dem(), shop.path("ground.tif")).unwrap();
    let pipeline = shipped("real");
    let sets = [
        "--set",
        "read.base.path=ground.tif",
        "--set",
        "erode.rivers.cycles=0",
    ];
    shop.done(&[&["run", pipeline.as_str(), "--out", "first"], &sets[..]].concat());
    fs::create_dir(shop.path("other")).unwrap();
    let mut command = shop.command(&["run", "--from", "../first/run.json", "--out", "again"]);
    let output = command.current_dir(shop.path("other")).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        hashes(&shop.record("other/again")),
        hashes(&shop.record("first"))
    );
}

#[test]
fn seeds_and_ids_matter_and_other_stages_do_not() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let dem = |name: &str, sets: &[&str]| {
        let mut arguments = vec!["run", "small.yaml", "--out", name];
        sets.iter().for_each(|set| arguments.extend(["--set", set]));
        shop.done(&arguments);
        hashes(&shop.record(name))[0].1.clone()
    };
    let bare = ["erode.rivers.cycles=0"];
    let ground = dem("a", &bare);
    assert_ne!(dem("b", &["erode.rivers.cycles=0", "seed=4"]), ground);
    assert_ne!(
        dem("c", &["erode.rivers.cycles=0", "synthesize.base.id=other"]),
        ground
    );
    assert_eq!(
        dem("d", &["erode.rivers.cycles=0", "erode.rivers.id=streams"]),
        ground
    );
    let eroded = dem("e", &[]);
    assert_ne!(eroded, ground);
    assert_ne!(dem("f", &["erode.rivers.id=streams"]), eroded);
}

#[test]
fn results_are_replaced_only_with_overwrite() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    shop.done(&["run", "small.yaml"]);
    let dem = shop.path("out/small-3/dem.tif");
    let first = fs::read(&dem).unwrap();
    let ended = shop.thalweg(&["run", "small.yaml", "--set", "seed=3"]);
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert_eq!(fs::read(&dem).unwrap(), first);
    shop.done(&[
        "run",
        "small.yaml",
        "--set",
        "erode.rivers.cycles=0",
        "--overwrite",
    ]);
    assert_ne!(fs::read(&dem).unwrap(), first);
    shop.done(&["run", "small.yaml", "--overwrite"]);
    assert_eq!(fs::read(&dem).unwrap(), first, "the same bytes every time");
}

#[test]
fn the_record_accounts_for_each_stage() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    shop.done(&["run", "small.yaml", "--out", "a"]);
    let record = shop.record("a");
    assert_eq!(record["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(record["pipeline"]["stages"][1]["erode"]["friction"], 0.1);
    let stages = record["stages"].as_array().unwrap();
    let names: Vec<_> = stages
        .iter()
        .map(|stage| (&stage["kind"], &stage["id"]))
        .collect();
    assert_eq!(
        names,
        [
            (&json!("synthesize"), &json!("base")),
            (&json!("erode"), &json!("rivers"))
        ]
    );
    for stage in stages {
        assert!(stage["wall_s"].as_f64().unwrap() >= 0.0);
        assert!(stage["peak_rss_bytes"].as_u64().unwrap() > 1 << 20);
        assert_eq!(stage["sanity"]["non_finite"], 0);
        assert_eq!(stage["sanity"]["new_spikes"], 0);
    }
    let erosion = &stages[1];
    // Half a droplet on each of 60 × 90 cells, and those on the apron around.
    assert!(erosion["droplets"].as_u64().unwrap() >= 2700, "{erosion:#}");
    assert!(erosion["steps"].as_u64() > erosion["droplets"].as_u64());
    for account in ["sediment", "water"] {
        let error = erosion["ledger"][account]["relative_error"]
            .as_f64()
            .unwrap();
        assert!(error <= 1e-6, "{account}: {error}");
    }
    assert!(erosion["limits"].is_object());
    let layers: Vec<&Value> = record["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| &output["layer"])
        .collect();
    assert_eq!(layers[0], "elevation");
    let picture = &record["outputs"][layers.len() - 1];
    assert_eq!(picture["companions"], json!(["hillshade.pgw"]));
}

#[test]
fn elevations_span_the_range_that_was_asked_for() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    shop.done(&[
        "run",
        "small.yaml",
        "--set",
        "erode.rivers.cycles=0",
        "--out",
        "a",
    ]);
    let ground = read(&shop.path("a/dem.tif"), &Request::of_band(1))
        .unwrap()
        .elevation;
    let low = ground.iter().copied().fold(f32::INFINITY, f32::min);
    let high = ground.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    assert!(
        low.abs() < 1e-3 && (high - 600.0).abs() < 1e-3,
        "{low} to {high}"
    );
}

#[test]
fn a_picture_has_its_place() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    shop.done(&["run", "small.yaml", "--out", "a"]);
    let world = fs::read_to_string(shop.path("a/hillshade.pgw")).unwrap();
    let numbers: Vec<f64> = world.lines().map(|line| line.parse().unwrap()).collect();
    // Pixel size, no rotation, and the centre of the north-west pixel.
    let expected = [20.0, 0.0, 0.0, -20.0, 500_010.0, 5_199_990.0];
    assert!(
        numbers
            .iter()
            .zip(expected)
            .all(|(found, wanted)| (found - wanted).abs() < 1e-9),
        "{world}"
    );
    let png = fs::read(shop.path("a/hillshade.png")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    // Width and height stand big-endian at bytes 16 and 20.
    assert_eq!(&png[16..24], [0, 0, 0, 90, 0, 0, 0, 60]);
}
