//! A naive oracle: one parcel after another walks over a surface kept per cell, and every pool is searched for
//! afresh at each turn.

use crate::invariants::check_water;
use crate::map::{Ground, Random, water};
use std::collections::BTreeSet;
use thalweg_flow::{Bed, Kind, Pools, Release, receiver};

/// The surface: the ground or the water above it.
struct Surface<'g> {
    ground: &'g Ground,
    level: Vec<f64>,
    left: f64,
}

impl Surface<'_> {
    /// Walks down the ground from a cell to a pit, water or an outlet.
    fn walk(&self, mut cell: usize) -> usize {
        let height = |cell: usize| self.ground.elevation_m(cell);
        while self.ground.kind(cell) == Kind::Land && self.level[cell] <= height(cell) {
            match receiver(self.ground.shape, cell, height) {
                Some(lower) => cell = lower,
                None => break,
            }
        }
        cell
    }

    /// All cells at one level connected with one.
    #[expect(
        clippy::float_cmp,
        reason = "cells of one pool are given the very same level"
    )]
    fn pool(&self, cell: usize) -> BTreeSet<usize> {
        let mut pool = BTreeSet::from([cell]);
        let mut todo = vec![cell];
        while let Some(cell) = todo.pop() {
            for other in self.ground.shape.neighbours(cell) {
                let inside = self.ground.kind(other) == Kind::Land;
                if inside && self.level[other] == self.level[cell] && pool.insert(other) {
                    todo.push(other);
                }
            }
        }
        pool
    }

    /// The way out of a pool at its level: the first by the last cell of its own, then by the height and the index
    /// of the cell beyond. That last cell is the highest of the pool beside the exit, the first of equals; where the
    /// map ends at the pool's level, it is the exit itself.
    fn exit(&self, pool: &BTreeSet<usize>, rim: &BTreeSet<usize>, level: f64) -> Option<usize> {
        let height = |cell: usize| self.ground.elevation_m(cell);
        let ends = |cell: usize| self.ground.kind(cell) != Kind::Land;
        let bottom = |cell: usize| {
            if height(cell).is_finite() {
                height(cell)
            } else {
                f64::NEG_INFINITY
            }
        };
        let is_exit = |&&cell: &&usize| {
            if ends(cell) {
                bottom(cell) <= level
            } else {
                self.level[cell] < level
            }
        };
        let sill = |exit: usize| {
            if self.ground.kind(exit) == Kind::Drain && bottom(exit) >= level {
                return exit;
            }
            let own = self
                .ground
                .shape
                .neighbours(exit)
                .filter(|cell| pool.contains(cell));
            own.min_by(|&a, &b| height(b).total_cmp(&height(a)))
                .unwrap_or(exit)
        };
        let order = |&a: &usize, &b: &usize| {
            sill(a)
                .cmp(&sill(b))
                .then(bottom(a).total_cmp(&bottom(b)))
                .then(a.cmp(&b))
        };
        rim.iter().filter(is_exit).copied().min_by(order)
    }

    /// The level at which water reaches a cell.
    fn top(&self, cell: usize) -> f64 {
        let level = self.level[cell];
        if level.is_finite() {
            level
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Adds water at a cell.
    fn pour(&mut self, mut at: usize, mut amount: f64) {
        while amount > 0.0 {
            if self.ground.kind(at) != Kind::Land {
                self.left += amount;
                return;
            }
            let pool = self.pool(at);
            let level = self.level[at];
            let around = pool.iter().flat_map(|&c| self.ground.shape.neighbours(c));
            let rim: BTreeSet<usize> = around.filter(|cell| !pool.contains(cell)).collect();
            if let Some(below) = self.exit(&pool, &rim, level) {
                at = self.walk(below);
                continue;
            }
            let next = rim
                .iter()
                .min_by(|&&a, &&b| self.top(a).total_cmp(&self.top(b)));
            let top = next.map_or(f64::INFINITY, |&cell| self.top(cell));
            let room = (top - level) * pool.len() as f64;
            let new = if amount < room {
                level + amount / pool.len() as f64
            } else {
                top
            };
            pool.iter().for_each(|&cell| self.level[cell] = new);
            amount -= room;
        }
    }
}

/// Settles parcels both ways and compares levels, lakes and outlets.
fn compare(seed: u64, ground: &mut Ground, parcels: &[(usize, f64)]) {
    let level = ground.base.clone();
    let mut oracle = Surface {
        ground,
        level,
        left: 0.0,
    };
    // All parcels fall before any water rises.
    let fallen: Vec<_> = parcels
        .iter()
        .map(|&(cell, amount)| (oracle.walk(cell), amount))
        .collect();
    for (cell, amount) in fallen {
        oracle.pour(cell, amount);
    }
    let (expected, left) = (oracle.level, oracle.left);
    let mut pools = Pools::new(0.001);
    let outflow = pools.reconcile(ground, water(parcels), Release::Settle);
    for (cell, depth) in ground.depths(&pools).into_iter().enumerate() {
        let should = if ground.kind(cell) == Kind::Land {
            expected[cell] - ground.base[cell]
        } else {
            0.0
        };
        assert!(
            (depth - should).abs() < 1e-9,
            "seed {seed} cell {cell}: {depth}, not {should}"
        );
    }
    let went = outflow.exported_m + outflow.to_sea_m;
    assert!(
        (went - left).abs() < 1e-9 * (1.0 + left),
        "seed {seed}: {went} left, not {left}"
    );
    check_water(
        parcels.iter().map(|parcel| parcel.1).sum(),
        &pools,
        &outflow,
    );
    compare_outlets(seed, ground, &pools, &expected);
}

/// Each full pool spills where the oracle's pool at that place would.
fn compare_outlets(seed: u64, ground: &Ground, pools: &Pools, levels: &[f64]) {
    let mut level = levels.to_vec();
    for (_, pool) in pools.iter() {
        // What rounding left between the two would part cells of one pool.
        pool.cells
            .iter()
            .for_each(|&cell| level[cell] = pool.level_m);
    }
    let surface = Surface {
        ground,
        level,
        left: 0.0,
    };
    for (number, pool) in pools.iter() {
        let own = surface.pool(pool.cells[0]);
        let around = own.iter().flat_map(|&cell| ground.shape.neighbours(cell));
        let rim = around.filter(|cell| !own.contains(cell)).collect();
        let exit = surface.exit(&own, &rim, pool.level_m);
        assert_eq!(exit.is_some(), pool.full, "seed {seed} pool {number}");
        if let (Some(exit), Some(outlet)) = (exit, pool.outlet) {
            let beyond = if outlet.leaves_map() {
                exit
            } else {
                outlet.receiver
            };
            assert_eq!(exit, beyond, "seed {seed} pool {number}");
        }
    }
}

#[test]
fn settled_water_is_where_parcels_one_by_one_would_have_gone() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut ground = random.terrain();
        // Heights of no order and no ties; sea and gaps as they are.
        for height in &mut ground.base {
            *height += random.unit();
        }
        let parcels = random.parcels(&ground);
        compare(seed, &mut ground, &parcels);
    }
}

/// Fails on some 40 of the 500: which body fills first still matters on some plateaus (see `src/pools/README.md`).
#[test]
#[ignore = "known to fail: on plateaus of one height the order of work decides"]
fn ties_are_decided_as_one_by_one_on_whole_heights() {
    for seed in 0..500 {
        let mut random = Random(20_000 + seed);
        let mut ground = random.terrain_of(8, 64);
        let parcels = random.parcels(&ground);
        let few = &parcels[..parcels.len().min(200)];
        compare(seed, &mut ground, few);
    }
}
