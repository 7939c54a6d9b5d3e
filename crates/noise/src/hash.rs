//! Random numbers at the nodes of an unbounded lattice, in 32-bit steps that vectorise.
//!
//! A node's hash is made of one hash per lattice line through it, so that a grid of nodes costs one mixing per node
//! and one per line. Lines are hashed one to one within 2³² cells and differently beyond, so nothing has a
//! period; each axis has multipliers of its own, so no pair of keys mirrors a lattice on its diagonal.

use thalweg_grid::{Purpose, StageKey};

/// The key of one octave: 32 bits for each axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) [u32; 4]);

impl Key {
    /// The key of choice `(node, octave)` of a stage.
    pub(crate) fn new(key: StageKey, node: u64, octave: u64) -> Self {
        let bits = |part| key.bits(Purpose::Noise, node, octave * 8 + part);
        let (a, b) = (bits(0), bits(5));
        Self([a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32])
    }
}

/// Multipliers of each axis: x, y, z, w.
const LINES: [[u32; 2]; 4] = [
    [0x85eb_ca6b, 0xc2b2_ae35],
    [0x2c1b_3c6d, 0x297a_2d39],
    [0xed5a_d4bb, 0xac4c_1b51],
    [0x9e48_5565, 0xef1d_6b47],
];

/// The hash of the lattice line at `cell` on axis `AXIS`.
#[inline(always)]
pub(crate) fn line<const AXIS: usize>(cell: i64, key: Key) -> u32 {
    line_of::<AXIS>(cell as u32, mixed::<AXIS>((cell >> 32) as u32, key))
}

/// The key of lines of which the cells have an upper half in common. It is 0 or −1 nearly everywhere.
#[inline(always)]
pub(crate) fn mixed<const AXIS: usize>(high: u32, key: Key) -> u32 {
    let high = high.wrapping_mul(0x9e37_79b9);
    key.0[AXIS] ^ high ^ (high >> 16)
}

/// [`line`] of a cell's lower half and the key that goes with the upper one.
#[inline(always)]
pub(crate) fn line_of<const AXIS: usize>(low: u32, mixed: u32) -> u32 {
    let [first, second] = LINES[AXIS];
    let mut h = (low ^ mixed).wrapping_mul(first);
    h ^= h >> 16;
    h = h.wrapping_mul(second);
    h ^ (h >> 15)
}

/// The hash of the node at which lines meet, from the sum of their hashes: Wellons' `lowbias32`
/// (<https://nullprogram.com/blog/2018/07/31/>).
#[inline(always)]
pub(crate) const fn node(lines: u32) -> u32 {
    let mut h = lines;
    h ^= h >> 16;
    h = h.wrapping_mul(0x7feb_352d);
    h ^= h >> 15;
    h = h.wrapping_mul(0x846c_a68b);
    h ^ (h >> 16)
}

/// A second hash of the same node.
#[inline(always)]
pub(crate) const fn again(node: u32) -> u32 {
    let h = (node ^ 0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    let h = (h ^ (h >> 15)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// A hash as a number in [−1, 1).
#[inline(always)]
pub(crate) fn signed(hash: u32) -> f32 {
    hash as i32 as f32 * (1.0 / 2_147_483_648.0)
}

/// A number strictly between 0 and 1.
pub(crate) fn unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u64) -> Key {
        Key::new(StageKey::new(seed, "a"), 0, 0)
    }

    fn at(x: i64, y: i64, key: Key) -> u32 {
        node(line::<0>(x, key).wrapping_add(line::<1>(y, key)))
    }

    /// χ² of 3 bits over pairs of nodes: 64 classes, 63 degrees of freedom.
    #[test]
    fn neighbours_are_independent_in_any_bits() {
        for (dx, dy) in [
            (1, 0),
            (0, 1),
            (1, 1),
            (1, -1),
            (256, 0),
            (0, 1 << 20),
            (1 << 33, 0),
        ] {
            for shift in [0, 13, 29] {
                let class = |x, y| (at(x, y, key(7)) >> shift & 7) as usize;
                let mut counts = [0_u32; 64];
                for x in -200..200 {
                    for y in -200..200 {
                        counts[class(x, y) * 8 + class(x + dx, y + dy)] += 1;
                    }
                }
                let expected = 160_000.0 / 64.0;
                let chi2: f64 = counts
                    .iter()
                    .map(|&n| (f64::from(n) - expected).powi(2) / expected)
                    .sum();
                // Mean 63, standard deviation 11.2.
                assert!(
                    (25.0..120.0).contains(&chi2),
                    "χ² = {chi2} at ({dx}, {dy}), {shift}"
                );
            }
        }
    }

    #[test]
    fn seeds_and_mirrors_share_nothing() {
        let differs = |other: &dyn Fn(i64, i64) -> u32| {
            let mut bits = 0;
            for x in -50..50 {
                for y in -50..50 {
                    bits += (at(x, y, key(7)) ^ other(x, y)).count_ones();
                }
            }
            let mean = f64::from(bits) / 10_000.0;
            // 16 of 32 with a standard error of 0.03.
            assert!((15.8..16.2).contains(&mean), "{mean} bits differ");
        };
        differs(&|x, y| at(x, y, key(8)));
        differs(&|x, y| at(y, x, key(7)) ^ (u32::from(x == y) * 0x0f0f_0f0f));
        differs(&|x, y| at(x + (1 << 32), y, key(7)));
        differs(&|x, y| again(at(x, y, key(7))));
    }

    #[test]
    fn no_line_is_hashed_like_another_nearby() {
        let mut lines: Vec<u32> = (-50_000..50_000).map(|x| line::<0>(x, key(3))).collect();
        lines.sort_unstable();
        // Cells of either sign differ in their upper half, so that a clash is chance: 100,000² ÷ 2³³ = 1.2.
        let clashes = lines.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!(clashes < 8, "{clashes}");
    }
}
