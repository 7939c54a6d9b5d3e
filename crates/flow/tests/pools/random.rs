//! Invariants on random terrains full of ties.

use crate::invariants::{brim, check, check_water};
use crate::map::{Ground, Random, settled, water};
use proptest::prelude::*;
use thalweg_flow::{Bed, Kind, Pools, Release, fill};

fn total(parcels: &[(usize, f64)]) -> f64 {
    parcels.iter().map(|parcel| parcel.1).sum()
}

#[test]
fn settled_water_keeps_its_invariants_on_500_terrains() {
    for seed in 0..500 {
        let mut random = Random(seed);
        let mut ground = random.terrain();
        let parcels = random.parcels(&ground);
        let mut pools = Pools::new(0.001);
        let outflow = pools.reconcile(&mut ground, water(&parcels), Release::Settle);
        check(&ground, &pools);
        check_water(total(&parcels), &pools, &outflow);
    }
}

#[test]
fn a_flood_fills_every_depression_to_the_brim() {
    let mut wet = 0;
    for seed in 0..500 {
        let mut random = Random(1000 + seed);
        let mut ground = random.terrain();
        let flood: Vec<_> = (0..ground.shape.len()).map(|cell| (cell, 1e6)).collect();
        let brim = brim(&ground);
        let pools = settled(&mut ground, &flood);
        let depths = ground.depths(&pools);
        for cell in (0..depths.len()).filter(|&cell| brim[cell].is_finite()) {
            let surface = ground.elevation_m(cell) + depths[cell];
            assert!(
                (surface - brim[cell]).abs() < 1e-12,
                "seed {seed}: {surface}"
            );
            wet += usize::from(depths[cell] > 0.0);
        }
    }
    assert!(wet > 1000);
}

#[test]
fn the_brim_is_what_priority_flood_fills() {
    for seed in 0..100 {
        let mut random = Random(2000 + seed);
        let (rows, cols) = (5 + random.below(20), 5 + random.below(20));
        let heights: Vec<f64> = (0..rows * cols).map(|_| random.below(8) as f64).collect();
        let mut ground = Ground::new(rows, cols, |row, col| heights[row * cols + col]);
        ground.void(random.below(rows * cols));
        let map =
            ndarray::Array2::from_shape_fn((rows, cols), |at| ground.base[at.0 * cols + at.1]);
        let valid = map.mapv(f64::is_finite);
        let filled = fill(map.view(), Some(valid.view())).unwrap();
        let flood: Vec<_> = (0..rows * cols).map(|cell| (cell, 1e6)).collect();
        let pools = settled(&mut ground, &flood);
        for (cell, depth) in ground.depths(&pools).into_iter().enumerate() {
            let expected = filled[ground.shape.position(cell)];
            let surface = ground.base[cell] + depth;
            assert!(
                expected.is_nan() || (surface - expected).abs() < 1e-12,
                "seed {seed}"
            );
        }
    }
}

#[test]
fn water_in_rounds_ends_up_as_water_at_once() {
    for seed in 0..300 {
        let mut random = Random(3000 + seed);
        let mut ground = random.terrain();
        let mut once = ground.clone();
        let parcels = random.parcels(&ground);
        let mut pools = Pools::new(0.001);
        for part in parcels.chunks(parcels.len().div_ceil(4)) {
            pools.reconcile(&mut ground, water(part), Release::Settle);
            check(&ground, &pools);
        }
        let expected = settled(&mut once, &parcels);
        for (a, b) in ground.depths(&pools).iter().zip(once.depths(&expected)) {
            assert!((a - b).abs() < 1e-9, "seed {seed}: {a}, not {b}");
        }
    }
}

#[test]
fn water_settles_again_on_ground_that_has_changed() {
    for seed in 0..500 {
        let mut random = Random(4000 + seed);
        let mut ground = random.terrain();
        let mut pools = Pools::new(0.001);
        for _ in 0..4 {
            let parcels = random.parcels(&ground);
            let came = pools.water_m() + total(&parcels);
            let outflow = pools.reconcile(&mut ground, water(&parcels), Release::Settle);
            check(&ground, &pools);
            check_water(came, &pools, &outflow);
            for _ in 0..random.below(ground.shape.len()) {
                let cell = random.below(ground.shape.len());
                ground.change_um[cell] += (random.below(5) as i64 - 2) * 700_000;
            }
        }
    }
}

