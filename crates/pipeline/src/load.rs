//! From a file's text to a pipeline whose every key is known, typed and in range.

use crate::check;
use crate::error::PipelineError;
use crate::explain;
use crate::overrides;
use crate::problem::{Place, Problem, Problems};
use crate::record::Recorded;
use crate::schema;
use crate::spec::{Pipeline, Stage};
use crate::suggest;
use crate::tree::{Content, Node, Origin, Segment};
use garde::Validate;
use std::path::{Path, PathBuf};

/// Reads and checks a pipeline file, with `PATH=VALUE` overrides in their order.
///
/// Paths of `read` stages come out absolute: those of the file are taken relative to it, those of overrides
/// relative to the folder in which the program runs.
///
/// # Errors
/// With everything that is wrong, each with its place in the file.
pub fn load(file: &Path, sets: &[String]) -> Result<Pipeline, PipelineError> {
    let text = std::fs::read_to_string(file).map_err(|source| PipelineError::Unreadable {
        file: file.to_owned(),
        source,
    })?;
    parse(&text, file, sets)
}

/// [`load`], from a text that stands for the file.
///
/// # Errors
/// As [`load`].
pub fn parse(text: &str, file: &Path, sets: &[String]) -> Result<Pipeline, PipelineError> {
    let source = Source { text, file };
    let tree = Node::parse(text).map_err(|error| source.fail(vec![syntax(&error, text)]))?;
    if tree.content == Content::Null {
        let problem = Problem::new("there is nothing in the file")
            .help("`thalweg init NAME` writes a pipeline to begin with");
        return Err(source.fail(vec![problem]));
    }
    source.finish(tree, sets)
}

/// The pipeline that a `run.json` records, and what else it says of that run.
///
/// # Errors
/// When the record cannot be read or its pipeline is not one of this version.
pub fn load_record(file: &Path, sets: &[String]) -> Result<(Pipeline, Recorded), PipelineError> {
    let recorded = Recorded::read(file)?;
    let source = Source { text: "", file };
    let pipeline = source.finish(Node::recorded(&recorded.pipeline), sets)?;
    Ok((pipeline, recorded))
}

struct Source<'a> {
    text: &'a str,
    file: &'a Path,
}

impl Source<'_> {
    fn fail(&self, list: Vec<Problem>) -> PipelineError {
        PipelineError::Invalid(Box::new(Problems {
            file: self.file.display().to_string(),
            text: self.text.to_owned(),
            list,
        }))
    }

    fn finish(&self, mut tree: Node, sets: &[String]) -> Result<Pipeline, PipelineError> {
        let unset: Vec<Problem> = sets
            .iter()
            .filter_map(|text| overrides::apply(&mut tree, text).err())
            .collect();
        self.none_of(unset)?;
        self.none_of(keys(&tree))?;
        let mut pipeline = typed(&tree).map_err(|problem| self.fail(vec![problem]))?;
        self.none_of(ranges(&pipeline, &tree))?;
        self.resolve_paths(&mut pipeline, &tree)?;
        self.none_of(check::all(&pipeline, &tree))?;
        Ok(pipeline)
    }

    fn none_of(&self, list: Vec<Problem>) -> Result<(), PipelineError> {
        if list.is_empty() {
            return Ok(());
        }
        Err(self.fail(list))
    }

    fn resolve_paths(&self, pipeline: &mut Pipeline, tree: &Node) -> Result<(), PipelineError> {
        for (index, stage) in pipeline.stages.iter_mut().enumerate() {
            let Stage::Read(read) = stage else { continue };
            let (node, _) = tree.locate(&check::stage_path(index, "read", "path"));
            let folder = match node.origin {
                Origin::File(_) => self.file.parent().unwrap_or(Path::new("")),
                Origin::Set(_) | Origin::Record => Path::new(""),
            };
            read.path = absolute(&folder.join(&read.path)).ok_or_else(|| {
                self.fail(vec![Problem::new("the path is not UTF-8").at(&node.origin)])
            })?;
        }
        Ok(())
    }
}

