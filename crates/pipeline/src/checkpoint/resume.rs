//! What a run begins with: nothing, a checkpoint, or results that are there already.

use super::file::{self, Header};
use super::state::{self, State};
use super::{Checkpoints, hash, record, remove};
use crate::error::PipelineError;
use crate::mode::Mode;
use crate::plan::{Plan, Target};
use crate::record::Recorded;
use crate::run::{self, Event, Outcome, RunObserver, VERSION};
use std::path::Path;

/// Decides what a run in a folder that it holds begins with.
///
/// # Errors
/// When there is a checkpoint and nobody says what to do with it, or it is to be gone on with and is another run's.
pub(crate) fn begin(
    checkpoints: &mut Checkpoints<'_>,
    mode: &Mode,
) -> Result<State, PipelineError> {
    let plan = checkpoints.plan;
    if mode.resume {
        return resume(checkpoints);
    }
    if mode.overwrite {
        remove(&plan.folder);
        return Ok(State::default());
    }
    match newest(&plan.folder) {
        Some(header) => Err(PipelineError::Unfinished {
            folder: plan.folder.clone(),
            at: header.at.clone(),
            advice: match difference(&header, plan) {
                None => "go on with --resume, or start anew with --overwrite".to_owned(),
                Some(what) => format!(
                    "it is another run's: {what}. Start anew with --overwrite, or choose another folder with --out"
                ),
            },
        }),
        None => Ok(State::default()),
    }
}

/// The header of a folder's newest checkpoint, whole or not.
fn newest(folder: &Path) -> Option<Header> {
    let headers = file::paths(folder).map(|path| file::header(&path).ok());
    let headers = headers.into_iter().flatten().map(|(header, _)| header);
    headers.max_by_key(|header| header.number)
}

/// The newest state that is whole; where there is none, the start.
fn resume(checkpoints: &mut Checkpoints<'_>) -> Result<State, PipelineError> {
    let (plan, observer) = (checkpoints.plan, checkpoints.observer);
    let warn = |path: &Path, error: &std::io::Error| {
        let text = format!("the checkpoint {} cannot be used: {error}", path.display());
        observer.event(Event::Warning { text: &text });
    };
    let paths = file::paths(&plan.folder);
    let mut found = Vec::new();
    for (slot, path) in paths.iter().enumerate() {
        if path.symlink_metadata().is_err() {
            continue;
        }
        match file::verify(path).and_then(|()| file::header(path)) {
            Ok((header, body)) => found.push((slot, header, body)),
            Err(error) => warn(path, &error),
        }
    }
    for (slot, header, _) in &found {
        checkpoints.numbers[*slot] = Some(header.number);
    }
    found.sort_by_key(|(_, header, _)| std::cmp::Reverse(header.number));
    for (slot, header, body) in found {
        if let Some(what) = difference(&header, plan) {
            return Err(PipelineError::OtherRun {
                folder: plan.folder.clone(),
                what,
            });
        }
        run::check_input(plan, header.input_blake3.as_deref(), observer)?;
        match state::read(body, plan, header.under_way) {
            Ok(state) => {
                let text = format!("going on from a checkpoint: {}", header.at);
                observer.event(Event::Note { text: &text });
                checkpoints.before_s = header.wall_s[0];
                let wall_s = header.wall_s;
                return Ok(State { wall_s, ..state });
            }
            Err(error) => warn(&paths[slot], &error),
        }
        checkpoints.numbers[slot] = None;
    }
    let text = format!(
        "no checkpoint to go on from in {}: starting anew",
        plan.folder.display()
    );
    observer.event(Event::Note { text: &text });
    Ok(State::default())
}

/// What tells a checkpoint's run from this one, if anything does.
fn difference(header: &Header, plan: &Plan) -> Option<String> {
    if header.version != VERSION {
        return Some(format!(
            "it was written by thalweg {}, this is {VERSION}",
            header.version
        ));
    }
    if header.seed != plan.seed {
        return Some(format!("its seed is {}, not {}", header.seed, plan.seed));
    }
    let ours = hash::of_pipeline(&plan.pipeline, header.input_blake3.as_deref());
    (ours != header.pipeline_blake3).then(|| "its pipeline is another".to_owned())
}

/// The outcome of the very run that is planned, if it has come to its end already.
///
/// # Errors
/// When the raster that it read has changed since.
pub(crate) fn finished(
    plan: &Plan,
    observer: &dyn RunObserver,
) -> Result<Option<Outcome>, PipelineError> {
    let path = plan.folder.join(record::FILE);
    let Ok(recorded) = Recorded::read(&path) else {
        return Ok(None);
    };
    let input = recorded.input().map(|(_, hash)| hash.to_owned());
    let same = recorded.version == VERSION
        && recorded.pipeline_blake3 == hash::of_pipeline(&plan.pipeline, input.as_deref());
    let files: Vec<_> = plan.outputs.iter().flat_map(Target::files).collect();
    let files: Vec<_> = files.iter().map(|file| plan.folder.join(file)).collect();
    if !same || !files.iter().all(|file| file.is_file()) {
        return Ok(None);
    }
    run::check_input(plan, input.as_deref(), observer)?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    Ok(Some(Outcome {
        folder: plan.folder.clone(),
        files,
        violations: recorded.violations,
        record: text.trim_end().to_owned(),
        was_finished: true,
    }))
}

/// The seed of the run whose checkpoint or record is in a folder: what a pipeline without a seed goes on with.
#[must_use]
pub fn seed_of(folder: &Path) -> Option<u64> {
    match newest(folder) {
        Some(header) => Some(header.seed),
        None => Recorded::read(&folder.join(record::FILE)).ok()?.pipeline["seed"].as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Options;

    const TEXT: &str = "\
thalweg: 1
name: hills
seed: 9
grid: { rows: 20, cols: 33, cell_size_m: 10 }
stages:
  - synthesize: { id: base, elevation_m: [0, 9], noise: { constant: 0 } }
outputs:
  - { layer: elevation, path: dem.tif }
";

    #[test]
    fn another_version_seed_or_pipeline_is_another_run() {
        let pipeline = crate::parse(TEXT, Path::new("hills.yaml"), &[]).unwrap();
        let plan = Plan::new(pipeline, &Options::default()).unwrap();
        let header = Header {
            version: VERSION.to_owned(),
            number: 0,
            seed: 9,
            pipeline_blake3: hash::of_pipeline(&plan.pipeline, None),
            input_blake3: None,
            at: String::new(),
            under_way: false,
            wall_s: [0.0; 2],
        };
        assert_eq!(difference(&header, &plan), None);
        let told = |change: fn(&mut Header)| {
            let mut header = header.clone();
            change(&mut header);
            difference(&header, &plan).unwrap()
        };
        let version = told(|header| header.version = "0.0.1".to_owned());
        assert!(version.contains("0.0.1") && version.contains(VERSION));
        assert!(told(|header| header.seed = 8).contains("8, not 9"));
        assert!(told(|header| header.pipeline_blake3.push('0')).contains("pipeline"));
    }
}
