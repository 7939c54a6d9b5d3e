//! Running the binary in a folder of its own.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A working folder that vanishes with the test.
pub(crate) struct Workshop {
    folder: TempDir,
}

/// What a run of the binary left.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn thalweg(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs and insists on success.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> Ended {
        let ended = self.thalweg(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        ended
    }

    pub(crate) fn record(&self, folder: &str) -> Value {
        json(&self.path(folder).join("run.json"))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn json(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Path and pixel hash of every output of a record.
pub(crate) fn hashes(record: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    record["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| (text(&output["path"]), text(&output["pixels_blake3"])))
        .collect()
}

/// A pipeline shipped with the program.
pub(crate) fn shipped(name: &str) -> String {
    format!("{}/pipelines/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

/// The real elevation model among the test data.
pub(crate) fn real_dem() -> String {
    format!(
        "{}/tests/data/bigtujunga_srtm30m_utm11.tif",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// A small pipeline with every kind of output.
pub(crate) const SMALL: &str = "\
thalweg: 1
name: small
seed: 3
grid: { rows: 60, cols: 90, cell_size_m: 20, crs: EPSG:32633, origin_m: [500000, 5200000] }
stages:
  - synthesize:
      id: base
      elevation_m: [0, 600]
      noise: { fbm: { wavelength_m: 900, octaves: 6 } }
  - erode:
      id: rivers
      droplets_per_cell: 0.5
      cycles: 10
      pools: {}
      vegetation: {}
outputs:
  - { layer: elevation, path: dem.tif }
  - { layer: change, path: layers/change.tif }
  - { layer: stream, path: layers/stream.tif }
  - { layer: discharge, path: layers/discharge.tif }
  - { layer: pool_depth, path: layers/pool_depth.tif }
  - { layer: water_level, path: layers/water_level.tif }
  - { layer: lake_id, path: layers/lake_id.tif }
  - { layer: vegetation, path: layers/vegetation.tif }
  - { hillshade: { z_factor: 2 }, path: hillshade.png }
";
