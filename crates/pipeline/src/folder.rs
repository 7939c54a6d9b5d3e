//! The output folder: nothing in it is replaced unasked, nothing leaves it, and two runs never share it.

use crate::checkpoint;
use crate::error::PipelineError;
use crate::plan::Target;
use crate::record;
use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Name of the file that the run which works in a folder holds locked.
pub const LOCK: &str = ".thalweg.lock";

/// What the lock holds where everything under a final name was made by a run that did not get to its end: a
/// killed run must not block the next one. A run that replaces other results leaves the lock empty, so that they
/// stay protected when it is killed.
const FRESH: &str = "the first run in this folder has not got to its end\n";

/// The old record's name while its outputs are replaced.
const RETIRED: &str = ".run.json.replaced.tmp";

/// An output folder that belongs to this run until it is dropped.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// Whether files under final names may be replaced.
    pub(crate) replace: bool,
    /// Whether all that is there was made by runs that did not get to their end.
    fresh: bool,
    files: Vec<PathBuf>,
    lock: File,
    /// Folders that this run made, outer before inner.
    made: Vec<PathBuf>,
    /// Whether this run has taken an old record away.
    retired: Cell<bool>,
    /// Whether a file has got its final name.
    published: Cell<bool>,
    complete: bool,
}

impl Folder {
    /// Refuses before anything is made where results are in the way.
    pub(crate) fn check(
        folder: &Path,
        targets: &[Target],
        overwrite: bool,
    ) -> Result<(), PipelineError> {
        if exists(folder) && !folder.is_dir() {
            return Err(PipelineError::NotFolder {
                path: folder.to_owned(),
            });
        }
        let checkpoints = checkpoint::file::NAMES.map(PathBuf::from);
        let files = names(targets).into_iter().chain(checkpoints);
        let mut files = files.map(|file| folder.join(file));
        if let Some(path) = files.find(|file| file.is_dir()) {
            return Err(PipelineError::InTheWay { path });
        }
        let mark = || fs::read_to_string(folder.join(LOCK)).unwrap_or_default();
        if overwrite || unfinished(folder, &mark()) {
            return Ok(());
        }
        first_there(folder, targets).map_or(Ok(()), |path| Err(PipelineError::Exists { path }))
    }

    /// Makes the folder and takes hold of it.
    pub(crate) fn take(
        folder: &Path,
        targets: &[Target],
        overwrite: bool,
    ) -> Result<Self, PipelineError> {
        Self::check(folder, targets, overwrite)?;
        let mut made: Vec<PathBuf> = Vec::new();
        if !folder.is_dir() {
            made.push(folder.to_owned());
        }
        fs::create_dir_all(folder).map_err(failed(folder, "make the output folder"))?;
        let mut lock = lock(folder)?;
        let mut mark = String::new();
        // What cannot be read is no mark: results are kept then.
        let _ = lock.read_to_string(&mut mark);
        // Once more: another run may have come to its end meanwhile.
        let unfinished = unfinished(folder, &mark);
        let there = first_there(folder, targets);
        let replace = overwrite || unfinished;
        if let Some(path) = there.clone().filter(|_| !replace) {
            let _ = fs::remove_file(folder.join(LOCK));
            return Err(PipelineError::Exists { path });
        }
        let fresh = unfinished || there.is_none();
        if fresh && mark != FRESH {
            let path = folder.join(LOCK);
            lock.write_all(FRESH.as_bytes())
                .map_err(failed(&path, "write it"))?;
        }
        let mut taken = Self {
            path: folder.to_owned(),
            replace,
            fresh,
            files: names(targets),
            lock,
            made,
            retired: Cell::new(false),
            published: Cell::new(false),
            complete: false,
        };
        for target in targets {
            taken.make_folders(&target.path)?;
        }
        taken.sweep();
        Ok(taken)
    }

