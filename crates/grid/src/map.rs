use crate::{Grid, Lakes, Layer};
use ndarray::Array2;
use std::collections::BTreeMap;

/// One layer's cells.
#[derive(Debug, Clone, PartialEq)]
pub enum Raster {
    /// A quantity.
    Float(Array2<f32>),
    /// Identifiers, 0 for none.
    Ids(Array2<u32>),
}

/// The state that stages hand on: a grid, which of its cells hold data, and layers.
#[derive(Debug, Clone)]
pub struct Map {
    /// Place and size.
    pub grid: Grid,
    /// Height of the ground, m; any value in cells without data.
    pub elevation: Array2<f32>,
    /// Where there is data; none means everywhere.
    pub valid: Option<Array2<bool>>,
    /// The other layers that stages have made so far.
    pub layers: BTreeMap<Layer, Raster>,
    /// The table of the layer `lake_id`, if a stage has made it.
    pub lakes: Option<Lakes>,
}

impl Map {
    /// A map with ground alone.
    ///
    /// # Panics
    /// When the elevation's or the mask's shape is not the grid's.
    #[must_use]
    pub fn new(grid: Grid, elevation: Array2<f32>, valid: Option<Array2<bool>>) -> Self {
        assert_eq!(elevation.dim(), grid.shape.dim(), "elevation and grid");
        if let Some(mask) = &valid {
            assert_eq!(mask.dim(), grid.shape.dim(), "mask and grid");
        }
        Self {
            grid,
            elevation,
            valid,
            layers: BTreeMap::new(),
            lakes: None,
        }
    }

    /// Whether a cell holds data.
    #[must_use]
    pub fn is_valid(&self, row: usize, col: usize) -> bool {
        self.valid.as_ref().is_none_or(|mask| mask[(row, col)])
    }

    /// A layer of quantities that a stage has made, if it has; never the elevation.
    #[must_use]
    pub fn float(&self, layer: Layer) -> Option<&Array2<f32>> {
        match self.layers.get(&layer) {
            Some(Raster::Float(cells)) => Some(cells),
            _ => None,
        }
    }
}
