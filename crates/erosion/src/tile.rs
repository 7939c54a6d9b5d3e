//! One tile's share of a phase.

use crate::bed;
use crate::cell::{APRON, SEA};
use crate::droplet::Droplet;
use crate::kernel::{self, End, Step, Tally};
use crate::lanes::Lanes;
use crate::physics::Physics;
use crate::window::{Buffer, HERE};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Full pools that a droplet may pass in its life. Two that spill into each other, to be merged by the next
/// reconciliation, would pass it to and fro for ever.
const MAX_SPILLS: u32 = 1000;

/// Steps of all lanes after which a tile asks whether to stop: well under a tenth of a second.
const STEPS_BETWEEN_LOOKS: u32 = 1 << 15;

/// What droplets must know of a pool during a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gate {
    pub way: Way,
    /// Sediment, µm over one cell, that one tile's droplets may leave in passing, in one phase.
    pub room_um: i64,
}

/// Where a droplet that enters a pool goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Way {
    /// The pool has room: it takes the droplet.
    In,
    /// It is full: droplets go on from this cell, `[row, col]`.
    Through([i32; 2]),
    /// It is full and its outlet lies on an open edge.
    Off,
}

/// A droplet's end where something is left to account for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Deposit {
    /// Cell of the map.
    pub cell: [i32; 2],
    /// Volume left there.
    pub water: f32,
    /// Load left there, µm over one cell.
    pub load_um: i32,
    /// The pool that takes both; 0 on dry ground.
    pub pool: u32,
}

/// What a tile has to say after its share of a phase.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Where the ground has changed; see [`Buffer::store`].
    pub changed: Vec<[usize; 2]>,
    /// Droplets that go on elsewhere, or later.
    pub outgoing: Vec<Droplet>,
    /// Water and load given to pools, or left standing in pits and on still ground.
    pub deposits: Vec<Deposit>,
    /// Load that waits for room, by cell: dry ends, and what the sea has to settle.
    pub waiting: Vec<Deposit>,
    pub tally: Tally,
    /// Volumes; a new droplet has 1.
    pub evaporated: f64,
    pub exported: f64,
    pub to_sea: f64,
    pub infiltrated: f64,
    pub exported_um: i64,
}

/// A tile's work in one phase.
pub(crate) struct Run<'a> {
    pub buffer: &'a mut Buffer,
    pub physics: &'a Physics,
    /// By pool number − 1.
    pub gates: &'a [Gate],
    pub lanes: usize,
    /// Whether the last few droplets wait for the next cycle.
    pub leave_stragglers: bool,
    /// Whether the whole stage is to stop; what a tile leaves behind then does not matter.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Room left for sediment, by pool; see [`Gate`].
    pub room_um: HashMap<u32, i64>,
}

