//! Turns the bodies of water back into numbered pools.

use super::breach::CUT_M;
use super::hypsometry;
use super::kept::{Kept, holds_without};
use super::lose::Stand;
use super::measure::ground;
use super::release::{Leaving, let_go};
use super::work::{Body, Spill, Work};
use super::{Balance, Bed, Kind, Outflow, Outlet, Pool, Release};
use crate::height::At;
use rayon::prelude::*;

/// Depth, m, below which a full pool is a film that sediment left.
const FILM_M: f64 = 2e-6;

/// What a reconciliation leaves.
pub(super) struct Closing {
    pub(super) pools: Vec<Pool>,
    pub(super) kept: Vec<Option<Kept>>,
    pub(super) balances: Vec<Balance>,
    pub(super) damp: Vec<(usize, f64)>,
    pub(super) dried: Vec<(usize, Balance)>,
    pub(super) outflow: Outflow,
}

/// A body that has become a pool, before it has its number.
struct Closed {
    /// Its lowest cell, or where it was.
    first: usize,
    pool: Pool,
    /// Its deepest cell, if it has dried up.
    deepest: usize,
    /// What it lost to the air and the ground, m × cells.
    lost_m: f64,
    leaving: Option<Leaving>,
    kept: Kept,
    balance: Balance,
    /// The pool's number in the field as far as that is right, without the `wet`; 0 where it is not.
    number: u32,
    /// Cells that it got.
    wet: Vec<usize>,
    /// Cells that it lost.
    dry: Vec<usize>,
    /// Whether it is what it was, cell by cell.
    same: bool,
}

