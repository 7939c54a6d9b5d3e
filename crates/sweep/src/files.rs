//! Where things are, and files that are whole or absent.

use crate::error::{SweepError, failed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of a member's files that are the sweep's, below the member's.
pub(crate) const OWN: &str = "sweep";
/// What the sweep is, in the sweep's folder.
pub(crate) const MANIFEST: &str = ".sweep.json";
/// What a member is.
pub(crate) const MEMBER: &str = "member.json";
/// The pipeline that a member runs, every key in it.
pub(crate) const PIPELINE: &str = "pipeline.yaml";
/// How a member ended.
pub(crate) const STATE: &str = "state.json";
/// What its process said.
pub(crate) const LOG: &str = "log.txt";

/// A member's folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn new(sweep: &Path, id: &str) -> Self {
        Self(sweep.join(id))
    }

    /// A file of the sweep's.
    pub(crate) fn own(&self, name: &str) -> PathBuf {
        self.0.join(OWN).join(name)
    }

    pub(crate) fn record(&self) -> PathBuf {
        thalweg_pipeline::record_path(&self.0)
    }
}

/// Writes a file under a name of its own first: under its final name it is complete, also for those who read it
/// meanwhile.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), SweepError> {
    let temporary = temporary(path);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        failed(path, "write it")(error)
    })
}

/// A name beside a file that no other process and no other call uses.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}-{count}.tmp", token()))
}

/// A word that tells this process from all others, also on other machines.
pub(crate) fn token() -> &'static str {
    static TOKEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    TOKEN.get_or_init(|| {
        let drawn = getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id()));
        format!("{drawn:016x}")
    })
}

pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), SweepError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| failed(path, "write it")(std::io::Error::other(error)))?;
    write(path, format!("{text}\n").as_bytes())
}

/// What a JSON file holds; none where there is no file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, SweepError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(failed(path, "read it"))?,
    };
    let value = serde_json::from_str(&text);
    value
        .map(Some)
        .map_err(|error| failed(path, "understand it")(std::io::Error::other(error)))
}

/// Bytes of all files below a folder; what vanishes meanwhile counts nothing.
pub(crate) fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => size(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}
