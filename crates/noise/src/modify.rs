//! What is done to values one by one.

use crate::curve::Curve;
use crate::math::{self, BLOCK, Block};
use thalweg_grid::{Isa, kernels};

/// A modifier, lowered: theoretical ranges are numbers by now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Modifier {
    Abs,
    /// v × the first + the second.
    Scale(f32, f32),
    Clamp(f32, f32),
    Power(f32),
    /// Schlick's bias: 1 ÷ b − 2, on a range.
    Bias(f32, [f32; 2]),
    /// Schlick's gain: 1 ÷ g − 2, on a range.
    Gain(f32, [f32; 2]),
    Curve(Curve),
    /// Step and sharpness.
    Terrace(f32, f32),
    /// Cycles, and turns that are taken off.
    Wave(f32, f64),
}

impl Modifier {
    pub(crate) fn apply(&self, isa: Isa, values: &mut Block) {
        match self {
            Self::Abs => values.iter_mut().for_each(|v| *v = v.abs()),
            Self::Scale(factor, offset) => {
                values.iter_mut().for_each(|v| *v = *v * factor + offset)
            }
            Self::Clamp(min, max) => values.iter_mut().for_each(|v| *v = v.clamp(*min, *max)),
            Self::Power(exponent) => values.iter_mut().for_each(|v| *v = power(*v, *exponent)),
            Self::Bias(bend, range) => within(values, *range, |t| bias(t, *bend)),
            Self::Gain(bend, range) => within(values, *range, |t| gain(t, *bend)),
            Self::Curve(curve) => values.iter_mut().for_each(|v| *v = curve.at(*v)),
            Self::Terrace(step, sharpness) => terraces(isa, values, *step, *sharpness),
            Self::Wave(cycles, phase) => waves(isa, values, *cycles, *phase),
        }
    }
}

fn power(v: f32, exponent: f32) -> f32 {
    libm::powf(v.abs(), exponent).copysign(v)
}

/// t ÷ ((1 ÷ b − 2)(1 − t) + 1).
#[inline]
fn bias(t: f32, bend: f32) -> f32 {
    t / (bend * (1.0 - t) + 1.0)
}

/// Two biases, mirrored in the middle.
#[inline]
fn gain(t: f32, bend: f32) -> f32 {
    if t < 0.5 {
        t / (bend * (1.0 - 2.0 * t) + 1.0)
    } else {
        let back = bend * (1.0 - 2.0 * t);
        (back - t) / (back - 1.0)
    }
}

/// Applies what is defined on 0..1 to a range.
fn within(values: &mut Block, [low, high]: [f32; 2], with: impl Fn(f32) -> f32) {
    let width = high - low;
    if width > 0.0 {
        for v in values {
            let t = ((*v - low) / width).clamp(0.0, 1.0);
            *v = (low + width * with(t)).clamp(low, high);
        }
    }
}

/// Steps: within each, x + s (q(x) − x) with the sharpness s and q, which rises from 0 to 1 in the last fifth.
#[inline(always)]
pub(crate) fn terrace(v: f32, step: f32, sharpness: f32) -> f32 {
    let t = f64::from(v) / f64::from(step);
    let (whole, _) = math::floor(t);
    let x = (t - whole) as f32;
    let late = 5.0 * x - 4.0;
    let late = if late > 0.0 { late } else { 0.0 };
    let rise = late * late * (3.0 - 2.0 * late);
    step * (whole as f32 + (x + sharpness * (rise - x)))
}

kernels! {
    fn terraces(values: &mut Block, step: f32, sharpness: f32) {
        for v in values {
            *v = terrace(*v, step, sharpness);
        }
    }

    fn waves(values: &mut Block, cycles: f32, phase: f64) {
        for v in values {
            // Whole turns go first: what is left is exact.
            let turns = f64::from(*v) * f64::from(cycles) - phase;
            let (whole, _) = math::floor(turns);
            *v = math::sine_turns((turns - whole) as f32);
        }
    }
}

/// What is done to values two by two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Combiner {
    Add,
    Subtract,
    Multiply,
    Min,
    Max,
    /// Width of the seam.
    SmoothMin(f32),
    /// Width of the seam.
    SmoothMax(f32),
}

impl Combiner {
    /// Puts both together into the first.
    pub(crate) fn apply(self, values: &mut Block, other: &Block) {
        match self {
            Self::Add => zip(values, other, |a, b| a + b),
            Self::Subtract => zip(values, other, |a, b| a - b),
            Self::Multiply => zip(values, other, |a, b| a * b),
            Self::Min => zip(values, other, |a, b| if b < a { b } else { a }),
            Self::Max => zip(values, other, |a, b| if b > a { b } else { a }),
            Self::SmoothMin(width) => zip(values, other, |a, b| smooth_min(a, b, width)),
            Self::SmoothMax(width) => zip(values, other, |a, b| -smooth_min(-a, -b, width)),
        }
    }
}