    /// The folders between the output folder and a file; a link among them would lead out.
    fn make_folders(&mut self, file: &Path) -> Result<(), PipelineError> {
        let mut folder = self.path.clone();
        for name in file.parent().into_iter().flat_map(Path::components) {
            folder.push(name);
            match fs::symlink_metadata(&folder) {
                Ok(found) if found.is_symlink() => {
                    return Err(PipelineError::Leaves {
                        path: self.path.join(file),
                        link: folder,
                    });
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    fs::create_dir(&folder).map_err(failed(&folder, "make the folder"))?;
                    self.made.push(folder.clone());
                }
                Err(error) => return Err(failed(&folder, "look at it")(error)),
            }
        }
        Ok(())
    }

    /// Takes away what killed runs left under temporary names.
    fn sweep(&self) {
        let checkpoints = checkpoint::file::NAMES.map(PathBuf::from);
        for file in self.files.iter().chain(&checkpoints) {
            let file = self.path.join(file);
            let (Some(folder), Some(name)) = (
                file.parent(),
                file.file_name().and_then(|name| name.to_str()),
            ) else {
                continue;
            };
            for left in leftovers(folder, name) {
                // Only tidiness is lost if it stays.
                let _ = fs::remove_file(&left).or_else(|_| fs::remove_dir_all(&left));
            }
        }
    }

    /// Takes the old record away, now that all is computed and outputs are about to be replaced: from here on a run
    /// that is killed never looks complete.
    pub(crate) fn retire_record(&self) -> Result<(), PipelineError> {
        let record = self.path.join(record::FILE);
        if self.replace && exists(&record) {
            fs::rename(&record, self.path.join(RETIRED))
                .map_err(failed(&record, "take the old record away"))?;
            self.retired.set(true);
        }
        Ok(())
    }

    /// Says that a file has got its final name: the old record is true no more.
    pub(crate) fn published(&self) {
        self.published.set(true);
    }

    /// Says that the record is written: the next run finds a complete folder.
    pub(crate) fn complete(mut self) {
        self.complete = true;
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.retired.get() {
            let retired = self.path.join(RETIRED);
            // Where nothing was replaced after all, the old results are whole.
            let _ = if self.published.get() {
                fs::remove_file(&retired)
            } else {
                fs::rename(&retired, self.path.join(record::FILE))
            };
        }
        let started = self.files.iter().any(|file| exists(&self.path.join(file)));
        // A run that wrote nothing leaves nothing; one that stopped half-way leaves its mark.
        if self.complete || !started || !self.fresh {
            let _ = fs::remove_file(self.path.join(LOCK));
        }
        if !started {
            for folder in self.made.iter().rev() {
                let _ = fs::remove_dir(folder);
            }
        }
        let _ = self.lock.unlock();
    }
}

/// Whether what is in a folder was left by a first run that did not get to its end.
fn unfinished(folder: &Path, mark: &str) -> bool {
    mark == FRESH && !exists(&folder.join(record::FILE))
}

/// Temporary files and folders that a killed run left beside a file.
fn leftovers(folder: &Path, name: &str) -> Vec<PathBuf> {
    let (start, end) = (format!(".{name}."), ".tmp");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            entry
                .file_name()
                .to_str()
                .is_some_and(|name| name.starts_with(&start) && name.ends_with(end))
        })
        .map(|entry| entry.path())
        .collect()
}

/// Every file that a run writes, the record last.
fn names(targets: &[Target]) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = targets.iter().flat_map(Target::files).collect();
    names.push(PathBuf::from(record::FILE));
    names
}

fn first_there(folder: &Path, targets: &[Target]) -> Option<PathBuf> {
    names(targets)
        .into_iter()
        .map(|file| folder.join(file))
        .find(|file| exists(file))
}

fn lock(folder: &Path) -> Result<File, PipelineError> {
    let path = folder.join(LOCK);
    let file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(failed(&path, "make it"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PipelineError::Busy {
            folder: folder.to_owned(),
        }),
        // Some network file systems know no locks: the mark itself is what matters.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(error)) => Err(failed(&path, "lock it")(error)),
    }
}

/// Whether there is anything under a name, a link that leads nowhere included.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn failed(path: &Path, doing: &'static str) -> impl Fn(std::io::Error) -> PipelineError {
    let path = path.to_owned();
    move |source| PipelineError::Io {
        path: path.clone(),
        doing,
        source,
    }
}
