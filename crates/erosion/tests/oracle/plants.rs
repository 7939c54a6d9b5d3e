//! Plants by known answers: what they do to erosion, and how often they appear, spread and die.
//!
//! A map of 256² cells with 250 droplets a cycle has the published cycle, in which chances hold as they are. Growth is
//! off where plants are counted: all are of one size, small enough that densities never reach 1, so that the sum of the
//! densities ρ = Σ weight × size counts them.

use crate::ground::{map_of, rough};
use ndarray::Array2;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, Report, Vegetation, erode};
use thalweg_grid::{Layer, Map, NoObserver, Raster, Shape, StageKey};

const SIZE: usize = 256;
const PUBLISHED_CYCLE: f64 = 250.0 / 65_536.0;
const PLANT: f64 = 0.01;

/// Plants that neither grow nor spread nor die, nor mind streams and slopes.
fn idle() -> Vegetation {
    Vegetation {
        growth: 0.0,
        initial_size: PLANT,
        spawn: 0.0,
        spread: 0.0,
        spread_m: 40.0,
        death: 0.0,
        max_stream: 1.0,
        min_normal: 0.0,
    }
}

/// Rain of `published` published cycles in each of `cycles`, on ground that stays as it is, within walls.
fn parameters(vegetation: Vegetation, cycles: u32, published: f64) -> Parameters {
    Parameters {
        // A little more, lest rounding takes a droplet of some cycle.
        droplets_per_cell: PUBLISHED_CYCLE * published * f64::from(cycles) * (1.0 + 1e-9),
        cycles,
        exchange: 0.0,
        vegetation: Some(vegetation),
        edges: Edges::all(Edge::Closed),
        ..Parameters::default()
    }
}

fn run(map: &mut Map, parameters: &Parameters) -> Report {
    erode(map, parameters, StageKey::new(5, "plants"), &NoObserver).expect("a run")
}

fn flat(cell_size_m: f64) -> Map {
    map_of(Shape::new(SIZE, SIZE), cell_size_m, |_, _| 100.0)
}

/// How many plants stand, as the sum of densities says: a plant weighs 1 + 4 × 0.6 + 4 × 0.4, less at the map's edge,
/// where some of it falls outside; on average over the cells.
fn count(map: &Map) -> f64 {
    let inside = 1.0 - 1.0 / SIZE as f64;
    let weight = 1.0 + 4.0 * 0.6 * inside + 4.0 * 0.4 * inside * inside;
    let cover = map.float(Layer::Vegetation).expect("plants");
    let sum: f64 = cover.iter().map(|&density| f64::from(density)).sum();
    sum / PLANT / weight
}

/// How many plants there are after a few cycles on flat ground.
fn counted(vegetation: Vegetation, cycles: u32, published: f64, cell_size_m: f64) -> f64 {
    let mut map = flat(cell_size_m);
    run(&mut map, &parameters(vegetation, cycles, published));
    count(&map)
}

/// Within four standard deviations of a binomial number of `trials`, and a share of its mean for what was left out.
#[track_caller]
fn assert_binomial(found: f64, trials: f64, chance: f64, leeway: f64) {
    let (mean, sigma) = (trials * chance, (trials * chance * (1.0 - chance)).sqrt());
    let score = (found - mean) / (sigma + leeway * mean / 4.0);
    assert!(
        score.abs() < 4.0,
        "{found} plants, expected {mean} ± {sigma}"
    );
}

const CELLS: f64 = (SIZE * SIZE) as f64;

/// A chance of κ² f / 65,536 by default, a cell and cycle.
#[test]
fn plants_appear_at_the_stated_chance() {
    for (cell_size_m, published, spawn) in [
        (10.0, 1.0, 0.05),
        (20.0, 1.0, 0.05),
        (10.0, 3.0, 0.05),
        (5.0, 1.0, 0.05),
        (10.0, 8.0, 1.0 / 65_536.0 * 64.0),
    ] {
        let vegetation = Vegetation { spawn, ..idle() };
        let kappa = cell_size_m / 10.0;
        let found = counted(vegetation, 1, published, cell_size_m);
        assert_binomial(found, CELLS, kappa * kappa * published * spawn, 1e-3);
    }
}

