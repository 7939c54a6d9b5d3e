//! Sweeps: many runs side by side, each in a process of its own.

mod folders;
mod kills;
mod stops;

use crate::support::{Ended, Workshop, hashes, json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A pipeline whose members take well under a second.
const TINY: &str = "\
thalweg: 1
name: tiny
seed: 3
grid: { rows: 48, cols: 64, cell_size_m: 20 }
stages:
  - synthesize:
      id: base
      elevation_m: [0, 600]
      noise: { fbm: { wavelength_m: 500, octaves: 6 } }
  - erode: { id: rivers, droplets_per_cell: 0.4, cycles: 6 }
outputs:
  - { layer: elevation, path: dem.tif }
  - { layer: stream, path: layers/stream.tif }
  - { hillshade: {}, path: hillshade.png }
";

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("tiny.yaml", TINY);
    shop
}

/// `thalweg sweep tiny.yaml --out s` and more.
fn sweep(shop: &Workshop, more: &[&str]) -> Ended {
    shop.thalweg(&arguments(more))
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep", "tiny.yaml", "--out", "s"], more].concat()
}

/// Folders of members by seed, of those that have a state.
fn members(shop: &Workshop, folder: &str) -> BTreeMap<u64, (PathBuf, Value)> {
    let table = json(&shop.path(folder).join("sweep.json"));
    let list = table["members"].as_array().unwrap().clone();
    let one = |member: Value| {
        let path = shop.path(folder).join(member["id"].as_str().unwrap());
        (member["seed"].as_u64().unwrap(), (path, member))
    };
    list.into_iter().map(one).collect()
}

fn pixels(folder: &std::path::Path) -> Vec<(String, String)> {
    hashes(&json(&folder.join("run.json")))
}

/// Status of each member, by seed.
fn statuses(shop: &Workshop, folder: &str) -> Vec<String> {
    let members = members(shop, folder).into_values();
    members
        .map(|(_, member)| member["status"].as_str().unwrap().to_owned())
        .collect()
}
