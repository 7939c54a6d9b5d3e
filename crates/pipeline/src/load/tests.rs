use super::*;
use crate::error::Failure;
use crate::problem::Place;

const GOOD: &str = "\
thalweg: 1
name: hills
grid: { rows: 30, cols: 40, cell_size_m: 10 }
stages:
  - synthesize:
      id: base
      elevation_m: [0, 1500]
      noise: { fbm: { wavelength_m: 600 } }
  - erode:
      id: rivers
      cycles: 7
outputs:
  - { layer: elevation, path: dem.tif }
  - { hillshade: {}, path: shade.png }
";

fn load_text(text: &str, sets: &[&str]) -> Result<Pipeline, PipelineError> {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    parse(text, Path::new("folder/hills.yaml"), &sets)
}

fn problems(text: &str, sets: &[&str]) -> Problems {
    match load_text(text, sets) {
        Err(PipelineError::Invalid(problems)) => *problems,
        other => panic!("expected problems, found {other:?}"),
    }
}

/// The only problem of the good text with one change: the text from its place on, message and help.
fn problem(from: &str, to: &str) -> (String, String, String) {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    let found = problems(&text, &[]);
    let [problem] = found.list.as_slice() else {
        panic!("expected one problem, found {found}");
    };
    let Some(Place { line, column, .. }) = problem.place else {
        panic!("no place: {found}");
    };
    let rest: String = text
        .lines()
        .nth(line - 1)
        .unwrap()
        .chars()
        .skip(column - 1)
        .collect();
    (
        format!("{line}: {rest}"),
        problem.message.clone(),
        problem.help.clone().unwrap_or_default(),
    )
}

/// The good text with one change has one problem, which begins at `place` (line: text there).
#[track_caller]
fn expect(from: &str, to: &str, place: &str, message: &str, help: &str) {
    let found = problem(from, to);
    assert!(found.0.starts_with(place), "{found:?}");
    assert!(found.1.contains(message), "{found:?}");
    assert!(found.2.contains(help), "{found:?}");
}

#[test]
fn a_good_file_gets_its_defaults_from_the_engine() {
    let pipeline = load_text(GOOD, &[]).unwrap();
    let Stage::Erode(erode) = &pipeline.stages[1] else {
        panic!()
    };
    let engine = thalweg_erosion::Parameters {
        cycles: 7,
        ..Default::default()
    };
    assert_eq!(thalweg_erosion::Parameters::from(erode.as_ref()), engine);
}

#[test]
fn an_absent_feature_is_off_and_an_empty_one_has_defaults() {
    let pipeline = load_text(&GOOD.replace("cycles: 7", "pools: {}"), &[]).unwrap();
    let Stage::Erode(erode) = &pipeline.stages[1] else {
        panic!()
    };
    let parameters = thalweg_erosion::Parameters::from(erode.as_ref());
    assert_eq!(parameters.pools, Some(thalweg_erosion::Pools::default()));
    assert_eq!(parameters.vegetation, None);
}

#[test]
fn misspelt_keys_are_told_with_place_and_suggestion() {
    expect(
        "cycles: 7",
        "cylces: 7",
        "11: cylces",
        "unknown key `cylces` in `erode`",
        "`cycles`",
    );
    expect(
        "name: hills",
        "name: hills\nsead: 4",
        "3: sead",
        "unknown key `sead` in the file",
        "`seed`",
    );
    expect(
        "- erode:",
        "- erod:",
        "9: erod:",
        "unknown key `erod`",
        "`erode`",
    );
    expect(
        "wavelength_m: 600",
        "wavelength: 600",
        "8: wavelength:",
        "unknown key `wavelength` in `fbm`",
        "`wavelength_m`",
    );
    expect(
        "cycles: 7",
        "pools: { drian: 0.1 }",
        "11: drian",
        "unknown key `drian` in `pools`",
        "`drain`",
    );
    expect(
        "hillshade: {}",
        "hillshade: { azimut_deg: 1 }",
        "14: azimut_deg",
        "unknown key `azimut_deg`",
        "`azimuth_deg`",
    );
}

