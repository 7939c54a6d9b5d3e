use crate::Shape;

/// One of the four colours of a 2 × 2 checkerboard of tiles.
///
/// Tiles of one colour lie at least one tile apart, so that with 2 × halo ≤ tile their windows never overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Colour(u8);

impl Colour {
    /// The four colours.
    pub const ALL: [Self; 4] = [Self(0), Self(1), Self(2), Self(3)];

    /// The colour of the tile in tile-row `row` and tile-column `col`.
    #[must_use]
    pub const fn of(row: usize, col: usize) -> Self {
        Self(((row & 1) << 1 | col & 1) as u8)
    }

    /// 0 to 3.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rectangle of map cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First row.
    pub row: usize,
    /// First column.
    pub col: usize,
    /// Size.
    pub shape: Shape,
}

impl Window {
    /// Whether the map's cell `(row, col)` lies in the window.
    #[must_use]
    pub const fn contains(&self, row: usize, col: usize) -> bool {
        row >= self.row
            && col >= self.col
            && row - self.row < self.shape.rows
            && col - self.col < self.shape.cols
    }
}

/// A tile: the cells it owns and the window it works on, both clipped to the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// The tile's number in its grid, row-major.
    pub index: usize,
    /// Which phase it works in.
    pub colour: Colour,
    /// The cells it owns.
    pub core: Window,
    /// Core plus halo.
    pub window: Window,
}

/// A regular grid of tiles laid over a map, shifted by an offset.
///
/// The offset moves the grid's lines north and west: the first tile-row holds `tile − offset` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileGrid {
    map: Shape,
    tile: usize,
    halo: usize,
    offset: [usize; 2],
}

impl TileGrid {
    /// A grid of tiles of `tile` × `tile` cells with `halo` cells around each.
    ///
    /// # Panics
    /// When `tile` is 0, the halo is more than half of a tile, or the offset is not below the tile's size:
    /// callers check parameters before they get here.
    #[must_use]
    pub fn new(map: Shape, tile: usize, halo: usize, offset: [usize; 2]) -> Self {
        assert!(tile > 0 && 2 * halo <= tile, "tile {tile}, halo {halo}");
        assert!(offset.iter().all(|&o| o < tile), "offset below the tile");
        Self {
            map,
            tile,
            halo,
            offset,
        }
    }

    /// Tile-rows and tile-columns.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        Shape::new(
            (self.map.rows + self.offset[0]).div_ceil(self.tile),
            (self.map.cols + self.offset[1]).div_ceil(self.tile),
        )
    }

    /// The number of the tile that owns a cell of the map.
    #[must_use]
    #[inline]
    pub const fn owner(&self, row: usize, col: usize) -> usize {
        let tile_row = (row + self.offset[0]) / self.tile;
        let tile_col = (col + self.offset[1]) / self.tile;
        tile_row * self.shape().cols + tile_col
    }

    /// The colour of a tile.
    #[must_use]
    pub const fn colour(&self, index: usize) -> Colour {
        let (row, col) = self.shape().position(index);
        Colour::of(row, col)
    }

    /// A tile by its number.
    #[must_use]
    pub fn tile(&self, index: usize) -> Tile {
        let (tile_row, tile_col) = self.shape().position(index);
        let (core_row, window_row) = self.span(tile_row, self.offset[0], self.map.rows);
        let (core_col, window_col) = self.span(tile_col, self.offset[1], self.map.cols);
        Tile {
            index,
            colour: Colour::of(tile_row, tile_col),
            core: rectangle(core_row, core_col),
            window: rectangle(window_row, window_col),
        }
    }

    /// First and end of core and window along one axis.
    fn span(&self, tile: usize, offset: usize, size: usize) -> ([usize; 2], [usize; 2]) {
        let start = (tile * self.tile).saturating_sub(offset);
        let end = ((tile + 1) * self.tile - offset).min(size);
        let window = [start.saturating_sub(self.halo), (end + self.halo).min(size)];
        ([start, end], window)
    }
}

fn rectangle(rows: [usize; 2], cols: [usize; 2]) -> Window {
    Window {
        row: rows[0],
        col: cols[0],
        shape: Shape::new(rows[1] - rows[0], cols[1] - cols[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every cell has one owner; windows of one colour never share a cell, at the map's edges either.
    #[test]
    fn cores_partition_and_windows_of_one_colour_are_disjoint() {
        for shape in [Shape::new(1, 1), Shape::new(3, 50), Shape::new(37, 61)] {
            for offset in [[0, 0], [3, 7], [7, 1]] {
                let tiles = TileGrid::new(shape, 8, 4, offset);
                let mut owner = vec![usize::MAX; shape.len()];
                let mut users = vec![[0; 4]; shape.len()];
                for index in 0..tiles.shape().len() {
                    let tile = tiles.tile(index);
                    for row in 0..shape.rows {
                        for col in 0..shape.cols {
                            let cell = shape.index(row, col);
                            if tile.core.contains(row, col) {
                                assert_eq!(owner[cell], usize::MAX);
                                owner[cell] = index;
                                assert!(tile.window.contains(row, col));
                            }
                            if tile.window.contains(row, col) {
                                users[cell][tile.colour.index()] += 1;
                            }
                        }
                    }
                }
                for row in 0..shape.rows {
                    for col in 0..shape.cols {
                        let cell = shape.index(row, col);
                        assert_eq!(owner[cell], tiles.owner(row, col));
                        assert!(users[cell].iter().all(|&n| n <= 1), "{:?}", users[cell]);
                    }
                }
            }
        }
    }
}
