use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// What a random choice is for. Each purpose has numbers of its own, so that a new one changes no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Noise: lattice seeds and offsets.
    Noise = 1,
    /// Where a droplet starts.
    Spawn = 2,
    /// A cycle's tile offset and the order of its phases.
    TileGrid = 3,
    /// Whether a plant appears in a cell.
    PlantSpawn = 4,
    /// Whether a plant has a child, and where.
    PlantChild = 5,
    /// Whether a plant dies.
    PlantDeath = 6,
    /// How steep sediment under water lies in a cell.
    Repose = 7,
}

/// The root of every random choice of one stage: the run's seed and the stage's id.
///
/// A choice is named by its purpose and two indices (a cycle and a droplet or cell, say) and by nothing
/// else: not by the tile, the thread or the stages around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageKey(u64);

impl StageKey {
    /// The key of stage `id` in a run with `seed`.
    #[must_use]
    pub fn new(seed: u64, id: &str) -> Self {
        // FNV-1a over the id; `mix` spreads it.
        let id = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(mix(mix(seed) ^ id))
    }

    /// 64 random bits for one choice.
    #[must_use]
    #[inline]
    pub fn bits(self, purpose: Purpose, first: u64, second: u64) -> u64 {
        let purpose = mix(self.0 ^ (purpose as u64).wrapping_mul(GOLDEN));
        mix(mix(purpose ^ first.wrapping_mul(GOLDEN)) ^ second.wrapping_mul(GOLDEN))
    }

    /// A generator for one choice that needs more than 64 bits.
    #[must_use]
    #[inline]
    pub fn generator(self, purpose: Purpose, first: u64, second: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.bits(purpose, first, second))
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of `SplitMix64` (Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195), after one step of
/// its sequence so that 0 does not map to 0.
#[inline]
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_name_matters() {
        let base = StageKey::new(42, "rivers").bits(Purpose::Spawn, 3, 7);
        let others = [
            StageKey::new(43, "rivers").bits(Purpose::Spawn, 3, 7),
            StageKey::new(42, "river").bits(Purpose::Spawn, 3, 7),
            StageKey::new(42, "rivers").bits(Purpose::TileGrid, 3, 7),
            StageKey::new(42, "rivers").bits(Purpose::Spawn, 4, 7),
            StageKey::new(42, "rivers").bits(Purpose::Spawn, 3, 8),
            StageKey::new(42, "rivers").bits(Purpose::Spawn, 7, 3),
        ];
        for other in others {
            // Unrelated words differ in about half of their bits.
            let differing = (base ^ other).count_ones();
            assert!((12..=52).contains(&differing), "{differing} bits differ");
        }
    }

    #[test]
    fn neighbouring_indices_are_uncorrelated() {
        let key = StageKey::new(1, "a");
        let n = 100_000;
        let unit =
            |i: u64| (key.bits(Purpose::Spawn, 0, i) >> 40) as f64 / f64::from(1 << 24) - 0.5;
        let covariance: f64 = (0..n).map(|i| unit(i) * unit(i + 1)).sum::<f64>() / n as f64;
        let variance = 1.0 / 12.0;
        // The standard error of a correlation of independent numbers is 1/√n.
        assert!((covariance / variance).abs() < 4.0 / (n as f64).sqrt());
    }
}
