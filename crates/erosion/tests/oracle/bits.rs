//! The engine and the reference give the same bits: every layer, every count, both ledgers.

use crate::ground::{cone, map_of, mountains, rough};
use crate::reference;
use ndarray::Array2;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, Report, StreamFeedback, Tiling, Vegetation};
use thalweg_grid::{Layer, Map, NoObserver, Raster, Shape, StageKey};

/// Tile edges; the last is larger than any map here.
const TILES: [usize; 3] = [64, 128, 512];
const LANES: [usize; 3] = [1, 8, 16];

/// Runs both over every tiling; returns the last report, to see that the case exercises what it is there for.
fn agree(map: &Map, parameters: &Parameters) -> Report {
    let tilings = TILES
        .iter()
        .flat_map(|&tile| LANES.map(|lanes| (tile, lanes)));
    agree_on(tilings, map, parameters)
}

/// The same over each tile size and each number of lanes once, where a case has variants.
fn agree_on_some(map: &Map, parameters: &Parameters) -> Report {
    let tilings = TILES.into_iter().zip(LANES.into_iter().rev());
    agree_on(tilings, map, parameters)
}

fn agree_on(
    tilings: impl Iterator<Item = (usize, usize)>,
    map: &Map,
    parameters: &Parameters,
) -> Report {
    tilings
        .map(|(tile_cells, lanes)| {
            let tiling = Tiling {
                tile_cells: Some(tile_cells),
                lanes,
                ..parameters.tiling
            };
            let parameters = Parameters {
                tiling,
                ..parameters.clone()
            };
            let place = format!("tile {tile_cells}, lanes {lanes}");
            agree_with(map, &parameters, &place).1
        })
        .last()
        .expect("tilings")
}

/// Runs both with one tiling, which the parameters name: the map afterwards and the report.
pub(crate) fn agree_with(map: &Map, parameters: &Parameters, place: &str) -> (Map, Report) {
    let key = StageKey::new(7, "oracle");
    let (mut engine, mut plain) = (map.clone(), map.clone());
    let found = thalweg_erosion::erode(&mut engine, parameters, key, &NoObserver).expect(place);
    let expected = reference::erode::<f32>(&mut plain, parameters, key);
    same_layers(&engine, &plain, place);
    assert_eq!(found, expected, "{place}");
    assert!(found.ledger.closes(), "{place}: {:#?}", found.ledger);
    (engine, found)
}

fn same_layers(engine: &Map, plain: &Map, place: &str) {
    same_floats(
        &engine.elevation,
        &plain.elevation,
        &format!("{place}: elevation"),
    );
    let names = |map: &Map| map.layers.keys().copied().collect::<Vec<_>>();
    assert_eq!(names(engine), names(plain), "{place}");
    for (layer, raster) in &engine.layers {
        let place = format!("{place}: {layer}");
        match (raster, &plain.layers[layer]) {
            (Raster::Float(a), Raster::Float(b)) => same_floats(a, b, &place),
            (Raster::Ids(a), Raster::Ids(b)) => assert!(a == b, "{place}"),
            _ => panic!("{place}: two kinds of layers"),
        }
    }
}

fn same_floats(engine: &Array2<f32>, plain: &Array2<f32>, place: &str) {
    let differ = |a: &f32, b: &f32| a.to_bits() != b.to_bits();
    let count = engine
        .iter()
        .zip(plain)
        .filter(|(a, b)| differ(a, b))
        .count();
    let first = engine
        .indexed_iter()
        .zip(plain)
        .find(|((_, a), b)| differ(a, b));
    if let Some(((at, a), b)) = first {
        panic!("{place}: {count} cells differ, the first at {at:?}: engine {a}, reference {b}");
    }
}

/// Pools and plants off.
fn bare() -> Parameters {
    Parameters {
        droplets_per_cell: 0.2,
        cycles: 12,
        ..Parameters::default()
    }
}

fn with_pools() -> Parameters {
    Parameters {
        pools: Some(Pools::default()),
        ..bare()
    }
}