/// Where plants stand in every cell after the first cycle, 1 − (1 − d)^f of them die in the second.
#[test]
fn plants_die_by_chance_at_the_stated_rate() {
    for (published, death) in [(1.0, 0.1), (1.0, 0.001), (3.0, 0.1)] {
        let vegetation = Vegetation {
            spawn: 1.0,
            death,
            ..idle()
        };
        let dies = 1.0 - libm::pow(1.0 - death, published);
        let found = counted(vegetation, 2, published, 10.0);
        assert_binomial(CELLS - found, CELLS, dies, 5e-3);
    }
}

/// Two runs with the same draws, of which one's plants have children in the second cycle: the first cycle's plants try
/// with chance f × spread. A child is lost off the map, on a cell with a plant, or to a draw below the density there.
#[test]
fn plants_spread_at_the_stated_chance() {
    let spawn = 0.05;
    for (spread, published) in [(0.4, 1.0), (1.0 / 50.0, 1.0), (0.1, 2.0)] {
        let vegetation = Vegetation { spawn, ..idle() };
        let without = counted(vegetation, 2, published, 10.0);
        let with = counted(
            Vegetation {
                spread,
                ..vegetation
            },
            2,
            published,
            10.0,
        );
        let chance = published * spawn;
        let parents = CELLS * chance;
        // A child stands up to four cells off along each axis: in its parent's own cell one time in eight, twice.
        let outside = 1.0 - 2.0 / SIZE as f64;
        let free = (1.0 - 1.0 / 64.0) * (1.0 - chance).powi(2);
        let density = 5.0 * PLANT * chance;
        let siblings = 1.0 - 0.5 * published * spread * chance;
        let lives = outside * outside * free * (1.0 - density) * siblings;
        assert_binomial(with - without, parents, published * spread * lives, 0.01);
    }
}

/// Streams, in a map that brings them along and learns nothing, and slopes.
#[test]
fn plants_keep_away_from_streams_and_steep_ground() {
    let vegetation = Vegetation {
        spawn: 1.0,
        max_stream: 0.2,
        min_normal: 0.8,
        ..idle()
    };
    let stands = |map: &Map, col: usize| {
        let cover = map.float(Layer::Vegetation).expect("plants");
        cover
            .column(col)
            .iter()
            .filter(|&&density| density > 0.0)
            .count()
    };
    let mut map = flat(10.0);
    let stream = |(_, col): (usize, usize)| if col < 128 { 0.21 } else { 0.19 };
    let stream = Array2::from_shape_fn((SIZE, SIZE), stream);
    map.layers.insert(Layer::Stream, Raster::Float(stream));
    let still = Parameters {
        learning_rate: 0.0,
        ..parameters(vegetation, 3, 1.0)
    };
    run(&mut map, &still);
    assert_eq!(
        [100, 126, 129, 200].map(|col| stands(&map, col)),
        [0, 0, SIZE, SIZE]
    );

    // An upward part of 0.8 is a slope of 0.75.
    let slope = |col: usize| if col < 128 { 7.6 } else { 7.4 };
    let mut map = map_of(Shape::new(SIZE, SIZE), 10.0, |_, col| {
        5000.0 - (0..col).map(slope).sum::<f64>()
    });
    run(&mut map, &parameters(vegetation, 3, 1.0));
    assert_eq!(
        [2, 100, 126, 130, 200].map(|col| stands(&map, col)),
        [0, 0, 0, SIZE, SIZE]
    );
}

