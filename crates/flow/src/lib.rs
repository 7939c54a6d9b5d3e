//! Flow over terrain: receivers, depressions, pools.
//!
//! [`receivers`], [`fill`] and [`drainage`] look at a whole map; [`Pools`] keeps its standing water as objects and visits
//! only what is wet, its shores and the paths between.

mod fill;
mod height;
mod pools;
mod receivers;
mod rivers;

pub use fill::fill;
pub use pools::{
    Balance, Bed, DryBasin, Inflow, Kind, Lake, Losses, Outflow, Outlet, Pool, PoolInflow, Pools,
    Release, Relief, Repose, Since, Spring, Survey, Touched, Water, largest_first, spread_sediment,
};
pub use receivers::{receiver, receivers};
pub use rivers::{Drainage, Reach, drainage};

use ndarray::ArrayView2;
use thalweg_grid::Shape;

/// Why flow over a map could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// The mask does not fit on the elevation.
    #[error("the mask has {found}, the elevation {expected}; both must be of the same map")]
    Mask {
        /// The elevation's shape.
        expected: Shape,
        /// The mask's shape.
        found: Shape,
    },
    /// A cell with data holds a value that is not finite.
    #[error(
        "elevation at row {row}, col {col} is {value}, expected a finite number; mark such cells as nodata"
    )]
    NotFinite {
        /// Row of the first such cell.
        row: usize,
        /// Its column.
        col: usize,
        /// What it holds.
        value: f64,
    },
}

/// The map's heights, row-major, with `absent` where there is no data.
fn heights<T: Copy + Into<f64>>(
    elevation: ArrayView2<'_, T>,
    valid: Option<ArrayView2<'_, bool>>,
    absent: f64,
) -> Result<Vec<f64>, FlowError> {
    if let Some(mask) = valid.filter(|mask| mask.dim() != elevation.dim()) {
        return Err(FlowError::Mask {
            expected: elevation.dim().into(),
            found: mask.dim().into(),
        });
    }
    let height = |((row, col), value): ((usize, usize), &T)| {
        if valid.is_some_and(|mask| !mask[(row, col)]) {
            return Ok(absent);
        }
        let value: f64 = (*value).into();
        let bad = FlowError::NotFinite { row, col, value };
        if value.is_finite() {
            Ok(value)
        } else {
            Err(bad)
        }
    };
    elevation.indexed_iter().map(height).collect()
}
