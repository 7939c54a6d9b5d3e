//! Both accounts close, on every pipeline that is shipped and on any other.

use crate::support::{Workshop, real_dem, shipped};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use std::cell::Cell;

/// |residual| ÷ Σ|exchanges| that no run may exceed.
const BOUND: f64 = 1e-6;

/// Every file among `pipelines/`.
fn all_shipped() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/pipelines");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 7, "{names:?}");
    names
}

/// Looks at the accounts of every erosion stage of a record; how many there were, and how much was eroded, m³.
fn check(record: &Value, place: &str) -> (usize, f64) {
    let stages = record["stages"].as_array().unwrap();
    let ledgers = stages.iter().filter_map(|stage| stage.get("ledger"));
    let (mut count, mut eroded) = (0, 0.0);
    for ledger in ledgers {
        let number = |account: &str, key: &str| {
            let value = ledger[account][key].as_f64();
            value.unwrap_or_else(|| panic!("{account}.{key} of {ledger:#}; {place}"))
        };
        for account in ["sediment", "water"] {
            let error = number(account, "relative_error");
            assert!(error <= BOUND, "{account} {error}: {ledger:#}; {place}");
            let in_flight = number(account, "in_flight_m3");
            assert!(in_flight.abs() <= 0.0, "{account} {in_flight}; {place}");
        }
        // The accounts again, from their items.
        let items = [
            "deposited_m3",
            "exported_m3",
            "in_accounts_m3",
            "in_flight_m3",
        ];
        let taken = number("sediment", "eroded_m3");
        let left: f64 = items.iter().map(|item| number("sediment", item)).sum();
        assert!(
            (taken - left).abs() <= BOUND * (taken + left),
            "{ledger:#}; {place}"
        );
        let came = number("water", "rain_m3") + number("water", "initial_m3");
        let items = [
            "evaporated_m3",
            "exported_m3",
            "to_sea_m3",
            "in_pools_m3",
            "seeped_m3",
            "infiltrated_m3",
            "in_flight_m3",
        ];
        let went: f64 = items.iter().map(|item| number("water", item)).sum();
        assert!((came - went).abs() <= BOUND * came, "{ledger:#}; {place}");
        count += 1;
        eroded += taken;
    }
    (count, eroded)
}

/// Runs a shipped pipeline with overrides and looks at its accounts.
fn run_shipped(name: &str, overrides: &[String]) {
    let shop = Workshop::new();
    let file = shipped(name);
    let mut arguments = vec!["run", &file, "--out", "out"];
    for set in overrides {
        arguments.extend(["--set", set]);
    }
    shop.done(&arguments);
    let (stages, eroded) = check(&shop.record("out"), name);
    assert!(
        stages > 0 && eroded > 0.0,
        "{name}: {stages} stages, {eroded} m³"
    );
}

/// What a pipeline must be told besides its file.
fn needed(name: &str) -> Vec<String> {
    match name {
        "real" => vec![format!("read.base.path={}", real_dem())],
        _ => Vec::new(),
    }
}

#[test]
fn ledgers_of_shipped_pipelines_close_on_small_maps() {
    for name in all_shipped() {
        let mut overrides = needed(&name);
        // What is read has the size that it has.
        let smaller: &[&str] = match name.as_str() {
            "real" => &[
                "erode.rivers.droplets_per_cell=0.02",
                "erode.rivers.cycles=4",
            ],
            _ => &["grid.rows=96", "grid.cols=128", "grid.cell_size_m=30"],
        };
        overrides.extend(smaller.iter().map(|&set| set.to_owned()));
        run_shipped(&name, &overrides);
    }
}

#[test]
#[ignore = "takes minutes"]
fn ledgers_of_shipped_pipelines_close_in_full_size() {
    for name in all_shipped() {
        run_shipped(&name, &needed(&name));
    }
}

