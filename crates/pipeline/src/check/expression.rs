//! Names in noise expressions, and what parameters say to one another.

use super::{Checker, stage_path};
use crate::lower;
use crate::problem::Problem;
use crate::spec::Synthesize;
use crate::suggest;
use crate::tree::{Content, Node};
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

/// Names that use themselves, perhaps by way of others: each where it is given.
fn circles(define: &Node, stage: &Synthesize) -> Vec<Problem> {
    let mut found = Vec::new();
    for name in stage.define.keys() {
        let mut seen: Vec<&str> = Vec::new();
        let mut open = vec![name.as_str()];
        while let Some(entry) = open.pop().and_then(|next| define.entry(next)) {
            for (used, _) in uses(&entry.value) {
                if !seen.contains(&used) {
                    seen.push(used);
                    open.push(used);
                }
            }
        }
        if seen.contains(&name.as_str())
            && let Some(entry) = define.entry(name)
        {
            found.push(
                Problem::new(format!("the expression `{name}` uses itself")).at(&entry.key_origin),
            );
        }
    }
    found
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
