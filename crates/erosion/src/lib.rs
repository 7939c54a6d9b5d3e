//! Droplet erosion in tiles, with streams, pools and vegetation.
//!
//! The method is "procedural hydrology": droplets run down the ground, take and lay down sediment, and leave
//! tracks that make later droplets keep to streams. Here it runs in tiles on all cores, with the same result
//! on any number of them. One stage is [`erode`]; a cycle within it is one batch of droplets over the whole map:
//!
//! 1. droplets are drawn, each from its own number (`engine`);
//! 2. a tile grid is laid at a drawn offset, and its four colours work in a drawn order (`phases`);
//! 3. a tile copies its window in, runs its droplets in lockstep lanes (`tile`, `kernel`) and merges the
//!    window back; droplets that leave go on in the tile that now holds them;
//! 4. stream map, discharge and plants follow (`stream`, `vegetation`), and from time to time pools are
//!    made to agree over the whole map (`thalweg-flow`).

mod accounts;
mod bed;
mod cell;
mod check;
mod droplet;
mod engine;
mod kernel;
mod lanes;
mod parameters;
mod phases;
mod physics;
mod pit;
mod relief;
mod report;
mod scalar;
mod stage;
mod stream;
mod tile;
mod vegetation;
mod watch;
mod window;
mod written;

pub use parameters::{Edge, Edges, Parameters, Pools, StreamFeedback, Tiling, Vegetation};
pub use report::{Ledger, Limits, Report, Sediment, Water};
pub use stage::{erode, erode_from, erode_watched};
pub use watch::Moment;

/// Why erosion did not finish.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ErosionError {
    /// A parameter is outside of its range.
    #[error("{name} must be {expected}, found {found}")]
    Parameter {
        /// The parameter's key.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// The ground holds a value that is not finite.
    #[error("elevation at row {row}, col {col} is {value}; mark such cells as nodata")]
    NotFinite {
        /// Row of the first such cell.
        row: usize,
        /// Its column.
        col: usize,
        /// What it holds.
        value: f32,
    },
    /// What was to be gone on with is no stage of this map and these parameters.
    #[error("the stage that was written down cannot be gone on with: {message}")]
    Written {
        /// What is wrong.
        message: String,
    },
    /// The observer asked to stop.
    #[error("interrupted")]
    Cancelled,
}
