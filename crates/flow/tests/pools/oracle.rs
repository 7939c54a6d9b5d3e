//! A naive oracle: one parcel after another walks over a surface kept per cell, and every pool is searched for
//! afresh at each turn. It knows no rule for ties, so it is asked on ground without.

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

    /// Adds water at a cell.
    fn pour(&mut self, cell: usize, mut amount: f64) {
        let mut at = self.walk(cell);
        while amount > 0.0 {
            if self.ground.kind(at) != Kind::Land {
                self.left += amount;
                return;
            }
            let pool = self.pool(at);
            let level = self.level[at];
            let around = pool.iter().flat_map(|&c| self.ground.shape.neighbours(c));
            let rim: Vec<usize> = around.filter(|cell| !pool.contains(cell)).collect();
            let lower = rim.iter().filter(|&&cell| self.level[cell] < level);
            let height = |cell: usize| self.ground.elevation_m(cell);
            if let Some(&below) = lower.min_by(|&&a, &&b| height(a).total_cmp(&height(b))) {
                at = self.walk(below);
                continue;
            }
            let next = rim
                .iter()
                .min_by(|&&a, &&b| self.level[a].total_cmp(&self.level[b]));
            let top = next.map_or(f64::INFINITY, |&cell| self.level[cell]);
            let room = (top - level) * pool.len() as f64;
            let new = if amount < room {
                level + amount / pool.len() as f64
            } else {
                top
            };
            pool.iter().for_each(|&cell| self.level[cell] = new);
            amount -= room;
            if let Some(&cell) = next.filter(|&&cell| self.ground.kind(cell) != Kind::Land) {
                at = if amount > 0.0 { cell } else { at };
            }
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
        let level = ground.base.clone();
        let mut oracle = Surface {
            ground: &ground,
            level,
            left: 0.0,
        };
        for &(cell, amount) in &parcels {
            oracle.pour(cell, amount);
        }
        let (expected, left) = (oracle.level, oracle.left);
        let mut pools = Pools::new(0.001);
        let outflow = pools.reconcile(&mut ground, water(&parcels), Release::Settle);
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
    }
}
