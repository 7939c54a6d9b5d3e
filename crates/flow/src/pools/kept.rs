//! What is kept of a pool from one reconciliation to the next, to save looking for it again. Nothing that comes
//! out depends on it.

use super::hypsometry::Beds;
use super::work::Spill;
use super::{Bed, Pool, Touched};
use thalweg_grid::Shape;

/// Shores, sills and sums of a pool.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    /// The pool's cells beside one that is not the pool's, ascending.
    pub(super) shore: Vec<usize>,
    /// The cells at zero depth that belong to it while it is full.
    pub(super) brim: Vec<usize>,
    /// Whether its wet cells are sure to hang together without the brim.
    pub(super) connected: bool,
    /// Its wet cells' beds.
    pub(super) beds: Beds,
    /// Where it spills.
    pub(super) spill: Option<Spill>,
    /// The blocks that hold its cells, its brim and all cells around them; empty where unknown.
    pub(super) blocks: Vec<usize>,
}

impl Kept {
    /// Whether the pool may be left asleep: nothing around has changed, and its water is what its level says.
    pub(super) fn may_sleep(&self, pool: &Pool, touched: &Touched) -> bool {
        self.connected
            && !pool.draining
            && pool.surplus_m <= 0.0
            && !self.blocks.is_empty()
            && !self.blocks.iter().any(|&block| touched.has(block))
            && self.beds.agree(pool.level_m, pool.volume_m)
    }

    /// Finds the pool's shore anew among the cells that can be on it.
    pub(super) fn find_shore<B: Bed>(&mut self, bed: &B, number: u32, among: &[usize]) {
        let shape = bed.shape();
        let beside = |&&cell: &&usize| {
            shape
                .neighbours(cell)
                .any(|other| bed.pool(other) != number)
        };
        self.shore = among.iter().filter(beside).copied().collect();
    }

    /// Finds the blocks to watch.
    pub(super) fn find_blocks(&mut self, shape: Shape, cells: &[usize]) {
        let edge = self.shore.iter().chain(&self.brim).copied();
        self.blocks = Touched::blocks_of(shape, cells.iter().copied(), edge);
    }
}

/// Whether a pool that is connected with its brim is sure to be so without: each cell of the brim stands alone, and
/// the wet cells around it hang together without it.
pub(super) fn holds_without<B: Bed>(
    bed: &B,
    brim: &[usize],
    is_wet: impl Fn(usize) -> bool,
) -> bool {
    let shape = bed.shape();
    brim.iter().all(|&cell| {
        let ring = shape.neighbours(cell).map(|other| (other, is_wet(other)));
        !shape.neighbours(cell).any(|other| brim.contains(&other)) && hang_together(shape, ring)
    })
}

/// Whether the cells around one that are wet are connected among one another.
fn hang_together(shape: Shape, ring: impl Iterator<Item = (usize, bool)>) -> bool {
    // No cell has index usize::MAX: it stands for a place that is taken or empty.
    let mut left = [usize::MAX; 8];
    let mut count = 0;
    for (cell, _) in ring.filter(|&(_, wet)| wet) {
        left[count] = cell;
        count += 1;
    }
    let mut reached = [left[0]; 8];
    let mut found = count.min(1);
    left[0] = usize::MAX;
    let mut next = 0;
    while next < found {
        for other in left.iter_mut().filter(|other| **other != usize::MAX) {
            if touch(shape, reached[next], *other) {
                reached[found] = std::mem::replace(other, usize::MAX);
                found += 1;
            }
        }
        next += 1;
    }
    found == count
}

fn touch(shape: Shape, a: usize, b: usize) -> bool {
    let ((row, col), (r, c)) = (shape.position(a), shape.position(b));
    row.abs_diff(r) <= 1 && col.abs_diff(c) <= 1
}

#[cfg(test)]
mod tests {
    use super::hang_together;
    use thalweg_grid::Shape;

    /// All 256 rings, against walking along the ring: straight neighbours touch each other over the corner.
    #[test]
    fn rings_hang_together_where_they_are_one_piece() {
        let shape = Shape::new(3, 3);
        let clockwise = [0_usize, 1, 2, 5, 8, 7, 6, 3];
        for code in 0_u32..256 {
            let wet = |cell: usize| {
                let place = clockwise.iter().position(|&other| other == cell).unwrap();
                code >> place & 1 == 1
            };
            // A dry corner between two wet sides does not part them.
            let mut joined = clockwise.map(wet);
            for corner in [0, 2, 4, 6] {
                joined[corner] |= joined[(corner + 7) % 8] && joined[corner + 1];
            }
            let starts = (0..8)
                .filter(|&at| joined[at] && !joined[(at + 7) % 8])
                .count();
            let ring = shape.neighbours(4).map(|cell| (cell, wet(cell)));
            assert_eq!(hang_together(shape, ring), starts <= 1, "{code:08b}");
        }
    }
}
