//! GDAL's six affine coefficients and our grid.
//!
//! `t = [x0, dx, rx, y0, ry, dy]` places the point `(p, l)`, counted in pixels and lines from the outer corner of
//! the first pixel (so that pixel centres lie at halves):
//!
//! | coefficient | meaning | north-up raster |
//! | --- | --- | --- |
//! | `t[0] = x0` | easting of the outer corner of the first pixel, m | west edge |
//! | `t[1] = dx` | easting per pixel along a line, m | cell size, positive |
//! | `t[2] = rx` | easting per line, m | 0 |
//! | `t[3] = y0` | northing of the outer corner of the first pixel, m | north edge |
//! | `t[4] = ry` | northing per pixel along a line, m | 0 |
//! | `t[5] = dy` | northing per line, m | −cell size, negative |
//!
//! `x = x0 + p dx + l rx`, `y = y0 + p ry + l dy`. GDAL has moved the corner by half a pixel already where a file
//! says that its coordinates are those of pixel centres (`AREA_OR_POINT=Point`), so nothing is shifted here.

use thalweg_grid::{Grid, Shape};

/// The share of a cell by which the far corner may miss its place before a raster is called not square or rotated:
/// files that print their cell size with few digits stay acceptable, and no cell is displaced visibly.
const TOLERANCE_CELLS: f64 = 1e-3;

/// What keeps a raster from being a north-up plane of square cells in metres.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Degrees.
    #[error("its CRS ({crs}) is geographic, so its cells are degrees; expected metres")]
    Geographic {
        /// The system's name.
        crs: String,
    },
    /// Feet, or another unit of length.
    #[error("its CRS ({crs}) counts in `{unit}` of {metres} m; expected metres")]
    Unit {
        /// The system's name.
        crs: String,
        /// The unit's name.
        unit: String,
        /// Its length, m.
        metres: f64,
    },
    /// Sides that differ.
    #[error("its cells are {dx} × {dy}; expected square ones")]
    NotSquare {
        /// Extent from west to east.
        dx: f64,
        /// Extent from north to south.
        dy: f64,
    },
    /// Rows that do not run from west to east.
    #[error(
        "its rows do not run from west to east (geotransform {transform:?}); expected a raster that is neither rotated nor mirrored"
    )]
    Rotated {
        /// GDAL's coefficients.
        transform: [f64; 6],
    },
}

/// Where a raster lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placement {
    /// Edge of a cell.
    pub(crate) cell_size: f64,
    /// Outer corner of the north-west cell.
    pub(crate) origin: [f64; 2],
    /// Whether the first stored line is the southernmost.
    pub(crate) south_up: bool,
}

/// The coefficients of a grid.
pub(crate) fn transform_of(grid: &Grid) -> [f64; 6] {
    let [west, north] = grid.origin_m;
    [west, grid.cell_size_m, 0.0, north, 0.0, -grid.cell_size_m]
}

/// The place that coefficients give to a raster of `shape`.
///
/// # Errors
/// When its cells are not square or its rows do not run from west to east.
pub(crate) fn placement(transform: [f64; 6], shape: Shape) -> Result<Placement, Problem> {
    let [x0, dx, rx, y0, ry, dy] = transform;
    let (rows, cols) = (shape.rows as f64, shape.cols as f64);
    let finite = transform.iter().all(|v| v.is_finite());
    let slack = TOLERANCE_CELLS * dx;
    if !(finite && dx > 0.0 && (rx * rows).abs() <= slack && (ry * cols).abs() <= slack) {
        return Err(Problem::Rotated { transform });
    }
    if ((dy.abs() - dx) * rows).abs() > slack {
        return Err(Problem::NotSquare { dx, dy: dy.abs() });
    }
    let south_up = dy > 0.0;
    let north = if south_up { y0 + rows * dy } else { y0 };
    Ok(Placement {
        cell_size: dx,
        origin: [x0, north],
        south_up,
    })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape::new(4, 6);

    #[test]
    fn coefficients_agree_with_the_grids_own_centres() {
        let grid = Grid::new(SHAPE, 10.0, [500_000.0, 5_200_000.0], None).unwrap();
        let t = transform_of(&grid);
        // Pixel centres by GDAL's formula.
        let (p, l) = (5.5, 3.5);
        assert!((t[0] + p * t[1] + l * t[2] - grid.x_m(5)).abs() < 1e-9);
        assert!((t[3] + p * t[4] + l * t[5] - grid.y_m(3)).abs() < 1e-9);
        let place = placement(t, SHAPE).unwrap();
        assert_eq!(
            place,
            Placement {
                cell_size: 10.0,
                origin: grid.origin_m,
                south_up: false
            }
        );
    }

    #[test]
    fn a_south_up_raster_starts_at_its_south_west_corner() {
        let place = placement([100.0, 10.0, 0.0, 200.0, 0.0, 10.0], SHAPE).unwrap();
        assert!(place.south_up);
        assert_eq!(place.origin, [100.0, 240.0]);
    }

    #[test]
    fn rotated_mirrored_and_oblong_rasters_are_told_apart() {
        let rotated = placement([0.0, 10.0, 1.0, 0.0, 1.0, -10.0], SHAPE);
        assert!(matches!(rotated, Err(Problem::Rotated { .. })));
        let mirrored = placement([0.0, -10.0, 0.0, 0.0, 0.0, -10.0], SHAPE);
        assert!(matches!(mirrored, Err(Problem::Rotated { .. })));
        let oblong = placement([0.0, 10.0, 0.0, 0.0, 0.0, -20.0], SHAPE);
        assert_eq!(oblong, Err(Problem::NotSquare { dx: 10.0, dy: 20.0 }));
        assert!(placement([0.0, 10.0, 0.0, 0.0, 0.0, 0.0], SHAPE).is_err());
        assert!(placement([0.0, f64::NAN, 0.0, 0.0, 0.0, -1.0], SHAPE).is_err());
    }

    #[test]
    fn cell_sizes_that_differ_by_printing_alone_are_square() {
        let printed = [0.0, 30.000_000_01, 0.0, 0.0, 0.0, -30.0];
        assert!(placement(printed, Shape::new(10_000, 10_000)).is_ok());
    }
}