/// Plants stand everywhere from the first cycle on; a lake rises in the middle, and they die where it stands. Growth is
/// as stated too: a plant of age n has size 1 − (1 − s)(1 − g)^n.
#[test]
fn plants_die_in_water_and_grow_elsewhere() {
    let middle = SIZE as f64 / 2.0;
    let mut map = map_of(Shape::new(SIZE, SIZE), 10.0, |row, col| {
        0.1 * libm::hypot(row as f64 - middle, col as f64 - middle)
    });
    let (growth, cycles) = (0.05, 30);
    let vegetation = Vegetation {
        spawn: 1.0,
        growth,
        ..idle()
    };
    let parameters = Parameters {
        water_depth_m: Some(1.0),
        pools: Some(Pools {
            reconcile_every: 0.0,
            ..Pools::default()
        }),
        evaporation: 0.0,
        ..parameters(vegetation, cycles, 1.0)
    };
    run(&mut map, &parameters);
    let depth = map.float(Layer::PoolDepth).expect("a lake");
    let cover = map.float(Layer::Vegetation).expect("plants");
    let deepest = depth.iter().copied().fold(0.0, f32::max);
    let (mut wet, mut dry) = (0, 0);
    let size = 1.0 - (1.0 - PLANT) * libm::pow(1.0 - growth, f64::from(cycles - 1));
    for ((row, col), &depth) in depth.indexed_iter() {
        let found = f64::from(cover[(row, col)]);
        let radius = libm::hypot(row as f64 - middle, col as f64 - middle);
        if depth > 0.3 * deepest {
            wet += 1;
            assert!(found <= 0.0, "ρ {found} under {depth} m");
        } else if radius > 110.0 {
            dry += 1;
            let neighbours = |at: usize| 3.0 - f64::from(u8::from(at == 0 || at == SIZE - 1));
            let (rows, cols) = (neighbours(row), neighbours(col));
            let diagonal = 0.4 * (rows - 1.0) * (cols - 1.0);
            let density = size * (1.0 + 0.6 * (rows + cols - 2.0) + diagonal);
            assert!(
                (found - density.min(1.0)).abs() < 1e-4,
                "ρ {found}, expected {density}"
            );
        }
    }
    assert!(wet > 500 && dry > 10_000, "{wet} wet cells, {dry} dry");
}

/// Plants of which the density is `density` everywhere from the first cycle on.
fn evenly(density: f64) -> Vegetation {
    Vegetation {
        spawn: 1.0,
        initial_size: density / 5.0,
        ..idle()
    }
}

/// A run under plants of an even density ρ is, but for chance and its first cycle, before which none stand, a bare one
/// whose exchange is lower by 1 − ρ.
#[test]
fn plants_lower_erosion_by_their_factor() {
    let eroded = |cycles: u32, exchange: f64, vegetation: Option<Vegetation>| {
        let mut map = map_of(Shape::new(96, 96), 10.0, rough);
        let parameters = Parameters {
            droplets_per_cell: f64::from(cycles) / 200.0,
            cycles,
            exchange,
            vegetation,
            ..Parameters::default()
        };
        run(&mut map, &parameters).ledger.sediment.eroded_m3
    };
    let (bare, first) = (eroded(200, 0.1, None), eroded(1, 0.1, None));
    let mut last = bare;
    for density in [0.5, 0.9] {
        let found = eroded(200, 0.1, Some(evenly(density)));
        let slower = 0.1 * (1.0 - density);
        let expected = first + eroded(200, slower, None) - eroded(1, slower, None);
        assert!(
            (found / expected - 1.0).abs() < 0.03,
            "ρ {density}: {found} m³, expected {expected}"
        );
        assert!(found < 0.8 * last, "{found} m³ after {last} m³");
        last = found;
    }
    // Enough for a density of 1 at the sides too, where neighbours are missing.
    let full = eroded(200, 0.1, Some(evenly(1.5)));
    assert!(
        full < 1.1 * first,
        "under full cover {full} m³, {first} m³ in a bare cycle"
    );
}
