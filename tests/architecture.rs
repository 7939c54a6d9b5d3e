//! ARCHITECTURE.md says which crate may use which, and names files: both are held to what is there.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const TEXT: &str = include_str!("../ARCHITECTURE.md");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The crates of the workspace and those of them that each uses, outside of tests.
fn used() -> Arrows {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(ROOT)
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let short = |name: &Value| name.as_str()?.strip_prefix("thalweg-").map(str::to_owned);
    packages
        .iter()
        .filter_map(|package| {
            let dependencies = package["dependencies"].as_array()?.iter();
            let uses = dependencies
                .filter(|dependency| dependency["kind"].is_null())
                .filter_map(|dependency| short(&dependency["name"]))
                .collect();
            Some((short(&package["name"])?, uses))
        })
        .collect()
}

/// The table's rows: `| crate | uses | … |`.
fn allowed() -> Arrows {
    let rows = TEXT.lines().filter(|line| line.starts_with("| `"));
    rows.filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        Path::new(ROOT).join("crates").join(name).is_dir().then(|| {
            let uses = cells[2].split(", ").map(str::to_owned);
            (name.to_owned(), uses.filter(|name| name != "–").collect())
        })
    })
    .collect()
}

#[test]
fn crates_use_one_another_as_the_table_says() {
    let allowed = allowed();
    assert_eq!(allowed, used());
    for (name, uses) in &allowed {
        let forbidden = ["noise", "erosion", "analysis"];
        if forbidden.contains(&name.as_str()) {
            assert!(
                uses.iter()
                    .all(|other| !forbidden.contains(&other.as_str())),
                "{name}"
            );
        }
    }
}

#[test]
fn every_path_that_is_named_exists() {
    let words = TEXT.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = words
        .filter(|word| word.contains('/') && !word.contains([' ', '<', '{']))
        .collect();
    assert!(paths.len() > 10, "{paths:?}");
    for path in paths {
        assert!(Path::new(ROOT).join(path).exists(), "{path}");
    }
}

#[test]
fn every_function_of_the_life_of_a_run_exists() {
    let section = TEXT.split("## The life of one run").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut functions = 0;
    for word in section.split('`').skip(1).step_by(2) {
        let Some((name, _)) = word.split_once("()") else {
            continue;
        };
        let name = name.rsplit("::").next().unwrap();
        let declared = format!("fn {name}");
        let found = sources(&Path::new(ROOT).join("crates"))
            .iter()
            .any(|text| text.contains(&declared));
        assert!(found, "{word}");
        functions += 1;
    }
    assert!(functions > 5);
}

fn sources(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
    texts
}
