//! A pipeline file as a tree of values that know where they came from.

use crate::problem::Place;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use serde_saphyr::Spanned;
use std::fmt;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Origin {
    /// In the pipeline file.
    File(Place),
    /// In a `--set`, whose text this is.
    Set(String),
    /// In a record of an earlier run.
    Record,
}

/// One value and its origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) origin: Origin,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    Number(Number),
    /// Infinite or not a number: no key takes it.
    NotFinite(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_origin: Origin,
    pub(crate) value: Node,
}

/// One step of a path into a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Key(String),
    Index(usize),
}

/// A path in the notation of `--set`: keys and indices between dots.
pub(crate) fn notation(path: &[Segment]) -> String {
    let parts: Vec<String> = path
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => key.clone(),
            Segment::Index(index) => index.to_string(),
        })
        .collect();
    parts.join(".")
}

impl Node {
    /// The tree of a YAML text.
    pub(crate) fn parse(text: &str) -> Result<Self, serde_saphyr::Error> {
        // Numbers that are not finite get through, so that they are reported with their key.
        let options = serde_saphyr::options! {
            with_snippet: false,
            non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        };
        serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options).map(located)
    }

    /// The tree of a value that was recorded by an earlier run.
    pub(crate) fn recorded(value: &Value) -> Self {
        let content = match value {
            Value::Null => Content::Null,
            Value::Bool(value) => Content::Bool(*value),
            Value::Number(value) => Content::Number(value.clone()),
            Value::String(value) => Content::Text(value.clone()),
            Value::Array(items) => Content::List(items.iter().map(Self::recorded).collect()),
            Value::Object(entries) => Content::Map(entries.iter().map(recorded_entry).collect()),
        };
        let origin = Origin::Record;
        Self { content, origin }
    }

    /// Gives the whole tree one origin.
    pub(crate) fn with_origin(mut self, origin: &Origin) -> Self {
        self.origin = origin.clone();
        self.content = match self.content {
            Content::List(items) => Content::List(
                items
                    .into_iter()
                    .map(|item| item.with_origin(origin))
                    .collect(),
            ),
            Content::Map(entries) => Content::Map(
                entries
                    .into_iter()
                    .map(|entry| Entry {
                        key: entry.key,
                        key_origin: origin.clone(),
                        value: entry.value.with_origin(origin),
                    })
                    .collect(),
            ),
            plain => plain,
        };
        self
    }

    /// The tree without its origins; numbers that are not finite become null.
    pub(crate) fn to_json(&self) -> Value {
        match &self.content {
            Content::Null | Content::NotFinite(_) => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(value) => Value::Number(value.clone()),
            Content::Text(value) => Value::String(value.clone()),
            Content::List(items) => items.iter().map(Self::to_json).collect(),
            Content::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()))
                    .collect(),
            ),
        }
    }

    /// The entry of a map.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.content {
            Content::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// The items of a list; none for anything else.
    pub(crate) fn items(&self) -> &[Node] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// The deepest existing node on a path, and the origin of its key.
    ///
    /// An index into a map stands for its only value: validation counts the content of an enum's variant so.
    pub(crate) fn locate(&self, path: &[Segment]) -> (&Node, &Origin) {
        let mut found = (self, &self.origin);
        for segment in path {
            let next = match (segment, &found.0.content) {
                (Segment::Key(key), Content::Map(_)) => found.0.entry(key),
                (Segment::Index(_), Content::Map(entries)) => entries.first(),
                (Segment::Index(index), Content::List(items)) => match items.get(*index) {
                    Some(item) => {
                        found = (item, &item.origin);
                        continue;
                    }
                    None => None,
                },
                _ => None,
            };
            match next {
                Some(entry) => found = (&entry.value, &entry.key_origin),
                None => break,
            }
        }
        found
    }

    /// What the value is, in words.
    pub(crate) fn describe(&self) -> String {
        match &self.content {
            Content::Null => "nothing".to_owned(),
            Content::Bool(value) => value.to_string(),
            Content::Number(value) => value.to_string(),
            Content::NotFinite(value) => value.to_string(),
            Content::Text(value) => format!("the text {value:?}"),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map of keys".to_owned(),
        }
    }
}

fn recorded_entry((key, value): (&String, &Value)) -> Entry {
    Entry {
        key: key.clone(),
        key_origin: Origin::Record,
        value: Node::recorded(value),
    }
}

/// A value as it comes from the YAML reader.
#[derive(Debug)]
enum Raw {
    Plain(Content),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

fn located(raw: Spanned<Raw>) -> Node {
    let origin = Origin::File(Place::from(raw.referenced));
    let content = match raw.value {
        Raw::Plain(content) => content,
        Raw::List(items) => Content::List(items.into_iter().map(located).collect()),
        Raw::Map(entries) => Content::Map(
            entries
                .into_iter()
                .map(|(key, value)| Entry {
                    key_origin: Origin::File(Place::from(key.referenced)),
                    key: key.value,
                    value: located(value),
                })
                .collect(),
        ),
    };
    Node { content, origin }
}

impl<'de> de::Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Plain(Content::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Plain(Content::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Plain(Content::Number(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        let number = Number::from_f64(value);
        Ok(Raw::Plain(
            number.map_or(Content::NotFinite(value), Content::Number),
        ))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Plain(Content::Text(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Plain(Content::Null))
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Plain(Content::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