#[test]
fn every_unknown_key_is_told_at_once() {
    let text = GOOD
        .replace("cycles: 7", "cylces: 7")
        .replace("cols:", "coles:");
    assert_eq!(problems(&text, &[]).list.len(), 2);
}

#[test]
fn wrong_types_tell_what_was_expected_and_found() {
    expect(
        "rows: 30",
        "rows: many",
        "3: many",
        "`rows` must be a whole number, 0 or more, found the text \"many\"",
        "",
    );
    expect(
        "rows: 30",
        "rows: 3.5",
        "3: 3.5",
        "`rows` must be a whole number, 0 or more, found 3.5",
        "",
    );
    expect(
        "rows: 30",
        "rows: -3",
        "3: -3",
        "`rows` must be a whole number, 0 or more, found -3",
        "",
    );
    expect(
        "name: hills",
        "name: 2024",
        "2: 2024",
        "`name` must be text, found 2024",
        "\"2024\"",
    );
    expect(
        "[0, 1500]",
        "[0, 1500, 2]",
        "7: [0, 1500, 2]",
        "`elevation_m` must be a list of 2 values",
        "",
    );
    expect(
        "[0, 1500]",
        "1500",
        "7: 1500",
        "`elevation_m` must be a list of 2 values, found 1500",
        "",
    );
    expect(
        "cycles: 7",
        "pools: yes",
        "11: yes",
        "`pools` must be a map of keys, found true",
        "",
    );
    expect(
        "layer: elevation",
        "layer: elevatoin",
        "13: elevatoin",
        "`layer` must be one of `elevation`",
        "`elevation`",
    );
    expect(
        "cycles: 7",
        "edges: { north: shut }",
        "11: shut",
        "`north` must be one of `open`, `closed`",
        "",
    );
    expect(
        "{ fbm: { wavelength_m: 600 } }",
        "fbm",
        "8: fbm",
        "`fbm` needs its keys",
        "",
    );
}

#[test]
fn values_that_are_nearly_right_come_with_what_to_write() {
    let help = |from: &str, to: &str, message: &str, help: &str| {
        expect(from, to, "", message, help);
    };
    help(
        "rows: 30",
        "rows: \"30\"",
        "whole number",
        "remove the quotes: 30",
    );
    help(
        "cell_size_m: 10",
        "cell_size_m: 10m",
        "a number",
        "remove \"m\", the unit is fixed: 10",
    );
    help(
        "cell_size_m: 10",
        "cell_size_m: 10, crs: 32633",
        "must be text",
        "write EPSG:32633",
    );
    help(
        "cycles: 7",
        "pools: true",
        "a map of keys",
        "write `pools: {}`",
    );
    help(
        "cycles: 7",
        "pools: false",
        "a map of keys",
        "leave the key out",
    );
    help("cycles: 7", "cycles: 5000000000", "at most 4294967295", "");
    help(
        "name: hills",
        "name: hills\nseed: 18446744073709551616",
        "at most 18446744073709551615",
        "",
    );
    help(
        "layer: elevation",
        "layer: elevatoin",
        "must be one of",
        "did you mean `elevation`",
    );
    help(
        "layer: elevation",
        "layer: snow",
        "must be one of `elevation`, ",
        "",
    );
}

#[test]
fn tabs_are_named() {
    let text = GOOD.replace("      cycles: 7", "\tcycles: 7");
    let found = problems(&text, &[]);
    assert!(found.list[0].message.contains("tab"), "{found}");
    assert_eq!(found.list[0].place.unwrap().line, 11);
}

