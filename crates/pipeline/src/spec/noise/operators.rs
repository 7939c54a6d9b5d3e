use super::sources::words;
use super::{Noise, Range};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Structs of expressions and parameters, all with the same traits.
macro_rules! operators {
    ($($(#[doc = $doc:literal])* $name:ident { $($body:tt)* })+) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($body)* }
    )+};
}

operators! {
    /// What is changed.
    Of {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
    }

    /// Limits.
    Clamp {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// The least value.
        #[garde(range(min = -1e9, max = 1e9))]
        pub min: f64,
        /// The largest value.
        #[garde(range(min = -1e9, max = 1e9))]
        pub max: f64,
    }

    /// A power.
    Power {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// The exponent.
        #[garde(range(min = 0.01, max = 100.0))]
        pub exponent: f64,
    }

    /// Schlick's bias.
    Bias {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// How far up its range the middle comes; 0.5 changes nothing.
        #[garde(range(min = 0.001, max = 0.999))]
        pub bias: f64,
    }

    /// Schlick's gain.
    Gain {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// Below 0.5 values gather in the middle of the range, above at its ends.
        #[garde(range(min = 0.001, max = 0.999))]
        pub gain: f64,
    }

    /// A monotone cubic through points.
    Curve {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// Pairs of a value and what it becomes, values ascending.
        #[garde(length(min = 2), inner(inner(range(min = -1e9, max = 1e9))))]
        pub points: Vec<[f64; 2]>,
    }

    /// Steps.
    Terrace {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// Height of a step.
        #[garde(range(min = 1e-4, max = 1e6))]
        pub step: f64,
        /// From 0, no steps, to 1, cliffs.
        #[serde(default = "defaults::sharpness")]
        #[garde(range(min = 0.0, max = 1.0))]
        pub sharpness: f64,
    }

    /// A line.
    Scale {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// The factor.
        #[serde(default = "defaults::factor")]
        #[garde(range(min = -1e9, max = 1e9))]
        pub factor: f64,
        /// What is added.
        #[serde(default)]
        #[garde(range(min = -1e9, max = 1e9))]
        pub offset: f64,
    }

    /// A sine.
    Wave {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// Waves for a value of 1.
        #[garde(range(min = 0.0, max = 1000.0))]
        pub cycles: f64,
        /// Time in which waves move on by one, towards higher values; absent: they stand.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[garde(inner(range(min = 1e-3, max = 1e9)))]
        #[schemars(extend("unit" = "s"))]
        pub period_s: Option<f64>,
    }

    /// A range.
    Normalise {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// The lowest and the highest value afterwards.
        #[serde(default = "defaults::unit")]
        #[garde(inner(range(min = -1e9, max = 1e9)))]
        pub to: [f64; 2],
        /// Which range of it becomes that: what this map holds, or what theory allows.
        #[serde(default)]
        #[garde(skip)]
        pub range: Range,
    }

    /// Two with a seam.
    Smooth {
        /// The two.
        #[garde(length(min = 2, max = 2), dive)]
        pub of: Vec<Noise>,
        /// Difference below which the seam is rounded.
        #[garde(range(min = 1e-6, max = 1e6))]
        pub width: f64,
    }

    /// Two and a mask.
    Blend {
        /// The two.
        #[garde(length(min = 2, max = 2), dive)]
        pub of: Vec<Noise>,
        /// The share of the second, cut to 0..1.
        #[garde(dive)]
        pub mask: Box<Noise>,
    }

    /// Two and what decides.
    Select {
        /// The two.
        #[garde(length(min = 2, max = 2), dive)]
        pub of: Vec<Noise>,
        /// What decides.
        #[garde(dive)]
        pub by: Box<Noise>,
        /// The first of the two where it is below, the second where it is above.
        #[serde(default)]
        #[garde(range(min = -1e9, max = 1e9))]
        pub threshold: f64,
        /// Half the width of the change from one to the other.
        #[serde(default)]
        #[garde(range(min = 0.0, max = 1e6))]
        pub falloff: f64,
    }

    /// A displacement by octaves of gradient noise.
    Warp {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// Largest displacement by the first octave, along each axis.
        #[garde(range(min = 0.0, max = 1e9))]
        #[schemars(extend("unit" = "m"))]
        pub amplitude_m: f64,
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
        /// How octaves act on each other.
        #[serde(default)]
        #[garde(skip)]
        pub mode: WarpMode,
        /// Tells nodes of one kind apart, and keeps their noise when others are put before them.
        #[serde(default)]
        #[garde(skip)]
        pub seed: u64,
    }

    /// A displacement by expressions.
    Displace {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// How far east to look, in amplitudes.
        #[garde(dive)]
        pub east: Box<Noise>,
        /// How far north to look, in amplitudes.
        #[garde(dive)]
        pub north: Box<Noise>,
        /// What a value of 1 displaces.
        #[garde(range(min = 0.0, max = 1e9))]
        #[schemars(extend("unit" = "m"))]
        pub amplitude_m: f64,
    }

    /// Factors.
    Stretch {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// By how much it becomes longer in easting and northing.
        #[garde(inner(range(min = 0.001, max = 1000.0)))]
        pub factors: [f64; 2],
    }

    /// An angle.
    Rotate {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// By how much it is turned, clockwise.
        #[garde(range(min = -360.0, max = 360.0))]
        #[schemars(extend("unit" = "°"))]
        pub angle_deg: f64,
    }

    /// A distance.
    Translate {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// How far it is moved east and north.
        #[garde(inner(range(min = -1e9, max = 1e9)))]
        #[schemars(extend("unit" = "m"))]
        pub by_m: [f64; 2],
    }

    /// A turn about a point.
    Swirl {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// The point: easting and northing.
        #[garde(inner(range(min = -1e9, max = 1e9)))]
        #[schemars(extend("unit" = "m"))]
        pub around_m: [f64; 2],
        /// Where turning ends.
        #[garde(range(min = 1e-3, max = 1e9))]
        #[schemars(extend("unit" = "m"))]
        pub radius_m: f64,
        /// Turns at the point, clockwise; outwards they become fewer.
        #[garde(range(min = -100.0, max = 100.0))]
        pub turns: f64,
        /// Time in which all within the radius turns once more, clockwise, or the other way where negative; absent: it
        /// stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[garde(inner(range(min = -1e9, max = 1e9)))]
        #[schemars(extend("unit" = "s"))]
        pub period_s: Option<f64>,
    }

    /// A way that is gone in a loop.
    Flow {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// How far it is carried east and north in a period.
        #[garde(inner(range(min = -1e9, max = 1e9)))]
        #[schemars(extend("unit" = "m"))]
        pub by_m: [f64; 2],
        /// Time after which all begins again without a seam.
        #[garde(range(min = 1e-3, max = 1e9))]
        #[schemars(extend("unit" = "s"))]
        pub period_s: f64,
    }

    /// A moment.
    At {
        /// What is changed.
        #[garde(dive)]
        pub of: Box<Noise>,
        /// The moment; elsewhere it is 0.
        #[garde(range(min = -1e9, max = 1e9))]
        #[schemars(extend("unit" = "s"))]
        pub time_s: f64,
    }
}

words! {
    /// How octaves of a warp act on each other.
    WarpMode {
        /// Each is taken where those before it lead to.
        #[default]
        Progressive,
        /// All are taken at the same place, and added.
        Independent,
    }
}

/// Three octaves of displacement: enough to break up straight lines.
mod defaults {
    pub(super) const fn octaves() -> u32 {
        3
    }
    pub(super) const fn lacunarity() -> f64 {
        2.0
    }
    pub(super) const fn gain() -> f64 {
        0.5
    }
    pub(super) const fn factor() -> f64 {
        1.0
    }
    pub(super) const fn sharpness() -> f64 {
        0.8
    }
    pub(super) const fn unit() -> [f64; 2] {
        [0.0, 1.0]
    }
}
