//! Which parameters an expression may have.

use super::{Along, Backend, Evolution, Noise, Plain, Source, Sum, Warp};
use crate::NoiseError;
use crate::kernel::noise_rs;
use std::ops::RangeInclusive;

impl Sum {
    /// Octaves that a sum may have.
    pub const OCTAVES: RangeInclusive<u32> = 1..=32;
    /// Lacunarities that a sum may have.
    pub const LACUNARITY: RangeInclusive<f64> = 1.0..=8.0;
    /// Gains that a sum may have.
    pub const GAIN: RangeInclusive<f64> = 0.0..=1.0;
}

/// Nodes from the root to the deepest leaf that an expression may have.
pub(crate) const MOST_DEEP: usize = 64;
/// Nodes that an expression may have in all.
pub(crate) const MOST_NODES: usize = 4096;

impl Noise {
    /// Whether every parameter is in its range, and the tree of a reasonable size.
    ///
    /// # Errors
    /// [`NoiseError::Parameter`] names the first parameter that is not.
    pub fn check(&self) -> Result<(), NoiseError> {
        let [depth, nodes] = self.size();
        require(
            "depth",
            "at most 64 nodes",
            depth as f64,
            depth <= MOST_DEEP,
        )?;
        require(
            "nodes",
            "at most 4096 in all",
            nodes as f64,
            nodes <= MOST_NODES,
        )?;
        self.check_each()
    }

    fn check_each(&self) -> Result<(), NoiseError> {
        self.check_own()?;
        self.children().into_iter().try_for_each(Self::check_each)?;
        let [low, high] = self.theoretical_range();
        let found = low.abs().max(high.abs());
        // Written so that what is not a number is refused as well.
        if found <= 1e30 {
            Ok(())
        } else {
            Err(NoiseError::TooLarge { found })
        }
    }

    fn check_own(&self) -> Result<(), NoiseError> {
        if let Some(sum) = self.sum() {
            return check_sum(sum, matches!(self, Self::Eroded(_)));
        }
        match self {
            Self::Plain(plain) => check_plain(plain),
            Self::Constant(value) => finite("constant", *value),
            Self::Gradient {
                from_m,
                azimuth_deg,
                length_m,
            } => {
                positive("length_m", *length_m)?;
                finite("azimuth_deg", *azimuth_deg)?;
                place("from_m", *from_m)
            }
            Self::Distance { to_m, radius_m } => {
                positive("radius_m", *radius_m)?;
                place("to_m", *to_m)
            }
            Self::DiamondSquare(of) => {
                positive("wavelength_m", of.wavelength_m)?;
                let levels = of.levels <= 24;
                require("levels", "at most 24", f64::from(of.levels), levels)?;
                between("gain", "0 to 1", of.gain, Sum::GAIN)
            }
            Self::Automaton(of) => {
                positive("cell_m", of.cell_m)?;
                between("fill", "0 to 1", of.fill, 0.0..=1.0)?;
                require(
                    "generations",
                    "at most 64",
                    f64::from(of.generations),
                    of.generations <= 64,
                )?;
                require("born", "at most 9", f64::from(of.born), of.born <= 9)?;
                require(
                    "survive",
                    "at most 9",
                    f64::from(of.survive),
                    of.survive <= 9,
                )
            }
            _ => self.check_operator(),
        }
    }

