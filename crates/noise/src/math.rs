//! Small functions that kernels share. No platform libm: the same bits everywhere.

use crate::expression::Interpolation;

/// Points that a kernel works on at a time.
pub(crate) const BLOCK: usize = 128;

/// Values at a block of points.
pub(crate) type Block = [f32; BLOCK];

/// 1.5 × 2⁵²: adding it rounds to whole numbers, which then stand in the lower bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// The largest whole number not above `p`, as float and integer, for |p| < 2⁵¹. `f64::floor` is a function call on
/// the baseline of x86-64; this vectorises.
#[inline(always)]
pub(crate) fn floor(p: f64) -> (f64, i64) {
    let shifted = p + MAGIC;
    let rounded = shifted - MAGIC;
    let above = rounded > p;
    let whole = if above { rounded - 1.0 } else { rounded };
    let bits = (shifted.to_bits() as i64).wrapping_sub(MAGIC.to_bits() as i64);
    (whole, bits - i64::from(above))
}

/// The whole number nearest to `p`, and how far `p` is beyond it, for |p| < 2⁵¹.
#[inline(always)]
pub(crate) fn nearest(p: f64) -> (i64, f64) {
    let shifted = p + MAGIC;
    let bits = (shifted.to_bits() as i64).wrapping_sub(MAGIC.to_bits() as i64);
    (bits, p - (shifted - MAGIC))
}

/// A point on the unit circle for a hash, all directions alike: an arc of a quarter of it, mirrored by two bits.
#[inline(always)]
pub(crate) fn circle(hash: u32) -> [f32; 2] {
    let [sin, cos] = arc((hash << 2) as i32);
    let cos = f32::from_bits(cos.to_bits() ^ ((hash << 1) & 0x8000_0000));
    let swap = hash >> 31 == 0;
    if swap { [cos, sin] } else { [sin, cos] }
}

/// Cosines and sines of 7.5°, 22.5° and 37.5°.
const STEPS_OF_15: [[f32; 2]; 3] = [
    [0.991_444_9, 0.130_526_19],
    [0.923_879_5, 0.382_683_43],
    [0.793_353_3, 0.608_761_4],
];

/// One of 24 points on the unit circle for a hash, half-way between multiples of 15°: of each arc of [`circle`] six.
#[inline(always)]
pub(crate) fn circle_of_24(hash: u32) -> [f32; 2] {
    const THIRD: i32 = ((1_i64 << 31) / 3 + 1) as i32;
    const TWO_THIRDS: i32 = ((2_i64 << 31) / 3 + 1) as i32;
    let [[cos_a, sin_a], [cos_b, sin_b], [cos_c, sin_c]] = STEPS_OF_15;
    let steps = (hash << 2) as i32;
    let off = steps.wrapping_abs();
    let (first, second) = (off < THIRD, off < TWO_THIRDS);
    let cos = if second { cos_b } else { cos_c };
    let cos = if first { cos_a } else { cos };
    let sin = if second { sin_b } else { sin_c };
    let sin = if first { sin_a } else { sin };
    let sin = f32::from_bits(sin.to_bits() | (steps as u32 & 0x8000_0000));
    let cos = f32::from_bits(cos.to_bits() | ((hash << 1) & 0x8000_0000));
    let swap = hash >> 31 == 0;
    if swap { [cos, sin] } else { [sin, cos] }
}

/// Sine and cosine of an angle of π/4 s, with s from −1 to 1 in steps of 2⁻³¹.
#[inline(always)]
fn arc(steps: i32) -> [f32; 2] {
    let s = steps as f32 * (1.0 / 2_147_483_648.0);
    let s2 = s * s;
    // Minimax: within 2e-9 and 4e-8. A polynomial of its own for the cosine: the root of 1 − sin² would take as long as
    // all the rest.
    let sin = s
        * (std::f32::consts::FRAC_PI_4
            + s2 * (-0.080_745_37 + s2 * (0.002_489_872 - s2 * 3.587_726e-5)));
    let cos = 1.0 + s2 * (-0.308_424_5 + s2 * (0.015_850_4 - s2 * 3.191_602e-4));
    [sin, cos]
}