/// Values of a key: half of the time its default or its absence, else the ends of its range or any value within,
/// where the range is wide as likely in each decade. Ranges are those of the format's schema.
fn values(schema: &Value) -> BoxedStrategy<Option<Value>> {
    if let Some(choices) = schema.get("enum") {
        let choices: Vec<Value> = choices.as_array().unwrap().clone();
        return proptest::sample::select(choices).prop_map(Some).boxed();
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (Some(least), Some(most)) = (number("minimum"), number("maximum")) else {
        panic!("no range: {schema:#}");
    };
    let whole = schema["type"] == "integer";
    let value = move |value: f64| match whole {
        true => json!(value.round() as u64),
        false => json!(value),
    };
    let wide = least >= 0.0 && most > 1.0;
    let lowest = if least > 0.0 { least } else { most * 1e-10 };
    let within = (0.0..1.0f64).prop_map(move |unit| match wide {
        true => (lowest * (most / lowest).powf(unit)).clamp(least, most),
        false => least + (most - least) * unit,
    });
    prop_oneof![
        4 => Just(None),
        1 => Just(Some(least)),
        1 => Just(Some(most)),
        2 => within.prop_map(Some),
    ]
    .prop_map(move |found| found.map(value))
    .boxed()
}

/// An object of the schema with any of its keys, but for those that `set` brings or, where null, leaves out.
fn object(root: &Value, name: &str, set: Value) -> BoxedStrategy<Value> {
    let properties = root["$defs"][name]["properties"].as_object().unwrap();
    let set = set.as_object().unwrap().clone();
    let mut strategy = Just(Map::new()).boxed();
    for (key, schema) in properties {
        if set.contains_key(key) {
            continue;
        }
        let key = key.clone();
        let values = match schema.get("$ref").and_then(Value::as_str) {
            Some(path) => {
                let name = path.rsplit('/').next().unwrap();
                proptest::option::of(object(root, name, json!({}))).boxed()
            }
            None => values(schema),
        };
        strategy = (strategy, values)
            .prop_map(move |(mut object, value)| {
                object.extend(value.map(|value| (key.clone(), value)));
                object
            })
            .boxed();
    }
    strategy
        .prop_map(move |mut object| {
            object.extend(
                set.iter()
                    .filter(|(_, v)| !v.is_null())
                    .map(|(k, v)| (k.clone(), v.clone())),
            );
            Value::Object(object)
        })
        .boxed()
}

/// An erosion stage of a few droplets: some parameters let each of them take all steps that it may.
fn erosion(root: &Value, id: &'static str) -> BoxedStrategy<Value> {
    let tiling = json!({ "tile_cells": null, "halo_cells": null });
    let parts = (
        object(root, "Tiling", tiling),
        2..=32u32,
        // A sea above all ground and no cycles at all leave nothing to account for: both are rare.
        proptest::option::weighted(0.2, -60.0..60.0f64),
        prop_oneof![1 => Just(0), 15 => 1..=8u32],
        1e-4..0.02f64,
    );
    let set = json!({
        "id": id,
        "tiling": null,
        "sea_level_m": null,
        "cycles": null,
        "droplets_per_cell": null,
    });
    (object(root, "Erode", set), parts)
        .prop_map(
            |(mut erode, (mut tiling, halo, sea_level_m, cycles, droplets))| {
                tiling["halo_cells"] = json!(halo);
                erode["tiling"] = tiling;
                if let Some(level) = sea_level_m {
                    erode["sea_level_m"] = json!(level);
                }
                erode["cycles"] = json!(cycles);
                erode["droplets_per_cell"] = json!(droplets);
                json!({ "erode": erode })
            },
        )
        .boxed()
}

/// A raster as ESRI ASCII, a few of whose cells have no data.
fn raster(rows: u32, cols: u32, bits: u64) -> String {
    let mut text = format!(
        "ncols {cols}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n"
    );
    for cell in 0..u64::from(rows * cols) {
        let mixed = (cell + 1)
            .wrapping_mul(bits | 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 40;
        let height = match mixed % 17 {
            0 => -9999,
            _ => mixed as i64 % 201 - 100,
        };
        text += &format!(
            "{height}{}",
            if (cell + 1) % u64::from(cols) == 0 {
                '\n'
            } else {
                ' '
            }
        );
    }
    text
}

/// A pipeline, and the raster that it reads where it makes no noise.
fn pipelines(root: &Value) -> BoxedStrategy<(Value, String)> {
    let first = erosion(root, "first");
    let second = proptest::option::weighted(0.3, erosion(root, "second"));
    let ground = (
        1..=48u32,
        1..=48u32,
        any::<u64>(),
        0.0..5.0f64,
        proptest::option::of(1..=2u32),
    );
    (first, second, ground)
        .prop_map(|(first, second, (rows, cols, seed, decades, noise))| {
            let relief = 0.01 * 10f64.powf(decades);
            let mut pipeline = json!({ "thalweg": 1, "name": "any", "seed": seed });
            let ground = match noise {
                Some(octaves) => {
                    pipeline["grid"] = json!({ "rows": rows, "cols": cols, "cell_size_m": 10 });
                    let fbm = json!({ "wavelength_m": 150, "octaves": 4 * octaves });
                    json!({ "synthesize": {
                        "id": "base", "elevation_m": [-relief, relief], "noise": { "fbm": fbm },
                    } })
                }
                None => json!({ "read": { "id": "base", "path": "ground.asc" } }),
            };
            let stages: Vec<Value> = [Some(ground), Some(first), second]
                .into_iter()
                .flatten()
                .collect();
            pipeline["stages"] = Value::Array(stages);
            pipeline["outputs"] = json!([{ "layer": "elevation", "path": "dem.tif" }]);
            (pipeline, raster(rows, cols, seed))
        })
        .boxed()
}

/// Runs a random pipeline: whether anything was eroded. The program itself exits with 8 where an account does not close
/// or ground is not finite.
fn run_any((pipeline, ground): &(Value, String)) -> bool {
    let shop = Workshop::new();
    shop.write("ground.asc", ground);
    // JSON is YAML.
    shop.write("any.yaml", &format!("{pipeline:#}"));
    shop.done(&["run", "any.yaml", "--out", "out"]);
    let (stages, eroded) = check(&shop.record("out"), &format!("{pipeline:#}"));
    assert!(stages > 0);
    eroded > 0.0
}

#[test]
fn ledgers_of_random_pipelines_close() {
    let config = ProptestConfig {
        cases: 100,
        max_shrink_iters: 50,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let root = thalweg_pipeline::schema();
    let eroded = Cell::new(0);
    let outcome = TestRunner::new(config).run(&pipelines(&root), |pipeline| {
        eroded.set(eroded.get() + u32::from(run_any(&pipeline)));
        Ok(())
    });
    outcome.unwrap();
    assert!(
        eroded.get() > 40,
        "{} pipelines eroded anything",
        eroded.get()
    );
}