#[test]
fn values_out_of_range_tell_both_ends() {
    expect(
        "rows: 30",
        "rows: 0",
        "3: 0",
        "`rows` must be at least 1, found 0",
        "",
    );
    expect(
        "cell_size_m: 10",
        "cell_size_m: -10",
        "3: -10",
        "`cell_size_m` must be between 0.001 and 1000000.0, found -10",
        "",
    );
    expect(
        "cycles: 7",
        "stop_stream: 2",
        "11: 2",
        "`stop_stream` must be between 0.0 and 1.0, found 2",
        "",
    );
    expect(
        "cycles: 7",
        "pools: { drain: 3 }",
        "11: 3",
        "`drain` must be between 0.0 and 1.0, found 3",
        "",
    );
    expect(
        "wavelength_m: 600",
        "wavelength_m: 600, octaves: 99",
        "8: 99",
        "`octaves` must be between 1 and 32, found 99",
        "",
    );
    expect(
        "[0, 1500]",
        "[1500, 0]",
        "7: [1500, 0]",
        "`elevation_m` must be the lowest elevation, then the highest",
        "",
    );
    expect(
        "thalweg: 1",
        "thalweg: 2",
        "1: 2",
        "`thalweg` must be 1",
        "",
    );
    expect(
        "name: hills",
        "name: ../hills",
        "2: ../hills",
        "`name` must be 1 to 100 letters",
        "",
    );
    expect(
        "id: rivers",
        "id: my.rivers",
        "10: my.rivers",
        "`id` must be 1 to 64",
        "",
    );
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for (value, shown) in [(".nan", "NaN"), (".inf", "inf"), ("-.inf", "-inf")] {
        let message = format!("`stop_stream` must be a finite number, found {shown}");
        expect(
            "cycles: 7",
            &format!("stop_stream: {value}"),
            &format!("11: {value}"),
            &message,
            "",
        );
    }
}

#[test]
fn keys_that_are_missing_empty_or_double_are_told() {
    expect(
        "      id: rivers\n",
        "",
        "9: erode",
        "`erode` needs the key `id`",
        "add it",
    );
    expect(
        "name: hills\n",
        "",
        "1: thalweg",
        "the file needs the key `name`",
        "--set name=",
    );
    expect(
        "cycles: 7",
        "pools:",
        "11: pools",
        "`pools` has no value",
        "`pools: {}`",
    );
    expect(
        "cycles: 7",
        "cycles: 7\n      cycles: 8",
        "12: cycles: 8",
        "duplicate mapping key `cycles`",
        "",
    );
    expect("rows: 30", "rows: \"30", "3: \"30", "unclosed quote", "");
}

#[test]
fn stages_must_fit_together() {
    expect(
        "id: rivers",
        "id: base",
        "10: base",
        "the id `base` is taken",
        "",
    );
    expect(
        "- erode:\n      id: rivers\n      cycles: 7",
        "- synthesize:\n      id: more\n      elevation_m: [0, 1]\n      noise: { perlin: { wavelength_m: 9 } }",
        "9: synthesize",
        "`synthesize` would replace the ground",
        "only the first",
    );
    expect(
        "cycles: 7",
        "cycles: 7\n    read: { id: a, path: b }",
        "12: read",
        "one kind is expected, found `erode` and `read`",
        "its own `-`",
    );
}

#[test]
fn outputs_must_fit_the_stages_and_stay_inside() {
    expect(
        "layer: elevation",
        "layer: pool_depth",
        "13: pool_depth",
        "no stage makes the layer `pool_depth`",
        "`pools: {}`",
    );
    expect(
        "layer: elevation",
        "layer: vegetation",
        "13: vegetation",
        "no stage makes the layer `vegetation`",
        "`vegetation: {}`",
    );
    expect(
        "path: dem.tif",
        "path: ../dem.tif",
        "13: ../dem.tif",
        "would leave the output folder",
        "--out",
    );
    expect(
        "path: dem.tif",
        "path: a/../../dem.tif",
        "13: a/../../dem.tif",
        "would leave the output folder",
        "--out",
    );
    expect(
        "path: dem.tif",
        "path: /tmp/dem.tif",
        "13: /tmp/dem.tif",
        "would leave the output folder",
        "--out",
    );
    expect(
        "path: dem.tif",
        "path: dem.png",
        "13: dem.png",
        "must end in .tif",
        "",
    );
    expect(
        "path: shade.png",
        "path: shade.tif",
        "14: shade.tif",
        "must end in .png",
        "",
    );
    expect(
        "hillshade: {}",
        "hillshade: {}, layer: elevation",
        "14: { hillshade",
        "exactly one of `layer`, `hillshade`, `table`, `picture`, `film`, `vectors`, found `layer` and `hillshade`",
        "",
    );
    expect(
        "hillshade: {}, ",
        "",
        "14: { path",
        "exactly one of `layer`, `hillshade`, `table`, `picture`, `film`, `vectors`, found none",
        "",
    );
    let twice = "path: dem.tif }\n  - { layer: change, path: ./dem.tif }";
    expect(
        "path: dem.tif }",
        twice,
        "14: ./dem.tif",
        "written twice",
        "",
    );
}

