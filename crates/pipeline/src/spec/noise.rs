use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A noise: a plain source, or a sum of octaves of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// Gradient noise on a square lattice.
    Perlin(#[garde(dive)] Plain),
    /// Gradient noise on triangles.
    Simplex(#[garde(dive)] Plain),
    /// Gradient noise on triangles, of another construction.
    Opensimplex(#[garde(dive)] Plain),
    /// Interpolated random values.
    Value(#[garde(dive)] Plain),
    /// Distance to scattered points: cells.
    Worley(#[garde(dive)] Plain),
    /// Fractional Brownian motion: a plain sum of octaves.
    Fbm(#[garde(dive)] Sum),
    /// Round hills and sharp valleys.
    Billow(#[garde(dive)] Sum),
    /// Ridged multifractal: sharp ridges.
    Ridged(#[garde(dive)] Sum),
    /// Perlin's turbulence: a sum of magnitudes.
    Turbulence(#[garde(dive)] Sum),
}

/// A plain source of noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    /// Length of a wave: the edge of a lattice cell.
    #[garde(range(min = 1e-3, max = 1e9))]
    #[schemars(extend("unit" = "m"))]
    pub wavelength_m: f64,
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
}

/// Eight octaves, each of half the wavelength and amplitude of the one before: the method's initial terrain.
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
}

/// What octaves are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Gradient noise on a square lattice.
    #[default]
    Perlin,
    /// Gradient noise on triangles.
    Simplex,
    /// Gradient noise on triangles, of another construction.
    Opensimplex,
    /// Interpolated random values.
    Value,
    /// Distance to scattered points: cells.
    Worley,
}

/// Which range of a noise becomes the elevations asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// The lowest and highest value on this map.
    #[default]
    Observed,
    /// The lowest and highest value that the noise can take anywhere.
    Theoretical,
}

impl Noise {
    /// Number of octaves: what its cost goes by.
    #[must_use]
    pub const fn octaves(&self) -> u32 {
        match self {
            Self::Fbm(sum) | Self::Billow(sum) | Self::Ridged(sum) | Self::Turbulence(sum) => {
                sum.octaves
            }
            _ => 1,
        }
    }
}
