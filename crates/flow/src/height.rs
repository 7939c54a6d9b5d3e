//! Cells in the order in which water reaches them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A cell at a height; ordered by height, then by index, so that ties are decided by index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    pub(crate) height: f64,
    pub(crate) cell: usize,
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> Ordering {
        self.height
            .total_cmp(&other.height)
            .then(self.cell.cmp(&other.cell))
    }
}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for At {}

/// A queue that gives the lowest cell first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lowest(BinaryHeap<Reverse<At>>);

impl Lowest {
    pub(crate) fn push(&mut self, height: f64, cell: usize) {
        self.0.push(Reverse(At { height, cell }));
    }

    pub(crate) fn peek(&self) -> Option<At> {
        self.0.peek().map(|entry| entry.0)
    }

    pub(crate) fn pop(&mut self) -> Option<At> {
        self.0.pop().map(|entry| entry.0)
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.0.append(&mut other.0);
    }
}

impl FromIterator<At> for Lowest {
    /// In linear time.
    fn from_iter<I: IntoIterator<Item = At>>(cells: I) -> Self {
        let cells: Vec<Reverse<At>> = cells.into_iter().map(Reverse).collect();
        Self(cells.into())
    }
}
