//! What an erosion stage says of itself.

use serde::{Deserialize, Serialize};

/// Counts and accounts of one erosion stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Report {
    /// Cycles that spawned droplets.
    pub cycles: u64,
    /// Cycles at the end that spawned none, until no droplet was in flight.
    pub drain_cycles: u64,
    /// Droplets spawned.
    pub droplets: u64,
    /// Droplets that pools sent on: excess and drained water.
    pub spring_droplets: u64,
    /// Steps of all droplets.
    pub steps: u64,
    /// Droplets handed from tile to tile.
    pub handed_over: u64,
    /// Pools at the end.
    pub pools: u64,
    /// Tile edge used, cells.
    pub tile_cells: usize,
    /// Both accounts.
    pub ledger: Ledger,
    /// How often the engine had to bend the model.
    pub limits: Limits,
}

/// Both accounts of a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Ground and load, m³.
    pub sediment: Sediment,
    /// Water, m³.
    pub water: Water,
}

impl Ledger {
    /// Whether both accounts close to within the promised bound.
    #[must_use]
    pub fn closes(&self) -> bool {
        self.sediment.relative_error <= Self::BOUND && self.water.relative_error <= Self::BOUND
    }

    /// |residual| ÷ Σ|exchanges| that no run may exceed.
    pub const BOUND: f64 = 1e-6;
}

/// Where the ground went, m³: eroded = deposited + exported + in accounts + in flight.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sediment {
    /// Taken from the ground.
    pub eroded_m3: f64,
    /// Laid down on the ground.
    pub deposited_m3: f64,
    /// Carried off the map.
    pub exported_m3: f64,
    /// Waiting in cells' accounts.
    pub in_accounts_m3: f64,
    /// Aboard droplets.
    pub in_flight_m3: f64,
    /// Elevation change of the whole map × cell area.
    pub change_m3: f64,
    /// change + in flight + in accounts + exported: 0 but for rounding.
    pub residual_m3: f64,
    /// |residual| ÷ (eroded + deposited).
    pub relative_error: f64,
}

/// Where the rain went, m³.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Water {
    /// Brought by droplets.
    pub rain_m3: f64,
    /// In pools when the stage began.
    pub initial_m3: f64,
    /// Lost to the air by droplets on their way and from standing water.
    pub evaporated_m3: f64,
    /// Carried off the map.
    pub exported_m3: f64,
    /// Carried into the sea.
    pub to_sea_m3: f64,
    /// Standing in pools, with what waits at their outlets.
    pub in_pools_m3: f64,
    /// Seeped away under standing water.
    pub seeped_m3: f64,
    /// Left aboard droplets that ended on dry ground.
    pub infiltrated_m3: f64,
    /// Aboard droplets.
    pub in_flight_m3: f64,
    /// rain + initial − all others: 0 but for rounding.
    pub residual_m3: f64,
    /// |residual| ÷ (rain + initial).
    pub relative_error: f64,
}

/// How often the engine had to bend the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Erosion cut to half of the step's drop.
    pub erosion: u64,
    /// Erosion taken from a bank too steep to stand.
    pub banks: u64,
    /// Deposition cut so that the slope does not turn round.
    pub deposition: u64,
    /// Elevation change cut at the range of its storage.
    pub range: u64,
    /// One-cell spikes and pits evened out with their neighbours at the end.
    pub spikes: u64,
    /// Droplets ended by the bound on steps.
    pub steps: u64,
    /// Droplets given to a full pool after they had passed a thousand.
    pub spills: u64,
}
