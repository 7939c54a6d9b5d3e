//! A cell as the engine holds it, and the map of cells.

use crate::{Edge, Edges};
use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;
use std::collections::VecDeque;
use thalweg_flow::{Bed, Kind, Touched};
use thalweg_grid::{Shape, Window};

/// Micrometres in a metre: the step of stored elevation change.
pub(crate) const MICROMETRES: f32 = 1e6;
/// Metres in a micrometre.
pub(crate) const METRES: f32 = 1e-6;
/// The largest change that a cell can store, µm: differences of two still fit in an `i32`. 1,073 m in one
/// stage; exchanges that would pass it are cut and counted.
pub(crate) const MAX_CHANGE: i32 = (1 << 30) - 1;

/// No ground: nodata, or beyond the map's edge.
pub(crate) const VOID: u32 = 1;
/// Beyond a closed side.
pub(crate) const WALL: u32 = 2;
/// Under the sea.
pub(crate) const SEA: u32 = 4;
/// One of the eight neighbours has no ground: slopes may be one-sided, and banks and pits have to ask.
pub(crate) const RIM: u32 = 8;
/// One of the eight neighbours lies beyond the map or has no data: standing water that rises here leaves.
pub(crate) const DRAIN: u32 = 16;
/// Ground around the map; see [`Ground`].
pub(crate) const APRON: u32 = 32;
/// In a tile's working copy alone: where its droplets may not go; see [`Buffer`](crate::window::Buffer).
pub(crate) const FENCE: u32 = 64;
/// In a tile's working copy alone: a pool covers the cell.
pub(crate) const POOL: u32 = 128;

/// All that a droplet reads and writes in a cell, in half a cache line.
///
/// The elevation is a base that never changes and a change in whole micrometres: an f32 elevation of 4,000 m
/// resolves 0.24 mm, and droplets move micrometres. What a droplet takes or lays down is what was stored.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Cell {
    /// Elevation when the stage began, m.
    pub base_m: f32,
    /// Elevation change since, µm.
    pub change_um: i32,
    /// Stream map, 0..1.
    pub stream: f32,
    /// Plant density, 0..1.
    pub cover: f32,
    /// Number of the pool that covers the cell, 0 where dry.
    pub pool: u32,
    /// `VOID`, `WALL`, `SEA`, `RIM`, `DRAIN`, `APRON`.
    pub flags: u32,
    /// Droplets that entered the cell in this cycle.
    pub visits: u32,
    /// Their volumes.
    pub water: f32,
}

impl Cell {
    /// What lies beyond the map.
    pub(crate) const fn beyond(wall: bool) -> Self {
        Self {
            base_m: 0.0,
            change_um: 0,
            stream: 0.0,
            cover: 0.0,
            pool: 0,
            flags: if wall { VOID | WALL } else { VOID },
            visits: 0,
            water: 0.0,
        }
    }

    /// How much higher this cell is than another, m: bases and changes are subtracted apart, so that the
    /// difference keeps micrometres at any altitude.
    #[inline(always)]
    pub(crate) fn above(&self, other: &Self) -> f32 {
        (self.base_m - other.base_m) + (self.change_um - other.change_um) as f32 * METRES
    }

    /// The difference between the cells before and after this one, as a central difference would give it, m, where
    /// they may have no ground: an open void continues the slope, a wall mirrors it.
    #[cold]
    pub(crate) fn one_sided(&self, before: &Self, after: &Self) -> f32 {
        let weight = |missing: &Self| if missing.is(WALL) { 1.0 } else { 2.0 };
        match (before.is(VOID), after.is(VOID)) {
            (false, false) => before.above(self) - after.above(self),
            (true, false) => weight(before) * self.above(after),
            (false, true) => weight(after) * before.above(self),
            (true, true) => 0.0,
        }
    }

    /// Elevation, m.
    pub(crate) fn elevation_m(&self) -> f64 {
        f64::from(self.base_m) + f64::from(self.change_um) * 1e-6
    }

    /// Whether a flag is set.
    #[inline(always)]
    pub(crate) const fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Adds to the change as much as the range of its storage allows; returns what was stored, µm.
    pub(crate) fn raise(&mut self, micrometres: i32) -> i32 {
        raise(&mut self.change_um, micrometres)
    }
}

/// Raises (or lowers) a change as far as its range allows, µm; returns by how much.
#[inline(always)]
pub(crate) fn raise(change_um: &mut i32, micrometres: i32) -> i32 {
    let old = *change_um;
    *change_um = old
        .saturating_add(micrometres)
        .clamp(-MAX_CHANGE, MAX_CHANGE);
    *change_um - old
}

