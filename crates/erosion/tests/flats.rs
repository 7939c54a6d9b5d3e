//! Basins whose bottom is flat: no cell of it is lower than all around, and yet water stands in them.

mod maps;

use maps::map_of;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, erode};
use thalweg_grid::{Layer, NoObserver, Shape, StageKey};

/// Bottoms, as cells about the middle of a basin: `[row, col]`.
fn bottoms() -> Vec<(&'static str, Vec<[i64; 2]>)> {
    let rectangle = |rows: i64, cols: i64| -> Vec<[i64; 2]> {
        let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| [row, col]));
        cells.collect()
    };
    let corner = |long: i64| -> Vec<[i64; 2]> {
        let cells = (0..long).flat_map(|at| [[at, 0], [long - 1, at]]);
        cells.collect()
    };
    vec![
        ("one cell", rectangle(1, 1)),
        ("two cells in a row", rectangle(1, 2)),
        ("two cells in a column", rectangle(2, 1)),
        ("two cells across", vec![[0, 0], [1, 1]]),
        ("a square of four", rectangle(2, 2)),
        ("a square of nine", rectangle(3, 3)),
        ("two by twelve", rectangle(2, 12)),
        ("three by four", rectangle(3, 4)),
        ("a corner of three", corner(2)),
        ("a corner of seven", corner(4)),
        ("a large square", rectangle(11, 11)),
    ]
}

/// A funnel that leads to a bottom, a step below it.
fn basin(bottom: &[[i64; 2]], step_m: f64) -> thalweg_grid::Map {
    map_of(Shape::new(40, 44), |row, col| {
        let (row, col) = (row as i64 - 16, col as i64 - 16);
        let far = |cell: &[i64; 2]| (row - cell[0]).abs().max((col - cell[1]).abs());
        let away = bottom.iter().map(far).min().unwrap_or(0);
        let step = if away > 0 { step_m } else { 0.0 };
        // Not the same on all sides, or rain would come down its diagonals alone.
        100.0 + step + 0.5 * away as f64 + if away > 0 { 0.003 * row as f64 } else { 0.0 }
    })
}

/// Rain on funnels of all bottoms, with a step into them of 5 cm and of 4 m.
fn check(exchange: f64, evaporation: f64) {
    for (name, bottom) in bottoms() {
        for step_m in [0.05, 4.0] {
            let mut map = basin(&bottom, step_m);
            let parameters = Parameters {
                droplets_per_cell: 0.5,
                cycles: 20,
                exchange,
                evaporation,
                edges: Edges::all(Edge::Closed),
                pools: Some(Pools::default()),
                ..Parameters::default()
            };
            let key = StageKey::new(4, "flats");
            let report = erode(&mut map, &parameters, key, &NoObserver).unwrap();
            let place = format!("{name}, {step_m} m, exchange {exchange}");
            assert!(report.ledger.closes(), "{place}");
            assert_eq!(map.lakes.as_ref().unwrap().dry_basins, vec![], "{place}");
            let depth = map.float(Layer::PoolDepth).unwrap();
            for &[row, col] in &bottom {
                let at = ((row + 16) as usize, (col + 16) as usize);
                // A step of 5 cm can silt up where there is sediment.
                let silts_up = exchange > 0.0 && step_m < 1.0;
                let (least, depth) = (if exchange > 0.0 { 0.0 } else { step_m as f32 }, depth[at]);
                assert!(silts_up || depth > least, "{place}: {depth} m");
            }
            // Rain runs down to the bottom and stands; it does not swing there until it has evaporated.
            let water = &report.ledger.water;
            let lost = water.evaporated_m3 + water.infiltrated_m3;
            if exchange <= 0.0 {
                assert!(lost < 0.1 * water.rain_m3, "{place}: {water:#?}");
                assert!(
                    report.steps < 500 * report.droplets,
                    "{place}: {} steps",
                    report.steps
                );
            }
        }
    }
}

#[test]
fn water_stands_in_flat_basins_where_nothing_is_eroded() {
    check(0.0, 0.0);
    check(0.0, 0.001);
}

#[test]
fn water_stands_in_flat_basins_where_the_ground_moves() {
    check(0.1, 0.001);
}