#[test]
fn reference_systems_must_be_known_and_in_metres() {
    let grid = |crs: &str| format!("cell_size_m: 10, crs: {crs}");
    expect(
        "cell_size_m: 10",
        &grid("EPSG:4326"),
        "3: EPSG:4326",
        "EPSG:4326",
        "",
    );
    expect(
        "cell_size_m: 10",
        &grid("EPSG:99999999"),
        "3: EPSG:99999999",
        "EPSG:99999999",
        "",
    );
    expect(
        "cell_size_m: 10",
        &grid("nowhere"),
        "3: nowhere",
        "nowhere",
        "",
    );
}

#[test]
fn a_file_that_is_read_must_be_there() {
    let read = GOOD.replace("- synthesize:\n      id: base\n      elevation_m: [0, 1500]\n      noise: { fbm: { wavelength_m: 600 } }", "- read: { id: base, path: none.tif }");
    let without = read.replace("grid: { rows: 30, cols: 40, cell_size_m: 10 }\n", "");
    let found = problems(&without, &[]);
    assert!(
        found.about_data()
            && found.list[0]
                .message
                .contains("folder/none.tif: no such file"),
        "{found}"
    );
    assert_eq!(found.list[0].place.unwrap().line, 4);
    let error = load_text(&without, &[]).unwrap_err();
    assert_eq!(error.failure(), Failure::Data);
}

#[test]
fn a_raster_is_cut_or_resampled_only_onto_a_grid() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dem.tif"), b"not looked at here").unwrap();
    let file = folder.path().join("a.yaml");
    let text = |grid: &str, keys: &str| {
        format!(
            "thalweg: 1\nname: a\n{grid}stages:\n  - read: {{ id: base, path: dem.tif, {keys} }}\noutputs:\n  - {{ layer: elevation, path: a.tif }}\n"
        )
    };
    let grid = "grid: { rows: 3, cols: 4, cell_size_m: 10 }\n";
    let keys = "fit: resample, method: cubic, units: us_feet, reproject: auto, band: 2";
    let pipeline = parse(&text(grid, keys), &file, &[]).unwrap();
    let Stage::Read(read) = &pipeline.stages[0] else {
        panic!()
    };
    let request = crate::lower::request(read, None);
    assert_eq!((request.band, request.reproject), (Some(2), true));
    assert_eq!(request.method, thalweg_geotiff::Method::Cubic);
    assert!((request.unit_m.unwrap() - 0.304_800_609_6).abs() < 1e-9);
    for fit in ["resample", "crop"] {
        match parse(&text("", &format!("fit: {fit}")), &file, &[]) {
            Err(PipelineError::Invalid(found)) => {
                assert!(
                    found.list[0].message.contains("`fit` needs the key `grid`"),
                    "{found}"
                );
                assert_eq!(found.list[0].place.unwrap().line, 4);
            }
            other => panic!("{other:?}"),
        }
    }
    parse(&text("", "fit: exact"), &file, &[]).unwrap();
}

/// Of the good text's output with these keys: what is wrong.
#[track_caller]
fn stored(keys: &str, place: &str, message: &str, help: &str) {
    let output = "layer: elevation, path: dem.tif";
    expect(output, &format!("{output}, {keys}"), place, message, help);
}

#[test]
fn formats_and_their_options_are_checked_before_anything_runs() {
    stored("format: gtif", "13: gtif", "no raster format `gtif`", "");
    stored("format: GeoJSON", "13: GeoJSON", "cannot write rasters", "");
    stored("format: PNG", "13: PNG", "and not the Float32", "");
    stored(
        "options: { BLOKSIZE: 256 }",
        "13: { BLOKSIZE",
        "BLOKSIZE",
        "",
    );
    stored(
        "compress: lerc",
        "13: lerc",
        "lerc needs `max_error`",
        "0.01",
    );
    stored("max_error: 0.1", "13: 0.1", "only lerc", "compress: lerc");
    stored(
        "compress: lerc, max_error: 0.1, step_m: 0.1",
        "13: 0.1",
        "both round",
        "",
    );
    stored(
        "format: HFA, compress: zstd",
        "13: zstd",
        "formats cog and gtiff",
        "`options`",
    );
    let picture = "picture: {}, path: shade.png, format: cog";
    expect(
        "hillshade: {}, path: shade.png",
        picture,
        "14: cog",
        "rasters that GDAL stores",
        ".tif",
    );
    let stream = "layer: stream, path: dem.tif, step_m: 0.1";
    expect(
        "layer: elevation, path: dem.tif",
        stream,
        "13: 0.1",
        "only layers in metres",
        "lerc",
    );
}

