//! Colours by value.
//!
//! Between stops colours are mixed in OKLab (Ottosson 2020, <https://bottosson.github.io/posts/oklab/>, whose matrices
//! are in the public domain): equal steps look alike, and the middle of two colours is neither darker nor greyer than
//! both, as it is when sRGB's stored numbers are averaged. sRGB's curve is that of IEC 61966-2-1.

use crate::AnalysisError;
use std::sync::OnceLock;

/// Red, green and blue as sRGB stores them.
pub type Rgb = [u8; 3];

/// Colours along a line of positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Ramp {
    stops: Vec<Stop>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Stop {
    position: f64,
    lab: [f64; 3],
}

impl Ramp {
    /// A ramp through stops of ascending position; level beyond the first and the last.
    ///
    /// # Errors
    /// When there are fewer than two stops, or positions are not finite and ascending.
    pub fn new(stops: &[(f64, Rgb)]) -> Result<Self, AnalysisError> {
        let wrong = |expected, found| AnalysisError::Parameter {
            name: "ramp",
            expected,
            found,
        };
        if stops.len() < 2 {
            return Err(wrong("at least 2 stops", stops.len() as f64));
        }
        if let Some((position, _)) = stops.iter().find(|(position, _)| !position.is_finite()) {
            return Err(wrong("finite positions", *position));
        }
        if let Some(pair) = stops.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(wrong("ascending positions", pair[1].0));
        }
        let stop = |&(position, rgb)| Stop {
            position,
            lab: lab(rgb),
        };
        Ok(Self {
            stops: stops.iter().map(stop).collect(),
        })
    }

    /// The shipped ramp of a name, from 0 to 1; see [`Ramp::NAMES`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (_, colours) = NAMED.iter().find(|(known, _)| *known == name)?;
        Self::new(colours).ok()
    }

    /// The colour at a position.
    #[must_use]
    pub fn colour(&self, position: f64) -> Rgb {
        self.light(position).map(stored)
    }

    /// The colour at a position as red, green and blue light, 0 to 1.
    pub(crate) fn light(&self, position: f64) -> [f64; 3] {
        let after = self.stops.partition_point(|stop| stop.position <= position);
        let upper = after.clamp(1, self.stops.len() - 1);
        let (a, b) = (&self.stops[upper - 1], &self.stops[upper]);
        let share = ((position - a.position) / (b.position - a.position)).clamp(0.0, 1.0);
        let mixed = std::array::from_fn(|i| a.lab[i] * (1.0 - share) + b.lab[i] * share);
        light(mixed)
    }
}

/// From black to white.
impl Default for Ramp {
    fn default() -> Self {
        let stop = |level: u8| Stop {
            position: f64::from(level) / 255.0,
            lab: lab([level; 3]),
        };
        Self {
            stops: vec![stop(0), stop(255)],
        }
    }
}

/// From sRGB's stored numbers to OKLab.
fn lab(rgb: Rgb) -> [f64; 3] {
    let [r, g, b] = rgb.map(|level| linear(f64::from(level) / 255.0));
    let l = libm::cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b);
    let m = libm::cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b);
    let s = libm::cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b);
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

