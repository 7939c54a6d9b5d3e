//! What is kept of a pool from one reconciliation to the next, to save looking for it again. Nothing that comes
//! out depends on it.

use super::hypsometry::Beds;
use super::work::Spill;
use super::{Bed, Pool, Touched};
use crate::around::around;
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
        let beside = |&&cell: &&usize| around(shape, cell).any(|other| bed.pool(other) != number);
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
pub(super) fn holds_without<B: Bed>(bed: &B, brim: &[usize], is_wet: impl Fn(usize) -> bool) -> bool {
    let shape = bed.shape();
    brim.iter().all(|&cell| {
        let wet: Vec<usize> = around(shape, cell).filter(|&other| is_wet(other)).collect();
        let alone = !around(shape, cell).any(|other| brim.contains(&other));
        alone && hang_together(shape, &wet)
    })
}

/// Whether at most eight cells are connected among one another.
fn hang_together(shape: Shape, cells: &[usize]) -> bool {
    let mut found: Vec<usize> = cells.first().copied().into_iter().collect();
    let mut next = 0;
    while let Some(&cell) = found.get(next) {
        next += 1;
        let beside = |other: &usize| cells.contains(other) && !found.contains(other);
        let more: Vec<usize> = around(shape, cell).filter(beside).collect();
        found.extend(more);
    }
    found.len() == cells.len()
}
