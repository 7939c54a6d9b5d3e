//! Runs that are stopped and go on: the same pixels, and no more done again than since the last checkpoint.

mod conflicts;
mod disk;
mod kills;

pub(crate) use disk::{Small, skip};

use crate::killed::{wait_for, wait_until};
use crate::support::{Ended, Workshop, hashes};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Two stages of erosion, the second of which leaves lakes and plants as the first made them.
const TWO: &str = "\
thalweg: 1
name: two
seed: 3
grid: { rows: 70, cols: 90, cell_size_m: 20 }
stages:
  - synthesize:
      id: base
      elevation_m: [0, 600]
      noise: { fbm: { wavelength_m: 700, octaves: 6 } }
  - erode:
      id: wet
      droplets_per_cell: 0.4
      cycles: 9
      pools: { reconcile_every: 0.1, seepage_m: 0.001 }
      vegetation: {}
  - erode: { id: dry, droplets_per_cell: 0.3, cycles: 7 }
outputs:
  - { layer: elevation, path: dem.tif }
  - { layer: change, path: layers/change.tif }
  - { layer: stream, path: layers/stream.tif }
  - { layer: discharge, path: layers/discharge.tif }
  - { layer: pool_depth, path: layers/pool_depth.tif }
  - { layer: water_level, path: layers/water_level.tif }
  - { layer: lake_id, path: layers/lake_id.tif }
  - { layer: vegetation, path: layers/vegetation.tif }
  - { table: lakes, path: lakes.csv }
  - { hillshade: {}, path: hillshade.png }
";

/// With a checkpoint after every cycle, told of.
const EACH: [&str; 3] = ["--checkpoint-every", "0s", "-v"];

/// A run whose words go to a file.
struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    fn new(shop: &Workshop, arguments: &[&str]) -> Self {
        let log = shop.path("log");
        let mut command = shop.command(arguments);
        command.stdout(Stdio::null());
        let child = command.stderr(File::create(&log).unwrap()).spawn().unwrap();
        Self { child, log }
    }

    fn words(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// The checkpoints that it has told of.
    fn kept(&self) -> Vec<String> {
        kept(&self.words())
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for words, or the end.
    fn wait_for(&mut self, words: &str) {
        wait_until(|| self.words().contains(words) || self.has_ended());
    }

    /// Waits for so many checkpoints, or the end.
    fn wait_for_kept(&mut self, count: usize) {
        wait_until(|| self.kept().len() >= count || self.has_ended());
    }

    /// Kills it, unless it has ended; returns its checkpoints.
    fn kill(&mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.kept()
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(status.success());
    }

    fn end(mut self) -> Ended {
        let status: ExitStatus = wait_for(|| self.child.try_wait().unwrap());
        Ended {
            code: status.code(),
            stdout: String::new(),
            stderr: self.words(),
        }
    }
}

/// The checkpoints that a run told of, each by how far it had come.
fn kept(words: &str) -> Vec<String> {
    let at = words
        .lines()
        .filter_map(|line| line.strip_prefix("checkpoint: "));
    at.map(str::to_owned).collect()
}

/// The checkpoint that a run went on from.
fn went_on_from(words: &str) -> Option<String> {
    let start = "note: going on from a checkpoint: ";
    let at = words.lines().find_map(|line| line.strip_prefix(start));
    at.map(str::to_owned)
}

/// A record without what may differ from run to run: times, memory and threads.
fn timeless(mut record: Value) -> Value {
    let strip = |value: &mut Value| {
        let fields = value.as_object_mut().unwrap();
        fields.retain(|key, _| !["wall_s", "peak_rss_bytes", "threads"].contains(&&key[..]));
    };
    strip(&mut record);
    record["stages"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(strip);
    record
}

/// The folder's checkpoints that are there, the newest first.
fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let paths = [0, 1].map(|slot| folder.join(format!(".thalweg.checkpoint-{slot}")));
    let mut there: Vec<_> = paths.into_iter().filter(|path| path.exists()).collect();
    there.sort_by_key(|path| {
        let bytes = fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let number = text.split("\"number\":").nth(1).unwrap();
        let number = number.split(',').next().unwrap();
        std::cmp::Reverse(number.parse::<u64>().unwrap())
    });
    there
}

/// A run of a pipeline that nobody stops: its record, and all checkpoints that it kept, in order.
fn whole(shop: &Workshop, pipeline: &str) -> (Value, Vec<String>) {
    let ended = shop.done(&[&["run", pipeline, "--out", "whole"][..], &EACH].concat());
    let plain = shop.path("plain");
    shop.done(&["run", pipeline, "--out", "plain"]);
    let record = shop.record("whole");
    // Writing checkpoints changes nothing.
    assert_eq!(timeless(record.clone()), timeless(shop.record("plain")));
    fs::remove_dir_all(plain).unwrap();
    (record, kept(&ended.stderr))
}

/// The folder holds what a run that nobody stopped made, and nothing besides.
#[track_caller]
fn assert_is(shop: &Workshop, folder: &str, whole: &Value) {
    let record = shop.record(folder);
    assert_eq!(hashes(&record), hashes(whole));
    assert_eq!(timeless(record), timeless(whole.clone()));
    assert_eq!(
        crate::killed::hidden(&shop.path(folder)),
        Vec::<PathBuf>::new()
    );
}

/// Numbers that look random, the same in every run of the tests.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) as usize) % count
    }
}