/// From OKLab to light.
fn light([l, a, b]: [f64; 3]) -> [f64; 3] {
    let cube = |v: f64| v * v * v;
    let x = cube(l + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let y = cube(l - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let z = cube(l - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
    [
        4.076_741_662_1 * x - 3.307_711_591_3 * y + 0.230_969_929_2 * z,
        -1.268_438_004_6 * x + 2.609_757_401_1 * y - 0.341_319_396_5 * z,
        -0.004_196_086_3 * x - 0.703_418_614_7 * y + 1.707_614_701_0 * z,
    ]
}

/// From sRGB's curve to light.
fn linear(encoded: f64) -> f64 {
    if encoded <= 0.040_45 {
        encoded / 12.92
    } else {
        libm::pow((encoded + 0.055) / 1.055, 2.4)
    }
}

/// Light as sRGB stores it, rounded; beyond 0 and 1 cut off. By bisection among the 255 lights between two levels: a
/// power for each pixel would take most of the time.
pub(crate) fn stored(light: f64) -> u8 {
    static BOUNDS: OnceLock<[f64; 255]> = OnceLock::new();
    let bounds =
        BOUNDS.get_or_init(|| std::array::from_fn(|level| linear((level as f64 + 0.5) / 255.0)));
    bounds.partition_point(|bound| *bound <= light) as u8
}

/// A list of stops, colours as 0xrrggbb.
macro_rules! ramps {
    ($($name:literal: $($position:literal $colour:literal),+;)+) => {
        impl Ramp {
            /// The names of the shipped ramps.
            pub const NAMES: &[&str] = &[$($name),+];
        }

        const NAMED: &[(&str, &[(f64, Rgb)])] = &[
            $(($name, &[$(($position, rgb($colour))),+])),+
        ];
    };
}

/// A colour from 0xrrggbb.
const fn rgb(colour: u32) -> Rgb {
    let [_, r, g, b] = colour.to_be_bytes();
    [r, g, b]
}

ramps! {
    "terrain": 0.0 0x2f5d50, 0.2 0x5b8a4c, 0.42 0xa8a860, 0.6 0x9c7a4e, 0.78 0x7d6b62, 0.9 0xb9b4b0, 1.0 0xfbfbfd;
    "grey": 0.0 0x000000, 1.0 0xffffff;
    "fire": 0.0 0x040203, 0.25 0x3a0708, 0.45 0xa31a0a, 0.62 0xe8550f, 0.78 0xfcab2b, 0.92 0xffe88e, 1.0 0xfffdf0;
    "ember": 0.0 0x0c0809, 0.4 0x3d1110, 0.65 0x9a2a13, 0.85 0xee7a28, 1.0 0xffdc94;
    "smoke": 0.0 0x0e1014, 0.4 0x3b4048, 0.75 0x8c9096, 1.0 0xdcddde;
    "clouds": 0.0 0x2d6cb5, 0.35 0x5e9bd8, 0.6 0xb9d3ee, 0.8 0xeef3f9, 1.0 0xffffff;
    "water": 0.0 0x05263a, 0.35 0x0c5570, 0.65 0x2393a8, 0.88 0x84d3d6, 1.0 0xf3fcfa;
    "wood": 0.0 0x54301a, 0.35 0x7f4c25, 0.7 0xb27c45, 1.0 0xd8ab71;
    "marble": 0.0 0x3c4351, 0.2 0x878b95, 0.5 0xd3d1ce, 1.0 0xf8f6f2;
    "metal": 0.0 0x2a2f36, 0.4 0x646d77, 0.75 0xa6afb7, 1.0 0xe6eaee;
    "portal": 0.0 0x06020f, 0.3 0x2a0c5f, 0.55 0x7223cf, 0.75 0xd552e6, 0.9 0x9cecff, 1.0 0xffffff;
    "sunset": 0.0 0x1b1035, 0.3 0x6b1f6a, 0.55 0xd1495b, 0.78 0xf79256, 1.0 0xfdf0c1;
    "aurora": 0.0 0x070b23, 0.35 0x10445c, 0.6 0x1c9d82, 0.82 0x9be36b, 1.0 0xf6fbd6;
    "candy": 0.0 0x2b2d6e, 0.25 0x3f88c5, 0.5 0xf4f1de, 0.75 0xf2787a, 1.0 0x8f2d56;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ends, and middles worked out by hand: the middle of black and white has half of white's OKLab lightness, so an
    /// eighth of its light, which sRGB stores as 255 (1.055 × 0.125^(1 ÷ 2.4) − 0.055) = 99.1. That of red and green is
    /// computed in the same way with the published matrices in another language, where averaged numbers give (128, 128, 0).
    #[test]
    fn ends_are_exact_and_middles_those_of_oklab() {
        let grey = Ramp::named("grey").unwrap();
        assert_eq!(
            [-5.0, 0.0, 1.0, 7.0].map(|p| grey.colour(p)[1]),
            [0, 0, 255, 255]
        );
        assert_eq!(grey.colour(0.5), [99; 3]);
        let ramp = Ramp::new(&[(-2.0, [255, 0, 0]), (6.0, [0, 255, 0])]).unwrap();
        assert_eq!(ramp.colour(-2.0), [255, 0, 0]);
        assert_eq!(ramp.colour(6.0), [0, 255, 0]);
        assert_eq!(ramp.colour(2.0), [208, 168, 0]);
    }

    #[test]
    fn every_stop_and_every_grey_is_met() {
        for name in Ramp::NAMES {
            let ramp = Ramp::named(name).unwrap();
            let (_, stops) = NAMED.iter().find(|(known, _)| known == name).unwrap();
            for &(position, colour) in *stops {
                assert_eq!(ramp.colour(position), colour, "{name} at {position}");
            }
        }
        for level in 0..=255 {
            assert_eq!(light(lab([level; 3])).map(stored), [level; 3]);
        }
        assert_eq!([-1.0, 2.0].map(stored), [0, 255]);
    }

    #[test]
    fn ramps_that_are_none_are_refused() {
        let refused = |stops: &[(f64, Rgb)]| Ramp::new(stops).is_err();
        assert!(refused(&[(0.0, [0; 3])]));
        assert!(refused(&[(0.0, [0; 3]), (0.0, [9; 3])]));
        assert!(refused(&[(0.0, [0; 3]), (f64::NAN, [9; 3])]));
        assert!(Ramp::named("mud").is_none());
    }
}
