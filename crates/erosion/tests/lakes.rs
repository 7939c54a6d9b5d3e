//! Lakes of whole stages: their table, their balance with the climate, and their one level across tiles.

#[path = "maps/hollows.rs"]
mod hollows;
mod maps;

use hollows::hollows;
use maps::{CELL_M, map_of};
use std::collections::BTreeMap;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, Report, Tiling, erode};
use thalweg_grid::{Layer, Map, NoObserver, Raster, Shape, SpillsTo, StageKey};

/// A bowl, closed all around.
fn bowl(size: usize) -> Map {
    let middle = size as f64 / 2.0 - 0.5;
    map_of(Shape::new(size, size), |row, col| {
        0.01 * ((row - middle).powi(2) + (col - middle).powi(2))
    })
}

/// Nothing is lost on the way, and nothing leaves.
fn closed(pools: Pools) -> Parameters {
    Parameters {
        evaporation: 0.0,
        exchange: 0.0,
        edges: Edges::all(Edge::Closed),
        pools: Some(pools),
        ..Parameters::default()
    }
}

fn run(map: &mut Map, parameters: &Parameters) -> Report {
    let report = erode(map, parameters, StageKey::new(5, "lakes"), &NoObserver).unwrap();
    assert!(report.ledger.closes(), "{:#?}", report.ledger);
    report
}

fn ids(map: &Map) -> &ndarray::Array2<u32> {
    match &map.layers[&Layer::LakeId] {
        Raster::Ids(ids) => ids,
        Raster::Float(_) => panic!("ids are whole numbers"),
    }
}

#[test]
fn layers_and_table_tell_the_same_and_no_hollow_is_dry() {
    let mut map = map_of(Shape::new(160, 192), hollows);
    let parameters = Parameters {
        cycles: 30,
        pools: Some(Pools::default()),
        ..Parameters::default()
    };
    run(&mut map, &parameters);
    let lakes = map.lakes.as_ref().unwrap();
    assert!(lakes.lakes.len() > 10, "{} lakes", lakes.lakes.len());
    assert_eq!(lakes.dry_basins, vec![]);

    let (depth, level) = (
        map.float(Layer::PoolDepth).unwrap(),
        map.float(Layer::WaterLevel).unwrap(),
    );
    let mut sums: BTreeMap<u32, (f64, f64, f32, f32)> = BTreeMap::new();
    for (at, &id) in ids(&map).indexed_iter() {
        assert_eq!(id != 0, depth[at] > 0.0, "{at:?}");
        assert_eq!(id != 0, !level[at].is_nan(), "{at:?}");
        if id != 0 {
            let (cells, volume, deepest, surface) =
                sums.entry(id).or_insert((0.0, 0.0, 0.0, level[at]));
            *cells += 1.0;
            *volume += f64::from(depth[at]) * CELL_M * CELL_M;
            *deepest = deepest.max(depth[at]);
            assert_eq!(
                surface.to_bits(),
                level[at].to_bits(),
                "lake {id} has one level"
            );
        }
    }
    assert_eq!(sums.len(), lakes.lakes.len());
    for (lake, (&id, &(cells, volume_m3, deepest, surface))) in lakes.lakes.iter().zip(&sums) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
        assert_eq!(lake.id, id);
        assert!(near(lake.area_km2, cells * 1e-4), "{lake:?}");
        assert!(near(lake.volume_m3, volume_m3), "{lake:?} {volume_m3}");
        assert!(near(lake.max_depth_m, f64::from(deepest)), "{lake:?}");
        assert!(near(lake.level_m, f64::from(surface)), "{lake:?}");
        assert!(near(
            lake.mean_depth_m * lake.area_km2 * 1e6,
            lake.volume_m3
        ));
        assert!(lake.catchment_km2 >= lake.area_km2 && lake.chain >= 1);
        if let SpillsTo::Lake(next) = lake.spills_to {
            let below = &lakes.lakes[next as usize - 1];
            assert_eq!(lake.chain, below.chain + 1);
            assert!(below.level_m <= lake.level_m && below.catchment_km2 > lake.catchment_km2);
        }
    }
    let longest = lakes.lakes.iter().map(|lake| lake.chain).max();
    assert_eq!(longest, Some(lakes.max_chain));
}

/// All rain of a closed bowl runs into its lake, and leaves through its surface alone: in balance the lake's area is
/// rain per cycle over depth of evaporation per cycle.
#[test]
fn a_closed_basin_keeps_the_lake_that_its_climate_can_feed() {
    let area = |evaporation_m: f64, seepage_m: f64| {
        let mut map = bowl(96);
        let parameters = Parameters {
            droplets_per_cell: 2.0,
            water_depth_m: Some(20.0),
            cycles: 2000,
            ..closed(Pools {
                lake_evaporation_m: evaporation_m,
                seepage_m,
                reconcile_every: 0.001,
                ..Pools::default()
            })
        };
        let report = run(&mut map, &parameters);
        let water = &report.ledger.water;
        assert!(water.exported_m3 == 0.0 && water.infiltrated_m3 < 1e-3 * water.rain_m3);
        let cells = map
            .float(Layer::PoolDepth)
            .unwrap()
            .iter()
            .filter(|&&d| d > 0.0)
            .count();
        cells as f64
    };
    let rain_m = 20.0 / 2000.0;
    for (evaporation_m, seepage_m) in [(0.04, 0.0), (0.1, 0.0), (0.02, 0.06)] {
        let expected = 96.0 * 96.0 * rain_m / (evaporation_m + seepage_m);
        let found = area(evaporation_m, seepage_m);
        assert!(
            (found / expected - 1.0).abs() < 0.05,
            "{evaporation_m} {seepage_m}: {found} cells, expected {expected}"
        );
    }
}

