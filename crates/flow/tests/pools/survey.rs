//! What is told of lakes and dry basins, on ground where it can be worked out by hand, and by following each cell.

use crate::map::{Ground, Random, settled, water};
use thalweg_flow::{Bed, Kind, Losses, Pools, Release, Since, receiver};
use thalweg_grid::SpillsTo;

/// Three basins on a stair down to the right end; each spills into the next, the last off the map.
fn stair() -> Ground {
    Ground::profile(&[20.0, 14.0, 16.0, 15.5, 9.0, 12.0, 11.0, 3.0, 5.0, 1.0])
}

#[test]
fn a_chain_of_three_is_told_with_outlets_depths_and_catchments() {
    let mut ground = stair();
    let pools = settled(&mut ground, &[(1, 100.0)]);
    let survey = pools.survey(&ground, &pools.relief(&ground), 0.01);
    let told: Vec<_> = survey
        .lakes
        .iter()
        .map(|lake| (lake.spills_to, lake.chain, lake.cells))
        .collect();
    assert_eq!(
        told,
        [
            (SpillsTo::Lake(2), 3, 1),
            (SpillsTo::Lake(3), 2, 1),
            (SpillsTo::Edge, 1, 1)
        ]
    );
    assert_eq!(survey.max_chain, 3);
    // Cells 1 and 2, which runs left, are the first's; 3 to 5 the second's; 6 and 7 the third's; 8 runs off the map.
    let catchments: Vec<u64> = survey.lakes.iter().map(|lake| lake.catchment).collect();
    assert_eq!(catchments, [2, 5, 7]);
    let first = &survey.lakes[0];
    assert!((first.max_depth_m - 2.0).abs() < 1e-12 && (first.mean_depth_m - 2.0).abs() < 1e-12);
    assert_eq!(
        first.outlet.map(|outlet| (outlet.sill, outlet.receiver)),
        Some((2, 3))
    );
    assert_eq!(survey.dry, vec![]);
}

/// A stair of many basins: one row of lakes from the first to the last, whichever is asked for first.
#[test]
fn a_long_chain_is_as_long_as_it_is() {
    const LAKES: usize = 20_000;
    for down_to_the_right in [true, false] {
        let height = |col: usize| match (col % 2, down_to_the_right) {
            (1, true) => (2 * LAKES - col) as f64 - 1.5,
            (_, true) => (2 * LAKES - col) as f64,
            (1, false) => col as f64 - 1.5,
            (_, false) => col as f64,
        };
        let heights: Vec<f64> = (0..=2 * LAKES).map(height).collect();
        let mut ground = Ground::profile(&heights);
        let basins: Vec<_> = (0..LAKES).map(|lake| (2 * lake + 1, 0.6)).collect();
        let pools = settled(&mut ground, &basins);
        let survey = pools.survey(&ground, &pools.relief(&ground), 0.01);
        assert_eq!(survey.max_chain as usize, LAKES);
        for (at, lake) in survey.lakes.iter().enumerate() {
            let chain = if down_to_the_right {
                LAKES - at
            } else {
                at + 1
            };
            assert_eq!(lake.chain as usize, chain);
        }
    }
}

#[test]
fn dry_basins_keep_what_runs_into_them_unless_they_are_shallow() {
    let mut ground = stair();
    // The first is full; nothing has run on.
    let pools = settled(&mut ground, &[(1, 2.0)]);
    let survey = pools.survey(&ground, &pools.relief(&ground), 0.01);
    let dry: Vec<_> = survey
        .dry
        .iter()
        .map(|basin| (basin.cell, basin.cells))
        .collect();
    assert_eq!(dry, [(4, 1), (7, 1)]);
    assert!((survey.dry[0].depth_m - 3.0).abs() < 1e-12);
    assert!((survey.dry[1].depth_m - 2.0).abs() < 1e-12);
    assert_eq!(survey.lakes[0].spills_to, SpillsTo::Nowhere);
    // As shallow ones they are passed.
    let passed = pools.survey(&ground, &pools.relief(&ground), 3.5);
    assert_eq!(passed.lakes[0].spills_to, SpillsTo::Edge);
    assert_eq!((passed.dry.len(), passed.max_chain), (0, 1));
}

