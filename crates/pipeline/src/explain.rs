//! The readers' terse messages in the words of the format.

use crate::problem::Problem;
use crate::schema;
use crate::suggest;
use crate::tree::{Content, Node, Segment};
use serde_json::Value;

/// The path at which deserialization failed.
pub(crate) fn path_of(path: &serde_path_to_error::Path) -> Vec<Segment> {
    use serde_path_to_error::Segment as Step;
    path.iter()
        .filter_map(|step| match step {
            Step::Seq { index } => Some(Segment::Index(*index)),
            Step::Map { key } => Some(Segment::Key(key.clone())),
            Step::Enum { variant } => Some(Segment::Key(variant.clone())),
            Step::Unknown => None,
        })
        .collect()
}

/// A missing key, a wrong type or an unknown word, from serde's message.
pub(crate) fn type_error(message: &str, path: &[Segment], tree: &Node) -> Problem {
    let (node, key_origin) = tree.locate(path);
    if let Some(key) = between(message, "missing field `", "`") {
        let place = if path.is_empty() {
            "the file".to_owned()
        } else {
            format!("`{}`", last_key(path))
        };
        let help = match crate::overrides::set_path(tree, path, key) {
            Some(set) => format!("add it to the file, or give it with --set {set}=…"),
            None => "add it to the file".to_owned(),
        };
        return Problem::new(format!("{place} needs the key `{key}`"))
            .help(help)
            .at(key_origin);
    }
    if let Some(word) = between(message, "unknown variant `", "`") {
        return unknown_word(word, message, path, node);
    }
    if let Some(length) = between(message, "invalid length ", ",") {
        let message = format!(
            "`{}` must be a list of 2 values, found {length}",
            last_key(path)
        );
        return Problem::new(message).at(&node.origin);
    }
    if message.contains("expected map with a single key") {
        return several_kinds(node);
    }
    if message.contains("unit variant, expected newtype variant") {
        return bare_kind(path, node);
    }
    wrong_type(message, path, node)
}

fn wrong_type(message: &str, path: &[Segment], node: &Node) -> Problem {
    let expected = message
        .rsplit_once("expected ")
        .map_or(message, |(_, expected)| expected);
    let found = node.describe();
    let key = last_key(path);
    let words = match (most(expected), &node.content) {
        (Some(most), Content::Number(number)) if number.as_f64() >= Some(most as f64) => {
            format!("a whole number, at most {most}")
        }
        _ => in_words(expected).to_owned(),
    };
    let problem = Problem::new(format!("`{key}` must be {words}, found {found}")).at(&node.origin);
    match help_with_type(key, expected, node) {
        Some(help) => problem.help(help),
        None => problem,
    }
}

/// The largest number of a type of whole numbers.
fn most(expected: &str) -> Option<u64> {
    match expected {
        "u32" => Some(u64::from(u32::MAX)),
        "u64" => Some(u64::MAX),
        _ => None,
    }
}

/// What to write instead of a value of the wrong type.
fn help_with_type(key: &str, expected: &str, node: &Node) -> Option<String> {
    let number = matches!(expected, "u32" | "u64" | "usize" | "f64");
    match (&node.content, expected) {
        (Content::Number(code), "a string") if key == "crs" => Some(format!("write EPSG:{code}")),
        (Content::Number(_) | Content::Bool(_), "a string") => {
            Some(format!("put it in quotes: \"{}\"", node.describe()))
        }
        (Content::Text(text), _) if number => bare_number(text),
        (Content::Bool(true), other) if other.starts_with("struct") => Some(format!(
            "write `{key}: {{}}` for its defaults, or leave the key out"
        )),
        (Content::Bool(false), other) if other.starts_with("struct") => {
            Some("leave the key out to turn it off".to_owned())
        }
        _ => None,
    }
}

/// The number in a text that was quoted or has a unit.
fn bare_number(text: &str) -> Option<String> {
    let text = text.trim();
    if text.parse::<f64>().is_ok_and(f64::is_finite) {
        return Some(format!("remove the quotes: {text}"));
    }
    let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = text[number.len()..].trim();
    let value = number.parse::<f64>().ok().filter(|v| v.is_finite())?;
    if unit == "km" {
        return Some(format!(
            "remove \"km\", units are fixed: in metres it is {}",
            value * 1000.0
        ));
    }
    Some(format!("remove {unit:?}, the unit is fixed: {number}"))
}