fn zip(values: &mut Block, other: &Block, with: impl Fn(f32, f32) -> f32) {
    for (a, b) in values.iter_mut().zip(other) {
        *a = with(*a, *b);
    }
}

/// Quadratic smooth minimum (Quilez, <https://iquilezles.org/articles/smin>).
#[inline]
fn smooth_min(a: f32, b: f32, width: f32) -> f32 {
    let near = (width - (a - b).abs()).max(0.0);
    a.min(b) - near * near / (4.0 * width)
}

/// `values` where the mask is 0, `other` where it is 1. The mask is cut to 0..1.
pub(crate) fn blend(values: &mut Block, other: &Block, mask: &Block) {
    for k in 0..BLOCK {
        let m = mask[k].clamp(0.0, 1.0);
        values[k] = values[k] * (1.0 - m) + other[k] * m;
    }
}

/// What decides as a mask: 0 below the threshold, 1 above, smoothstep over ± `falloff`.
pub(crate) fn decide(by: &mut Block, threshold: f32, falloff: f32) {
    for v in by {
        let t = if falloff > 0.0 {
            ((*v - threshold) / (2.0 * falloff) + 0.5).clamp(0.0, 1.0)
        } else if *v < threshold {
            0.0
        } else {
            1.0
        };
        *v = t * t * (3.0 - 2.0 * t);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(modifier: Modifier, v: f32) -> f32 {
        let mut block = [v; BLOCK];
        modifier.apply(Isa::detect(), &mut block);
        block[BLOCK - 1]
    }

    fn close(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    }

    /// Each against its formula, worked by hand.
    #[test]
    fn modifiers_follow_their_formulas() {
        close(with(Modifier::Abs, -0.25), 0.25);
        close(with(Modifier::Scale(2.0, -1.0), 0.25), -0.5);
        close(with(Modifier::Clamp(-0.1, 0.1), 0.25), 0.1);
        close(with(Modifier::Power(2.0), -0.5), -0.25);
        // On −1..1: the middle becomes a quarter of the way up.
        close(
            with(Modifier::Bias(1.0 / 0.25 - 2.0, [-1.0, 1.0]), 0.0),
            -0.5,
        );
        // Half of bias(½) with b = ¼: ½ × ¼; and the same from above.
        close(
            with(Modifier::Gain(1.0 / 0.25 - 2.0, [0.0, 1.0]), 0.25),
            0.125,
        );
        close(
            with(Modifier::Gain(1.0 / 0.25 - 2.0, [0.0, 1.0]), 0.75),
            0.875,
        );
        close(with(Modifier::Wave(3.0, 0.0), 0.25), -1.0);
        close(with(Modifier::Wave(1.0, 0.0), 1.0 / 12.0), 0.5);
        close(with(Modifier::Wave(1.0, 0.25), 0.25 + 1.0 / 12.0), 0.5);
    }

    #[test]
    fn terraces_are_level_then_rise_to_the_next() {
        close(terrace(0.3, 0.25, 1.0), 0.25);
        close(terrace(0.45, 0.25, 1.0), 0.25);
        close(terrace(0.5, 0.25, 1.0), 0.5);
        close(terrace(-0.1, 0.25, 1.0), -0.25);
        close(terrace(0.3, 0.25, 0.0), 0.3);
        let mut last = -1.0;
        for i in 0..1000 {
            let value = terrace(i as f32 * 1e-3, 0.1, 0.7);
            assert!(value >= last);
            last = value;
        }
    }

    #[test]
    fn smooth_extremes_touch_the_sharp_ones_at_the_width() {
        close(smooth_min(0.0, 0.2, 0.2), 0.0);
        close(smooth_min(0.1, 0.1, 0.2), 0.05);
        let mut block = [0.1; BLOCK];
        Combiner::SmoothMax(0.2).apply(&mut block, &[0.1; BLOCK]);
        close(block[0], 0.15);
    }

    #[test]
    fn masks_and_thresholds() {
        let mut block = [2.0; BLOCK];
        blend(&mut block, &[4.0; BLOCK], &[0.25; BLOCK]);
        close(block[7], 2.5);
        for (v, expected) in [(0.3, 0.0), (0.5, 0.5), (0.55, 0.84375), (0.7, 1.0)] {
            let mut by = [v; BLOCK];
            decide(&mut by, 0.5, 0.1);
            close(by[3], expected);
        }
        let mut by = [0.5; BLOCK];
        decide(&mut by, 0.5, 0.0);
        close(by[0], 1.0);
    }
}
