//! What must hold of any text that stands for the noise of a stage.

use std::path::Path;
use thalweg_grid::{Grid, Shape, StageKey, Window};
use thalweg_noise::{Noise, NoiseError, sample};
use thalweg_pipeline::spec::{Pipeline, Stage};
use thalweg_pipeline::{PipelineError, expression, parse};

/// A pipeline whose `synthesize` has the keys of a text besides its id and elevations.
pub(crate) fn pipeline(text: &str) -> Result<Pipeline, PipelineError> {
    let keys: String = text.lines().map(|line| format!("      {line}\n")).collect();
    let file = format!(
        "thalweg: 1
name: fuzzed
seed: 5
grid: {{ rows: 9, cols: 140, cell_size_m: 10, origin_m: [500000, 5200000] }}
stages:
  - synthesize:
      id: base
      elevation_m: [0, 100]
{keys}outputs:
  - {{ layer: elevation, path: dem.tif }}
"
    );
    parse(&file, Path::new("fuzzed.yaml"), &[])
}

/// Reads a text; where it is a pipeline, samples its noise, prints it and reads it again. Tells whether it is one.
pub(crate) fn run(text: &str) -> bool {
    let pipeline = match pipeline(text) {
        Ok(pipeline) => pipeline,
        Err(PipelineError::Invalid(problems)) => {
            assert!(!problems.list.is_empty() && !problems.to_string().is_empty());
            return false;
        }
        Err(other) => panic!("{other}"),
    };
    let printed = serde_json::to_string(&pipeline).expect("a pipeline can be printed");
    let again =
        parse(&printed, Path::new("printed.yaml"), &[]).expect("what was printed can be read");
    assert_eq!(pipeline, again);
    for stage in &pipeline.stages {
        if let Stage::Synthesize(stage) = stage {
            finite(&expression(stage));
        }
    }
    true
}

/// Small lattices only: others may have a gigabyte of nodes, which is allowed and takes its time.
fn small(noise: &Noise) -> bool {
    let own = match noise {
        Noise::DiamondSquare(of) => of.wavelength_m / f64::from(1_u32 << of.levels) > 1.0,
        Noise::Automaton(of) => of.cell_m > 1.0,
        Noise::Stretch { factors, .. } => factors.iter().all(|factor| factor.abs() > 0.1),
        Noise::Warp { by, .. } => by.amplitude_m < 1e4,
        Noise::Displace { amplitude_m, .. } => *amplitude_m < 1e3,
        Noise::Swirl { radius_m, .. } => *radius_m < 1e4,
        Noise::Flow { by_m, .. } => by_m.iter().all(|by_m| by_m.abs() < 1e4),
        _ => true,
    };
    own && noise.children().into_iter().all(small)
}

fn finite(noise: &Noise) {
    if !small(noise) {
        return;
    }
    let shape = Shape::new(9, 140);
    let grid = Grid::new(shape, 10.0, [500_000.0, 5_200_000.0], None).expect("a sound grid");
    let whole = Window {
        row: 0,
        col: 0,
        shape,
    };
    match sample(noise, &grid, whole, StageKey::new(5, "base")) {
        Ok(values) => assert!(values.iter().all(|v| v.is_finite())),
        Err(NoiseError::TooFar { .. } | NoiseError::TooManyNodes { .. }) => {}
        Err(other) => panic!("{other} was not found when the pipeline was read"),
    }
}
