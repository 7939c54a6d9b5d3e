//! One lake of a quarter of a million cells, filled, kept and drained.

use crate::invariants::check_water;
use crate::map::{Ground, settled, water};
use thalweg_flow::{Bed, Inflow, PoolInflow, Pools, Release};

#[test]
fn a_lake_as_large_as_the_map() {
    let size = 512;
    let middle = (size - 1) as f64 / 2.0;
    let bowl =
        |r: usize, c: usize| 1e-3 * ((r as f64 - middle).powi(2) + (c as f64 - middle).powi(2));
    let mut ground = Ground::new(size, size, bowl);
    let rim = (0..size).map(|i| bowl(0, i)).fold(f64::MAX, f64::min);
    let full: f64 = ground.base.iter().map(|bed| (rim - bed).max(0.0)).sum();
    let centre = size * size / 2 + size / 2;
    let mut pools = settled(&mut ground, &[(centre, 0.99 * full)]);
    assert_eq!(pools.len(), 1);
    assert!((pools.water_m() - 0.99 * full).abs() < 1e-12 * full);
    let outflow = pools.reconcile(
        &mut ground,
        water(&[(centre, 0.02 * full)]),
        Release::Settle,
    );
    check_water(1.01 * full, &pools, &outflow);
    assert!((pools.get(1).level_m - rim).abs() < 1e-9);
    assert!((outflow.exported_m - 0.01 * full).abs() < 1e-9 * full);
    drain(&mut ground, pools, full);
}

/// Cuts a notch through the rim, down to half of the depth.
fn drain(ground: &mut Ground, mut pools: Pools, full: f64) {
    let size = ground.shape.rows;
    let notch = 0.5 * pools.get(1).level_m;
    for row in 0..size / 2 {
        let cell = ground.shape.index(row, size / 2);
        let over = (ground.elevation_m(cell) - notch).max(0.0) * 1e6;
        ground.change_um[cell] = -(over as i64);
    }
    let inflow = Inflow {
        pools: vec![PoolInflow {
            water_m: 0.0,
            droplets: 1,
        }],
        ..Inflow::default()
    };
    let release = Release::Springs {
        unit_m: 1000.0,
        minimum: 0.01,
    };
    let outflow = pools.reconcile(ground, inflow, release);
    assert!(pools.get(1).draining);
    let sprung: f64 = outflow
        .springs
        .iter()
        .map(|spring| spring.volume * 1000.0)
        .sum();
    check_water(full - sprung, &pools, &outflow);
    pools.reconcile(ground, Inflow::default(), Release::Settle);
    assert!((pools.get(1).level_m - notch).abs() < 1e-5);
}
