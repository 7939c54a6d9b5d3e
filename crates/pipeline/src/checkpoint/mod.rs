//! Checkpoints: what a run writes on its way, and how one goes on that was stopped.
//!
//! Written at the end of a cycle and of a stage, into the output folder's hidden files, two in turn; taken away when
//! the run is done. They hold the state, never a choice: a run that goes on comes to the same bits.

pub(crate) mod file;
mod resume;
pub(crate) mod state;

pub use resume::seed_of;
pub(crate) use resume::{begin, finished};
pub(crate) use state::{Source, State};

use crate::error::PipelineError;
use crate::plan::Plan;
use crate::record::StageRecord;
use crate::run::{Event, RunObserver, VERSION};
use crate::{hash, record};
use file::Header;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use thalweg_erosion::Moment;
use thalweg_grid::Map;

/// The checkpoints that a run writes.
pub(crate) struct Checkpoints<'a> {
    plan: &'a Plan,
    /// None: it writes none.
    every: Option<Duration>,
    observer: &'a dyn RunObserver,
    /// The number of the checkpoint under each of the two names.
    numbers: [Option<u64>; 2],
    last: Instant,
    started: Instant,
    /// Wall time of the run before this process, s.
    before_s: f64,
}

impl<'a> Checkpoints<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        every: Option<Duration>,
        observer: &'a dyn RunObserver,
    ) -> Self {
        let now = Instant::now();
        Self {
            plan,
            every,
            observer,
            numbers: [None; 2],
            last: now,
            started: now,
            before_s: 0.0,
        }
    }

    /// Whether any are written.
    pub(crate) const fn are_on(&self) -> bool {
        self.every.is_some()
    }

    /// Wall time of the run so far, s, in all processes that it took.
    pub(crate) fn wall_s(&self) -> f64 {
        self.before_s + self.started.elapsed().as_secs_f64()
    }

    /// Whether a cycle that ends now is one to write down.
    pub(crate) fn is_due(&self) -> bool {
        self.every.is_some_and(|every| self.last.elapsed() >= every)
    }

    /// Writes one after a stage, if they are on.
    pub(crate) fn after_stage(
        &mut self,
        source: &Source,
        records: &[StageRecord],
        map: &Map,
    ) -> Result<(), PipelineError> {
        match records.last() {
            Some(last) if self.are_on() => {
                let at = format!("after {} {}", last.kind, last.id);
                self.write(at, source, records, map, None)
            }
            _ => Ok(()),
        }
    }

    /// Writes one in the middle of a stage that has taken `wall_s` seconds.
    pub(crate) fn within_stage(
        &mut self,
        source: &Source,
        records: &[StageRecord],
        moment: &Moment<'_>,
        wall_s: f64,
    ) -> Result<(), PipelineError> {
        let step = &self.plan.steps[records.len()];
        let [done, all] = moment.cycles();
        let more = u64::from(moment.cycle()) + 1 - done;
        let settling = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let at = format!(
            "{} {}, {done} of {all} cycles{settling}",
            step.kind, step.id
        );
        self.write(at, source, records, moment.map(), Some((moment, wall_s)))
    }

    fn write(
        &mut self,
        at: String,
        source: &Source,
        records: &[StageRecord],
        map: &Map,
        under_way: Option<(&Moment<'_>, f64)>,
    ) -> Result<(), PipelineError> {
        let [first, second] = self.numbers;
        let slot = usize::from(first > second);
        let header = Header {
            version: VERSION.to_owned(),
            number: first.max(second).map_or(0, |number| number + 1),
            seed: self.plan.seed,
            pipeline_blake3: hash::of_pipeline(&self.plan.pipeline, source.input.as_deref()),
            input_blake3: source.input.clone(),
            at,
            under_way: under_way.is_some(),
            wall_s: [
                self.wall_s(),
                under_way.map_or(0.0, |under_way| under_way.1),
            ],
        };
        let moment = under_way.map(|under_way| under_way.0);
        let body = |out: &mut dyn Write| state::write(out, source, records, map, moment);
        let path = &file::paths(&self.plan.folder)[slot];
        file::write(path, &header, &body).map_err(PipelineError::Write)?;
        self.numbers[slot] = Some(header.number);
        self.last = Instant::now();
        self.observer.event(Event::Kept { at: &header.at });
        Ok(())
    }

    /// What a run says that fails, where a checkpoint is left to go on from.
    pub(crate) fn explain(&self, error: PipelineError) -> PipelineError {
        use crate::Failure::{Interrupted, Io};
        let kept = self.numbers.iter().any(Option::is_some);
        if kept && matches!(error.failure(), Interrupted | Io) {
            return PipelineError::Kept(Box::new(error));
        }
        error
    }
}

/// Takes a folder's checkpoints away.
pub(crate) fn remove(folder: &Path) {
    for path in file::paths(folder) {
        // Only room is lost if it stays.
        let _ = std::fs::remove_file(path);
    }
}

/// The bytes that a folder's checkpoints take.
pub(crate) fn bytes_there(folder: &Path) -> u64 {
    let sizes = file::paths(folder).map(|path| path.metadata().map_or(0, |found| found.len()));
    sizes.iter().sum()
}
