//! Names in noise expressions, and what parameters say to one another.

use super::{Checker, stage_path};
use crate::lower;
use crate::problem::Problem;
use crate::spec::Synthesize;
use crate::suggest;
use crate::tree::{Content, Node};
use std::collections::{BTreeMap, BTreeSet};
use thalweg_noise::NoiseError;

impl Checker<'_> {
    /// Unknown names, names that use themselves, and what the noise crate says of the whole.
    pub(super) fn expression(&mut self, index: usize, stage: &Synthesize) {
        let tree = self.tree;
        let part = |key| tree.locate(&stage_path(index, "synthesize", key)).0;
        let (noise, define) = (part("noise"), part("define"));
        let mut found = names(noise, stage);
        if !stage.define.is_empty() {
            found.extend(names(define, stage));
            found.extend(circles(define, stage));
        }
        if found.is_empty()
            && let Err(error) = lower::expression(stage).check()
        {
            let nodes = [noise, define];
            let blamed = nodes
                .into_iter()
                .find_map(|node| blamed(node, &error))
                .unwrap_or(noise);
            found.push(Problem::new(error.to_string()).at(&blamed.origin));
        }
        self.problems.extend(found);
    }
}

/// The values of every `use` below a node.
fn uses(node: &Node) -> Vec<(&str, &Node)> {
    match &node.content {
        Content::List(items) => items.iter().flat_map(uses).collect(),
        Content::Map(entries) => entries
            .iter()
            .flat_map(|entry| match &entry.value.content {
                Content::Text(name) if entry.key == "use" => vec![(name.as_str(), &entry.value)],
                _ => uses(&entry.value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn names(node: &Node, stage: &Synthesize) -> Vec<Problem> {
    let unknown = uses(node)
        .into_iter()
        .filter(|(name, _)| !stage.define.contains_key(*name));
    unknown
        .map(|(name, node)| {
            let known: Vec<&str> = stage.define.keys().map(String::as_str).collect();
            let help = if known.is_empty() {
                "give it under `define`".to_owned()
            } else {
                suggest::advice(name, &known, "names")
            };
            Problem::new(format!("no expression is named `{name}`"))
                .help(help)
                .at(&node.origin)
        })
        .collect()
}

/// Names that use themselves or such a name, perhaps by way of others: each where it is given.
fn circles(define: &Node, stage: &Synthesize) -> Vec<Problem> {
    let Content::Map(entries) = &define.content else {
        return Vec::new();
    };
    // Names are taken away as long as one uses none that is left: what stays is in a circle, or leads into one.
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in entries {
        let names: BTreeSet<&str> = (uses(&entry.value).into_iter())
            .map(|(name, _)| name)
            .filter(|name| stage.define.contains_key(*name))
            .collect();
        for &name in &names {
            users.entry(name).or_default().push(&entry.key);
        }
        used.insert(&entry.key, names);
    }
    let is_free = |names: &BTreeSet<&str>| names.is_empty();
    let mut free: Vec<&str> = (used.iter())
        .filter_map(|(&name, names)| is_free(names).then_some(name))
        .collect();
    while let Some(name) = free.pop() {
        used.remove(name);
        for &user in users.get(name).into_iter().flatten() {
            if let Some(names) = used.get_mut(user)
                && names.remove(name)
                && names.is_empty()
            {
                free.push(user);
            }
        }
    }
    let left = entries
        .iter()
        .filter(|entry| used.contains_key(entry.key.as_str()));
    left.map(|entry| {
        let name = &entry.key;
        Problem::new(format!("the expression `{name}` uses itself")).at(&entry.key_origin)
    })
    .collect()
}

/// The value that an error is about: the first of its name and magnitude.
fn blamed<'a>(node: &'a Node, error: &NoiseError) -> Option<&'a Node> {
    let NoiseError::Parameter { name, found, .. } = error else {
        return None;
    };
    let is_it = |node: &Node| match &node.content {
        Content::Number(number) => number.as_f64().is_some_and(|v| (v - found).abs() == 0.0),
        _ => found.is_nan(),
    };
    match &node.content {
        Content::List(items) => items.iter().find_map(|item| blamed(item, error)),
        Content::Map(entries) => entries.iter().find_map(|entry| {
            if entry.key == *name && is_it(&entry.value) {
                return Some(&entry.value);
            }
            blamed(&entry.value, error)
        }),
        _ => None,
    }
}