fn absolute(path: &Path) -> Option<String> {
    let path: PathBuf = std::path::absolute(path).ok()?;
    path.into_os_string().into_string().ok()
}

fn syntax(error: &serde_saphyr::Error, text: &str) -> Problem {
    let error = error.without_snippet();
    let message = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
    // The place is told apart from the message.
    let message = message
        .split(" at line ")
        .next()
        .unwrap_or(&message)
        .to_owned();
    let mut problem = Problem::new(message);
    problem.place = error.location().map(Into::into);
    tabs(text, problem)
}

/// Blames a tab where one indents the line of an error or one beside it: YAML's readers stumble a little off.
fn tabs(text: &str, problem: Problem) -> Problem {
    let last = problem.place.map_or(usize::MAX, |place| place.line);
    let indented = |line: &str| line[..line.len() - line.trim_start().len()].contains('\t');
    let mut lines = text.lines().enumerate().take(last.saturating_add(1));
    let Some((index, line)) =
        lines.find(|(index, line)| index.saturating_add(2) >= last && indented(line))
    else {
        return problem;
    };
    let mut tab =
        Problem::new("a tab indents this line, which YAML forbids").help("indent with spaces");
    tab.place = Some(Place {
        line: index + 1,
        column: line.chars().take_while(|c| *c != '\t').count() + 1,
        length: 1,
    });
    tab
}

/// Keys that the format does not have, keys without a value and numbers that are not finite.
fn keys(tree: &Node) -> Vec<Problem> {
    let mut problems = Vec::new();
    visit(tree, schema::root(), "the file", &mut problems);
    problems
}

fn visit(node: &Node, schema: &'static serde_json::Value, name: &str, problems: &mut Vec<Problem>) {
    match &node.content {
        Content::NotFinite(value) => problems.push(
            Problem::new(format!("`{name}` must be a finite number, found {value}"))
                .at(&node.origin),
        ),
        Content::List(items) => {
            for item in items {
                if let Some(schema) = schema::child(schema, &Segment::Index(0)) {
                    visit(item, schema, name, problems);
                }
            }
        }
        // A key inside something that is no map in the format is reported as a wrong type.
        Content::Map(entries) if schema::is_map(schema) => {
            for entry in entries {
                match schema::child(schema, &Segment::Key(entry.key.clone())) {
                    Some(below) => visit_entry(entry, below, problems),
                    None => problems.push(unknown_key(entry, schema, name)),
                }
            }
        }
        _ => {}
    }
}

fn visit_entry(
    entry: &crate::tree::Entry,
    schema: &'static serde_json::Value,
    problems: &mut Vec<Problem>,
) {
    if entry.value.content != Content::Null {
        return visit(&entry.value, schema, &entry.key, problems);
    }
    let help = if schema::is_map(schema) {
        format!(
            "write `{}: {{}}` for its defaults, or leave the key out",
            entry.key
        )
    } else {
        "give it a value, or leave the key out".to_owned()
    };
    let message = format!("`{}` has no value", entry.key);
    problems.push(Problem::new(message).help(help).at(&entry.key_origin));
}

fn unknown_key(
    entry: &crate::tree::Entry,
    schema: &'static serde_json::Value,
    name: &str,
) -> Problem {
    let known = schema::keys(schema);
    let place = if name == "the file" {
        name.to_owned()
    } else {
        format!("`{name}`")
    };
    Problem::new(format!("unknown key `{}` in {place}", entry.key))
        .help(suggest::advice(&entry.key, &known, "keys"))
        .at(&entry.key_origin)
}

fn typed(tree: &Node) -> Result<Pipeline, Problem> {
    serde_path_to_error::deserialize(tree.to_json()).map_err(|error| {
        let path = explain::path_of(error.path());
        explain::type_error(&error.inner().to_string(), &path, tree)
    })
}

fn ranges(pipeline: &Pipeline, tree: &Node) -> Vec<Problem> {
    let Err(report) = pipeline.validate() else {
        return Vec::new();
    };
    report
        .iter()
        .map(|(path, error)| explain::range_error(error.message(), &path.to_string(), tree))
        .collect()
}

#[cfg(test)]
mod tests;