impl<B: Bed> Work<'_, B> {
    /// Held water whose body was poured out whole, since the ground beyond its sill lies below its bottom, stays with the
    /// body that has come together at the lowest of its cells.
    pub(super) fn adopt(&mut self, settle: bool) {
        for (held, mut cut) in std::mem::take(&mut self.orphans) {
            let height = |cell: &usize| At {
                height: self.ground(*cell),
                cell: *cell,
            };
            let Some(lowest) = cut.iter().copied().min_by_key(height) else {
                continue;
            };
            if let Some(body) = self.owner(lowest) {
                self.wake(body);
                self.bodies[body].held += held;
                self.bodies[body].balance.received_m += held;
                self.bodies[body].cut.append(&mut cut);
            } else {
                let end = self.follow(lowest);
                let body = self.deliver(held, end);
                self.level_all(body.into_iter().collect(), settle);
            }
        }
    }

    /// Water that was held back above a cut sill goes back to bodies that are not full after all.
    pub(super) fn release_held(&mut self, settle: bool) {
        loop {
            let mut todo = Vec::new();
            for body in self.alive() {
                let lake = &mut self.bodies[body];
                if lake.held > 0.0 && lake.spill.is_none() {
                    lake.water += std::mem::take(&mut lake.held);
                    lake.cut.clear();
                    todo.push(body);
                }
            }
            if todo.is_empty() {
                return;
            }
            self.level_all(todo, settle);
        }
    }

    /// Closes all bodies: levels, wet cells, excess, numbers by lowest cell.
    ///
    /// With `watch` it also finds out which blocks each pool lies in.
    pub(super) fn close(mut self, release: Release, watch: bool) -> Closing {
        for body in self.alive() {
            if self.parent[body] == body && self.bodies[body].held > 0.0 {
                self.flood_again(body);
            }
        }
        let mut closed = self.close_all();
        closed.par_sort_unstable_by_key(|lake| lake.first);
        let mut outflow = Outflow {
            exported_m: self.exported_m,
            to_sea_m: self.to_sea_m,
            ..Outflow::default()
        };
        for lake in &mut closed {
            outflow.lose(lake.lost_m, self.losses);
            let leaving = lake.leaving;
            lake.pool.surplus_m = leaving.map_or(0.0, |at| let_go(at, release, &mut outflow));
            let water = lake.pool.volume_m + lake.pool.surplus_m;
            lake.dry.iter().for_each(|&cell| self.bed.set_pool(cell, 0));
            if lake.pool.cells.is_empty() {
                self.dried.push((lake.deepest, lake.balance));
                if water > 0.0 {
                    self.damp.push((lake.first, water));
                }
            }
        }
        closed.retain(|lake| !lake.pool.cells.is_empty());
        self.number(&closed);
        self.remember(&mut closed, watch);
        let mut closing = Closing {
            pools: Vec::with_capacity(closed.len()),
            kept: Vec::with_capacity(closed.len()),
            balances: Vec::with_capacity(closed.len()),
            damp: self.damp,
            dried: self.dried,
            outflow,
        };
        for lake in closed {
            closing.pools.push(lake.pool);
            closing.kept.push(Some(lake.kept));
            closing.balances.push(lake.balance);
        }
        closing
    }

    /// Makes pools of all bodies, side by side.
    fn close_all(&mut self) -> Vec<Closed> {
        for body in 0..self.parent.len() {
            self.parent[body] = self.find(body);
        }
        let bodies = std::mem::take(&mut self.bodies);
        let work = &*self;
        let alive = |body: &Body| body.beds.cells() > 0;
        let bodies = bodies.into_par_iter().enumerate();
        let closed = bodies.filter(|(_, body)| alive(body));
        closed
            .map(|(index, body)| work.close_body(index, body))
            .collect()
    }

    /// Writes the pools' numbers into the field.
    fn number(&mut self, closed: &[Closed]) {
        for (number, lake) in (1..).zip(closed) {
            let cells = if lake.number == number {
                &lake.wet
            } else {
                &lake.pool.cells
            };
            for &cell in cells {
                self.bed.set_pool(cell, number);
            }
        }
    }

    /// Finds out what is worth keeping of each pool.
    fn remember(&self, closed: &mut [Closed], watch: bool) {
        let bed = &*self.bed;
        closed.par_iter_mut().enumerate().for_each(|(index, lake)| {
            let number = index as u32 + 1;
            if !lake.same {
                let mut among = std::mem::take(&mut lake.kept.shore);
                among.append(&mut lake.wet);
                among.sort_unstable();
                among.dedup();
                lake.kept.find_shore(bed, number, &among);
                lake.kept.blocks.clear();
            }
            if watch && lake.kept.blocks.is_empty() {
                lake.kept.find_blocks(self.shape, &lake.pool.cells);
            }
        });
    }

    /// Raises a body whose sill was cut by the water that it holds back, over the cells where that stood and
    /// those that the body has now, with whatever else stands on them.
    fn flood_again(&mut self, body: usize) {
        let mut going = self.bodies[body].excess();
        let mut sills = vec![(self.bodies[body].level, self.bodies[body].spill)];
        let mut cut = std::mem::take(&mut self.bodies[body].cut);
        while let Some(cell) = cut.pop() {
            match self.owner(cell) {
                None => self.take_cell(body, cell),
                Some(other) if other != body => {
                    sills.push((self.bodies[other].level, self.bodies[other].spill));
                    going += self.absorb(body, other);
                    cut.append(&mut self.bodies[body].cut);
                }
                Some(_) => {}
            }
        }
        // It leaves over the lowest of the sills from which the way leads out of its own water.
        let leads_out =
            |(level, spill): (f64, Option<Spill>)| Some((level, self.beyond(body, spill?)?));
        let ways = sills.into_iter().filter_map(leads_out);
        let lowest = ways.min_by(|a, b| a.0.total_cmp(&b.0));
        let lake = &mut self.bodies[body];
        lake.water += std::mem::take(&mut lake.held);
        lake.going = Some(going);
        if let Some((level, spill)) = lowest {
            (lake.level, lake.spill) = (level, Some(spill));
        }
    }

    /// A spill taken on down its path to where it leaves the body; none if it stays.
    fn beyond(&self, body: usize, mut spill: Spill) -> Option<Spill> {
        while self.root(spill.to) == Some(body) {
            let to = self.descent(spill.to)?;
            spill = Spill { sill: spill.to, to };
        }
        Some(spill)
    }

    /// Puts another body's cells and water under a body's surface; returns what spilled over its own sill.
    fn absorb(&mut self, body: usize, other: usize) -> f64 {
        let mut given = self.give(other, body);
        let full = given.spill.is_some();
        let going = given
            .going
            .unwrap_or(if full { given.excess() } else { 0.0 });
        let lake = &mut self.bodies[body];
        lake.fresh.append(&mut given.cells);
        lake.fresh.append(&mut given.fresh);
        lake.cut.append(&mut given.cut);
        lake.beds = lake.beds.with(given.beds);
        lake.water += given.water;
        lake.held += given.held;
        lake.balance.add(given.balance);
        lake.old |= given.old;
        going
    }

    /// The pool that a body has become; its dry cells are let go.
    fn close_body(&self, index: usize, body: Body) -> Closed {
        let sill_m = body.level;
        let spill = body.spill;
        let stands = self.rest(&body);
        let going = body.water - stands.volume_m;
        let (left, lost_m) = self.lose(&body, stands);
        let (level_m, volume_m) = (left.level_m, left.volume_m);
        let flooded = body.going.is_some();
        // A pool that has silted up to its sill but for the rounding of sediment to micrometres is none.
        // Losses can leave the water of a full body below its sill.
        let full = spill.is_some() && (lost_m <= 0.0 || level_m >= sill_m);
        let film = full && self.is_film(&body, level_m, volume_m);
        let is_wet = |cell: &usize| !film && self.bed.elevation_m(*cell) < level_m;
        let first = body.all_cells().min().unwrap_or(0);
        let height = |cell: &usize| At {
            height: self.ground(*cell),
            cell: *cell,
        };
        let deepest = body.all_cells().min_by_key(height).unwrap_or(first);
        let fell = film || flooded || level_m < sill_m;
        let Body {
            mut cells,
            fresh,
            number,
            mut kept,
            beds,
            mut balance,
            ..
        } = body;
        balance.lose(lost_m, self.losses);
        let mut dry = Vec::new();
        if fell {
            dry.extend(cells.iter().copied().filter(|cell| !is_wet(cell)));
            if !dry.is_empty() {
                cells.retain(is_wet);
            }
        }
        let lost = !dry.is_empty();
        let (mut wet, brim): (Vec<usize>, Vec<usize>) = fresh.into_iter().partition(is_wet);
        dry.extend(&brim);
        let same = number != 0 && !lost && wet.is_empty() && kept.brim == brim;
        if !same {
            let own = |cell: usize| is_wet(&cell) && self.root(cell) == Some(index);
            kept.connected = !lost && !flooded && holds_without(self.bed, &brim, own);
            kept.brim = brim;
        }
        add(&mut cells, &mut wet);
        if lost {
            kept.shore.clone_from(&cells);
        }
        // Below its brim the water may be parted, or touch what it did not: the next time looks.
        kept.connected &= lost_m <= 0.0;
        kept.beds = beds;
        dry.iter()
            .for_each(|&cell| kept.beds.remove(self.bed.elevation_m(cell)));
        kept.spill = spill.filter(|_| full);
        let pool = Pool {
            level_m,
            volume_m,
            surplus_m: 0.0,
            outlet: spill
                .filter(|_| full)
                .map(|spill| self.outlet(spill, sill_m)),
            full,
            draining: full && level_m > sill_m + CUT_M,
            cells,
        };
        Closed {
            first: pool.cells.first().copied().unwrap_or(first),
            leaving: spill.map(|spill| Leaving {
                kind: self.kind(spill.to),
                cell: spill.to,
                excess: going,
            }),
            pool,
            deepest,
            lost_m,
            kept,
            balance,
            number,
            wet,
            dry,
            same,
        }
    }

    /// A body's water, without what leaves and with what it is going to lose.
    fn rest(&self, lake: &Body) -> Stand {
        let heights = || lake.all_cells().map(|cell| self.bed.elevation_m(cell));
        if let Some(going) = lake.going {
            let volume_m = lake.water - going;
            return Stand {
                level_m: hypsometry::level(volume_m, heights()),
                volume_m,
            };
        }
        if lake.spill.is_some() {
            return Stand {
                level_m: lake.level,
                volume_m: lake.water.min(lake.most()),
            };
        }
        let level_m = if lake.beds.agree(lake.level, lake.water) {
            lake.level
        } else if lake.water >= lake.capacity() {
            lake.beds.level(lake.water)
        } else {
            hypsometry::level(lake.water, heights())
        };
        Stand {
            level_m,
            volume_m: lake.water,
        }
    }

    /// Whether no cell of a body is under more water than a film.
    fn is_film(&self, lake: &Body, level_m: f64, volume_m: f64) -> bool {
        let shallow = |cell| level_m - ground(self.bed, cell) < FILM_M;
        volume_m < FILM_M * lake.beds.cells() as f64 && lake.all_cells().all(shallow)
    }

    /// What the pool tells of its spill.
    fn outlet(&self, spill: Spill, sill_m: f64) -> Outlet {
        let leaves = matches!(self.kind(spill.to), Kind::Drain | Kind::Void);
        let receiver = if leaves { spill.sill } else { spill.to };
        Outlet {
            sill: spill.sill,
            receiver,
            sill_m,
        }
    }
}

/// Adds cells to others; both ascend afterwards.
fn add(cells: &mut Vec<usize>, more: &mut [usize]) {
    if !more.is_empty() {
        more.sort_unstable();
        cells.extend_from_slice(more);
        // Two sorted runs: the stable sort finds and merges them.
        cells.sort();
    }
}
