use crate::Shape;

/// Why a grid cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GridError {
    /// No cell at all.
    #[error("a grid needs at least one row and one column, found {0}")]
    Empty(Shape),
    /// The cell size is not a positive finite number of metres.
    #[error("cell size must be a positive number of metres, found {0}")]
    CellSize(f64),
    /// The origin is not finite.
    #[error("origin must be finite, found [{0}, {1}]")]
    Origin(f64, f64),
}

/// A raster's place in the world: north-up, square cells, coordinates in metres.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Size in cells.
    pub shape: Shape,
    /// Edge length of a cell, m.
    pub cell_size_m: f64,
    /// Outer corner of the north-west cell: easting and northing, m.
    pub origin_m: [f64; 2],
    /// Coordinate reference system, as `EPSG:n` or WKT; none means a local plane in metres.
    pub crs: Option<String>,
}

impl Grid {
    /// A grid of `shape` with its north-west outer corner at `origin_m`.
    ///
    /// # Errors
    /// When there is no cell, the cell size is not positive, or the origin is not finite.
    pub fn new(
        shape: Shape,
        cell_size_m: f64,
        origin_m: [f64; 2],
        crs: Option<String>,
    ) -> Result<Self, GridError> {
        if shape.is_empty() {
            return Err(GridError::Empty(shape));
        }
        if !(cell_size_m.is_finite() && cell_size_m > 0.0) {
            return Err(GridError::CellSize(cell_size_m));
        }
        if !origin_m.iter().all(|v| v.is_finite()) {
            return Err(GridError::Origin(origin_m[0], origin_m[1]));
        }
        Ok(Self {
            shape,
            cell_size_m,
            origin_m,
            crs,
        })
    }

    /// Easting of the centre of a column, m.
    #[must_use]
    pub fn x_m(&self, col: usize) -> f64 {
        self.origin_m[0] + (col as f64 + 0.5) * self.cell_size_m
    }

    /// Northing of the centre of a row, m: it falls as rows go south.
    #[must_use]
    pub fn y_m(&self, row: usize) -> f64 {
        self.origin_m[1] - (row as f64 + 0.5) * self.cell_size_m
    }

    /// Area of one cell, m².
    #[must_use]
    pub fn cell_area_m2(&self) -> f64 {
        self.cell_size_m * self.cell_size_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_lie_half_a_cell_inside_the_outer_corner() {
        let grid = Grid::new(Shape::new(4, 6), 10.0, [500_000.0, 5_200_000.0], None).unwrap();
        assert!((grid.x_m(0) - 500_005.0).abs() < 1e-9);
        assert!((grid.y_m(3) - 5_199_965.0).abs() < 1e-9);
    }

    #[test]
    fn impossible_grids_are_refused() {
        let shape = Shape::new(1, 1);
        assert!(Grid::new(Shape::new(0, 4), 1.0, [0.0; 2], None).is_err());
        assert!(Grid::new(shape, 0.0, [0.0; 2], None).is_err());
        assert!(Grid::new(shape, f64::NAN, [0.0; 2], None).is_err());
        assert!(Grid::new(shape, 1.0, [f64::INFINITY, 0.0], None).is_err());
    }
}