#[test]
fn a_basin_that_dried_up_is_listed_with_what_came_and_went() {
    let mut ground = stair();
    let mut pools = Pools::new(0.001);
    pools.reconcile(&mut ground, water(&[(4, 1.5)]), Release::Settle);
    let losses = Losses {
        cycles: 4,
        evaporation_m: 0.3,
        seepage_m: 0.1,
        ..Losses::default()
    };
    let since = || Since {
        losses,
        ..Since::default()
    };
    let outflow = pools.reconcile_since(&mut ground, water(&[]), Release::Settle, since());
    assert!(pools.is_empty());
    assert!((outflow.evaporated_m - 1.125).abs() < 1e-12, "{outflow:?}");
    assert!((outflow.seeped_m - 0.375).abs() < 1e-12);
    let dry = &pools.survey(&ground, &pools.relief(&ground), 0.01).dry;
    let basin = dry.iter().find(|basin| basin.cell == 4).unwrap();
    assert!((basin.balance.received_m - 1.5).abs() < 1e-12);
    assert!((basin.balance.evaporated_m - 1.125).abs() < 1e-12);
    assert!((basin.balance.seeped_m - 0.375).abs() < 1e-12);
}

#[test]
fn a_closed_basin_keeps_the_lake_that_its_losses_balance() {
    // A cone: at rest the area times the loss per cycle is what comes per cycle.
    let size = 201;
    let radius = |r: usize, c: usize| f64::hypot(r as f64 - 100.0, c as f64 - 100.0);
    let mut sizes = Vec::new();
    for evaporation_m in [0.5, 0.25] {
        let mut ground = Ground::new(size, size, radius);
        let mut pools = Pools::new(0.001);
        let (mut came, mut went) = (0.0, 0.0);
        for _ in 0..1200 {
            let losses = Losses {
                cycles: 1,
                evaporation_m,
                seepage_m: 0.0,
                ..Losses::default()
            };
            let since = Since {
                losses,
                ..Since::default()
            };
            let inflow = water(&[(100 * size + 100, 1000.0)]);
            let outflow = pools.reconcile_since(&mut ground, inflow, Release::Settle, since);
            came += 1000.0;
            went += outflow.evaporated_m;
        }
        let expected = 1000.0 / evaporation_m;
        let area = pools.get(1).cells.len() as f64;
        assert!((area - expected).abs() < 0.05 * expected, "{area}");
        // What lies between the levels before and after a cycle's losses is what comes in it.
        let level_m = pools.get(1).level_m;
        let below = |level: f64| -> f64 {
            let depths = ground.base.iter().map(|bed| (level - bed).max(0.0));
            depths.sum()
        };
        let lost = below(level_m + evaporation_m) - below(level_m);
        assert!((lost - 1000.0).abs() < 1e-2, "{lost}");
        assert!((came - went - pools.water_m()).abs() < 1e-9 * came);
        sizes.push(area);
    }
    assert!(sizes[0] < sizes[1]);
}

/// Follows one cell's water over pools and outlets; only on maps without dry basins.
fn lakes_below(ground: &Ground, pools: &Pools, mut cell: usize) -> Vec<u32> {
    let mut passed = Vec::new();
    loop {
        match ground.kind(cell) {
            Kind::Land => {}
            _ => return passed,
        }
        if let Some(number) = Some(ground.pool(cell)).filter(|&number| number != 0) {
            passed.push(number);
            match pools.get(number).outlet {
                Some(outlet) if !outlet.leaves_map() => cell = outlet.receiver,
                _ => return passed,
            }
            continue;
        }
        let height = |cell: usize| match ground.kind(cell) {
            Kind::Void => f64::NEG_INFINITY,
            _ => ground.elevation_m(cell),
        };
        match receiver(ground.shape, cell, height) {
            Some(lower) => cell = lower,
            None => return passed,
        }
    }
}

#[test]
fn catchments_and_chains_are_those_of_following_each_cell() {
    let mut longest = 0;
    for seed in 0..200 {
        let mut random = Random(11_000 + seed);
        let mut ground = random.terrain();
        // No ties, so that there is no flat ground for water to stand still on.
        for height in &mut ground.base {
            *height += random.unit();
        }
        let flood: Vec<_> = (0..ground.shape.len()).map(|cell| (cell, 1e3)).collect();
        let pools = settled(&mut ground, &flood);
        let survey = pools.survey(&ground, &pools.relief(&ground), 0.0);
        let mut catchments = vec![0; pools.len()];
        let mut chains = vec![0; pools.len()];
        for cell in 0..ground.shape.len() {
            let passed = lakes_below(&ground, &pools, cell);
            for (at, &number) in passed.iter().enumerate() {
                catchments[number as usize - 1] += 1;
                chains[number as usize - 1] = (passed.len() - at) as u32;
            }
        }
        for (lake, (catchment, chain)) in
            survey.lakes.iter().zip(catchments.into_iter().zip(chains))
        {
            assert_eq!(
                (lake.catchment, lake.chain),
                (catchment, chain),
                "seed {seed} lake {}",
                lake.id
            );
        }
        longest = longest.max(survey.max_chain);
    }
    assert!(longest >= 4, "{longest}");
}
