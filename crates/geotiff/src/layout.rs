//! How a file is laid out on disk, from its size alone.

use thalweg_grid::Shape;

/// Edge of a tile in the file: the usual choice of cloud-optimised files.
const TILE: usize = 512;
/// TIFF asks for tiles of multiples of this.
const STEP: usize = 16;
/// What a classic TIFF can hold: its offsets are 32 bits wide.
const CLASSIC_BYTES: u64 = u32::MAX as u64;
/// Header, tags and statistics are far smaller.
const HEADER_BYTES: u64 = 64 * 1024;
/// Offset and size of a tile in the directory, in the wide form.
const ENTRY_BYTES: u64 = 16;

/// Layout of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Size of a tile: 512 × 512, on smaller maps the map's own size, rounded up.
    pub(crate) tile: Shape,
    /// Number of tiles.
    pub(crate) tiles: Shape,
    /// Whether offsets must be 64 bits wide.
    pub(crate) bigtiff: bool,
    /// Size of the file if nothing compressed at all.
    pub(crate) largest_bytes: u64,
}

impl Layout {
    /// The layout of a raster of `shape`, with so many bytes a cell in all bands together.
    pub(crate) fn new(shape: Shape, cell_bytes: u64) -> Self {
        let edge = |cells: usize| cells.min(TILE).next_multiple_of(STEP);
        let tile = Shape::new(edge(shape.rows), edge(shape.cols));
        let tiles = Shape::new(
            shape.rows.div_ceil(tile.rows),
            shape.cols.div_ceil(tile.cols),
        );
        // A deflate block that does not compress is stored and grows by 5 bytes in 16 KiB at most; 1/256 covers it.
        let pixels = (tiles.cells() * tile.cells()).saturating_mul(cell_bytes);
        // Bands may be stored one after another, and each is described: a kilobyte holds that.
        let entries = cell_bytes * (tiles.cells() * ENTRY_BYTES + 1024);
        let largest_bytes = (pixels + pixels / 256).saturating_add(entries + HEADER_BYTES);
        // Overviews added later take a third of the pixels again and must still fit: files die of them otherwise.
        let bigtiff = largest_bytes.saturating_add(largest_bytes / 2) > CLASSIC_BYTES;
        Self {
            tile,
            tiles,
            bigtiff,
            largest_bytes,
        }
    }
}

/// The largest size, in bytes, that a GeoTIFF of `shape` with so many bytes a cell in all bands together can take on
/// disk: what it takes when nothing compresses.
#[must_use]
pub fn largest_file_bytes(shape: Shape, cell_bytes: u64) -> u64 {
    Layout::new(shape, cell_bytes).largest_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_map_in_multiples_of_sixteen() {
        for (rows, cols) in [
            (1, 1),
            (1, 700),
            (3, 5),
            (16, 17),
            (257, 511),
            (512, 513),
            (5000, 40),
        ] {
            let layout = Layout::new(Shape::new(rows, cols), 4);
            let Shape { rows: tr, cols: tc } = layout.tile;
            assert!(tr % 16 == 0 && tc % 16 == 0 && tr <= 512 && tc <= 512);
            assert!(layout.tiles.rows * tr >= rows && (layout.tiles.rows - 1) * tr < rows);
            assert!(layout.tiles.cols * tc >= cols && (layout.tiles.cols - 1) * tc < cols);
        }
        assert_eq!(
            Layout::new(Shape::new(2000, 3000), 4).tile,
            Shape::new(512, 512)
        );
        assert_eq!(Layout::new(Shape::new(3, 5), 4).tile, Shape::new(16, 16));
    }

    #[test]
    fn wide_offsets_come_before_overviews_would_overflow_narrow_ones() {
        assert!(!Layout::new(Shape::new(1024, 1280), 4).bigtiff);
        assert!(!Layout::new(Shape::new(16_384, 16_384), 4).bigtiff);
        // 3.6 GB of pixels fit into 4 GiB, but not with their overviews.
        assert!(Layout::new(Shape::new(30_000, 30_000), 4).bigtiff);
        assert!(Layout::new(Shape::new(65_536, 65_536), 4).bigtiff);
        assert!(largest_file_bytes(Shape::new(100_000, 100_000), 4) > 40_000_000_000);
    }
}