/// The point on the unit circle at an angle, of which 2³² make a turn.
#[inline(always)]
pub(crate) fn circle_at(angle: u32) -> [f32; 2] {
    // Quarters about the axes, so that the arcs' ends meet.
    let shifted = angle.wrapping_add(1 << 29);
    let [sin, cos] = arc(((shifted << 2) ^ 0x8000_0000) as i32);
    let odd = (shifted >> 30) & 1 == 1;
    let (x, y) = if odd { (-sin, cos) } else { (cos, sin) };
    let sign = if shifted >> 31 == 0 { 1.0 } else { -1.0 };
    [x * sign, y * sign]
}

/// How far a moment is into its period: 0, and below 1. A whole number of periods, given exactly, is exactly 0.
pub(crate) fn phase(time_s: f64, period_s: f64) -> f64 {
    let share = time_s.rem_euclid(period_s) / period_s;
    if share < 1.0 { share } else { 0.0 }
}

/// A point on the unit sphere for a hash, all directions alike (Archimedes: z is uniform).
#[inline(always)]
pub(crate) fn sphere(hash: u32) -> [f32; 3] {
    // The circle takes its bits from the top; the lowest 12 are hardly seen in it.
    let z = ((crate::hash::again(hash) >> 8) as f32 + 0.5) * (2.0 / 16_777_216.0) - 1.0;
    let r = (1.0 - z * z).sqrt();
    let [x, y] = circle(hash);
    [r * x, r * y, z]
}

/// A point on the unit sphere in four dimensions, all directions alike: two circles whose squared radii are
/// uniform and sum to 1 (Hopf).
#[inline(always)]
pub(crate) fn sphere4(hash: u32) -> [f32; 4] {
    let second = crate::hash::again(hash);
    let share = (crate::hash::again(second ^ 0x5bd1_e995) >> 8) as f32 * (1.0 / 16_777_216.0);
    let (r, q) = (share.sqrt(), (1.0 - share).sqrt());
    let ([x, y], [z, w]) = (circle(hash), circle(second));
    [r * x, r * y, q * z, q * w]
}

/// The weight of the further lattice line at a fraction of a cell, and its derivative by the fraction.
#[inline(always)]
pub(crate) fn fade(t: f32, kind: Interpolation) -> [f32; 2] {
    match kind {
        Interpolation::Linear => [t, 1.0],
        Interpolation::Cosine => cosine(t),
        Interpolation::Smoothstep => [t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t)],
        Interpolation::Quintic => {
            let u = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
            [u, 30.0 * t * t * (t * (t - 2.0) + 1.0)]
        }
    }
}

/// (1 − cos πt) ÷ 2, from the sine of π (t − ½).
#[inline(always)]
fn cosine(t: f32) -> [f32; 2] {
    let half = sine_quarter(2.0 * t - 1.0);
    let slope = std::f32::consts::FRAC_PI_2 * sine_quarter(1.0 - (2.0 * t - 1.0).abs());
    [0.5 + 0.5 * half, slope]
}

/// sin(π/2 s) for |s| ≤ 1: Taylor's polynomial, within 6e-8, and never beyond ±1.
#[inline(always)]
fn sine_quarter(s: f32) -> f32 {
    let s2 = s * s;
    let p = std::f32::consts::FRAC_PI_2
        + s2 * (-0.645_964_1
            + s2 * (0.079_692_63
                + s2 * (-0.004_681_754 + s2 * (1.604_411_8e-4 + s2 * -3.598_843e-6))));
    (s * p).clamp(-1.0, 1.0)
}

