use ndarray::ArrayView2;

/// What GDAL keeps of a band's values, over the cells with data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Smallest value.
    pub minimum: f64,
    /// Largest value.
    pub maximum: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the whole population, as GDAL's: divided by the count, not the count less one.
    pub standard_deviation: f64,
    /// Cells with data.
    pub valid_cells: u64,
}

impl Statistics {
    /// Statistics of the cells whose `value` is some; none without any. Rows are summed on their own and then in
    /// order, which bounds the rounding and fixes the bits.
    pub(crate) fn of<T: Copy>(
        cells: ArrayView2<'_, T>,
        value: impl Fn(usize, usize, T) -> Option<f64>,
    ) -> Option<Self> {
        let rows = || {
            let value = &value;
            cells
                .rows()
                .into_iter()
                .enumerate()
                .map(move |(row, cells)| {
                    cells
                        .into_iter()
                        .enumerate()
                        .filter_map(move |(col, &cell)| value(row, col, cell))
                })
        };
        let (mut minimum, mut maximum) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut sum, mut valid_cells) = (0.0, 0_u64);
        for row in rows() {
            let mut row_sum = 0.0;
            for value in row {
                minimum = minimum.min(value);
                maximum = maximum.max(value);
                row_sum += value;
                valid_cells += 1;
            }
            sum += row_sum;
        }
        if valid_cells == 0 {
            return None;
        }
        let mean = sum / valid_cells as f64;
        let squares: f64 = rows()
            .map(|row| {
                row.map(|value| (value - mean) * (value - mean))
                    .sum::<f64>()
            })
            .sum();
        Some(Self {
            minimum,
            maximum,
            mean,
            standard_deviation: (squares / valid_cells as f64).sqrt(),
            valid_cells,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn a_uniform_ramp_has_the_moments_of_the_textbook() {
        // 0..n−1 has mean (n−1)/2 and variance (n²−1)/12.
        let n = 35.0_f64;
        let cells = Array2::from_shape_fn((5, 7), |(r, c)| (r * 7 + c) as f32 + 4000.0);
        let found = Statistics::of(cells.view(), |_, _, v| Some(f64::from(v))).unwrap();
        assert!((found.mean - 4000.0 - (n - 1.0) / 2.0).abs() < 1e-9);
        assert!((found.standard_deviation - ((n * n - 1.0) / 12.0).sqrt()).abs() < 1e-9);
        assert!((found.minimum - 4000.0).abs() < 1e-9 && (found.maximum - 4034.0).abs() < 1e-9);
        assert_eq!(found.valid_cells, 35);
    }

    #[test]
    fn cells_without_data_do_not_count() {
        let cells = Array2::from_shape_fn((2, 2), |(r, c)| [[1_u32, 100], [3, 100]][r][c]);
        let found =
            Statistics::of(cells.view(), |_, col, v| (col == 0).then_some(f64::from(v))).unwrap();
        assert_eq!((found.minimum, found.maximum, found.mean), (1.0, 3.0, 2.0));
        assert!(Statistics::of(cells.view(), |_, _, _| None).is_none());
    }
}
