use super::{defaults_of, plain_id};
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thalweg_erosion::{Edge, Parameters};

/// Droplet erosion. Defaults are the method's published constants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Erode {
    /// Name of the stage: part of the seed of its random choices and of `--set` paths.
    #[garde(custom(plain_id))]
    pub id: String,
    /// Droplets of the whole stage.
    #[serde(default = "defaults::droplets_per_cell")]
    #[garde(range(min = 0.0, max = 1e6))]
    #[schemars(extend("unit" = "per cell"))]
    pub droplets_per_cell: f64,
    /// Batches that the droplets are spread over; 0: no erosion.
    #[serde(default = "defaults::cycles")]
    #[garde(range(max = 10_000_000))]
    pub cycles: u32,
    /// The length in which the method counts positions, elevations and speeds.
    #[serde(default = "defaults::reference_length_m")]
    #[garde(range(min = 1e-3, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub reference_length_m: f64,
    /// Depth of the water that all droplets together bring, spread evenly; absent: 10 × droplets per cell.
    #[serde(
        default = "defaults::water_depth_m",
        skip_serializing_if = "Option::is_none"
    )]
    #[garde(range(min = 0.0, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub water_depth_m: Option<f64>,
    /// Inertia of a droplet.
    #[serde(default = "defaults::density")]
    #[garde(range(min = 1e-3, max = 1e3))]
    pub density: f64,
    /// Share of velocity lost per unit of time.
    #[serde(default = "defaults::friction")]
    #[garde(range(min = 0.0, max = 100.0))]
    #[schemars(extend("unit" = "1/time"))]
    pub friction: f64,
    /// Share of volume lost per unit of time.
    #[serde(default = "defaults::evaporation")]
    #[garde(range(min = 0.0, max = 100.0))]
    #[schemars(extend("unit" = "1/time"))]
    pub evaporation: f64,
    /// Rate at which the load moves towards capacity.
    #[serde(default = "defaults::exchange")]
    #[garde(range(min = 0.0, max = 100.0))]
    #[schemars(extend("unit" = "1/time"))]
    pub exchange: f64,
    /// Slope above which a bank collapses into the stream that undercuts it. Below about 0.5 valleys widen into
    /// plains; above 1 rivers cut slots of single cells.
    #[serde(default = "defaults::bank_slope")]
    #[garde(range(min = 0.01, max = 1e6))]
    #[schemars(extend("unit" = "m/m"))]
    pub bank_slope: f64,
    /// Volume below which a droplet ends; it starts with 1.
    #[serde(default = "defaults::minimum_volume")]
    #[garde(range(min = 1e-4, max = 0.99))]
    #[schemars(extend("unit" = "share"))]
    pub minimum_volume: f64,
    /// Stream value above which a droplet without acceleration stops.
    #[serde(default = "defaults::stop_stream")]
    #[garde(range(min = 0.0, max = 1.0))]
    pub stop_stream: f64,
    /// Acceleration below which a droplet in a stream stops.
    #[serde(default = "defaults::stop_acceleration")]
    #[garde(range(min = 0.0, max = 1e3))]
    pub stop_acceleration: f64,
    /// Path length after which a droplet ends; absent: no limit.
    #[serde(
        default = "defaults::max_path_km",
        skip_serializing_if = "Option::is_none"
    )]
    #[garde(range(min = 1e-6, max = 1e9))]
    #[schemars(extend("unit" = "km"))]
    pub max_path_km: Option<f64>,
    /// Share by which stream and discharge move towards a cycle's track, per published cycle.
    #[serde(default = "defaults::learning_rate")]
    #[garde(range(min = 0.0, max = 0.999))]
    #[schemars(extend("unit" = "share"))]
    pub learning_rate: f64,
    /// How strongly an established stream lowers a droplet's losses.
    #[serde(default)]
    #[garde(dive)]
    pub stream_feedback: StreamFeedback,
    /// What the map's sides do with water.
    #[serde(default)]
    #[garde(dive)]
    pub edges: Edges,
    /// Cells at and below this elevation that are connected to the map's edge are sea; absent: no sea.
    #[serde(
        default = "defaults::sea_level_m",
        skip_serializing_if = "Option::is_none"
    )]
    #[garde(range(min = -1e6, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub sea_level_m: Option<f64>,
    /// Standing water; absent: off, `{}`: on with defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub pools: Option<Pools>,
    /// Plants, which hold the ground; absent: off, `{}`: on with defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub vegetation: Option<Vegetation>,
    /// How the map is cut up: part of the recipe, another tiling gives another of the equally good outcomes.
    #[serde(default)]
    #[garde(dive)]
    pub tiling: Tiling,
}