/// The map as the engine holds it, with an apron around it.
///
/// The world goes on beyond an open side: rain falls there and runs in. Without it the outermost cells would
/// see half of the water that others see, and erode as much less. So the ground is continued by point
/// reflection, h(−r) = 2 h(0) − h(r), which keeps slopes as they are, and eroded like the rest; in the end
/// the apron is cut off. Standing water does not reach into it: the map's edge is where lakes drain.
pub(crate) struct Ground {
    /// Size of map and apron.
    pub(crate) shape: Shape,
    pub(crate) cells: Vec<Cell>,
    pub(crate) edges: Edges,
    /// The map within.
    pub(crate) map: Window,
    /// Where the ground may have changed since pools were reconciled.
    pub(crate) touched: Touched,
}

impl Ground {
    /// Lays the map out and finds its rims, drains and sea.
    pub(crate) fn new(
        elevation: ArrayView2<'_, f32>,
        valid: Option<&Array2<bool>>,
        edges: Edges,
        sea_level_m: Option<f64>,
        cell_size_m: f64,
    ) -> Self {
        let inner = Shape::from(elevation.dim());
        let width = (edges.apron_m / cell_size_m).round() as usize;
        // No wider than what there is to reflect.
        let width = width.min(inner.rows / 2).min(inner.cols / 2);
        let apron = |edge| if edge == Edge::Open { width } else { 0 };
        let map = Window {
            row: apron(edges.north),
            col: apron(edges.west),
            shape: inner,
        };
        let shape = Shape::new(
            map.row + inner.rows + apron(edges.south),
            map.col + inner.cols + apron(edges.east),
        );
        let is_valid = |at| valid.is_none_or(|mask| mask[at]);
        let cells = (0..shape.len())
            .into_par_iter()
            .map(|index| {
                let (row, col) = shape.position(index);
                let (edge_row, mirror_row) = reflect(row, map.row, inner.rows);
                let (edge_col, mirror_col) = reflect(col, map.col, inner.cols);
                let (edge, mirror) = ((edge_row, edge_col), (mirror_row, mirror_col));
                let data = is_valid(edge) && is_valid(mirror);
                let base_m = if edge == mirror {
                    elevation[edge]
                } else {
                    2.0 * elevation[edge] - elevation[mirror]
                };
                Cell {
                    base_m: if data { base_m } else { 0.0 },
                    flags: if data { 0 } else { VOID }
                        | if map.contains(row, col) { 0 } else { APRON },
                    ..Cell::beyond(false)
                }
            })
            .collect();
        let mut ground = Self {
            shape,
            cells,
            edges,
            map,
            touched: Touched::all(),
        };
        ground.mark_rims();
        if let Some(level) = sea_level_m {
            ground.mark_sea(level);
        }
        ground
    }

    /// The map's cells, without the apron.
    pub(crate) fn inner(&self) -> ArrayView2<'_, Cell> {
        let Window { row, col, shape } = self.map;
        ArrayView2::from_shape(self.shape.dim(), &self.cells)
            .expect("as many cells as the shape says")
            .slice_move(s![row..row + shape.rows, col..col + shape.cols])
    }

    /// The index of a cell of the map.
    pub(crate) const fn index_of(&self, (row, col): (usize, usize)) -> usize {
        self.shape.index(row + self.map.row, col + self.map.col)
    }

    /// The row and column in the map of a cell that lies in it.
    pub(crate) const fn map_position(&self, index: usize) -> (usize, usize) {
        let (row, col) = self.shape.position(index);
        (row - self.map.row, col - self.map.col)
    }

    /// The cell at a signed position, also beyond the map.
    pub(crate) fn cell(&self, row: isize, col: isize) -> Cell {
        let (rows, cols) = (self.shape.rows as isize, self.shape.cols as isize);
        if (0..rows).contains(&row) && (0..cols).contains(&col) {
            return self.cells[self.shape.index(row as usize, col as usize)];
        }
        beyond(self.shape, self.edges, row, col)
    }

    fn mark_rims(&mut self) {
        let Shape { rows, cols } = self.shape;
        let rim: Vec<u32> = (0..self.shape.len())
            .into_par_iter()
            .map(|index| {
                let (row, col) = self.shape.position(index);
                let inside = row > 0 && col > 0 && row + 1 < rows && col + 1 < cols;
                if self.cells[index].is(VOID) || (inside && !self.touches_rim(row, col)) {
                    return 0;
                }
                self.rim_flags(row as isize, col as isize)
            })
            .collect();
        for (cell, flags) in self.cells.iter_mut().zip(rim) {
            cell.flags |= flags;
        }
    }

    fn touches_rim(&self, row: usize, col: usize) -> bool {
        (row - 1..row + 2).any(|r| {
            let start = self.shape.index(r, col - 1);
            self.cells[start..start + 3]
                .iter()
                .any(|c| c.flags & (VOID | APRON) != 0)
        })
    }

    fn rim_flags(&self, row: isize, col: isize) -> u32 {
        let mut flags = 0;
        for dr in -1..=1 {
            for dc in -1..=1 {
                let other = self.cell(row + dr, col + dc);
                if (dr, dc) == (0, 0) || other.flags & (VOID | APRON) == 0 {
                    continue;
                }
                if other.is(VOID) {
                    flags |= RIM;
                }
                if !other.is(WALL) {
                    flags |= DRAIN;
                }
            }
        }
        flags
    }

    /// Cells at or below the level that are connected to the map's edge through such cells are sea.
    fn mark_sea(&mut self, level_m: f64) {
        let low = |cell: &Cell| !cell.is(VOID) && cell.elevation_m() <= level_m;
        let mut queue: VecDeque<usize> = (0..self.shape.len())
            .filter(|&index| low(&self.cells[index]) && self.on_map_edge(index))
            .collect();
        for &index in &queue {
            self.cells[index].flags |= SEA;
        }
        while let Some(index) = queue.pop_front() {
            for other in self.shape.neighbours(index) {
                if low(&self.cells[other]) && !self.cells[other].is(SEA) {
                    self.cells[other].flags |= SEA;
                    queue.push_back(other);
                }
            }
        }
    }
}

