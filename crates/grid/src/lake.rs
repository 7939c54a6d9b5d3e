use serde::{Deserialize, Serialize, Serializer};

/// One lake: a row of the table of lakes. Volumes and areas are those of the last moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lake {
    /// The lake's number in the layer `lake_id`.
    pub id: u32,
    /// Elevation of the surface, m.
    pub level_m: f64,
    /// Area of the surface, km².
    pub area_km2: f64,
    /// Water under the surface, m³.
    pub volume_m3: f64,
    /// Volume over area, m.
    pub mean_depth_m: f64,
    /// Depth at the deepest cell, m.
    pub max_depth_m: f64,
    /// Easting of the middle of the sill's cell, m; none where the lake does not spill.
    pub outlet_x_m: Option<f64>,
    /// Northing of the middle of the sill's cell, m.
    pub outlet_y_m: Option<f64>,
    /// Where the water goes that the lake cannot hold.
    pub spills_to: SpillsTo,
    /// Area whose water runs into the lake, through lakes above it too, its own surface included, km².
    pub catchment_km2: f64,
    /// Lakes in a row that flow one into the next, from this one on: 1 where it flows into no other.
    pub chain: u32,
}

impl Lake {
    /// Names of the table's columns, in order.
    pub const COLUMNS: [&'static str; 11] = [
        "id",
        "level_m",
        "area_km2",
        "volume_m3",
        "mean_depth_m",
        "max_depth_m",
        "outlet_x_m",
        "outlet_y_m",
        "spills_to",
        "catchment_km2",
        "chain",
    ];
}

/// Where a lake's water goes that it cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum SpillsTo {
    /// Another lake.
    Lake(u32),
    /// The sea.
    Sea,
    /// Off the map.
    Edge,
    /// Nowhere: the lake is not full, or the water ends in a dry basin.
    Nowhere,
}

/// For people a table's entry: a number, a word or nothing. What only the program reads is what `Deserialize` expects.
impl Serialize for SpillsTo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            let name = "SpillsTo";
            return match self {
                Self::Lake(id) => serializer.serialize_newtype_variant(name, 0, "Lake", id),
                Self::Sea => serializer.serialize_unit_variant(name, 1, "Sea"),
                Self::Edge => serializer.serialize_unit_variant(name, 2, "Edge"),
                Self::Nowhere => serializer.serialize_unit_variant(name, 3, "Nowhere"),
            };
        }
        match self {
            Self::Lake(id) => serializer.serialize_u32(*id),
            Self::Sea => serializer.serialize_str("sea"),
            Self::Edge => serializer.serialize_str("edge"),
            Self::Nowhere => serializer.serialize_none(),
        }
    }
}

/// A depression that holds less water than it could, and why: what came in went away as fast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DryBasin {
    /// Easting of the middle of its lowest cell, m.
    pub x_m: f64,
    /// Northing of the middle of its lowest cell, m.
    pub y_m: f64,
    /// Depth that it would have, filled to its sill, m.
    pub depth_m: f64,
    /// Area that it would then cover, km².
    pub area_km2: f64,
    /// Water that came in over the stage, m³.
    pub inflow_m3: f64,
    /// Water that evaporated from it over the stage, m³.
    pub evaporated_m3: f64,
    /// Water that seeped away from it over the stage, m³.
    pub seeped_m3: f64,
}

/// All standing water of a map, as tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Lakes {
    /// By id, ascending.
    pub lakes: Vec<Lake>,
    /// Depressions deeper than a centimetre without water.
    pub dry_basins: Vec<DryBasin>,
    /// The longest row of lakes that flow one into the next; 0 without a lake.
    pub max_chain: u32,
}

#[cfg(test)]
mod tests {
    use super::SpillsTo;

    #[test]
    fn where_water_goes_is_an_entry_for_people_and_comes_back_from_the_program() {
        let all = [
            (SpillsTo::Lake(7), "7"),
            (SpillsTo::Sea, "\"sea\""),
            (SpillsTo::Edge, "\"edge\""),
            (SpillsTo::Nowhere, "null"),
        ];
        for (goes, told) in all {
            assert_eq!(serde_json::to_string(&goes).unwrap(), told);
            let bytes = postcard::to_stdvec(&goes).unwrap();
            assert_eq!(postcard::from_bytes::<SpillsTo>(&bytes), Ok(goes));
        }
    }
}
