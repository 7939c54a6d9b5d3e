//! Basins whose levels can be worked out by hand.

use crate::invariants::check;
use crate::map::{Ground, settled, water};
use thalweg_flow::{Bed, Kind, Pools, Release};

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a}, not {b}");
}

#[test]
fn a_box_fills_evenly_and_spills_at_its_rim() {
    let inside = |r: usize, c: usize| (1..5).contains(&r) && (1..7).contains(&c);
    let mut ground = Ground::new(6, 8, |r, c| if inside(r, c) { 10.0 } else { 14.0 });
    let pools = settled(&mut ground, &[(9, 12.0)]);
    near(pools.get(1).level_m, 10.5);
    assert_eq!(pools.get(1).cells.len(), 24);
    assert!(!pools.get(1).full);
    let mut pools = Pools::new(0.001);
    ground.pool.fill(0);
    let outflow = pools.reconcile(&mut ground, water(&[(9, 100.0)]), Release::Settle);
    near(pools.get(1).level_m, 14.0);
    near(outflow.exported_m, 100.0 - 24.0 * 4.0);
    let outlet = pools.get(1).outlet.unwrap();
    assert!(outlet.leaves_map());
    // All of the rim is as high: the lowest index decides.
    assert_eq!(outlet.sill, 0);
}

#[test]
fn a_cone_fills_to_the_cube_root_of_its_water() {
    // Water of depth d in a cone of slope 1 holds π d³ / 3.
    let size = 601;
    let radius = |r: usize, c: usize| f64::hypot(r as f64 - 300.0, c as f64 - 300.0);
    let mut ground = Ground::new(size, size, radius);
    let depth = 250.0;
    let volume = std::f64::consts::PI * depth * depth * depth / 3.0;
    let pools = settled(&mut ground, &[(0, 1.0), (300 * size + 300, volume)]);
    let level = pools.get(1).level_m;
    assert!((level - depth).abs() < 1e-5 * depth, "{level}");
    // Against the cells themselves, not the cone between them.
    let under = |level: f64| -> f64 { ground.base.iter().map(|bed| (level - bed).max(0.0)).sum() };
    assert!((under(level) - volume).abs() < 1e-12 * volume);
}

#[test]
fn the_lower_saddle_comes_first_then_the_chain_then_one_level() {
    // Three basins; saddles at 4, 5 and the end at 8.
    let heights = [9.0, 2.0, 4.0, 1.0, 5.0, 0.0, 8.0, -1.0];
    let expect = |amount: f64, levels: [f64; 5]| {
        let mut ground = Ground::profile(&heights);
        let pools = settled(&mut ground, &[(1, amount)]);
        check(&ground, &pools);
        let depths = ground.depths(&pools);
        for (cell, level) in (1..).zip(levels) {
            near(ground.elevation_m(cell) + depths[cell], level);
        }
    };
    // The first basin holds 2 below the saddle at 4; then the second 3.
    expect(1.0, [3.0, 4.0, 1.0, 5.0, 0.0]);
    expect(3.0, [4.0, 4.0, 2.0, 5.0, 0.0]);
    // Both rise as one from 4 to 5 over three cells: 5 + 3 = 8.
    expect(6.5, [4.5, 4.5, 4.5, 5.0, 0.0]);
    // The third takes 5, up to the saddle; then all five rise to 8.
    expect(10.0, [5.0, 5.0, 5.0, 5.0, 2.0]);
    expect(18.0, [6.0, 6.0, 6.0, 6.0, 6.0]);
    expect(100.0, [8.0, 8.0, 8.0, 8.0, 8.0]);
}

#[test]
fn of_two_equal_outlets_the_lower_index_spills() {
    let mut ground = Ground::profile(&[0.0, 1.0, 5.0, 2.0, 5.0, 1.0, 0.0]);
    let mut pools = Pools::new(0.001);
    let release = Release::Springs {
        unit_m: 1.0,
        minimum: 0.0,
    };
    let outflow = pools.reconcile(&mut ground, water(&[(3, 4.0)]), release);
    let outlet = pools.get(1).outlet.unwrap();
    assert_eq!((outlet.sill, outlet.receiver), (2, 1));
    assert_eq!(outflow.springs[0].cell, 1);
}

#[test]
fn water_that_reaches_sea_void_or_edge_is_booked_there() {
    let heights = [9.0, 3.0, 5.0, 0.0, 5.0, 3.0, 9.0, 0.0];
    let mut ground = Ground::profile(&heights);
    ground.kinds[3] = Kind::Sea;
    let mut pools = Pools::new(0.001);
    let outflow = pools.reconcile(&mut ground, water(&[(1, 7.0), (3, 1.0)]), Release::Settle);
    near(outflow.to_sea_m, 6.0);
    near(pools.get(1).level_m, 5.0);
    // Beside a gap, ground drains at its own height.
    let mut ground = Ground::profile(&heights);
    ground.void(3);
    let mut pools = Pools::new(0.001);
    let outflow = pools.reconcile(&mut ground, water(&[(1, 7.0), (7, 1.0)]), Release::Settle);
    near(outflow.exported_m, 6.0);
    near(pools.get(1).level_m, 5.0);
}

#[test]
fn a_pool_that_dries_over_a_ridge_splits() {
    let mut ground = Ground::profile(&[9.0, 1.0, 3.0, 0.0, 9.0]);
    let mut pools = settled(&mut ground, &[(1, 8.0)]);
    assert_eq!(pools.len(), 1);
    near(pools.get(1).level_m, 4.0);
    // The bed rises between them: 8 over two cells of 0 and 1 stands at 4.5, below the new ridge.
    ground.change_um[2] = 4_000_000;
    pools.reconcile(&mut ground, water(&[]), Release::Settle);
    assert_eq!(pools.len(), 2);
    near(pools.get(1).volume_m, 3.5);
    near(pools.get(2).volume_m, 4.5);
}
