//! Every error has its exit code, and a message that says where and what to do.

use crate::support::{SMALL, Workshop, shipped};
use std::fs;

#[track_caller]
fn fails(arguments: &[&str], text: &str, code: i32, words: &[&str]) {
    let shop = Workshop::new();
    shop.write("small.yaml", text);
    let ended = shop.thalweg(arguments);
    assert_eq!(ended.code, Some(code), "{arguments:?}: {}", ended.stderr);
    for word in words {
        assert!(
            ended.stderr.contains(word),
            "{word:?} is missing in: {}",
            ended.stderr
        );
    }
    assert_eq!(ended.stdout, "", "stdout is for data");
    assert!(!shop.path("out").exists(), "nothing is written");
}

fn changed(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from));
    SMALL.replacen(from, to, 1)
}

#[test]
fn a_wrong_command_line_is_2() {
    for arguments in [
        &["run"][..],
        &["rum", "small.yaml"],
        &["run", "small.yaml", "--threads", "0"],
        &["run", "small.yaml", "--threads", "many"],
        &["run", "small.yaml", "--seed", "-1"],
        &["run", "small.yaml", "--from", "run.json"],
        &["run", "small.yaml", "--quiet", "--verbose"],
    ] {
        fails(arguments, SMALL, 2, &["error"]);
    }
}

#[test]
fn an_unknown_key_is_3_with_place_line_and_suggestion() {
    let text = changed("cycles: 10", "cylces: 10");
    fails(
        &["run", "small.yaml"],
        &text,
        3,
        &[
            "small.yaml:13:7",
            "cylces: 10",
            "unknown key `cylces`",
            "did you mean `cycles`?",
        ],
    );
}

#[test]
fn a_wrong_type_is_3() {
    let text = changed("rows: 60", "rows: sixty");
    fails(
        &["validate", "small.yaml"],
        &text,
        3,
        &[
            "small.yaml:4:15",
            "rows: sixty",
            "whole number",
            "\"sixty\"",
        ],
    );
}

#[test]
fn a_value_out_of_range_is_3() {
    let text = changed("cell_size_m: 20", "cell_size_m: -20");
    fails(
        &["plan", "small.yaml"],
        &text,
        3,
        &["small.yaml:4:", "between 0.001 and", "-20"],
    );
    let text = changed("cell_size_m: 20", "cell_size_m: .nan");
    fails(
        &["run", "small.yaml"],
        &text,
        3,
        &["small.yaml:4:", "finite", "NaN"],
    );
}

#[test]
fn a_duplicate_key_is_3() {
    let text = changed("seed: 3", "seed: 3\nseed: 4");
    fails(
        &["run", "small.yaml"],
        &text,
        3,
        &["small.yaml:4:1", "seed: 4", "duplicate"],
    );
}

#[test]
fn a_missing_pipeline_is_3() {
    fails(&["run", "nowhere.yaml"], SMALL, 3, &["nowhere.yaml"]);
    fails(
        &["run", "--from", "nowhere.json"],
        SMALL,
        3,
        &["nowhere.json"],
    );
}