#[test]
fn outputs_are_stored_as_they_say() {
    let format = |keys: &str| {
        let output = "layer: elevation, path: dem.tif";
        let pipeline = load_text(&GOOD.replace(output, keys), &[]).unwrap();
        crate::lower::format(&pipeline.outputs[0], 2).unwrap()
    };
    let usual = format("layer: elevation, path: dem.tif");
    assert!(usual.is_cog() && usual.options.is_empty() && usual.step.is_none());
    let own = format(
        "layer: elevation, path: dem.img, format: HFA, options: { COMPRESSED: true, NBITS: 8 }",
    );
    assert_eq!(own.driver(), "HFA");
    let told: Vec<String> = own
        .options
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    assert_eq!(told, ["COMPRESSED=YES", "NBITS=8"]);
    let lerc = format("layer: change, path: a.tif, format: gtiff, compress: lerc, max_error: 0.5");
    assert_eq!(
        lerc.compress,
        thalweg_geotiff::Compress::Lerc { max_error: 0.5 }
    );
    assert!(lerc.is_gtiff());
}

#[test]
fn paths_are_relative_to_the_file_or_for_overrides_to_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("dem.tif"), b"not looked at here").unwrap();
    let text = "thalweg: 1\nname: a\nstages:\n  - read: { id: base, path: dem.tif }\noutputs:\n  - { layer: elevation, path: a.tif }\n";
    let file = folder.path().join("a.yaml");
    let path = |pipeline: Pipeline| match &pipeline.stages[0] {
        Stage::Read(read) => PathBuf::from(&read.path),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        path(parse(text, &file, &[]).unwrap()),
        folder.path().join("dem.tif")
    );
    // The tests run in the crate's folder.
    let set = "read.base.path=Cargo.toml".to_owned();
    let working = std::env::current_dir().unwrap();
    assert_eq!(
        path(parse(text, &file, &[set]).unwrap()),
        working.join("Cargo.toml")
    );
}

#[test]
fn every_key_can_be_set_whether_the_file_has_it_or_not() {
    let full = GOOD.replace(
        "cycles: 7",
        "cycles: 9\n      water_depth_m: 3\n      max_path_km: 2\n      sea_level_m: -4\n      pools: { drain: 0.5 }\n      vegetation: { death: 0.5 }\n      tiling: { tile_cells: 64 }\n      edges: { east: closed }",
    );
    let full = load_text(
        &full,
        &["seed=5", "grid.crs=EPSG:32633", "grid.origin_m=[1,2]"],
    )
    .unwrap();
    for (index, stage) in full.stages.iter().enumerate() {
        for [key, value, _] in crate::table::parameters(&full, index) {
            let set = format!("{}.{}.{key}={value}", stage.kind(), stage.id());
            let changed = load_text(GOOD, &[&set]).unwrap_or_else(|error| panic!("{set}: {error}"));
            let rows = crate::table::parameters(&changed, index);
            assert!(
                rows.iter().any(|row| row[0] == key && row[1] == value),
                "{set}: {rows:?}"
            );
        }
    }
    let sets = [
        "name=other",
        "seed=18446744073709551615",
        "grid.rows=3",
        "synthesize.base.elevation_m.1=7",
        "outputs.0.path=b.tif",
    ];
    let changed = load_text(GOOD, &sets).unwrap();
    assert_eq!(
        (changed.name.as_str(), changed.seed),
        ("other", Some(u64::MAX))
    );
    assert_eq!(changed.outputs[0].path, "b.tif");
}

