//! What eroded ground looks like: whole, without spikes, and as much eroded at its rim as inside.

use ndarray::Array2;
use thalweg_analysis::sanity;
use thalweg_erosion::{Parameters, Pools, Vegetation, erode};
use thalweg_grid::{Grid, Layer, Map, NoObserver, Shape, StageKey};
use thalweg_noise::{Noise, Range, Source, Sum, synthesize};

const SEEDS: std::ops::Range<u64> = 1..9;

/// Hills like those of `quickstart`, as steep as they are there, on a smaller map.
fn hills(seed: u64) -> Map {
    let shape = Shape::new(256, 320);
    let grid = Grid::new(shape, 10.0, [500_000.0, 5_200_000.0], None).unwrap();
    let noise = Noise::Fbm(Sum {
        octaves: 7,
        ..Sum::new(Source::Perlin, 1500.0)
    });
    let key = StageKey::new(seed, "base");
    let elevation = synthesize(
        &noise,
        &grid,
        [0.0, 250.0],
        Range::Observed,
        key,
        &NoObserver,
    )
    .unwrap();
    Map::new(grid, elevation, None)
}

fn eroded(seed: u64) -> (Map, Map) {
    let before = hills(seed);
    let mut after = before.clone();
    let parameters = Parameters {
        pools: Some(Pools::default()),
        vegetation: Some(Vegetation::default()),
        ..Parameters::default()
    };
    let key = StageKey::new(seed, "rivers");
    let report = erode(&mut after, &parameters, key, &NoObserver).unwrap();
    assert!(report.ledger.closes(), "{:#?}", report.ledger);
    (before, after)
}

/// Sum of |change| and number of cells, of the rings `from..to` cells inside the map's edge.
fn rings(change: &Array2<f32>, from: usize, to: usize) -> (f64, f64) {
    let (rows, cols) = change.dim();
    let ring = |row: usize, col: usize| row.min(col).min(rows - 1 - row).min(cols - 1 - col);
    change
        .indexed_iter()
        .filter(|&((row, col), _)| (from..to).contains(&ring(row, col)))
        .fold((0.0, 0.0), |(sum, count), (_, value)| {
            (sum + f64::from(value.abs()), count + 1.0)
        })
}

#[test]
fn rims_erode_like_the_rest_and_no_cell_becomes_a_spike() {
    let (mut outer, mut inner) = ((0.0, 0.0), (0.0, 0.0));
    for seed in SEEDS {
        let (before, after) = eroded(seed);
        let checked = sanity::check(after.elevation.view(), None, 10.0);
        assert_eq!(checked.non_finite, 0, "seed {seed}");
        let (old, new) = (before.elevation.view(), after.elevation.view());
        assert_eq!(sanity::new_spikes(old, new, None, 10.0), 0, "seed {seed}");
        let change = after.float(Layer::Change).unwrap();
        for (sum, [from, to]) in [(&mut outer, [0, 3]), (&mut inner, [10, 21])] {
            let (more, cells) = rings(change, from, to);
            *sum = (sum.0 + more, sum.1 + cells);
        }
    }
    let ratio = (outer.0 / outer.1) / (inner.0 / inner.1);
    assert!((0.8..=1.2).contains(&ratio), "outer over inner: {ratio}");
}
