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

/// Ground from a raster file, whose size, cell size, reference system and origin become the map's unless `grid` says
/// otherwise.
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
    /// Which band holds the elevation, from 1; absent: the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(range(min = 1, max = 65_536)))]
    pub band: Option<u32>,
    /// What the values count; absent: what the file says, and metres where it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub units: Option<Units>,
    /// How the raster comes onto `grid`, where there is one.
    #[serde(default)]
    #[garde(skip)]
    pub fit: Fit,
    /// How values between cells are found where they are computed anew.
    #[serde(default)]
    #[garde(skip)]
    pub method: Method,
    /// Whether a raster in degrees or feet, or with cells that are oblong or turned, is reprojected (`auto`) or refused
    /// (`never`).
    #[serde(default)]
    #[garde(skip)]
    pub reproject: Reproject,
}

/// What a raster's values count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Units {
    /// Metres.
    Metres,
    /// International feet of 0.3048 m.
    Feet,
    /// US survey feet of 1200/3937 m.
    UsFeet,
}

/// How a raster comes onto the map's grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// `grid`, where there is one, is the raster's own.
    #[default]
    Exact,
    /// Cells are computed anew for `grid`; those beyond the raster are without data.
    Resample,
    /// `grid` is a part of the raster, cell by cell.
    Crop,
}

/// How values between cells are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The nearest cell's.
    Nearest,
    /// From the four cells around, or by distance where cells become larger.
    #[default]
    Bilinear,
    /// From 16 cells.
    Cubic,
    /// From 36 cells.
    Lanczos,
    /// The mean of the cells that a new one covers.
    Average,
}

/// What is done with a raster that is no north-up plane of square metres.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reproject {
    /// It is refused, with the command that mends it.
    #[default]
    Never,
    /// It is computed anew in the UTM zone of its centre, or in the polar plane beyond UTM.
    Auto,
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
