//! Whether ground is fit to be handed on: finite everywhere, without one-cell spikes or pits.

use ndarray::ArrayView2;
use rayon::prelude::*;

/// What is wrong with a ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sanity {
    /// Cells with data whose elevation is infinite or not a number.
    pub non_finite: u64,
    /// Cells more than one cell size above or below their neighbours' mean. A cliff of a real DEM has some.
    pub spikes: u64,
}

/// Counts what is wrong with `elevation`, m, in the cells that `valid` marks (all, without one).
///
/// Neighbours are the up to four pairs of opposite adjacent cells that both hold data and are finite, so that a slope
/// is no spike at an edge either; a cell without any is none.
///
/// # Panics
/// When the mask's shape is not the elevation's.
#[must_use]
pub fn check(
    elevation: ArrayView2<'_, f32>,
    valid: Option<ArrayView2<'_, bool>>,
    cell_size_m: f64,
) -> Sanity {
    let ground = Ground::new(elevation, valid, cell_size_m);
    Sanity {
        non_finite: ground
            .count(|row, col| ground.is_valid(row, col) && !ground.is_finite(row, col)),
        spikes: ground.count(|row, col| ground.is_spike(row, col)),
    }
}

/// Cells that are spikes `after`, m, and were not `before`, m, by the rule of [`check`].
///
/// # Panics
/// When the three shapes are not the same.
#[must_use]
pub fn new_spikes(
    before: ArrayView2<'_, f32>,
    after: ArrayView2<'_, f32>,
    valid: Option<ArrayView2<'_, bool>>,
    cell_size_m: f64,
) -> u64 {
    assert_eq!(before.dim(), after.dim(), "elevation before and after");
    let before = Ground::new(before, valid, cell_size_m);
    let after = Ground::new(after, valid, cell_size_m);
    after.count(|row, col| after.is_spike(row, col) && !before.is_spike(row, col))
}

struct Ground<'a> {
    elevation: ArrayView2<'a, f32>,
    valid: Option<ArrayView2<'a, bool>>,
    limit_m: f64,
}

impl<'a> Ground<'a> {
    fn new(
        elevation: ArrayView2<'a, f32>,
        valid: Option<ArrayView2<'a, bool>>,
        limit_m: f64,
    ) -> Self {
        if let Some(mask) = &valid {
            assert_eq!(mask.dim(), elevation.dim(), "mask and elevation");
        }
        Self {
            elevation,
            valid,
            limit_m,
        }
    }

    fn is_valid(&self, row: usize, col: usize) -> bool {
        self.valid.as_ref().is_none_or(|mask| mask[(row, col)])
    }

    fn is_finite(&self, row: usize, col: usize) -> bool {
        self.elevation[(row, col)].is_finite()
    }

    /// The elevation of a cell that holds data and is finite, m.
    fn at(&self, row: usize, col: usize) -> Option<f64> {
        let fits = self.is_valid(row, col) && self.is_finite(row, col);
        fits.then(|| f64::from(self.elevation[(row, col)]))
    }

    fn is_spike(&self, row: usize, col: usize) -> bool {
        let departure_m = self.at(row, col).zip(self.neighbours_mean(row, col));
        departure_m.is_some_and(|(own_m, mean_m)| (own_m - mean_m).abs() > self.limit_m)
    }

    /// m.
    fn neighbours_mean(&self, row: usize, col: usize) -> Option<f64> {
        let beside = |d_row: isize, d_col: isize| {
            let row = row.checked_add_signed(d_row)?;
            let col = col.checked_add_signed(d_col)?;
            let (rows, cols) = self.elevation.dim();
            (row < rows && col < cols).then(|| self.at(row, col))?
        };
        let (mut sum, mut count) = (0.0, 0);
        for (d_row, d_col) in [(0, 1), (1, -1), (1, 0), (1, 1)] {
            if let (Some(one), Some(other)) = (beside(d_row, d_col), beside(-d_row, -d_col)) {
                sum += one + other;
                count += 2;
            }
        }
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Cells for which `holds`; whole numbers, so that the order of the rows does not matter.
    fn count(&self, holds: impl Fn(usize, usize) -> bool + Sync) -> u64 {
        let (rows, cols) = self.elevation.dim();
        let in_row = |row| (0..cols).filter(|&col| holds(row, col)).count() as u64;
        (0..rows).into_par_iter().map(in_row).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn plane() -> Array2<f32> {
        Array2::from_shape_fn((6, 9), |(row, col)| {
            100.0 + 3.0 * row as f32 - 2.0 * col as f32
        })
    }

    #[test]
    fn a_slope_is_sane() {
        assert_eq!(check(plane().view(), None, 5.0), Sanity::default());
    }

    #[test]
    fn one_cell_out_of_line_is_a_spike_above_one_cell_size() {
        for (departure_m, spikes) in [(9.9, 0), (10.1, 1), (-9.9, 0), (-10.1, 1)] {
            let mut ground = plane();
            ground[(3, 4)] += departure_m;
            assert_eq!(
                check(ground.view(), None, 10.0).spikes,
                spikes,
                "{departure_m} m"
            );
            assert_eq!(
                new_spikes(plane().view(), ground.view(), None, 10.0),
                spikes
            );
            assert_eq!(new_spikes(ground.view(), ground.view(), None, 10.0), 0);
            assert_eq!(new_spikes(ground.view(), plane().view(), None, 10.0), 0);
        }
    }

    /// At an edge the pair along it counts, a corner has none: a steep plane is no spike anywhere.
    #[test]
    fn edges_use_the_pairs_they_have() {
        let ground = array![[14.0, 1.0, 2.0], [3.0, 5.0, 0.0]];
        // (14 + 2) / 2 = 8, so the middle of the upper row lies 7 below; (3 + 0) / 2 = 1.5, 3.5 below the other.
        assert_eq!(check(ground.view(), None, 6.9).spikes, 1);
        assert_eq!(check(ground.view(), None, 7.1).spikes, 0);
        assert_eq!(check(ground.view(), None, 3.4).spikes, 2);
        let steep = Array2::from_shape_fn((5, 7), |(row, col)| 30.0 * (row + col) as f32);
        assert_eq!(check(steep.view(), None, 1.0), Sanity::default());
        assert_eq!(check(array![[7.0]].view(), None, 1.0), Sanity::default());
    }

    #[test]
    fn one_value_that_is_not_finite_makes_no_spikes_around_it() {
        let mut ground = plane();
        ground[(2, 2)] = f32::NAN;
        ground[(4, 7)] = f32::NEG_INFINITY;
        let expected = Sanity {
            non_finite: 2,
            spikes: 0,
        };
        assert_eq!(check(ground.view(), None, 5.0), expected);
    }

    #[test]
    fn cells_without_data_do_not_count() {
        let mut ground = plane();
        ground[(2, 2)] = -9999.0;
        ground[(2, 3)] = f32::NAN;
        let mut valid = Array2::from_elem(ground.dim(), true);
        valid[(2, 2)] = false;
        valid[(2, 3)] = false;
        assert_eq!(
            check(ground.view(), Some(valid.view()), 5.0),
            Sanity::default()
        );
    }
}
