//! A stage from its first cycle to its last.

use super::accounts::{Accounts, Outcome};
use super::constants::PUBLISHED_CYCLE;
use super::plants::Plants;
use super::schedule::Schedule;
use super::spikes;
use super::tile::Work;
use super::{Constants, Droplet, Land, Place, Real};
use ndarray::Array2;
use rand_core::Rng;
use std::collections::BTreeMap;
use thalweg_erosion::{Parameters, Report};
use thalweg_flow::{Losses, Pools, Release, Repose, Since};
use thalweg_grid::{Layer, Map, Purpose, Raster, StageKey};

/// Height by which sediment under water may stand above a neighbour, cell sizes.
const DELTA_SLOPE: f64 = 0.3;
/// The least volume that a pool sends on.
const SMALLEST_SPRING: f64 = 0.5;
/// Numbers of droplets that pools send on begin here.
const FIRST_SPRING: u64 = 1 << 63;
/// Rounds at the end in which pools send droplets on, and cycles in a round.
const SPRING_ROUNDS: u32 = 12;
const DRAIN_CYCLES: u32 = 32;
const LEAST_DRAIN_CYCLES: u32 = 4;
/// How often a cycle goes through its four colours.
const ROUNDS: usize = 2;
/// Rounds of settling at the very end.
const CLOSING_ROUNDS: u32 = 16;

/// Erodes a map as the engine promises to.
pub(crate) fn erode<R: Real>(map: &mut Map, parameters: &Parameters, key: StageKey) -> Report {
    let mut stage = Stage::<R>::new(map, parameters, key);
    stage.run();
    stage.write(map)
}

/// A stage at work.
pub(crate) struct Stage<'a, R> {
    parameters: &'a Parameters,
    key: StageKey,
    cell_size_m: f64,
    constants: Constants<R>,
    pub land: Land<R>,
    /// Volumes per cycle.
    discharge: Vec<R>,
    plants: Option<Plants<R>>,
    pools: Option<Pools>,
    flight: Vec<Droplet<R>>,
    accounts: Accounts,
    tile: usize,
    unreconciled: u64,
    unreconciled_cycles: u32,
    charged_cycles: u32,
    cycle: u32,
    report: Report,
    /// Whether droplets that leave a tile's bounds go on. Off, they die there: a defect to be found.
    pub hands_over: bool,
    /// Whether each cycle draws a tile offset of its own. Off, all have the first one's: likewise.
    pub wanders: bool,
}

impl<'a, R: Real> Stage<'a, R> {
    pub(crate) fn new(map: &Map, parameters: &'a Parameters, key: StageKey) -> Self {
        let cell_size_m = map.grid.cell_size_m;
        let mut land = Land::new(map, parameters.edges, parameters.sea_level_m);
        let stream = around(map, &land, Layer::Stream);
        for (cell, stream) in land.cells.iter_mut().zip(stream.unwrap_or_default()) {
            cell.stream = R::of(stream);
        }
        let unit_m = parameters.total_water_depth_m() / parameters.droplets_per_cell;
        let unit_m3 = unit_m * map.grid.cell_area_m2();
        let (unit_m, unit_m3) = match unit_m3.is_finite() {
            true => (unit_m, unit_m3),
            false => (0.0, 0.0),
        };
        let discharge = match around(map, &land, Layer::Discharge) {
            Some(m3) if unit_m3 > 0.0 => m3.iter().map(|m3| R::of(m3 / unit_m3)).collect(),
            _ => vec![R::zero(); land.cells.len()],
        };
        let depths = around(map, &land, Layer::PoolDepth);
        let pools = parameters.pools.map(|rule| {
            match depths {
                Some(depths) => Pools::from_depths(rule.drain, &mut land, |cell| depths[cell]),
                None => Pools::new(rule.drain),
            }
            .with_repose(Repose::new(DELTA_SLOPE * cell_size_m, key))
        });
        let plants = parameters.vegetation.map(|rule| Plants {
            rule,
            key,
            cell_size_m,
            sizes: vec![R::zero(); land.cells.len()],
        });
        Self {
            parameters,
            key,
            cell_size_m,
            constants: Constants::new(parameters, cell_size_m),
            accounts: Accounts {
                unit_m,
                initial_pools_m: pools.as_ref().map_or(0.0, Pools::water_m),
                ..Accounts::default()
            },
            land,
            discharge,
            plants,
            pools,
            flight: Vec::new(),
            tile: parameters.tiling.tile_cells.expect("a tile size"),
            unreconciled: 0,
            unreconciled_cycles: 0,
            charged_cycles: 0,
            cycle: 0,
            report: Report::default(),
            hands_over: true,
            wanders: true,
        }
    }

