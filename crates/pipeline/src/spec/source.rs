use super::{Noise, Range, plain_id};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Size and place of the map: north-up, square cells, coordinates in metres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// Number of rows, north to south.
    #[garde(range(min = 1))]
    #[schemars(extend("unit" = "cells"))]
    pub rows: u64,
    /// Number of columns, west to east.
    #[garde(range(min = 1))]
    #[schemars(extend("unit" = "cells"))]
    pub cols: u64,
    /// Edge length of a cell.
    #[garde(range(min = 1e-3, max = 1e6))]
    #[schemars(extend("unit" = "m"))]
    pub cell_size_m: f64,
    /// Projected coordinate reference system in metres, such as `EPSG:32633`; absent: a local plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub crs: Option<String>,
    /// Outer corner of the north-west cell: easting and northing.
    #[serde(default)]
    #[garde(inner(range(min = -1e9, max = 1e9)))]
    #[schemars(extend("unit" = "m"))]
    pub origin_m: [f64; 2],
}

/// Ground from noise. It is a function of world coordinates: maps that overlap agree where the range is
/// `theoretical`, and before the range is applied always.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Synthesize {
    /// Name of the stage: part of the seed of its random choices and of `--set` paths.
    #[garde(custom(plain_id))]
    pub id: String,
    /// Elevations that the low and high end of the noise's range become.
    #[garde(inner(range(min = -1e5, max = 1e5)), custom(ascending))]
    #[schemars(extend("unit" = "m"))]
    pub elevation_m: [f64; 2],
    /// The noise.
    #[garde(dive)]
    pub noise: Noise,
    /// Expressions with names, which `noise` and each other may `use`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[garde(dive)]
    pub define: BTreeMap<String, Noise>,
    /// Which range of the noise is mapped: what this map holds, or what theory allows.
    #[serde(default)]
    #[garde(skip)]
    pub range: Range,
}

/// Ground from a raster file, whose size, cell size, reference system and origin become the map's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Name of the stage: part of `--set` paths.
    #[garde(custom(plain_id))]
    pub id: String,
    /// Any raster that GDAL opens. In a file the path is relative to the file; in `--set`, to the folder in
    /// which the program runs.
    #[garde(length(min = 1))]
    pub path: String,
    /// Which band holds the elevation.
    #[serde(default = "one")]
    #[garde(range(min = 1, max = 65_536))]
    pub band: u32,
}

const fn one() -> u32 {
    1
}

fn ascending(range: &[f64; 2], _: &()) -> garde::Result {
    if range[0] <= range[1] {
        return Ok(());
    }
    Err(garde::Error::new(format!(
        "must be the lowest elevation, then the highest, found [{}, {}]",
        range[0], range[1]
    )))
}