/// Where a position along one axis lies in a map that starts at `start`: the map's nearest cell, and the one
/// mirrored at it; both are the cell itself within the map.
fn reflect(at: usize, start: usize, size: usize) -> (usize, usize) {
    if at < start {
        (0, start - at)
    } else if at >= start + size {
        let past = at - (start + size - 1);
        (size - 1, size - 1 - past)
    } else {
        (at - start, at - start)
    }
}

/// What lies at a position beyond the ground: a wall only where every side that it lies beyond is closed.
pub(crate) fn beyond(shape: Shape, edges: Edges, row: isize, col: isize) -> Cell {
    let sides = [
        (row < 0, edges.north),
        (col >= shape.cols as isize, edges.east),
        (row >= shape.rows as isize, edges.south),
        (col < 0, edges.west),
    ];
    let wall = sides
        .iter()
        .all(|&(past, edge)| !past || edge == Edge::Closed);
    Cell::beyond(wall)
}

impl Ground {
    fn on_map_edge(&self, index: usize) -> bool {
        let (row, col) = self.shape.position(index);
        let Shape { rows, cols } = self.map.shape;
        self.map.contains(row, col) && {
            let (row, col) = (row - self.map.row, col - self.map.col);
            row == 0 || col == 0 || row + 1 == rows || col + 1 == cols
        }
    }
}

impl Bed for Ground {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn elevation_m(&self, cell: usize) -> f64 {
        self.cells[cell].elevation_m()
    }

    fn kind(&self, cell: usize) -> Kind {
        let cell = &self.cells[cell];
        if cell.flags & (VOID | APRON) != 0 {
            Kind::Void
        } else if cell.is(SEA) {
            Kind::Sea
        } else if cell.is(DRAIN) {
            Kind::Drain
        } else {
            Kind::Land
        }
    }

    fn raise(&mut self, cell: usize, micrometres: i32) -> i32 {
        self.touched.mark(cell);
        self.cells[cell].raise(micrometres)
    }

    fn pool(&self, cell: usize) -> u32 {
        self.cells[cell].pool
    }

    fn set_pool(&mut self, cell: usize, pool: u32) {
        self.cells[cell].pool = pool;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Ten million deposits of 5 to 15 µm on a mountain of 4,000 m add up to 100 m. A change in f32 would be off by
    /// per cents, and an elevation in f32 would not rise at all.
    #[test]
    fn ten_million_small_deposits_add_up() {
        let mut cell = Cell {
            base_m: 4000.0,
            flags: 0,
            ..Cell::beyond(false)
        };
        let mut draws = Xoshiro256PlusPlus::seed_from_u64(1);
        let (mut drawn_um, mut stored_um) = (0.0, 0);
        for _ in 0..10_000_000 {
            let deposit_um = 5.0 + 10.0 * ((draws.next_u64() >> 40) as f32 / 16_777_216.0);
            drawn_um += f64::from(deposit_um);
            stored_um += i64::from(cell.raise((deposit_um + 0.5) as i32));
        }
        let risen_m = cell.elevation_m() - 4000.0;
        assert!((risen_m - 100.0).abs() < 0.1, "{risen_m} m");
        // Rounding to whole micrometres neither adds nor takes.
        assert!((risen_m - drawn_um * 1e-6).abs() < 0.01, "{risen_m} m");
        assert_eq!(stored_um, i64::from(cell.change_um));
    }

    /// Differences keep micrometres at any altitude, and changes stop at the end of their range.
    #[test]
    fn a_cell_knows_micrometres_and_its_range() {
        let low = Cell {
            base_m: 8000.0,
            ..Cell::beyond(false)
        };
        let mut high = low;
        assert_eq!(high.raise(3), 3);
        assert!((high.above(&low) - 3e-6).abs() < 1e-12);
        assert_eq!(high.raise(i32::MAX), MAX_CHANGE - 3);
        assert_eq!(high.raise(1), 0);
        assert_eq!(high.raise(i32::MIN + 1), -2 * MAX_CHANGE);
        assert_eq!(high.raise(-1), 0);
    }
}