    pub(crate) fn run(&mut self) {
        for cycle in 0..self.parameters.cycles {
            self.rain(cycle);
        }
        for round in 0.. {
            for cycle in 0..DRAIN_CYCLES {
                let spills = self.constants.spills;
                let waiting =
                    (self.flight.iter()).filter(|d| d.spills > 0 && d.spills % spills == 0);
                let stalls = 8 * waiting.count() > 7 * self.flight.len();
                let early = cycle >= LEAST_DRAIN_CYCLES && round < SPRING_ROUNDS;
                if self.flight.is_empty() || (early && stalls) {
                    break;
                }
                self.move_droplets(false);
                self.report.drain_cycles += 1;
                self.remember(None);
            }
            self.reconcile(round >= SPRING_ROUNDS);
            if self.flight.is_empty() {
                break;
            }
        }
        self.close();
    }

    /// A cycle with rain.
    pub(crate) fn rain(&mut self, cycle: u32) {
        let all = self.parameters.droplets_per_cell * self.land.cells.len() as f64;
        let until = |c: u32| (all * f64::from(c) / f64::from(self.parameters.cycles)) as u64;
        let share = until(cycle + 1) - until(cycle);
        let mut count = 0;
        for number in 0..share {
            let droplet = self.spawn(cycle, number);
            let cell = self.land.cell(droplet.at);
            if !cell.void && !cell.sea {
                self.flight.push(droplet);
                count += 1;
            }
        }
        self.report.droplets += count;
        self.report.cycles += 1;
        self.accounts.rain += count as f64;
        self.unreconciled += count;
        self.unreconciled_cycles += 1;
        self.move_droplets(true);
        if share > 0 {
            let per_cell = share as f64 / self.land.cells.len() as f64;
            self.remember(Some(per_cell));
            if let Some(plants) = &mut self.plants {
                let kappa = self.constants.kappa.wide();
                plants.cycle(&mut self.land, kappa, cycle, per_cell);
            }
        }
        let every = self.parameters.pools.unwrap_or_default().reconcile_every;
        if self.unreconciled as f64 >= every * self.land.cells.len() as f64 {
            self.reconcile(false);
        }
    }

    fn spawn(&self, cycle: u32, number: u64) -> Droplet<R> {
        let mut bits = self.key.generator(Purpose::Spawn, u64::from(cycle), number);
        // A 64-bit fraction of the axis: its whole part is the cell, the next 24 bits the place in it.
        let mut place = |size: i32| {
            let fixed = u128::from(bits.next_u64()) * size as u128;
            let within = (fixed >> 40) as u32 & 0xff_ffff;
            (
                (fixed >> 64) as i32,
                R::of(f64::from(within) / f64::from(1 << 24)),
            )
        };
        let (row, south) = place(self.land.rows);
        let (col, east) = place(self.land.cols);
        Droplet::at_rest([row, col], [south, east], R::one(), (cycle, number))
    }

    /// One cycle's four phases.
    fn move_droplets(&mut self, leave_stragglers: bool) {
        let tiling = &self.parameters.tiling;
        let size = [self.land.rows as usize, self.land.cols as usize];
        let drawn = if self.wanders { self.cycle } else { 0 };
        let schedule = Schedule::draw(size, self.tile, tiling.halo_cells, self.key, drawn);
        let mut queues = vec![Vec::new(); schedule.len()];
        for droplet in std::mem::take(&mut self.flight) {
            queues[schedule.owner(droplet.at)].push(droplet);
        }
        for colour in [schedule.order; ROUNDS].concat() {
            for tile in (0..schedule.len()).filter(|&tile| schedule.colour(tile) == colour) {
                let mut queue = std::mem::take(&mut queues[tile]);
                queue.sort_by_key(|droplet| droplet.order);
                let mut outcome = Work {
                    land: &mut self.land,
                    constants: &self.constants,
                    pools: self.pools.as_ref(),
                    bounds: schedule.bounds(tile),
                    queue: queue.into(),
                    room_um: BTreeMap::new(),
                    outcome: Outcome::new(),
                }
                .run(tiling.lanes, leave_stragglers);
                for droplet in std::mem::take(&mut outcome.outgoing) {
                    if !self.hands_over && !schedule.bounds(tile).contain(droplet.at) {
                        continue;
                    }
                    self.report.handed_over += 1;
                    queues[schedule.owner(droplet.at)].push(droplet);
                }
                self.accounts.book(outcome);
            }
        }
        self.flight.extend(queues.into_iter().flatten());
        self.cycle += 1;
    }

