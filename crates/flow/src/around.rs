//! The cells around a cell, without the arithmetic of rows and columns where nothing ends.

use thalweg_grid::Shape;

/// Cells around one: up to eight, ascending.
#[derive(Debug, Clone)]
pub(crate) struct Around {
    cells: [usize; 8],
    next: usize,
    end: usize,
}

/// The neighbours of a cell in the order of [`Shape::neighbours`].
#[inline]
pub(crate) fn around(shape: Shape, cell: usize) -> Around {
    if is_inner(shape, cell) {
        let (north, south) = (cell - shape.cols, cell + shape.cols);
        return Around {
            cells: [
                north - 1,
                north,
                north + 1,
                cell - 1,
                cell + 1,
                south - 1,
                south,
                south + 1,
            ],
            next: 0,
            end: 8,
        };
    }
    at_the_end(shape, cell)
}

/// Whether all eight neighbours of a cell are cells of the map.
#[inline]
pub(crate) const fn is_inner(shape: Shape, cell: usize) -> bool {
    let col = column(cell, shape.cols);
    cell >= shape.cols && cell + shape.cols < shape.len() && col > 0 && col + 1 < shape.cols
}

/// The column of a cell: divisions of 32 bits take a third of the time of those of 64.
#[inline]
const fn column(cell: usize, cols: usize) -> usize {
    if cell <= u32::MAX as usize {
        (cell as u32 % cols as u32) as usize
    } else {
        cell % cols
    }
}

#[cold]
fn at_the_end(shape: Shape, cell: usize) -> Around {
    let mut cells = [0; 8];
    let mut end = 0;
    for other in shape.neighbours(cell) {
        cells[end] = other;
        end += 1;
    }
    Around {
        cells,
        next: 0,
        end,
    }
}

impl Iterator for Around {
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

#[cfg(test)]
mod tests {
    use super::around;
    use thalweg_grid::Shape;

    #[test]
    fn neighbours_are_those_of_the_shape() {
        for (rows, cols) in [(1, 1), (1, 5), (5, 1), (2, 2), (3, 3), (4, 7)] {
            let shape = Shape::new(rows, cols);
            for cell in 0..shape.len() {
                let expected: Vec<usize> = shape.neighbours(cell).collect();
                assert_eq!(around(shape, cell).collect::<Vec<_>>(), expected);
            }
        }
    }
}
