//! What a member is and how far it has come: what is on disk says so, nothing else does.

use crate::error::{SweepError, failed};
use crate::files::{MEMBER, Place, STATE, read_json};
use crate::lease;
use crate::metrics::Metrics;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;

/// What a member is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Hash of the resolved pipeline, seed and version: the name of the folder.
    pub id: String,
    /// Place in the order of the sweep.
    pub order: usize,
    /// Its seed.
    pub seed: u64,
    /// Keys that vary, and their values.
    pub vary: Map<String, Value>,
    /// What `run.json` will tell under the same name.
    pub pipeline_blake3: String,
}

/// How far a member has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Nobody works on it.
    Pending,
    /// Somebody does.
    Running,
    /// Its results are there.
    Done,
    /// It ended without results.
    Failed,
    /// Its results are there, but a ledger or a sanity check is out of bounds.
    Invalid,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
        })
    }
}

/// How a member ended; `state.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Done, failed or invalid.
    pub status: Status,
    /// Why not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the reason lies outside of the pipeline: the same command then tries once more.
    #[serde(default)]
    pub again: bool,
    /// Whether its outputs were taken away to save room.
    #[serde(default)]
    pub dropped: bool,
    /// Bytes of its folder when it ended.
    #[serde(default)]
    pub bytes: u64,
    /// What was measured.
    #[serde(default)]
    pub metrics: Metrics,
    /// Pictures below the member's folder: what they show, and their path.
    #[serde(default)]
    pub pictures: Vec<(String, String)>,
}

/// A member as it is found on disk.
#[derive(Debug, Clone)]
pub struct Found {
    /// What it is.
    pub identity: Identity,
    /// How far it has come.
    pub status: Status,
    /// How it ended, if it did.
    pub end: Option<End>,
    pub(crate) place: Place,
}

pub(crate) fn end(place: &Place) -> Result<Option<End>, SweepError> {
    read_json(&place.own(STATE))
}

/// All members that a folder holds, in the order of the sweep.
pub(crate) fn members(sweep: &Path) -> Result<Vec<Found>, SweepError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(sweep).map_err(failed(sweep, "list it"))? {
        let entry = entry.map_err(failed(sweep, "list it"))?;
        let place = Place(entry.path());
        let Some(identity) = read_json::<Identity>(&place.own(MEMBER)).or_else(not_folder)? else {
            continue;
        };
        let end = end(&place)?;
        let status = match &end {
            Some(end) => end.status,
            None if lease::held(&place) => Status::Running,
            None => Status::Pending,
        };
        found.push(Found {
            identity,
            status,
            end,
            place,
        });
    }
    found.sort_by(|a, b| {
        let key = |found: &Found| (found.identity.order, found.identity.id.clone());
        key(a).cmp(&key(b))
    });
    Ok(found)
}

/// A file among the members' folders is no member.
fn not_folder(error: SweepError) -> Result<Option<Identity>, SweepError> {
    match &error {
        SweepError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotADirectory => {
            Ok(None)
        }
        _ => Err(error),
    }
}
