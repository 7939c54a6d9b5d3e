//! A tile's share of a phase.

use super::accounts::{Left, Outcome};
use super::constants::MAX_SPILLS;
use super::exchange::lay_down;
use super::{Constants, Droplet, End, Land, Place, Real, apply, plan};
use std::collections::{BTreeMap, VecDeque};
use thalweg_flow::Pools;

/// Share of a full pool's volume that one tile's droplets may fill with sediment in a phase.
const SEDIMENT_SHARE: f64 = 0.25;

/// Where a tile's droplets may be: first and end of rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub rows: [i32; 2],
    pub cols: [i32; 2],
}

impl Bounds {
    pub(crate) const fn contain(&self, [row, col]: Place) -> bool {
        self.rows[0] <= row && row < self.rows[1] && self.cols[0] <= col && col < self.cols[1]
    }
}

/// A tile at work.
pub(crate) struct Work<'a, R> {
    pub land: &'a mut Land<R>,
    pub constants: &'a Constants<R>,
    pub pools: Option<&'a Pools>,
    pub bounds: Bounds,
    pub queue: VecDeque<Droplet<R>>,
    /// Room left for sediment, by pool, µm over one cell.
    pub room_um: BTreeMap<u32, i64>,
    pub outcome: Outcome<R>,
}

