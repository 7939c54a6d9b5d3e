//! Sills that are cut down let go of a share of the water above them.

use crate::invariants::brim;
use crate::map::{Ground, Random, water};
use thalweg_flow::{Bed, Inflow, Losses, PoolInflow, Pools, Release, Since};

const SPRINGS: Release = Release::Springs {
    unit_m: 1.0,
    minimum: 0.0,
};

fn droplets(count: u64, water_m: f64) -> Inflow {
    let mut inflow = Inflow::default();
    inflow.pools.push(PoolInflow {
        water_m,
        droplets: count,
    });
    inflow
}

fn sprung(outflow: &thalweg_flow::Outflow) -> f64 {
    outflow.springs.iter().map(|spring| spring.volume).sum()
}

/// A basin of three cells, full to its sill at 6, which is then cut to 4.
fn cut(drain_share: f64) -> (Ground, Pools) {
    let mut ground = Ground::profile(&[9.0, 0.0, 0.0, 0.0, 6.0, 2.0, -1.0]);
    let mut pools = Pools::new(drain_share);
    pools.reconcile(&mut ground, water(&[(1, 18.0)]), SPRINGS);
    assert!(pools.get(1).full && !pools.get(1).draining);
    ground.change_um[4] = -2_000_000;
    (ground, pools)
}

#[test]
fn the_share_of_the_droplets_leaves_and_inflow_passes_on() {
    let (mut ground, mut pools) = cut(0.001);
    // 6 m × cells stand above the new sill.
    let share = 1.0 - 0.999_f64.powi(50);
    let outflow = pools.reconcile(&mut ground, droplets(50, 0.5), SPRINGS);
    assert!((sprung(&outflow) - (0.5 + 6.0 * share)).abs() < 1e-12);
    let pool = pools.get(1);
    assert!(pool.full && pool.draining);
    assert!((pool.volume_m - (12.0 + 6.0 * (1.0 - share))).abs() < 1e-12);
    // The cut sill is under water too: 4 cells above 4 m.
    assert_eq!(pool.cells, vec![1, 2, 3, 4]);
    assert!((pool.level_m - (4.0 + 1.5 * (1.0 - share))).abs() < 1e-12);
    let outlet = pool.outlet.unwrap();
    assert_eq!((outlet.sill, outlet.receiver), (4, 5));
    assert!((outlet.sill_m - 4.0).abs() < 1e-12);
}

#[test]
fn without_droplets_it_stays_and_with_many_it_drains() {
    let (mut ground, mut pools) = cut(0.001);
    for _ in 0..3 {
        let outflow = pools.reconcile(&mut ground, droplets(0, 0.0), SPRINGS);
        assert!(sprung(&outflow) < 1e-12);
        assert!((pools.get(1).volume_m - 18.0).abs() < 1e-12);
        assert!(pools.get(1).draining);
    }
    let mut left = 6.0;
    for _ in 0..400 {
        let outflow = pools.reconcile(&mut ground, droplets(100, 0.0), SPRINGS);
        left *= 0.999_f64.powi(100);
        // The last nanometre goes at once.
        assert!(
            (pools.get(1).volume_m - (12.0 + left)).abs() < 5e-9,
            "{outflow:?}"
        );
    }
    assert!(!pools.get(1).draining && pools.get(1).full);
    assert_eq!(pools.get(1).cells, vec![1, 2, 3]);
}

/// Water that a cut sill holds back is not lifted by what settles in it: the bed would be carried up without end.
#[test]
fn sediment_does_not_lift_water_above_a_sill_that_was_cut() {
    let (mut ground, mut pools) = cut(0.0);
    for _ in 0..50 {
        let mut inflow = Inflow::default();
        inflow.sediment.push((2, 4_000_000));
        pools.reconcile(&mut ground, inflow, SPRINGS);
        for (_, pool) in pools.iter() {
            // The sill that it had before.
            assert!(pool.level_m <= 6.0, "{}", pool.level_m);
        }
        for cell in 1..=4 {
            let bed = ground.elevation_m(cell);
            assert!(bed <= 6.0, "{bed}");
        }
    }
}

/// A pool whose sill was cut to its bottom can hold back what evaporation left of it, and no more.
#[test]
fn what_evaporated_is_not_held_back() {
    let (mut ground, mut pools) = cut(0.001);
    ground.change_um[4] = -5_900_000;
    let since = Since {
        losses: Losses {
            cycles: 2,
            evaporation_m: 0.5,
            seepage_m: 0.25,
            ..Losses::default()
        },
        ..Since::default()
    };
    let outflow = pools.reconcile_since(&mut ground, droplets(0, 0.0), SPRINGS, since);
    // Two cycles take 1 m and 0.5 m from each of five cells: what was the sill is under water too.
    assert!((outflow.evaporated_m - 5.0).abs() < 1e-12 && (outflow.seeped_m - 2.5).abs() < 1e-12);
    let left = pools.water_m() + sprung(&outflow);
    assert!((left - 10.5).abs() < 1e-12, "{left}");
    assert!(pools.get(1).draining);
}

