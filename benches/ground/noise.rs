//! The ground that the engine is timed on.

use thalweg_grid::{Grid, Map, NoObserver, Shape, StageKey};
use thalweg_noise::{Noise, Range, Source, Sum, synthesize};

/// A square map of noise.
pub(crate) fn ground(size: usize) -> Map {
    let shape = Shape::new(size, size);
    let grid = Grid::new(shape, 10.0, [500_000.0, 5_200_000.0], None).expect("a sound grid");
    let noise = Noise::Fbm(Sum {
        octaves: 9,
        ..Sum::new(Source::Perlin, 6000.0)
    });
    // The same steepness at every size.
    let relief_m = 80.0 * (size as f64 / 256.0).min(8.0);
    let key = StageKey::new(42, "base");
    let elevation = synthesize(
        &noise,
        &grid,
        [0.0, relief_m],
        Range::Observed,
        key,
        &NoObserver,
    )
    .expect("sound parameters");
    Map::new(grid, elevation, None)
}
