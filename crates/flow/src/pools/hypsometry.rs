//! The level at which an amount of water stands over given beds.

/// The level, m, below which `beds` (m, one per cell) hold `water` (m × cells). The beds may be reordered.
///
/// Exact but for rounding: relative to one bed, so that high ground costs no digits. Needs at least one bed.
pub(super) fn level(water: f64, beds: &mut [f64]) -> f64 {
    let datum = beds[0];
    let mut sum = 0.0;
    let mut highest = datum;
    for &bed in beds.iter() {
        sum += bed - datum;
        highest = highest.max(bed);
    }
    let all = datum + (water + sum) / beds.len() as f64;
    // Most of the time every cell stays wet, and nothing has to be sorted.
    if all >= highest {
        all
    } else {
        partial(water, beds)
    }
}

/// The level where some beds stay dry.
fn partial(water: f64, beds: &mut [f64]) -> f64 {
    beds.sort_unstable_by(f64::total_cmp);
    let mut held = 0.0;
    for below in 1..beds.len() {
        let slab = below as f64 * (beds[below] - beds[below - 1]);
        if held + slab >= water {
            return beds[below - 1] + (water - held) / below as f64;
        }
        held += slab;
    }
    let last = beds.len();
    beds[last - 1] + (water - held) / last as f64
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn a_stair_fills_step_by_step() {
        // Steps at 0, 1, 2: one cell to 1 m, two to 2 m (1 + 2 = 3), then three.
        let at = |water| level(water, &mut [2.0, 0.0, 1.0]);
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
        let mut beds: Vec<f64> = (0..1000)
            .map(|i| 4000.0 + f64::from(i % 10) / 8.0)
            .collect();
        let expected = 4000.0 + 2.0;
        let water: f64 = beds.iter().map(|bed| expected - bed).sum();
        assert!((level(water, &mut beds) - expected).abs() < 1e-12);
    }
}
