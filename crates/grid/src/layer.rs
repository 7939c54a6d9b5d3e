use serde::{Deserialize, Serialize};

/// A quantity that a map holds per cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Height of the ground, m.
    Elevation,
    /// Elevation now less elevation before the first erosion, m.
    Change,
    /// Visit frequency of droplets, 0..1: the method's stream map.
    Stream,
    /// Mean water volume that passes, m³ per cycle.
    Discharge,
    /// Depth of standing water, m, 0 where dry.
    PoolDepth,
    /// Elevation of the surface of standing water, m, nodata where dry.
    WaterLevel,
    /// Number of the pool that covers the cell, 0 where dry.
    LakeId,
    /// Plant density, 0..1.
    Vegetation,
}

impl Layer {
    /// Every layer, in the order of this enum.
    pub const ALL: [Self; 8] = [
        Self::Elevation,
        Self::Change,
        Self::Stream,
        Self::Discharge,
        Self::PoolDepth,
        Self::WaterLevel,
        Self::LakeId,
        Self::Vegetation,
    ];

    /// The layer's name in pipeline files and band descriptions.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elevation => "elevation",
            Self::Change => "change",
            Self::Stream => "stream",
            Self::Discharge => "discharge",
            Self::PoolDepth => "pool_depth",
            Self::WaterLevel => "water_level",
            Self::LakeId => "lake_id",
            Self::Vegetation => "vegetation",
        }
    }

    /// The unit of the layer's values; empty for shares and ids.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Elevation | Self::Change | Self::PoolDepth | Self::WaterLevel => "m",
            Self::Discharge => "m3/cycle",
            Self::Stream | Self::LakeId | Self::Vegetation => "",
        }
    }
}

impl std::fmt::Display for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
