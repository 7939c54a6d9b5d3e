//! A whole stage, seen from outside.

mod maps;

use maps::map_of;
use ndarray::Array2;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, Report, Tiling, Vegetation, erode};
use thalweg_grid::{Layer, Map, NoObserver, Observer, Raster, Shape, StageKey};

/// Rough ground with valleys and pits, the same on every platform: sums of hashed bumps would do as well.
fn rough(row: f64, col: f64) -> f64 {
    let wave = |a: f64, b: f64, length: f64| libm::sin((a * row + b * col) / length);
    400.0
        + 60.0 * wave(1.0, 0.3, 17.0) * wave(-0.4, 1.0, 23.0)
        + 15.0 * wave(0.7, -0.9, 5.3)
        + 4.0 * wave(0.2, 1.0, 1.9)
}

fn everything() -> Parameters {
    Parameters {
        droplets_per_cell: 0.5,
        cycles: 25,
        pools: Some(Pools::default()),
        vegetation: Some(Vegetation::default()),
        ..Parameters::default()
    }
}

fn run(map: &mut Map, parameters: &Parameters) -> Report {
    erode(map, parameters, StageKey::new(42, "rivers"), &NoObserver).unwrap()
}

fn bits(map: &Map) -> Vec<u32> {
    let mut bits: Vec<u32> = map.elevation.iter().map(|v| v.to_bits()).collect();
    for layer in map.layers.values() {
        match layer {
            Raster::Float(cells) => bits.extend(cells.iter().map(|v| v.to_bits())),
            Raster::Ids(cells) => bits.extend(cells),
        }
    }
    bits
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let outcome = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut map = map_of(Shape::new(150, 210), rough);
        let report = pool.install(|| run(&mut map, &everything()));
        (bits(&map), report)
    };
    let one = outcome(1);
    for threads in [2, 3, 8] {
        assert!(outcome(threads) == one, "{threads} threads");
    }
    let before = bits(&map_of(Shape::new(150, 210), rough));
    assert_ne!(before, one.0[..before.len()], "something was eroded");
}

#[test]
fn both_ledgers_close_and_nothing_stays_in_flight() {
    for pools in [None, Some(Pools::default())] {
        for sea_level_m in [None, Some(380.0)] {
            let mut map = map_of(Shape::new(120, 90), rough);
            let before: f64 = map.elevation.iter().map(|&v| f64::from(v)).sum();
            let report = run(
                &mut map,
                &Parameters {
                    pools,
                    sea_level_m,
                    ..everything()
                },
            );
            assert!(report.ledger.closes(), "{:#?}", report.ledger);
            assert!(report.ledger.sediment.in_flight_m3.abs() < f64::EPSILON);
            assert!(report.ledger.water.in_flight_m3.abs() < f64::EPSILON);
            assert!(report.ledger.sediment.eroded_m3 > 0.0);
            // The map's part of the change, from the outside: within what f32 elevations resolve.
            let after: f64 = map.elevation.iter().map(|&v| f64::from(v)).sum();
            let change: f64 = map
                .float(Layer::Change)
                .unwrap()
                .iter()
                .map(|&v| f64::from(v))
                .sum();
            let resolution = 3e-5 * map.elevation.len() as f64;
            assert!((after - before - change).abs() < resolution);
        }
    }
}

#[test]
fn odd_sizes_run() {
    for (rows, cols) in [(1, 1), (1, 40), (40, 1), (2, 2), (3, 5), (65, 129)] {
        let mut map = map_of(Shape::new(rows, cols), rough);
        let report = run(&mut map, &everything());
        assert!(map.elevation.iter().all(|v| v.is_finite()));
        assert!(
            report.ledger.closes(),
            "{rows} × {cols}: {:#?}",
            report.ledger
        );
    }
}

#[test]
fn no_droplets_change_nothing() {
    for parameters in [
        Parameters {
            cycles: 0,
            ..everything()
        },
        Parameters {
            droplets_per_cell: 0.0,
            ..everything()
        },
    ] {
        let mut map = map_of(Shape::new(40, 30), rough);
        let before = map.elevation.clone();
        let report = run(&mut map, &parameters);
        assert_eq!(report.steps, 0);
        assert!(
            before
                .iter()
                .zip(&map.elevation)
                .all(|(a, b)| a.to_bits() == b.to_bits())
        );
    }
}

#[test]
fn flat_ground_stays_flat() {
    let mut map = map_of(Shape::new(30, 40), |_, _| 123.0);
    let parameters = Parameters {
        cycles: 5,
        droplets_per_cell: 0.05,
        ..everything()
    };
    let report = run(&mut map, &parameters);
    assert!(
        map.elevation
            .iter()
            .all(|&v| v.to_bits() == 123f32.to_bits())
    );
    assert!(report.droplets > 0);
}

#[test]
fn nodata_stays_as_it_was_and_drains() {
    let shape = Shape::new(60, 80);
    let mut map = map_of(shape, rough);
    let hole = |row: usize, col: usize| (20..30).contains(&row) && (30..50).contains(&col);
    map.valid = Some(Array2::from_shape_fn(shape.dim(), |(r, c)| !hole(r, c)));
    for row in 20..30 {
        for col in 30..50 {
            map.elevation[(row, col)] = f32::NAN;
        }
    }
    let report = run(&mut map, &everything());
    assert!(report.ledger.closes());
    for ((row, col), value) in map.elevation.indexed_iter() {
        assert_eq!(value.is_nan(), hole(row, col), "row {row}, col {col}");
    }
    let depth = map.float(Layer::PoolDepth).unwrap();
    assert!((20..30).all(|r| (30..50).all(|c| depth[(r, c)] <= 0.0)));
}

