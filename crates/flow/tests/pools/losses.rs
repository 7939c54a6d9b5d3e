//! What evaporates and seeps away: from all water that stands once it has found its place, by closed forms.

use crate::map::{Ground, Random, water};
use thalweg_flow::{Inflow, Losses, Outflow, PoolInflow, Pools, Release, Since};

const SPRINGS: Release = Release::Springs {
    unit_m: 1.0,
    minimum: 0.0,
};

fn after(pools: &mut Pools, ground: &mut Ground, inflow: Inflow, losses: Losses) -> Outflow {
    let since = Since {
        losses,
        ..Since::default()
    };
    pools.reconcile_since(ground, inflow, SPRINGS, since)
}

fn losses(cycles: u32, evaporation_m: f64, seepage_m: f64) -> Losses {
    Losses {
        cycles,
        evaporation_m,
        seepage_m,
        new_only: false,
    }
}

fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12 * (1.0 + expected.abs()),
        "{found}, not {expected}"
    );
}

/// A box of 12 × 7 cells at 100 m in a plateau at 105 m, which falls off in the east at one cell of its rim.
fn box_basin() -> Ground {
    let inside = |row: usize, col: usize| (2..14).contains(&row) && (2..9).contains(&col);
    let mut ground = Ground::new(16, 12, |row, col| match (row, col) {
        _ if inside(row, col) => 100.0,
        (8, 9..) => 104.0 - col as f64,
        _ => 105.0,
    });
    let sill = ground.shape.index(8, 9);
    ground.base[sill] = 104.0;
    ground
}

const BOX_CELLS: f64 = 84.0;

/// A cell of the box.
fn inside(ground: &Ground) -> usize {
    ground.shape.index(5, 5)
}

#[test]
fn a_box_loses_rate_by_area_by_cycles_of_what_has_just_come() {
    let mut ground = box_basin();
    let mut pools = Pools::new(0.001);
    let came = water(&[(inside(&ground), 3.0 * BOX_CELLS)]);
    let outflow = after(&mut pools, &mut ground, came, losses(5, 0.1, 0.03));
    near(outflow.evaporated_m, 5.0 * 0.1 * BOX_CELLS);
    near(outflow.seeped_m, 5.0 * 0.03 * BOX_CELLS);
    near(pools.get(1).level_m, 100.0 + 3.0 - 0.65);
    near(pools.water_m(), (3.0 - 0.65) * BOX_CELLS);
    // And again, of what stood and of what came.
    let mut inflow = Inflow::default();
    inflow.pools.push(PoolInflow {
        water_m: BOX_CELLS,
        droplets: 9,
    });
    let outflow = after(&mut pools, &mut ground, inflow, losses(2, 0.0, 0.5));
    near(outflow.seeped_m, BOX_CELLS);
    near(outflow.evaporated_m, 0.0);
    near(pools.get(1).level_m, 102.35);
}

#[test]
fn a_full_box_loses_what_would_spill_before_it_falls() {
    let capacity = 4.0 * BOX_CELLS;
    // What comes above capacity, as a share of what is lost: more, as much, some of it, none.
    for (over, spills, level_m) in [(1.5, 0.5, 104.0), (1.0, 0.0, 104.0), (0.25, 0.0, 103.4)] {
        let mut ground = box_basin();
        let mut pools = Pools::new(0.001);
        let lost = 0.8 * BOX_CELLS;
        let came = water(&[(inside(&ground), capacity + over * lost)]);
        let outflow = after(&mut pools, &mut ground, came, losses(4, 0.2, 0.0));
        near(outflow.evaporated_m, lost);
        let sprung: f64 = outflow.springs.iter().map(|spring| spring.volume).sum();
        near(sprung + pools.get(1).surplus_m, spills * lost);
        let pool = pools.get(1);
        near(pool.level_m, level_m);
        assert_eq!(pool.full, over >= 1.0);
        assert_eq!(pool.outlet.is_some(), pool.full);
        near(pool.cells.len() as f64, BOX_CELLS);
    }
}