fn in_words(expected: &str) -> &str {
    match expected {
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "f64" => "a number",
        "a string" => "text",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        other if other.starts_with("an array of length") => "a list of 2 values",
        other if other.starts_with("struct") => "a map of keys",
        other if other.starts_with("string or map") => "one kind with its keys",
        other => other,
    }
}

fn unknown_word(word: &str, message: &str, path: &[Segment], node: &Node) -> Problem {
    let known: Vec<&str> = message
        .split_once("expected ")
        .map_or("", |(_, known)| known)
        .split('`')
        .skip(1)
        .step_by(2)
        .collect();
    let what = format!(
        "`{}` must be one of {}, found {word:?}",
        last_key(path),
        suggest::quoted(&known, ", ")
    );
    let problem = Problem::new(what).at(&node.origin);
    let near = suggest::nearest(word, known);
    if near.is_empty() {
        return problem;
    }
    problem.help(format!("did you mean {}?", suggest::quoted(&near, " or ")))
}

fn several_kinds(node: &Node) -> Problem {
    let Content::Map(entries) = &node.content else {
        return Problem::new("one kind with its keys is expected").at(&node.origin);
    };
    let kinds: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    match entries.get(1) {
        Some(second) => Problem::new(format!(
            "one kind is expected, found {}",
            suggest::quoted(&kinds, " and ")
        ))
        .help("begin each stage with its own `-`, and check the indentation")
        .at(&second.key_origin),
        None => Problem::new("one kind with its keys is expected, found none").at(&node.origin),
    }
}

fn bare_kind(path: &[Segment], node: &Node) -> Problem {
    let kind = last_key(path);
    Problem::new(format!("`{kind}` needs its keys"))
        .help(format!("write `{kind}: {{ … }}`"))
        .at(&node.origin)
}

/// A value out of range, from the validator's message and path.
pub(crate) fn range_error(message: &str, path: &str, tree: &Node) -> Problem {
    let path = parse_path(path);
    let (node, _) = tree.locate(&path);
    let name = last_key(&path);
    // A check of our own speaks for itself; the validator's ranges are told with both ends.
    let of_range = message.starts_with("lower than") || message.starts_with("greater than");
    let bounds = schema_at(&path, tree)
        .filter(|_| of_range)
        .map(schema::bounds);
    let text = match bounds {
        Some([Some(low), Some(high)]) => format!(
            "must be between {low} and {high}, found {}",
            node.describe()
        ),
        Some([Some(low), None]) => format!("must be at least {low}, found {}", node.describe()),
        Some([None, Some(high)]) => format!("must be at most {high}, found {}", node.describe()),
        _ if message.contains("length is lower than") => "must not be empty".to_owned(),
        _ => message.to_owned(),
    };
    Problem::new(format!("`{name}` {text}")).at(&node.origin)
}

/// The validator's `stages[1][0].pools.drain`, whose index into a variant the tree resolves.
fn parse_path(path: &str) -> Vec<Segment> {
    path.split(['.', '[', ']'])
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.parse()
                .map_or_else(|_| Segment::Key(word.to_owned()), Segment::Index)
        })
        .collect()
}

/// The schema of a value at a validator's path.
fn schema_at(path: &[Segment], tree: &Node) -> Option<&'static Value> {
    let mut schema = schema::root();
    let mut node = tree;
    for segment in path {
        let step = match (segment, &node.content) {
            (Segment::Index(_), Content::Map(entries)) => {
                Segment::Key(entries.first()?.key.clone())
            }
            _ => segment.clone(),
        };
        schema = schema::child(schema, &step)?;
        node = node.locate(&[step]).0;
    }
    Some(schema)
}

/// The last key on a path, with what it lies in where that is an index.
fn last_key(path: &[Segment]) -> &str {
    path.iter()
        .rev()
        .find_map(|segment| match segment {
            Segment::Key(key) => Some(key.as_str()),
            Segment::Index(_) => None,
        })
        .unwrap_or("the file")
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = text.split_once(start)?.1;
    Some(rest.split_once(end)?.0)
}
