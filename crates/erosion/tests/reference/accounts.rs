//! What is on its way between droplets, ground and pools, and the ledgers.

use super::exchange::lay_in_pit;
use super::{Counts, Droplet, Land, Real};
use std::collections::BTreeMap;
use thalweg_erosion::{Ledger, Limits, Sediment, Water};
use thalweg_flow::{Inflow, PoolInflow, Repose, largest_first, spread_sediment};

/// Water and load left somewhere.
#[derive(Debug, Clone)]
pub(crate) struct Left {
    pub cell: usize,
    /// Volume.
    pub water: f64,
    pub load_um: i64,
    /// The pool that takes both, 0 on dry ground.
    pub pool: u32,
}

/// What a tile has to tell after its share of a phase.
#[derive(Debug)]
pub(crate) struct Outcome<R> {
    pub outgoing: Vec<Droplet<R>>,
    pub left: Vec<Left>,
    /// Loads without room: cell, µm over one cell.
    pub waiting: Vec<(usize, i64)>,
    pub counts: Counts,
    pub evaporated: f64,
    pub exported: f64,
    pub to_sea: f64,
    pub infiltrated: f64,
    pub exported_um: i64,
}

impl<R> Outcome<R> {
    pub(crate) fn new() -> Self {
        Self {
            outgoing: Vec::new(),
            left: Vec::new(),
            waiting: Vec::new(),
            counts: Counts::default(),
            evaporated: 0.0,
            exported: 0.0,
            to_sea: 0.0,
            infiltrated: 0.0,
            exported_um: 0,
        }
    }
}

/// A stage's accounts: volumes of droplets, µm over one cell.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    /// m of water over one cell in a volume of 1.
    pub unit_m: f64,
    pub initial_pools_m: f64,
    pub rain: f64,
    pub evaporated: f64,
    pub exported: f64,
    pub to_sea: f64,
    pub infiltrated: f64,
    pub pool_exported_m: f64,
    pub pool_to_sea_m: f64,
    pub pool_evaporated_m: f64,
    pub pool_seeped_m: f64,
    pub eroded_um: i64,
    pub exported_um: i64,
    pub steps: u64,
    pub limits: Limits,
    pub waiting: BTreeMap<usize, i64>,
    /// Groundwater that comes to light: cell, m over it.
    pub risen: Vec<(usize, f64)>,
    pub left: Vec<Left>,
    /// Loads that ran down into pools.
    pub pool_load: Vec<(usize, i64)>,
}

impl Accounts {
    /// Books a tile.
    pub(crate) fn book<R>(&mut self, outcome: Outcome<R>) {
        self.evaporated += outcome.evaporated;
        self.exported += outcome.exported;
        self.to_sea += outcome.to_sea;
        self.infiltrated += outcome.infiltrated;
        self.exported_um += outcome.exported_um;
        self.eroded_um += outcome.counts.eroded_um;
        self.steps += outcome.counts.steps;
        let (sum, more) = (&mut self.limits, outcome.counts.limits);
        sum.erosion += more.erosion;
        sum.banks += more.banks;
        sum.deposition += more.deposition;
        sum.range += more.range;
        sum.steps += more.steps;
        sum.spills += more.spills;
        self.left.extend(outcome.left);
        for (cell, load) in outcome.waiting {
            self.wait(cell, load);
        }
    }

    pub(crate) fn wait(&mut self, cell: usize, load_um: i64) {
        *self.waiting.entry(cell).or_default() += load_um;
    }

    /// What standing water received since it was last asked for.
    pub(crate) fn take_inflow(&mut self, pools: usize) -> Inflow {
        let mut inflow = Inflow {
            pools: vec![PoolInflow::default(); pools],
            ground: std::mem::take(&mut self.risen),
            sediment: std::mem::take(&mut self.pool_load),
        };
        for left in std::mem::take(&mut self.left) {
            let water_m = left.water * self.unit_m;
            if left.pool == 0 {
                inflow.ground.push((left.cell, water_m));
            } else {
                let pool = &mut inflow.pools[left.pool as usize - 1];
                pool.water_m += water_m;
                pool.droplets += u64::from(left.water > 0.0);
            }
            if left.load_um > 0 {
                inflow.sediment.push((left.cell, left.load_um));
            }
        }
        inflow
    }

