//! Running a plan: stages in order, a check after each, then the outputs, then the record.

use crate::checkpoint::{self, Checkpoints, Source, State};
use crate::error::PipelineError;
use crate::folder::Folder;
use crate::hash;
use crate::mode::Mode;
use crate::plan::{Plan, Step, Target, Work};
use crate::record::{
    self, GridRecord, LakesRecord, OutputRecord, ReadReport, Record, Report, Sanity, StageRecord,
};
use crate::resources::peak_resident;
use crate::write;
use erode::{Erosion, StageObserver};
use std::path::{Path, PathBuf};
use std::time::Instant;
use thalweg_analysis::sanity;
use thalweg_erosion::Ledger;
use thalweg_geotiff::{Note, Provenance, Reading, Request};
use thalweg_grid::{Grid, Map, Progress, StageKey};
use thalweg_noise::NoiseError;

/// Version of the program, as records and files name it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How a run reports, and how it is asked to stop.
pub trait RunObserver: Sync {
    /// Something happened.
    fn event(&self, event: Event<'_>) {
        let _ = event;
    }

    /// Whether the run should stop at the next cycle, row or file.
    fn cancelled(&self) -> bool {
        false
    }
}

/// What happens in a run.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A stage begins.
    Started {
        /// Its kind.
        kind: &'a str,
        /// Its id.
        id: &'a str,
    },
    /// A stage goes on.
    Progress(Progress),
    /// The stage has ended.
    Finished {
        /// Wall time, s.
        wall_s: f64,
    },
    /// Something about the input that a user should know.
    Note {
        /// What.
        text: &'a str,
    },
    /// Something that a user must know.
    Warning {
        /// What.
        text: &'a str,
    },
    /// A checkpoint has been written.
    Kept {
        /// How far the run had come.
        at: &'a str,
    },
    /// A file is being written.
    Writing {
        /// Its path.
        path: &'a Path,
    },
}

/// A run that came to its end.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Where the outputs are.
    pub folder: PathBuf,
    /// The files, in the order of the pipeline, each followed by its companions.
    pub files: Vec<PathBuf>,
    /// What was out of bounds: empty when the results can be trusted.
    pub violations: Vec<String>,
    /// The record, as `run.json` holds it.
    pub record: String,
    /// Whether nothing was left to do.
    pub was_finished: bool,
}

/// Runs a plan. The pixels depend on the plan alone, never on the number of threads.
///
/// Files get their final names when they are complete; `run.json` comes last. Where a ledger or a sanity check is
/// out of bounds, everything is written all the same, and the outcome says so. Where checkpoints are on, a run that
/// was stopped goes on from the last one if the mode says so, and comes to the same pixels.
///
/// # Errors
/// When the plan does not fit, results are in the way and may not be overwritten, a stage fails, a file cannot be
/// written, or the observer cancels.
pub fn run(plan: Plan, mode: &Mode, observer: &dyn RunObserver) -> Result<Outcome, PipelineError> {
    if mode.resume
        && let Some(outcome) = checkpoint::finished(&plan, observer)?
    {
        // Killed between the record and this.
        if checkpoint::bytes_there(&plan.folder) > 0 {
            let _folder = Folder::take(&plan.folder, &plan.outputs, true)?;
            checkpoint::remove(&plan.folder);
        }
        return Ok(outcome);
    }
    Folder::check(&plan.folder, &plan.outputs, mode.overwrite)?;
    plan.check_fits(mode)?;
    let folder = Folder::take(&plan.folder, &plan.outputs, mode.overwrite)?;
    let mut checkpoints = Checkpoints::new(&plan, mode.interval(&plan), observer);
    let begun = checkpoint::begin(&mut checkpoints, mode)?;
    let outcome = go_on(&plan, begun, &mut checkpoints, &folder, observer)
        .map_err(|error| checkpoints.explain(error))?;
    checkpoint::remove(&plan.folder);
    folder.complete();
    Ok(outcome)
}

