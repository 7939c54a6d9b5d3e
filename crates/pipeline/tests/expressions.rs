//! Noise expressions in pipeline files: the corpus of the fuzz target, and the shipped gallery's ways of writing them.

mod cases;

use std::fs;
use std::path::Path;
use thalweg_noise::{Noise, Source, Sum};
use thalweg_pipeline::spec::Stage;

/// Files that begin with `bad` are refused; all others are read, sampled, printed and read again.
#[test]
fn the_corpus_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/noise_expression");
    let mut seen = [0, 0];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let bad = path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("bad");
        assert_eq!(cases::run(&text), !bad, "{}", path.display());
        seen[usize::from(bad)] += 1;
    }
    assert!(seen[0] >= 10 && seen[1] >= 5, "{seen:?}");
}

fn lowered(text: &str) -> Noise {
    let pipeline = cases::pipeline(text).unwrap();
    let Stage::Synthesize(stage) = &pipeline.stages[0] else {
        panic!("{pipeline:?}")
    };
    thalweg_pipeline::expression(stage)
}

#[test]
fn plain_sums_are_written_as_ever() {
    let expected = Sum {
        octaves: 5,
        gain: 0.4,
        ..Sum::new(Source::OpenSimplex2S, 700.0)
    };
    let found = lowered(
        "noise: { ridged: { source: opensimplex, wavelength_m: 700, octaves: 5, gain: 0.4 } }",
    );
    assert_eq!(found, Noise::Ridged(expected));
}

#[test]
fn names_stand_for_what_they_are_given() {
    let found = lowered(
        "define:
  hills: { fbm: { wavelength_m: 900 } }
  twice: { add: [ { use: hills }, { use: hills } ] }
noise: { abs: { of: { use: twice } } }",
    );
    let hills = || {
        Noise::Named(
            "hills".to_owned(),
            Box::new(Noise::Fbm(Sum::new(Source::Perlin, 900.0))),
        )
    };
    let twice = Noise::Named(
        "twice".to_owned(),
        Box::new(Noise::Add(vec![hills(), hills()])),
    );
    assert_eq!(found, Noise::Abs(Box::new(twice)));
}

/// Each pipeline of the gallery is read, and its noise is finite and no plain.
#[test]
fn the_gallery_can_be_seen() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pipelines/gallery");
    let mut pictures = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let pipeline = thalweg_pipeline::load(&path, &[]).unwrap();
        let (Stage::Synthesize(stage), Some(grid)) = (&pipeline.stages[0], &pipeline.grid) else {
            panic!("{}", path.display())
        };
        let noise = thalweg_pipeline::expression(stage);
        // The whole map at an eighth of its resolution.
        let shape = thalweg_grid::Shape::new(grid.rows as usize / 8, grid.cols as usize / 8);
        let grid = thalweg_grid::Grid::new(shape, grid.cell_size_m * 8.0, grid.origin_m, None);
        let key = thalweg_grid::StageKey::new(42, &stage.id);
        let observer = &thalweg_grid::NoObserver;
        let range = thalweg_noise::Range::Observed;
        let map =
            thalweg_noise::synthesize(&noise, &grid.unwrap(), [0.0, 1.0], range, key, observer)
                .unwrap();
        let mean = map.iter().sum::<f32>() / map.len() as f32;
        let spread = map.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / map.len() as f32;
        assert!(
            spread > 0.01 && spread < 0.25,
            "{}: {spread}",
            path.display()
        );
        pictures += 1;
    }
    assert!(pictures >= 8);
}
