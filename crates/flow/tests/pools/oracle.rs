//! A naive oracle: one parcel after another walks over a surface kept per cell, and every pool is searched for
//! afresh at each turn.

use crate::invariants::check_water;
use crate::map::{Ground, Random, settled, water};
use std::collections::BTreeSet;
use thalweg_flow::{Bed, Kind, Pools, Release, receiver};
use thalweg_grid::SpillsTo;

/// The surface: the ground or the water above it.
struct Surface<'g> {
    ground: &'g Ground,
    level: Vec<f64>,
    /// The body of each cell that has one, those at zero depth too: a cell of it.
    body: Vec<Option<usize>>,
    left: f64,
}

impl<'g> Surface<'g> {
    fn dry(ground: &'g Ground) -> Self {
        Self {
            ground,
            level: ground.base.clone(),
            body: vec![None; ground.base.len()],
            left: 0.0,
        }
    }

    /// Height of the ground, bottomless where there is none.
    fn bottom(&self, cell: usize) -> f64 {
        let height = self.ground.elevation_m(cell);
        if height.is_finite() {
            height
        } else {
            f64::NEG_INFINITY
        }
    }

    fn ends(&self, cell: usize) -> bool {
        self.ground.kind(cell) != Kind::Land
    }

    /// Walks down the ground from a cell to a pit, under water or to an outlet.
    fn walk(&self, mut cell: usize) -> usize {
        while !self.ends(cell) && self.level[cell] <= self.bottom(cell) {
            match receiver(self.ground.shape, cell, |cell| self.bottom(cell)) {
                Some(lower) => cell = lower,
                None => break,
            }
        }
        cell
    }

    fn cells(&self, body: usize) -> BTreeSet<usize> {
        let own = |&cell: &usize| self.body[cell] == Some(body);
        (0..self.body.len()).filter(own).collect()
    }

    fn rim(&self, own: &BTreeSet<usize>) -> BTreeSet<usize> {
        let around = own.iter().flat_map(|&c| self.ground.shape.neighbours(c));
        around.filter(|cell| !own.contains(cell)).collect()
    }

    /// The cell of a rim that water reaches first.
    fn next(&self, rim: &BTreeSet<usize>) -> Option<usize> {
        let lower = |a: &usize, b: &usize| self.bottom(*a).total_cmp(&self.bottom(*b));
        rim.iter().copied().min_by(lower)
    }

    /// The way out of a body at its level: the first by the last cell of its own, then by the height and the index
    /// of the cell beyond. That last cell is the highest of the body's beside the exit, the first of equals. Where
    /// nothing around is lower, but water reaches the end of the map before it reaches more ground, that.
    fn exit(&self, own: &BTreeSet<usize>, level: f64) -> Option<usize> {
        let rim = self.rim(own);
        let sill = |exit: usize| {
            let beside = self.ground.shape.neighbours(exit);
            let beside = beside.filter(|cell| own.contains(cell));
            beside.min_by(|&a, &b| self.bottom(b).total_cmp(&self.bottom(a)))
        };
        let order = |&a: &usize, &b: &usize| {
            (sill(a).cmp(&sill(b)))
                .then(self.bottom(a).total_cmp(&self.bottom(b)))
                .then(a.cmp(&b))
        };
        let lower = rim
            .iter()
            .copied()
            .filter(|&cell| self.bottom(cell) < level);
        let at_end = |&next: &usize| self.ends(next) && self.bottom(next) <= level;
        lower
            .min_by(order)
            .or_else(|| self.next(&rim).filter(at_end))
    }

    /// Makes a body's own what belongs to the flat of a cell, and all bodies that have a part of it.
    fn take_flat(&mut self, body: usize, from: usize) {
        let (level, height) = (self.level[body], self.bottom(from));
        let mut todo = vec![from];
        while let Some(cell) = todo.pop() {
            if self.body[cell] == Some(body) {
                continue;
            }
            match self.body[cell] {
                Some(other) => self.join(body, other),
                None => self.body[cell] = Some(body),
            }
            self.level[cell] = level;
            let flat =
                |&near: &usize| !self.ends(near) && self.bottom(near).to_bits() == height.to_bits();
            todo.extend(self.ground.shape.neighbours(cell).filter(flat));
        }
    }

    fn join(&mut self, body: usize, other: usize) {
        for own in self.body.iter_mut().filter(|own| **own == Some(other)) {
            *own = Some(body);
        }
    }

    /// Where water from a full body comes to first: another one with water in it, an end of the map, or a dry basin.
    fn first_beyond(&self, exit: usize) -> Place {
        let mut at = self.walk(exit);
        loop {
            if self.ends(at) {
                return Place::End(self.ground.kind(at));
            }
            if self.level[at] > self.bottom(at) {
                return Place::Lake(at);
            }
            let mut flat = Surface::dry(self.ground);
            flat.take_flat(at, at);
            match flat.exit(&flat.cells(at), flat.level[at]) {
                Some(exit) => at = self.walk(exit),
                None => return Place::Dry,
            }
        }
    }

