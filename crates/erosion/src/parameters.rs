//! What an erosion stage is told, in the units of the pipeline file.

use serde::{Deserialize, Serialize};

/// The parameters of one erosion stage. Defaults are the method's published constants, in the form in which
/// this engine uses them; on cells of [`reference_length_m`](Self::reference_length_m) the published numbers
/// hold as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// Droplets of the whole stage, per cell.
    pub droplets_per_cell: f64,
    /// Batches that the droplets are spread over.
    pub cycles: u32,
    /// The length, m, in which the method counts positions, elevations and speeds.
    pub reference_length_m: f64,
    /// Depth, m, of the water that all droplets together bring, spread evenly; none: 10 × droplets per cell.
    pub water_depth_m: Option<f64>,
    /// Inertia of a droplet.
    pub density: f64,
    /// Share of velocity lost per unit of time.
    pub friction: f64,
    /// Share of volume lost per unit of time.
    pub evaporation: f64,
    /// Rate at which the load moves towards capacity.
    pub exchange: f64,
    /// Slope above which a bank collapses into the stream that undercuts it: what a step takes then comes from
    /// the bank and not from the bed. Below about 0.5 valleys widen into plains; above 1 rivers cut slots
    /// of single cells.
    pub bank_slope: f64,
    /// Volume below which a droplet ends; it starts with 1.
    pub minimum_volume: f64,
    /// Stream value above which a droplet without acceleration stops.
    pub stop_stream: f64,
    /// Acceleration below which a droplet in a stream stops.
    pub stop_acceleration: f64,
    /// Path length, km, after which a droplet ends; none: no limit.
    pub max_path_km: Option<f64>,
    /// Share by which stream and discharge move towards a cycle's track, per published cycle.
    pub learning_rate: f64,
    /// How strongly streams ease friction and evaporation.
    pub stream_feedback: StreamFeedback,
    /// What the map's sides do.
    pub edges: Edges,
    /// Elevation, m, at and below which cells connected to the map's edge are sea.
    pub sea_level_m: Option<f64>,
    /// Standing water; none: water that stops infiltrates.
    pub pools: Option<Pools>,
    /// Plants; none: bare ground.
    pub vegetation: Option<Vegetation>,
    /// Tiles, halos and lanes: part of the recipe.
    pub tiling: Tiling,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            droplets_per_cell: 1.0,
            cycles: 100,
            reference_length_m: 10.0,
            water_depth_m: None,
            density: 1.0,
            friction: 0.1,
            evaporation: 0.001,
            exchange: 0.1,
            bank_slope: 0.8,
            minimum_volume: 0.01,
            stop_stream: 0.5,
            stop_acceleration: 0.01,
            max_path_km: None,
            learning_rate: 0.01,
            stream_feedback: StreamFeedback::default(),
            edges: Edges::default(),
            sea_level_m: None,
            pools: None,
            vegetation: None,
            tiling: Tiling::default(),
        }
    }
}

impl Parameters {
    /// Depth, m, of the water that all droplets together bring.
    #[must_use]
    pub fn total_water_depth_m(&self) -> f64 {
        self.water_depth_m.unwrap_or(10.0 * self.droplets_per_cell)
    }

    /// Depth, m, of a new droplet's water over one cell; 0 where there are none, or so few that no map has one and
    /// their volume is no number any more.
    pub(crate) fn droplet_depth_m(&self, cell_area_m2: f64) -> f64 {
        let depth_m = self.total_water_depth_m() / self.droplets_per_cell;
        if (depth_m * cell_area_m2).is_finite() {
            depth_m
        } else {
            0.0
        }
    }
}

/// How strongly an established stream (stream value 1) lowers a droplet's losses; 0 turns an effect off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamFeedback {
    /// Share by which friction falls.
    pub friction: f64,
    /// Share by which evaporation falls.
    pub evaporation: f64,
}

impl Default for StreamFeedback {
    fn default() -> Self {
        Self {
            friction: 0.5,
            evaporation: 0.2,
        }
    }
}

/// What one side of the map does with water.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Water and sediment leave.
    #[default]
    Open,
    /// A wall.
    Closed,
}

/// The map's four sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edges {
    /// The side of row 0.
    pub north: Edge,
    /// The side of the last column.
    pub east: Edge,
    /// The side of the last row.
    pub south: Edge,
    /// The side of column 0.
    pub west: Edge,
    /// Width, m, of the ground beyond open sides, continued from the map, on which rain falls and from which it
    /// runs in; cut off in the end. To the nearest cell, and at most half of the map.
    pub apron_m: f64,
}

impl Edges {
    /// The same on all four sides, with the default apron.
    #[must_use]
    pub const fn all(edge: Edge) -> Self {
        Self {
            north: edge,
            east: edge,
            south: edge,
            west: edge,
            apron_m: 320.0,
        }
    }
}

impl Default for Edges {
    fn default() -> Self {
        Self::all(Edge::Open)
    }
}

/// Standing water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pools {
    /// Share of a pool's excess over a sill that was cut down, which leaves per droplet that reached the pool.
    pub drain: f64,
    /// Share of its sediment that a droplet keeps when it passes through a full pool.
    pub sediment_kept: f64,
    /// Full pools that one droplet may pass through in one cycle.
    pub spills: u32,
    /// Droplets per cell after which the whole map's pools are reconciled.
    pub reconcile_every: f64,
    /// Depth that evaporates from standing water in a cycle, m. A cycle brings the water depth ÷ cycles of rain.
    pub lake_evaporation_m: f64,
    /// Depth that seeps away under standing water in a cycle, m.
    pub seepage_m: f64,
}

impl Default for Pools {
    fn default() -> Self {
        Self {
            drain: 0.001,
            sediment_kept: 0.1,
            spills: 5,
            reconcile_every: 0.02,
            lake_evaporation_m: 0.0,
            seepage_m: 0.0,
        }
    }
}

/// Plants. Chances are per published cycle, of 0.0038 droplets per cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vegetation {
    /// Share of the missing size that a plant gains.
    pub growth: f64,
    /// Size of a new plant, 0..1.
    pub initial_size: f64,
    /// Chance that a plant appears on a square of the reference length.
    pub spawn: f64,
    /// Chance that a plant tries to have a child.
    pub spread: f64,
    /// How far a child may stand from its parent along each axis, m.
    pub spread_m: f64,
    /// Chance that a plant dies.
    pub death: f64,
    /// Stream value above which plants die and none grow.
    pub max_stream: f64,
    /// Upward part of the unit surface normal above which plants appear: 0.8 is a slope of 37°.
    pub min_normal: f64,
}

impl Default for Vegetation {
    fn default() -> Self {
        Self {
            growth: 0.05,
            initial_size: 0.5,
            spawn: 1.0 / 65_536.0,
            spread: 1.0 / 50.0,
            spread_m: 40.0,
            death: 1.0 / 1000.0,
            max_stream: 0.2,
            min_normal: 0.8,
        }
    }
}

/// How the map is cut up. Part of the recipe: another tiling gives another of the equally good outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Edge of a tile's core, cells; none: by the size of the map.
    pub tile_cells: Option<usize>,
    /// Cells around a core that its droplets may use, at most half of a tile.
    pub halo_cells: usize,
    /// Droplets that move in lockstep, 1 to 16.
    pub lanes: usize,
}

impl Default for Tiling {
    fn default() -> Self {
        Self {
            tile_cells: None,
            halo_cells: 16,
            lanes: 16,
        }
    }
}