    /// Moves stream and discharge towards the tracks of a cycle with `per_cell` droplets a cell, where there was
    /// rain, and clears the tracks: s += (1 − (1 − rate)^f) (1 − e^(−q) − s).
    fn remember(&mut self, per_cell: Option<f64>) {
        let learning = per_cell.map(|per_cell| {
            let f = per_cell / PUBLISHED_CYCLE;
            let kappa = self.constants.kappa.wide();
            let rate = 1.0 - libm::pow(1.0 - self.parameters.learning_rate, f);
            (R::of(rate), PUBLISHED_CYCLE * kappa * kappa / per_cell)
        });
        for (cell, discharge) in self.land.cells.iter_mut().zip(&mut self.discharge) {
            if let Some((rate, per_visit)) = learning {
                let seen = R::of(-libm::expm1(-per_visit * f64::from(cell.visits)));
                cell.stream += rate * (seen - cell.stream);
                *discharge += rate * (cell.water - *discharge);
            }
            cell.visits = 0;
            cell.water = R::zero();
        }
    }

    /// Settles loads that wait and lets the map's standing water agree; what full pools send on goes into flight.
    fn reconcile(&mut self, settle: bool) {
        self.unreconciled = 0;
        let repose = Repose::new(DELTA_SLOPE * self.cell_size_m, self.key);
        let sea_level_m = self.parameters.sea_level_m;
        self.accounts
            .settle_waiting(&mut self.land, sea_level_m, repose);
        let Some(pools) = &mut self.pools else {
            return;
        };
        let release = match settle || self.accounts.unit_m <= 0.0 {
            true => Release::Settle,
            false => Release::Springs {
                unit_m: self.accounts.unit_m,
                minimum: SMALLEST_SPRING,
            },
        };
        let inflow = self.accounts.take_inflow(pools.len());
        let rule = self.parameters.pools.unwrap_or_default();
        let rained = std::mem::take(&mut self.unreconciled_cycles);
        self.charged_cycles = if rained > 0 {
            rained
        } else {
            self.charged_cycles
        };
        let since = Since {
            losses: Losses {
                cycles: self.charged_cycles,
                new_only: rained == 0,
                evaporation_m: rule.lake_evaporation_m,
                seepage_m: rule.seepage_m,
            },
            ..Since::default()
        };
        let outflow = pools.reconcile_since(&mut self.land, inflow, release, since);
        for (cell, load) in pools.take_stranded(&self.land) {
            self.accounts.wait(cell, load);
        }
        self.accounts.pool_exported_m += outflow.exported_m;
        self.accounts.pool_to_sea_m += outflow.to_sea_m;
        self.accounts.pool_evaporated_m += outflow.evaporated_m;
        self.accounts.pool_seeped_m += outflow.seeped_m;
        self.flight.iter_mut().for_each(|d| d.passed = 0);
        for spring in outflow.springs {
            let order = (self.cycle, FIRST_SPRING + self.report.spring_droplets);
            self.report.spring_droplets += 1;
            let at = self.land.place(spring.cell);
            let middle = [R::of(0.5); 2];
            let water = R::of(spring.volume);
            self.flight.push(Droplet::at_rest(at, middle, water, order));
        }
    }

    /// Settles what still waits, until nothing moves any more.
    fn close(&mut self) {
        let cell_size_m = self.constants.kappa.wide() * self.parameters.reference_length_m;
        let rule = self.parameters.pools.unwrap_or_default();
        let dry_climate = rule.lake_evaporation_m > 0.0 || rule.seepage_m > 0.0;
        for round in 0..CLOSING_ROUNDS {
            self.reconcile(true);
            let spikes = spikes::relieve(&mut self.land, cell_size_m);
            self.accounts.limits.spikes += spikes;
            if round == 0 || spikes > 0 {
                continue;
            }
            let Some(pools) = &mut self.pools else {
                return;
            };
            pools.dry_films(&mut self.land, 0.001);
            if round + 1 == CLOSING_ROUNDS {
                return;
            }
            let mut seeped_m = self.accounts.infiltrated * self.accounts.unit_m;
            let mut dry = pools.dry_basins(&self.land, &pools.relief(&self.land), 0.01);
            dry.retain(|basin| {
                let enough = seeped_m >= basin.volume_m && !dry_climate;
                seeped_m -= if enough { basin.volume_m } else { 0.0 };
                enough
            });
            if dry.is_empty() {
                return;
            }
            for basin in dry {
                self.accounts.infiltrated -= basin.volume_m / self.accounts.unit_m;
                self.accounts.risen.push((basin.cell, basin.volume_m));
            }
        }
    }

