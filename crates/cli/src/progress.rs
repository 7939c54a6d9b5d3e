//! How far a run has come: bars on a terminal, a plain line every ten seconds without one, nothing when quiet.

use crate::interrupt::Interrupt;
use crate::output::say;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thalweg_grid::Progress;
use thalweg_pipeline::{Event, RunObserver};

/// How progress is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    Bars,
    Lines,
    Quiet,
}

impl Voice {
    pub(crate) fn new(quiet: bool) -> Self {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Bars,
            (false, false) => Self::Lines,
        }
    }
}

/// What erosion counts.
const CYCLES: &str = "cycles";
/// The time between plain lines.
const PAUSE: Duration = Duration::from_secs(10);

/// Tells how far a run has come.
#[derive(Debug)]
pub(crate) struct Teller {
    voice: Voice,
    verbose: bool,
    interrupt: Interrupt,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    name: String,
    unit: &'static str,
    started: Instant,
    told: Instant,
    bar: Option<ProgressBar>,
    /// Where the stage began to count: not at 0 if it goes on.
    first: Option<Progress>,
}

impl State {
    /// What follows the count.
    fn tail(&self, progress: Progress) -> Vec<String> {
        let first = self.first.filter(|_| self.unit == CYCLES);
        tail(progress, first, self.unit, self.started.elapsed())
    }
}

impl Teller {
    pub(crate) fn new(voice: Voice, verbose: bool, interrupt: Interrupt) -> Self {
        let now = Instant::now();
        let state = State {
            name: String::new(),
            unit: "",
            started: now,
            told: now,
            bar: None,
            first: None,
        };
        Self {
            voice,
            verbose,
            interrupt,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a bar off the terminal.
    fn clear(&self) {
        if let Some(bar) = self.state().bar.take() {
            bar.finish_and_clear();
        }
    }

    fn started(&self, kind: &str, id: &str) {
        let mut state = self.state();
        state.name = format!("{kind} {id}");
        state.unit = if kind == "erode" { CYCLES } else { "rows" };
        state.started = Instant::now();
        state.told = state.started;
        state.first = None;
        if self.voice == Voice::Bars {
            state.bar = Some(bar(&state.name));
        }
    }

    fn progress(&self, progress: Progress) {
        let mut state = self.state();
        state.first = state.first.or(Some(progress));
        match self.voice {
            Voice::Quiet => {}
            Voice::Bars => {
                if let Some(bar) = &state.bar {
                    bar.set_length(progress.total);
                    bar.set_position(progress.done);
                    bar.set_message(state.tail(progress).join(", "));
                }
            }
            Voice::Lines if state.told.elapsed() >= PAUSE => {
                state.told = Instant::now();
                let tail = state.tail(progress);
                let count = format!("{}/{} {}", progress.done, progress.total, state.unit);
                say(format!(
                    "{}: {}",
                    state.name,
                    [vec![count], tail].concat().join(", ")
                ));
            }
            Voice::Lines => {}
        }
    }

    /// A line between bars.
    fn line(&self, line: String) {
        match &self.state().bar {
            Some(bar) => bar.suspend(|| say(line)),
            None => say(line),
        }
    }

    fn finished(&self, wall_s: f64) {
        let mut state = self.state();
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
        if self.voice != Voice::Quiet {
            say(format!("{}: done in {}", state.name, duration(wall_s)));
        }
    }
}

impl RunObserver for Teller {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Started { kind, id } => self.started(kind, id),
            Event::Progress(progress) => self.progress(progress),
            Event::Finished { wall_s } => self.finished(wall_s),
            Event::Note { .. } if self.voice == Voice::Quiet => {}
            Event::Note { text } => self.line(format!("note: {text}")),
            Event::Warning { text } => self.line(format!("warning: {text}")),
            Event::Kept { at } if self.verbose => self.line(format!("checkpoint: {at}")),
            Event::Kept { .. } => {}
            Event::Writing { path } if self.verbose => say(format!("writing {}", path.display())),
            Event::Writing { .. } => {}
        }
    }

    fn cancelled(&self) -> bool {
        if !self.interrupt.asked() {
            return false;
        }
        self.clear();
        true
    }
}

impl Drop for Teller {
    /// A run that failed leaves no half bar before its error.
    fn drop(&mut self) {
        self.clear();
    }
}

/// A line of fewer than 80 columns, so that the terminal's own `^C` does not break it over two.
fn bar(name: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:16!} [{bar:14}] {pos}/{len} {msg}");
    let style = style
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(style);
    bar.set_prefix(name.to_owned());
    bar
}

/// What follows the count: droplets and time left.
fn tail(progress: Progress, first: Option<Progress>, unit: &str, elapsed: Duration) -> Vec<String> {
    let before = first.map_or((0, 0), |first| (first.done, first.droplets));
    let done = progress.done.saturating_sub(before.0);
    let droplets = progress.droplets.saturating_sub(before.1);
    let elapsed_s = elapsed.as_secs_f64();
    let mut parts = Vec::new();
    if progress.done >= progress.total {
        // After its last cycle the engine goes on until its droplets are at rest: nobody knows how long.
        if unit == CYCLES {
            parts.push("settling".to_owned());
        }
        return parts;
    }
    if droplets > 0 && elapsed_s > 0.0 {
        parts.push(format!("{} droplets/s", count(droplets as f64 / elapsed_s)));
    }
    if done > 0 {
        let left_s = elapsed_s * (progress.total - progress.done) as f64 / done as f64;
        parts.push(format!("{} left", duration(left_s)));
    }
    parts
}

/// A large count for people: 12.3 k.
pub(crate) fn count(number: f64) -> String {
    match number {
        n if n >= 1e9 => format!("{:.1} G", n * 1e-9),
        n if n >= 1e6 => format!("{:.1} M", n * 1e-6),
        n if n >= 1e3 => format!("{:.1} k", n * 1e-3),
        n => format!("{n:.0}"),
    }
}

/// A time for people.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..120 => format!("{whole} s"),
        120..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_times_left_follow_from_what_is_done() {
        let progress = Progress {
            done: 25,
            total: 100,
            droplets: 60_000,
        };
        let text = tail(progress, None, CYCLES, Duration::from_secs(30));
        assert_eq!(text, ["2.0 k droplets/s", "90 s left"]);
        let nothing = Progress {
            done: 0,
            total: 100,
            droplets: 0,
        };
        assert!(tail(nothing, None, "rows", Duration::ZERO).is_empty());
    }

    #[test]
    fn what_was_done_before_a_checkpoint_was_not_done_now() {
        let [first, progress] = [(50, 30_000), (75, 90_000)].map(|(done, droplets)| Progress {
            done,
            total: 100,
            droplets,
        });
        let text = tail(progress, Some(first), CYCLES, Duration::from_secs(30));
        assert_eq!(text, ["2.0 k droplets/s", "30 s left"]);
        assert!(tail(first, Some(first), CYCLES, Duration::ZERO).is_empty());
    }

    #[test]
    fn after_the_last_cycle_the_ground_settles() {
        let last = Progress {
            done: 100,
            total: 100,
            droplets: 60_000,
        };
        assert_eq!(
            tail(last, None, CYCLES, Duration::from_secs(30)),
            ["settling"]
        );
        assert!(tail(last, None, "rows", Duration::from_secs(30)).is_empty());
    }

    #[test]
    fn times_are_told_in_two_units_at_most() {
        assert_eq!(duration(0.04), "0.0 s");
        assert_eq!(duration(119.0), "119 s");
        assert_eq!(duration(754.0), "12 min 34 s");
        assert_eq!(duration(7_380.0), "2 h 3 min");
    }
}
