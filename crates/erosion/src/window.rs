//! A tile's working copy of the map.

use crate::Edges;
use crate::cell::{Cell, FENCE, METRES, POOL, VOID, WALL, beyond};
use crate::scalar::{larger, smaller};
use ndarray::{ArrayView2, ArrayViewMut2};
use thalweg_grid::{Shape, Tile};
use wide::{f32x4, i32x4};

/// Cells whose change is told of together; no more than an edge of the blocks of [`thalweg_flow::Touched`].
const RUN: usize = 16;

/// What a droplet reads and writes in a cell besides its elevation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traffic {
    /// See [`Cell`].
    pub stream: f32,
    pub cover: f32,
    pub pool: u32,
    pub flags: u32,
    pub visits: u32,
    pub water: f32,
}

/// The cells of a tile's window with one ring around them, which stands for what lies beyond the map.
///
/// Indices count rows of `stride` cells from the ring's corner. Droplets may use the free cells, from which all eight
/// neighbours can be read: the whole window, less its outermost cells on sides where the map goes on. The others carry
/// [`FENCE`].
///
/// Bases and changes lie in planes of their own, so that three neighbours in a row are one load each.
pub(crate) struct Buffer {
    /// [`Cell::base_m`].
    base_m: Vec<f32>,
    /// [`Cell::change_um`].
    change_um: Vec<i32>,
    pub(crate) traffic: Vec<Traffic>,
    pub(crate) stride: usize,
    /// Map cell of the buffer's `(0, 0)`.
    pub(crate) origin: [i32; 2],
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self {
            base_m: Vec::new(),
            change_um: Vec::new(),
            traffic: Vec::new(),
            stride: 0,
            origin: [0; 2],
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
        let cells = self.stride * (shape.rows + 2);
        // Rows of neighbours are read four cells wide: one beyond the last.
        self.base_m.resize(cells + 1, 0.0);
        self.change_um.resize(cells + 1, 0);
        let beyond = Cell::beyond(false);
        self.traffic.resize(cells, Traffic::from(&beyond));
        for (row, source) in window.rows().into_iter().enumerate() {
            let start = (row + 1) * self.stride + 1;
            let source = source.to_slice().expect("rows of the map are contiguous");
            self.set(start, source);
        }
        self.clear_border(&beyond);
        self.wall_in(map, edges);
        self.fence(
            free(at.row, shape.rows, map.rows),
            free(at.col, shape.cols, map.cols),
        );
    }

    /// Sets cells from a start on.
    fn set(&mut self, start: usize, source: &[Cell]) {
        let cells = start..start + source.len();
        let bases = &mut self.base_m[cells.clone()];
        let changes = &mut self.change_um[cells.clone()];
        let traffic = &mut self.traffic[cells];
        for (((base, change), traffic), cell) in
            bases.iter_mut().zip(changes).zip(traffic).zip(source)
        {
            *base = cell.base_m;
            *change = cell.change_um;
            *traffic = Traffic::from(cell);
        }
    }

    /// Sets the ring of cells around the window.
    fn clear_border(&mut self, cell: &Cell) {
        let row = vec![*cell; self.stride];
        self.set(0, &row);
        self.set(self.traffic.len() - self.stride, &row);
        for end in (self.stride..self.traffic.len()).step_by(self.stride) {
            self.set(end - 1, &[*cell; 2]);
        }
    }

    /// Marks the part of the ring that lies beyond closed sides.
    fn wall_in(&mut self, map: Shape, edges: Edges) {
        self.mark_border(0, |buffer, row, col| {
            let place = [
                buffer.origin[0] as isize + row as isize,
                buffer.origin[1] as isize + col as isize,
            ];
            beyond(map, edges, place[0], place[1]).flags & WALL
        });
    }

    /// Marks the cells that are not free.
    fn fence(&mut self, rows: [usize; 2], cols: [usize; 2]) {
        let fence = |_: &Self, row, col| {
            let free = (rows[0]..rows[1]).contains(&row) && (cols[0]..cols[1]).contains(&col);
            if free { 0 } else { FENCE }
        };
        self.mark_border(0, fence);
        self.mark_border(1, fence);
    }

