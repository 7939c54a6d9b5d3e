//! A first pipeline to change.

use crate::args::InitArgs;
use crate::commands::schema_text;
use crate::output::{Exit, Failed, say};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The schema's file, beside the pipeline.
const SCHEMA: &str = "thalweg.schema.json";
const TEMPLATE: &str = include_str!("starter.yaml");

/// Writes the starter pipeline and the schema; neither replaces a file of another content.
pub(crate) fn init(args: &InitArgs) -> Result<Exit, Failed> {
    let given = args.name.strip_suffix(".yaml").unwrap_or(&args.name);
    let file = PathBuf::from(format!("{given}.yaml"));
    let name = file
        .file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
        .to_owned();
    let text = TEMPLATE.replace("NAME", &name);
    // What is written is a valid pipeline, or the name cannot be one's.
    thalweg_pipeline::parse(&text, &file, &[]).map_err(|_| {
        Failed::new(
            Exit::Usage,
            format!("{name:?} cannot be a pipeline's name: letters, digits, `-`, `_` and `.` can"),
        )
    })?;
    let schema = file.with_file_name(SCHEMA);
    make(&file, &text)?;
    match make(&schema, &schema_text()) {
        Err(_) if is_schema(&schema) => replace(&schema)?,
        other => other?,
    }
    say(format!(
        "made {} and {}; run it with\n  thalweg run {}",
        file.display(),
        schema.display(),
        file.display()
    ));
    Ok(Exit::Done)
}

fn make(file: &Path, text: &str) -> Result<(), Failed> {
    let made = File::create_new(file).and_then(|mut made| made.write_all(text.as_bytes()));
    made.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failed::new(
            Exit::Io,
            format!("{} exists already; choose another name", file.display()),
        ),
        ErrorKind::NotFound => {
            let folder = file.parent().unwrap_or(Path::new(".")).display();
            let message = format!("{folder}: no such folder; make it with `mkdir -p {folder}`");
            Failed::new(Exit::Io, message)
        }
        _ => Failed::new(
            Exit::Io,
            format!("{}: cannot make it: {error}", file.display()),
        ),
    })
}

/// Whether a file is a schema of ours, of whatever version.
fn is_schema(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    json["title"] == thalweg_pipeline::schema()["title"]
}

fn replace(schema: &Path) -> Result<(), Failed> {
    std::fs::write(schema, schema_text()).map_err(|error| {
        Failed::new(
            Exit::Io,
            format!("{}: cannot write it: {error}", schema.display()),
        )
    })
}