#[test]
fn a_path_that_leaves_the_output_folder_is_3() {
    for path in ["../dem.tif", "/tmp/dem.tif", "layers/../../dem.tif"] {
        let text = changed("path: dem.tif", &format!("path: {path}"));
        fails(
            &["run", "small.yaml"],
            &text,
            3,
            &["small.yaml:17:", "would leave the output folder"],
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_output_folder_is_3() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    fs::create_dir_all(shop.path("results")).unwrap();
    fs::create_dir_all(shop.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(shop.path("elsewhere"), shop.path("results/layers")).unwrap();
    let ended = shop.thalweg(&["run", "small.yaml", "--out", "results"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stderr.contains("layers"), "{}", ended.stderr);
    assert_eq!(fs::read_dir(shop.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_path_of_set_that_does_not_exist_is_3_with_the_near_ones() {
    let run = |set| ["run", "small.yaml", "--set", set];
    fails(
        &run("erode.rivers.cylces=5"),
        SMALL,
        3,
        &["`erode.rivers.cylces`", "`erode.rivers.cycles`"],
    );
    fails(
        &run("erode.river.cycles=5"),
        SMALL,
        3,
        &["`erode.river`", "`erode.rivers`"],
    );
    fails(
        &run("grid.rows=many"),
        SMALL,
        3,
        &["--set grid.rows=many", "whole number"],
    );
}

#[test]
fn input_that_is_missing_or_no_raster_is_4() {
    let real = shipped("real");
    let run = |set| ["run", real.as_str(), "--set", set];
    fails(
        &run("read.base.path=nowhere.tif"),
        SMALL,
        4,
        &["nowhere.tif", "no such file"],
    );
    fails(&run("read.base.path=small.yaml"), SMALL, 4, &["small.yaml"]);
    fails(&run("read.base.path=."), SMALL, 4, &["folder"]);
    let text = "thalweg: 1\nname: a\nstages:\n  - read: { id: base, path: no.tif }\noutputs:\n  - { layer: elevation, path: dem.tif }\n";
    fails(
        &["validate", "small.yaml"],
        text,
        4,
        &["small.yaml:4:29", "path: no.tif", "no such file"],
    );
}

/// Rasters that are none, or not what they should be: told before anything is made, with what to do.
#[test]
fn rasters_that_cannot_be_used_are_4_with_what_to_do() {
    let shop = Workshop::new();
    let real = shipped("real");
    let whole = fs::read(crate::support::real_dem()).unwrap();
    fs::write(shop.path("cut.tif"), &whole[..whole.len() / 2]).unwrap();
    fs::write(shop.path("head.tif"), &whole[..200]).unwrap();
    fs::write(shop.path("empty.tif"), b"").unwrap();
    fs::write(shop.path("notes.tif"), b"no raster").unwrap();
    fs::create_dir(shop.path("folder.tif")).unwrap();
    // Arc/Info grids can be written by hand.
    let grid = |name: &str, cell: &str, cells: &str| {
        let text = format!(
            "ncols 3\nnrows 1\nxllcorner 10\nyllcorner 20\ncellsize {cell}\nNODATA_value -9999\n{cells}\n"
        );
        fs::write(shop.path(name), text).unwrap();
    };
    grid("nothing.asc", "30", "-9999 -9999 -9999");
    grid("degrees.asc", "0.001", "1 2 3");
    // Raw floats with a header.
    let header = "ENVI\nsamples = 3\nlines = 1\nbands = 1\ndata type = 4\ninterleave = bsq\nbyte order = 0\nmap info = {UTM, 1, 1, 400000, 4000000, 30, 30, 11, North, WGS-84}\n";
    fs::write(shop.path("infinite.hdr"), header).unwrap();
    let floats = [1.5, f32::INFINITY, 2.5].map(f32::to_le_bytes);
    fs::write(shop.path("infinite.dat"), floats.concat()).unwrap();
    // Headers alone: three bands, and no place at all.
    let raw = |name: &str, bands: usize, place: &str| {
        let band: String = (1..=bands)
            .map(|band| format!("<VRTRasterBand dataType='Byte' band='{band}'/>"))
            .collect();
        let text =
            format!("<VRTDataset rasterXSize='4' rasterYSize='4'>{place}{band}</VRTDataset>");
        fs::write(shop.path(name), text).unwrap();
    };
    let place = "<GeoTransform>0, 10, 0, 0, 0, -10</GeoTransform>";
    raw("three.vrt", 3, place);
    raw("nowhere.vrt", 1, "");
    for (file, words) in [
        ("cut.tif", "fetch or make it again"),
        ("head.tif", "gdalinfo"),
        ("empty.tif", "fetch or make it again"),
        ("notes.tif", "gdalinfo"),
        ("folder.tif", "folder"),
        ("nothing.asc", "expected at least one with data"),
        ("infinite.dat", "mark cells without data as nodata"),
        ("degrees.asc", "gdal_edit.py -a_srs"),
        ("three.vrt", "`band: n`"),
        ("nowhere.vrt", "gdal_translate -a_srs"),
    ] {
        let path = format!("read.base.path={file}");
        let ended = shop.thalweg(&["run", &real, "--set", &path, "--out", "out"]);
        assert_eq!(ended.code, Some(4), "{file}: {}", ended.stderr);
        assert!(ended.stderr.contains(file), "{file}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{file}: {}", ended.stderr);
        assert!(!shop.path("out").exists(), "{file}: nothing is written");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let secret = shop.path("secret.tif");
        fs::write(&secret, &whole).unwrap();
        fs::set_permissions(&secret, PermissionsExt::from_mode(0o000)).unwrap();
        // The superuser may read it all the same.
        if fs::File::open(&secret).is_err() {
            let ended = shop.thalweg(&["run", &real, "--set", "read.base.path=secret.tif"]);
            assert_eq!(ended.code, Some(4), "{}", ended.stderr);
            assert!(
                ended.stderr.contains("ermission denied"),
                "{}",
                ended.stderr
            );
        }
    }
}

#[test]
fn a_map_that_does_not_fit_is_5() {
    let size = |n: &str| [format!("grid.rows={n}"), format!("grid.cols={n}")];
    for n in ["100000", "10000000", "18446744073709551615"] {
        let [rows, cols] = size(n);
        let sets = ["--set", rows.as_str(), "--set", cols.as_str()];
        fails(
            &[&["run", "small.yaml"], &sets[..]].concat(),
            SMALL,
            5,
            &["cells"],
        );
    }
}

#[test]
fn a_plan_of_a_map_that_does_not_fit_is_printed_and_is_5() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let ended = shop.thalweg(&[
        "plan",
        "small.yaml",
        "--set",
        "grid.rows=100000",
        "--set",
        "grid.cols=100000",
    ]);
    assert_eq!(ended.code, Some(5));
    assert!(
        ended.stdout.contains("10000000000 cells"),
        "{}",
        ended.stdout
    );
    assert!(ended.stderr.contains("memory"), "{}", ended.stderr);
}

#[test]
fn results_in_the_way_are_6_and_stay_as_they_are() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    fs::create_dir(shop.path("results")).unwrap();
    shop.write("results/hillshade.pgw", "mine");
    let ended = shop.thalweg(&["run", "small.yaml", "--out", "results"]);
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("hillshade.pgw") && ended.stderr.contains("--overwrite"),
        "{}",
        ended.stderr
    );
    let left: Vec<_> = fs::read_dir(shop.path("results")).unwrap().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(
        fs::read_to_string(shop.path("results/hillshade.pgw")).unwrap(),
        "mine"
    );
}

#[test]
fn a_folder_in_the_way_of_a_file_is_found_before_anything_is_computed() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    fs::create_dir_all(shop.path("results/dem.tif")).unwrap();
    shop.write("results/run.json", "mine");
    let ended = shop.thalweg(&["run", "small.yaml", "--out", "results", "--overwrite"]);
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("dem.tif: is a folder"),
        "{}",
        ended.stderr
    );
    assert_eq!(
        fs::read_to_string(shop.path("results/run.json")).unwrap(),
        "mine"
    );
}

#[test]
fn names_that_no_file_system_takes_are_3() {
    let named = |name: &str| SMALL.replace("path: dem.tif", &format!("path: {name}"));
    let long = format!("{}.tif", "d".repeat(250));
    fails(
        &["validate", "small.yaml"],
        &named(&long),
        3,
        &["254 bytes", "240"],
    );
    fails(
        &["validate", "small.yaml"],
        &named("\"a\\0.tif\""),
        3,
        &["zero character"],
    );
}

#[test]
fn what_is_not_what_it_should_be_is_named_with_the_way_out() {
    fails(&["run"], SMALL, 2, &["thalweg run hills.yaml", "--from"]);
    let from = |file| ["run", "--from", file];
    fails(&from("small.yaml"), SMALL, 3, &["without --from"]);
    fails(&from("no.json"), SMALL, 3, &["no.json: cannot read it"]);
    let out = ["run", "small.yaml", "--out", "small.yaml"];
    fails(&out, SMALL, 6, &["small.yaml: is a file", "--out"]);
    fails(&["init", "sub/x"], SMALL, 6, &["mkdir -p sub"]);
    fails(&["validate", "small.yaml"], "", 3, &["nothing in the file"]);
}

#[test]
fn validating_reads_the_header_of_the_input() {
    let real = shipped("real");
    let path = "read.base.path=small.yaml";
    fails(
        &["validate", &real, "--set", path],
        SMALL,
        4,
        &["small.yaml: is not a raster"],
    );
}

#[test]
fn a_folder_that_cannot_be_made_is_6() {
    fails(
        &["run", "small.yaml", "--out", "small.yaml/results"],
        SMALL,
        6,
        &["small.yaml/results"],
    );
}

/// Nobody ever writes into it: opening it would wait for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_raster() {
    let shop = Workshop::new();
    let pipe = shop.path("dem.tif");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipeline = shipped("real");
    let ended = shop.thalweg(&["plan", &pipeline, "--set", "read.base.path=dem.tif"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("pipe"), "{}", ended.stderr);
}

/// Errors far to the right are told without drawing the line.
#[test]
fn a_very_long_line_is_no_trouble() {
    let shop = Workshop::new();
    let text = format!("{{thalweg: 1, name: x, {}bogus: 1}}\n", " ".repeat(70_000));
    shop.write("long.yaml", &text);
    let ended = shop.thalweg(&["validate", "long.yaml"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(ended.stderr.contains("bogus") && ended.stderr.len() < 5_000);
}
