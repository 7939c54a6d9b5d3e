//! A stage from its first cycle to its last.

use crate::accounts::Accounts;
use crate::cell::{Ground, SEA, VOID};
use crate::droplet::{Droplet, FIRST_SPRING};
use crate::phases::{self, Schedule, Shared};
use crate::physics::Physics;
use crate::relief::relieve_spikes;
use crate::stream::{self, Learning};
use crate::tile::{Gate, Way};
use crate::vegetation::Plants;
use crate::watch::Moment;
use crate::{ErosionError, Parameters, Report};
use rand_core::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thalweg_flow::{Losses, Outlet, Pool, Pools, Release, Relief, Repose, Since, Touched};
use thalweg_grid::{Map, Observer, Progress, Purpose, Shape, StageKey};

/// Cycles at a stage's end in which pools may send droplets on; after them what is left settles at once.
const MAX_SPRING_ROUNDS: u32 = 12;

/// Rounds of settling at the very end.
const MAX_CLOSING_ROUNDS: u32 = 16;

/// Cycles without rain between two reconciliations: enough of them for rows of lakes as there are.
const MIN_DRAIN_CYCLES: u32 = 4;
const MAX_DRAIN_CYCLES: u32 = 32;

/// The least volume that a pool sends on as one droplet; less waits at the outlet. What a droplet erodes hardly
/// depends on its volume, so that many small ones would cut outlets far deeper than the same water in few.
const SMALLEST_SPRING: f64 = 0.5;

/// Share of a full pool's volume that the droplets of one tile may fill with sediment in one phase. A pool has
/// its say in few tiles and cycles before the next reconciliation: a quarter seldom overfills it. What finds no
/// room stays with the droplets, as the trap efficiency of a reservoir falls with its size (Brune 1953,
/// doi:10.1029/TR034i003p00407).
const SEDIMENT_SHARE: f64 = 0.25;

/// Basins shallower than this, m, may be dry and are not told of.
pub(crate) const SHALLOW_M: f64 = 0.01;

/// Water shallower than this everywhere is no pool when a stage ends, m.
const FILM_M: f64 = 0.001;

/// Everything that a stage's next cycle depends on.
pub(crate) struct Engine<'a> {
    pub parameters: &'a Parameters,
    pub key: StageKey,
    pub physics: Physics,
    pub ground: Ground,
    /// Volumes per cycle.
    pub discharge: Vec<f32>,
    pub plants: Option<Plants>,
    pub pools: Option<Pools>,
    pub gates: Vec<Gate>,
    pub accounts: Accounts,
    pub flight: Vec<Droplet>,
    pub tile: usize,
    /// How steep sediment under water lies.
    pub repose: Repose,
    /// Spawned since the last reconciliation.
    pub unreconciled: u64,
    /// Cycles with rain since then.
    pub unreconciled_cycles: u32,
    /// Cycles for which standing water lost to the air and the ground at the last reconciliation.
    pub charged_cycles: u32,
    pub cycle: u32,
    /// How water would rise on what the stage leaves, if that was asked for.
    pub relief: Option<Relief>,
    pub settling: Settling,
    pub report: Report,
}

/// How far a stage has come after its last rain.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Settling {
    /// Reconciliations.
    rounds: u32,
    /// Cycles since the last of them.
    cycles: u32,
}

