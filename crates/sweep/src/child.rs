//! One member's process.

use crate::error::{SweepError, failed};
use crate::files::{LOG, PIPELINE, Place};
use std::fs::{self, File, TryLockError};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How members are run.
#[derive(Debug, Clone)]
pub(crate) struct Runner {
    pub(crate) program: PathBuf,
    pub(crate) threads: usize,
    pub(crate) checkpoint_every: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It took longer than it may.
    TimedOut,
    /// It was asked to stop.
    Stopped,
    /// Another process works in the folder, and does not end.
    Busy,
}

/// How often a process is looked after.
const LOOK: Duration = Duration::from_millis(20);
/// How long a process that was asked to stop may finish its cycle and write its checkpoint.
const GRACE: Duration = Duration::from_secs(300);
/// How long a process whose parent was killed may take to notice and to stop.
const ORPHAN: Duration = Duration::from_secs(330);

impl Runner {
    /// Runs a member to its end, from its last checkpoint if there is one. `stop` is asked again and again; when it
    /// says so, the process writes a checkpoint and ends.
    pub(crate) fn run(&self, place: &Place, stop: &dyn Fn() -> bool) -> Result<Ended, SweepError> {
        if !wait_for_orphan(place, stop) {
            return Ok(if stop() { Ended::Stopped } else { Ended::Busy });
        }
        let mut child = self.spawn(place)?;
        // The process ends when this pipe closes: also when we are killed.
        let mut leash = child.stdin.take();
        let started = Instant::now();
        let mut asked = None;
        loop {
            if let Some(status) = child
                .try_wait()
                .map_err(failed(&self.program, "wait for it"))?
            {
                return Ok(ended(status, asked.is_some()));
            }
            if asked.is_none() && stop() {
                drop(leash.take());
                asked = Some(Instant::now());
            }
            let late = self.timeout.is_some_and(|limit| started.elapsed() >= limit);
            let ignored = asked.is_some_and(|asked: Instant| asked.elapsed() >= GRACE);
            if late || ignored {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(if late {
                    Ended::TimedOut
                } else {
                    Ended::Stopped
                });
            }
            std::thread::sleep(LOOK);
        }
    }

    fn spawn(&self, place: &Place) -> Result<Child, SweepError> {
        let path = place.own(LOG);
        let log = File::create(&path).map_err(failed(&path, "make it"))?;
        let mut command = Command::new(&self.program);
        command
            .arg("run")
            .arg(place.own(PIPELINE))
            .arg("--out")
            .arg(&place.0)
            .args(["--resume", "--quiet", "--leash", "--threads"])
            .arg(self.threads.to_string());
        if let Some(every) = &self.checkpoint_every {
            command.args(["--checkpoint-every", every]);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log);
        let child = command.spawn().map_err(failed(&self.program, "start it"))?;
        // When memory runs out, the system shall end a member and not the sweep. It may refuse, or know no such thing.
        let _ = fs::write(format!("/proc/{}/oom_score_adj", child.id()), "500");
        Ok(child)
    }
}

fn ended(status: ExitStatus, asked: bool) -> Ended {
    match (status.code(), signal(status)) {
        (Some(130), _) if asked => Ended::Stopped,
        (Some(code), _) => Ended::Code(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// Waits until the process of a sweep that was killed has let the folder go; false: it has not.
fn wait_for_orphan(place: &Place, stop: &dyn Fn() -> bool) -> bool {
    let path = place.0.join(thalweg_pipeline::LOCK);
    let started = Instant::now();
    while started.elapsed() < ORPHAN && !stop() {
        let Ok(file) = File::open(&path) else {
            return true;
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            _ => return true,
        }
    }
    false
}

/// What a process said last, in one line: its error, or the message of a panic.
pub(crate) fn last_words(log: &Path) -> String {
    let mut text = String::new();
    let _ = File::open(log).and_then(|file| file.take(1 << 20).read_to_string(&mut text));
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let panic = lines().position(|line| line.contains("panicked at"));
    if let Some(index) = panic {
        let both: Vec<&str> = lines().skip(index).take(2).collect();
        return both.join(" ");
    }
    let error = lines().rfind(|line| line.starts_with("error:"));
    let warnings: Vec<&str> = lines()
        .filter_map(|line| line.strip_prefix("warning: "))
        .collect();
    match (error, warnings.is_empty()) {
        (Some(error), _) => error.trim_start_matches("error:").trim().to_owned(),
        (None, false) => warnings.join("; "),
        (None, true) => lines().next_back().unwrap_or("it said nothing").to_owned(),
    }
}

/// Whether what was said is that the disk is full.
pub(crate) fn disk_full(words: &str) -> bool {
    [
        "os error 28",
        "os error 122",
        "No space left",
        "disk is full",
        "of disk",
    ]
    .iter()
    .any(|sign| words.contains(sign))
}