#[test]
fn an_override_can_bring_what_the_file_lacks_and_take_out_what_it_has() {
    let text = GOOD.replace("      elevation_m: [0, 1500]\n", "");
    assert!(load_text(&text, &[]).is_err());
    assert!(load_text(&text, &["synthesize.base.elevation_m=[0, 20]"]).is_ok());
    let pools = GOOD.replace("cycles: 7", "pools: {}");
    let off = load_text(&pools, &["erode.rivers.pools=null"]).unwrap();
    let Stage::Erode(erode) = &off.stages[1] else {
        panic!()
    };
    assert_eq!(erode.pools, None);
}

#[test]
fn unknown_keys_of_outputs_are_told_those_there_are() {
    let keys = "`path`, `layer`, `hillshade`, `table`, `picture`, `film`";
    expect(
        "path: dem.tif",
        "path: dem.tif, nodata: 3",
        "13: nodata",
        "unknown key `nodata` in `outputs`",
        keys,
    );
    expect(
        "layer: elevation",
        "layr: elevation",
        "13: layr",
        "unknown key `layr`",
        "did you mean `layer`?",
    );
    let set = |set: &str| {
        let found = problems(GOOD, &[set]);
        (
            found.list[0].message.clone(),
            found.list[0].help.clone().unwrap_or_default(),
        )
    };
    let (message, help) = set("outputs.0.nodata=3");
    assert_eq!(message, "unknown path `outputs.0.nodata`");
    assert!(
        help.contains(keys) && help.contains("`outputs.0`"),
        "{help}"
    );
    let (_, help) = set("outputs.0.pth=a.tif");
    assert_eq!(help, "did you mean `path`?");
    let (_, help) = set("outputs.1.hillshade.light=3");
    assert!(
        help.contains("`azimuth_deg`, `altitude_deg`, `z_factor`"),
        "{help}"
    );
}

#[test]
fn pictures_need_colours_that_fit() {
    let picture = |keys: &str, place: &str, message: &str, help: &str| {
        let to = format!("picture: {{ {keys} }}");
        expect("hillshade: {}", &to, &format!("14: {place}"), message, help);
    };
    picture(
        "ramp: tarrain",
        "tarrain",
        "`ramp` must be one of `terrain`",
        "did you mean `terrain`?",
    );
    picture(
        "ramp: [[0, red], [1, \"#ffffff\"]]",
        "red",
        "must be a colour of six digits in quotes such as \"#3fa0c8\", found the text \"red\"",
        "",
    );
    picture(
        "ramp: [[0, \"#12345\"], [1, \"#ffffff\"]]",
        "\"#12345\"",
        "must be a colour of six digits in quotes",
        "",
    );
    picture(
        "ramp: 7",
        "7",
        "`ramp` must be the name of a ramp, or a list such as",
        "",
    );
    picture("ramp: [[0, \"#ffffff\"]]", "[[0", "at least 2 stops", "");
    picture(
        "ramp: [[1, \"#ffffff\"], [0, \"#000000\"]]",
        "[[1",
        "ascending positions, found 0",
        "",
    );
    picture("range: [5, 5]", "[5, 5]", "`range` must be ascending", "");
    picture(
        "positions: value",
        "value",
        "positions of a named ramp are shares",
        "`range`",
    );
    picture(
        "ramp: [[0, \"#ffffff\"], [9, \"#000000\"]], positions: value, range: [0, 1]",
        "[0, 1]",
        "`range` has no meaning",
        "leave",
    );
    picture(
        "shade: { gloss: 2 }",
        "2",
        "`gloss` must be between 0.0 and 1.0",
        "",
    );
    picture(
        "layer: pool_depth",
        "pool_depth",
        "no stage makes the layer `pool_depth`",
        "`pools: {}`",
    );
    picture(
        "frames: 3",
        "frames",
        "unknown key `frames` in `picture`",
        "`ramp`",
    );
}

/// The good text without erosion, and with noise that changes.
fn film(noise: &str, outputs: &str) -> String {
    let (head, _) = GOOD.split_once("      noise:").unwrap();
    format!("{head}      noise: {noise}\noutputs:\n{outputs}")
}

