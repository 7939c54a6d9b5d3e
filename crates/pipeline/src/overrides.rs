//! `--set PATH=VALUE`: keys that replace or add to those of the file.

use crate::problem::Problem;
use crate::schema;
use crate::suggest;
use crate::tree::{Content, Entry, Node, Origin, Segment, notation};

/// Puts one `PATH=VALUE` into the tree. `null` as value takes the key out.
pub(crate) fn apply(tree: &mut Node, text: &str) -> Result<(), Problem> {
    let origin = Origin::Set(text.to_owned());
    set(tree, text, &origin).map_err(|problem| problem.at(&origin))
}

fn set(tree: &mut Node, text: &str, origin: &Origin) -> Result<(), Problem> {
    let (path, value) = text.split_once('=').ok_or_else(|| {
        Problem::new("expected PATH=VALUE").help("for example `--set grid.rows=512`")
    })?;
    let path = resolve(tree, path.trim())?;
    put(tree, &path, read_value(value, origin), origin)
}

/// A value is YAML, so that lists and maps can be given; what is no YAML is taken as text.
fn read_value(value: &str, origin: &Origin) -> Node {
    let text = |_| Node {
        content: Content::Text(value.to_owned()),
        origin: origin.clone(),
    };
    Node::parse(value).unwrap_or_else(text).with_origin(origin)
}

/// The path in the tree that a path of `--set` names: a stage goes by kind and id there.
fn resolve(tree: &Node, path: &str) -> Result<Vec<Segment>, Problem> {
    let words: Vec<&str> = path.split('.').collect();
    let kinds = schema::keys(stage_schema());
    let (mut found, rest) = if kinds.contains(&words[0]) {
        (stage(tree, path, &words)?, &words[2..])
    } else {
        (Vec::new(), &words[..])
    };
    for word in rest {
        let segment = word
            .parse()
            .map_or_else(|_| Segment::Key((*word).to_owned()), Segment::Index);
        found.push(segment);
        if schema::at(&found).is_none() {
            found.pop();
            return Err(unknown(tree, path, word, &found));
        }
    }
    Ok(found)
}

fn stage_schema() -> &'static serde_json::Value {
    let path = [Segment::Key("stages".to_owned()), Segment::Index(0)];
    schema::at(&path).unwrap_or_else(|| schema::root())
}

/// How `--set` names a key below a path of the tree; none in a stage that has no id yet.
pub(crate) fn set_path(tree: &Node, path: &[Segment], key: &str) -> Option<String> {
    let key = Segment::Key(key.to_owned());
    let below = |path: &[Segment]| notation(&[path, std::slice::from_ref(&key)].concat());
    match path {
        [Segment::Key(stages), Segment::Index(index), rest @ ..] if stages == "stages" => {
            let stages = self::stages(tree);
            let (_, kind, id) = stages.iter().find(|(found, ..)| found == index)?;
            let rest = rest.get(1..)?;
            Some(format!("{kind}.{id}.{}", below(rest)))
        }
        _ => Some(below(path)),
    }
}

/// The stage that `kind.id` names.
fn stage(tree: &Node, path: &str, words: &[&str]) -> Result<Vec<Segment>, Problem> {
    let stages = stages(tree);
    let position = stages
        .iter()
        .find(|(_, kind, id)| *kind == words[0] && Some(id) == words.get(1));
    let Some((index, kind, _)) = position else {
        let known: Vec<String> = stages
            .iter()
            .map(|(_, kind, id)| format!("{kind}.{id}"))
            .collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let name = words.iter().take(2).copied().collect::<Vec<_>>().join(".");
        return Err(Problem::new(format!("no stage `{name}` for `{path}`"))
            .help(suggest::advice(&name, &known, "stages")));
    };
    Ok(vec![
        Segment::Key("stages".to_owned()),
        Segment::Index(*index),
        Segment::Key((*kind).to_owned()),
    ])
}

