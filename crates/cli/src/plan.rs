//! A plan for people and for programs.

use crate::progress::duration;
use std::fmt::Write;
use thalweg_pipeline::spec::{Content, Table};
use thalweg_pipeline::{Mode, Plan, available_memory, bytes, parameters};

/// Everything that a plan decides, for people.
pub(crate) fn text(plan: &Plan) -> String {
    let mut text = summary(plan);
    text.push('\n');
    for (index, step) in plan.steps.iter().enumerate() {
        let _ = writeln!(text, "\nstage {}: {} `{}`", index + 1, step.kind, step.id);
        let rows = parameters(&plan.pipeline, index);
        let width = rows.iter().map(|[key, ..]| key.len()).max().unwrap_or(0);
        for [key, value, unit] in rows {
            let line = format!("  {key:width$}  {value} {unit}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    text.push_str("\noutputs\n");
    for target in &plan.outputs {
        let _ = writeln!(
            text,
            "  {}  {}",
            plan.folder.join(&target.path).display(),
            kind(&target.content)
        );
    }
    text
}

/// Size and cost.
pub(crate) fn summary(plan: &Plan) -> String {
    let grid = &plan.grid;
    let estimate = &plan.estimate;
    let free =
        available_memory().map_or_else(String::new, |free| format!(", {} available", bytes(free)));
    let drawn = if plan.seed_drawn {
        " (drawn; each run draws its own)"
    } else {
        ""
    };
    let checkpoints = Mode::default().interval(plan).map(|_| {
        let room = bytes(3 * estimate.checkpoint_bytes);
        format!(", and {room} for checkpoints")
    });
    let checkpoints = checkpoints.unwrap_or_default();
    let lines = [
        ("pipeline", plan.pipeline.name.clone()),
        ("seed", format!("{}{drawn}", plan.seed)),
        (
            "map",
            format!(
                "{} of {} m, {} cells",
                grid.shape, grid.cell_size_m, estimate.cells
            ),
        ),
        (
            "CRS",
            grid.crs
                .clone()
                .unwrap_or_else(|| "none: a local plane in metres".to_owned()),
        ),
        (
            "memory",
            format!("about {} at the peak{free}", bytes(estimate.memory_bytes)),
        ),
        (
            "disk",
            format!("at most {}{checkpoints}", bytes(estimate.disk_bytes)),
        ),
        ("time", format!("about {}", duration(estimate.time_s))),
        ("folder", plan.folder.display().to_string()),
    ];
    lines
        .map(|(name, value)| format!("{name:9} {value}"))
        .join("\n")
}

fn kind(content: &Content) -> String {
    match content {
        Content::Layer(layer) if layer.unit().is_empty() => layer.to_string(),
        Content::Layer(layer) => format!("{layer}, {}", layer.unit()),
        Content::Hillshade(_) => "hillshade".to_owned(),
        Content::Table(Table::Lakes) => "lakes".to_owned(),
        Content::Picture(picture) => format!("{} in colours", picture.layer),
        Content::Film(film) => format!("{}, {} frames", film.layer, film.frames),
        Content::Vectors(_) => "features".to_owned(),
    }
}

/// The plan for programs.
pub(crate) fn json(plan: &Plan) -> String {
    let grid = &plan.grid;
    let value = serde_json::json!({
        "name": plan.pipeline.name,
        "seed": plan.seed,
        "seed_drawn": plan.seed_drawn,
        "folder": plan.folder,
        "grid": {
            "rows": grid.shape.rows,
            "cols": grid.shape.cols,
            "cell_size_m": grid.cell_size_m,
            "origin_m": grid.origin_m,
            "crs": grid.crs,
        },
        "estimate": plan.estimate,
        "available_memory_bytes": available_memory(),
        "pipeline": plan.pipeline,
    });
    format!("{value:#}\n")
}