#[test]
fn films_need_noise_that_changes_and_nothing_after_it() {
    const CHANGES: &str =
        "{ perlin: { wavelength_m: 600, evolution: { change_s: 2, loop_s: 6 } } }";
    let told = |noise: &str, output: &str| {
        let found = problems(&film(noise, output), &[]);
        assert_eq!(found.list.len(), 1, "{found}");
        assert!(found.list[0].place.is_some(), "{found}");
        found.to_string()
    };
    let one = "  - { film: { frames: 12, every_s: 0.5 }, path: a.png }\n";
    assert!(load_text(&film(CHANGES, one), &[]).is_ok());
    for moving in [
        "{ wave: { cycles: 2, period_s: 3, of: { perlin: { wavelength_m: 600 } } } }",
        "{ swirl: { around_m: [0, 0], radius_m: 90, turns: 1, period_s: -2, of: { simplex: { wavelength_m: 600 } } } }",
        "{ abs: { of: { flow: { by_m: [9, 9], period_s: 3, of: { perlin: { wavelength_m: 600 } } } } } }",
        "{ ridged: { source: worley, wavelength_m: 600, evolution: { change_s: 2 } } }",
    ] {
        assert!(load_text(&film(moving, one), &[]).is_ok(), "{moving}");
    }
    let still = told("{ perlin: { wavelength_m: 600 } }", one);
    for word in [
        "hills.yaml:10:",
        "nothing in `noise` changes over time",
        "evolution: { change_s: 4, loop_s: 8 }",
    ] {
        assert!(still.contains(word), "{still}");
    }
    expect(
        "hillshade: {}",
        "film: { frames: 9, every_s: 1 }",
        "14: { frames",
        "`erode` changes the ground after it",
        "take the `erode` stage out",
    );
    let slow = told(
        CHANGES,
        "  - { film: { frames: 9, every_s: 90 }, path: a.png }\n",
    );
    assert!(
        slow.contains("60 s at most") && slow.contains("show_s"),
        "{slow}"
    );
    let short = told(
        CHANGES,
        "  - { film: { frames: 101, every_s: 1 }, path: \"a-##.png\" }\n",
    );
    assert!(
        short.contains("101 frames need a number of 3 digits") && short.contains("`###`"),
        "{short}"
    );
    let ending = told(
        CHANGES,
        "  - { film: { frames: 9, every_s: 1 }, path: a.gif }\n",
    );
    assert!(ending.contains("must end in .png or .tif"), "{ending}");
}

#[test]
fn files_of_pictures_and_frames_are_in_nobodys_way() {
    const CHANGES: &str =
        "{ perlin: { wavelength_m: 600, evolution: { change_s: 2, loop_s: 6 } } }";
    let frames = "  - { film: { frames: 12, every_s: 0.5 }, path: a-##.png }\n";
    for (other, message) in [
        (
            "  - { picture: {}, path: a-07.png }\n",
            "\"a-07.png\" is written twice",
        ),
        ("  - { picture: {}, path: a-11.tif }\n", ""),
        (
            "  - { layer: elevation, path: a-00.pgw/dem.tif }\n",
            "\"a-00.pgw\"",
        ),
        (
            "  - { hillshade: {}, path: a-00.png/b.png }\n",
            "is in the way of",
        ),
        (
            "  - { film: { frames: 3, every_s: 2 }, path: a-1#.png }\n",
            "\"a-10.png\" is written twice",
        ),
        (
            "  - { film: { frames: 12, every_s: 0.5 }, path: a-##.tif }\n",
            "",
        ),
        (
            "  - { film: { frames: 12, every_s: 0.5 }, path: run.json }\n",
            "must end in",
        ),
    ] {
        // In either order.
        for outputs in [format!("{frames}{other}"), format!("{other}{frames}")] {
            let found = load_text(&film(CHANGES, &outputs), &[]);
            match found {
                Ok(_) => assert_eq!(message, "", "{outputs}"),
                Err(error) => assert!(
                    !message.is_empty() && error.to_string().contains(message),
                    "{error}"
                ),
            }
        }
    }
}