/// The stages that are left, the outputs, the record.
fn go_on(
    plan: &Plan,
    begun: State,
    checkpoints: &mut Checkpoints<'_>,
    folder: &Folder,
    observer: &dyn RunObserver,
) -> Result<Outcome, PipelineError> {
    let (map, source, stages) = stages(plan, begun, checkpoints, observer)?;
    let pipeline_blake3 = hash::of_pipeline(&plan.pipeline, source.input.as_deref());
    let provenance = Provenance {
        version: VERSION,
        pipeline: &pipeline_blake3,
        seed: plan.seed,
    };
    let outputs = outputs(plan, &map, &source, &provenance, folder, observer)?;
    let violations = violations(&stages);
    let record = Record {
        version: VERSION,
        name: plan.pipeline.name.clone(),
        seed: plan.seed,
        sound: violations.is_empty(),
        violations: violations.clone(),
        pipeline: serde_json::to_value(&plan.pipeline).unwrap_or_default(),
        pipeline_blake3: pipeline_blake3.clone(),
        grid: grid_record(&plan.grid),
        threads: rayon::current_num_threads(),
        wall_s: checkpoints.wall_s(),
        peak_rss_bytes: peak_resident(),
        stages,
        lakes: map.lakes.as_ref().map(LakesRecord::new),
        outputs,
    };
    let record = write::record(folder, &record)?;
    let path = folder.path.clone();
    let files = plan.outputs.iter().flat_map(Target::files);
    let files = files.map(|file| path.join(file)).collect();
    Ok(Outcome {
        folder: path,
        files,
        violations,
        record,
        was_finished: false,
    })
}

fn stages(
    plan: &Plan,
    begun: State,
    checkpoints: &mut Checkpoints<'_>,
    observer: &dyn RunObserver,
) -> Result<(Map, Source, Vec<StageRecord>), PipelineError> {
    let State {
        mut map,
        mut source,
        mut records,
        mut under_way,
        wall_s: [_, mut before_s],
    } = begun;
    for step in plan.steps.iter().skip(records.len()) {
        if observer.cancelled() {
            return Err(PipelineError::Interrupted);
        }
        observer.event(Event::Started {
            kind: step.kind,
            id: &step.id,
        });
        let started = Instant::now();
        let before = map.as_ref().map(|map| map.elevation.clone());
        let key = StageKey::new(plan.seed, &step.id);
        let report = match (&step.work, &mut map) {
            (Work::Erode(parameters), Some(map)) => {
                let erosion = Erosion {
                    step,
                    parameters,
                    key,
                    under_way: under_way.take(),
                    source: &source,
                    records: &records,
                    wall_s: &|| before_s + started.elapsed().as_secs_f64(),
                };
                erosion.run(map, checkpoints, observer)?
            }
            (_, map) => stage(step, plan, map, &mut source, key, observer)?,
        };
        let Some(ground) = &map else { continue };
        let wall_s = before_s + started.elapsed().as_secs_f64();
        before_s = 0.0;
        observer.event(Event::Finished { wall_s });
        records.push(StageRecord {
            kind: step.kind,
            id: step.id.clone(),
            wall_s,
            peak_rss_bytes: peak_resident(),
            report,
            sanity: sane(ground, before.as_ref()),
        });
        checkpoints.after_stage(&source, &records, ground)?;
    }
    let map = map.ok_or_else(|| refused(plan.steps.first(), "there is no stage".to_owned()))?;
    Ok((map, source, records))
}

fn stage(
    step: &Step,
    plan: &Plan,
    map: &mut Option<Map>,
    source: &mut Source,
    key: StageKey,
    observer: &dyn RunObserver,
) -> Result<Report, PipelineError> {
    let stage_observer = &StageObserver::new(observer, false);
    match (&step.work, map) {
        (
            Work::Synthesize {
                noise,
                elevation_m,
                range,
            },
            map,
        ) => {
            let ground = thalweg_noise::synthesize(
                noise,
                &plan.grid,
                *elevation_m,
                *range,
                key,
                stage_observer,
            )
            .map_err(|error| noise_error(step, error))?;
            *map = Some(Map::new(plan.grid.clone(), ground, None));
            Ok(Report::Synthesize)
        }
        (Work::Read { path, request }, map) => {
            let reading = read(step, plan, path, request, observer)?;
            let input = hash::of_input(&reading);
            unchanged(step, path, &input, plan.input_blake3.as_deref())?;
            source.input = Some(input.clone());
            source.nodata = reading.nodata;
            *map = Some(Map::new(reading.grid, reading.elevation, reading.valid));
            Ok(Report::Read(ReadReport {
                input_blake3: input,
                nodata: source.nodata.filter(|value| value.is_finite()),
                lossless: reading.lossless,
            }))
        }
        (Work::Erode(_), _) => Err(refused(
            Some(step),
            "there is no ground to erode".to_owned(),
        )),
    }
}

/// What a stage's noise says, in the run's words.
pub(crate) fn noise_error(step: &Step, error: NoiseError) -> PipelineError {
    match error {
        NoiseError::Cancelled => PipelineError::Interrupted,
        other => refused(Some(step), other.to_string()),
    }
}

/// Refuses a raster whose content is not the expected one.
fn unchanged(
    step: &Step,
    path: &Path,
    found: &str,
    expected: Option<&str>,
) -> Result<(), PipelineError> {
    if expected.is_none_or(|expected| expected == found) {
        return Ok(());
    }
    Err(data(
        step,
        format!(
            "{}: has changed since the recorded run (its content hashes to {found}); bring the old file back, or name another with --set read.{}.path=…",
            path.display(),
            step.id
        ),
    ))
}

