//! Random numbers at the nodes of an unbounded lattice.

use noise::permutationtable::NoiseHasher;

/// A keyed hash of lattice nodes: 64 bits each, without a table and so without a period.
///
/// The `noise` crate's own hasher folds coordinates modulo 256.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lattice(u64);

impl Lattice {
    pub(crate) const fn new(key: u64) -> Self {
        Self(key)
    }

    /// 64 random bits for a node: multiply–xorshift rounds of the `SplitMix64` finaliser, the first between the
    /// two coordinates, so that no pair of keys gives shifted copies of one lattice.
    #[inline]
    pub(crate) const fn bits(self, x: i64, y: i64) -> u64 {
        let mut h = self.0 ^ (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h ^= (y as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^ (h >> 31)
    }

    /// The largest hash that kernels of the `noise` crate get to see.
    pub(crate) const MAX: f64 = u32::MAX as f64;
}

impl NoiseHasher for Lattice {
    /// The upper 32 bits of a two-dimensional node's hash.
    #[inline]
    fn hash(&self, node: &[isize]) -> usize {
        (self.bits(node[0] as i64, node[1] as i64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Lattice;

    /// χ² of the low 3 bits (a gradient) over neighbouring nodes in pairs: 64 classes, 63 degrees of freedom.
    #[test]
    fn gradients_of_neighbours_are_independent() {
        for (dx, dy) in [(1, 0), (0, 1), (1, 1), (256, 0), (0, 256)] {
            let lattice = Lattice::new(7);
            let class = |x, y| (lattice.bits(x, y) >> 32 & 7) as usize;
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
            assert!((25.0..120.0).contains(&chi2), "χ² = {chi2} at ({dx}, {dy})");
        }
    }
}