    fn check_operator(&self) -> Result<(), NoiseError> {
        match self {
            Self::Clamp { min, max, .. } => {
                finite("min", *min)?;
                require(
                    "max",
                    "finite, and not below min",
                    *max,
                    max.is_finite() && min <= max,
                )
            }
            Self::Power { exponent, .. } => {
                between("exponent", "0.01 to 100", *exponent, 0.01..=100.0)
            }
            Self::Bias { bias, .. } => between("bias", "0.001 to 0.999", *bias, 0.001..=0.999),
            Self::Gain { gain, .. } => between("gain", "0.001 to 0.999", *gain, 0.001..=0.999),
            Self::Curve { points, .. } => check_points(points),
            Self::Terrace {
                step, sharpness, ..
            } => {
                between("step", "1e-4 to 1e6", *step, 1e-4..=1e6)?;
                between("sharpness", "0 to 1", *sharpness, 0.0..=1.0)
            }
            Self::Scale { factor, offset, .. } => {
                finite("factor", *factor)?;
                finite("offset", *offset)
            }
            Self::Wave {
                cycles, period_s, ..
            } => {
                between("cycles", "0 to 1000", *cycles, 0.0..=1000.0)?;
                period_s.map_or(Ok(()), |period_s| positive("period_s", period_s))
            }
            Self::Normalise { to, .. } => {
                finite("to", to[0])?;
                require(
                    "to",
                    "two finite numbers, ascending",
                    to[1],
                    to[1].is_finite() && to[0] <= to[1],
                )
            }
            Self::Add(of) | Self::Multiply(of) | Self::Min(of) | Self::Max(of) => {
                require("operands", "at least 1", of.len() as f64, !of.is_empty())
            }
            Self::SmoothMin { width, .. } | Self::SmoothMax { width, .. } => {
                positive("width", *width)
            }
            Self::Select {
                threshold, falloff, ..
            } => {
                finite("threshold", *threshold)?;
                between("falloff", "0 to 1e6", *falloff, 0.0..=1e6)
            }
            Self::Warp { by, .. } => check_warp(by),
            Self::Displace { amplitude_m, .. } => {
                between("amplitude_m", "0 to 1e9", *amplitude_m, 0.0..=1e9)
            }
            Self::Stretch { factors, .. } => factors.iter().try_for_each(|factor| {
                between("factors", "0.001 to 1000", factor.abs(), 0.001..=1000.0)
            }),
            Self::Rotate { angle_deg, .. } => finite("angle_deg", *angle_deg),
            Self::Translate { by_m, .. } => place("by_m", *by_m),
            Self::Swirl {
                around_m,
                radius_m,
                turns,
                period_s,
                ..
            } => {
                place("around_m", *around_m)?;
                positive("radius_m", *radius_m)?;
                between("turns", "within ±100", *turns, -100.0..=100.0)?;
                period_s.map_or(Ok(()), |period_s| positive("period_s", period_s.abs()))
            }
            Self::Flow { by_m, period_s, .. } => {
                place("by_m", *by_m)?;
                positive("period_s", *period_s)
            }
            Self::At { time_s, .. } => between("time_s", "within ±1e9", *time_s, -1e9..=1e9),
            _ => Ok(()),
        }
    }
}

fn check_plain(plain: &Plain) -> Result<(), NoiseError> {
    positive("wavelength_m", plain.wavelength_m)?;
    let lattice = matches!(plain.source, Source::Perlin | Source::Value);
    require(
        "along",
        "`both`, except for Perlin and value noise",
        f64::NAN,
        lattice || plain.along == Along::Both,
    )?;
    if let Some(Evolution { change_s, loop_s }) = plain.evolution {
        require(
            "evolution",
            "absent for noise along one coordinate: it changes along `both` alone",
            f64::NAN,
            plain.along == Along::Both,
        )?;
        positive("change_s", change_s)?;
        loop_s.map_or(Ok(()), |loop_s| positive("loop_s", loop_s))?;
    }
    if plain.backend == Backend::NoiseRs {
        let has =
            noise_rs::has(plain.source) && plain.along == Along::Both && plain.evolution.is_none();
        require(
            "backend",
            "`thalweg` here: `noise-rs` has perlin, simplex, opensimplex2s and value",
            f64::NAN,
            has,
        )?;
    }
    Ok(())
}

fn check_sum(sum: &Sum, eroded: bool) -> Result<(), NoiseError> {
    check_plain(&sum.plain())?;
    let octaves = Sum::OCTAVES.contains(&sum.octaves);
    require("octaves", "1 to 32", f64::from(sum.octaves), octaves)?;
    between("lacunarity", "1 to 8", sum.lacunarity, Sum::LACUNARITY)?;
    between("gain", "0 to 1", sum.gain, Sum::GAIN)?;
    finite("rotation_deg", sum.rotation_deg)?;
    if eroded {
        let plain = sum.source == Source::Perlin
            && sum.evolution.is_none()
            && sum.backend == Backend::Thalweg;
        require(
            "source",
            "perlin, without evolution, where slopes are asked for",
            f64::NAN,
            plain,
        )?;
    }
    Ok(())
}

