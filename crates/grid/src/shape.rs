use std::fmt;

/// The size of a raster in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Number of rows, north to south.
    pub rows: usize,
    /// Number of columns, west to east.
    pub cols: usize,
}

impl Shape {
    /// A shape of `rows` × `cols` cells.
    #[must_use]
    pub const fn new(rows: usize, cols: usize) -> Self {
        Self { rows, cols }
    }

    /// The number of cells, in 64 bits on every platform.
    #[must_use]
    pub const fn cells(self) -> u64 {
        self.rows as u64 * self.cols as u64
    }

    /// The number of cells of a raster that is held in memory.
    #[must_use]
    pub const fn len(self) -> usize {
        self.rows * self.cols
    }

    /// Whether there is no cell at all.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.rows == 0 || self.cols == 0
    }

    /// The row-major index of a cell.
    #[must_use]
    pub const fn index(self, row: usize, col: usize) -> usize {
        row * self.cols + col
    }

    /// The `(row, col)` of a row-major index.
    #[must_use]
    pub const fn position(self, index: usize) -> (usize, usize) {
        (index / self.cols, index % self.cols)
    }

    /// The indices of the up to eight neighbours of a cell, rows before columns; no neighbour lies across an
    /// edge, so nothing wraps.
    pub fn neighbours(self, index: usize) -> impl Iterator<Item = usize> {
        let (row, col) = self.position(index);
        let rows = row.saturating_sub(1)..(row + 2).min(self.rows);
        rows.flat_map(move |r| {
            let cols = col.saturating_sub(1)..(col + 2).min(self.cols);
            cols.map(move |c| self.index(r, c))
        })
        .filter(move |&other| other != index)
    }

    /// The shape as `ndarray` takes it.
    #[must_use]
    pub const fn dim(self) -> (usize, usize) {
        (self.rows, self.cols)
    }
}

impl From<(usize, usize)> for Shape {
    fn from((rows, cols): (usize, usize)) -> Self {
        Self { rows, cols }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows × {} cols", self.rows, self.cols)
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn indices_round_trip_on_a_shape_that_is_not_square() {
        let shape = Shape::new(3, 5);
        for row in 0..3 {
            for col in 0..5 {
                assert_eq!(shape.position(shape.index(row, col)), (row, col));
            }
        }
        assert_eq!(shape.index(2, 1), 11);
    }

    #[test]
    fn neighbours_never_wrap() {
        let shape = Shape::new(3, 5);
        let east = shape.index(1, 4);
        let expected: Vec<usize> = [(0, 3), (0, 4), (1, 3), (2, 3), (2, 4)]
            .map(|(r, c)| shape.index(r, c))
            .to_vec();
        assert_eq!(shape.neighbours(east).collect::<Vec<_>>(), expected);
        assert_eq!(Shape::new(1, 1).neighbours(0).count(), 0);
        assert_eq!(shape.neighbours(shape.index(1, 2)).count(), 8);
    }

    #[test]
    fn cells_count_beyond_32_bits() {
        assert_eq!(Shape::new(100_000, 100_000).cells(), 10_000_000_000);
    }
}
