//! Random stages, decoded from bytes, and what every stage promises.
//!
//! One list of ranges serves the property tests, the comparison with the reference, and the fuzz target in
//! `fuzz/`, whose corpus the property tests replay. Zeros, and what follows the last byte, decode to the simplest
//! case: a cell, defaults. No word of any crate's decides how bytes are read, so that a corpus keeps its meaning.

mod choices;
mod promises;

pub(crate) use choices::Choices;
pub(crate) use promises::keeps_its_promises;

use ndarray::Array2;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, StreamFeedback, Tiling, Vegetation};
use thalweg_grid::{Grid, Map, Purpose, Shape, StageKey};

/// Bytes that a case reads at most.
pub(crate) const LENGTH: usize = 192;

/// The engine's bound on a droplet's steps.
pub(crate) const MAX_STEPS: u64 = 1 << 18;

/// A map, and a stage or two on it with the same parameters.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub map: Map,
    pub parameters: Parameters,
    pub stages: u32,
}

impl Case {
    /// Decodes a case with a number of `droplets` at most: some parameters let each take all steps that it may.
    ///
    /// Ranges are those of `Parameters::check`, but for droplets, cycles, apron and tiles, whose numbers only cost
    /// time beyond some point.
    pub(crate) fn decode(bytes: &[u8], droplets: u32) -> Self {
        let mut choices = Choices::new(bytes);
        let map = map(&mut choices);
        let mut parameters = parameters(&mut choices);
        let stages = 1 + u32::from(choices.seldom(4));
        // With an apron of half the map on all sides.
        let cells = 4.0 * map.grid.shape.cells() as f64;
        let most = f64::from(droplets) / cells;
        parameters.droplets_per_cell = parameters.droplets_per_cell.min(most);
        Self {
            map,
            parameters,
            stages,
        }
    }
}

fn map(choices: &mut Choices<'_>) -> Map {
    let shape = Shape::new(choices.whole(1, 48), choices.whole(1, 48));
    let cell_size_m = choices.parameter(10.0, [1e-3, 1e6]);
    let relief = choices.parameter(1.0, [0.0, 1e3]);
    let level = 1e4 * (choices.unit() - 0.5);
    let key = StageKey::new(choices.byte().into(), "case");
    let bits =
        |what, at: (usize, usize)| key.bits(Purpose::Noise, what, shape.index(at.0, at.1) as u64);
    let elevation = Array2::from_shape_fn(shape.dim(), |at| {
        let pebble = (bits(0, at) >> 40) as f64 / 16_777_216.0;
        (level + relief * (hills(at) + 4.0 * pebble)) as f32
    });
    let grid = Grid::new(shape, cell_size_m, [500_000.0, 5_200_000.0], None).expect("a grid");
    let valid = choices
        .seldom(3)
        .then(|| Array2::from_shape_fn(shape.dim(), |at| !bits(1, at).is_multiple_of(20)));
    Map::new(grid, elevation, valid)
}

/// Valleys, ridges and pits, ±80 m.
fn hills((row, col): (usize, usize)) -> f64 {
    let wave = |south: f64, east: f64, length: f64| {
        libm::sin((south * row as f64 + east * col as f64) / length)
    };
    60.0 * wave(1.0, 0.3, 11.0) * wave(-0.4, 1.0, 17.0)
        + 15.0 * wave(0.7, -0.9, 5.3)
        + 4.0 * wave(0.2, 1.0, 1.9)
}

fn parameters(choices: &mut Choices<'_>) -> Parameters {
    let d = Parameters::default();
    Parameters {
        droplets_per_cell: choices.parameter(0.5, [0.0, 1e6]),
        cycles: choices.count(5, [0, 12]) as u32,
        reference_length_m: choices.parameter(d.reference_length_m, [1e-3, 1e6]),
        water_depth_m: choices
            .seldom(2)
            .then(|| choices.parameter(1.0, [0.0, 1e9])),
        density: choices.parameter(d.density, [1e-3, 1e3]),
        friction: choices.parameter(d.friction, [0.0, 100.0]),
        evaporation: choices.parameter(d.evaporation, [0.0, 100.0]),
        exchange: choices.parameter(d.exchange, [0.0, 100.0]),
        bank_slope: choices.parameter(d.bank_slope, [0.01, 1e6]),
        minimum_volume: choices.parameter(d.minimum_volume, [1e-4, 0.99]),
        stop_stream: choices.share(d.stop_stream),
        stop_acceleration: choices.parameter(d.stop_acceleration, [0.0, 1e3]),
        max_path_km: choices
            .seldom(4)
            .then(|| choices.parameter(1.0, [1e-6, 1e9])),
        learning_rate: choices.share(d.learning_rate).min(0.999),
        stream_feedback: StreamFeedback {
            friction: choices.share(d.stream_feedback.friction),
            evaporation: choices.share(d.stream_feedback.evaporation),
        },
        edges: Edges {
            north: edge(choices),
            east: edge(choices),
            south: edge(choices),
            west: edge(choices),
            apron_m: choices.parameter(d.edges.apron_m, [0.0, 1e6]),
        },
        sea_level_m: choices.seldom(3).then(|| 1e4 * (choices.unit() - 0.5)),
        pools: choices.seldom(2).then(|| pools(choices)),
        vegetation: choices.seldom(2).then(|| vegetation(choices)),
        tiling: tiling(choices),
    }
}

fn edge(choices: &mut Choices<'_>) -> Edge {
    match choices.seldom(3) {
        true => Edge::Closed,
        false => Edge::Open,
    }
}

fn pools(choices: &mut Choices<'_>) -> Pools {
    let d = Pools::default();
    Pools {
        drain: choices.share(d.drain),
        sediment_kept: choices.share(d.sediment_kept),
        spills: choices.count(d.spills as usize, [0, 1_000_000]) as u32,
        reconcile_every: choices.parameter(d.reconcile_every, [0.0, 1e6]),
        lake_evaporation_m: choices.share(d.lake_evaporation_m),
        seepage_m: choices.share(d.seepage_m),
    }
}

fn vegetation(choices: &mut Choices<'_>) -> Vegetation {
    let d = Vegetation::default();
    Vegetation {
        growth: choices.share(d.growth),
        initial_size: choices.parameter(d.initial_size, [0.01, 1.0]),
        spawn: choices.parameter(d.spawn, [0.0, 1.0]),
        spread: choices.parameter(d.spread, [0.0, 1.0]),
        spread_m: choices.parameter(d.spread_m, [0.0, 1e6]),
        death: choices.parameter(d.death, [0.0, 1.0]),
        max_stream: choices.share(d.max_stream),
        min_normal: choices.share(d.min_normal),
    }
}

fn tiling(choices: &mut Choices<'_>) -> Tiling {
    let d = Tiling::default();
    let halo_cells = choices.count(d.halo_cells, [2, 32]);
    let tile_cells = choices.whole(2 * halo_cells, 96);
    Tiling {
        tile_cells: Some(tile_cells),
        halo_cells,
        lanes: choices.count(d.lanes, [1, 16]),
    }
}