/// Plants that stand everywhere within a few cycles.
fn dense() -> Option<Vegetation> {
    Some(Vegetation {
        spawn: 1e-3,
        ..Vegetation::default()
    })
}

fn rough_map(rows: usize, cols: usize) -> Map {
    map_of(Shape::new(rows, cols), 10.0, rough)
}

fn most(map: &Map, layer: Layer) -> f32 {
    let cells = map.float(layer).expect("the layer");
    cells.iter().copied().fold(0.0, f32::max)
}

#[test]
fn on_rough_ground() {
    let report = agree(&rough_map(96, 80), &bare());
    let limits = report.limits;
    assert!(limits.banks > 0 && limits.deposition > 0, "{limits:?}");
    assert!(report.handed_over > 0);
}

/// Droplets that would dig themselves in if they could.
#[test]
fn with_light_and_fast_droplets() {
    let parameters = Parameters {
        density: 0.1,
        friction: 0.01,
        exchange: 1.0,
        ..bare()
    };
    let limits = agree_on_some(&rough_map(64, 72), &parameters).limits;
    assert!(limits.erosion > 0, "{limits:?}");
}

#[test]
fn on_a_cone() {
    agree(&map_of(Shape::new(64, 64), 10.0, cone(64)), &bare());
}

#[test]
fn in_the_mountains() {
    agree(&mountains(), &bare());
}

#[test]
fn with_plants() {
    let parameters = Parameters {
        vegetation: dense(),
        ..bare()
    };
    agree(&rough_map(80, 96), &parameters);
    let mut map = rough_map(80, 96);
    let key = StageKey::new(7, "oracle");
    reference::erode::<f32>(&mut map, &with_tile(&parameters), key);
    assert!(most(&map, Layer::Vegetation) > 0.5, "plants stand");
}

/// The reference asks for a tile size.
fn with_tile(parameters: &Parameters) -> Parameters {
    Parameters {
        tiling: Tiling {
            tile_cells: Some(64),
            ..parameters.tiling
        },
        ..parameters.clone()
    }
}

/// Streams that are there from the start, so that feedback and stops have something to work with.
fn with_streams(mut map: Map) -> Map {
    let stream = Array2::from_shape_fn(map.grid.shape.dim(), |(row, col)| {
        let wave = libm::sin(row as f64 / 6.0 + libm::sin(col as f64 / 9.0));
        (wave.max(0.0)) as f32
    });
    map.layers.insert(Layer::Stream, Raster::Float(stream));
    map
}

#[test]
fn with_streams_and_without_their_feedback() {
    let map = with_streams(rough_map(72, 72));
    for (friction, evaporation) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.2)] {
        let stream_feedback = StreamFeedback {
            friction,
            evaporation,
        };
        agree_on_some(
            &map,
            &Parameters {
                stream_feedback,
                ..bare()
            },
        );
    }
}

#[test]
fn with_a_sea() {
    let parameters = Parameters {
        sea_level_m: Some(395.0),
        ..bare()
    };
    let report = agree(&rough_map(80, 64), &parameters);
    assert!(report.ledger.water.to_sea_m3 > 0.0);
}

#[test]
fn within_closed_sides() {
    let (open, closed) = (Edge::Open, Edge::Closed);
    for [north, east, south, west] in [
        [closed, closed, closed, closed],
        [closed, open, open, closed],
        [open, closed, open, open],
    ] {
        let edges = Edges {
            north,
            east,
            south,
            west,
            ..Edges::default()
        };
        agree_on_some(&rough_map(64, 72), &Parameters { edges, ..bare() });
    }
}

#[test]
fn without_an_apron() {
    let edges = Edges {
        apron_m: 0.0,
        ..Edges::default()
    };
    let report = agree_on_some(&rough_map(72, 64), &Parameters { edges, ..bare() });
    assert!(report.ledger.water.exported_m3 > 0.0);
}