impl Run<'_> {
    /// Runs a queue of droplets, in its order, until it is empty or only stragglers are left.
    pub(crate) fn run(mut self, queue: Vec<Droplet>) -> Outcome {
        // A tile with fewer droplets than lanes would never get rid of its stragglers.
        let fewest = if self.leave_stragglers && queue.len() >= self.lanes {
            self.lanes.div_ceil(2)
        } else {
            1
        };
        let mut queue = queue.into_iter();
        let mut lanes = Lanes::new();
        let mut outcome = Outcome::default();
        while lanes.live < self.lanes {
            let lane = lanes.live;
            if !self.refill(&mut lanes, lane, &mut queue, &mut outcome) {
                break;
            }
            lanes.live += 1;
        }
        let mut step = Step::new();
        let mut steps = 0u32;
        while lanes.live >= fewest || (lanes.live > 0 && queue.len() > 0) {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS_BETWEEN_LOOKS) && (self.cancelled)() {
                break;
            }
            if kernel::step(
                self.buffer,
                &mut lanes,
                self.physics,
                &mut outcome.tally,
                &mut step,
            ) {
                for lane in (0..lanes.live).rev() {
                    let stays = step.end[lane] == End::Alive
                        || self.settle(&mut lanes, lane, step.end[lane], &mut outcome)
                        || self.refill(&mut lanes, lane, &mut queue, &mut outcome);
                    if !stays {
                        lanes.close(lane);
                    }
                }
            }
        }
        for lane in 0..lanes.live {
            self.hand_over(
                &lanes,
                lane,
                self.buffer.place(lanes.at[lane] as usize),
                &mut outcome,
            );
        }
        outcome
    }

    /// Puts the next droplet that does not end on arrival into a lane.
    fn refill(
        &mut self,
        lanes: &mut Lanes,
        lane: usize,
        queue: &mut std::vec::IntoIter<Droplet>,
        outcome: &mut Outcome,
    ) -> bool {
        for droplet in queue.by_ref() {
            // A tile's queue holds what its core owns, which is part of its window.
            let at = self.buffer.find([droplet.row, droplet.col]).unwrap_or(0);
            lanes.put(lane, &droplet, at as u32);
            let goes_on = match self.arrive(lanes, lane) {
                End::Alive => true,
                end => self.settle(lanes, lane, end, outcome),
            };
            if goes_on {
                return true;
            }
        }
        false
    }

    /// Counts a droplet where it was set down, and says what it meets there.
    fn arrive(&mut self, lanes: &mut Lanes, lane: usize) -> End {
        let cell = &mut self.buffer.traffic[lanes.at[lane] as usize];
        if std::mem::take(&mut lanes.identity[lane].unseen) {
            cell.visits += 1;
            cell.water += lanes.water[lane];
        }
        if cell.pool != 0 {
            End::Pool
        } else if cell.flags & SEA != 0 {
            End::Sea
        } else {
            End::Alive
        }
    }

    /// Books what a droplet leaves where its step ended. `true` when it goes on in its lane.
    fn settle(&mut self, lanes: &mut Lanes, lane: usize, end: End, outcome: &mut Outcome) -> bool {
        match end {
            End::Alive => return true,
            End::Left => self.hand_over(
                lanes,
                lane,
                self.buffer.place(lanes.at[lane] as usize),
                outcome,
            ),
            End::Pool => return self.enter_pool(lanes, lane, outcome),
            End::Exported => {
                self.book_evaporation(lanes, lane, outcome);
                outcome.exported += f64::from(lanes.water[lane]);
                outcome.exported_um += i64::from(lanes.load_um[lane]);
            }
            End::Sea => {
                self.book_evaporation(lanes, lane, outcome);
                outcome.to_sea += f64::from(lanes.water[lane]);
                let deposit = self.deposit(lanes, lane, 0);
                outcome.waiting.push(deposit);
            }
            End::Rest | End::Pit if self.physics.pools && !self.on_apron(lanes, lane) => {
                self.book_evaporation(lanes, lane, outcome);
                self.lay_down_load(lanes, lane, outcome);
                let deposit = Deposit {
                    load_um: 0,
                    ..self.deposit(lanes, lane, 0)
                };
                outcome.deposits.push(deposit);
            }
            End::Rest | End::Pit | End::Spent => self.end_on_dry_ground(lanes, lane, outcome),
        }
        false
    }

    /// A pool with room takes the droplet; from a full one it goes on below the sill, at once where that lies
    /// in this window. One that runs back into the pool that it comes from stays: the outlet is blocked until the next
    /// reconciliation. Full pools that spill into one another are passed in turn, up to the limit; then the
    /// droplet goes on in the next cycle.
    fn enter_pool(&mut self, lanes: &mut Lanes, lane: usize, outcome: &mut Outcome) -> bool {
        loop {
            let pool = self.buffer.traffic[lanes.at[lane] as usize].pool;
            let gate = self.gates[pool as usize - 1];
            let lost = lanes.identity[lane].spills >= MAX_SPILLS;
            let back = lanes.identity[lane].passed == pool;
            if gate.way == Way::In || lost || back {
                outcome.tally.limits.spills += u64::from(lost);
                self.book_evaporation(lanes, lane, outcome);
                let deposit = self.deposit(lanes, lane, pool);
                outcome.deposits.push(deposit);
                return false;
            }
            self.leave_load(lanes, lane, pool, outcome);
            lanes.identity[lane].spills += 1;
            lanes.identity[lane].passed = pool;
            let Way::Through(receiver) = gate.way else {
                return self.settle(lanes, lane, End::Exported, outcome);
            };
            let here = self.buffer.find(receiver);
            let here = here.filter(|&index| self.buffer.is_free(index));
            let waits = lanes.identity[lane]
                .spills
                .is_multiple_of(self.physics.max_spills.max(1));
            self.set_down(lanes, lane, here.unwrap_or(0));
            if waits || here.is_none() {
                self.hand_over(lanes, lane, receiver, outcome);
                return false;
            }
            match self.arrive(lanes, lane) {
                End::Pool => {}
                end => return self.settle(lanes, lane, end, outcome),
            }
        }
    }

    /// A droplet that passes through a full pool leaves the method's share of its load there, as far as the
    /// pool has room for it.
    fn leave_load(&mut self, lanes: &mut Lanes, lane: usize, pool: u32, outcome: &mut Outcome) {
        let room = self
            .room_um
            .entry(pool)
            .or_insert(self.gates[pool as usize - 1].room_um);
        // In f64: an f32 rounds loads above 17 m, and up as well as down.
        let share = f64::from(lanes.load_um[lane]) * f64::from(self.physics.sediment_left);
        let trapped = (share as i32).min((*room).clamp(0, i64::from(i32::MAX)) as i32);
        if trapped == 0 {
            return;
        }
        *room -= i64::from(trapped);
        lanes.load_um[lane] -= trapped;
        let left = Deposit {
            water: 0.0,
            load_um: trapped,
            ..self.deposit(lanes, lane, pool)
        };
        outcome.deposits.push(left);
    }

    /// Sets a droplet down at rest in the middle of a cell, which has yet to count it.
    fn set_down(&self, lanes: &mut Lanes, lane: usize, index: usize) {
        lanes.at[lane] = index as u32;
        lanes.behind[lane] = HERE;
        lanes.south[lane] = 0.5;
        lanes.east[lane] = 0.5;
        lanes.v_south[lane] = 0.0;
        lanes.v_east[lane] = 0.0;
        lanes.trail[lane] = 0;
        lanes.identity[lane].unseen = true;
    }

    /// Standing water does not reach into the apron.
    fn on_apron(&self, lanes: &Lanes, lane: usize) -> bool {
        self.buffer.is(lanes.at[lane] as usize, APRON)
    }

    /// Lets a droplet go on from a cell of the map, `[row, col]`, in another tile or later.
    fn hand_over(&self, lanes: &Lanes, lane: usize, at: [i32; 2], outcome: &mut Outcome) {
        self.book_evaporation(lanes, lane, outcome);
        outcome.outgoing.push(lanes.take(lane, at));
    }

    fn end_on_dry_ground(&mut self, lanes: &Lanes, lane: usize, outcome: &mut Outcome) {
        self.book_evaporation(lanes, lane, outcome);
        outcome.infiltrated += f64::from(lanes.water[lane]);
        self.lay_down_load(lanes, lane, outcome);
    }

    /// Lays an ended droplet's load down along its last cells; what finds no room waits.
    fn lay_down_load(&mut self, lanes: &Lanes, lane: usize, outcome: &mut Outcome) {
        let at = lanes.at[lane] as usize;
        let load = lanes.load_um[lane];
        // A droplet may be spent on its first cell outside of the free ones.
        let rest = if self.buffer.is_free(at) {
            bed::lay_down(
                self.buffer,
                at,
                lanes.trail[lane],
                load,
                self.physics.bank_height,
            )
        } else {
            load
        };
        if rest > 0 {
            let deposit = Deposit {
                load_um: rest,
                ..self.deposit(lanes, lane, 0)
            };
            outcome.waiting.push(deposit);
        }
    }

    /// What has gone since the droplet entered the tile has evaporated.
    fn book_evaporation(&self, lanes: &Lanes, lane: usize, outcome: &mut Outcome) {
        let entered = f64::from(lanes.identity[lane].entered_with);
        outcome.evaporated += entered - f64::from(lanes.water[lane]);
    }

    fn deposit(&self, lanes: &Lanes, lane: usize, pool: u32) -> Deposit {
        Deposit {
            cell: self.buffer.place(lanes.at[lane] as usize),
            water: lanes.water[lane],
            load_um: lanes.load_um[lane],
            pool,
        }
    }
}