#[test]
fn settling_drains_at_once() {
    let (mut ground, mut pools) = cut(0.001);
    let outflow = pools.reconcile(&mut ground, droplets(1, 0.0), Release::Settle);
    assert!((outflow.exported_m - 6.0).abs() < 1e-12);
    assert!((pools.get(1).level_m - 4.0).abs() < 1e-12);
}

#[test]
fn a_ridge_under_the_falling_water_keeps_what_lies_behind_it() {
    // Two basins under one level of 6, a ridge of 5 between them; the sill on the right is cut to 3.
    let heights = [9.0, 0.0, 5.0, 0.0, 6.0, 2.0, -1.0];
    let mut ground = Ground::profile(&heights);
    let mut pools = Pools::new(0.1);
    pools.reconcile(&mut ground, water(&[(1, 13.0)]), Release::Settle);
    assert_eq!(pools.get(1).cells, vec![1, 2, 3]);
    ground.change_um[4] = -3_000_000;
    for _ in 0..300 {
        let mut inflow = droplets(1, 0.0);
        inflow.pools.resize(
            pools.len(),
            PoolInflow {
                water_m: 0.0,
                droplets: 1,
            },
        );
        pools.reconcile(&mut ground, inflow, SPRINGS);
    }
    let levels: Vec<f64> = pools.iter().map(|(_, pool)| pool.level_m).collect();
    assert_eq!(levels.len(), 2, "{levels:?}");
    assert!(
        (levels[0] - 5.0).abs() < 0.3 && (levels[1] - 3.0).abs() < 1e-9,
        "{levels:?}"
    );
}

#[test]
fn water_that_stands_beyond_its_sill_leaves_from_where_it_ends() {
    let mut ground = Ground::profile(&[9.0, 0.0, 0.0, 3.0, 4.0, -1.0, 9.0]);
    let mut pools = Pools::new(0.1);
    pools.reconcile(&mut ground, water(&[(1, 9.0)]), Release::Settle);
    // The sill is cut and comes under the water that drains over it; cut again, it lies below the ground before it.
    for (height_m, sill_m) in [(3.5, 3.5), (2.9, 3.0)] {
        ground.change_um[4] = ((height_m - 4.0) * 1e6_f64).round() as i64;
        pools.reconcile(&mut ground, droplets(1, 0.0), SPRINGS);
        let pool = pools.get(1);
        let outlet = pool.outlet.unwrap();
        assert_eq!(pool.cells, vec![1, 2, 3, 4]);
        assert_eq!((outlet.sill, outlet.receiver), (4, 5));
        assert!((outlet.sill_m - sill_m).abs() < 1e-9, "{}", outlet.sill_m);
        assert!(pool.draining);
    }
}

#[test]
fn on_ground_that_changes_no_water_is_lost_and_draining_ends_below_the_sills() {
    let mut drained = 0;
    for seed in 0..300 {
        let mut random = Random(8000 + seed);
        let mut ground = random.terrain();
        let parcels = random.parcels(&ground);
        let mut pools = Pools::new(0.2);
        pools.reconcile(&mut ground, water(&parcels), Release::Settle);
        for _ in 0..random.below(ground.shape.len()) {
            let cell = random.below(ground.shape.len());
            ground.change_um[cell] += (random.below(5) as i64 - 3) * 300_000;
        }
        let unit_m = 1e-3;
        for _ in 0..300 {
            let came = pools.water_m();
            let one = PoolInflow {
                water_m: 0.0,
                droplets: 1,
            };
            let inflow = Inflow {
                pools: vec![one; pools.len()],
                ..Inflow::default()
            };
            let springs = Release::Springs {
                unit_m,
                minimum: 0.0,
            };
            let outflow = pools.reconcile(&mut ground, inflow, springs);
            let left = sprung(&outflow) * unit_m + outflow.exported_m + outflow.to_sea_m;
            assert!(
                (came - left - pools.water_m()).abs() <= 1e-12 * came,
                "seed {seed}: {came} came, {left} left, {} stayed",
                pools.water_m()
            );
            drained += usize::from(pools.iter().any(|(_, pool)| pool.draining));
        }
        let brim = brim(&ground);
        for (number, pool) in pools.iter() {
            let below = pool
                .cells
                .iter()
                .all(|&cell| pool.level_m < brim[cell] + 1e-8);
            assert!(
                below && !pool.draining,
                "seed {seed}: pool {number} stands at {}",
                pool.level_m
            );
        }
    }
    assert!(drained > 1000, "{drained}");
}
