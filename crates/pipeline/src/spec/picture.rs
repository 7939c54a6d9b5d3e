//! Pictures and films: layers through ramps of colours.

use super::noise::words;
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use thalweg_analysis as analysis;
use thalweg_grid::Layer;

/// Structs that say how a layer is coloured, and more.
macro_rules! coloured {
    ($($(#[doc = $doc:literal])* $name:ident { $($more:tt)* })+) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The layer that is shown.
            #[serde(default = "defaults::layer")]
            #[garde(skip)]
            #[schemars(schema_with = "super::output::layers")]
            pub layer: Layer,
            /// Its colours: the name of a ramp, or a list of positions and colours.
            #[serde(default)]
            #[garde(skip)]
            pub ramp: Ramp,
            /// What a ramp's positions are.
            #[serde(default)]
            #[garde(skip)]
            pub positions: Positions,
            /// The values at positions 0 and 1; absent: the lowest and the highest that the layer has, of a film
            /// `elevation_m`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[garde(inner(inner(range(min = -1e9, max = 1e9))))]
            pub range: Option<[f64; 2]>,
            /// Light on the ground, which makes colours lighter and darker; absent: none, `{}`: with defaults.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[garde(dive)]
            pub shade: Option<Shade>,
            $($more)*
        }

        impl $name {
            /// How a layer whose own range is `own` is coloured.
            ///
            /// # Errors
            /// When the ramp's positions are not ascending, or fewer than two.
            pub fn look(&self, own: [f64; 2]) -> Result<analysis::Look, analysis::AnalysisError> {
                let range = match self.positions {
                    Positions::Share => self.range.unwrap_or(own),
                    Positions::Value => [0.0, 1.0],
                };
                Ok(analysis::Look {
                    ramp: self.ramp.colours()?,
                    range,
                    shade: self.shade.map(Into::into),
                })
            }
        }
    )+};
}

coloured! {
    /// A layer in colours.
    Picture {
        /// Rivers, lakes and the sea over the colours; absent: none, `{}`: with defaults.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[garde(dive)]
        pub water: Option<Water>,
    }

    /// The ground of `synthesize` at several moments.
    Film {
        /// Number of moments.
        #[garde(range(min = 2, max = 10_000))]
        pub frames: u32,
        /// Time from one to the next.
        #[garde(range(min = 1e-3, max = 1e9))]
        #[schemars(extend("unit" = "s"))]
        pub every_s: f64,
        /// How long an animated PNG shows each; absent: `every_s`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[garde(inner(range(min = 0.001, max = 60.0)))]
        #[schemars(extend("unit" = "s"))]
        pub show_s: Option<f64>,
    }
}

impl Film {
    /// The moment of a frame, s after the map's own.
    #[must_use]
    pub fn time_s(&self, frame: u32) -> f64 {
        f64::from(frame) * self.every_s
    }

    /// How long each frame is shown, s.
    #[must_use]
    pub fn shown_s(&self) -> f64 {
        self.show_s.unwrap_or(self.every_s)
    }
}

words! {
    /// What the positions of a ramp are.
    Positions {
        /// Shares of the range, 0 to 1.
        #[default]
        Share,
        /// Values of the layer, in its unit.
        Value,
    }
}

/// Light on coloured ground.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Shade {
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
    /// From 0, no effect, to 1: light over that on level ground is a factor of the colour.
    #[garde(range(min = 0.0, max = 1.0))]
    pub strength: f64,
    /// From 0, dull, to 1: how much light is mirrored.
    #[garde(range(min = 0.0, max = 1.0))]
    pub gloss: f64,
}

/// Water over the colours of a picture, in one colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Water {
    /// Drainage area from which on water makes a river.
    #[garde(range(min = 1e-6, max = 1e6))]
    #[schemars(extend("unit" = "km²"))]
    pub river_area_km2: f64,
    /// Its colour.
    #[garde(skip)]
    pub colour: Colour,
}

impl Default for Water {
    fn default() -> Self {
        Self {
            river_area_km2: super::Vectors::default().river_area_km2,
            colour: Colour([49, 130, 189]),
        }
    }
}

/// Colours along positions.
#[derive(Debug, Clone, PartialEq)]
pub enum Ramp {
    /// A ramp that is shipped.
    Named(String),
    /// Positions, ascending, and their colours.
    Stops(Vec<(f64, Colour)>),
}

impl Default for Ramp {
    fn default() -> Self {
        Self::Named("terrain".to_owned())
    }
}

impl Ramp {
    /// The colours.
    ///
    /// # Errors
    /// When positions are not ascending, or fewer than two.
    pub fn colours(&self) -> Result<analysis::Ramp, analysis::AnalysisError> {
        match self {
            // Names are checked when they are read.
            Self::Named(name) => Ok(analysis::Ramp::named(name).unwrap_or_default()),
            Self::Stops(stops) => {
                let stops: Vec<_> = stops.iter().map(|(at, colour)| (*at, colour.0)).collect();
                analysis::Ramp::new(&stops)
            }
        }
    }
}

impl Serialize for Ramp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(name) => name.serialize(serializer),
            Self::Stops(stops) => stops.serialize(serializer),
        }
    }
}

/// By hand: what serde derives for one of two forms says of neither what is wrong in it.
impl<'de> Deserialize<'de> for Ramp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Ramp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the name of a ramp, or a list such as [[0, \"#000000\"], [1, \"#ffffff\"]]",
                )
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Ramp, E> {
                if analysis::Ramp::NAMES.contains(&name) {
                    return Ok(Ramp::Named(name.to_owned()));
                }
                Err(E::unknown_variant(name, analysis::Ramp::NAMES))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, stops: A) -> Result<Ramp, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(stops)).map(Ramp::Stops)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Ramp {
    fn schema_name() -> Cow<'static, str> {
        "Ramp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Colours along positions.",
            "anyOf": [
                { "type": "string", "enum": analysis::Ramp::NAMES },
                {
                    "type": "array",
                    "minItems": 2,
                    "items": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 2,
                        "prefixItems": [
                            { "type": "number" },
                            { "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" },
                        ],
                        "items": {},
                    },
                },
            ],
        })
    }
}

/// A colour as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^#[0-9a-fA-F]{6}$"))]
pub struct Colour(pub analysis::Rgb);

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let all = |digits: &&str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        digits
            .filter(all)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .map(|colour| {
                let [_, red, green, blue] = colour.to_be_bytes();
                Self([red, green, blue])
            })
            .ok_or_else(|| {
                "expected a colour of six digits in quotes such as \"#3fa0c8\"".to_owned()
            })
    }
}

impl From<Colour> for String {
    fn from(Colour([red, green, blue]): Colour) -> Self {
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

mod defaults {
    pub(super) const fn layer() -> thalweg_grid::Layer {
        thalweg_grid::Layer::Elevation
    }
}
