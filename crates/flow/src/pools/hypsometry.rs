//! What a set of cells holds below a level, and the level at which it holds an amount.

/// Steps of a height in one metre: 2⁴⁴, 57 femtometres each. A 64-bit float at 256 m and above resolves no less,
/// so that a rounded height is the height; below, the error of a volume stays at 3·10⁻¹⁴ m a cell.
const STEPS: f64 = 17_592_186_044_416.0;

/// Heights of cells, added up in whole steps: exact, so the order of cells, threads and history does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Beds {
    cells: usize,
    steps: i128,
}

/// A finite height in steps; beyond ±9·10²⁴ m it ends.
#[inline]
fn steps(height_m: f64) -> i128 {
    let steps = height_m * STEPS;
    // The short conversion is one instruction, the long one a call; they agree where both can.
    if steps.abs() < 9e18 {
        i128::from(steps as i64)
    } else {
        steps as i128
    }
}

impl Beds {
    /// How many cells there are.
    pub(super) const fn cells(self) -> usize {
        self.cells
    }

    /// Adds a cell with its bed at a finite height, m.
    #[inline]
    pub(super) fn add(&mut self, bed_m: f64) {
        self.cells += 1;
        self.steps = self.steps.saturating_add(steps(bed_m));
    }

    /// Takes a cell out that was added with this height, m.
    pub(super) fn remove(&mut self, bed_m: f64) {
        self.cells -= 1;
        self.steps = self.steps.saturating_sub(steps(bed_m));
    }

    /// Both sets.
    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            cells: self.cells + other.cells,
            steps: self.steps.saturating_add(other.steps),
        }
    }

    /// What they hold below a level at or above them all, m × cells.
    pub(super) fn below(self, level_m: f64) -> f64 {
        let surface = steps(level_m).saturating_mul(self.cells as i128);
        surface.saturating_sub(self.steps) as f64 / STEPS
    }

    /// Whether a level, m, above them all and an amount of water, m × cells, say the same, to the last bit of one
    /// of them. Such water stands at that very level: nothing is rounded twice.
    pub(super) fn agree(self, level_m: f64, water: f64) -> bool {
        self.below(level_m).total_cmp(&water).is_eq()
            || self.level(water).total_cmp(&level_m).is_eq()
    }

    /// The level, m, at which they hold water, m × cells, if all are below it. Needs at least one cell.
    pub(super) fn level(self, water: f64) -> f64 {
        let cells = self.cells as i128;
        let mean = self.steps.div_euclid(cells) as f64 / STEPS;
        let rest = self.steps.rem_euclid(cells) as f64 / STEPS;
        mean + (rest + water) / self.cells as f64
    }
}

/// The heights added up.
impl FromIterator<f64> for Beds {
    fn from_iter<I: IntoIterator<Item = f64>>(heights_m: I) -> Self {
        let mut beds = Self::default();
        heights_m.into_iter().for_each(|height| beds.add(height));
        beds
    }
}

/// The level, m, below which `beds` (m, one per cell) hold `water` (m × cells). Needs at least one bed.
///
/// The amount held grows with the level along a convex line of straight pieces, so Newton's steps come down from
/// above onto the right piece and stop there: no bed has to be sorted.
pub(super) fn level(water: f64, beds: impl Iterator<Item = f64> + Clone) -> f64 {
    let all: Beds = beds.clone().collect();
    let mut level = all.level(water);
    let mut wet = all;
    loop {
        let next: Beds = beds.clone().filter(|&bed| bed < level).collect();
        if next.cells() == 0 || next.cells() >= wet.cells() {
            return level;
        }
        wet = next;
        level = wet.level(water);
    }
}

#[cfg(test)]
mod tests {
    use super::{Beds, level, steps};

    #[test]
    fn a_stair_fills_step_by_step() {
        // Steps at 0, 1, 2: one cell to 1 m, two to 2 m (1 + 2 = 3), then three.
        let at = |water| level(water, [2.0, 0.0, 1.0].into_iter());
        for (water, expected) in [(0.5, 0.5), (1.0, 1.0), (2.0, 1.5), (3.0, 2.0), (6.0, 3.0)] {
            assert!(
                (at(water) - expected).abs() < 1e-15,
                "{water}: {}",
                at(water)
            );
        }
    }

    #[test]
    fn high_ground_costs_no_digits() {
        let beds = (0..1000).map(|i| 4000.0 + f64::from(i % 10) / 8.0);
        let expected = 4000.0 + 2.0;
        let water: f64 = beds.clone().map(|bed| expected - bed).sum();
        assert!((level(water, beds) - expected).abs() < 1e-12);
    }

    #[test]
    fn sums_are_exact_in_any_order_and_heights_have_no_end() {
        let heights: Vec<f64> = (0..1000)
            .map(|i| f64::from(i).sqrt() * 97.3 - 900.0)
            .collect();
        let forward: Beds = heights.iter().copied().collect();
        let backward: Beds = heights.iter().rev().copied().collect();
        assert_eq!(forward, backward);
        for height in [1e9, -1e9, 1e30, -1e300] {
            let beds: Beds = [height, height].into_iter().collect();
            assert!(beds.below(height).abs() < 1e-300);
            assert!(beds.level(0.0).is_finite());
        }
        assert!(steps(600_000.0) > steps(500_000.0));
    }
}