/// sin(2π t), for |t| < 2²⁰.
#[inline(always)]
pub(crate) fn sine_turns(t: f32) -> f32 {
    // To the nearest half turn, which changes the sign: `round` would be a call.
    let halves = 2.0 * t;
    let nearest = (halves + 12_582_912.0) - 12_582_912.0;
    let sign = if (nearest as i32) & 1 == 0 { 1.0 } else { -1.0 };
    sign * sine_quarter(2.0 * (halves - nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_floors() {
        for p in [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.0,
            -1.0,
            2.5,
            -2.5,
            1e12 + 0.25,
            -1e12 - 0.25,
            1e-300,
            -1e-300,
        ] {
            let (whole, cell) = floor(p);
            assert!(
                (whole - p.floor()).abs() == 0.0 && cell == p.floor() as i64,
                "{p}"
            );
        }
    }

    #[test]
    fn directions_are_even_and_of_unit_length() {
        let n = 1 << 16;
        let (mut bins, mut moments) = ([0_u32; 32], [[0.0_f64; 4]; 2]);
        for i in 0..n {
            let hash = crate::hash::node(i);
            let [x, y] = circle(hash);
            assert!((x * x + y * y - 1.0).abs() < 1e-6);
            let angle = f64::from(y).atan2(f64::from(x)) + std::f64::consts::PI;
            bins[((angle / std::f64::consts::TAU * 32.0) as usize).min(31)] += 1;
            let [a, b, c] = sphere(hash);
            let d = sphere4(hash);
            assert!((a * a + b * b + c * c - 1.0).abs() < 1e-6);
            assert!((d.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-6);
            for (k, v) in [a, b, c].into_iter().enumerate() {
                moments[0][k] += f64::from(v * v);
            }
            for (k, v) in d.into_iter().enumerate() {
                moments[1][k] += f64::from(v * v);
            }
        }
        // 2048 a bin, standard deviation 45.
        assert!(bins.iter().all(|n| (1820..2280).contains(n)), "{bins:?}");
        // Each axis has its share of the squared length.
        for (of, share) in [(&moments[0][..3], 3.0), (&moments[1][..], 4.0)] {
            assert!(
                of.iter()
                    .all(|m| (m / f64::from(n) * share - 1.0).abs() < 0.02),
                "{of:?}"
            );
        }
    }

    #[test]
    fn of_24_directions_each_has_its_share() {
        let (n, mut counts) = (1 << 16, [0_u32; 24]);
        for i in 0..n {
            let [x, y] = circle_of_24(crate::hash::node(i)).map(f64::from);
            let place = (y.atan2(x) / std::f64::consts::TAU).rem_euclid(1.0) * 24.0 - 0.5;
            assert!((place - place.round()).abs() < 1e-5 && (x.hypot(y) - 1.0).abs() < 1e-7);
            counts[place.round() as usize] += 1;
        }
        // 2731 each, standard deviation 51.
        assert!(
            counts.iter().all(|n| (2520..2940).contains(n)),
            "{counts:?}"
        );
    }

    #[test]
    fn angles_go_round_the_circle_without_a_step() {
        let turn = f64::from(u32::MAX) + 1.0;
        for i in 0..4096_u32 {
            for angle in [i << 20, (i << 20).wrapping_sub(1), (i << 20) + 77] {
                let [x, y] = circle_at(angle).map(f64::from);
                let true_angle = f64::from(angle) / turn * std::f64::consts::TAU;
                assert!((x - true_angle.cos()).abs() < 3e-7 && (y - true_angle.sin()).abs() < 3e-7);
            }
        }
    }

    #[test]
    fn whole_periods_are_no_phase() {
        let exact =
            |time_s, period_s, share: f64| assert!((phase(time_s, period_s) - share).abs() < 1e-15);
        exact(0.0, 3.7, 0.0);
        exact(3.7, 3.7, 0.0);
        exact(-3.7, 3.7, 0.0);
        exact(9.0, 4.0, 0.25);
        exact(-1.0, 4.0, 0.75);
        // Rounding would make it a whole period.
        assert!(phase(-1e-300, 4.0) < 1.0);
    }

    #[test]
    fn fades_and_sines_follow_their_formulas() {
        for i in 0..=1000 {
            let t = i as f32 / 1000.0;
            let turn = std::f64::consts::PI * f64::from(t);
            let [u, slope] = fade(t, Interpolation::Cosine);
            assert!((f64::from(u) - (1.0 - turn.cos()) / 2.0).abs() < 2e-7);
            assert!((f64::from(slope) - std::f64::consts::FRAC_PI_2 * turn.sin()).abs() < 5e-7);
            let wave = f64::from(37.3 * t - 11.0) * std::f64::consts::TAU;
            assert!((f64::from(sine_turns(37.3 * t - 11.0)) - wave.sin()).abs() < 1e-5);
        }
    }
}