#[test]
fn overrides_that_do_not_fit_name_their_path_and_the_near_ones() {
    let expect = |set: &str, message: &str, help: &str| {
        let found = problems(GOOD, &[set]);
        let problem = &found.list[0];
        assert_eq!(problem.set.as_deref(), Some(set), "{found}");
        assert!(problem.message.contains(message), "{found}");
        assert!(
            problem.help.clone().unwrap_or_default().contains(help),
            "{found}"
        );
    };
    expect(
        "erode.rivers.cylces=5",
        "unknown path `erode.rivers.cylces`",
        "`erode.rivers.cycles`",
    );
    expect("grid.row=5", "unknown path `grid.row`", "`grid.rows`");
    expect(
        "erode.river.cycles=5",
        "no stage `erode.river`",
        "`erode.rivers`",
    );
    expect("erode", "expected PATH=VALUE", "grid.rows=512");
    expect("cycles=5", "unknown path `cycles`", "`erode.rivers.cycles`");
    expect("grid.rows=many", "`rows` must be a whole number", "");
    expect("grid.rows=0", "`rows` must be at least 1, found 0", "");
    expect(
        "erode.rivers.pools.drain=3",
        "`drain` must be between 0.0 and 1.0, found 3",
        "",
    );
    expect(
        "erode.rivers.friction=.nan",
        "`friction` must be a finite number",
        "",
    );
    expect(
        "outputs.7.path=a.tif",
        "there is no item 7; the list has 2",
        "",
    );
    expect(
        "grid.origin_m.1=7",
        "there is no list `origin_m` yet",
        "whole",
    );
    expect(
        "erode.rivers.pools={drian: 1}",
        "unknown key `drian`",
        "`drain`",
    );
}

#[test]
fn a_record_gives_the_same_pipeline_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = load_text(
        GOOD,
        &[
            "seed=5",
            "erode.rivers.pools={}",
            "erode.rivers.friction=0.1234567890123",
        ],
    )
    .unwrap();
    let record = serde_json::json!({
        "version": "0.0.1", "pipeline": first, "pipeline_blake3": "", "outputs": [], "more": 1,
    });
    let file = folder.path().join("run.json");
    std::fs::write(&file, record.to_string()).unwrap();
    let (again, recorded) = load_record(&file, &[]).unwrap();
    assert_eq!(again, first);
    assert_eq!(recorded.version, "0.0.1");
    std::fs::write(&file, "{}").unwrap();
    assert!(matches!(
        load_record(&file, &[]),
        Err(PipelineError::Record { .. })
    ));
}

/// Below `noise`, as anywhere: places and suggestions.
#[test]
fn noise_expressions_are_checked_to_the_leaf() {
    let noise = "noise: { fbm: { wavelength_m: 600 } }";
    for (to, place, message, help) in [
        (
            "noise: { abs: { of: { ridgd: { wavelength_m: 600 } } } }",
            "8: ridgd",
            "unknown key `ridgd` in `of`",
            "did you mean `ridged`?",
        ),
        (
            "noise: { add: [{ perlin: { wavelength: 600 } }] }",
            "8: wavelength",
            "unknown key `wavelength` in `perlin`",
            "did you mean `wavelength_m`?",
        ),
        (
            "noise: { terrace: { step: -1, of: { constant: 0 } } }",
            "8: -1",
            "`step` must be between 0.0001 and 1000000.0, found -1",
            "",
        ),
        (
            "define: { hills: { white: {} } }\n      noise: { use: hils }",
            "9: hils",
            "no expression is named `hils`",
            "did you mean `hills`?",
        ),
        (
            "define: { hills: { white: { sed: 1 } } }\n      noise: { use: hills }",
            "8: sed",
            "unknown key `sed` in `white`",
            "did you mean `seed`?",
        ),
        (
            "define: { hills: { abs: { of: { use: hills } } } }\n      noise: { use: hills }",
            "8: hills",
            "the expression `hills` uses itself",
            "",
        ),
        (
            "noise: { curve: { points: [[0, 1], [0, 2]], of: { constant: 0 } } }",
            "8: ",
            "points must be ascending in their first number, found 0",
            "",
        ),
    ] {
        let (found, said, helped) = problem(noise, to);
        assert!(found.starts_with(place), "{to}: {found}");
        assert_eq!(said, message, "{to}");
        assert_eq!(helped, help, "{to}");
    }
}
