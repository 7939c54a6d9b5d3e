//! Noise expressions: names resolved, words lowered.

use crate::spec::noise::{Lattice, Source, Sum, Wavelets, WorleyValue};
use crate::spec::{self, Synthesize};
use std::collections::BTreeMap;
use thalweg_noise::{self as noise, Noise, Plain};

/// Nodes that are written out at most: an expression that has more is refused by its own check.
const MOST_NODES: usize = 8192;

/// The noise of a stage as an expression, with what it uses in place.
///
/// In a pipeline that was loaded, names are known and do not use themselves. Where they are not, they are 0.
#[must_use]
pub fn expression(stage: &Synthesize) -> Noise {
    let mut lowering = Lowering {
        define: &stage.define,
        left: MOST_NODES,
        using: Vec::new(),
    };
    lowering.noise(&stage.noise)
}

struct Lowering<'a> {
    define: &'a BTreeMap<String, spec::Noise>,
    left: usize,
    /// Names that are being resolved.
    using: Vec<&'a str>,
}

impl<'a> Lowering<'a> {
    fn noise(&mut self, noise: &'a spec::Noise) -> Noise {
        if self.left == 0 {
            return Noise::Constant(0.0);
        }
        self.left -= 1;
        leaf(noise).unwrap_or_else(|| self.operator(noise))
    }

    fn one(&mut self, of: &'a spec::Noise) -> Box<Noise> {
        Box::new(self.noise(of))
    }

    fn all(&mut self, of: &'a [spec::Noise]) -> Vec<Noise> {
        of.iter().map(|of| self.noise(of)).collect()
    }

    /// Exactly two, which the specification's ranges demand.
    fn two(&mut self, of: &'a [spec::Noise]) -> Box<[Noise; 2]> {
        let nothing = || Noise::Constant(0.0);
        let mut of = self.all(of).into_iter();
        Box::new([
            of.next().unwrap_or_else(nothing),
            of.next().unwrap_or_else(nothing),
        ])
    }

    fn used(&mut self, name: &'a str) -> Noise {
        match self.define.get(name) {
            Some(noise) if !self.using.contains(&name) => {
                self.using.push(name);
                let of = self.one(noise);
                self.using.pop();
                Noise::Named(name.to_owned(), of)
            }
            _ => Noise::Constant(0.0),
        }
    }

    fn operator(&mut self, noise: &'a spec::Noise) -> Noise {
        use spec::Noise as S;
        match noise {
            S::Use(name) => self.used(name),
            S::Abs(n) => Noise::Abs(self.one(&n.of)),
            S::Invert(n) => Noise::Invert(self.one(&n.of)),
            S::Clamp(n) => Noise::Clamp {
                of: self.one(&n.of),
                min: n.min,
                max: n.max,
            },
            S::Power(n) => Noise::Power {
                of: self.one(&n.of),
                exponent: n.exponent,
            },
            S::Bias(n) => Noise::Bias {
                of: self.one(&n.of),
                bias: n.bias,
            },
            S::Gain(n) => Noise::Gain {
                of: self.one(&n.of),
                gain: n.gain,
            },
            S::Curve(n) => Noise::Curve {
                of: self.one(&n.of),
                points: n.points.clone(),
            },
            S::Terrace(n) => Noise::Terrace {
                of: self.one(&n.of),
                step: n.step,
                sharpness: n.sharpness,
            },
            S::Scale(n) => Noise::Scale {
                of: self.one(&n.of),
                factor: n.factor,
                offset: n.offset,
            },
            S::Wave(n) => Noise::Wave {
                of: self.one(&n.of),
                cycles: n.cycles,
                period_s: n.period_s,
            },
            S::Normalise(n) => Noise::Normalise {
                of: self.one(&n.of),
                to: n.to,
                range: n.range.into(),
            },
            S::Add(of) => Noise::Add(self.all(of)),
            S::Multiply(of) => Noise::Multiply(self.all(of)),
            S::Min(of) => Noise::Min(self.all(of)),
            S::Max(of) => Noise::Max(self.all(of)),
            S::Subtract(of) => Noise::Subtract(self.two(of)),
            S::SmoothMin(n) => Noise::SmoothMin {
                of: self.two(&n.of),
                width: n.width,
            },
            S::SmoothMax(n) => Noise::SmoothMax {
                of: self.two(&n.of),
                width: n.width,
            },
            _ => self.place(noise),
        }
    }

    /// Masks and changes of coordinates.
    fn place(&mut self, noise: &'a spec::Noise) -> Noise {
        use spec::Noise as S;
        match noise {
            S::Blend(n) => Noise::Blend {
                of: self.two(&n.of),
                mask: self.one(&n.mask),
            },
            S::Select(n) => Noise::Select {
                of: self.two(&n.of),
                by: self.one(&n.by),
                threshold: n.threshold,
                falloff: n.falloff,
            },
            S::Warp(n) => Noise::Warp {
                of: self.one(&n.of),
                by: warp(n),
            },
            S::Displace(n) => Noise::Displace {
                of: self.one(&n.of),
                by: Box::new([self.noise(&n.east), self.noise(&n.north)]),
                amplitude_m: n.amplitude_m,
            },
            S::Stretch(n) => Noise::Stretch {
                of: self.one(&n.of),
                factors: n.factors,
            },
            S::Rotate(n) => Noise::Rotate {
                of: self.one(&n.of),
                angle_deg: n.angle_deg,
            },
            S::Translate(n) => Noise::Translate {
                of: self.one(&n.of),
                by_m: n.by_m,
            },
            S::Swirl(n) => Noise::Swirl {
                of: self.one(&n.of),
                around_m: n.around_m,
                radius_m: n.radius_m,
                turns: n.turns,
                period_s: n.period_s,
            },
            S::Flow(n) => Noise::Flow {
                of: self.one(&n.of),
                by_m: n.by_m,
                period_s: n.period_s,
            },
            S::At(n) => Noise::At {
                of: self.one(&n.of),
                time_s: n.time_s,
            },
            // Leaves were lowered before they came here.
            _ => Noise::Constant(0.0),
        }
    }
}