/// A hole without data, one at the map's side, and single cells.
fn with_holes(mut map: Map) -> Map {
    let hole = |row: usize, col: usize| {
        ((20..31).contains(&row) && (30..50).contains(&col))
            || (row < 9 && col < 5)
            || (row * 31 + col * 17).is_multiple_of(211)
    };
    let dim = map.grid.shape.dim();
    map.valid = Some(Array2::from_shape_fn(dim, |(row, col)| !hole(row, col)));
    for ((row, col), height) in map.elevation.indexed_iter_mut() {
        if hole(row, col) {
            *height = f32::NAN;
        }
    }
    map
}

#[test]
fn around_cells_without_data() {
    let map = with_holes(rough_map(64, 80));
    agree_on_some(&map, &bare());
    agree_on_some(&map, &with_pools());
}

/// Steps of kilometres, which ask for more than a change can hold.
#[test]
fn on_cliffs_beyond_the_range_of_change() {
    let cliff = |row: usize, col: usize| {
        let mixed = (row * 64 + col + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        f64::from((mixed % 8001) as u32)
    };
    let parameters = Parameters {
        exchange: 50.0,
        ..bare()
    };
    let limits = agree_on_some(&map_of(Shape::new(40, 48), 10.0, cliff), &parameters).limits;
    assert!(limits.range > 0, "{limits:?}");
}

#[test]
fn with_other_constants() {
    let map = map_of(Shape::new(64, 64), 25.0, rough);
    let parameters = Parameters {
        reference_length_m: 7.0,
        water_depth_m: Some(1.5),
        density: 1.7,
        friction: 0.23,
        evaporation: 0.013,
        exchange: 0.7,
        bank_slope: 0.4,
        minimum_volume: 0.2,
        stop_stream: 0.3,
        stop_acceleration: 0.05,
        max_path_km: Some(0.6),
        learning_rate: 0.05,
        vegetation: dense(),
        tiling: Tiling {
            halo_cells: 5,
            ..Tiling::default()
        },
        ..bare()
    };
    agree(&map, &parameters);
}

#[test]
fn with_pools_on_rough_ground() {
    let report = agree(&rough_map(72, 80), &with_pools());
    assert!(
        report.pools > 0 && report.spring_droplets > 0,
        "{report:#?}"
    );
}

/// Elevations of whole steps have flats on which droplets come to rest.
#[test]
fn with_pools_on_steps() {
    for exchange in [0.0, 0.1] {
        let mut map = rough_map(48, 56);
        map.elevation
            .mapv_inplace(|height| 4.0 * (height / 4.0).round());
        let parameters = Parameters {
            exchange,
            ..with_pools()
        };
        agree_on_some(&map, &parameters);
    }
}

#[test]
fn with_pools_in_the_mountains() {
    agree(&mountains(), &with_pools());
}

/// Everything at once, for two stages: the second starts from the first one's streams, discharge and pools.
#[test]
fn with_everything_twice() {
    let parameters = Parameters {
        vegetation: dense(),
        sea_level_m: Some(350.0),
        edges: Edges {
            north: Edge::Closed,
            ..Edges::default()
        },
        pools: Some(Pools {
            lake_evaporation_m: 0.01,
            seepage_m: 0.004,
            ..Pools::default()
        }),
        ..with_pools()
    };
    let mut map = rough_map(64, 72);
    for _ in 0..2 {
        agree_on_some(&map, &parameters);
        reference::erode::<f32>(
            &mut map,
            &with_tile(&parameters),
            StageKey::new(8, "before"),
        );
    }
}

/// More droplets on a larger map, in which most tiles have neighbours on all sides.
#[test]
fn on_a_larger_map() {
    let parameters = Parameters {
        vegetation: dense(),
        droplets_per_cell: 0.1,
        cycles: 6,
        ..with_pools()
    };
    let report = agree_on_some(&rough_map(256, 256), &parameters);
    assert!(report.handed_over > 0);
}

/// Maps of a few cells, where sides, corners and aprons meet.
#[test]
fn on_tiny_maps() {
    for (rows, cols) in [(1, 1), (1, 9), (7, 1), (2, 2), (3, 5)] {
        for pools in [None, Some(Pools::default())] {
            let parameters = Parameters {
                droplets_per_cell: 3.0,
                pools,
                ..bare()
            };
            agree_on_some(&rough_map(rows, cols), &parameters);
        }
    }
}