    /// Loads that wait run down the steepest path: into a pool, off the ground, into the sea, or into a dry pit.
    pub(crate) fn settle_waiting<R: Real>(
        &mut self,
        land: &mut Land<R>,
        sea: Option<f64>,
        repose: Repose,
    ) {
        let waiting = std::mem::take(&mut self.waiting).into_iter().collect();
        for (start, load) in largest_first(waiting) {
            let end = land.end_of_path(land.place(start));
            let (index, cell) = (land.index(end), land.cell(end));
            let rest = if let (true, Some(level_m)) = (cell.sea, sea) {
                let water = thalweg_flow::Water {
                    level_m,
                    repose: Some(repose),
                    covers: |land: &Land<R>, cell: usize| land.cells[cell].sea,
                };
                spread_sediment(land, &water, index, load)
            } else if cell.pool != 0 {
                self.pool_load.push((index, load));
                0
            } else if land.leaves(end) {
                self.exported_um += load;
                0
            } else {
                lay_in_pit(land, end, load)
            };
            if rest > 0 {
                self.wait(index, rest);
            }
        }
    }

    /// Both ledgers, m³, when no droplet is in flight.
    pub(crate) fn ledger(
        &self,
        change_um: i64,
        pools_um: i64,
        pools_m: f64,
        area_m2: f64,
    ) -> Ledger {
        Ledger {
            sediment: self.sediment(change_um, pools_um, area_m2),
            water: self.water(pools_m, area_m2),
        }
    }

    fn sediment(&self, change_um: i64, pools_um: i64, area_m2: f64) -> Sediment {
        let m3 = |um: i64| um as f64 * 1e-6 * area_m2;
        let waiting: i64 = self.waiting.values().sum();
        let left: i64 = self.left.iter().map(|left| left.load_um).sum();
        let running: i64 = self.pool_load.iter().map(|load| load.1).sum();
        let in_accounts = waiting + left + running + pools_um;
        let residual = change_um + in_accounts + self.exported_um;
        let deposited = self.eroded_um + change_um;
        let exchanged = (self.eroded_um + deposited).max(1);
        Sediment {
            eroded_m3: m3(self.eroded_um),
            deposited_m3: m3(deposited),
            exported_m3: m3(self.exported_um),
            in_accounts_m3: m3(in_accounts),
            in_flight_m3: 0.0,
            change_m3: m3(change_um),
            residual_m3: m3(residual),
            relative_error: residual.unsigned_abs() as f64 / exchanged as f64,
        }
    }

    fn water(&self, pools_m: f64, area_m2: f64) -> Water {
        let unit = self.unit_m * area_m2;
        let left: f64 = self.left.iter().map(|left| left.water).sum();
        let rain_m3 = self.rain * unit;
        let initial_m3 = self.initial_pools_m * area_m2;
        let evaporated_m3 = self.evaporated * unit + self.pool_evaporated_m * area_m2;
        let exported_m3 = self.exported * unit + self.pool_exported_m * area_m2;
        let to_sea_m3 = self.to_sea * unit + self.pool_to_sea_m * area_m2;
        let in_pools_m3 = pools_m * area_m2 + left * unit;
        let seeped_m3 = self.pool_seeped_m * area_m2;
        let infiltrated_m3 = self.infiltrated * unit;
        let in_flight_m3 = 0.0;
        let residual_m3 = rain_m3 + initial_m3
            - evaporated_m3
            - exported_m3
            - to_sea_m3
            - in_pools_m3
            - seeped_m3
            - infiltrated_m3
            - in_flight_m3;
        let came = rain_m3 + initial_m3;
        Water {
            rain_m3,
            initial_m3,
            evaporated_m3,
            exported_m3,
            to_sea_m3,
            in_pools_m3,
            seeped_m3,
            infiltrated_m3,
            in_flight_m3,
            residual_m3,
            relative_error: residual_m3.abs() / if came > 0.0 { came } else { 1.0 },
        }
    }
}