/// Index, kind and id of every stage that has an id.
fn stages(tree: &Node) -> Vec<(usize, &str, &str)> {
    let list = tree
        .entry("stages")
        .map_or(&[][..], |entry| entry.value.items());
    list.iter()
        .enumerate()
        .filter_map(|(index, node)| {
            let Content::Map(entries) = &node.content else {
                return None;
            };
            let entry = entries.first()?;
            match &entry.value.entry("id")?.value.content {
                Content::Text(id) => Some((index, entry.key.as_str(), id.as_str())),
                _ => None,
            }
        })
        .collect()
}

/// A path of which `word` is unknown below `parent`.
fn unknown(tree: &Node, path: &str, word: &str, parent: &[Segment]) -> Problem {
    let known = known_paths(tree);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let near = suggest::nearest(path, known.iter().copied());
    let here = schema::at(parent).map(schema::keys).unwrap_or_default();
    let help = if near.is_empty() && !parent.is_empty() && !here.is_empty() {
        suggest::advice(word, &here, &format!("keys of `{}`", notation(parent)))
    } else if near.is_empty() {
        // The deepest keys would drown the list: the first two levels show how paths are made.
        let short: Vec<&str> = known
            .into_iter()
            .filter(|path| path.split('.').count() <= 2)
            .collect();
        format!("paths here: {}", suggest::quoted(&short, ", "))
    } else {
        format!("did you mean {}?", suggest::quoted(&near, " or "))
    };
    Problem::new(format!("unknown path `{path}`")).help(help)
}

/// Every path that `--set` takes for this pipeline.
fn known_paths(tree: &Node) -> Vec<String> {
    let mut known: Vec<String> = ["name", "seed", "grid"].map(str::to_owned).to_vec();
    let grid = schema::at(&[Segment::Key("grid".to_owned())]);
    known.extend(
        grid.into_iter()
            .flat_map(|grid| schema::paths(grid, "grid.", 2)),
    );
    for (_, kind, id) in stages(tree) {
        let keys = schema::child(stage_schema(), &Segment::Key(kind.to_owned()));
        known.extend(
            keys.into_iter()
                .flat_map(|keys| schema::paths(keys, &format!("{kind}.{id}."), 3)),
        );
    }
    known
}

/// Walks to the end of a path, making maps where there is nothing yet, and puts the value there.
fn put(tree: &mut Node, path: &[Segment], value: Node, origin: &Origin) -> Result<(), Problem> {
    let [head, rest @ ..] = path else {
        *tree = value;
        return Ok(());
    };
    match (&mut tree.content, head) {
        (Content::Map(entries), Segment::Key(key)) => put_key(entries, key, rest, value, origin),
        (Content::List(items), Segment::Index(index)) => match items.get_mut(*index) {
            Some(item) => put(item, rest, value, origin),
            None => Err(Problem::new(format!(
                "there is no item {index}; the list has {}, counted from 0",
                items.len()
            ))),
        },
        _ => Err(Problem::new(format!(
            "cannot set `{}` within {}",
            notation(path),
            tree.describe()
        ))),
    }
}

fn put_key(
    entries: &mut Vec<Entry>,
    key: &str,
    rest: &[Segment],
    value: Node,
    origin: &Origin,
) -> Result<(), Problem> {
    if rest.is_empty() && value.content == Content::Null {
        entries.retain(|entry| entry.key != key);
        return Ok(());
    }
    let position = entries.iter().position(|entry| entry.key == key);
    if position.is_none() && matches!(rest.first(), Some(Segment::Index(_))) {
        return Err(Problem::new(format!("there is no list `{key}` yet"))
            .help("set it as a whole: `…=[…]`"));
    }
    let index = position.unwrap_or_else(|| {
        entries.push(Entry {
            key: key.to_owned(),
            key_origin: origin.clone(),
            value: Node {
                content: Content::Map(Vec::new()),
                origin: origin.clone(),
            },
        });
        entries.len() - 1
    });
    let entry = &mut entries[index];
    if rest.is_empty() {
        entry.key_origin = origin.clone();
    }
    put(&mut entry.value, rest, value, origin)
}
