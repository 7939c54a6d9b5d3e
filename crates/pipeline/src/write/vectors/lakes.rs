//! Lakes as areas and where they spill as points.

use super::{area, styles};
use serde_json::Value;
use thalweg_analysis::outline::outlines;
use thalweg_geotiff::{Feature, FeatureShape, FieldKind, FieldValue, Geometry, VectorLayer};
use thalweg_grid::{Lake, Layer, Map, Raster, SpillsTo};

/// The lakes of a map with the columns of their table; one without cells on the map is left out.
pub(super) fn areas(map: &Map) -> VectorLayer {
    let mut outlines = match map.layers.get(&Layer::LakeId) {
        Some(Raster::Ids(ids)) => outlines(ids.view()),
        _ => Default::default(),
    };
    let lakes = map.lakes.iter().flat_map(|lakes| &lakes.lakes);
    let features = lakes.filter_map(|lake| {
        Some(Feature {
            geometry: area(&map.grid, &outlines.remove(&lake.id)?),
            values: row(lake),
        })
    });
    VectorLayer {
        name: "lakes",
        description: "Standing water",
        shape: FeatureShape::Area,
        features: features.collect(),
        fields: Lake::COLUMNS.map(|name| (name, kind(name))).to_vec(),
        style: Some(styles::LAKES),
    }
}

fn kind(column: &str) -> FieldKind {
    match column {
        "id" | "chain" => FieldKind::Integer,
        "spills_to" => FieldKind::Text,
        _ => FieldKind::Real,
    }
}

/// A row of the table of lakes.
fn row(lake: &Lake) -> Vec<FieldValue> {
    let json = serde_json::to_value(lake).unwrap_or_default();
    let value = |name: &&str| {
        let found = match (kind(name), &json[*name]) {
            (FieldKind::Text, Value::String(text)) => Some(FieldValue::Text(text.clone())),
            (FieldKind::Text, Value::Number(id)) => Some(FieldValue::Text(id.to_string())),
            (FieldKind::Integer, value) => value.as_i64().map(FieldValue::Integer),
            (FieldKind::Real, value) => value.as_f64().map(FieldValue::Real),
            _ => None,
        };
        found.unwrap_or(FieldValue::Null)
    };
    Lake::COLUMNS.iter().map(value).collect()
}

/// The middles of the cells over which lakes spill.
pub(super) fn outlets(map: &Map) -> VectorLayer {
    let lakes = map.lakes.iter().flat_map(|lakes| &lakes.lakes);
    let features = lakes.filter_map(|lake| {
        let into = match lake.spills_to {
            SpillsTo::Lake(id) => Some(i64::from(id)),
            _ => None,
        };
        Some(Feature {
            geometry: Geometry::Point([lake.outlet_x_m?, lake.outlet_y_m?]),
            values: vec![
                FieldValue::Integer(i64::from(lake.id)),
                into.into(),
                FieldValue::Real(lake.level_m),
            ],
        })
    });
    VectorLayer {
        name: "outlets",
        description: "Where lakes spill",
        shape: FeatureShape::Point,
        fields: vec![
            ("lake_id", FieldKind::Integer),
            ("into_lake_id", FieldKind::Integer),
            ("level_m", FieldKind::Real),
        ],
        features: features.collect(),
        style: Some(styles::OUTLETS),
    }
}