    /// Adds water at a place where it can stay or leave.
    fn pour(&mut self, mut at: usize, mut amount: f64) {
        // The full bodies that this water has passed.
        let mut passed = Vec::new();
        while amount > 0.0 {
            if self.ends(at) {
                self.left += amount;
                return;
            }
            if self.body[at].is_none() {
                self.take_flat(at, at);
            }
            let body = self.body[at].expect("it was given one");
            if let Some(first) = passed
                .iter()
                .position(|&cell: &usize| self.body[cell] == Some(body))
            {
                // They spill into each other: one body.
                for cell in passed.split_off(first) {
                    let other = self.body[cell].expect("a body was passed there");
                    self.join(body, other);
                }
            }
            let own = self.cells(body);
            let level = self.level[body];
            if let Some(below) = self.exit(&own, level) {
                passed.push(at);
                at = self.walk(below);
                continue;
            }
            let next = self.next(&self.rim(&own));
            let top = next.map_or(f64::INFINITY, |cell| self.bottom(cell));
            let room = (top - level) * own.len() as f64;
            let new = if amount < room {
                level + amount / own.len() as f64
            } else {
                top
            };
            own.iter().for_each(|&cell| self.level[cell] = new);
            if let Some(next) = next.filter(|&next| amount >= room && !self.ends(next)) {
                self.take_flat(body, next);
            }
            amount -= room;
        }
    }
}

/// What water comes to.
enum Place {
    /// A cell under water.
    Lake(usize),
    /// An end of the map.
    End(Kind),
    /// A basin with room and no water.
    Dry,
}

/// Settles parcels both ways and compares levels, lakes and outlets.
fn compare(seed: u64, ground: &mut Ground, parcels: &[(usize, f64)]) {
    let mut oracle = Surface::dry(ground);
    for &(cell, amount) in parcels {
        oracle.pour(oracle.walk(cell), amount);
    }
    let Surface {
        level, body, left, ..
    } = oracle;
    let mut pools = Pools::new(0.001);
    let outflow = pools.reconcile(ground, water(parcels), Release::Settle);
    for (cell, depth) in ground.depths(&pools).into_iter().enumerate() {
        let should = if ground.kind(cell) == Kind::Land {
            level[cell] - ground.base[cell]
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
    compare_lakes(seed, ground, &pools, &level, body);
}

/// The pools' wet cells are the oracle's bodies', and each full one spills where the oracle's would.
fn compare_lakes(
    seed: u64,
    ground: &Ground,
    pools: &Pools,
    level: &[f64],
    body: Vec<Option<usize>>,
) {
    let surface = Surface {
        level: level.to_vec(),
        body,
        ..Surface::dry(ground)
    };
    let survey = pools.survey(ground, &pools.relief(ground), 0.0);
    for (number, pool) in pools.iter() {
        let first = pool.cells[0];
        let own = surface.cells(surface.body[first].expect("it is wet"));
        let wet = own
            .iter()
            .copied()
            .filter(|&cell| level[cell] > ground.base[cell]);
        assert_eq!(
            wet.collect::<Vec<_>>(),
            pool.cells,
            "seed {seed} pool {number}"
        );
        let exit = surface.exit(&own, level[first]);
        assert_eq!(exit.is_some(), pool.full, "seed {seed} pool {number}");
        if let (Some(exit), Some(outlet)) = (exit, pool.outlet) {
            let beyond = if outlet.leaves_map() {
                exit
            } else {
                outlet.receiver
            };
            assert_eq!(exit, beyond, "seed {seed} pool {number}");
            let to = match surface.first_beyond(exit) {
                Place::Lake(cell) => SpillsTo::Lake(ground.pool(cell)),
                Place::End(Kind::Sea) => SpillsTo::Sea,
                Place::End(_) => SpillsTo::Edge,
                Place::Dry => SpillsTo::Nowhere,
            };
            let told = survey.lakes[number as usize - 1].spills_to;
            assert_eq!(told, to, "seed {seed} pool {number}");
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

#[test]
fn ties_are_decided_as_one_by_one_on_whole_heights() {
    for seed in 0..500 {
        let mut random = Random(20_000 + seed);
        let mut ground = random.terrain_of(8, 64);
        let parcels = random.parcels(&ground);
        let few = &parcels[..parcels.len().min(200)];
        compare(seed, &mut ground, few);
    }
}

/// Levels and what left do not depend on the order in which water comes.
#[test]
fn any_order_of_parcels_ends_alike() {
    for seed in 0..500 {
        let mut random = Random(30_000 + seed);
        let mut ground = random.terrain_of(8, 64);
        let mut parcels = random.parcels(&ground);
        let first = settled(&mut ground.clone(), &parcels);
        let mut same = |parcels: &[(usize, f64)]| {
            let again = settled(&mut ground, parcels);
            ground.pool.fill(0);
            assert_eq!(first.len(), again.len(), "seed {seed}");
            for ((number, a), (_, b)) in first.iter().zip(again.iter()) {
                assert_eq!(a.cells, b.cells, "seed {seed} pool {number}");
                assert_eq!(a.outlet, b.outlet, "seed {seed} pool {number}");
                let apart = (a.level_m - b.level_m).abs();
                assert!(apart < 1e-9, "seed {seed} pool {number}: {apart} apart");
            }
        };
        parcels.reverse();
        same(&parcels);
        for place in (1..parcels.len()).rev() {
            parcels.swap(place, random.below(place + 1));
        }
        same(&parcels);
    }
}