defaults_of!(Parameters::default() =>
    droplets_per_cell: f64, cycles: u32, reference_length_m: f64, water_depth_m: Option<f64>, density: f64,
    friction: f64, evaporation: f64, exchange: f64, bank_slope: f64, minimum_volume: f64,
    stop_stream: f64, stop_acceleration: f64, max_path_km: Option<f64>, learning_rate: f64, sea_level_m: Option<f64>,
);

/// How strongly an established stream lowers a droplet's losses; 0 turns an effect off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct StreamFeedback {
    /// Share by which friction falls.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "share"))]
    pub friction: f64,
    /// Share by which evaporation falls.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "share"))]
    pub evaporation: f64,
}

/// What the map's sides do: water and sediment leave through an `open` side, a `closed` one is a wall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
#[garde(allow_unvalidated)]
pub struct Edges {
    /// The side of the first row.
    #[schemars(schema_with = "edge")]
    pub north: Edge,
    /// The side of the last column.
    #[schemars(schema_with = "edge")]
    pub east: Edge,
    /// The side of the last row.
    #[schemars(schema_with = "edge")]
    pub south: Edge,
    /// The side of the first column.
    #[schemars(schema_with = "edge")]
    pub west: Edge,
    /// Width of the ground beyond open sides, continued from the map, on which rain falls and from which it runs
    /// in; cut off in the end. At most half of the map is used.
    #[garde(range(min = 0.0, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub apron_m: f64,
}

/// Standing water that fills, spills at the lowest outlet and drains.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Pools {
    /// Share of a pool's excess over a sill that was cut down, which leaves per droplet that reached it.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "share"))]
    pub drain: f64,
    /// Share of its sediment that a droplet keeps when it passes through a full pool.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "share"))]
    pub sediment_kept: f64,
    /// Full pools that one droplet may pass through in one cycle.
    #[garde(range(max = 1_000_000))]
    pub spills: u32,
    /// Droplets after which the whole map's pools are reconciled.
    #[garde(range(min = 0.0, max = 1e6))]
    #[schemars(extend("unit" = "per cell"))]
    pub reconcile_every: f64,
    /// Depth that evaporates from standing water in a cycle; a closed basin keeps a smaller lake in a dry climate.
    #[garde(range(min = 0.0, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub lake_evaporation_m: f64,
    /// Depth that seeps away under standing water in a cycle.
    #[garde(range(min = 0.0, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub seepage_m: f64,
}

/// Plants. Chances are per published cycle, of 0.0038 droplets per cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Vegetation {
    /// Share of the missing size that a plant gains.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "share"))]
    pub growth: f64,
    /// Size of a new plant.
    #[garde(range(min = 0.01, max = 1.0))]
    #[schemars(extend("unit" = "share"))]
    pub initial_size: f64,
    /// Chance that a plant appears on a square of the reference length.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "chance"))]
    pub spawn: f64,
    /// Chance that a plant tries to have a child.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "chance"))]
    pub spread: f64,
    /// How far a child may stand from its parent along each axis.
    #[garde(range(min = 0.0, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub spread_m: f64,
    /// Chance that a plant dies.
    #[garde(range(min = 0.0, max = 1.0))]
    #[schemars(extend("unit" = "chance"))]
    pub death: f64,
    /// Stream value above which plants die and none grow.
    #[garde(range(min = 0.0, max = 1.0))]
    pub max_stream: f64,
    /// Upward part of the unit surface normal above which plants appear: 0.8 is a slope of 37°.
    #[garde(range(min = 0.0, max = 1.0))]
    pub min_normal: f64,
}

/// How the map is cut up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Tiling {
    /// Edge of a tile's core; absent: by the size of the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[garde(range(min = 4, max = 1_000_000))]
    #[schemars(extend("unit" = "cells"))]
    pub tile_cells: Option<u32>,
    /// Cells around a core that its droplets may use, at most half of a tile.
    #[garde(range(min = 2, max = 4096))]
    #[schemars(extend("unit" = "cells"))]
    pub halo_cells: u32,
    /// Droplets that move in lockstep.
    #[garde(range(min = 1, max = 16))]
    pub lanes: u32,
}

fn edge(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["open", "closed"] })
}
