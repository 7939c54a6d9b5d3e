//! What goes into a reconciliation of standing water and what comes out.

use super::Touched;
use thalweg_grid::Shape;

/// What a cell does with water.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Ground that water can stand on.
    Land,
    /// Ground on an open edge or beside cells without data: water that rises or runs to it leaves the map.
    Drain,
    /// Sea: water that runs to it ends there.
    Sea,
    /// No data; water that reaches it leaves the map.
    Void,
}

/// The ground under standing water. Cells are row-major indices.
pub trait Bed: Sync {
    /// The map's size.
    fn shape(&self) -> Shape;

    /// Height of the ground, m. Cells that are not finite are taken as [`Kind::Void`].
    fn elevation_m(&self, cell: usize) -> f64;

    /// What the cell does with water; the same at every call.
    fn kind(&self, cell: usize) -> Kind;

    /// Lays down sediment and returns how much of it was stored, 0 ..= `micrometres`.
    fn raise(&mut self, cell: usize, micrometres: i32) -> i32;

    /// The number of the pool that covers the cell, 0 where dry. During a reconciliation the field is scratch.
    fn pool(&self, cell: usize) -> u32;

    /// Sets what [`pool`](Self::pool) returns.
    fn set_pool(&mut self, cell: usize, pool: u32);
}

/// Where a full pool spills.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlet {
    /// The pool's last cell, at zero depth when the pool is full.
    pub sill: usize,
    /// The lower cell beyond, just below the sill; the sill itself where the water leaves the map there.
    pub receiver: usize,
    /// Level, m, at which the pool spills.
    pub sill_m: f64,
}

impl Outlet {
    /// Whether the water that spills here leaves the map.
    #[must_use]
    pub const fn leaves_map(&self) -> bool {
        self.sill == self.receiver
    }
}

/// Water that stands at one level.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Elevation of the surface, m.
    pub level_m: f64,
    /// The cells whose bed is below the level, ascending.
    pub cells: Vec<usize>,
    /// Water under the surface: m of depth × cells.
    pub volume_m: f64,
    /// Water above capacity that waits for its next spring, m × cells.
    pub surplus_m: f64,
    /// Where it spills; present in full pools.
    pub outlet: Option<Outlet>,
    /// Whether more water goes out rather than in.
    pub full: bool,
    /// Whether the surface stands above the sill, which was cut down.
    pub draining: bool,
}

/// What one pool received since the last reconciliation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PoolInflow {
    /// Water, m of depth × cells.
    pub water_m: f64,
    /// Droplets that reached it.
    pub droplets: u64,
}

/// What the map's standing water received since the last reconciliation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inflow {
    /// By pool number − 1; pools beyond its end received nothing.
    pub pools: Vec<PoolInflow>,
    /// New standing water: cell, m × cells.
    pub ground: Vec<(usize, f64)>,
    /// Sediment: entry cell, µm × cells.
    pub sediment: Vec<(usize, i64)>,
}

/// How excess water leaves a full pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Release {
    /// As droplets just below the sill.
    Springs {
        /// Water of a droplet of volume 1, m × cells.
        unit_m: f64,
        /// The least volume of a droplet; less waits.
        minimum: f64,
    },
    /// At once into the next pool, depression or off the map, until nothing stands above a sill.
    Settle,
}

/// A droplet that a full pool sends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// Where it starts.
    pub cell: usize,
    /// Its volume in units of `unit_m`, at most 1.
    pub volume: f64,
}

/// What a reconciliation lets go.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outflow {
    /// Droplets, in the order of their pools.
    pub springs: Vec<Spring>,
    /// Water that left the map, m × cells.
    pub exported_m: f64,
    /// Water that reached the sea, m × cells.
    pub to_sea_m: f64,
    /// Water that evaporated from pools, m × cells.
    pub evaporated_m: f64,
    /// Water that seeped away under pools, m × cells.
    pub seeped_m: f64,
}

impl Outflow {
    /// Books a loss, m × cells.
    pub(super) fn lose(&mut self, lost_m: f64, losses: Losses) {
        let [evaporated_m, seeped_m] = losses.split(lost_m);
        self.evaporated_m += evaporated_m;
        self.seeped_m += seeped_m;
    }
}

/// What standing water loses to the air and the ground for the time since the last reconciliation: the same depth
/// everywhere, as far as there is water.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Losses {
    /// Cycles since the last reconciliation.
    pub cycles: u32,
    /// Depth of evaporation per cycle, m.
    pub evaporation_m: f64,
    /// Depth of seepage per cycle, m.
    pub seepage_m: f64,
    /// Whether pools that were there the last time have lost this already: then only new ones do.
    pub new_only: bool,
}

impl Losses {
    /// Depth of all, m; 0 where it is not positive or not finite.
    pub(super) fn depth_m(self) -> f64 {
        let rate = self.evaporation_m.max(0.0) + self.seepage_m.max(0.0);
        let depth = f64::from(self.cycles) * rate;
        if depth.is_finite() { depth } else { 0.0 }
    }

    /// What of a loss goes to the air and what to the ground.
    pub(super) fn split(self, lost: f64) -> [f64; 2] {
        let (air, ground) = (self.evaporation_m.max(0.0), self.seepage_m.max(0.0));
        let share = if air > 0.0 { air / (air + ground) } else { 0.0 };
        [lost * share, lost - lost * share]
    }
}

/// What a pool's water came to since the pool began, m × cells. Of what it received, all that is neither lost nor
/// still there has gone over its outlet.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// Water that came: from droplets, pits that it drowned, pools above; or was there from the first.
    pub received_m: f64,
    /// Water that evaporated.
    pub evaporated_m: f64,
    /// Water that seeped away.
    pub seeped_m: f64,
}

impl Balance {
    pub(super) fn add(&mut self, other: Self) {
        self.received_m += other.received_m;
        self.evaporated_m += other.evaporated_m;
        self.seeped_m += other.seeped_m;
    }

    /// Books a loss, m × cells.
    pub(super) fn lose(&mut self, lost_m: f64, losses: Losses) {
        let [evaporated_m, seeped_m] = losses.split(lost_m);
        self.evaporated_m += evaporated_m;
        self.seeped_m += seeped_m;
    }

    pub(super) fn part(self, share: f64) -> Self {
        Self {
            received_m: self.received_m * share,
            evaporated_m: self.evaporated_m * share,
            seeped_m: self.seeped_m * share,
        }
    }
}

/// What happened since the last reconciliation besides what came in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Since {
    /// Water lost.
    pub losses: Losses,
    /// Where the ground may have changed.
    pub touched: Touched,
}
