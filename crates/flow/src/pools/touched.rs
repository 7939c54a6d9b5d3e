//! Where the ground may have changed since the last reconciliation.

use thalweg_grid::Shape;

/// Edge of a block, cells: smaller and there are many to look at, larger and too few pools are left alone.
const SIDE: usize = 16;

/// The blocks of 16² cells whose ground may have changed since the last reconciliation. A pool none of whose cells,
/// shores and sills lies in one, and to which nothing came, is left as it is. Marks decide what is looked at and
/// never what comes out, as long as every cell that changed is marked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// None where any cell may have changed.
    blocks: Option<Vec<bool>>,
    cols: usize,
    per_row: usize,
}

impl Touched {
    /// Any cell may have changed.
    #[must_use]
    pub const fn all() -> Self {
        Self {
            blocks: None,
            cols: 0,
            per_row: 0,
        }
    }

    /// No cell of a map has changed so far.
    #[must_use]
    pub fn none(shape: Shape) -> Self {
        let per_row = shape.cols.div_ceil(SIDE);
        Self {
            blocks: Some(vec![false; per_row * shape.rows.div_ceil(SIDE)]),
            cols: shape.cols,
            per_row,
        }
    }

    /// The cell, a row-major index, has changed.
    ///
    /// # Panics
    /// When the cell is none of the map's.
    pub fn mark(&mut self, cell: usize) {
        let block = self.block(cell);
        if let Some(blocks) = &mut self.blocks {
            blocks[block] = true;
        }
    }

    /// Whether the cell lies in a block that has changed.
    #[must_use]
    pub fn contains(&self, cell: usize) -> bool {
        self.has(self.block(cell))
    }

    /// Whether some cell is known not to have changed.
    pub(super) const fn is_known(&self) -> bool {
        self.blocks.is_some()
    }

    pub(super) fn has(&self, block: usize) -> bool {
        self.blocks.as_ref().is_none_or(|blocks| blocks[block])
    }

    const fn block(&self, cell: usize) -> usize {
        if self.cols == 0 {
            return 0;
        }
        cell / self.cols / SIDE * self.per_row + cell % self.cols / SIDE
    }

    /// The blocks in which the cells and those around them lie, ascending. Fast where cells ascend.
    pub(super) fn blocks_of(
        shape: Shape,
        cells: impl Iterator<Item = usize>,
        shore: impl Iterator<Item = usize>,
    ) -> Vec<usize> {
        let touched = Self {
            blocks: None,
            cols: shape.cols,
            per_row: shape.cols.div_ceil(SIDE),
        };
        let mut blocks = Vec::new();
        // Cells from `first` to `end` are of one row and in the block that was pushed last.
        let (mut first, mut end) = (1, 0);
        for cell in cells {
            if cell < first || cell >= end {
                let col = cell % shape.cols;
                let left = col / SIDE * SIDE;
                first = cell - (col - left);
                end = first + SIDE.min(shape.cols - left);
                blocks.push(touched.block(cell));
            }
        }
        for cell in shore {
            let (row, col) = shape.position(cell);
            let ends = |at: usize, size: usize| [at.saturating_sub(1), (at + 1).min(size - 1)];
            for r in ends(row, shape.rows) {
                let corner = |c| touched.block(shape.index(r, c));
                blocks.extend(ends(col, shape.cols).map(corner));
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::Touched;
    use std::collections::BTreeSet;
    use thalweg_grid::Shape;

    #[test]
    fn blocks_are_those_of_the_cells_and_their_neighbours() {
        let shape = Shape::new(37, 50);
        let cells: Vec<usize> = (0..shape.len()).filter(|cell| cell % 97 < 3).collect();
        let none = Touched::none(shape);
        let with_neighbours = cells
            .iter()
            .flat_map(|&cell| shape.neighbours(cell).chain([cell]));
        let expected: BTreeSet<usize> = with_neighbours.map(|cell| none.block(cell)).collect();
        let found = Touched::blocks_of(shape, cells.iter().copied(), cells.iter().copied());
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_mark_holds_for_its_block_alone() {
        let mut touched = Touched::none(Shape::new(40, 33));
        touched.mark(17 * 33 + 32);
        assert!(touched.contains(31 * 33 + 32) && !touched.contains(31 * 33 + 31));
        assert!(!touched.contains(15 * 33 + 32) && !touched.contains(32 * 33 + 32));
        assert!(Touched::all().contains(5));
    }
}