#[test]
fn non_finite_ground_is_an_error_that_says_where() {
    let mut map = map_of(Shape::new(4, 6), rough);
    map.elevation[(2, 5)] = f32::INFINITY;
    let error = erode(&mut map, &everything(), StageKey::new(1, "a"), &NoObserver).unwrap_err();
    assert!(error.to_string().contains("row 2, col 5"), "{error}");
}

#[test]
fn closed_sides_let_nothing_out() {
    let mut map = map_of(Shape::new(50, 70), rough);
    let edges = Edges::all(Edge::Closed);
    let report = run(
        &mut map,
        &Parameters {
            edges,
            ..everything()
        },
    );
    assert!(report.ledger.closes());
    assert!(report.ledger.sediment.exported_m3.abs() < f64::EPSILON);
    assert!(report.ledger.water.exported_m3.abs() < f64::EPSILON);
}

/// On a plane that falls to the south, all water leaves there and streams run south: no eastward drift.
#[test]
fn water_on_a_plane_runs_down_it() {
    let mut map = map_of(Shape::new(60, 60), |row, _| 500.0 - 3.0 * row);
    let report = run(
        &mut map,
        &Parameters {
            pools: None,
            vegetation: None,
            ..everything()
        },
    );
    let water = &report.ledger.water;
    assert!(water.exported_m3 > 0.9 * water.rain_m3, "{water:#?}");
    let discharge = map.float(Layer::Discharge).unwrap();
    let row = |r: usize| discharge.row(r).iter().map(|&v| f64::from(v)).sum::<f64>();
    assert!(row(50) > 1.2 * row(5), "{} {}", row(50), row(5));
}

#[test]
fn an_unknown_tiling_is_refused() {
    let tiling = Tiling {
        tile_cells: Some(16),
        halo_cells: 16,
        lanes: 16,
    };
    let mut map = map_of(Shape::new(10, 10), rough);
    let error = erode(
        &mut map,
        &Parameters {
            tiling,
            ..everything()
        },
        StageKey::new(1, "a"),
        &NoObserver,
    )
    .unwrap_err();
    assert!(error.to_string().contains("tile_cells"), "{error}");
}

/// Loads of tens of metres, pools that keep all of them or none, and pits deeper than a change can be.
#[test]
fn the_sediment_ledger_closes_to_the_last_micrometre() {
    for sediment_kept in [0.0, 0.1, 1.0] {
        for depth in [0.0, 5_000.0] {
            let steep = |row: f64, col: f64| {
                let pit = if (row, col) == (30.0, 33.0) {
                    depth
                } else {
                    0.0
                };
                20.0 * rough(row, col) - pit
            };
            let mut map = map_of(Shape::new(70, 80), steep);
            let pools = Some(Pools {
                sediment_kept,
                ..Pools::default()
            });
            let report = run(
                &mut map,
                &Parameters {
                    pools,
                    ..everything()
                },
            );
            let sediment = &report.ledger.sediment;
            assert!(sediment.eroded_m3 > 1e6);
            assert!(
                sediment.residual_m3.abs() < 1e-4,
                "{sediment_kept} {depth}: {sediment:#?}"
            );
            assert!(report.ledger.closes());
        }
    }
}

struct Impatient(std::time::Instant);

impl Observer for Impatient {
    fn cancelled(&self) -> bool {
        self.0.elapsed().as_millis() > 200
    }
}

/// A stage of a single long cycle stops in the middle of it.
#[test]
fn a_stage_can_be_interrupted_within_a_cycle() {
    let mut map = map_of(Shape::new(200, 200), rough);
    let before = map.elevation.clone();
    let long = Parameters {
        droplets_per_cell: 30.0,
        cycles: 1,
        ..everything()
    };
    let observer = Impatient(std::time::Instant::now());
    let error = erode(&mut map, &long, StageKey::new(1, "a"), &observer).unwrap_err();
    assert_eq!(error, thalweg_erosion::ErosionError::Cancelled);
    assert_eq!(map.elevation, before);
}

/// Water that stands already stays where droplets bring none to carry it off, and where there are hardly any droplets.
#[test]
fn stages_without_water_keep_their_accounts() {
    let mut wet = map_of(Shape::new(60, 80), rough);
    run(&mut wet, &everything());
    let pools = Some(Pools {
        drain: 1.0,
        ..Pools::default()
    });
    for (droplets_per_cell, depth) in [(0.1, 0.0), (0.0, 1.0), (1e-310, 1.0), (1e-300, 1e6)] {
        let parameters = Parameters {
            droplets_per_cell,
            water_depth_m: Some(depth),
            pools,
            ..everything()
        };
        let report = run(&mut wet.clone(), &parameters);
        let water = &report.ledger.water;
        assert!(report.ledger.closes(), "{droplets_per_cell}: {water:#?}");
        assert!(water.initial_m3 > 0.0 && water.rain_m3.abs() <= 0.0);
        assert_eq!(report.spring_droplets, 0, "{droplets_per_cell}");
    }
}
