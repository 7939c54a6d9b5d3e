//! Points, lines and areas.

use super::noise::words;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lakes, rivers, basins and contours as features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Vectors {
    /// What is drawn, by name; absent: all that the stages make, contours where they have an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(min = 1)))]
    pub layers: Option<Vec<Features>>,
    /// Drainage area from which on water makes a river.
    #[garde(range(min = 1e-6, max = 1e6))]
    #[schemars(extend("unit" = "km²"))]
    pub river_area_km2: f64,
    /// Elevation from one contour to the next; absent: no contours.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[garde(inner(range(min = 1e-2, max = 1e5)))]
    #[schemars(extend("unit" = "m"))]
    pub interval_m: Option<f64>,
}

impl Default for Vectors {
    fn default() -> Self {
        Self {
            layers: None,
            river_area_km2: 0.5,
            interval_m: None,
        }
    }
}

words! {
    /// A layer of features.
    Features {
        /// Where basins end, as areas.
        #[default]
        Basins,
        /// Standing water, as areas, with the columns of the table `lakes`.
        Lakes,
        /// Lines of equal elevation.
        Contours,
        /// Lines from sources to mouths.
        Rivers,
        /// Where lakes spill, as points.
        Outlets,
    }
}

impl Features {
    /// Every layer, in the order of a file: what is drawn last lies on top.
    pub const ALL: [Self; 5] = [
        Self::Basins,
        Self::Lakes,
        Self::Contours,
        Self::Rivers,
        Self::Outlets,
    ];

    /// Whether it needs lakes.
    #[must_use]
    pub const fn needs_lakes(self) -> bool {
        matches!(self, Self::Lakes | Self::Outlets)
    }
}

impl Vectors {
    /// Whether a layer is named that needs lakes.
    #[must_use]
    pub fn needs_lakes(&self) -> bool {
        let mut named = self.layers.iter().flatten();
        named.any(|features| features.needs_lakes())
    }

    /// The layers in the order of the file, where lakes are made or not.
    #[must_use]
    pub fn drawn(&self, lakes: bool) -> Vec<Features> {
        let drawn = |features: &Features| match &self.layers {
            Some(layers) => layers.contains(features),
            None if features.needs_lakes() => lakes,
            None => *features != Features::Contours || self.interval_m.is_some(),
        };
        Features::ALL.into_iter().filter(drawn).collect()
    }
}
