use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thalweg_grid::Layer;

/// One file to write: its path and exactly one of the kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = one_kind)]
pub struct Output {
    /// The file, below the output folder; `.tif` for a layer, `.png` for a picture, `.csv` for a table.
    #[garde(length(min = 1))]
    pub path: String,
    /// Writes a layer as a GeoTIFF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    #[schemars(schema_with = "layers")]
    pub layer: Option<Layer>,
    /// Writes a shaded picture of the ground as a PNG with a world file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub hillshade: Option<Hillshade>,
    /// Writes a table as CSV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub table: Option<Table>,
}

/// A table that a run can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// One row per lake: level, size, outlet, where it spills to, catchment.
    Lakes,
}

/// What an output holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Content {
    /// A layer's values.
    Layer(Layer),
    /// The ground in slanting light.
    Hillshade(Hillshade),
    /// Rows of numbers.
    Table(Table),
}

impl Output {
    /// What the output holds; none where the file does not name exactly one kind.
    #[must_use]
    pub const fn content(&self) -> Option<Content> {
        match (self.layer, self.hillshade, self.table) {
            (Some(layer), None, None) => Some(Content::Layer(layer)),
            (None, Some(hillshade), None) => Some(Content::Hillshade(hillshade)),
            (None, None, Some(table)) => Some(Content::Table(table)),
            _ => None,
        }
    }

    /// The keys that name a kind.
    pub const KINDS: [&'static str; 3] = ["layer", "hillshade", "table"];
}

/// The ground in slanting light, as `gdaldem hillshade` draws it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Hillshade {
    /// Where the light comes from, clockwise from north.
    #[garde(range(min = 0.0, max = 360.0))]
    #[schemars(extend("unit" = "°"))]
    pub azimuth_deg: f64,
    /// How high the light stands above the horizon.
    #[garde(range(min = 0.0, max = 90.0))]
    #[schemars(extend("unit" = "°"))]
    pub altitude_deg: f64,
    /// Factor by which relief is exaggerated.
    #[garde(range(min = 1e-3, max = 1e3))]
    pub z_factor: f64,
}

fn layers(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "enum": Layer::ALL.map(Layer::name),
        "description": "Writes a layer as a GeoTIFF.",
    })
}

fn one_kind(schema: &mut Schema) {
    let kinds: Vec<_> = Output::KINDS
        .iter()
        .map(|kind| serde_json::json!({ "required": [kind] }))
        .collect();
    schema.insert("oneOf".to_owned(), kinds.into());
}
