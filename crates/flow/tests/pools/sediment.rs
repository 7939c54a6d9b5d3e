//! Sediment in pools: conserved to the micrometre, never above the water.

use crate::map::{Ground, Random, settled};
use thalweg_flow::{Bed, Inflow, Release};

fn laid_um(ground: &Ground) -> i64 {
    ground.change_um.iter().sum()
}

#[test]
fn a_delta_grows_from_its_inlet_and_thins_out() {
    let mut ground = Ground::profile(&[9.0, 0.0, 0.0, 0.0, 0.0, 9.0]);
    let mut pools = settled(&mut ground, &[(1, 4.0)]);
    let inflow = Inflow {
        sediment: vec![(1, 500_000), (1, 700_000)],
        ..Inflow::default()
    };
    pools.reconcile(&mut ground, inflow, Release::Settle);
    // Room for half of a metre each, d cells from the inlet: shares 1 − d²/10 of it, as far as they are needed.
    let laid = &ground.change_um[1..5];
    assert_eq!(laid_um(&ground), 1_200_000);
    assert!(laid.is_sorted_by(|near, far| near > far), "{laid:?}");
    assert!(laid[0] <= 500_000 && laid[3] < laid[0] / 4, "{laid:?}");
    // The water rose by what it had to make room for: 1.2 over four cells.
    assert!((pools.get(1).level_m - 1.3).abs() < 1e-12);
    assert!((pools.get(1).volume_m - 4.0).abs() < 1e-12);
}

#[test]
fn a_pool_too_small_silts_up_to_its_level_and_the_rest_waits() {
    let mut ground = Ground::profile(&[9.0, 0.0, 9.0, 0.0, 9.0]);
    let mut pools = settled(&mut ground, &[(1, 1.0)]);
    // The pool has room for 1 m; cell 3 is dry: its sediment waits whole.
    let inflow = Inflow {
        sediment: vec![(1, 1_100_000), (3, 40)],
        ..Inflow::default()
    };
    pools.reconcile(&mut ground, inflow, Release::Settle);
    assert_eq!(ground.change_um, vec![0, 1_000_000, 0, 0, 0]);
    assert_eq!(pools.sediment_waiting_um(), 100_040);
    // Its water now stands on what it laid down, and the rest finds room there.
    assert!((pools.get(1).level_m - 2.0).abs() < 1e-12);
    pools.reconcile(&mut ground, Inflow::default(), Release::Settle);
    assert_eq!(pools.sediment_waiting_um(), 40);
    assert_eq!(pools.clone().take_stranded(&ground), vec![(3, 40)]);
    let inflow = Inflow {
        ground: vec![(3, 1.0)],
        ..Inflow::default()
    };
    pools.reconcile(&mut ground, inflow, Release::Settle);
    assert_eq!(pools.take_stranded(&ground), vec![]);
    pools.reconcile(&mut ground, Inflow::default(), Release::Settle);
    assert_eq!(
        (pools.sediment_waiting_um(), laid_um(&ground)),
        (0, 1_100_040)
    );
}

#[test]
fn sediment_is_conserved_to_the_integer_and_stays_under_water() {
    let mut waited = 0;
    for seed in 0..300 {
        let mut random = Random(9000 + seed);
        let mut ground = random.terrain();
        let parcels = random.parcels(&ground);
        let mut pools = settled(&mut ground, &parcels);
        let mut came = 0;
        for _ in 0..3 {
            let before = (ground.change_um.clone(), ground.pool.clone());
            let levels: Vec<f64> = pools.iter().map(|(_, pool)| pool.level_m).collect();
            let cells = ground.shape.len();
            let mut entry = || (random.below(cells), random.below(2_000_000) as i64);
            let sediment: Vec<_> = (0..10).map(|_| entry()).collect();
            came += sediment.iter().map(|entry| entry.1).sum::<i64>();
            let inflow = Inflow {
                sediment,
                ..Inflow::default()
            };
            pools.reconcile(&mut ground, inflow, Release::Settle);
            assert_eq!(
                laid_um(&ground) + pools.sediment_waiting_um(),
                came,
                "seed {seed}"
            );
            for cell in (0..cells).filter(|&cell| ground.change_um[cell] != before.0[cell]) {
                let pool = before.1[cell] as usize;
                assert!(
                    pool > 0 && ground.elevation_m(cell) <= levels[pool - 1] + 1e-12,
                    "seed {seed}"
                );
            }
        }
        waited += i64::from(pools.sediment_waiting_um() > 0);
    }
    assert!(waited > 10 && waited < 300);
}

/// Who comes first finds more room: that goes by amount, and not by where on the map it comes.
#[test]
fn mirrored_deltas_are_mirror_images() {
    const SIZE: usize = 21;
    let place = |view: usize, [row, col]: [usize; 2]| {
        let turn = |bit, at| {
            if view & bit == 0 { at } else { SIZE - 1 - at }
        };
        match view & 4 {
            0 => [turn(2, row), turn(1, col)],
            _ => [turn(1, col), turn(2, row)],
        }
    };
    // A basin deeper in the north-west.
    let bottom = |[row, col]: [usize; 2]| {
        let wave = libm::sin(1.3 * row as f64) * libm::sin(0.7 * col as f64);
        3.0 + 0.1 * (row + 2 * col) as f64 + wave
    };
    // Three rivers with too little room for the second and third; one whose delta ends in the midst of the water.
    let much = [
        ([2, 12], 160_000_000),
        ([10, 3], 250_000_001),
        ([17, 17], 210_000_002),
    ];
    let little = [([9, 11], 7_000_000)];
    let run = |view: usize, rivers: &[([usize; 2], i64)]| {
        let rim = |row: usize, col: usize| row.min(col) == 0 || row.max(col) == SIZE - 1;
        let height = |row, col| match rim(row, col) {
            true => 20.0,
            false => bottom(place(view, [row, col])),
        };
        let mut ground = Ground::new(SIZE, SIZE, height);
        let mut pools = settled(&mut ground, &[(10 * SIZE + 10, 600.0)]);
        let here = |at| (0..SIZE * SIZE).find(|cell| place(view, [cell / SIZE, cell % SIZE]) == at);
        let entry = |&(at, um)| (here(at).expect("a cell"), um);
        let inflow = Inflow {
            sediment: rivers.iter().map(entry).collect(),
            ..Inflow::default()
        };
        pools.reconcile(&mut ground, inflow, Release::Settle);
        assert_eq!(pools.sediment_waiting_um() > 0, rivers.len() > 1);
        let mut laid = vec![0; SIZE * SIZE];
        for (cell, &um) in ground.change_um.iter().enumerate() {
            let [row, col] = place(view, [cell / SIZE, cell % SIZE]);
            laid[row * SIZE + col] = um;
        }
        laid
    };
    for rivers in [&much[..], &little[..]] {
        let plain = run(0, rivers);
        for view in 1..8 {
            // Micrometres that rounding leaves go to whoever is first.
            let differ = |(a, b): (&i64, &i64)| (a - b).abs();
            let turned = run(view, rivers);
            let most = plain.iter().zip(&turned).map(differ).max().unwrap_or(0);
            assert!(most < 1000, "{most} µm between views 0 and {view}");
        }
    }
}
