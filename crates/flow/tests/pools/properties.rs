//! What holds on any ground that is cut and filled between reconciliations, with water, losses and sediment.

use crate::map::{Ground, repose, settled};
use ndarray::Array2;
use proptest::prelude::*;
use thalweg_flow::{Bed, Inflow, Kind, Losses, Outflow, PoolInflow, Pools, Release, Since, fill};

/// Water that one droplet stands for, m × cells.
const UNIT_M: f64 = 0.5;

/// What happens before a reconciliation.
#[derive(Debug, Clone)]
struct Round {
    water: Vec<(usize, f64)>,
    into_pools: Vec<f64>,
    sediment: Vec<(usize, i64)>,
    /// Cuts and fills, µm.
    bed: Vec<(usize, i64)>,
    cycles: u32,
    settle: bool,
}

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let cell = 0_usize..1000;
    let round = (
        prop::collection::vec((cell.clone(), 0.0..20.0_f64), 0..8),
        prop::collection::vec(0.0..3.0_f64, 0..6),
        prop::collection::vec((cell.clone(), 0_i64..3_000_000), 0..4),
        prop::collection::vec(
            (cell, prop_oneof![-3_i64..4, -4_000_000_i64..4_000_000]),
            0..12,
        ),
        0_u32..3,
        any::<bool>(),
    );
    let round = round.prop_map(|(water, into_pools, sediment, bed, cycles, settle)| Round {
        water,
        into_pools,
        sediment,
        bed,
        cycles,
        settle,
    });
    prop::collection::vec(round, 1..7)
}

/// Heights of one to twelve columns: real, or whole and few.
fn heights() -> impl Strategy<Value = (usize, Vec<f64>)> {
    (1_usize..13, any::<bool>(), 2_i32..7).prop_flat_map(|(cols, real, steps)| {
        let height = (0.0..1.0_f64).prop_map(move |unit| {
            let height = unit * f64::from(steps);
            if real { height } else { height.floor() }
        });
        (
            Just(cols),
            prop::collection::vec(height, cols..12 * cols + 1),
        )
    })
}

/// Ground of any kinds.
fn grounds() -> impl Strategy<Value = Ground> {
    (
        heights(),
        any::<bool>(),
        prop::collection::vec(0_u8..40, 144),
    )
        .prop_map(|((cols, heights), closed, kinds)| {
            let rows = heights.len() / cols;
            let mut ground = Ground::new(rows, cols, |row, col| heights[row * cols + col]);
            if closed {
                ground = ground.closed();
            }
            for (kind, &code) in ground.kinds.iter_mut().zip(&kinds) {
                match code {
                    0 => *kind = Kind::Void,
                    1 => *kind = Kind::Sea,
                    2 => *kind = Kind::Drain,
                    _ => {}
                }
            }
            ground
        })
}

fn inflow(round: &Round, cells: usize, pools: &Pools) -> Inflow {
    let into = |&water_m: &f64| PoolInflow {
        water_m,
        droplets: 1,
    };
    Inflow {
        pools: round
            .into_pools
            .iter()
            .take(pools.len())
            .map(into)
            .collect(),
        ground: round
            .water
            .iter()
            .map(|&(cell, water)| (cell % cells, water))
            .collect(),
        sediment: round
            .sediment
            .iter()
            .map(|&(cell, um)| (cell % cells, um))
            .collect(),
    }
}

/// Water that left, m × cells.
fn left(outflow: &Outflow) -> f64 {
    let springs: f64 = outflow
        .springs
        .iter()
        .map(|spring| spring.volume * UNIT_M)
        .sum();
    let lost = outflow.evaporated_m + outflow.seeped_m;
    springs + lost + outflow.exported_m + outflow.to_sea_m
}

/// The field tells what the pools do; water that touches is one pool, with one level to the last bit, unless it drains;
/// depths are not negative; what stands over its sill is draining.
fn check(ground: &Ground, pools: &Pools) -> Result<(), TestCaseError> {
    let mut level = vec![None; ground.shape.len()];
    for (number, pool) in pools.iter() {
        for &cell in &pool.cells {
            prop_assert!(pool.level_m > ground.elevation_m(cell));
            prop_assert_eq!(ground.pool(cell), number);
            // Held back above a sill that was cut, water stands beside lower water.
            level[cell] = Some((pool.level_m.to_bits(), pool.draining));
        }
        if let Some(outlet) = pool.outlet {
            prop_assert!(pool.draining || pool.level_m <= outlet.sill_m + 1e-9);
        }
        prop_assert!(!pool.draining || pool.outlet.is_some());
    }
    for cell in 0..level.len() {
        prop_assert_eq!(level[cell].is_some(), ground.pool(cell) != 0);
        for other in ground.shape.neighbours(cell) {
            if let (Some((own, false)), Some((near, false))) = (level[cell], level[other]) {
                prop_assert_eq!(own, near, "{} beside {}", cell, other);
                prop_assert_eq!(ground.pool(cell), ground.pool(other));
            }
        }
    }
    Ok(())
}

