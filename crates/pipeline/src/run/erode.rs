//! An erode stage, begun or gone on with, and the checkpoints on its way.

use super::{Event, RunObserver, data, refused};
use crate::checkpoint::{Checkpoints, Source};
use crate::error::PipelineError;
use crate::plan::Step;
use crate::record::{Report, StageRecord};
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_erosion::{ErosionError, Moment, Parameters, erode_from, erode_watched};
use thalweg_grid::{Map, Observer, Progress, StageKey};

/// An erode stage and what a checkpoint needs besides it.
pub(super) struct Erosion<'a> {
    pub(super) step: &'a Step,
    pub(super) parameters: &'a Parameters,
    pub(super) key: StageKey,
    /// Where the stage is written down, if it goes on.
    pub(super) under_way: Option<File>,
    pub(super) source: &'a Source,
    /// Of the stages before.
    pub(super) records: &'a [StageRecord],
    /// Wall time of the stage so far, s.
    pub(super) wall_s: &'a dyn Fn() -> f64,
}

impl Erosion<'_> {
    /// Runs the stage to its end, or to that of the cycle in which a checkpoint fails or the observer cancels.
    pub(super) fn run(
        self,
        map: &mut Map,
        checkpoints: &mut Checkpoints<'_>,
        run: &dyn RunObserver,
    ) -> Result<Report, PipelineError> {
        let observer = StageObserver::new(run, checkpoints.are_on());
        let mut failure = None;
        let mut watch = |moment: &Moment<'_>| {
            let stops = run.cancelled();
            if checkpoints.are_on() && (stops || checkpoints.is_due()) {
                let wall_s = (self.wall_s)();
                let kept = checkpoints.within_stage(self.source, self.records, moment, wall_s);
                failure = kept.err();
            }
            let stop = stops || failure.is_some();
            observer.stop.store(stop, Ordering::Relaxed);
        };
        let (parameters, key) = (self.parameters, self.key);
        let report = match self.under_way {
            Some(mut file) => erode_from(map, parameters, key, &mut file, &observer, &mut watch),
            None => erode_watched(map, parameters, key, &observer, &mut watch),
        };
        if let Some(failure) = failure {
            return Err(failure);
        }
        report
            .map(|report| Report::Erode(Box::new(report)))
            .map_err(|error| match error {
                ErosionError::Cancelled => PipelineError::Interrupted,
                ErosionError::NotFinite { .. } => data(self.step, error.to_string()),
                other => refused(Some(self.step), other.to_string()),
            })
    }
}

/// A stage's view of the run's observer.
pub(super) struct StageObserver<'a> {
    run: &'a dyn RunObserver,
    /// Whether a cycle that has begun is finished, for a checkpoint, before the stage stops.
    finishes: bool,
    /// Whether that cycle has ended.
    stop: AtomicBool,
    told: AtomicBool,
}

impl<'a> StageObserver<'a> {
    pub(super) fn new(run: &'a dyn RunObserver, finishes: bool) -> Self {
        Self {
            run,
            finishes,
            stop: AtomicBool::new(false),
            told: AtomicBool::new(false),
        }
    }
}

impl Observer for StageObserver<'_> {
    fn progress(&self, progress: Progress) {
        self.run.event(Event::Progress(progress));
    }

    fn cancelled(&self) -> bool {
        let asked = self.run.cancelled();
        if !self.finishes {
            return asked;
        }
        if asked && !self.told.swap(true, Ordering::Relaxed) {
            let text = "finishing this cycle for a checkpoint; a second interrupt ends at once";
            self.run.event(Event::Note { text });
        }
        self.stop.load(Ordering::Relaxed)
    }
}
