//! What noise is asked for.

use crate::NoiseError;
use std::ops::RangeInclusive;

/// A noise expression. Raw values have no unit; each variant's range is analytic (see
/// [`theoretical_range`](Self::theoretical_range)).
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// One octave of [`Source::Perlin`].
    Perlin {
        /// Edge of a lattice cell, m.
        wavelength_m: f64,
    },
    /// One octave of [`Source::Simplex`].
    Simplex {
        /// Unit of the simplex lattice, m.
        wavelength_m: f64,
    },
    /// One octave of [`Source::OpenSimplex`].
    OpenSimplex {
        /// Unit of the simplex lattice, m.
        wavelength_m: f64,
    },
    /// One octave of [`Source::Value`].
    Value {
        /// Edge of a lattice cell, m.
        wavelength_m: f64,
    },
    /// One octave of [`Source::Worley`].
    Worley {
        /// Edge of a lattice cell, m.
        wavelength_m: f64,
    },
    /// Fractional Brownian motion: Σ gⁱ nᵢ ÷ Σ gⁱ, with gain g and octaves nᵢ.
    Fbm(Sum),
    /// Billow: Σ gⁱ (2 |nᵢ| − 1) ÷ Σ gⁱ. Rounded hills between sharp valleys; the turbulence of the same
    /// parameters, doubled and less 1.
    Billow(Sum),
    /// The ridged multifractal of Musgrave (in Ebert et al., *Texturing & Modeling*, 3rd ed. 2003, ch. 16), with
    /// offset 1 and feedback 2: rᵢ = (1 − |nᵢ|)² min(1, 2 rᵢ₋₁), r₋₁ = 1, and Σ gⁱ rᵢ ÷ Σ gⁱ. Sharp ridges,
    /// with detail on them and little in the valleys.
    Ridged(Sum),
    /// Turbulence as of Perlin (1985, doi:10.1145/325165.325247): Σ gⁱ |nᵢ| ÷ Σ gⁱ. It is not a domain warp.
    Turbulence(Sum),
}

/// A kind of noise of one wavelength, with values in [−1, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Gradient noise on the square lattice, summed from radial wavelets: 0 at lattice points, no plateau at
    /// ±1.
    Perlin,
    /// Gradient noise on the triangular lattice, after Gustavson; reaches ±0.99.
    Simplex,
    /// Gradient noise on the triangular lattice with a wider, smoother wavelet: SuperSimplex, known as
    /// OpenSimplex2S.
    OpenSimplex,
    /// Random values at lattice points, interpolated smoothly.
    Value,
    /// √2 d − 1, with the distance d (in lattice cells) to the nearest of points of which one is drawn
    /// uniformly in each lattice cell (Worley 1996, doi:10.1145/237170.237267).
    Worley,
}

/// Octaves of one source, each finer and fainter than the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct Sum {
    /// What each octave is made of.
    pub source: Source,
    /// Wavelength of the first octave, m.
    pub wavelength_m: f64,
    /// Number of octaves, 1 to 32. Octaves shorter than two cells add nothing but white noise.
    pub octaves: u32,
    /// By how much an octave's wavelength is shorter than that of the one before, 1 to 8.
    pub lacunarity: f64,
    /// An octave's amplitude as a share of the one before, 0 to 1.
    pub gain: f64,
}

impl Sum {
    /// Octaves that a sum may have.
    pub const OCTAVES: RangeInclusive<u32> = 1..=32;
    /// Lacunarities that a sum may have.
    pub const LACUNARITY: RangeInclusive<f64> = 1.0..=8.0;
    /// Gains that a sum may have.
    pub const GAIN: RangeInclusive<f64> = 0.0..=1.0;

    fn check(&self) -> Result<(), NoiseError> {
        check_wavelength(self.wavelength_m)?;
        let octaves = Self::OCTAVES.contains(&self.octaves);
        require("octaves", "1 to 32", f64::from(self.octaves), octaves)?;
        let lacunarity = Self::LACUNARITY.contains(&self.lacunarity);
        require("lacunarity", "1 to 8", self.lacunarity, lacunarity)?;
        let gain = Self::GAIN.contains(&self.gain);
        require("gain", "0 to 1", self.gain, gain)
    }
}

impl Noise {
    /// The least and the largest raw value that the formula admits. Sums hardly ever come near: nine octaves of
    /// gradient noise stay within about ±0.5.
    #[must_use]
    pub fn theoretical_range(&self) -> [f64; 2] {
        match self {
            Self::Ridged(_) | Self::Turbulence(_) => [0.0, 1.0],
            _ => [-1.0, 1.0],
        }
    }

    /// Whether every parameter is in its range.
    ///
    /// # Errors
    /// [`NoiseError::Parameter`] names the first that is not.
    pub fn check(&self) -> Result<(), NoiseError> {
        match self {
            Self::Perlin { wavelength_m }
            | Self::Simplex { wavelength_m }
            | Self::OpenSimplex { wavelength_m }
            | Self::Value { wavelength_m }
            | Self::Worley { wavelength_m } => check_wavelength(*wavelength_m),
            Self::Fbm(sum) | Self::Billow(sum) | Self::Ridged(sum) | Self::Turbulence(sum) => {
                sum.check()
            }
        }
    }
}

fn check_wavelength(wavelength_m: f64) -> Result<(), NoiseError> {
    let expected = "a positive number of metres";
    let fits = wavelength_m.is_finite() && wavelength_m > 0.0;
    require("wavelength_m", expected, wavelength_m, fits)
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

    #[test]
    fn the_first_parameter_out_of_range_is_named() {
        let good = Sum {
            source: Source::Value,
            wavelength_m: 100.0,
            octaves: 4,
            lacunarity: 2.0,
            gain: 0.5,
        };
        assert_eq!(Noise::Fbm(good.clone()).check(), Ok(()));
        let name = |noise: Noise| match noise.check() {
            Err(NoiseError::Parameter { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        let sum = |change: fn(&mut Sum)| {
            let mut sum = good.clone();
            change(&mut sum);
            Noise::Ridged(sum)
        };
        assert_eq!(name(sum(|s| s.wavelength_m = 0.0)), "wavelength_m");
        assert_eq!(name(sum(|s| s.octaves = 0)), "octaves");
        assert_eq!(name(sum(|s| s.octaves = 33)), "octaves");
        assert_eq!(name(sum(|s| s.lacunarity = f64::NAN)), "lacunarity");
        assert_eq!(name(sum(|s| s.gain = -0.1)), "gain");
        let plain = |wavelength_m| Noise::Worley { wavelength_m };
        assert_eq!(name(plain(f64::INFINITY)), "wavelength_m");
        assert_eq!(name(plain(-5.0)), "wavelength_m");
    }
}
