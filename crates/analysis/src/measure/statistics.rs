use ndarray::parallel::prelude::*;
use ndarray::{ArrayView1, ArrayView2, Axis};

/// What GDAL's statistics of a band say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Least value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the population (divided by n, as GDAL does).
    pub std: f64,
}

/// Statistics of the finite values of the cells that `valid` marks (all, without one), in the layer's unit;
/// none when there is no such cell.
///
/// Two passes in f64, summed within rows and then over rows from north to south, so that the bits do not depend
/// on the number of threads.
///
/// # Panics
/// When the mask's shape is not the layer's.
#[must_use]
pub fn statistics(
    values: ArrayView2<'_, f32>,
    valid: Option<ArrayView2<'_, bool>>,
) -> Option<Statistics> {
    if let Some(mask) = &valid {
        assert_eq!(mask.dim(), values.dim(), "mask and layer");
    }
    let rows = by_rows(&values, valid.as_ref(), |cells| {
        cells.fold(Row::default(), |row, v| row.with(v))
    });
    let total = rows.into_iter().fold(Row::default(), Row::and);
    if total.count == 0 {
        return None;
    }
    let n = total.count as f64;
    let mean = total.sum / n;
    let squares = by_rows(&values, valid.as_ref(), |cells| {
        cells.map(|v| (v - mean) * (v - mean)).sum::<f64>()
    });
    Some(Statistics {
        min: total.min,
        max: total.max,
        mean,
        std: (squares.into_iter().sum::<f64>() / n).sqrt(),
    })
}

/// What one row, or several, come to.
struct Row {
    count: u64,
    min: f64,
    max: f64,
    sum: f64,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            count: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            sum: 0.0,
        }
    }
}

impl Row {
    fn with(self, value: f64) -> Self {
        self.and(Self {
            count: 1,
            min: value,
            max: value,
            sum: value,
        })
    }

    fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
        }
    }
}

/// `measure` of each row's finite valid values, in the order of the rows.
fn by_rows<T: Send>(
    values: &ArrayView2<'_, f32>,
    valid: Option<&ArrayView2<'_, bool>>,
    measure: impl Fn(&mut dyn Iterator<Item = f64>) -> T + Sync,
) -> Vec<T> {
    let rows = values.axis_iter(Axis(0)).into_par_iter().enumerate();
    rows.map(|(row, cells): (usize, ArrayView1<'_, f32>)| {
        let is_valid = |col| valid.is_none_or(|mask| mask[(row, col)]);
        let finite = cells
            .iter()
            .enumerate()
            .filter(|&(col, v)| v.is_finite() && is_valid(col));
        measure(&mut finite.map(|(_, &v)| f64::from(v)))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn known_numbers() {
        // Textbook example of a population deviation of 2 about a mean of 5.
        let values = array![[2.0, 4.0, 4.0, 4.0], [5.0, 5.0, 7.0, 9.0]];
        let expected = Statistics {
            min: 2.0,
            max: 9.0,
            mean: 5.0,
            std: 2.0,
        };
        assert_eq!(statistics(values.view(), None), Some(expected));
    }

    #[test]
    fn cells_without_data_do_not_count() {
        let values = array![[1.0, f32::NAN, -9999.0], [3.0, f32::INFINITY, -9999.0]];
        let valid = array![[true, true, false], [true, true, false]];
        let found = statistics(values.view(), Some(valid.view())).unwrap();
        assert!((found.mean - 2.0).abs() < 1e-15 && (found.std - 1.0).abs() < 1e-15);
        assert!((found.min - 1.0).abs() < 1e-15 && (found.max - 3.0).abs() < 1e-15);
        let none = Array2::from_elem((2, 3), false);
        assert_eq!(statistics(values.view(), Some(none.view())), None);
        assert_eq!(statistics(Array2::zeros((0, 4)).view(), None), None);
    }

    /// Deviations of a millimetre about 8,000 m: a sum of squares would lose them.
    #[test]
    fn small_deviations_about_a_large_mean() {
        let low = 8000.0_f32;
        let high = low.next_up();
        let values = Array2::from_shape_fn(
            (300, 500),
            |(r, c)| if (r + c) % 2 == 0 { low } else { high },
        );
        let found = statistics(values.view(), None).unwrap();
        let half = (f64::from(high) - f64::from(low)) / 2.0;
        assert!((found.std / half - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let values = Array2::from_shape_fn((97, 131), |(r, c)| {
            (r as f32 * 0.37 - c as f32 * 1.3).abs() / 3.0
        });
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let found = pool.install(|| statistics(values.view(), None)).unwrap();
            [found.mean.to_bits(), found.std.to_bits()]
        };
        assert_eq!(with(1), with(3));
    }
}
