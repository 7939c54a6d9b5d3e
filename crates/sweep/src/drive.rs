//! Works on members until all have come to their end, or something says to stop.

use crate::child::{Ended, Runner, disk_full, last_words};
use crate::error::{SweepError, failed};
use crate::files::{LOG, Place, STATE, read_json, size, write_json};
use crate::keep::Keep;
use crate::lease::{BEAT, Lease, STALE, Watch};
use crate::page;
use crate::selection::Share;
use crate::setup::{Member, Sweep};
use crate::state::{self, End, Status};
use crate::{metrics, preview};
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use thalweg_pipeline::available_memory;

/// How a sweep is worked on.
#[derive(Debug, Clone)]
pub struct How {
    /// The program that runs members.
    pub program: PathBuf,
    /// Members at a time; none: as many as cores and memory allow.
    pub jobs: Option<usize>,
    /// Threads of each member; none: cores are shared out.
    pub threads: Option<usize>,
    /// Which members this process works on.
    pub share: Share,
    /// What stays on disk, and in which order members are shown.
    pub keep: Keep,
    /// Stops at the first member that is not done.
    pub fail_fast: bool,
    /// Tries members once more that failed for a reason of their own.
    pub retry: bool,
    /// Longest time of a member.
    pub timeout: Option<Duration>,
    /// When to stop.
    pub until: Option<SystemTime>,
    /// Most bytes of the folder.
    pub max_disk: Option<u64>,
    /// As `run` takes it.
    pub checkpoint_every: Option<String>,
    /// The command that was typed, for the page.
    pub command: String,
}

/// Hears how a sweep goes on, and stops it.
pub trait SweepObserver: Sync {
    /// Something happened.
    fn event(&self, event: &Event<'_>);

    /// Whether to stop: members write a checkpoint and end.
    fn cancelled(&self) -> bool;
}

/// What happens in a sweep.
#[derive(Debug, Clone)]
pub enum Event<'a> {
    /// Work begins: members in all, and members at a time with their threads.
    Begun {
        /// Members of this process's share.
        members: usize,
        /// At a time.
        jobs: usize,
        /// Threads of each.
        threads: usize,
    },
    /// A member begins or goes on.
    Started {
        /// Its folder's name.
        id: &'a str,
        /// Its seed.
        seed: u64,
    },
    /// A member has come to an end.
    Ended {
        /// Its folder's name.
        id: &'a str,
        /// Its seed.
        seed: u64,
        /// Done, failed or invalid.
        status: Status,
        /// Why not done.
        reason: Option<&'a str>,
        /// Members of this share that have come to their end.
        finished: usize,
        /// Of so many.
        members: usize,
    },
    /// No more members begin.
    Stopping {
        /// Why.
        why: &'a str,
    },
}

/// How far a sweep, or this process's share of it, has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Members with results.
    pub done: usize,
    /// Members without.
    pub failed: usize,
    /// Members whose results are not to be trusted.
    pub invalid: usize,
    /// Members that somebody works on.
    pub running: usize,
    /// Members that nobody works on.
    pub pending: usize,
    /// Why work stopped, if it did.
    pub stopped: Option<String>,
}

impl Summary {
    /// Whether every member is done.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.failed + self.invalid + self.running + self.pending == 0
    }

    pub(crate) fn count(&mut self, status: Status) {
        *match status {
            Status::Pending => &mut self.pending,
            Status::Running => &mut self.running,
            Status::Done => &mut self.done,
            Status::Failed => &mut self.failed,
            Status::Invalid => &mut self.invalid,
        } += 1;
    }
}

/// How often a worker without work looks for some.
const PAUSE: Duration = Duration::from_millis(100);
/// Time between two pages, at least.
const PAGE: Duration = Duration::from_secs(5);
/// How often a member is run once more at once when something killed its process.
const KILLS: usize = 1;

/// What the workers of a process share.
struct Drive<'a> {
    sweep: &'a Sweep,
    how: &'a How,
    runner: Runner,
    jobs: usize,
    observer: &'a dyn SweepObserver,
    watch: Watch,
    order: Vec<usize>,
    desk: Mutex<Desk>,
    changed: AtomicBool,
    working: AtomicUsize,
    /// The same as `desk.stopped`, for those who only look.
    stop: AtomicBool,
}

/// What workers decide together.
#[derive(Default)]
struct Desk {
    /// Members that have come to their end, as far as this process is concerned.
    settled: HashSet<usize>,
    /// Members that this process works on.
    mine: HashSet<usize>,
    /// Largest folder and memory of a member so far, bytes.
    measured: Option<(u64, u64)>,
    /// Most members at a time, once memory has shown to be short.
    most: usize,
    stopped: Option<String>,
}

