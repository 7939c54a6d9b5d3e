//! The pipeline format as JSON Schema, and paths through it.

use crate::spec::Pipeline;
use crate::tree::Segment;
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// JSON Schema (2020-12) of pipeline files, for editors.
#[must_use]
pub fn schema() -> Value {
    root().clone()
}

pub(crate) fn root() -> &'static Value {
    static ROOT: OnceLock<Value> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut schema = schemars::schema_for!(Pipeline).to_value();
        forbid_null(&mut schema);
        join_lines(&mut schema);
        schema["title"] = Value::from("Thalweg pipeline");
        schema
    })
}

/// A key without a value is an error in a pipeline file, so optional keys are either absent or typed.
fn forbid_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            strip_null(object);
            object.values_mut().for_each(forbid_null);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_null),
        _ => {}
    }
}

/// Descriptions are wrapped for those who read the source; editors wrap them again.
fn join_lines(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text
                    .replace("\n\n", "\u{2029}")
                    .replace('\n', " ")
                    .replace('\u{2029}', "\n\n");
            }
            object.values_mut().for_each(join_lines);
        }
        Value::Array(items) => items.iter_mut().for_each(join_lines),
        _ => {}
    }
}

fn strip_null(object: &mut Map<String, Value>) {
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let plain = types.iter().find(|kind| *kind != "null").cloned();
        object.insert("type".to_owned(), plain.unwrap_or_default());
    }
    let Some(Value::Array(choices)) = object.get("anyOf") else {
        return;
    };
    let null = |choice: &Value| choice.get("type").is_some_and(|kind| kind == "null");
    if choices.len() == 2 && choices.iter().any(null) {
        let typed = choices.iter().find(|choice| !null(choice)).cloned();
        object.remove("anyOf");
        if let Some(Value::Object(typed)) = typed {
            object.extend(typed);
        }
    }
}

/// Follows a reference into the definitions.
pub(crate) fn resolve(schema: &'static Value) -> &'static Value {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'));
    match target.and_then(|pointer| root().pointer(pointer)) {
        Some(found) => resolve(found),
        None => schema,
    }
}

/// The alternatives that a schema is made of, itself first.
fn parts(schema: &'static Value) -> impl Iterator<Item = &'static Value> {
    let schema = resolve(schema);
    let choices = ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|word| schema.get(word)?.as_array())
        .flatten()
        .map(resolve);
    std::iter::once(schema).chain(choices)
}

/// The schema of what stands under a key or an index; none where the format has nothing there.
pub(crate) fn child(schema: &'static Value, segment: &Segment) -> Option<&'static Value> {
    parts(schema).find_map(|part| match segment {
        Segment::Key(key) => match part.get("properties") {
            Some(properties) => properties.get(key),
            None => named(part),
        },
        Segment::Index(_) => part.get("items"),
    })
}

/// The schema of every value of a map whose keys are names of the user's.
fn named(schema: &'static Value) -> Option<&'static Value> {
    schema
        .get("additionalProperties")
        .filter(|value| value.is_object())
}

/// The schema at a path from the root.
pub(crate) fn at(path: &[Segment]) -> Option<&'static Value> {
    path.iter()
        .try_fold(root(), |schema, segment| child(schema, segment))
}

/// The keys that a map may have, in the order in which they are documented.
pub(crate) fn keys(schema: &'static Value) -> Vec<&'static str> {
    parts(schema)
        .filter_map(|part| part.get("properties")?.as_object())
        .flat_map(|properties| properties.keys().map(String::as_str))
        .collect()
}

/// Whether a value is a map of keys.
pub(crate) fn is_map(schema: &'static Value) -> bool {
    parts(schema).any(|part| part.get("properties").is_some() || named(part).is_some())
}

/// The smallest and largest number allowed, where there are such.
pub(crate) fn bounds(schema: &'static Value) -> [Option<&'static Value>; 2] {
    let schema = resolve(schema);
    [schema.get("minimum"), schema.get("maximum")]
}

/// The unit of a value, where it has one.
pub(crate) fn unit(schema: &'static Value) -> Option<&'static str> {
    schema.get("unit").and_then(Value::as_str)
}

/// Every path below a schema, in the notation of `--set`, nested maps included down to `depth` keys.
pub(crate) fn paths(schema: &'static Value, prefix: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for key in keys(schema) {
        let path = format!("{prefix}{key}");
        let below = child(schema, &Segment::Key(key.to_owned()));
        if let Some(below) = below.filter(|_| depth > 1) {
            found.extend(paths(below, &format!("{path}."), depth - 1));
        }
        found.push(path);
    }
    found
}
