//! `run.json`: what a run did. It is written last, so that where it is, the run is complete.

use crate::error::PipelineError;
use crate::spec::{Pipeline, Stage};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::Path;
use thalweg_grid::Lakes;

/// The record's file name in the output folder.
pub(crate) const FILE: &str = "run.json";

/// The account of one run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Record {
    /// Version of the program.
    pub(crate) version: &'static str,
    /// Name of the pipeline.
    pub(crate) name: String,
    /// Seed of every random choice.
    pub(crate) seed: u64,
    /// Whether every ledger closed and every sanity check passed.
    pub(crate) sound: bool,
    /// What was out of bounds.
    pub(crate) violations: Vec<String>,
    /// Hash of the resolved pipeline, in which an input stands for its content.
    pub(crate) pipeline_blake3: String,
    /// The resolved pipeline: every key, the seed among them, and absolute paths of inputs.
    pub(crate) pipeline: Value,
    /// Size and place of the map.
    pub(crate) grid: GridRecord,
    /// Threads that worked.
    pub(crate) threads: usize,
    /// Wall time of the whole run, s.
    pub(crate) wall_s: f64,
    /// Largest resident size of the process, bytes.
    pub(crate) peak_rss_bytes: Option<u64>,
    /// What each stage did.
    pub(crate) stages: Vec<StageRecord>,
    /// Standing water at the end, if a stage made any.
    #[serde(flatten)]
    pub(crate) lakes: Option<LakesRecord>,
    /// What was written.
    pub(crate) outputs: Vec<OutputRecord>,
}

/// Standing water at the end of a run.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LakesRecord {
    /// Lakes in the longest sequence that flow one into the next.
    max_chain: u32,
    /// By id, ascending.
    lakes: Vec<Box<RawValue>>,
    /// Depressions without water.
    dry_basins: Vec<Box<RawValue>>,
}

impl LakesRecord {
    /// A table's rows go on one line each: there may be thousands.
    pub(crate) fn new(lakes: &Lakes) -> Self {
        fn lines<T: Serialize>(rows: &[T]) -> Vec<Box<RawValue>> {
            let line = |row| serde_json::value::to_raw_value(row);
            rows.iter().filter_map(|row| line(row).ok()).collect()
        }
        Self {
            max_chain: lakes.max_chain,
            lakes: lines(&lakes.lakes),
            dry_basins: lines(&lakes.dry_basins),
        }
    }
}

/// Size and place of a map.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GridRecord {
    /// Rows.
    pub(crate) rows: usize,
    /// Columns.
    pub(crate) cols: usize,
    /// Edge of a cell, m.
    pub(crate) cell_size_m: f64,
    /// Outer corner of the north-west cell, m.
    pub(crate) origin_m: [f64; 2],
    /// Coordinate reference system.
    pub(crate) crs: Option<String>,
}

/// What a stage did.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct StageRecord {
    /// Its kind.
    pub(crate) kind: &'static str,
    /// Its id.
    pub(crate) id: String,
    /// Wall time, s.
    pub(crate) wall_s: f64,
    /// Largest resident size of the process up to the stage's end, bytes.
    pub(crate) peak_rss_bytes: Option<u64>,
    /// Counts and accounts of the stage's own.
    #[serde(flatten, serialize_with = "fields")]
    pub(crate) report: Report,
    /// State of the ground after the stage.
    pub(crate) sanity: Sanity,
}

/// Counts and accounts of one kind of stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Noise has nothing to tell.
    Synthesize,
    /// A raster that was read.
    Read(ReadReport),
    /// Erosion.
    Erode(Box<thalweg_erosion::Report>),
}

/// A raster that was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ReadReport {
    /// Hash of its cells and place.
    pub(crate) input_blake3: String,
    /// The value that marks cells without data in it.
    pub(crate) nodata: Option<f64>,
    /// Whether every value was kept exactly.
    pub(crate) lossless: bool,
}

/// A report's fields among those of its stage.
fn fields<S: Serializer>(report: &Report, to: S) -> Result<S::Ok, S::Error> {
    match report {
        Report::Synthesize => to.serialize_map(Some(0))?.end(),
        Report::Read(report) => report.serialize(to),
        Report::Erode(report) => report.serialize(to),
    }
}

/// State of the ground after a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sanity {
    /// Cells with data that are not finite.
    pub(crate) non_finite: u64,
    /// Cells more than one cell size above or below their neighbours' mean.
    pub(crate) spikes: u64,
    /// Those of them that were not so before the stage.
    pub(crate) new_spikes: u64,
}

/// What was written.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OutputRecord {
    /// Path below the output folder.
    pub(crate) path: String,
    /// The layer, the kind of picture, or the table.
    #[serde(flatten)]
    pub(crate) content: Value,
    /// Hash of the pixels as they are stored, little-endian, row by row, however they are compressed; of a table,
    /// of its bytes.
    pub(crate) pixels_blake3: String,
    /// Size of the file.
    pub(crate) bytes: u64,
    /// The value that marks cells without data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nodata: Option<f64>,
    /// Files that belong to it, below the output folder: a picture's world file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) companions: Vec<String>,
}

/// What a record says of the run that it was written by.
#[derive(Debug, Clone, Deserialize)]
pub struct Recorded {
    /// Version of the program that ran.
    pub version: String,
    /// The pipeline as it was resolved.
    pub pipeline: Value,
    /// Hash of the pipeline with its inputs.
    pub pipeline_blake3: String,
    /// What each stage did.
    #[serde(default)]
    pub stages: Vec<RecordedStage>,
    /// What was written.
    pub outputs: Vec<RecordedOutput>,
    /// What was out of bounds.
    #[serde(default)]
    pub violations: Vec<String>,
}

/// One stage of a recorded run.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedStage {
    /// Hash of the raster that it read, if it read one.
    pub input_blake3: Option<String>,
}

/// One output of a recorded run.
#[derive(Debug, Clone, Deserialize)]
pub struct RecordedOutput {
    /// Path below the output folder.
    pub path: String,
    /// Hash of its pixels.
    pub pixels_blake3: String,
}

impl Recorded {
    pub(crate) fn read(file: &Path) -> Result<Self, PipelineError> {
        let refused = |message: String| PipelineError::Record {
            file: file.to_owned(),
            message,
        };
        let text = std::fs::read_to_string(file)
            .map_err(|error| refused(format!("cannot read it: {error}")))?;
        serde_json::from_str(&text).map_err(|error| {
            let yaml = |kind| kind == "yaml" || kind == "yml";
            if file.extension().is_some_and(yaml) {
                let run = format!("thalweg run {}", file.display());
                return refused(format!(
                    "is a pipeline file; run it without --from: `{run}`"
                ));
            }
            refused(format!("is no record: {error}"))
        })
    }

    /// The raster that the run read, and the hash of what was in it.
    pub(crate) fn input(&self) -> Option<(&str, &str)> {
        let stages = self.pipeline["stages"].as_array()?;
        let path = stages
            .iter()
            .find_map(|stage| stage["read"]["path"].as_str())?;
        let hashes = self.stages.iter();
        let hash = hashes
            .filter_map(|stage| stage.input_blake3.as_deref())
            .next()?;
        Some((path, hash))
    }

    /// The hash that the raster which `pipeline` reads must have; none when it reads another than the record's.
    #[must_use]
    pub fn input_for(&self, pipeline: &Pipeline) -> Option<String> {
        let (path, hash) = self.input()?;
        let reads = |stage: &Stage| matches!(stage, Stage::Read(read) if read.path == path);
        pipeline.stages.iter().any(reads).then(|| hash.to_owned())
    }
}
