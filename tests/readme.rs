//! The README documents every key, its default, every command and every exit code.

use crate::support::Workshop;
use serde_json::Value;

const README: &str = include_str!("../README.md");

#[test]
fn every_key_has_a_row_with_its_default_and_unit() {
    let schema: Value = serde_json::from_str(&Workshop::new().done(&["schema"]).stdout).unwrap();
    let mut missing = Vec::new();
    let definitions = schema["$defs"].as_object().unwrap();
    let owners = definitions
        .iter()
        .map(|(name, definition)| (name.as_str(), definition));
    for (owner, definition) in owners.chain([("the file", &schema)]) {
        let Some(properties) = definition["properties"].as_object() else {
            continue;
        };
        for (key, property) in properties {
            let row = row(key, property);
            if !README
                .lines()
                .any(|line| row.iter().all(|cell| line.contains(cell)))
            {
                missing.push(format!("{owner}: {row:?}"));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "rows missing in README.md:\n{}",
        missing.join("\n")
    );
}

/// What the key's line in a table must contain.
fn row(key: &str, property: &Value) -> Vec<String> {
    let mut cells = vec![format!("| `{key}` |")];
    if let Some(unit) = property["unit"].as_str() {
        cells.push(format!("| {unit} |"));
    }
    match &property["default"] {
        Value::Number(number) => cells.push(format!("| {} |", number.as_f64().unwrap())),
        Value::String(text) => cells.push(format!("| `{text}` |")),
        _ => {}
    }
    cells
}

#[test]
fn every_layer_and_exit_code_is_listed() {
    for layer in thalweg_grid::Layer::ALL {
        assert!(README.contains(&format!("| `{layer}` |")), "{layer}");
    }
    for code in ["0", "2", "3", "4", "5", "6", "7", "8", "130"] {
        assert!(README.contains(&format!("| {code} |")), "exit code {code}");
    }
}