enum Next {
    Work(usize, Lease),
    Wait,
    Stop,
}

impl Sweep {
    /// Works on the sweep until all members of this process's share have come to their end, here or elsewhere.
    ///
    /// # Errors
    /// When the sweep's own files cannot be written, or an expression does not fit the metrics.
    pub fn run(&self, how: &How, observer: &dyn SweepObserver) -> Result<Summary, SweepError> {
        self.write()?;
        let drive = Drive::new(self, how, observer);
        drive.settle_old()?;
        observer.event(&Event::Begun {
            members: drive.order.len(),
            jobs: drive.jobs,
            threads: drive.runner.threads,
        });
        page::write(&self.folder, &how.keep, &how.command)?;
        let results: Vec<Result<(), SweepError>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..drive.jobs)
                .map(|_| scope.spawn(|| drive.work()))
                .collect();
            let mut results = Vec::new();
            let mut written = Instant::now();
            while !workers
                .iter()
                .all(std::thread::ScopedJoinHandle::is_finished)
            {
                std::thread::sleep(PAUSE);
                if written.elapsed() >= PAGE && drive.changed.swap(false, Ordering::Relaxed) {
                    results.push(page::write(&self.folder, &how.keep, &how.command));
                    written = Instant::now();
                }
            }
            let joined = workers.into_iter().map(|worker| worker.join());
            results.extend(joined.flatten());
            results
        });
        // Also when something failed, the page shows what there is.
        let page = page::write(&self.folder, &how.keep, &how.command);
        results
            .into_iter()
            .chain([page])
            .collect::<Result<(), _>>()?;
        drive.summary()
    }
}