/// What holds no further expression.
fn leaf(noise: &spec::Noise) -> Option<Noise> {
    use spec::Noise as S;
    Some(match noise {
        S::Perlin(n) => lattice(noise::Source::Perlin, n),
        S::Value(n) => lattice(noise::Source::Value, n),
        S::Simplex(n) => wavelets(noise::Source::Simplex, n),
        S::Opensimplex2(n) => wavelets(noise::Source::OpenSimplex2, n),
        S::Opensimplex2s(n) | S::Opensimplex(n) => wavelets(noise::Source::OpenSimplex2S, n),
        S::Worley(n) => Noise::Plain(Plain {
            cells: cells(n.metric, n.value),
            evolution: n.evolution.map(Into::into),
            seed: n.seed,
            ..Plain::new(noise::Source::Worley, n.wavelength_m)
        }),
        S::White(n) => Noise::White { seed: n.seed },
        S::Constant(value) => Noise::Constant(*value),
        S::Gradient(n) => Noise::Gradient {
            from_m: n.from_m,
            azimuth_deg: n.azimuth_deg,
            length_m: n.length_m,
        },
        S::Distance(n) => Noise::Distance {
            to_m: n.to_m,
            radius_m: n.radius_m,
        },
        S::DiamondSquare(n) => Noise::DiamondSquare(noise::DiamondSquare {
            wavelength_m: n.wavelength_m,
            levels: n.levels,
            gain: n.gain,
            seed: n.seed,
        }),
        S::Automaton(n) => Noise::Automaton(noise::Automaton {
            cell_m: n.cell_m,
            fill: n.fill,
            generations: n.generations,
            born: n.born,
            survive: n.survive,
            smooth: n.smooth,
            seed: n.seed,
        }),
        S::Fbm(n) => Noise::Fbm(sum(n)),
        S::Billow(n) => Noise::Billow(sum(n)),
        S::Turbulence(n) => Noise::Turbulence(sum(n)),
        S::Ridged(n) => Noise::Ridged(sum(n)),
        S::Hybrid(n) => Noise::Hybrid(sum(n)),
        S::Heterogeneous(n) => Noise::Heterogeneous(sum(n)),
        S::PingPong(n) => Noise::PingPong(sum(n)),
        S::Eroded(n) => Noise::Eroded(sum(n)),
        _ => return None,
    })
}

fn lattice(source: noise::Source, n: &Lattice) -> Noise {
    Noise::Plain(Plain {
        source,
        wavelength_m: n.wavelength_m,
        interpolation: n.interpolation.into(),
        cells: noise::Cells::default(),
        along: n.along.into(),
        evolution: n.evolution.map(Into::into),
        backend: n.backend.into(),
        seed: n.seed,
    })
}

fn wavelets(source: noise::Source, n: &Wavelets) -> Noise {
    Noise::Plain(Plain {
        evolution: n.evolution.map(Into::into),
        backend: n.backend.into(),
        seed: n.seed,
        ..Plain::new(source, n.wavelength_m)
    })
}

fn sum(n: &Sum) -> noise::Sum {
    noise::Sum {
        source: n.source.into(),
        wavelength_m: n.wavelength_m,
        octaves: n.octaves,
        lacunarity: n.lacunarity,
        gain: n.gain,
        rotation_deg: n.rotation_deg,
        interpolation: n.interpolation.into(),
        cells: cells(n.metric, n.value),
        evolution: n.evolution.map(Into::into),
        backend: n.backend.into(),
        seed: n.seed,
    }
}

fn cells(metric: spec::noise::Metric, value: WorleyValue) -> noise::Cells {
    noise::Cells {
        metric: metric.into(),
        value: value.into(),
    }
}

fn warp(n: &spec::noise::Warp) -> noise::Warp {
    noise::Warp {
        amplitude_m: n.amplitude_m,
        wavelength_m: n.wavelength_m,
        octaves: n.octaves,
        lacunarity: n.lacunarity,
        gain: n.gain,
        mode: n.mode.into(),
        seed: n.seed,
    }
}

impl From<spec::noise::Evolution> for noise::Evolution {
    fn from(n: spec::noise::Evolution) -> Self {
        Self {
            change_s: n.change_s,
            loop_s: n.loop_s,
        }
    }
}

impl From<Source> for noise::Source {
    fn from(source: Source) -> Self {
        match source {
            Source::Perlin => Self::Perlin,
            Source::Value => Self::Value,
            Source::Simplex => Self::Simplex,
            Source::Opensimplex2 => Self::OpenSimplex2,
            Source::Opensimplex2s | Source::Opensimplex => Self::OpenSimplex2S,
            Source::Worley => Self::Worley,
        }
    }
}

/// Words that are the same on both sides.
macro_rules! same {
    ($($from:ident => $to:ident { $($word:ident),+ })+) => {$(
        impl From<spec::noise::$from> for noise::$to {
            fn from(word: spec::noise::$from) -> Self {
                match word { $(spec::noise::$from::$word => Self::$word),+ }
            }
        }
    )+};
}

same! {
    Interpolation => Interpolation { Linear, Cosine, Smoothstep, Quintic }
    Metric => Metric { Euclidean, Manhattan, Chebyshev }
    WorleyValue => Value { Nearest, Second, Border, Cell }
    Along => Along { Both, Easting, Northing }
    Backend => Backend { Thalweg, NoiseRs }
    WarpMode => WarpMode { Progressive, Independent }
}
