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

    /// The indices of the up to eight neighbours of a cell, ascending; no neighbour lies across an edge, so nothing
    /// wraps.
    #[inline]
    pub fn neighbours(self, index: usize) -> impl Iterator<Item = usize> + Clone {
        if !self.is_inner(index) {
            return self.neighbours_at_an_edge(index);
        }
        let (north, south) = (index - self.cols, index + self.cols);
        let cells = [
            north - 1,
            north,
            north + 1,
            index - 1,
            index + 1,
            south - 1,
            south,
            south + 1,
        ];
        Neighbours {
            cells,
            next: 0,
            end: 8,
        }
    }

    #[cold]
    fn neighbours_at_an_edge(self, index: usize) -> Neighbours {
        let (row, col) = self.position(index);
        let mut found = Neighbours {
            cells: [0; 8],
            next: 0,
            end: 0,
        };
        for r in row.saturating_sub(1)..(row + 2).min(self.rows) {
            for c in col.saturating_sub(1)..(col + 2).min(self.cols) {
                if (r, c) != (row, col) {
                    found.cells[found.end] = self.index(r, c);
                    found.end += 1;
                }
            }
        }
        found
    }

    /// Whether all eight neighbours of a cell are cells of the raster.
    #[must_use]
    #[inline]
    pub const fn is_inner(self, index: usize) -> bool {
        let col = column(index, self.cols);
        index >= self.cols && index + self.cols < self.len() && col > 0 && col + 1 < self.cols
    }

    /// The shape as `ndarray` takes it.
    #[must_use]
    pub const fn dim(self) -> (usize, usize) {
        (self.rows, self.cols)
    }
}

/// The column of a cell: divisions of 32 bits take a third of the time of those of 64.
#[inline]
const fn column(index: usize, cols: usize) -> usize {
    if index <= u32::MAX as usize {
        (index as u32 % cols as u32) as usize
    } else {
        index % cols
    }
}

/// Cells around one, without the arithmetic of rows and columns where nothing ends.
#[derive(Debug, Clone)]
struct Neighbours {
    cells: [usize; 8],
    next: usize,
    end: usize,
}

impl Iterator for Neighbours {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(self.cells[self.next - 1])
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
    fn neighbours_are_all_cells_at_most_one_row_and_column_away() {
        for (rows, cols) in [(1, 1), (1, 5), (5, 1), (2, 2), (3, 3), (4, 7)] {
            let shape = Shape::new(rows, cols);
            for cell in 0..shape.len() {
                let (row, col) = shape.position(cell);
                let near = |&other: &usize| {
                    let (r, c) = shape.position(other);
                    other != cell && r.abs_diff(row) <= 1 && c.abs_diff(col) <= 1
                };
                let expected: Vec<usize> = (0..shape.len()).filter(near).collect();
                assert_eq!(shape.neighbours(cell).collect::<Vec<_>>(), expected);
                assert_eq!(shape.is_inner(cell), expected.len() == 8);
            }
        }
    }

    #[test]
    fn cells_count_beyond_32_bits() {
        assert_eq!(Shape::new(100_000, 100_000).cells(), 10_000_000_000);
    }
}
