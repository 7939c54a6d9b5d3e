//! What must hold of settled water, told without the code under test.

use crate::map::Ground;
use thalweg_flow::{Bed, Kind, Outflow, Pools};

/// The lowest surface that nothing above can stand over: the definition of filling, relaxed until it holds
/// (Planchon & Darboux 2002). Infinite where a walled map has no outlet.
pub(crate) fn brim(ground: &Ground) -> Vec<f64> {
    let cells = ground.shape.len();
    let outlet = |cell: usize| ground.kind(cell) != Kind::Land;
    let bottom = |cell: usize| match ground.kind(cell) {
        Kind::Void => f64::NEG_INFINITY,
        _ => ground.elevation_m(cell),
    };
    let start = |cell| {
        if outlet(cell) {
            bottom(cell)
        } else {
            f64::INFINITY
        }
    };
    let mut level: Vec<f64> = (0..cells).map(start).collect();
    loop {
        let mut changed = false;
        for cell in (0..cells).filter(|&cell| !outlet(cell)) {
            let around = ground.shape.neighbours(cell).map(|other| level[other]);
            let new = bottom(cell).max(around.fold(f64::INFINITY, f64::min));
            changed |= new < level[cell];
            level[cell] = new.min(level[cell]);
        }
        if !changed {
            return level;
        }
    }
}

/// Checks field, levels, volumes, shores and sills of settled water.
pub(crate) fn check(ground: &Ground, pools: &Pools) {
    check_field(ground, pools);
    let brim = brim(ground);
    for (number, pool) in pools.iter() {
        let depths: f64 = pool
            .cells
            .iter()
            .map(|&c| pool.level_m - ground.elevation_m(c))
            .sum();
        let error = (depths - pool.volume_m).abs();
        assert!(
            error <= 1e-9 * (1.0 + depths),
            "pool {number}: {depths} of {}",
            pool.volume_m
        );
        assert!(!pool.draining);
        assert!(
            pool.surplus_m.abs() < 1e-300,
            "pool {number} keeps {}",
            pool.surplus_m
        );
        assert_eq!(pool.full, pool.outlet.is_some());
        for &cell in &pool.cells {
            assert!(
                pool.level_m <= brim[cell] + 1e-12,
                "pool {number} stands over its sill"
            );
            check_shore(ground, pools, number, cell);
        }
        if let Some(outlet) = pool.outlet {
            assert!((outlet.sill_m - pool.level_m).abs() < 1e-12);
            let sea = ground.kind(outlet.receiver) == Kind::Sea;
            let lower = ground.elevation_m(outlet.receiver) < outlet.sill_m;
            assert!(outlet.leaves_map() || sea || lower);
        }
    }
}

/// The field tells exactly what the pools do, and numbers follow the lowest cells.
fn check_field(ground: &Ground, pools: &Pools) {
    let mut field = vec![0; ground.shape.len()];
    let mut last = None;
    for (number, pool) in pools.iter() {
        assert!(pool.cells.is_sorted() && pool.cells.first() > last.as_ref());
        last = pool.cells.first().copied();
        for &cell in &pool.cells {
            assert_eq!(std::mem::replace(&mut field[cell], number), 0);
            assert_eq!(ground.kind(cell), Kind::Land);
            assert!(ground.elevation_m(cell) < pool.level_m);
        }
    }
    assert_eq!(field, ground.pool);
}

/// What lies beside a wet cell is dry ground no lower than the level, or the same pool.
fn check_shore(ground: &Ground, pools: &Pools, number: u32, cell: usize) {
    for other in ground.shape.neighbours(cell) {
        let pool = ground.pool(other);
        let low = ground.elevation_m(other) < pools.get(number).level_m;
        assert!(
            pool == number || pool == 0 && !low,
            "{cell} of {number} beside {other} of {pool}"
        );
    }
}

/// Checks that no water was made or lost.
pub(crate) fn check_water(came: f64, pools: &Pools, outflow: &Outflow) {
    let went = pools.water_m() + outflow.exported_m + outflow.to_sea_m;
    assert!(
        (came - went).abs() <= 1e-12 * came,
        "{came} came, {went} went"
    );
}