fn check_warp(warp: &Warp) -> Result<(), NoiseError> {
    between("amplitude_m", "0 to 1e9", warp.amplitude_m, 0.0..=1e9)?;
    positive("wavelength_m", warp.wavelength_m)?;
    let octaves = Sum::OCTAVES.contains(&warp.octaves);
    require("octaves", "1 to 32", f64::from(warp.octaves), octaves)?;
    between("lacunarity", "1 to 8", warp.lacunarity, Sum::LACUNARITY)?;
    between("gain", "0 to 1", warp.gain, Sum::GAIN)
}

fn check_points(points: &[[f64; 2]]) -> Result<(), NoiseError> {
    require(
        "points",
        "at least 2 pairs",
        points.len() as f64,
        points.len() >= 2,
    )?;
    points
        .iter()
        .flatten()
        .try_for_each(|v| finite("points", *v))?;
    let rising = points.windows(2).find(|pair| pair[0][0] >= pair[1][0]);
    rising.map_or(Ok(()), |pair| {
        require(
            "points",
            "ascending in their first number",
            pair[1][0],
            false,
        )
    })
}

/// Magnitudes that f32 holds with room for sums and products.
const LARGEST: f64 = 1e9;

fn finite(name: &'static str, found: f64) -> Result<(), NoiseError> {
    require(name, "a number within ±1e9", found, found.abs() <= LARGEST)
}

fn place(name: &'static str, found: [f64; 2]) -> Result<(), NoiseError> {
    found.into_iter().try_for_each(|v| finite(name, v))
}

fn positive(name: &'static str, found: f64) -> Result<(), NoiseError> {
    require(
        name,
        "a positive number",
        found,
        found.is_finite() && found > 0.0,
    )
}

fn between(
    name: &'static str,
    expected: &'static str,
    found: f64,
    range: RangeInclusive<f64>,
) -> Result<(), NoiseError> {
    require(name, expected, found, range.contains(&found))
}

fn require(
    name: &'static str,
    expected: &'static str,
    found: f64,
    fits: bool,
) -> Result<(), NoiseError> {
    if fits {
        return Ok(());
    }
    Err(NoiseError::Parameter {
        name,
        expected,
        found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(noise: &Noise) -> &'static str {
        match noise.check() {
            Err(NoiseError::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_parameter_out_of_range_is_named() {
        let good = Sum {
            octaves: 4,
            ..Sum::new(Source::Value, 100.0)
        };
        assert_eq!(Noise::Fbm(good).check(), Ok(()));
        let sum = |change: fn(&mut Sum)| {
            let mut sum = good;
            change(&mut sum);
            name(&Noise::Abs(Box::new(Noise::Ridged(sum))))
        };
        assert_eq!(sum(|s| s.wavelength_m = 0.0), "wavelength_m");
        assert_eq!(sum(|s| s.octaves = 0), "octaves");
        assert_eq!(sum(|s| s.octaves = 33), "octaves");
        assert_eq!(sum(|s| s.lacunarity = f64::NAN), "lacunarity");
        assert_eq!(sum(|s| s.gain = -0.1), "gain");
        assert_eq!(
            sum(|s| (s.source, s.backend) = (Source::Worley, Backend::NoiseRs)),
            "backend"
        );
        let plain = |wavelength_m| name(&Noise::Plain(Plain::new(Source::Worley, wavelength_m)));
        assert_eq!(plain(f64::INFINITY), "wavelength_m");
        assert_eq!(plain(-5.0), "wavelength_m");
        assert_eq!(name(&Noise::Eroded(good)), "source");
    }

    #[test]
    fn trees_that_would_exhaust_the_stack_are_refused() {
        let mut noise = Noise::Constant(0.5);
        for _ in 0..MOST_DEEP {
            noise = Noise::Abs(Box::new(noise));
        }
        assert_eq!(name(&noise), "depth");
        assert_eq!(
            name(&Noise::Add(vec![Noise::Constant(0.0); MOST_NODES])),
            "nodes"
        );
        assert_eq!(name(&Noise::Add(Vec::new())), "operands");
    }
}