impl Engine<'_> {
    /// Runs all cycles that were not run yet, then goes on without rain until nothing is in flight. `map` is what the
    /// stage began with.
    pub(crate) fn run(
        &mut self,
        map: &Map,
        observer: &dyn Observer,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<(), ErosionError> {
        let done = self.report.cycles as u32;
        self.tell(observer, done);
        for cycle in done..self.parameters.cycles {
            self.check_cancelled(observer)?;
            self.rain_cycle(cycle, observer);
            watch(&self.moment(map));
            self.tell(observer, cycle + 1);
        }
        self.drain(map, observer, watch)?;
        self.check_cancelled(observer)
    }

    fn moment<'a>(&'a self, map: &'a Map) -> Moment<'a> {
        let cycle = self.cycle - 1;
        Moment {
            map,
            engine: self,
            ground: &self.ground,
            discharge: &self.discharge,
            unit_m3: self.accounts.unit_m * self.cell_size_m().powi(2),
            tiles: self.schedule(cycle).tiles,
            cycle,
        }
    }

    /// Where the tiles of a cycle lie and in which order they work.
    fn schedule(&self, cycle: u32) -> Schedule {
        let halo = self.parameters.tiling.halo_cells;
        Schedule::draw(self.ground.shape, self.tile, halo, self.key, cycle)
    }

    fn tell(&self, observer: &dyn Observer, cycles: u32) {
        observer.progress(Progress {
            done: u64::from(cycles),
            total: u64::from(self.parameters.cycles),
            droplets: self.report.droplets,
        });
    }

    fn check_cancelled(&self, observer: &dyn Observer) -> Result<(), ErosionError> {
        if observer.cancelled() {
            return Err(ErosionError::Cancelled);
        }
        Ok(())
    }

    fn rain_cycle(&mut self, cycle: u32, observer: &dyn Observer) {
        let spawned = self.spawn(cycle);
        let count = spawned.len() as u64;
        self.report.droplets += count;
        self.report.cycles += 1;
        self.accounts.rain += count as f64;
        self.unreconciled += count;
        self.unreconciled_cycles += 1;
        self.flight.extend(spawned);
        self.move_droplets(true, observer);
        let per_cell = self.cycle_share(cycle) as f64 / self.ground.shape.len() as f64;
        if per_cell > 0.0 {
            let kappa = f64::from(self.physics.kappa);
            let learning = Learning::new(self.parameters.learning_rate, kappa, per_cell);
            stream::update(&mut self.ground.cells, &mut self.discharge, Some(&learning));
            if let Some(plants) = &mut self.plants {
                plants.cycle(&mut self.ground, cycle, per_cell);
            }
        }
        if self.reconciliation_is_due() {
            self.reconcile(false);
        }
    }

    /// How many droplets of the stage fall in a cycle, on ground or not: whole numbers that add up.
    fn cycle_share(&self, cycle: u32) -> u64 {
        let all = self.parameters.droplets_per_cell * self.ground.shape.cells() as f64;
        let until = |c: u32| (all * f64::from(c) / f64::from(self.parameters.cycles)) as u64;
        until(cycle + 1) - until(cycle)
    }

    /// New droplets in order. A droplet is the rain on its share of the area: what would fall on no data or on
    /// the sea is not spawned.
    fn spawn(&self, cycle: u32) -> Vec<Droplet> {
        let shape = self.ground.shape;
        (0..self.cycle_share(cycle))
            .into_par_iter()
            .map(|number| {
                let mut draws = self.key.generator(Purpose::Spawn, u64::from(cycle), number);
                let (row, south) = place(draws.next_u64(), shape.rows);
                let (col, east) = place(draws.next_u64(), shape.cols);
                Droplet::at_rest([row, col], [south, east], 1.0, cycle, number)
            })
            .filter(|d| {
                let index = shape.index(d.row as usize, d.col as usize);
                self.ground.cells[index].flags & (VOID | SEA) == 0
            })
            .collect()
    }

    fn move_droplets(&mut self, leave_stragglers: bool, observer: &dyn Observer) {
        let schedule = self.schedule(self.cycle);
        let shared = Shared {
            physics: &self.physics,
            gates: &self.gates,
            lanes: self.parameters.tiling.lanes,
            leave_stragglers,
            cancelled: &|| observer.cancelled(),
        };
        let droplets = std::mem::take(&mut self.flight);
        let done = phases::run(&mut self.ground, &schedule, droplets, &shared);
        self.flight = done.flight;
        self.report.handed_over += done.handed_over;
        for outcome in done.outcomes {
            self.accounts
                .absorb(outcome, &self.ground, &mut self.report);
        }
        self.cycle += 1;
    }

    fn cell_size_m(&self) -> f64 {
        f64::from(self.physics.kappa) * self.parameters.reference_length_m
    }

    fn reconciliation_is_due(&self) -> bool {
        let every = self.parameters.pools.unwrap_or_default().reconcile_every;
        self.unreconciled as f64 >= every * self.ground.shape.cells() as f64
    }

    /// Settles waiting loads and makes the whole map's pools agree; what they send on goes into flight.
    fn reconcile(&mut self, settle: bool) {
        self.unreconciled = 0;
        self.accounts
            .settle_waiting(&mut self.ground, self.parameters.sea_level_m, self.repose);
        let Some(pools) = &mut self.pools else {
            return;
        };
        // Droplets without water cannot take any along.
        let release = if settle || self.accounts.unit_m <= 0.0 {
            Release::Settle
        } else {
            Release::Springs {
                unit_m: self.accounts.unit_m,
                minimum: SMALLEST_SPRING,
            }
        };
        let inflow = self.accounts.take_inflow(pools.len());
        let rule = self.parameters.pools.unwrap_or_default();
        // After the last rain no time passes, but water that comes to stand only then has been under way for as long as
        // other water has stood.
        let cycles = std::mem::take(&mut self.unreconciled_cycles);
        if cycles > 0 {
            self.charged_cycles = cycles;
        }
        let losses = Losses {
            cycles: self.charged_cycles,
            evaporation_m: rule.lake_evaporation_m,
            seepage_m: rule.seepage_m,
            new_only: cycles == 0,
        };
        let touched = std::mem::take(&mut self.ground.touched);
        let since = Since { losses, touched };
        let outflow = pools.reconcile_since(&mut self.ground, inflow, release, since);
        // What the reconciliation itself laid down it has seen.
        self.ground.touched = Touched::none(self.ground.shape);
        for (cell, load) in pools.take_stranded(&self.ground) {
            self.accounts.wait(cell, load);
        }
        self.accounts.pool_exported_m += outflow.exported_m;
        self.accounts.pool_to_sea_m += outflow.to_sea_m;
        self.accounts.pool_evaporated_m += outflow.evaporated_m;
        self.accounts.pool_seeped_m += outflow.seeped_m;
        self.open_gates();
        // Pools have new numbers.
        self.flight.iter_mut().for_each(|d| d.passed = 0);
        let shape = self.ground.shape;
        for spring in outflow.springs {
            let number = FIRST_SPRING + self.report.spring_droplets;
            self.report.spring_droplets += 1;
            self.flight.push(Droplet::at_rest(
                cell_of(shape, spring.cell),
                [0.5, 0.5],
                spring.volume as f32,
                self.cycle,
                number,
            ));
        }
    }

    /// Tells droplets which pools are full, where they go on from there, and how much sediment may stay.
    pub(crate) fn open_gates(&mut self) {
        let shape = self.ground.shape;
        let gate = |pool: &Pool| Gate {
            way: match pool.outlet {
                Some(outlet) if pool.full => way(outlet, shape),
                _ => Way::In,
            },
            room_um: (pool.volume_m * SEDIMENT_SHARE * 1e6) as i64,
        };
        let pools = self.pools.iter().flat_map(Pools::iter);
        self.gates = pools.map(|(_, pool)| gate(pool)).collect();
    }

    /// Cycles without rain, until no droplet is in flight and pools have nothing to send on.
    fn drain(
        &mut self,
        map: &Map,
        observer: &dyn Observer,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<(), ErosionError> {
        loop {
            while !self.flight.is_empty() && !self.round_is_over() {
                self.check_cancelled(observer)?;
                self.tell(observer, self.parameters.cycles);
                self.move_droplets(false, observer);
                self.report.drain_cycles += 1;
                self.settling.cycles += 1;
                stream::update(&mut self.ground.cells, &mut self.discharge, None);
                watch(&self.moment(map));
            }
            self.reconcile(self.settling.rounds >= MAX_SPRING_ROUNDS);
            if self.flight.is_empty() {
                break;
            }
            self.settling.rounds += 1;
            self.settling.cycles = 0;
        }
        self.close();
        Ok(())
    }

    /// Whether what is in flight needs a reconciliation to get on. Droplets that full pools pass round would wear down the
    /// sills between them, until that makes one pool of them.
    fn round_is_over(&self) -> bool {
        let Settling { rounds, cycles } = self.settling;
        let spills = self.physics.max_spills.max(1);
        let waits = |d: &&Droplet| d.spills > 0 && d.spills.is_multiple_of(spills);
        let stalls = || 8 * self.flight.iter().filter(waits).count() > 7 * self.flight.len();
        let early = cycles >= MIN_DRAIN_CYCLES && rounds < MAX_SPRING_ROUNDS;
        cycles == MAX_DRAIN_CYCLES || (early && stalls())
    }

    /// Settles what still waits, and lets ground and pools agree.
    fn close(&mut self) {
        let cell_size_m = self.cell_size_m();
        // Twice at least: sediment that came with the water of a new pool finds the pool there the second time.
        // Ground that is evened out moves shores, and sediment that settles then can move ground once more.
        for round in 0..MAX_CLOSING_ROUNDS {
            self.reconcile(true);
            let spikes = relieve_spikes(&mut self.ground, cell_size_m);
            self.report.limits.spikes += spikes;
            if round == 0 || spikes > 0 {
                continue;
            }
            if let Some(pools) = &mut self.pools {
                pools.dry_films(&mut self.ground, FILM_M);
            }
            // Loads that wait can find room in what rises, and leave other hollows.
            let last = round + 1 == MAX_CLOSING_ROUNDS;
            if last || !self.fill_hollows() {
                break;
            }
        }
    }

    /// Where standing water loses nothing, what seeped away on slopes comes to light in hollows: those that the last
    /// droplets left behind would be dry otherwise, with rain all around them. Whether there was any; it stands in them
    /// after the next reconciliation.
    fn fill_hollows(&mut self) -> bool {
        let Some(pools) = &self.pools else {
            return false;
        };
        let rule = self.parameters.pools.unwrap_or_default();
        if rule.lake_evaporation_m > 0.0 || rule.seepage_m > 0.0 {
            return false;
        }
        let mut left_m = self.accounts.infiltrated * self.accounts.unit_m;
        let mut rises = false;
        let relief = pools.relief(&self.ground);
        for basin in pools.dry_basins(&self.ground, &relief, SHALLOW_M) {
            if basin.volume_m <= left_m {
                left_m -= basin.volume_m;
                self.accounts.rise(basin.cell, basin.volume_m);
                rises = true;
            }
        }
        // With nothing to rise this is how things stay.
        self.relief = Some(relief).filter(|_| !rises);
        rises
    }
}

fn way(outlet: Outlet, shape: Shape) -> Way {
    if outlet.leaves_map() {
        Way::Off
    } else {
        Way::Through(cell_of(shape, outlet.receiver))
    }
}

fn cell_of(shape: Shape, index: usize) -> [i32; 2] {
    let (row, col) = shape.position(index);
    [row as i32, col as i32]
}

/// A place along an axis of `size` cells, from 64 random bits: the cell and the fraction of it.
fn place(bits: u64, size: usize) -> (i32, f32) {
    let wide = u128::from(bits) * size as u128;
    let fraction = (wide as u64 >> 40) as f32 * (1.0 / 16_777_216.0);
    ((wide >> 64) as i32, fraction)
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn places_cover_an_axis_from_end_to_end() {
        assert_eq!(place(0, 10), (0, 0.0));
        let (cell, fraction) = place(u64::MAX, 10);
        assert_eq!(cell, 9);
        assert!(fraction < 1.0 && fraction > 0.999);
        assert_eq!(place(1 << 63, 4), (2, 0.0));
    }
}
