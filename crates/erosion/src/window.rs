//! A tile's working copy of the map.

use crate::Edges;
use crate::cell::{Cell, VOID, WALL, beyond};
use ndarray::{ArrayView2, ArrayViewMut2, Axis};
use thalweg_grid::{Shape, Tile};

/// Cells whose change is told of together; no more than an edge of the blocks of [`thalweg_flow::Touched`].
const RUN: usize = 16;

/// The cells of a tile's window with one ring around them, which stands for what lies beyond the map.
///
/// Positions in it are signed and window-relative: `(0, 0)` is the ring's corner, `(1, 1)` the window's first
/// cell. Droplets may use the `free` cells, from which all eight neighbours can be read: the whole window,
/// less its outermost cells on sides where the map goes on.
pub(crate) struct Buffer {
    pub(crate) cells: Vec<Cell>,
    pub(crate) stride: usize,
    /// Map cell of the buffer's `(0, 0)`.
    pub(crate) origin: [i32; 2],
    /// First and end of the free rows.
    pub(crate) free_rows: [i32; 2],
    /// First and end of the free columns.
    pub(crate) free_cols: [i32; 2],
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self {
            cells: Vec::new(),
            stride: 0,
            origin: [0; 2],
            free_rows: [0; 2],
            free_cols: [0; 2],
        }
    }

    /// Copies a tile's window in.
    pub(crate) fn load(
        &mut self,
        tile: &Tile,
        window: &ArrayView2<'_, Cell>,
        map: Shape,
        edges: Edges,
    ) {
        let shape = Shape::from(window.dim());
        let at = tile.window;
        self.stride = shape.cols + 2;
        self.origin = [at.row as i32 - 1, at.col as i32 - 1];
        self.free_rows = free(at.row, shape.rows, map.rows);
        self.free_cols = free(at.col, shape.cols, map.cols);
        self.cells.clear();
        self.cells
            .resize(self.stride * (shape.rows + 2), Cell::beyond(false));
        for (row, source) in window.rows().into_iter().enumerate() {
            let start = (row + 1) * self.stride + 1;
            let target = &mut self.cells[start..start + shape.cols];
            match source.to_slice() {
                Some(slice) => target.copy_from_slice(slice),
                None => target.iter_mut().zip(source).for_each(|(t, s)| *t = *s),
            }
        }
        self.wall_in(map, edges);
    }

    /// Marks the part of the ring that lies beyond closed sides.
    fn wall_in(&mut self, map: Shape, edges: Edges) {
        let rows = self.cells.len() / self.stride;
        for row in 0..rows {
            let whole = row == 0 || row + 1 == rows;
            let step = if whole { 1 } else { self.stride - 1 };
            for col in (0..self.stride).step_by(step) {
                let (r, c) = (
                    self.origin[0] as isize + row as isize,
                    self.origin[1] as isize + col as isize,
                );
                self.cells[row * self.stride + col].flags |= beyond(map, edges, r, c).flags & WALL;
            }
        }
    }

    /// Merges the window back into the map: the core, and the halo into the neighbours' cells. Returns cells of the map,
    /// `[row, col]`, so that every cell whose ground has changed lies between two of a row, [`RUN`] apart at most.
    pub(crate) fn store(&self, window: &mut ArrayViewMut2<'_, Cell>) -> Vec<[usize; 2]> {
        let cols = window.ncols();
        let mut changed = Vec::new();
        for (row, mut target) in window.rows_mut().into_iter().enumerate() {
            let start = (row + 1) * self.stride + 1;
            let source = &self.cells[start..start + cols];
            let runs = target
                .axis_chunks_iter(Axis(0), RUN)
                .zip(source.chunks(RUN));
            for (run, (old, new)) in runs.enumerate() {
                if (old.iter().zip(new)).any(|(old, new)| old.change_um != new.change_um) {
                    let ends = [run * RUN, run * RUN + new.len() - 1];
                    changed.extend(ends.map(|col| self.place(row + 1, col + 1)));
                }
            }
            match target.as_slice_mut() {
                Some(slice) => slice.copy_from_slice(source),
                None => target.iter_mut().zip(source).for_each(|(t, s)| *t = *s),
            }
        }
        changed
    }

    /// The map's cell at a position in the buffer.
    const fn place(&self, row: usize, col: usize) -> [usize; 2] {
        [
            (self.origin[0] + row as i32) as usize,
            (self.origin[1] + col as i32) as usize,
        ]
    }

    /// Whether a droplet may be at a position.
    #[inline(always)]
    pub(crate) const fn is_free(&self, row: i32, col: i32) -> bool {
        row >= self.free_rows[0]
            && row < self.free_rows[1]
            && col >= self.free_cols[0]
            && col < self.free_cols[1]
    }

    #[inline(always)]
    pub(crate) const fn index(&self, row: i32, col: i32) -> usize {
        row as usize * self.stride + col as usize
    }

    /// The index one move away.
    #[inline(always)]
    pub(crate) const fn moved(&self, index: usize, [d_row, d_col]: [i32; 2]) -> usize {
        (index as isize + d_row as isize * self.stride as isize + d_col as isize) as usize
    }

    /// The indices of a free cell's neighbours: the four beside it, then the four across its corners.
    #[inline(always)]
    pub(crate) const fn around(&self, index: usize) -> [usize; 8] {
        let (north, south) = (index - self.stride, index + self.stride);
        [
            north,
            index - 1,
            index + 1,
            south,
            north - 1,
            north + 1,
            south - 1,
            south + 1,
        ]
    }

    /// How far each of a free cell's neighbours stands above it, m, in the order of [`around`](Self::around);
    /// `missing` where there is no ground. Without branches: which neighbour is the highest is not predictable.
    #[inline(always)]
    pub(crate) fn rises(&self, index: usize, missing: f32) -> [f32; 8] {
        let row = |middle: usize| &self.cells[middle - 1..middle + 2];
        let (north, here, south) = (
            row(index - self.stride),
            row(index),
            row(index + self.stride),
        );
        let cell = &here[1];
        let rise = |other: &Cell| {
            let rise = other.above(cell);
            if other.is(VOID) { missing } else { rise }
        };
        [
            rise(&north[1]),
            rise(&here[0]),
            rise(&here[2]),
            rise(&south[1]),
            rise(&north[0]),
            rise(&north[2]),
            rise(&south[0]),
            rise(&south[2]),
        ]
    }

    /// The eight neighbours of a free cell.
    pub(crate) fn neighbours(&self, index: usize) -> impl Iterator<Item = &Cell> {
        [-1, 0, 1]
            .into_iter()
            .flat_map(|d_row| [-1, 0, 1].map(|d_col| [d_row, d_col]))
            .filter(|&by| by != [0, 0])
            .map(move |by| &self.cells[self.moved(index, by)])
    }
}

/// First and end of the free span of an axis, in buffer positions.
const fn free(start: usize, size: usize, map: usize) -> [i32; 2] {
    let first = if start == 0 { 1 } else { 2 };
    let end = if start + size == map { size + 1 } else { size };
    [first, end as i32]
}
