//! Excess as droplets, walked on by the test, ends where settling puts it.

use crate::invariants::check_water;
use crate::map::{Ground, Random, settled, water};
use thalweg_flow::{Bed, Inflow, Kind, Outflow, PoolInflow, Pools, Release, Spring, receiver};

const UNIT_M: f64 = 0.7;
const SPRINGS: Release = Release::Springs {
    unit_m: UNIT_M,
    minimum: 1e-12,
};

/// Takes droplets down their paths: into a pool, off the map, or to the end as new standing water.
fn walk(ground: &Ground, pools: &Pools, springs: &[Spring], left: &mut f64) -> Inflow {
    let mut inflow = Inflow {
        pools: vec![PoolInflow::default(); pools.len()],
        ..Inflow::default()
    };
    for spring in springs {
        let amount = spring.volume * UNIT_M;
        let mut cell = spring.cell;
        let height = |cell: usize| match ground.kind(cell) {
            Kind::Void => f64::NEG_INFINITY,
            _ => ground.elevation_m(cell),
        };
        loop {
            if ground.kind(cell) != Kind::Land {
                *left += amount;
                break;
            }
            if let Some(pool) = (ground.pool(cell) as usize).checked_sub(1) {
                inflow.pools[pool].water_m += amount;
                inflow.pools[pool].droplets += 1;
                break;
            }
            match receiver(ground.shape, cell, height) {
                Some(lower) => cell = lower,
                None => {
                    inflow.ground.push((cell, amount));
                    break;
                }
            }
        }
    }
    inflow
}

#[test]
fn droplets_from_springs_settle_where_settling_puts_the_water() {
    for seed in 0..500 {
        let mut random = Random(7000 + seed);
        let mut ground = random.terrain();
        let mut at_once = ground.clone();
        let parcels = random.parcels(&ground);
        let came = parcels.iter().map(|parcel| parcel.1).sum();
        let expected = settled(&mut at_once, &parcels);
        let mut pools = Pools::new(0.001);
        let mut inflow = water(&parcels);
        let mut left = 0.0;
        for round in 0.. {
            assert!(round < 10_000, "seed {seed} goes on for ever");
            let outflow = pools.reconcile(&mut ground, inflow, SPRINGS);
            left += outflow.exported_m + outflow.to_sea_m;
            assert!(
                pools.iter().all(|(_, pool)| !pool.draining),
                "seed {seed}: nothing was cut"
            );
            if outflow.springs.is_empty() {
                break;
            }
            inflow = walk(&ground, &pools, &outflow.springs, &mut left);
        }
        for (cell, (a, b)) in ground
            .depths(&pools)
            .iter()
            .zip(at_once.depths(&expected))
            .enumerate()
        {
            assert!(
                (a - b).abs() < 1e-9,
                "seed {seed} cell {cell}: {a}, not {b}"
            );
        }
        let all = Outflow {
            exported_m: left,
            ..Outflow::default()
        };
        check_water(came, &pools, &all);
    }
}

#[test]
fn excess_leaves_below_the_sill_in_equal_droplets() {
    // Basin of two cells with its sill at 5 towards a pit.
    let mut ground = Ground::profile(&[9.0, 3.0, 3.0, 5.0, 1.0, 0.0, 6.0, 2.0]);
    let mut pools = Pools::new(0.001);
    let release = Release::Springs {
        unit_m: 1.0,
        minimum: 0.01,
    };
    let outflow = pools.reconcile(&mut ground, water(&[(1, 6.5)]), release);
    let pool = pools.get(1);
    assert_eq!(pool.cells, vec![1, 2]);
    assert!((pool.level_m - 5.0).abs() < 1e-12 && pool.full);
    let outlet = pool.outlet.unwrap();
    assert_eq!((outlet.sill, outlet.receiver), (3, 4));
    assert_eq!(outflow.springs.len(), 3);
    for spring in outflow.springs {
        assert_eq!(spring.cell, 4);
        assert!((spring.volume - 2.5 / 3.0).abs() < 1e-12);
    }
}

#[test]
fn less_than_the_least_droplet_waits() {
    let mut ground = Ground::profile(&[9.0, 3.0, 5.0, 1.0, 0.0]);
    let mut pools = Pools::new(0.001);
    let release = Release::Springs {
        unit_m: 1.0,
        minimum: 0.1,
    };
    let outflow = pools.reconcile(&mut ground, water(&[(1, 2.06)]), release);
    assert_eq!(outflow.springs, vec![]);
    assert!((pools.get(1).surplus_m - 0.06).abs() < 1e-12);
    let mut inflow = Inflow::default();
    inflow.pools.push(PoolInflow {
        water_m: 0.06,
        droplets: 1,
    });
    let outflow = pools.reconcile(&mut ground, inflow, release);
    assert_eq!(outflow.springs.len(), 1);
    assert!((outflow.springs[0].volume - 0.12).abs() < 1e-12);
    assert!(pools.get(1).surplus_m.abs() < 1e-300);
}
