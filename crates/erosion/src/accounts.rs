//! What is aboard nothing and nowhere yet: the stage's accounts.

use crate::cell::{Ground, MAX_CHANGE, MICROMETRES, SEA, VOID, WALL};
use crate::report::{Limits, Report, Sediment, Water};
use crate::tile::{Deposit, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thalweg_flow::{
    Bed, Inflow, PoolInflow, Repose, Water as StillWater, largest_first, receiver, spread_sediment,
};

/// Sums of a stage. Volumes are droplets' (a new one has 1); loads are µm over one cell.
#[derive(Serialize, Deserialize)]
pub(crate) struct Accounts {
    /// Metres of water over one cell that a volume of 1 stands for.
    pub unit_m: f64,
    pub rain: f64,
    pub evaporated: f64,
    pub exported: f64,
    pub to_sea: f64,
    pub infiltrated: f64,
    /// Metres × cells, straight out of pools.
    pub pool_exported_m: f64,
    pub pool_to_sea_m: f64,
    pub pool_evaporated_m: f64,
    pub pool_seeped_m: f64,
    pub initial_pools_m: f64,
    pub eroded_um: i64,
    pub exported_um: i64,
    /// Load by cell that waits for room.
    pub waiting: BTreeMap<usize, i64>,
    /// For the next reconciliation.
    deposits: Vec<Deposit>,
    /// Groundwater that comes to light in it: cell, m × cells.
    risen: Vec<(usize, f64)>,
    /// The same of loads that came down by themselves: entry cell, µm.
    pool_load: Vec<(usize, i64)>,
    cols: usize,
}

impl Accounts {
    pub(crate) fn new(unit_m: f64, cols: usize, initial_pools_m: f64) -> Self {
        Self {
            unit_m,
            rain: 0.0,
            evaporated: 0.0,
            exported: 0.0,
            to_sea: 0.0,
            infiltrated: 0.0,
            pool_exported_m: 0.0,
            pool_to_sea_m: 0.0,
            pool_evaporated_m: 0.0,
            pool_seeped_m: 0.0,
            initial_pools_m,
            eroded_um: 0,
            exported_um: 0,
            waiting: BTreeMap::new(),
            deposits: Vec::new(),
            risen: Vec::new(),
            pool_load: Vec::new(),
            cols,
        }
    }

    fn index(&self, [row, col]: [i32; 2]) -> usize {
        row as usize * self.cols + col as usize
    }

    /// Books one tile's outcome; called in tile order.
    pub(crate) fn absorb(&mut self, outcome: Outcome, ground: &Ground, report: &mut Report) {
        debug_assert_eq!(self.cols, ground.shape.cols);
        self.evaporated += outcome.evaporated;
        self.exported += outcome.exported;
        self.to_sea += outcome.to_sea;
        self.infiltrated += outcome.infiltrated;
        self.exported_um += outcome.exported_um;
        self.eroded_um += outcome.tally.eroded_um;
        report.steps += outcome.tally.steps;
        add_limits(&mut report.limits, &outcome.tally.limits);
        self.deposits.extend(outcome.deposits);
        for deposit in outcome.waiting {
            let index = self.index(deposit.cell);
            self.wait(index, i64::from(deposit.load_um));
        }
    }

    /// A load that waits for room at a cell.
    pub(crate) fn wait(&mut self, cell: usize, load_um: i64) {
        *self.waiting.entry(cell).or_default() += load_um;
    }

    /// Water that had seeped away comes to light, m over one cell.
    pub(crate) fn rise(&mut self, cell: usize, water_m: f64) {
        self.infiltrated -= water_m / self.unit_m;
        self.risen.push((cell, water_m));
    }

    /// What pools and pits received since the last time.
    pub(crate) fn take_inflow(&mut self, pools: usize) -> Inflow {
        let mut inflow = Inflow {
            pools: vec![PoolInflow::default(); pools],
            sediment: std::mem::take(&mut self.pool_load),
            ground: std::mem::take(&mut self.risen),
        };
        for deposit in std::mem::take(&mut self.deposits) {
            let index = self.index(deposit.cell);
            let water_m = f64::from(deposit.water) * self.unit_m;
            if deposit.pool == 0 {
                inflow.ground.push((index, water_m));
            } else {
                let pool = &mut inflow.pools[deposit.pool as usize - 1];
                pool.water_m += water_m;
                pool.droplets += u64::from(deposit.water > 0.0);
            }
            if deposit.load_um > 0 {
                inflow.sediment.push((index, i64::from(deposit.load_um)));
            }
        }
        inflow
    }

    /// Load and water that wait for the next reconciliation: µm and volumes.
    fn unreconciled(&self) -> (i64, f64) {
        let load = self
            .deposits
            .iter()
            .map(|d| i64::from(d.load_um))
            .sum::<i64>()
            + self.pool_load.iter().map(|entry| entry.1).sum::<i64>();
        let water = self.deposits.iter().map(|d| f64::from(d.water)).sum();
        (load, water)
    }

    /// Moves waiting loads on. The water that stood beside them runs on down the steepest path, and takes them
    /// along to the next pool, off the map or into the sea, where they settle as in a pool. In a dry pit they fill it,
    /// up to its lowest neighbour, and wait.
    pub(crate) fn settle_waiting(
        &mut self,
        ground: &mut Ground,
        sea_level_m: Option<f64>,
        repose: Repose,
    ) {
        let waiting = std::mem::take(&mut self.waiting).into_iter().collect();
        for (start, load) in largest_first(waiting) {
            let index = downstream_end(ground, start);
            let cell = ground.cells[index];
            let rest = match sea_level_m {
                Some(level_m) if cell.is(SEA) => {
                    let sea = StillWater {
                        level_m,
                        repose: Some(repose),
                        covers: |ground: &Ground, cell: usize| ground.cells[cell].is(SEA),
                    };
                    spread_sediment(ground, &sea, index, load)
                }
                _ if cell.pool != 0 => {
                    self.pool_load.push((index, load));
                    0
                }
                _ if leaves(ground, index) => {
                    self.exported_um += load;
                    0
                }
                _ => lay_in_pit(ground, index, load),
            };
            if rest > 0 {
                self.wait(index, rest);
            }
        }
    }

    /// The sediment account, m³.
    pub(crate) fn sediment(
        &self,
        change_um: i64,
        in_pools_um: i64,
        in_flight_um: i64,
        area_m2: f64,
    ) -> Sediment {
        let m3 = |um: i64| um as f64 * 1e-6 * area_m2;
        let waiting: i64 = self.waiting.values().sum();
        let in_accounts = waiting + in_pools_um + self.unreconciled().0;
        let residual = change_um + in_flight_um + in_accounts + self.exported_um;
        let deposited = self.eroded_um + change_um;
        let exchanged = (self.eroded_um + deposited).max(1);
        Sediment {
            eroded_m3: m3(self.eroded_um),
            deposited_m3: m3(deposited),
            exported_m3: m3(self.exported_um),
            in_accounts_m3: m3(in_accounts),
            in_flight_m3: m3(in_flight_um),
            change_m3: m3(change_um),
            residual_m3: m3(residual),
            relative_error: residual.unsigned_abs() as f64 / exchanged as f64,
        }
    }

    /// The water account, m³.
    pub(crate) fn water(&self, in_pools_m: f64, in_flight: f64, area_m2: f64) -> Water {
        let unit = self.unit_m * area_m2;
        let rain = self.rain * unit;
        let initial = self.initial_pools_m * area_m2;
        let exported = self.exported * unit + self.pool_exported_m * area_m2;
        let to_sea = self.to_sea * unit + self.pool_to_sea_m * area_m2;
        let in_pools = in_pools_m * area_m2 + self.unreconciled().1 * unit;
        let evaporated = self.evaporated * unit + self.pool_evaporated_m * area_m2;
        let seeped = self.pool_seeped_m * area_m2;
        let infiltrated = self.infiltrated * unit;
        let in_flight = in_flight * unit;
        let residual = rain + initial
            - evaporated
            - exported
            - to_sea
            - in_pools
            - seeped
            - infiltrated
            - in_flight;
        Water {
            rain_m3: rain,
            initial_m3: initial,
            evaporated_m3: evaporated,
            exported_m3: exported,
            to_sea_m3: to_sea,
            in_pools_m3: in_pools,
            seeped_m3: seeped,
            infiltrated_m3: infiltrated,
            in_flight_m3: in_flight,
            residual_m3: residual,
            relative_error: if rain + initial > 0.0 {
                residual.abs() / (rain + initial)
            } else {
                residual.abs()
            },
        }
    }
}

fn add_limits(sum: &mut Limits, more: &Limits) {
    sum.erosion += more.erosion;
    sum.banks += more.banks;
    sum.deposition += more.deposition;
    sum.range += more.range;
    sum.steps += more.steps;
    sum.spills += more.spills;
}

/// Where a load ends up that is carried down the steepest path: the first cell under water or, on dry ground, the
/// first without a lower neighbour.
fn downstream_end(ground: &Ground, start: usize) -> usize {
    let mut index = start;
    while ground.cells[index].pool == 0 && !ground.cells[index].is(SEA) {
        let height = |other: usize| match ground.cells[other].is(VOID) {
            true => f64::INFINITY,
            false => ground.elevation_m(other),
        };
        match receiver(ground.shape, index, height) {
            Some(next) => index = next,
            None => break,
        }
    }
    index
}

/// Whether what comes to a cell without a lower neighbour leaves the ground there.
fn leaves(ground: &Ground, index: usize) -> bool {
    let (row, col) = ground.shape.position(index);
    let (row, col) = (row as isize, col as isize);
    (-1..=1).any(|dr| {
        (-1..=1).any(|dc| {
            let other = ground.cell(row + dr, col + dc);
            other.is(VOID) && !other.is(WALL)
        })
    })
}

/// Raises a pit by as much of a load as its lowest neighbour allows, and a micrometre, so that it is none any
/// more; returns the rest.
fn lay_in_pit(ground: &mut Ground, index: usize, load: i64) -> i64 {
    let cell = ground.cells[index];
    let room = ground
        .shape
        .neighbours(index)
        .map(|other| &ground.cells[other])
        .filter(|other| !other.is(VOID))
        .map(|other| other.above(&cell))
        .fold(f32::INFINITY, f32::min);
    let wanted = load.min(i64::from((room * MICROMETRES).max(0.0) as i32) + 1);
    load - i64::from(ground.raise(index, wanted.min(i64::from(MAX_CHANGE)) as i32))
}