impl<R: Real> Work<'_, R> {
    /// Runs the queue in `width` lanes until only stragglers are left.
    pub(crate) fn run(mut self, width: usize, leave_stragglers: bool) -> Outcome<R> {
        let fewest = match leave_stragglers && self.queue.len() >= width {
            true => width.div_ceil(2),
            false => 1,
        };
        let mut lanes = Vec::new();
        while lanes.len() < width {
            match self.next() {
                Some(droplet) => lanes.push(droplet),
                None => break,
            }
        }
        while !lanes.is_empty() && (lanes.len() >= fewest || !self.queue.is_empty()) {
            let ends = self.step(&mut lanes);
            for (lane, end) in ends.into_iter().enumerate().rev() {
                if end == End::Alive || self.settle(&mut lanes[lane], end) {
                    continue;
                }
                match self.next() {
                    Some(droplet) => lanes[lane] = droplet,
                    None => drop(lanes.swap_remove(lane)),
                }
            }
        }
        for droplet in &lanes {
            self.hand_over(droplet);
        }
        self.outcome
    }

    /// All lanes look, then all write.
    fn step(&mut self, lanes: &mut [Droplet<R>]) -> Vec<End> {
        let mut plans = Vec::new();
        for droplet in &mut *lanes {
            plans.push(plan(self.land, self.constants, &self.bounds, droplet));
        }
        let mut ends = Vec::new();
        for (droplet, plan) in lanes.iter_mut().zip(&plans) {
            let counts = &mut self.outcome.counts;
            ends.push(apply(
                self.land,
                self.constants,
                &self.bounds,
                droplet,
                plan,
                counts,
            ));
        }
        ends
    }

    /// The next of the queue that does not end where it arrives.
    fn next(&mut self) -> Option<Droplet<R>> {
        while let Some(mut droplet) = self.queue.pop_front() {
            droplet.entered_with = droplet.water;
            let end = self.arrive(&mut droplet);
            if self.settle(&mut droplet, end) {
                return Some(droplet);
            }
        }
        None
    }

    /// The cell where a droplet was set down counts it, once.
    fn arrive(&mut self, droplet: &mut Droplet<R>) -> End {
        let cell = self.land.cell_mut(droplet.at);
        if droplet.unseen {
            cell.visits += 1;
            cell.water += droplet.water;
            droplet.unseen = false;
        }
        match cell {
            cell if cell.pool != 0 => End::Pool,
            cell if cell.sea => End::Sea,
            _ => End::Alive,
        }
    }

    /// Books an end. `true` where the droplet goes on all the same.
    fn settle(&mut self, droplet: &mut Droplet<R>, end: End) -> bool {
        match end {
            End::Alive => return true,
            End::Left => self.hand_over(droplet),
            End::Pool => return self.enter_pool(droplet),
            End::Exported => {
                self.book_evaporation(droplet);
                self.outcome.exported += droplet.water.wide();
                self.outcome.exported_um += i64::from(droplet.load_um);
            }
            End::Sea => {
                self.book_evaporation(droplet);
                self.outcome.to_sea += droplet.water.wide();
                self.wait(droplet);
            }
            End::Rest | End::Pit | End::Spent => self.end_on_land(droplet, end),
        }
        false
    }

    /// The load goes down along the trail. Water that came to rest stands where pools may be, else it seeps away.
    fn end_on_land(&mut self, droplet: &mut Droplet<R>, end: End) {
        self.book_evaporation(droplet);
        let apron = self.land.cell(droplet.at).apron;
        let stands = self.constants.pools && end != End::Spent && !apron;
        if !stands {
            self.outcome.infiltrated += droplet.water.wide();
        }
        lay_down(self.land, self.constants, &self.bounds, droplet);
        if droplet.load_um > 0 {
            self.wait(droplet);
        }
        if stands {
            let water = droplet.water;
            self.leave(droplet, water, 0, 0);
        }
    }

    /// A pool with room takes a droplet, and one that has just left it; over full ones it goes on below their sills, up to a limit of them in a
    /// cycle.
    fn enter_pool(&mut self, droplet: &mut Droplet<R>) -> bool {
        loop {
            let number = self.land.cell(droplet.at).pool;
            let pool = self.pools.expect("a pool on the map").get(number);
            let lost = droplet.spills >= MAX_SPILLS;
            let back = droplet.passed == number;
            let outlet = match pool.outlet {
                Some(outlet) if pool.full && !lost && !back => outlet,
                _ => {
                    self.outcome.counts.limits.spills += u64::from(lost);
                    self.book_evaporation(droplet);
                    self.leave(droplet, droplet.water, droplet.load_um, number);
                    return false;
                }
            };
            self.leave_load(droplet, number);
            droplet.spills += 1;
            droplet.passed = number;
            if outlet.leaves_map() {
                return self.settle(droplet, End::Exported);
            }
            self.put_down(droplet, outlet.receiver);
            if droplet.spills.is_multiple_of(self.constants.spills)
                || !self.bounds.contain(droplet.at)
            {
                self.hand_over(droplet);
                return false;
            }
            match self.arrive(droplet) {
                End::Pool => {}
                end => return self.settle(droplet, end),
            }
        }
    }

    /// The share of a load that stays in a full pool, as far as there is room.
    fn leave_load(&mut self, droplet: &mut Droplet<R>, number: u32) {
        let volume_m = self.pools.map_or(0.0, |pools| pools.get(number).volume_m);
        let room = (self.room_um.entry(number)).or_insert((volume_m * SEDIMENT_SHARE * 1e6) as i64);
        let share = f64::from(droplet.load_um) * self.constants.left_in_pool.wide();
        let left = (share as i64).min((*room).max(0)) as i32;
        if left != 0 {
            *room -= i64::from(left);
            droplet.load_um -= left;
            self.leave(droplet, R::zero(), left, number);
        }
    }

    /// At rest in the middle of a cell.
    fn put_down(&self, droplet: &mut Droplet<R>, cell: usize) {
        droplet.at = self.land.place(cell);
        (droplet.south, droplet.east) = (R::of(0.5), R::of(0.5));
        (droplet.v_south, droplet.v_east) = (R::zero(), R::zero());
        droplet.trail.clear();
        droplet.unseen = true;
    }

    fn hand_over(&mut self, droplet: &Droplet<R>) {
        self.book_evaporation(droplet);
        self.outcome.outgoing.push(droplet.clone());
    }

    fn book_evaporation(&mut self, droplet: &Droplet<R>) {
        self.outcome.evaporated += droplet.entered_with.wide() - droplet.water.wide();
    }

    fn wait(&mut self, droplet: &Droplet<R>) {
        let cell = self.land.index(droplet.at);
        self.outcome
            .waiting
            .push((cell, i64::from(droplet.load_um)));
    }

    fn leave(&mut self, droplet: &Droplet<R>, water: R, load_um: i32, pool: u32) {
        self.outcome.left.push(Left {
            cell: self.land.index(droplet.at),
            water: water.wide(),
            load_um: i64::from(load_um),
            pool,
        });
    }
}
