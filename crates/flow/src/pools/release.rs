//! How the excess of a full pool leaves.

use super::{Kind, Outflow, Release, Spring};

/// Springs that one pool may send at once: above it, a unit far too small would fill the memory.
const MOST_SPRINGS: f64 = 16_777_216.0;

/// Water on its way out of a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaving {
    /// The cell beyond the sill.
    pub(super) cell: usize,
    /// What that cell is.
    pub(super) kind: Kind,
    /// m × cells.
    pub(super) excess: f64,
}

/// Lets the water go and returns what waits, m × cells.
pub(super) fn let_go(leaving: Leaving, release: Release, outflow: &mut Outflow) -> f64 {
    let Leaving { cell, kind, excess } = leaving;
    match (kind, release) {
        (Kind::Drain | Kind::Void, _) => outflow.exported_m += excess,
        (Kind::Sea, _) => outflow.to_sea_m += excess,
        (Kind::Land, Release::Settle) => return excess,
        (Kind::Land, Release::Springs { unit_m, minimum }) => {
            let (count, volume) = portions(excess / unit_m, minimum);
            let springs = std::iter::repeat_n(Spring { cell, volume }, count);
            outflow.springs.extend(springs);
            let gone = count as f64 * volume * unit_m;
            let all = count > 0 && volume < 1.0;
            return if all { 0.0 } else { (excess - gone).max(0.0) };
        }
    }
    0.0
}

/// Cuts a volume into equal droplets, each at most 1 and at least `minimum`.
fn portions(volume: f64, minimum: f64) -> (usize, f64) {
    if volume.is_nan() || volume <= 0.0 {
        return (0, 0.0);
    }
    let count = volume.ceil().min(MOST_SPRINGS);
    let each = (volume / count).min(1.0);
    if each >= minimum {
        return (count as usize, each);
    }
    // Below a minimum near 1, whole droplets go and the rest waits.
    let whole = volume.floor().min(MOST_SPRINGS);
    if 1.0 >= minimum {
        (whole as usize, 1.0)
    } else {
        (0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::portions;

    #[test]
    fn droplets_are_equal_and_within_bounds() {
        assert_eq!(portions(0.5, 0.01), (1, 0.5));
        assert_eq!(portions(2.5, 0.01), (3, 2.5 / 3.0));
        assert_eq!(portions(3.0, 0.01), (3, 1.0));
        assert_eq!(portions(0.005, 0.01).0, 0);
        assert_eq!(portions(1.2, 0.9), (1, 1.0));
        for nothing in [0.0, -1.0, f64::NAN] {
            assert_eq!(portions(nothing, 0.0).0, 0);
        }
        assert_eq!(portions(f64::INFINITY, 0.0), (16_777_216, 1.0));
    }
}