/// No lake has lost more than it received.
fn check_balances(ground: &Ground, pools: &Pools) -> Result<(), TestCaseError> {
    let survey = pools.survey(ground, &pools.relief(ground), 0.0);
    let lakes = survey
        .lakes
        .iter()
        .map(|lake| (lake.balance, lake.volume_m));
    let dry = survey.dry.iter().map(|basin| (basin.balance, 0.0));
    for (balance, volume_m) in lakes.chain(dry) {
        let accounted = balance.evaporated_m + balance.seeped_m + volume_m;
        prop_assert!(
            accounted <= balance.received_m * (1.0 + 1e-9) + 1e-9,
            "{:?} {}",
            balance,
            volume_m
        );
    }
    Ok(())
}

/// No land around settled water is lower than it, but beyond a sill.
fn check_shores(ground: &Ground, pools: &Pools) -> Result<(), TestCaseError> {
    for (_, pool) in pools.iter() {
        prop_assert!(!pool.draining);
        let around = pool
            .cells
            .iter()
            .flat_map(|&cell| ground.shape.neighbours(cell));
        for other in around.filter(|&other| ground.pool(other) == 0) {
            prop_assert!(ground.kind(other) != Kind::Void);
            prop_assert!(
                ground.elevation_m(other) >= pool.level_m - 1e-12 * (1.0 + pool.level_m.abs())
            );
        }
    }
    Ok(())
}

fn laid(ground: &Ground) -> i64 {
    ground.change_um.iter().sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn changing_ground_keeps_water_and_sediment((mut ground, rounds) in (grounds(), rounds())) {
        let cells = ground.shape.len();
        let mut pools = Pools::new(0.3).with_repose(repose(0.7));
        let (mut came_um, mut dug_um) = (0, 0);
        for round in &rounds {
            for &(cell, um) in &round.bed {
                ground.change_um[cell % cells] += um;
                dug_um += um;
            }
            let inflow = inflow(round, cells, &pools);
            let water: f64 = inflow.ground.iter().map(|at| at.1).sum();
            let into: f64 = inflow.pools.iter().map(|pool| pool.water_m).sum();
            came_um += inflow.sediment.iter().map(|at| at.1).sum::<i64>();
            let came = pools.water_m() + water + into;
            let release = match round.settle {
                true => Release::Settle,
                false => Release::Springs { unit_m: UNIT_M, minimum: 0.01 },
            };
            let losses = Losses { cycles: round.cycles, evaporation_m: 0.03, seepage_m: 0.01, ..Losses::default() };
            let since = Since { losses, ..Since::default() };
            let outflow = pools.reconcile_since(&mut ground, inflow, release, since);
            let went = pools.water_m() + left(&outflow);
            prop_assert!((came - went).abs() <= 1e-12 * came, "{} came, {} went", came, went);
            prop_assert_eq!(laid(&ground) - dug_um + pools.sediment_waiting_um(), came_um);
            check(&ground, &pools)?;
            check_balances(&ground, &pools)?;
            if round.settle {
                check_shores(&ground, &pools)?;
            }
        }
    }

    #[test]
    fn water_enough_makes_the_filled_surface((cols, heights) in heights()) {
        let rows = heights.len() / cols;
        let mut ground = Ground::new(rows, cols, |row, col| heights[row * cols + col]);
        let map = Array2::from_shape_fn((rows, cols), |(row, col)| heights[row * cols + col]);
        let filled = fill(map.view(), None).unwrap();
        let flood: Vec<_> = (0..rows * cols).map(|cell| (cell, 1e4)).collect();
        let pools = settled(&mut ground, &flood);
        for (cell, depth) in ground.depths(&pools).into_iter().enumerate() {
            let surface = ground.base[cell] + depth;
            prop_assert!((surface - filled[ground.shape.position(cell)]).abs() < 1e-12);
        }
    }
}
