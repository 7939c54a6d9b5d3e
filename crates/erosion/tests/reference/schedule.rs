//! Where a cycle's tiles lie, and in which order they work.

use super::{Bounds, Place};
use thalweg_grid::{Purpose, StageKey};

/// Tiles of one cycle over a ground of `rows` × `cols` cells.
#[derive(Debug)]
pub(crate) struct Schedule {
    size: [usize; 2],
    tile: usize,
    halo: usize,
    offset: [usize; 2],
    /// The colours, 2 × (tile row is odd) + (tile column is odd), in working order.
    pub order: [usize; 4],
}

impl Schedule {
    pub(crate) fn draw(
        size: [usize; 2],
        tile: usize,
        halo: usize,
        key: StageKey,
        cycle: u32,
    ) -> Self {
        let draw = |what, below: usize| {
            (key.bits(Purpose::TileGrid, u64::from(cycle), what) % below as u64) as usize
        };
        // Fisher and Yates, from the end.
        let mut order = [0, 1, 2, 3];
        for last in [3, 2, 1] {
            order.swap(last, draw(1 + last as u64, last + 1));
        }
        Self {
            size,
            tile,
            halo,
            offset: [draw(0, tile), draw(1, tile)],
            order,
        }
    }

    fn tiles(&self) -> [usize; 2] {
        [0, 1].map(|axis| (self.size[axis] + self.offset[axis]).div_ceil(self.tile))
    }

    /// How many tiles there are.
    pub(crate) fn len(&self) -> usize {
        self.tiles().iter().product()
    }

    /// The tile whose core holds a cell; row-major.
    pub(crate) fn owner(&self, [row, col]: Place) -> usize {
        let tile_row = (row as usize + self.offset[0]) / self.tile;
        let tile_col = (col as usize + self.offset[1]) / self.tile;
        tile_row * self.tiles()[1] + tile_col
    }

    fn position(&self, index: usize) -> [usize; 2] {
        let columns = self.tiles()[1];
        [index / columns, index % columns]
    }

    pub(crate) fn colour(&self, index: usize) -> usize {
        let [row, col] = self.position(index);
        row % 2 * 2 + col % 2
    }

    /// Where a tile's droplets may be: its window, less the outermost cells where the ground goes on, from which not
    /// all neighbours can be seen.
    pub(crate) fn bounds(&self, index: usize) -> Bounds {
        let [row, col] = self.position(index);
        Bounds {
            rows: self.span(0, row),
            cols: self.span(1, col),
        }
    }

    fn span(&self, axis: usize, number: usize) -> [i32; 2] {
        let size = self.size[axis] as i32;
        let [tile, halo, offset] = [self.tile, self.halo, self.offset[axis]].map(|n| n as i32);
        let start = (number as i32 * tile - offset).max(0) - halo;
        let end = ((number as i32 + 1) * tile - offset).min(size) + halo;
        [
            if start <= 0 { 0 } else { start + 1 },
            if end >= size { size } else { end - 1 },
        ]
    }
}