/// Depths of less than what is lost are lost whole, wherever they stand: also where water came down only now, and
/// where basins spill into others on the way.
#[test]
fn losses_beyond_all_depths_leave_nothing() {
    let mut lakes = 0;
    for seed in 0..200 {
        let mut random = Random(31_000 + seed);
        let mut ground = random.terrain();
        let mut pools = Pools::new(0.1);
        let parcels = random.parcels(&ground);
        let all: f64 = parcels.iter().map(|parcel| parcel.1).sum();
        let since = Since {
            losses: losses(1, 1e6, 1e6),
            ..Since::default()
        };
        let dry = pools.reconcile_since(&mut ground, water(&parcels), Release::Settle, since);
        near(
            dry.evaporated_m + dry.seeped_m + dry.exported_m + dry.to_sea_m,
            all,
        );
        assert!(pools.is_empty() && dry.springs.is_empty(), "seed {seed}");
        assert!(pools.water_m() <= 0.0, "seed {seed}");
        lakes += usize::from(dry.seeped_m > 0.0);
    }
    assert!(lakes > 100);
}

#[test]
fn rates_of_zero_change_nothing() {
    for seed in 0..200 {
        let mut random = Random(32_000 + seed);
        let ground = random.terrain();
        let parcels = random.parcels(&ground);
        let run = |losses: Losses| {
            let (mut ground, mut pools) = (ground.clone(), Pools::new(0.1));
            let first = after(&mut pools, &mut ground, water(&parcels), losses);
            let second = after(&mut pools, &mut ground, water(&parcels), losses);
            (first, second, pools, ground.pool)
        };
        let still = run(losses(7, 0.0, 0.0));
        assert!(still == run(Losses::default()), "seed {seed}");
        // No number of cycles passes without time, and no rate can bring water.
        assert!(still == run(losses(0, 0.5, 0.5)), "seed {seed}");
        assert!(still == run(losses(7, -0.5, f64::NAN)), "seed {seed}");
    }
}

/// Where old pools have paid, only what stands where nothing stood loses; a pool that takes an old one in is old.
#[test]
fn new_pools_alone_lose_where_old_ones_have_paid() {
    let mut ground = Ground::profile(&[9.0, 0.0, 5.0, 1.0, 9.0, 1.0, 9.0]);
    let mut pools = Pools::new(0.001);
    let paid = Losses {
        new_only: true,
        ..losses(3, 0.25, 0.0)
    };
    pools.reconcile(&mut ground, water(&[(1, 3.0)]), Release::Settle);
    let outflow = after(&mut pools, &mut ground, water(&[(1, 1.0), (5, 2.0)]), paid);
    near(outflow.evaporated_m, 0.75);
    near(pools.get(1).volume_m, 4.0);
    near(pools.get(2).volume_m, 1.25);
    // The two basins on the left meet.
    let outflow = after(&mut pools, &mut ground, water(&[(1, 4.0), (3, 4.0)]), paid);
    near(outflow.evaporated_m, 0.0);
    assert_eq!(pools.get(1).cells, vec![1, 2, 3]);
}

/// A lake that falls below a ridge in its bed is two the next time, each with what stood above its side.
#[test]
fn a_lake_that_falls_below_a_ridge_is_two_the_next_time() {
    let mut ground = Ground::profile(&[9.0, 0.0, 5.0, 1.0, 9.0]);
    let mut pools = Pools::new(0.001);
    pools.reconcile(&mut ground, water(&[(1, 12.0)]), Release::Settle);
    let outflow = after(
        &mut pools,
        &mut ground,
        Inflow::default(),
        losses(1, 2.0, 0.0),
    );
    // At 6 m on three cells; each loses up to 2 m, the ridge its one metre.
    near(outflow.evaporated_m, 5.0);
    after(
        &mut pools,
        &mut ground,
        Inflow::default(),
        Losses::default(),
    );
    let told: Vec<_> = pools.iter().map(|(_, pool)| pool.cells.clone()).collect();
    assert_eq!(told, [vec![1], vec![3]]);
    near(pools.get(1).level_m, 4.0);
    near(pools.get(2).level_m, 4.0);
}
