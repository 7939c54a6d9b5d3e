//! The commands beside `run`, and what goes to which stream.

use crate::support::{SMALL, Workshop, shipped};
use serde_json::Value;
use std::process::Stdio;

#[test]
fn every_command_has_help_with_an_example() {
    let shop = Workshop::new();
    for command in [
        "run",
        "plan",
        "validate",
        "schema",
        "init",
        "completions",
        "man",
    ] {
        let ended = shop.done(&[command, "--help"]);
        assert!(
            ended.stdout.contains(&format!("thalweg {command}")),
            "{command}: {}",
            ended.stdout
        );
        assert!(
            ended.stdout.contains("Example:"),
            "{command}: {}",
            ended.stdout
        );
    }
    let ended = shop.done(&["--help"]);
    for code in [
        "  0  ", "  2  ", "  3  ", "  4  ", "  5  ", "  6  ", "  8  ", "  130  ",
    ] {
        assert!(ended.stdout.contains(code), "{code}: {}", ended.stdout);
    }
}

#[test]
fn the_shipped_pipelines_and_the_starter_are_valid() {
    let shop = Workshop::new();
    for name in ["quickstart", "highland"] {
        shop.done(&["validate", &shipped(name)]);
    }
    let ended = shop.done(&["init", "hills"]);
    assert_eq!(ended.stdout, "");
    shop.done(&["validate", "hills.yaml"]);
    let text = std::fs::read_to_string(shop.path("hills.yaml")).unwrap();
    assert!(
        text.starts_with("# yaml-language-server: $schema=thalweg.schema.json\n"),
        "{text}"
    );
    let schema = shop.done(&["schema"]).stdout;
    assert_eq!(
        std::fs::read_to_string(shop.path("thalweg.schema.json")).unwrap(),
        schema
    );
}

#[test]
fn init_replaces_nothing() {
    let shop = Workshop::new();
    shop.write("hills.yaml", "mine");
    let ended = shop.thalweg(&["init", "hills"]);
    assert_eq!(ended.code, Some(6));
    assert_eq!(
        std::fs::read_to_string(shop.path("hills.yaml")).unwrap(),
        "mine"
    );
    let ended = shop.thalweg(&["init", "no good"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    shop.write("thalweg.schema.json", "mine");
    assert_eq!(shop.thalweg(&["init", "valleys"]).code, Some(6));
    assert_eq!(
        std::fs::read_to_string(shop.path("thalweg.schema.json")).unwrap(),
        "mine"
    );
}

#[test]
fn the_schema_describes_every_key_and_nothing_else() {
    let schema: Value = serde_json::from_str(&Workshop::new().done(&["schema"]).stdout).unwrap();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    let erode = &schema["$defs"]["Erode"];
    assert_eq!(erode["additionalProperties"], false);
    assert_eq!(erode["required"], serde_json::json!(["id"]));
    assert_eq!(erode["properties"]["friction"]["default"], 0.1);
    assert_eq!(erode["properties"]["max_path_km"]["unit"], "km");
    let undescribed = undescribed(&schema, String::new());
    assert!(undescribed.is_empty(), "{undescribed:?}");
}

/// Paths of properties without a description.
fn undescribed(schema: &Value, path: String) -> Vec<String> {
    let Value::Object(object) = schema else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in object {
        let path = format!("{path}/{key}");
        if key == "properties" {
            for (name, property) in value.as_object().unwrap() {
                if property["description"].as_str().is_none_or(str::is_empty) && !variant(&path) {
                    found.push(format!("{path}/{name}"));
                }
            }
        }
        match value {
            Value::Array(items) => found.extend(
                items
                    .iter()
                    .flat_map(|item| undescribed(item, path.clone())),
            ),
            other => found.extend(undescribed(other, path)),
        }
    }
    found
}

/// A variant's description stands beside its only property.
fn variant(path: &str) -> bool {
    path.contains("/oneOf/")
}

#[test]
fn a_plan_tells_cost_and_every_parameter_and_writes_nothing() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let ended = shop.done(&["plan", "small.yaml", "--set", "erode.rivers.max_path_km=12"]);
    for words in [
        "5400 cells",
        "memory",
        "disk",
        "time",
        "max_path_km",
        "12.0 km",
        "reference_length_m",
        "10.0 m",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    let plan: Value =
        serde_json::from_str(&shop.done(&["plan", "small.yaml", "--json"]).stdout).unwrap();
    assert_eq!(plan["estimate"]["cells"], 5400);
    assert_eq!(plan["pipeline"]["stages"][1]["erode"]["exchange"], 0.1);
    assert_eq!(std::fs::read_dir(shop.path("")).unwrap().count(), 1);
}

#[test]
fn quiet_says_nothing_and_json_is_alone_on_stdout() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let ended = shop.done(&["run", "small.yaml", "--quiet", "--out", "a"]);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    let ended = shop.done(&["run", "small.yaml", "--json", "--out", "b"]);
    let record: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(record, shop.record("b"));
    assert!(!ended.stderr.is_empty());
}

#[test]
fn nothing_is_coloured_without_a_terminal() {
    let shop = Workshop::new();
    shop.write("small.yaml", &SMALL.replace("cycles: 10", "cylces: 10"));
    let ended = shop.thalweg(&["run", "small.yaml"]);
    assert!(!ended.stderr.contains('\u{1b}'), "{:?}", ended.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let shop = Workshop::new();
    let mut child = shop
        .command(&["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