    /// Writes the layers and says what was done.
    pub(crate) fn write(mut self, map: &mut Map) -> Report {
        let area_m2 = map.grid.cell_area_m2();
        let change_um = self.land.cells.iter().map(|c| i64::from(c.change_um)).sum();
        let pools_um = self.pools.as_ref().map_or(0, Pools::sediment_waiting_um);
        let pools_m = self.pools.as_ref().map_or(0.0, Pools::water_m);
        self.report.ledger = self.accounts.ledger(change_um, pools_um, pools_m, area_m2);
        self.report.steps = self.accounts.steps;
        self.report.limits = self.accounts.limits;
        self.report.tile_cells = self.tile;
        self.write_ground(map);
        let unit = R::of(self.accounts.unit_m * area_m2);
        self.put(map, Layer::Stream, |stage, cell| {
            stage.land.cells[cell].stream
        });
        self.put(map, Layer::Discharge, |stage, cell| {
            stage.discharge[cell] * unit
        });
        if self.plants.is_some() {
            self.put(map, Layer::Vegetation, |stage, cell| {
                stage.land.cells[cell].cover
            });
        }
        if let Some(pools) = self.pools.take() {
            self.report.pools = pools.len() as u64;
            self.write_pools(map, &pools);
        }
        self.report
    }

    /// A cell of the map as the land's index.
    fn index(&self, (row, col): (usize, usize)) -> usize {
        index_on(&self.land, (row, col))
    }

    fn put(&self, map: &mut Map, layer: Layer, value: impl Fn(&Self, usize) -> R) {
        let of = |at| value(self, self.index(at)).wide() as f32;
        let cells = Array2::from_shape_fn(map.grid.shape.dim(), of);
        map.layers.insert(layer, Raster::Float(cells));
    }

    fn write_ground(&self, map: &mut Map) {
        let mut change = match map.float(Layer::Change) {
            Some(change) => change.clone(),
            None => Array2::zeros(map.grid.shape.dim()),
        };
        for (at, change) in change.indexed_iter_mut() {
            let cell = self.land.cells[self.index(at)];
            if !cell.void && cell.change_um != 0 {
                map.elevation[at] = cell.elevation_m() as f32;
                *change += (f64::from(cell.change_um) * 1e-6) as f32;
            }
        }
        map.layers.insert(Layer::Change, Raster::Float(change));
    }

    fn write_pools(&self, map: &mut Map, pools: &Pools) {
        let dim = map.grid.shape.dim();
        let mut depth = Array2::zeros(dim);
        let mut level = Array2::from_elem(dim, f32::NAN);
        let mut id = Array2::zeros(dim);
        let shape = map.grid.shape;
        let inner: BTreeMap<_, _> = (0..shape.len())
            .map(|cell| shape.position(cell))
            .map(|at| (self.index(at), at))
            .collect();
        for (number, pool) in pools.iter() {
            for cell in &pool.cells {
                let at = inner[cell];
                let over = pool.level_m - self.land.cells[*cell].elevation_m();
                depth[at] = over.max(0.0) as f32;
                level[at] = pool.level_m as f32;
                id[at] = number;
            }
        }
        map.layers.insert(Layer::PoolDepth, Raster::Float(depth));
        map.layers.insert(Layer::WaterLevel, Raster::Float(level));
        map.layers.insert(Layer::LakeId, Raster::Ids(id));
    }
}

fn index_on<R: Real>(land: &Land<R>, (row, col): (usize, usize)) -> usize {
    let at: Place = [row as i32 + land.first[0], col as i32 + land.first[1]];
    land.index(at)
}

/// A layer of the map, if it has it, by cells of the land: 0 in the apron.
fn around<R: Real>(map: &Map, land: &Land<R>, layer: Layer) -> Option<Vec<f64>> {
    let mut cells = vec![0.0; land.cells.len()];
    for (at, &value) in map.float(layer)?.indexed_iter() {
        cells[index_on(land, at)] = f64::from(value);
    }
    Some(cells)
}
