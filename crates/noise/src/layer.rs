//! An expression made ready: parameters lowered to octaves, evaluated row by row.

use crate::octave::Octave;
use crate::{Noise, Source, Sum, kernel};
use thalweg_grid::StageKey;

/// How octaves are combined.
#[derive(Debug, Clone, Copy)]
enum Combine {
    Fbm,
    Billow,
    Ridged,
    Turbulence,
}

/// One leaf of an expression: the octaves of one source.
#[derive(Debug)]
pub(crate) struct Layer {
    source: Source,
    combine: Combine,
    octaves: Vec<Octave>,
    /// 1 ÷ Σ weights.
    scale: f64,
    /// Wavelength of the last octave, m.
    finest_m: f64,
}

/// Buffers of one row, kept from row to row.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    signal: Vec<f64>,
    total: Vec<f64>,
    feedback: Vec<f64>,
}

impl Scratch {
    fn reset(&mut self, cols: usize) {
        self.signal.resize(cols, 0.0);
        self.total.clear();
        self.total.resize(cols, 0.0);
        self.feedback.clear();
        self.feedback.resize(cols, 1.0);
    }
}

impl Layer {
    /// Lowers an expression that has been checked.
    pub(crate) fn new(noise: &Noise, key: StageKey) -> Self {
        match noise {
            Noise::Perlin { wavelength_m } => Self::plain(Source::Perlin, *wavelength_m, key),
            Noise::Simplex { wavelength_m } => Self::plain(Source::Simplex, *wavelength_m, key),
            Noise::OpenSimplex { wavelength_m } => {
                Self::plain(Source::OpenSimplex, *wavelength_m, key)
            }
            Noise::Value { wavelength_m } => Self::plain(Source::Value, *wavelength_m, key),
            Noise::Worley { wavelength_m } => Self::plain(Source::Worley, *wavelength_m, key),
            Noise::Fbm(sum) => Self::sum(Combine::Fbm, sum, key),
            Noise::Billow(sum) => Self::sum(Combine::Billow, sum, key),
            Noise::Ridged(sum) => Self::sum(Combine::Ridged, sum, key),
            Noise::Turbulence(sum) => Self::sum(Combine::Turbulence, sum, key),
        }
    }

    /// A source alone is a sum of one octave.
    fn plain(source: Source, wavelength_m: f64, key: StageKey) -> Self {
        let sum = Sum {
            source,
            wavelength_m,
            octaves: 1,
            lacunarity: 1.0,
            gain: 1.0,
        };
        Self::sum(Combine::Fbm, &sum, key)
    }

    /// Powers by repeated multiplication: `powi` may differ between platforms.
    fn sum(combine: Combine, sum: &Sum, key: StageKey) -> Self {
        let mut octaves = Vec::new();
        let (mut frequency, mut weight, mut total) = (1.0 / sum.wavelength_m, 1.0, 0.0);
        let mut finest_m = sum.wavelength_m;
        for index in 0..u64::from(sum.octaves) {
            octaves.push(Octave::new(key, 0, index, frequency, weight));
            finest_m = 1.0 / frequency;
            total += weight;
            frequency *= sum.lacunarity;
            weight *= sum.gain;
        }
        Self {
            source: sum.source,
            combine,
            octaves,
            scale: 1.0 / total,
            finest_m,
        }
    }

    /// Wavelength of the finest octave, m.
    pub(crate) const fn finest_m(&self) -> f64 {
        self.finest_m
    }

    /// Raw values at easting `xs_m[i]`, northing `y_m`.
    pub(crate) fn row(&self, xs_m: &[f64], y_m: f64, scratch: &mut Scratch, out: &mut [f32]) {
        scratch.reset(xs_m.len());
        for octave in &self.octaves {
            let xs = xs_m.iter().map(|&x_m| octave.x(x_m));
            let y = octave.y(y_m);
            kernel::row(self.source, &octave.lattice, xs, y, &mut scratch.signal);
            self.add(octave.weight, scratch);
        }
        for (value, total) in out.iter_mut().zip(&scratch.total) {
            *value = (total * self.scale) as f32;
        }
    }

    /// Adds an octave's signal to the total.
    fn add(&self, weight: f64, scratch: &mut Scratch) {
        let cells = scratch.total.iter_mut().zip(&scratch.signal);
        match self.combine {
            Combine::Fbm => cells.for_each(|(total, n)| *total += weight * n),
            Combine::Billow => {
                cells.for_each(|(total, n)| *total += weight * (2.0 * n.abs() - 1.0))
            }
            Combine::Turbulence => cells.for_each(|(total, n)| *total += weight * n.abs()),
            Combine::Ridged => {
                cells
                    .zip(&mut scratch.feedback)
                    .for_each(|((total, n), feedback)| {
                        let ridge = 1.0 - n.abs();
                        let signal = ridge * ridge * *feedback;
                        *total += weight * signal;
                        *feedback = (FEEDBACK * signal).min(1.0);
                    })
            }
        }
    }
}

/// Musgrave's "gain": below 1 hardly a ridge carries detail, above 4 the valleys do as well.
const FEEDBACK: f64 = 2.0;
