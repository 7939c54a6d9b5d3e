//! A look at a stage between its cycles.

use crate::cell::Ground;
use crate::engine::Engine;
use ndarray::Array2;
use std::collections::BTreeSet;
use std::io::Write;
use thalweg_grid::{Layer, Map, Tile, TileGrid, Window};

/// A stage at the end of one of its cycles, as who looks on sees it. All arrays have the map's shape.
pub struct Moment<'a> {
    pub(crate) map: &'a Map,
    pub(crate) engine: &'a Engine<'a>,
    pub(crate) ground: &'a Ground,
    /// Volumes per cycle.
    pub(crate) discharge: &'a [f32],
    pub(crate) unit_m3: f64,
    pub(crate) tiles: TileGrid,
    pub(crate) cycle: u32,
}

impl Moment<'_> {
    /// How many cycles went before this one. Those without rain at a stage's end count on.
    #[must_use]
    pub const fn cycle(&self) -> u32 {
        self.cycle
    }

    /// The map as it was when the stage began.
    #[must_use]
    pub const fn map(&self) -> &Map {
        self.map
    }

    /// Whether the stage replaces a layer of the map and has already taken from it what it needs. The table of lakes
    /// goes with the layer `lake_id`.
    #[must_use]
    pub const fn replaces(&self, layer: Layer) -> bool {
        match layer {
            Layer::Elevation | Layer::Change => false,
            Layer::Stream | Layer::Discharge => true,
            Layer::PoolDepth | Layer::WaterLevel | Layer::LakeId => self.engine.pools.is_some(),
            Layer::Vegetation => self.engine.plants.is_some(),
        }
    }

    /// How many cycles with rain have been run, and how many there are.
    #[must_use]
    pub const fn cycles(&self) -> [u64; 2] {
        [
            self.engine.report.cycles,
            self.engine.parameters.cycles as u64,
        ]
    }

    /// Writes down all that the rest of the stage depends on besides the map, parameters and key with which it began,
    /// for [`erode_from`](crate::erode_from): 12 bytes a cell and 4 more with plants, and what is in flight.
    ///
    /// # Errors
    /// When `out` cannot take it.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        self.engine.write(out)
    }

    /// Elevation change since the stage began, m.
    #[must_use]
    pub fn change_m(&self) -> Array2<f64> {
        self.ground
            .inner()
            .map(|cell| f64::from(cell.change_um) * 1e-6)
    }

    /// The stream map, 0..1.
    #[must_use]
    pub fn stream(&self) -> Array2<f32> {
        self.ground.inner().map(|cell| cell.stream)
    }

    /// Mean volume of water per cell, m³ per cycle.
    #[must_use]
    pub fn discharge_m3(&self) -> Array2<f32> {
        Array2::from_shape_fn(self.ground.map.shape.dim(), |at| {
            (f64::from(self.discharge[self.ground.index_of(at)]) * self.unit_m3) as f32
        })
    }

    /// Rows and columns of the map at which the cores of this cycle's tiles met, ascending: a seam would lie between
    /// such a row and the one before.
    #[must_use]
    pub fn core_lines(&self) -> [Vec<usize>; 2] {
        self.lines(|tile| tile.core)
    }

    /// Rows and columns of the map at which the windows of this cycle's tiles began or ended, likewise.
    #[must_use]
    pub fn window_lines(&self) -> [Vec<usize>; 2] {
        self.lines(|tile| tile.window)
    }

    fn lines(&self, of: fn(&Tile) -> Window) -> [Vec<usize>; 2] {
        let mut lines = [BTreeSet::new(), BTreeSet::new()];
        for index in 0..self.tiles.shape().len() {
            let Window { row, col, shape } = of(&self.tiles.tile(index));
            lines[0].extend([row, row + shape.rows]);
            lines[1].extend([col, col + shape.cols]);
        }
        let Window { row, col, shape } = self.ground.map;
        let inner = |lines: &BTreeSet<usize>, start: usize, size: usize| {
            lines
                .iter()
                .filter(|&&line| line > start && line < start + size)
                .map(|line| line - start)
                .collect()
        };
        [
            inner(&lines[0], row, shape.rows),
            inner(&lines[1], col, shape.cols),
        ]
    }
}
