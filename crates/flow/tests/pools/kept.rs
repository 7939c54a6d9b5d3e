//! What is kept between reconciliations, what is left alone and how many threads work change not one bit.

use crate::map::{Ground, Random, repose, water};
use thalweg_flow::{Bed, Inflow, Losses, Outflow, PoolInflow, Pools, Release, Since, Touched};

/// How a run tells what has changed, and what it keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    /// Marks the cells that changed.
    Marked,
    /// Any cell may have changed.
    All,
    /// The same, and nothing is kept.
    Forgetful,
}

/// A map of 20² to 80² with lakes of many sizes: waves, some noise on them, ties on some maps.
fn ground(random: &mut Random) -> Ground {
    let (rows, cols) = (20 + random.below(60), 20 + random.below(60));
    let noise = [0.0, 0.4, 2.0][random.below(3)];
    let (long, wide) = (6.0 + 20.0 * random.unit(), 6.0 + 20.0 * random.unit());
    let mut ground = Ground::new(rows, cols, |row, col| {
        (row as f64 / long).sin() * 3.0 + (col as f64 / wide).cos() * 3.0 + 0.01 * row as f64
    });
    let ties = random.below(3) == 0;
    for height in &mut ground.base {
        *height += noise * random.unit();
        if ties {
            *height = height.round();
        }
    }
    if random.below(4) == 0 {
        ground = ground.closed();
    }
    ground
}

/// Changes some cells close to one another, as droplets would; marks them.
fn change(random: &mut Random, ground: &mut Ground, touched: &mut Touched) {
    let at = random.below(ground.shape.len());
    for _ in 0..random.below(60) {
        let cell =
            (at + random.below(12) * ground.shape.cols + random.below(12)) % ground.shape.len();
        ground.change_um[cell] += random.below(400_001) as i64 - 200_000;
        touched.mark(cell);
    }
}

/// Inflow to few pools, and now and then new water and sediment.
fn inflow(random: &mut Random, ground: &Ground, pools: &Pools) -> Inflow {
    let mut inflow = Inflow::default();
    for _ in 0..pools.len() {
        let some = random.below(6) == 0;
        inflow.pools.push(PoolInflow {
            water_m: if some { 3.0 * random.unit() } else { 0.0 },
            droplets: if some { 3 } else { 0 },
        });
    }
    for _ in 0..random.below(3) {
        let cell = random.below(ground.shape.len());
        inflow.ground.push((cell, 5.0 * random.unit()));
        inflow
            .sediment
            .push((random.below(ground.shape.len()), 50_000));
    }
    inflow
}

/// Everything that a run leaves after each of its reconciliations.
fn run(seed: u64, way: Way) -> Vec<(Outflow, Pools, Vec<u32>, Vec<i64>)> {
    let mut random = Random(seed);
    let mut ground = ground(&mut random);
    let mut pools = Pools::new(0.1).with_repose(repose(0.5));
    let parcels = random.parcels(&ground);
    let settle = random.below(2) == 0;
    let dry = random.below(3) == 0;
    let mut touched = Touched::none(ground.shape);
    let mut came = water(&parcels);
    let mut found = Vec::new();
    for round in 0..12 {
        let release = if settle {
            Release::Settle
        } else {
            Release::Springs {
                unit_m: 0.5,
                minimum: 0.01,
            }
        };
        let losses = Losses {
            cycles: if dry && round % 4 == 3 { 2 } else { 0 },
            evaporation_m: 0.02,
            seepage_m: 0.005,
            new_only: round % 8 == 7,
        };
        if way != Way::Marked {
            touched = Touched::all();
        }
        let outflow = pools.reconcile_since(&mut ground, came, release, Since { losses, touched });
        found.push((
            outflow,
            pools.clone(),
            ground.pool.clone(),
            ground.change_um.clone(),
        ));
        touched = Touched::none(ground.shape);
        if round % 3 != 2 {
            change(&mut random, &mut ground, &mut touched);
        }
        came = inflow(&mut random, &ground, &pools);
        if way == Way::Forgetful {
            pools.forget();
        }
    }
    found
}

#[test]
fn what_is_left_alone_is_what_it_would_be_if_all_were_done_again() {
    for seed in 0..300 {
        let marked = run(seed, Way::Marked);
        assert!(marked == run(seed, Way::All), "seed {seed}");
        assert!(
            marked == run(seed, Way::Forgetful),
            "seed {seed}, nothing kept"
        );
    }
}

#[test]
fn threads_change_nothing() {
    let with = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| run(seed, Way::Marked))
    };
    for seed in 1000..1030 {
        let one = with(1, seed);
        assert!(one == with(2, seed) && one == with(7, seed), "seed {seed}");
    }
}

/// Without this, a mark that nobody reads would pass the tests above.
#[test]
fn a_change_that_is_not_marked_is_not_seen() {
    let mut ground = Ground::profile(&[9.0, 1.0, 3.0, 0.0, 9.0]);
    let mut pools = Pools::new(0.001);
    let reconcile = |pools: &mut Pools, ground: &mut Ground, parcels, marked: Option<usize>| {
        let mut touched = Touched::none(ground.shape);
        marked.into_iter().for_each(|cell| touched.mark(cell));
        let since = Since {
            touched,
            ..Since::default()
        };
        pools.reconcile_since(ground, water(parcels), Release::Settle, since);
    };
    reconcile(&mut pools, &mut ground, &[(1, 8.0)], None);
    let before = pools.clone();
    ground.change_um[2] = 4_000_000;
    reconcile(&mut pools, &mut ground, &[], None);
    assert_eq!(pools, before);
    reconcile(&mut pools, &mut ground, &[], Some(2));
    assert_eq!(pools.len(), 2);
}

#[test]
fn the_field_is_kept_where_pools_change_their_numbers() {
    // A pool in front of the others comes and goes, nothing else is touched.
    let mut ground = Ground::profile(&[9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 9.0]);
    let mut pools = Pools::new(0.001);
    let mut pour = |ground: &mut Ground, parcels: &[(usize, f64)], losses| {
        let touched = Touched::none(ground.shape);
        pools.reconcile_since(
            ground,
            water(parcels),
            Release::Settle,
            Since { losses, touched },
        );
        (1..6).map(|cell| ground.pool(cell)).collect::<Vec<_>>()
    };
    let none = Losses::default();
    let all = Losses {
        cycles: 1,
        evaporation_m: 1.5,
        seepage_m: 0.0,
        ..Losses::default()
    };
    assert_eq!(
        pour(&mut ground, &[(3, 2.0), (5, 2.0)], none),
        [0, 0, 1, 0, 2]
    );
    assert_eq!(pour(&mut ground, &[(1, 1.0)], none), [1, 0, 2, 0, 3]);
    assert_eq!(pour(&mut ground, &[], all), [0, 0, 1, 0, 2]);
}
