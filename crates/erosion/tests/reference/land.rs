//! The ground: map and apron, one array of cells.

use super::constants::MAX_CHANGE;
use super::{Bounds, NEIGHBOURS, Place, Real, moved};
use thalweg_erosion::{Edge, Edges};
use thalweg_grid::Map;

/// A cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell<R> {
    /// Elevation when the stage began, m.
    pub base_m: R,
    /// Change since, µm.
    pub change_um: i32,
    pub stream: R,
    /// Plant density.
    pub cover: R,
    /// Number of the pool over it, 0 where dry.
    pub pool: u32,
    /// No ground: nodata or beyond.
    pub void: bool,
    /// Beyond a closed side.
    pub wall: bool,
    pub sea: bool,
    pub apron: bool,
    /// Droplets that came in this cycle, and their volumes.
    pub visits: u32,
    pub water: R,
}

impl<R: Real> Cell<R> {
    fn of(base_m: R) -> Self {
        Self {
            base_m,
            change_um: 0,
            stream: R::zero(),
            cover: R::zero(),
            pool: 0,
            void: false,
            wall: false,
            sea: false,
            apron: false,
            visits: 0,
            water: R::zero(),
        }
    }

    fn no_ground() -> Self {
        Self {
            void: true,
            ..Self::of(R::zero())
        }
    }

    /// How much higher this cell is than another, m.
    pub(crate) fn above(&self, other: &Self) -> R {
        let base = self.base_m - other.base_m;
        let change = R::of(f64::from(self.change_um - other.change_um));
        base + change * R::of(1e-6)
    }

    pub(crate) fn elevation_m(&self) -> f64 {
        self.base_m.wide() + f64::from(self.change_um) * 1e-6
    }

    /// Adds to the change what its range allows; returns what was stored, µm.
    pub(crate) fn raise(&mut self, um: i32) -> i32 {
        let wanted = i64::from(self.change_um) + i64::from(um);
        let most = i64::from(MAX_CHANGE);
        let after = wanted.clamp(-most, most) as i32;
        let stored = after - self.change_um;
        self.change_um = after;
        stored
    }
}

/// Map and apron.
#[derive(Debug, Clone)]
pub(crate) struct Land<R> {
    pub rows: i32,
    pub cols: i32,
    pub cells: Vec<Cell<R>>,
    edges: Edges,
    /// The map's first cell, and its size.
    pub first: Place,
    pub map: [i32; 2],
}

impl<R: Real> Land<R> {
    pub(crate) fn new(map: &Map, edges: Edges, sea_level_m: Option<f64>) -> Self {
        let [rows, cols] = [map.grid.shape.rows as i32, map.grid.shape.cols as i32];
        let width = (edges.apron_m / map.grid.cell_size_m).round() as i32;
        let width = width.min(rows / 2).min(cols / 2);
        let open = |edge| if edge == Edge::Open { width } else { 0 };
        let mut land = Self {
            rows: open(edges.north) + rows + open(edges.south),
            cols: open(edges.west) + cols + open(edges.east),
            cells: Vec::new(),
            edges,
            first: [open(edges.north), open(edges.west)],
            map: [rows, cols],
        };
        for row in 0..land.rows {
            for col in 0..land.cols {
                let cell = land.lay(map, [row, col]);
                land.cells.push(cell);
            }
        }
        if let Some(level) = sea_level_m {
            land.flood_sea(level);
        }
        land
    }

    /// A cell at the start. In the apron the ground goes on by point reflection, h(−r) = 2 h(0) − h(r).
    fn lay(&self, map: &Map, at: Place) -> Cell<R> {
        let [r, c] = [at[0] - self.first[0], at[1] - self.first[1]];
        let [r0, c0] = [r.clamp(0, self.map[0] - 1), c.clamp(0, self.map[1] - 1)];
        let near = (r0 as usize, c0 as usize);
        let mirrored = ((2 * r0 - r) as usize, (2 * c0 - c) as usize);
        let apron = !self.on_map(at);
        let is_valid = |(row, col)| map.is_valid(row, col);
        if !is_valid(near) || !is_valid(mirrored) {
            return Cell {
                apron,
                ..Cell::no_ground()
            };
        }
        let height = |at| R::of(f64::from(map.elevation[at]));
        let base_m = match apron {
            true => R::of(2.0) * height(near) - height(mirrored),
            false => height(near),
        };
        Cell {
            apron,
            ..Cell::of(base_m)
        }
    }

    /// Sea is what lies at or below the level and is connected, through such cells, to the map's edge.
    fn flood_sea(&mut self, level_m: f64) {
        let [first_row, first_col] = self.first;
        let [last_row, last_col] = [first_row + self.map[0] - 1, first_col + self.map[1] - 1];
        let on_edge = |[row, col]: Place| {
            row == first_row || row == last_row || col == first_col || col == last_col
        };
        let mut next: Vec<Place> = (0..self.cells.len())
            .map(|index| self.place(index))
            .filter(|&at| self.on_map(at) && on_edge(at))
            .collect();
        while let Some(at) = next.pop() {
            if !self.is_inside(at) {
                continue;
            }
            let cell = self.cell_mut(at);
            if !cell.void && !cell.sea && cell.elevation_m() <= level_m {
                cell.sea = true;
                next.extend(NEIGHBOURS.map(|by| moved(at, by)));
            }
        }
    }

    pub(crate) const fn index(&self, [row, col]: Place) -> usize {
        (row * self.cols + col) as usize
    }

    pub(crate) const fn place(&self, index: usize) -> Place {
        [index as i32 / self.cols, index as i32 % self.cols]
    }

    pub(crate) const fn is_inside(&self, [row, col]: Place) -> bool {
        row >= 0 && col >= 0 && row < self.rows && col < self.cols
    }

    /// Whether a cell is the map's and not the apron's.
    pub(crate) const fn on_map(&self, [row, col]: Place) -> bool {
        let [r, c] = [row - self.first[0], col - self.first[1]];
        r >= 0 && c >= 0 && r < self.map[0] && c < self.map[1]
    }

    /// A cell, also beyond the ground, where a wall stands if every side that the place is beyond is closed.
    pub(crate) fn cell(&self, at: Place) -> Cell<R> {
        if self.is_inside(at) {
            return self.cells[self.index(at)];
        }
        let [row, col] = at;
        let is_open = |edge| edge == Edge::Open;
        let through = (row < 0 && is_open(self.edges.north))
            || (row >= self.rows && is_open(self.edges.south))
            || (col < 0 && is_open(self.edges.west))
            || (col >= self.cols && is_open(self.edges.east));
        Cell {
            wall: !through,
            ..Cell::no_ground()
        }
    }

    pub(crate) fn cell_mut(&mut self, at: Place) -> &mut Cell<R> {
        let index = self.index(at);
        &mut self.cells[index]
    }

    /// All of it.
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            rows: [0, self.rows],
            cols: [0, self.cols],
        }
    }

    /// Neighbours of a cell that are on the ground or its apron, rows before columns.
    pub(crate) fn neighbours(&self, at: Place) -> Vec<Place> {
        let around = NEIGHBOURS.map(|by| moved(at, by));
        around.into_iter().filter(|&p| self.is_inside(p)).collect()
    }
}