    /// Adds flags to the cells `depth` cells from the border.
    fn mark_border(&mut self, depth: usize, flags: impl Fn(&Self, usize, usize) -> u32) {
        let rows = self.traffic.len() / self.stride;
        let (bottom, right) = (rows - 1 - depth, self.stride - 1 - depth);
        for row in depth..=bottom {
            let whole = row == depth || row == bottom;
            let step = if whole { 1 } else { (right - depth).max(1) };
            for col in (depth..=right).step_by(step) {
                let flags = flags(self, row, col);
                self.traffic[row * self.stride + col].flags |= flags;
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
            let cells = start..start + cols;
            let target = target
                .as_slice_mut()
                .expect("rows of the map are contiguous");
            let changes = self.change_um[cells.clone()].chunks(RUN);
            let runs = target.chunks_mut(RUN).zip(changes);
            for (run, ((old, changes), traffic)) in
                runs.zip(self.traffic[cells].chunks(RUN)).enumerate()
            {
                let mut differs = 0;
                for ((cell, &change), traffic) in old.iter_mut().zip(changes).zip(traffic) {
                    differs |= cell.change_um ^ change;
                    cell.change_um = change;
                    cell.visits = traffic.visits;
                    cell.water = traffic.water;
                }
                if differs != 0 {
                    let first = start + run * RUN;
                    let ends = [first, first + changes.len() - 1];
                    changed.extend(ends.map(|index| self.place(index).map(|at| at as usize)));
                }
            }
        }
        changed
    }

    /// The map's cell, `[row, col]`, at an index.
    pub(crate) const fn place(&self, index: usize) -> [i32; 2] {
        [
            self.origin[0] + (index / self.stride) as i32,
            self.origin[1] + (index % self.stride) as i32,
        ]
    }

    /// The index of a cell of the map, `[row, col]`, that lies in the window; none for others.
    pub(crate) fn find(&self, [row, col]: [i32; 2]) -> Option<usize> {
        let rows = self.traffic.len() / self.stride;
        let row = usize::try_from(row - self.origin[0]).ok()?;
        let col = usize::try_from(col - self.origin[1]).ok()?;
        (row < rows && col < self.stride).then(|| row * self.stride + col)
    }

    /// Whether a droplet may be at an index.
    #[inline(always)]
    pub(crate) fn is_free(&self, index: usize) -> bool {
        !self.is(index, FENCE)
    }

    /// Whether a flag of a cell is set.
    #[inline(always)]
    pub(crate) fn is(&self, index: usize, flag: u32) -> bool {
        self.traffic[index].flags & flag != 0
    }

    /// A whole cell.
    pub(crate) fn cell(&self, index: usize) -> Cell {
        let traffic = self.traffic[index];
        Cell {
            base_m: self.base_m[index],
            change_um: self.change_um[index],
            stream: traffic.stream,
            cover: traffic.cover,
            pool: traffic.pool,
            flags: traffic.flags,
            visits: traffic.visits,
            water: traffic.water,
        }
    }

    /// [`Cell::above`].
    #[inline(always)]
    pub(crate) fn above(&self, index: usize, other: usize) -> f32 {
        let bases = self.base_m[index] - self.base_m[other];
        bases + (self.change_um[index] - self.change_um[other]) as f32 * METRES
    }

    /// [`Cell::base_m`].
    #[inline(always)]
    pub(crate) fn base_m(&self, index: usize) -> f32 {
        self.base_m[index]
    }

    /// [`Cell::change_um`].
    #[inline(always)]
    pub(crate) fn change_um(&mut self, index: usize) -> &mut i32 {
        &mut self.change_um[index]
    }

    /// The index one move away.
    #[inline(always)]
    pub(crate) const fn moved(&self, index: usize, [d_row, d_col]: [i32; 2]) -> usize {
        (index as isize + d_row as isize * self.stride as isize + d_col as isize) as usize
    }

    /// The indices of a free cell's neighbours: the four beside it, then the four across its corners.
    #[inline(always)]
    pub(crate) const fn neighbours(&self, index: usize) -> [usize; 8] {
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

    /// Looks round from a free cell. Without branches: which neighbour is the highest is not predictable.
    ///
    /// `rises` is where the heights of the three by three cells over this one go, m, from the north-west, each row with a
    /// fourth that nobody asked for, as loads are four wide; see [`toward`].
    #[inline(always)]
    pub(crate) fn around(&self, index: usize, rises: &mut [f32; 12]) -> Around {
        let (bases, changes) = (self.base_m.as_slice(), self.change_um.as_slice());
        // One of the two then needs no check of its bounds.
        assert_eq!(bases.len(), changes.len());
        let own = (f32x4::splat(bases[index]), i32x4::splat(changes[index]));
        let (north, south) = (index - self.stride, index + self.stride);
        let north = rises_in_row(bases, changes, north, own);
        let here = rises_in_row(bases, changes, index, own);
        let south = rises_in_row(bases, changes, south, own);
        for (row, target) in [north, here, south]
            .into_iter()
            .zip(rises.chunks_exact_mut(4))
        {
            target.copy_from_slice(&row.to_array());
        }
        let ([_, n1, _, _], [_, s1, _, _]) = (north.to_array(), south.to_array());
        let [h0, _, h2, _] = here.to_array();
        let [most0, most1, most2, _] = north.fast_max(south).to_array();
        let [least0, least1, least2, _] = north.fast_min(south).to_array();
        Around {
            we: h0 - h2,
            ns: n1 - s1,
            beside_max: larger(most1, larger(h0, h2)),
            beside_min: smaller(least1, smaller(h0, h2)),
            corner_max: larger(most0, most2),
            corner_min: smaller(least0, least2),
        }
    }

    /// How far each of a cell's neighbours stands above it, m, in the order of [`neighbours`](Self::neighbours), with
    /// `missing` for voids.
    pub(crate) fn rises(&self, index: usize, missing: f32) -> [f32; 8] {
        self.neighbours(index).map(|other| {
            if self.is(other, VOID) {
                missing
            } else {
                self.above(other, index)
            }
        })
    }
}

/// What a cell's surroundings look like, m above the cell.
pub(crate) struct Around {
    /// West − east.
    pub we: f32,
    /// North − south.
    pub ns: f32,
    /// The highest and lowest of the four neighbours beside the cell.
    pub beside_max: f32,
    pub beside_min: f32,
    /// Of the four across its corners.
    pub corner_max: f32,
    pub corner_min: f32,
}

/// Where the cell one move away is among the rises of [`Buffer::around`].
#[inline(always)]
pub(crate) const fn toward(d_row: i32, d_col: i32) -> u32 {
    ((d_row + 1) * 4 + d_col + 1) as u32
}

/// Where the cell itself is.
pub(crate) const HERE: u32 = toward(0, 0);

impl From<&Cell> for Traffic {
    #[inline(always)]
    fn from(cell: &Cell) -> Self {
        Self {
            stream: cell.stream,
            cover: cell.cover,
            pool: cell.pool,
            flags: cell.flags | if cell.pool == 0 { 0 } else { POOL },
            visits: cell.visits,
            water: cell.water,
        }
    }
}

/// See [`Buffer::around`].
#[inline(always)]
fn rises_in_row(bases: &[f32], changes: &[i32], middle: usize, own: (f32x4, i32x4)) -> f32x4 {
    let bases = f32x4::new(four(bases, middle - 1));
    let changes = i32x4::new(four(changes, middle - 1));
    (bases - own.0) + f32x4::from_i32x4(changes - own.1) * f32x4::splat(METRES)
}

/// Four values from a start.
#[inline(always)]
fn four<T: Copy>(values: &[T], start: usize) -> [T; 4] {
    let values = &values[start..][..4];
    [values[0], values[1], values[2], values[3]]
}

/// First and end of the free span of an axis, in buffer positions.
const fn free(start: usize, size: usize, map: usize) -> [usize; 2] {
    let first = if start == 0 { 1 } else { 2 };
    let end = if start + size == map { size + 1 } else { size };
    [first, end]
}