/// A box that all rain runs into loses its area times the rates, in each cycle of the stage, and the rest stands in
/// it; whether its water is weighed in each cycle or now and then.
#[test]
fn a_box_loses_rate_by_area_by_cycles() {
    for reconcile_every in [0.0, 0.07] {
        let mut map = map_of(Shape::new(40, 48), |row, col| {
            let beyond = |at: f64, from: f64, to: f64| (from - at).max(at - to).max(0.0);
            let outside = beyond(row, 10.0, 24.0).max(beyond(col, 12.0, 33.0));
            if outside > 0.0 { 50.0 + outside } else { 0.0 }
        });
        let parameters = Parameters {
            droplets_per_cell: 1.0,
            water_depth_m: Some(4.0),
            cycles: 80,
            friction: 1.0,
            ..closed(Pools {
                lake_evaporation_m: 0.04,
                seepage_m: 0.01,
                reconcile_every,
                ..Pools::default()
            })
        };
        let water = run(&mut map, &parameters).ledger.water;
        let box_m2 = 15.0 * 22.0 * CELL_M * CELL_M;
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        };
        near(water.evaporated_m3, 80.0 * 0.04 * box_m2);
        near(water.seeped_m3, 80.0 * 0.01 * box_m2);
        near(water.in_pools_m3, water.rain_m3 - 80.0 * 0.05 * box_m2);
    }
}

/// Where a hundred times the rain of a cycle can evaporate in one, next to nothing stands when the stage ends: a
/// hundredth of a cycle's rain at most.
#[test]
fn extreme_losses_leave_next_to_nothing() {
    let mut map = map_of(Shape::new(160, 192), hollows);
    let parameters = Parameters {
        cycles: 100,
        pools: Some(Pools {
            lake_evaporation_m: 10.0,
            ..Pools::default()
        }),
        ..Parameters::default()
    };
    let water = run(&mut map, &parameters).ledger.water;
    let cycle_m3 = water.rain_m3 / 100.0;
    assert!(water.in_pools_m3 < 0.01 * cycle_m3, "{water:#?}");
    assert!(map.lakes.as_ref().unwrap().dry_basins.len() > 20);
}

/// In a dry climate hollows fall dry; each is listed, and what came in is what was lost.
#[test]
fn dry_basins_are_listed_with_a_balance_that_explains_them() {
    let mut map = map_of(Shape::new(160, 192), hollows);
    let parameters = Parameters {
        cycles: 30,
        pools: Some(Pools {
            lake_evaporation_m: 2.0,
            seepage_m: 1.0,
            ..Pools::default()
        }),
        ..Parameters::default()
    };
    let report = run(&mut map, &parameters);
    assert!(report.ledger.water.seeped_m3 > 0.0);
    let dry = &map.lakes.as_ref().unwrap().dry_basins;
    assert!(dry.len() > 5, "{}", dry.len());
    for basin in dry {
        let lost = basin.evaporated_m3 + basin.seeped_m3;
        assert!(basin.depth_m > 0.01 && basin.area_km2 > 0.0, "{basin:?}");
        assert!(lost <= basin.inflow_m3 * (1.0 + 1e-9) + 1e-9, "{basin:?}");
    }
    let watered = dry.iter().filter(|basin| basin.inflow_m3 > 0.0).count();
    assert!(watered > 0);
}

/// A lake that lies over nine tiles and more has one number and one level, whatever the tiles.
#[test]
fn a_lake_over_many_tiles_is_one() {
    for tile_cells in [64, 128, 512] {
        let mut map = bowl(320);
        let parameters = Parameters {
            droplets_per_cell: 0.05,
            water_depth_m: Some(80.0),
            cycles: 5,
            tiling: Tiling {
                tile_cells: Some(tile_cells),
                ..Tiling::default()
            },
            ..closed(Pools::default())
        };
        run(&mut map, &parameters);
        let lakes = &map.lakes.as_ref().unwrap().lakes;
        assert_eq!(lakes.len(), 1, "tiles of {tile_cells}");
        // 80 m on 320² cells in a paraboloid z = 0.01 r²: V = π z² / 0.02, in m × cells.
        let water_m = 80.0 * 320.0 * 320.0;
        let expected = (water_m * 0.02 / std::f64::consts::PI).sqrt();
        let level_m = lakes[0].level_m;
        assert!(
            (level_m / expected - 1.0).abs() < 0.01,
            "{level_m} m, expected {expected} m"
        );
    }
}

/// Lakes on a tenth of the map for 500 cycles: both ledgers close, to 10⁻⁶ of what was exchanged.
#[test]
fn ledgers_close_over_five_hundred_cycles_with_lakes_on_a_tenth_of_the_map() {
    let mut map = map_of(Shape::new(96, 128), hollows);
    let parameters = Parameters {
        droplets_per_cell: 2.0,
        cycles: 500,
        pools: Some(Pools::default()),
        ..Parameters::default()
    };
    let report = run(&mut map, &parameters);
    let wet = ids(&map).iter().filter(|&&id| id != 0).count() as f64 / (96.0 * 128.0);
    assert!(wet > 0.1, "{wet} of the map is wet");
    assert!(report.ledger.sediment.in_flight_m3.abs() < 1e-12);
}
