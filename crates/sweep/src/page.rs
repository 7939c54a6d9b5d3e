//! The morning page and its tables: `index.html`, `sweep.csv`, `sweep.json`, made from what is on disk.

use crate::drive::Summary;
use crate::error::SweepError;
use crate::files;
use crate::keep::{Keep, context, short};
use crate::metrics::ALL;
use crate::setup::manifest;
use crate::state::{self, Found, Status};
use minijinja::value::Serde;
use minijinja::{Environment, context as values};
use serde_json::{Map, Value, json};
use std::path::Path;

const TEMPLATE: &str = include_str!("page/index.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Writes page and tables of a folder anew, each whole or not at all.
pub(crate) fn write(folder: &Path, keep: &Keep, command: &str) -> Result<(), SweepError> {
    let (_, value) = account(folder, keep, command)?;
    let text = serde_json::to_string_pretty(&value).map_err(wrong)?;
    write_file(folder, "sweep.json", &format!("{text}\n"))?;
    write_file(folder, "sweep.csv", &csv(&value)?)?;
    write_file(folder, "index.html", &html(&value)?)
}

fn write_file(folder: &Path, name: &str, text: &str) -> Result<(), SweepError> {
    files::write(&folder.join(name), text.as_bytes())
}

/// How far a folder's sweep has come, and its members that are not done, with the reason.
///
/// # Errors
/// When the folder holds no sweep, or cannot be read.
pub fn status(folder: &Path) -> Result<(Summary, Value), SweepError> {
    account(folder, &Keep::default(), "")
}

/// All that the page shows.
fn account(folder: &Path, keep: &Keep, command: &str) -> Result<(Summary, Value), SweepError> {
    let Some(manifest) = manifest(folder).or_else(|error| {
        if folder.exists() {
            Err(error)
        } else {
            Ok(None)
        }
    })?
    else {
        return Err(SweepError::None {
            folder: folder.to_owned(),
        });
    };
    let found = state::members(folder)?;
    let ranked = keep.ranked(&found)?;
    let mut summary = Summary::default();
    let mut members = Vec::new();
    for (index, member) in found.iter().enumerate() {
        summary.count(member.status);
        let rank = ranked.iter().position(|ranked| *ranked == index);
        members.push(told(member, rank.map(|rank| rank + 1)));
    }
    let columns = columns(&found);
    let value = json!({
        "name": manifest.name,
        "version": manifest.version,
        "command": command,
        "counts": {
            "done": summary.done, "failed": summary.failed, "invalid": summary.invalid,
            "running": summary.running, "pending": summary.pending,
        },
        "columns": columns,
        "members": members,
    });
    Ok((summary, value))
}

/// Metrics and keys that vary, of those that members have.
fn columns(found: &[Found]) -> Vec<Value> {
    let mut columns = Vec::new();
    let mut keys: Vec<&String> = Vec::new();
    for path in found.iter().flat_map(|member| member.identity.vary.keys()) {
        if !keys.contains(&path) {
            keys.push(path);
        }
    }
    for path in keys {
        columns.push(
            json!({ "name": short(path), "unit": "", "meaning": format!("{path}, which varies") }),
        );
    }
    columns.push(json!({ "name": "seed", "unit": "", "meaning": "seed of every random choice" }));
    for metric in ALL {
        let has = |member: &Found| {
            let end = member.end.as_ref();
            end.is_some_and(|end| end.metrics.contains_key(metric.name))
        };
        if found.iter().any(has) {
            columns.push(
                json!({ "name": metric.name, "unit": metric.unit, "meaning": metric.meaning }),
            );
        }
    }
    columns
}

fn told(member: &Found, rank: Option<usize>) -> Value {
    let identity = &member.identity;
    let end = member.end.as_ref();
    let pictures: Map<String, Value> = end
        .map(|end| end.pictures.clone())
        .unwrap_or_default()
        .into_iter()
        .map(|(name, path)| (name, Value::from(format!("{}/{path}", identity.id))))
        .collect();
    json!({
        "id": identity.id,
        "seed": identity.seed,
        "vary": identity.vary,
        "status": member.status,
        "reason": end.and_then(|end| end.reason.clone()),
        "rank": rank,
        "dropped": end.is_some_and(|end| end.dropped),
        "metrics": context(member),
        "pictures": pictures,
    })
}

fn csv(value: &Value) -> Result<String, SweepError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns: Vec<&str> = list(&value["columns"])
        .filter_map(|column| column["name"].as_str())
        .collect();
    let fixed = ["id", "status", "rank", "dropped", "reason"];
    let heads = fixed.iter().copied().chain(columns.iter().copied());
    writer.write_record(heads).map_err(wrong)?;
    for member in list(&value["members"]) {
        let own = fixed.iter().map(|name| text(&member[*name]));
        let metrics = columns.iter().map(|name| text(&member["metrics"][*name]));
        writer.write_record(own.chain(metrics)).map_err(wrong)?;
    }
    let bytes = writer.into_inner().map_err(wrong)?;
    String::from_utf8(bytes).map_err(wrong)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn html(value: &Value) -> Result<String, SweepError> {
    let mut environment = Environment::new();
    // The name's ending makes MiniJinja escape what it puts in; `tojson` escapes for scripts.
    environment
        .add_template("index.html", TEMPLATE)
        .map_err(wrong)?;
    let template = environment.get_template("index.html").map_err(wrong)?;
    let unfinished = [Status::Running, Status::Pending]
        .iter()
        .any(|status| value["counts"][status.to_string()].as_u64().unwrap_or(0) > 0);
    template
        .render(values! { sweep => Serde(value), unfinished, style => STYLE, script => SCRIPT })
        .map_err(wrong)
}

fn wrong(error: impl std::fmt::Display) -> SweepError {
    SweepError::Page(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str) -> Value {
        json!({
            "name": name, "version": "0", "command": name,
            "counts": { "done": 1, "failed": 0, "invalid": 0, "running": 0, "pending": 0 },
            "columns": [ { "name": "seed", "unit": "", "meaning": name } ],
            "members": [ { "id": "a", "seed": 1, "vary": { name: name }, "status": "failed", "reason": name,
                           "rank": null, "dropped": false, "metrics": { "seed": 1 }, "pictures": {} } ],
        })
    }

    #[test]
    fn whatever_a_pipeline_says_stays_text() {
        let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
        let page = html(&sample(evil)).unwrap();
        assert!(
            !page.contains("alert(1)</script>") && !page.contains("<img src=x"),
            "{page}"
        );
        // The page's own: the data and the program.
        assert_eq!(page.matches("</script>").count(), 2);
    }

    #[test]
    fn the_table_quotes_what_needs_it() {
        let table = csv(&sample("a,\"b\"\nc")).unwrap();
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let row = reader.records().next().unwrap().unwrap();
        assert_eq!(&row[4], "a,\"b\"\nc");
        assert_eq!(&row[5], "1");
    }
}