impl<'a> Drive<'a> {
    fn new(sweep: &'a Sweep, how: &'a How, observer: &'a dyn SweepObserver) -> Self {
        let order = how.share.of(sweep.len());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let need = sweep
            .members
            .iter()
            .map(|member| member.estimate.memory_bytes)
            .max();
        let room = available_memory().zip(need);
        // Before a member is measured, the plan's figure counts.
        let fit = room.map_or(cores, |(free, need)| (free / 5 * 4 / need.max(1)) as usize);
        let wanted = how.jobs.unwrap_or_else(|| match how.threads {
            Some(threads) => (cores / threads.max(1)).max(1).min(fit),
            None => cores.min(fit),
        });
        let jobs = wanted.clamp(1, order.len().max(1));
        let threads = how.threads.unwrap_or((cores / jobs).max(1));
        Self {
            sweep,
            how,
            runner: Runner {
                program: how.program.clone(),
                threads,
                checkpoint_every: how.checkpoint_every.clone(),
                timeout: how.timeout,
            },
            jobs,
            observer,
            watch: Watch::default(),
            order,
            desk: Mutex::new(Desk {
                most: jobs,
                ..Desk::default()
            }),
            changed: AtomicBool::new(false),
            working: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn member(&self, index: usize) -> &'a Member {
        &self.sweep.members[index]
    }

    /// Members that ended before this process began; those that may have another try are pending again.
    fn settle_old(&self) -> Result<(), SweepError> {
        for &index in &self.order {
            let place = &self.member(index).place;
            let Some(end) = state::end(place)? else {
                continue;
            };
            let again = end.again || (self.how.retry && end.status != Status::Done);
            if again {
                // Whoever holds the lease decides: a sweep that runs already tries it or has tried it.
                if let Some(lease) = self.take(place)? {
                    let path = place.own(STATE);
                    let removed = std::fs::remove_file(&path).map_err(failed(&path, "remove it"));
                    lease.release();
                    removed?;
                }
            } else {
                self.desk().settled.insert(index);
            }
        }
        self.how.keep.drop_rest(&self.sweep.folder)
    }

    fn take(&self, place: &Place) -> Result<Option<Lease>, SweepError> {
        let taken = Lease::take(place, &self.watch, STALE);
        taken.map_err(failed(&place.own("lease"), "take the member"))
    }

    /// One worker.
    fn work(&self) -> Result<(), SweepError> {
        loop {
            match self.next()? {
                Next::Work(index, lease) => {
                    let result = self.member_run(index, lease);
                    self.desk().mine.remove(&index);
                    self.working.fetch_sub(1, Ordering::Relaxed);
                    self.changed.store(true, Ordering::Relaxed);
                    if let Err(error) = result {
                        self.halt(&format!("{error}"));
                        return Err(error);
                    }
                }
                Next::Wait => std::thread::sleep(PAUSE),
                Next::Stop => return Ok(()),
            }
        }
    }

    fn next(&self) -> Result<Next, SweepError> {
        self.check_time();
        let mut desk = self.desk();
        if desk.stopped.is_some() {
            return Ok(Next::Stop);
        }
        if desk.settled.len() == self.order.len() {
            return Ok(Next::Stop);
        }
        if let Some(next) = self.room(&mut desk) {
            return Ok(next);
        }
        for &index in &self.order {
            if desk.settled.contains(&index) || desk.mine.contains(&index) {
                continue;
            }
            let place = &self.member(index).place;
            if state::end(place)?.is_some() {
                desk.settled.insert(index);
                self.changed.store(true, Ordering::Relaxed);
                continue;
            }
            let Some(lease) = self.take(place)? else {
                continue;
            };
            // It may have ended between the look and the lease.
            if state::end(place)?.is_some() {
                lease.end();
                desk.settled.insert(index);
                continue;
            }
            desk.mine.insert(index);
            self.working.fetch_add(1, Ordering::Relaxed);
            return Ok(Next::Work(index, lease));
        }
        Ok(Next::Wait)
    }

    /// Whether memory and disk have room for one more member; none: they have.
    fn room(&self, desk: &mut Desk) -> Option<Next> {
        let working = self.working.load(Ordering::Relaxed);
        if working >= desk.most {
            return Some(Next::Wait);
        }
        let left = self
            .order
            .iter()
            .find(|index| !desk.settled.contains(index) && !desk.mine.contains(index));
        let estimate = self.member(*left?).estimate;
        if working > 0 {
            // A tenth more than the largest so far: members differ.
            let measured = desk.measured.map(|(_, memory)| memory / 10 * 11);
            let need = measured.unwrap_or(estimate.memory_bytes).max(1);
            if available_memory().is_some_and(|free| free / 5 * 4 < need) {
                return Some(Next::Wait);
            }
        }
        let most = self.how.max_disk?;
        let used = size(&self.sweep.folder);
        let one = desk.measured.map_or(estimate.disk_bytes, |(disk, _)| disk);
        // Until one is measured the plan's figure, which is of files that do not compress, would stop too early.
        let first = working == 0 && desk.measured.is_none() && used < most;
        if first || used + one * (working as u64 + 1) <= most {
            return None;
        }
        if working > 0 {
            return Some(Next::Wait);
        }
        let bytes = thalweg_pipeline::bytes;
        let why = format!(
            "the folder has {} and a member takes {}: more than --max-disk {}",
            bytes(used),
            bytes(one),
            bytes(most)
        );
        self.halt_with(desk, &why);
        Some(Next::Stop)
    }

    fn check_time(&self) {
        let late = self
            .how
            .until
            .is_some_and(|until| SystemTime::now() >= until);
        if late {
            self.halt("the time of --until has come");
        } else if self.observer.cancelled() {
            self.halt("interrupted");
        }
    }

    fn halt(&self, why: &str) {
        self.halt_with(&mut self.desk(), why);
    }

    fn halt_with(&self, desk: &mut Desk, why: &str) {
        if desk.stopped.is_none() {
            desk.stopped = Some(why.to_owned());
            self.stop.store(true, Ordering::Relaxed);
            self.observer.event(&Event::Stopping { why });
        }
    }

    /// A member from its lease to its end.
    fn member_run(&self, index: usize, mut lease: Lease) -> Result<(), SweepError> {
        let member = self.member(index);
        self.observer.event(&Event::Started {
            id: &member.identity.id,
            seed: member.identity.seed,
        });
        let outcome = self.beating(&mut lease, |lost| self.outcome(member, lost));
        let Some(end) = outcome? else {
            lease.release();
            return Ok(());
        };
        let ours = lease.beat();
        if !ours.map_err(failed(&member.place.0, "keep the member"))? {
            // Another has taken it: what it finds is whole, and its end is the one that counts.
            return Ok(());
        }
        write_json(&member.place.own(STATE), &end)?;
        lease.end();
        self.ended(index, &end)
    }

    fn ended(&self, index: usize, end: &End) -> Result<(), SweepError> {
        let member = self.member(index);
        let finished = {
            let mut desk = self.desk();
            desk.settled.insert(index);
            let memory = end.metrics.get("peak_rss_bytes").and_then(Value::as_u64);
            let (disk, most) = desk.measured.unwrap_or_default();
            if end.status == Status::Done {
                desk.measured = Some((disk.max(end.bytes), most.max(memory.unwrap_or(0))));
            }
            desk.settled.len()
        };
        self.observer.event(&Event::Ended {
            id: &member.identity.id,
            seed: member.identity.seed,
            status: end.status,
            reason: end.reason.as_deref(),
            finished,
            members: self.order.len(),
        });
        if self.how.fail_fast && end.status != Status::Done {
            self.halt("a member is not done, and --fail-fast was given");
        }
        self.how.keep.drop_rest(&self.sweep.folder)
    }

    /// Does something and shows meanwhile that this process lives; `lost` is set when the member is another's.
    fn beating<T: Send>(&self, lease: &mut Lease, work: impl FnOnce(&AtomicBool) -> T + Send) -> T {
        let lost = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || work(lost));
            let mut beaten = Instant::now();
            while !worker.is_finished() {
                std::thread::sleep(Duration::from_millis(10));
                if beaten.elapsed() >= BEAT {
                    beaten = Instant::now();
                    // A file system that fails for a while is no reason to give up.
                    if let Ok(false) = lease.beat() {
                        lost.store(true, Ordering::Relaxed);
                    }
                }
            }
            match worker.join() {
                Ok(value) => value,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Runs a member; none: it has not come to its end and somebody is to go on with it.
    fn outcome(&self, member: &Member, lost: &AtomicBool) -> Result<Option<End>, SweepError> {
        let stop = || {
            self.check_time();
            self.stop.load(Ordering::Relaxed) || lost.load(Ordering::Relaxed)
        };
        let mut kills = 0;
        loop {
            let ended = self.runner.run(&member.place, &stop)?;
            let words = last_words(&member.place.own(LOG));
            let fail = |reason: String, again: bool| {
                Ok(Some(End {
                    status: Status::Failed,
                    reason: Some(reason),
                    again,
                    dropped: false,
                    bytes: size(&member.place.0),
                    metrics: metrics::Metrics::new(),
                    pictures: Vec::new(),
                }))
            };
            return match ended {
                Ended::Code(0) => self.done(member, Status::Done, None),
                Ended::Code(8) => self.done(member, Status::Invalid, Some(words)),
                Ended::Stopped | Ended::Busy => Ok(None),
                Ended::Code(130) => {
                    self.halt("interrupted");
                    Ok(None)
                }
                Ended::Signal(_) if stop() => Ok(None),
                Ended::Signal(_) if kills < KILLS => {
                    kills += 1;
                    continue;
                }
                Ended::Signal(9) => fail(
                    "killed (signal 9), as the system does when memory runs out; a machine with more memory or fewer --jobs may help".to_owned(),
                    true,
                ),
                Ended::Signal(number) => fail(format!("killed by signal {number}"), true),
                Ended::TimedOut => {
                    let limit = self.how.timeout.unwrap_or_default();
                    fail(format!("took longer than --timeout, {} s", limit.as_secs()), true)
                }
                Ended::Code(5 | 6) if disk_full(&words) => {
                    self.halt(&format!("the disk is full: {words}"));
                    Ok(None)
                }
                Ended::Code(5) if self.fewer() => Ok(None),
                Ended::Code(code @ (5 | 6)) => fail(format!("{words} (exit code {code})"), true),
                Ended::Code(code) => fail(format!("{words} (exit code {code})"), false),
            };
        }
    }

    /// One member at a time less, if there are others: false where this one alone does not fit.
    fn fewer(&self) -> bool {
        let working = self.working.load(Ordering::Relaxed);
        if working > 1 {
            self.desk().most = working - 1;
        }
        working > 1
    }

    /// A member whose results are there.
    fn done(
        &self,
        member: &Member,
        status: Status,
        words: Option<String>,
    ) -> Result<Option<End>, SweepError> {
        let place = &member.place;
        let record: Value = read_json(&place.record())?.unwrap_or_default();
        let mut end = End {
            status,
            reason: words,
            again: false,
            dropped: false,
            bytes: 0,
            metrics: metrics::Metrics::new(),
            pictures: Vec::new(),
        };
        if record["pipeline_blake3"] != *member.identity.pipeline_blake3 {
            end.status = Status::Failed;
            end.reason = Some(
                "the raster that it reads has changed since the sweep began; bring the old one back, or begin another sweep with --out".to_owned(),
            );
            return Ok(Some(end));
        }
        if let Some(violations) = record["violations"]
            .as_array()
            .filter(|list| !list.is_empty())
        {
            let words: Vec<&str> = violations.iter().filter_map(Value::as_str).collect();
            end.reason = Some(words.join("; "));
        }
        let preview = preview::make(place, &record, self.sweep.manifest.range_m)?;
        end.metrics = metrics::of(&record, preview.ground);
        end.pictures = preview.pictures;
        end.bytes = size(&place.0);
        Ok(Some(end))
    }

    fn summary(&self) -> Result<Summary, SweepError> {
        let mut summary = Summary {
            stopped: self.desk().stopped.clone(),
            ..Summary::default()
        };
        for &index in &self.order {
            let place = &self.member(index).place;
            summary.count(match state::end(place)? {
                Some(end) => end.status,
                None if crate::lease::held(place) => Status::Running,
                None => Status::Pending,
            });
        }
        Ok(summary)
    }
}