/// Refuses a plan whose raster, if it reads one, has not the content that an earlier part of the run found.
pub(crate) fn check_input(
    plan: &Plan,
    expected: Option<&str>,
    observer: &dyn RunObserver,
) -> Result<(), PipelineError> {
    for step in &plan.steps {
        if let Work::Read { path, request } = &step.work {
            let reading = read(step, plan, path, request, observer)?;
            unchanged(step, path, &hash::of_input(&reading), expected)?;
        }
    }
    Ok(())
}

/// The ground from a raster whose header decided the plan's grid.
fn read(
    step: &Step,
    plan: &Plan,
    path: &Path,
    request: &Request,
    observer: &dyn RunObserver,
) -> Result<Reading, PipelineError> {
    let reading =
        thalweg_geotiff::read(path, request).map_err(|error| data(step, error.to_string()))?;
    if reading.grid != plan.grid {
        let message = format!("{}: has changed since the run began", path.display());
        return Err(data(step, message));
    }
    if reading.notes.contains(&Note::Rounded) {
        let text = format!("{}: {}", path.display(), Note::Rounded);
        observer.event(Event::Note { text: &text });
    }
    Ok(reading)
}

pub(crate) fn data(step: &Step, message: String) -> PipelineError {
    PipelineError::Data {
        kind: step.kind,
        id: step.id.clone(),
        message,
    }
}

fn refused(step: Option<&Step>, message: String) -> PipelineError {
    PipelineError::Parameters {
        kind: step.map_or("", |step| step.kind),
        id: step.map_or_else(String::new, |step| step.id.clone()),
        message,
    }
}

fn sane(map: &Map, before: Option<&ndarray::Array2<f32>>) -> Sanity {
    let valid = || map.valid.as_ref().map(|mask| mask.view());
    let cell_size_m = map.grid.cell_size_m;
    let found = sanity::check(map.elevation.view(), valid(), cell_size_m);
    let new_spikes = before.map_or(0, |before| {
        sanity::new_spikes(before.view(), map.elevation.view(), valid(), cell_size_m)
    });
    Sanity {
        non_finite: found.non_finite,
        spikes: found.spikes,
        new_spikes,
    }
}

/// What is out of bounds, in words.
fn violations(stages: &[StageRecord]) -> Vec<String> {
    let mut found = Vec::new();
    for stage in stages {
        let name = format!("{}.{}", stage.kind, stage.id);
        let Sanity {
            non_finite,
            new_spikes,
            ..
        } = stage.sanity;
        if non_finite > 0 {
            found.push(format!("{name}: {non_finite} cells are not finite"));
        }
        if new_spikes > 0 {
            found.push(format!("{name}: {new_spikes} cells became spikes, more than one cell size off their neighbours' mean"));
        }
        if let Report::Erode(report) = &stage.report {
            let Ledger { sediment, water } = &report.ledger;
            for (account, error) in [
                ("sediment", sediment.relative_error),
                ("water", water.relative_error),
            ] {
                let closes = error <= Ledger::BOUND;
                if !closes {
                    found.push(format!(
                        "{name}: the {account} ledger is off by {error:e}, more than {:e}",
                        Ledger::BOUND
                    ));
                }
            }
        }
    }
    found
}

fn outputs(
    plan: &Plan,
    map: &Map,
    source: &Source,
    provenance: &Provenance<'_>,
    folder: &Folder,
    observer: &dyn RunObserver,
) -> Result<Vec<OutputRecord>, PipelineError> {
    if observer.cancelled() {
        return Err(PipelineError::Interrupted);
    }
    folder.retire_record()?;
    let mut records = Vec::new();
    let writer = write::Writer {
        plan,
        map,
        nodata: source.nodata,
        provenance,
        folder,
        observer,
    };
    for target in &plan.outputs {
        if observer.cancelled() {
            return Err(PipelineError::Interrupted);
        }
        let path = folder.path.join(&target.path);
        observer.event(Event::Writing { path: &path });
        records.push(writer.output(target)?);
    }
    Ok(records)
}

fn grid_record(grid: &Grid) -> GridRecord {
    GridRecord {
        rows: grid.shape.rows,
        cols: grid.shape.cols,
        cell_size_m: grid.cell_size_m,
        origin_m: grid.origin_m,
        crs: grid.crs.clone(),
    }
}

/// Where the record of a run in `folder` is.
#[must_use]
pub fn record_path(folder: &Path) -> PathBuf {
    folder.join(record::FILE)
}

mod erode;
#[cfg(test)]
mod tests;
