//! Which run a plan is, before it runs.

use crate::error::PipelineError;
use crate::hash;
use crate::plan::{Plan, Work};
use crate::run::data;

/// What a plan reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Hash of its cells and place, which `run.json` tells as `input_blake3`.
    pub blake3: String,
    /// Lowest and highest elevation of its cells with data, m.
    pub range_m: [f64; 2],
}

/// Reads the raster of a plan, all of it; none where the plan reads none.
///
/// # Errors
/// When it cannot be read.
pub fn input(plan: &Plan) -> Result<Option<Input>, PipelineError> {
    let reads = plan.steps.iter().find_map(|step| match &step.work {
        Work::Read { path, request } => Some((step, path, request)),
        _ => None,
    });
    let Some((step, path, request)) = reads else {
        return Ok(None);
    };
    let reading =
        thalweg_geotiff::read(path, request).map_err(|error| data(step, error.to_string()))?;
    let valid = |cell| reading.valid.as_ref().is_none_or(|mask| mask[cell]);
    let cells = reading.elevation.indexed_iter();
    let seen = cells.filter(|(cell, value)| value.is_finite() && valid(*cell));
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let range_m = seen.fold(none, |[low, high], (_, value)| {
        let value = f64::from(*value);
        [low.min(value), high.max(value)]
    });
    Ok(Some(Input {
        blake3: hash::of_input(&reading),
        range_m,
    }))
}

/// The hash that `run.json` will tell as `pipeline_blake3`: of the pipeline with every key and its seed, in which the
/// raster that is read counts by its content, `input`.
#[must_use]
pub fn identity(plan: &Plan, input: Option<&Input>) -> String {
    hash::of_pipeline(&plan.pipeline, input.map(|input| input.blake3.as_str()))
}
