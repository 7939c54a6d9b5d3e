//! How a sweep goes on: bars on a terminal, a line for each member without one, JSON for programs.

use crate::interrupt::Interrupt;
use crate::output::{put, say};
use crate::progress::{Voice, duration};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use thalweg_sweep::{Event, Status, Summary, SweepObserver};

/// Tells how a sweep goes on.
#[derive(Debug)]
pub(crate) struct Teller {
    voice: Voice,
    json: bool,
    interrupt: Interrupt,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bar: Option<ProgressBar>,
    started: Instant,
    /// Members that ended since the start.
    ended: usize,
}

impl Teller {
    pub(crate) fn new(voice: Voice, json: bool, interrupt: Interrupt) -> Self {
        Self {
            voice,
            json,
            interrupt,
            state: Mutex::new(State {
                bar: None,
                started: Instant::now(),
                ended: 0,
            }),
        }
    }

    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.asked()
    }

    fn line(&self, text: String) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match (&state.bar, self.voice) {
            (_, Voice::Quiet) => {}
            (Some(bar), _) => bar.suspend(|| say(text)),
            (None, _) => say(text),
        }
    }

    /// The time left, by the members that ended so far.
    fn left(&self, finished: usize, members: usize) -> String {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ended += 1;
        let each_s = state.started.elapsed().as_secs_f64() / state.ended as f64;
        let left = members.saturating_sub(finished);
        let text = if left == 0 {
            String::new()
        } else {
            format!(", about {} left", duration(each_s * left as f64))
        };
        if let Some(bar) = &state.bar {
            bar.set_position(finished as u64);
            bar.set_message(text.trim_start_matches(", ").to_owned());
        }
        text
    }

    /// What is there at the end.
    pub(crate) fn finish(&self, folder: &Path, summary: &Summary) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bar) = state.bar.take() {
                bar.finish_and_clear();
            }
        }
        let page = folder.join("index.html");
        self.line(format!("{}\n  {}", counts(summary), page.display()));
        if !summary.complete() && summary.pending > 0 {
            self.line("the same command goes on with the rest".to_owned());
        }
        self.data(&json!({
            "event": "finished", "done": summary.done, "failed": summary.failed, "invalid": summary.invalid,
            "running": summary.running, "pending": summary.pending, "stopped": summary.stopped, "page": page,
        }));
    }

    fn data(&self, value: &Value) {
        if self.json {
            // Who asked for it and left does not miss it.
            let _ = put(&format!("{value}\n"));
        }
    }
}

impl SweepObserver for Teller {
    fn event(&self, event: &Event<'_>) {
        match *event {
            Event::Begun {
                members,
                jobs,
                threads,
            } => {
                self.line(format!(
                    "{members} members, {jobs} at a time with {threads} {} each",
                    if threads == 1 { "thread" } else { "threads" }
                ));
                if self.voice == Voice::Bars {
                    let bar = ProgressBar::new(members as u64);
                    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
                    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                    let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    state.bar = Some(bar);
                }
                self.data(&json!({ "event": "begun", "members": members, "jobs": jobs, "threads": threads }));
            }
            Event::Started { id, seed } => {
                self.data(&json!({ "event": "started", "id": id, "seed": seed }));
            }
            Event::Ended {
                id,
                seed,
                status,
                reason,
                finished,
                members,
            } => {
                let left = self.left(finished, members);
                let reason_text = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                self.line(format!(
                    "{finished}/{members} seed {seed}, {id}: {status}{reason_text}{left}"
                ));
                self.data(&json!({ "event": "ended", "id": id, "seed": seed, "status": status, "reason": reason, "finished": finished, "members": members }));
            }
            Event::Stopping { why } => {
                self.line(format!("stopping: {why}"));
                self.data(&json!({ "event": "stopping", "why": why }));
            }
        }
    }

    fn cancelled(&self) -> bool {
        self.interrupt.asked()
    }
}

fn counts(summary: &Summary) -> String {
    let mut parts = vec![format!("{} done", summary.done)];
    for (count, name) in [
        (summary.failed, Status::Failed),
        (summary.invalid, Status::Invalid),
        (summary.running, Status::Running),
        (summary.pending, Status::Pending),
    ] {
        if count > 0 {
            parts.push(format!("{count} {name}"));
        }
    }
    parts.join(", ")
}

/// A folder's sweep, for people.
pub(crate) fn status(summary: &Summary, value: &Value) -> String {
    let mut text = format!(
        "{}: {}\n",
        value["name"].as_str().unwrap_or_default(),
        counts(summary)
    );
    for member in value["members"].as_array().into_iter().flatten() {
        let status = member["status"].as_str().unwrap_or_default();
        if status == "done" || status == "pending" {
            continue;
        }
        let id = member["id"].as_str().unwrap_or_default();
        let reason = member["reason"]
            .as_str()
            .map_or_else(String::new, |reason| format!(": {reason}"));
        let _ = writeln!(text, "  {id} seed {}: {status}{reason}", member["seed"]);
    }
    text
}
