use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Noise on a square lattice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Lattice {
    /// Length of a wave: the edge of a lattice cell.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub wavelength_m: f64,
    /// How values go from one lattice line to the next.
    #[serde(default)]
    #[garde(skip)]
    pub interpolation: Interpolation,
    /// Which coordinates it depends on.
    #[serde(default)]
    #[garde(skip)]
    pub along: Along,
    /// Change over time; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub evolution: Option<Evolution>,
    /// Whose kernels do the work.
    #[serde(default)]
    #[garde(skip)]
    pub backend: Backend,
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// Noise on a lattice of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Wavelets {
    /// Length of a wave: the edge of a lattice cell.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub wavelength_m: f64,
    /// Change over time; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub evolution: Option<Evolution>,
    /// Whose kernels do the work.
    #[serde(default)]
    #[garde(skip)]
    pub backend: Backend,
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// Cells around scattered points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Worley {
    /// Length of a wave: the edge of a lattice cell.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub wavelength_m: f64,
    /// How distance is measured.
    #[serde(default)]
    #[garde(skip)]
    pub metric: Metric,
    /// What of it is told.
    #[serde(default)]
    #[garde(skip)]
    pub value: WorleyValue,
    /// Change over time; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub evolution: Option<Evolution>,
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// White noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct White {
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// A ramp.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Gradient {
    /// Where it begins: easting and northing.
    #[garde(inner(range(min = -1e9, max = 1e9)))]
    #[schemars(extend("unit" = "m"))]
    pub from_m: [f64; 2],
    /// Where it rises to, clockwise from north.
    #[garde(range(min = -360.0, max = 360.0))]
    #[schemars(extend("unit" = "°"))]
    pub azimuth_deg: f64,
    /// Over which length it rises from 0 to 1.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub length_m: f64,
}

/// A cone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Distance {
    /// The point that is 0: easting and northing.
    #[garde(inner(range(min = -1e9, max = 1e9)))]
    #[schemars(extend("unit" = "m"))]
    pub to_m: [f64; 2],
    /// At which distance from it the value is 1.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub radius_m: f64,
}

/// Midpoint displacement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct DiamondSquare {
    /// Spacing of the coarsest lattice.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub wavelength_m: f64,
    /// How often the spacing is halved.
    #[garde(range(min = 0, max = 24))]
    pub levels: u32,
    /// Factor by which the amplitude falls from octave to octave.
    #[serde(default = "defaults::gain")]
    #[garde(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// A cellular automaton.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Automaton {
    /// Edge of a cell.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub cell_m: f64,
    /// Chance that a cell lives at first.
    #[serde(default = "defaults::fill")]
    #[garde(range(min = 0.0, max = 1.0))]
    pub fill: f64,
    /// How often the rule is applied.
    #[serde(default = "defaults::generations")]
    #[garde(range(min = 0, max = 64))]
    pub generations: u32,
    /// Living neighbours, of eight, of which a dead cell is born.
    #[serde(default = "defaults::born")]
    #[garde(range(min = 0, max = 9))]
    pub born: u32,
    /// Living neighbours with which a living cell stays.
    #[serde(default = "defaults::survive")]
    #[garde(range(min = 0, max = 9))]
    pub survive: u32,
    /// Whether values are interpolated between centres of cells.
    #[serde(default)]
    #[garde(skip)]
    pub smooth: bool,
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// A sum of octaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// What each octave is made of.
    #[serde(default)]
    #[garde(skip)]
    pub source: Source,
    /// Wavelength of the first octave.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub wavelength_m: f64,
    /// Number of octaves.
    #[serde(default = "defaults::octaves")]
    #[garde(range(min = 1, max = 32))]
    pub octaves: u32,
    /// Factor by which the wavelength falls from octave to octave.
    #[serde(default = "defaults::lacunarity")]
    #[garde(range(min = 1.0, max = 8.0))]
    pub lacunarity: f64,
    /// Factor by which the amplitude falls from octave to octave.
    #[serde(default = "defaults::gain")]
    #[garde(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// By how much each octave is turned against the one before.
    #[serde(default)]
    #[garde(range(min = -360.0, max = 360.0))]
    #[schemars(extend("unit" = "°"))]
    pub rotation_deg: f64,
    /// How values go from one lattice line to the next.
    #[serde(default)]
    #[garde(skip)]
    pub interpolation: Interpolation,
    /// How distance is measured.
    #[serde(default)]
    #[garde(skip)]
    pub metric: Metric,
    /// What of it is told.
    #[serde(default)]
    #[garde(skip)]
    pub value: WorleyValue,
    /// Change over time; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub evolution: Option<Evolution>,
    /// Whose kernels do the work.
    #[serde(default)]
    #[garde(skip)]
    pub backend: Backend,
    /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
    #[serde(default)]
    #[garde(skip)]
    pub seed: u64,
}

/// Change over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Evolution {
    /// Time in which the first octave changes as much as over a wavelength.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "s"))]
    pub change_s: f64,
    /// Time after which all begins again without a seam; absent: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(range(min = 1e-3, max = 1e9)))]
    #[schemars(extend("unit" = "s"))]
    pub loop_s: Option<f64>,
}

/// Eight octaves, each of half the wavelength and amplitude of the one before: the method's initial terrain. Caves.
mod defaults {
    pub(super) const fn octaves() -> u32 {
        8
    }
    pub(super) const fn lacunarity() -> f64 {
        2.0
    }
    pub(super) const fn gain() -> f64 {
        0.5
    }
    pub(super) const fn fill() -> f64 {
        0.45
    }
    pub(super) const fn generations() -> u32 {
        5
    }
    pub(super) const fn born() -> u32 {
        5
    }
    pub(super) const fn survive() -> u32 {
        4
    }
}

/// A choice of one word among several, the default marked.
macro_rules! words {
    ($($(#[doc = $doc:literal])* $name:ident { $($rest:tt)* })+) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($rest)* }
    )+};
}
pub(in crate::spec) use words;

words! {
    /// What octaves are made of.
    Source {
        /// Gradient noise on a square lattice.
        #[default]
        Perlin,
        /// Interpolated random values.
        Value,
        /// Gradient noise on triangles.
        Simplex,
        /// Gradient noise on triangles, in 24 directions.
        Opensimplex2,
        /// The same, smoother.
        Opensimplex2s,
        /// Another name of `opensimplex2s`.
        Opensimplex,
        /// Distance to scattered points: cells.
        Worley,
    }

    /// How values go from one lattice line to the next.
    Interpolation {
        /// Straight, with folds at lattice lines.
        Linear,
        /// Along half a cosine.
        Cosine,
        /// Along a cubic.
        Smoothstep,
        /// Along a polynomial of fifth order: smooth in slope, too.
        #[default]
        Quintic,
    }

    /// How distance is measured.
    Metric {
        /// Straight.
        #[default]
        Euclidean,
        /// Along the axes.
        Manhattan,
        /// Along the longer axis.
        Chebyshev,
    }

    /// What cellular noise tells.
    WorleyValue {
        /// Distance to the nearest point, F1.
        #[default]
        Nearest,
        /// Distance to the second nearest, F2.
        Second,
        /// F2 − F1: borders of cells.
        Border,
        /// A random number for each cell.
        Cell,
    }

    /// Which coordinates noise depends on.
    Along {
        /// Both.
        #[default]
        Both,
        /// Easting alone.
        Easting,
        /// Northing alone.
        Northing,
    }
}

/// Whose kernels do the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Ours.
    #[default]
    Thalweg,
    /// Those of the Rust crate `noise`, with our hashes.
    NoiseRs,
}
