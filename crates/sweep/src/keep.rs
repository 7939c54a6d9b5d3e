//! Which members are best, and what stays on disk of the others.

use crate::error::SweepError;
use crate::expression::{Expression, Rank};
use crate::files::{STATE, read_json, write_json};
use crate::metrics::{self, Metrics};
use crate::state::{self, Found, Status};
use serde_json::Value;
use std::fs;
use std::path::{Component, Path};

/// Which members are shown first, and which keep their outputs.
#[derive(Debug, Clone, Default)]
pub struct Keep {
    /// Best first.
    pub rank: Option<Rank>,
    /// Members that count.
    pub filter: Option<Expression>,
    /// How many of the best keep their outputs; none: all.
    pub top: Option<usize>,
}

impl Keep {
    /// From `--rank`, `--where` and `--keep`; `vary` has the paths of keys that vary.
    ///
    /// # Errors
    /// When one of them cannot be understood.
    pub fn new(
        rank: Option<&str>,
        filter: Option<&str>,
        keep: Option<&str>,
        vary: &[String],
    ) -> Result<Self, SweepError> {
        let known = names(vary);
        let wrong = |found: &str, message: &str| SweepError::Keep {
            found: found.to_owned(),
            message: message.to_owned(),
        };
        let top = match keep {
            None | Some("all") => None,
            Some(text) => {
                let count = text
                    .strip_prefix("top:")
                    .and_then(|count| count.parse().ok());
                Some(count.ok_or_else(|| wrong(text, "expected top:N, such as top:10, or all"))?)
            }
        };
        if top.is_some() && rank.is_none() {
            let text = keep.unwrap_or_default();
            return Err(wrong(
                text,
                "say which are best with --rank, such as --rank 'relief_m desc'",
            ));
        }
        Ok(Self {
            rank: rank.map(|text| Rank::new(text, &known)).transpose()?,
            filter: filter
                .map(|text| Expression::new("--where", text, &known))
                .transpose()?,
            top,
        })
    }

    /// Whether a member counts: it is done, and what `--where` says holds.
    pub(crate) fn counts(&self, found: &Found) -> Result<bool, SweepError> {
        if found.status != Status::Done {
            return Ok(false);
        }
        let Some(filter) = &self.filter else {
            return Ok(true);
        };
        let value = filter.value(&context(found))?;
        Ok(value.is_some_and(|value| value.is_true()))
    }

    /// Indices of the members that count, best first; those that are equal in the order of the sweep.
    pub(crate) fn ranked(&self, members: &[Found]) -> Result<Vec<usize>, SweepError> {
        let mut keyed = Vec::new();
        for (index, found) in members.iter().enumerate() {
            if !self.counts(found)? {
                continue;
            }
            let key = match &self.rank {
                Some(rank) => rank.key(&context(found))?,
                None => Some(0.0),
            };
            // What has no value comes last.
            keyed.push((key.unwrap_or(f64::INFINITY), index));
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(keyed.into_iter().map(|(_, index)| index).collect())
    }

    /// Takes away the outputs of members that are done and not among the best. Since more members can only push one
    /// further down, none is missed later.
    pub(crate) fn drop_rest(&self, sweep: &Path) -> Result<(), SweepError> {
        let Some(top) = self.top else { return Ok(()) };
        let members = state::members(sweep)?;
        let best: Vec<usize> = self.ranked(&members)?.into_iter().take(top).collect();
        for (index, found) in members.iter().enumerate() {
            let Some(end) = &found.end else { continue };
            if found.status == Status::Done && !best.contains(&index) && !end.dropped {
                let mut end = end.clone();
                end.dropped = true;
                // First said, then done: what is left after a kill in between is said to be away, and never the
                // other way round.
                write_json(&found.place.own(STATE), &end)?;
                drop_outputs(found)?;
            }
        }
        Ok(())
    }
}

/// Removes the files that a record names.
fn drop_outputs(found: &Found) -> Result<(), SweepError> {
    let record: Value = read_json(&found.place.record())?.unwrap_or_default();
    let outputs = record["outputs"].as_array().into_iter().flatten();
    for output in outputs {
        let companions = output["companions"].as_array().into_iter().flatten();
        for path in companions
            .chain([&output["path"]])
            .filter_map(Value::as_str)
        {
            let path = Path::new(path);
            let inside = |part| matches!(part, Component::Normal(_));
            if path.components().all(inside) {
                // It may be gone already: another process does the same.
                let _ = fs::remove_file(found.place.0.join(path));
                let folders = path
                    .ancestors()
                    .skip(1)
                    .filter(|folder| *folder != Path::new(""));
                for folder in folders {
                    // Only those that are empty go.
                    let _ = fs::remove_dir(found.place.0.join(folder));
                }
            }
        }
    }
    Ok(())
}

/// Names that expressions may use.
fn names(vary: &[String]) -> Vec<String> {
    let metrics = metrics::ALL.iter().map(|metric| metric.name.to_owned());
    let own = ["seed".to_owned()].into_iter();
    metrics
        .chain(own)
        .chain(vary.iter().map(|path| short(path)))
        .collect()
}

/// Name of a key that varies: `erode.rivers.cycles` is `cycles`.
pub(crate) fn short(path: &str) -> String {
    path.rsplit('.').next().unwrap_or(path).to_owned()
}

/// What a member's expressions see.
pub(crate) fn context(found: &Found) -> Metrics {
    let mut context = Metrics::new();
    for (path, value) in &found.identity.vary {
        context.insert(short(path), value.clone());
    }
    context.insert("seed".to_owned(), found.identity.seed.into());
    if let Some(end) = &found.end {
        context.extend(end.metrics.clone());
    }
    context
}