#[test]
fn a_depth_field_becomes_pools_with_the_same_water() {
    for seed in 0..100 {
        let mut random = Random(5000 + seed);
        let mut ground = random.terrain();
        let parcels = random.parcels(&ground);
        let before = settled(&mut ground, &parcels);
        let depths = ground.depths(&before);
        let mut pools = Pools::from_depths(0.001, &mut ground, |cell| depths[cell]);
        pools.reconcile(&mut ground, water(&[]), Release::Settle);
        check(&ground, &pools);
        for (a, b) in ground.depths(&pools).iter().zip(&depths) {
            assert!((a - b).abs() < 1e-9, "seed {seed}: {a}, not {b}");
        }
    }
}

#[test]
fn maps_without_room_neither_hang_nor_lose_water() {
    let flats = [(1, 1), (1, 9), (9, 1), (6, 7)].map(|(r, c)| Ground::new(r, c, |_, _| 3.0));
    let walled = flats.clone().map(Ground::closed);
    let mut gone = flats.clone();
    for ground in &mut gone {
        ground.kinds.fill(Kind::Void);
    }
    let mut sea = flats.clone();
    for ground in &mut sea {
        ground.kinds.fill(Kind::Sea);
    }
    for mut ground in flats.into_iter().chain(walled).chain(gone).chain(sea) {
        let cells = ground.shape.len();
        for amount in [1e-300, 1e-12, 1e-3, 1e9] {
            let parcels: Vec<_> = (0..cells).map(|cell| (cell, amount)).collect();
            let mut pools = Pools::new(0.5);
            let outflow = pools.reconcile(&mut ground, water(&parcels), Release::Settle);
            check_water(amount * cells as f64, &pools, &outflow);
            let springs = Release::Springs {
                unit_m: 1.0,
                minimum: 0.01,
            };
            let more = pools.reconcile(&mut ground, water(&[]), springs);
            assert_eq!(more.springs, vec![]);
            for cell in 0..cells {
                ground.set_pool(cell, 0);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_ground_and_water_settles(
        (cols, heights) in (1_usize..9).prop_flat_map(|cols| {
            (Just(cols), prop::collection::vec(-1e4..1e4_f64, cols..9 * cols))
        }),
        kinds in prop::collection::vec(0_u8..12, 81),
        parcels in prop::collection::vec((0_usize..1000, 0.0..1e5_f64), 0..20),
        minimum in 0.0..1.0_f64,
    ) {
        let rows = heights.len() / cols;
        let mut ground = Ground::new(rows, cols, |row, col| heights[row * cols + col]);
        for (kind, &code) in ground.kinds.iter_mut().zip(&kinds) {
            *kind = match code { 0 => Kind::Void, 1 => Kind::Sea, 2 => Kind::Drain, _ => Kind::Land };
        }
        let parcels: Vec<_> =
            parcels.into_iter().map(|(cell, water)| (cell % (rows * cols), water)).collect();
        let mut pools = Pools::new(0.3);
        let springs = Release::Springs { unit_m: 50.0, minimum };
        let outflow = pools.reconcile(&mut ground, water(&parcels), springs);
        let sprung: f64 = outflow.springs.iter().map(|spring| spring.volume * 50.0).sum();
        prop_assert!(outflow.springs.iter().all(|s| s.volume >= minimum && s.volume <= 1.0));
        let left = total(&parcels) - sprung;
        let went = pools.water_m() + outflow.exported_m + outflow.to_sea_m;
        prop_assert!((left - went).abs() <= 1e-12 * (1.0 + total(&parcels)));
        let held = pools.water_m();
        let outflow = pools.reconcile(&mut ground, water(&[]), Release::Settle);
        check_water(held, &pools, &outflow);
    }
}
