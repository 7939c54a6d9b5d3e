//! The least and the largest value that an expression admits, by interval arithmetic.

use super::{Noise, Sum};
use crate::curve::Curve;
use crate::modify;

type Interval = [f64; 2];

const UNIT: Interval = [0.0, 1.0];
const SIGNED: Interval = [-1.0, 1.0];

/// Offset of [`Noise::Hybrid`].
pub(crate) const HYBRID_OFFSET: f64 = 0.7;

impl Noise {
    /// The least and the largest value that the formula admits, but for rounding to f32. Sums hardly ever come near.
    ///
    /// What was observed are ten million samples, of sums with 8 octaves of Perlin, lacunarity 2 and gain 0.5:
    ///
    /// | node | theoretical | observed |
    /// | --- | --- | --- |
    /// | Perlin | −1..1 | −0.992..0.989 |
    /// | simplex, OpenSimplex2, 2S, value | −1..1 | ±0.9997 and more |
    /// | Worley, nearest, Euclidean | −1..1 | −1.000..0.726 |
    /// | `Fbm` | −1..1 | ±0.711 |
    /// | `Billow` | −1..1 | −0.981..0.597 |
    /// | `Turbulence` | 0..1 | 0.012..0.754 |
    /// | `Ridged` | 0..1 | 0.000..0.981 |
    /// | `Hybrid` | −0.689..2.997 | −0.460..2.493 |
    /// | `Heterogeneous` | 0..1 | 0.003..0.688 |
    /// | `PingPong` | −1..1 | −0.975..0.944 |
    /// | `Eroded` | −1..1 | −0.662..0.635 |
    #[must_use]
    pub fn theoretical_range(&self) -> [f64; 2] {
        match self {
            Self::Constant(value) => [*value; 2],
            Self::Gradient { .. } | Self::Distance { .. } | Self::Automaton(_) => UNIT,
            Self::Ridged(_) | Self::Turbulence(_) => UNIT,
            Self::Hybrid(sum) => hybrid(sum),
            Self::Heterogeneous(_) => UNIT,
            Self::Plain(_) | Self::White { .. } | Self::DiamondSquare(_) => SIGNED,
            Self::Fbm(_) | Self::Billow(_) | Self::PingPong(_) | Self::Eroded(_) => SIGNED,
            Self::Wave { .. } => SIGNED,
            Self::Normalise { to, .. } => *to,
            Self::Abs(of) => abs(of.theoretical_range()),
            Self::Clamp { of, min, max } => of.theoretical_range().map(|v| v.clamp(*min, *max)),
            Self::Power { of, exponent } => of
                .theoretical_range()
                .map(|v| v.signum() * libm::pow(v.abs(), *exponent)),
            Self::Curve { of, points } => Curve::new(points).range(of.theoretical_range()),
            Self::Terrace {
                of,
                step,
                sharpness,
            } => of
                .theoretical_range()
                .map(|v| f64::from(modify::terrace(v as f32, *step as f32, *sharpness as f32))),
            Self::Scale { of, factor, offset } => {
                sorted(of.theoretical_range().map(|v| v * factor + offset))
            }
            Self::Add(of) => fold(of, |a, b| [a[0] + b[0], a[1] + b[1]]),
            Self::Multiply(of) => fold(of, product),
            Self::Min(of) => fold(of, |a, b| [a[0].min(b[0]), a[1].min(b[1])]),
            Self::Max(of) => fold(of, |a, b| [a[0].max(b[0]), a[1].max(b[1])]),
            Self::Subtract(of) => {
                let [a, b] = [of[0].theoretical_range(), of[1].theoretical_range()];
                [a[0] - b[1], a[1] - b[0]]
            }
            Self::SmoothMin { of, width } => {
                let [low, high] = fold(&of[..], |a, b| [a[0].min(b[0]), a[1].min(b[1])]);
                [low - width / 4.0, high]
            }
            Self::SmoothMax { of, width } => {
                let [low, high] = fold(&of[..], |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
                [low, high + width / 4.0]
            }
            Self::Blend { of, .. } | Self::Select { of, .. } => {
                fold(&of[..], |a, b| [a[0].min(b[0]), a[1].max(b[1])])
            }
            Self::Invert(of)
            | Self::Bias { of, .. }
            | Self::Gain { of, .. }
            | Self::Named(_, of) => of.theoretical_range(),
            Self::Warp { of, .. }
            | Self::Displace { of, .. }
            | Self::Stretch { of, .. }
            | Self::Rotate { of, .. }
            | Self::Translate { of, .. }
            | Self::Swirl { of, .. }
            | Self::Flow { of, .. }
            | Self::At { of, .. } => of.theoretical_range(),
        }
    }
}

fn sorted([a, b]: Interval) -> Interval {
    [a.min(b), a.max(b)]
}

fn abs([low, high]: Interval) -> Interval {
    let [least, most] = sorted([low.abs(), high.abs()]);
    [
        if low <= 0.0 && high >= 0.0 {
            0.0
        } else {
            least
        },
        most,
    ]
}

fn product(a: Interval, b: Interval) -> Interval {
    let ends = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
    ends.into_iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |r, v| {
            [r[0].min(v), r[1].max(v)]
        })
}

/// Of no operands: 0, as their sum.
fn fold(of: &[Noise], with: impl Fn(Interval, Interval) -> Interval) -> Interval {
    of.iter()
        .map(Noise::theoretical_range)
        .reduce(with)
        .unwrap_or([0.0; 2])
}

/// sᵢ wᵢ, octave by octave, with wᵢ₊₁ = min(1, sᵢ wᵢ).
fn hybrid(sum: &Sum) -> Interval {
    let (mut total, mut weight, mut amplitude) = ([0.0; 2], [1.0, 1.0], 1.0);
    for _ in 0..sum.octaves {
        let signal = [
            (HYBRID_OFFSET - 1.0) * amplitude,
            (HYBRID_OFFSET + 1.0) * amplitude,
        ];
        let added = product(signal, weight);
        total = [total[0] + added[0], total[1] + added[1]];
        weight = added.map(|v| v.min(1.0));
        amplitude *= sum.gain;
    }
    total
}
