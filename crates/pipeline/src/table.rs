//! A stage's effective parameters as lines for people: key, value, unit.

use crate::schema;
use crate::tree::Segment;
use serde_json::Value;

/// Every effective key below the stage at `index` of a resolved pipeline: its path, value and unit (empty where it
/// has none). Features that are off do not appear.
#[must_use]
pub fn parameters(pipeline: &crate::spec::Pipeline, index: usize) -> Vec<[String; 3]> {
    let Some(stage) = pipeline.stages.get(index) else {
        return Vec::new();
    };
    let json = serde_json::to_value(stage).unwrap_or_default();
    let path = [Segment::Key("stages".to_owned()), Segment::Index(index)];
    let mut rows = Vec::new();
    if let (Some(schema), Some(keys)) = (schema::at(&path), json.get(stage.kind())) {
        let kind = Segment::Key(stage.kind().to_owned());
        if let Some(schema) = schema::child(schema, &kind) {
            collect(keys, schema, "", &mut rows);
        }
    }
    rows.retain(|[key, ..]| key != "id");
    rows
}

fn collect(value: &Value, schema: &'static Value, path: &str, rows: &mut Vec<[String; 3]>) {
    let unit = || schema::unit(schema).unwrap_or_default().to_owned();
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let Some(schema) = schema::child(schema, &Segment::Key(key.clone())) else {
                    continue;
                };
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                collect(value, schema, &path, rows);
            }
        }
        Value::String(text) => rows.push([path.to_owned(), text.clone(), unit()]),
        plain => rows.push([path.to_owned(), plain.to_string(), unit()]),
    }
}
