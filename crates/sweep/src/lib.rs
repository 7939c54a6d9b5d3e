//! Sweeps: one pipeline with many seeds and values, each a run of its own, and a page to choose from them.
//!
//! 1. [`Sweep::new`] checks every member beforehand: its pipeline, its seed, its folder.
//! 2. [`Sweep::run`] works on them, each in a process of its own, until all have come to their end.
//! 3. `index.html`, `sweep.csv` and `sweep.json` in the folder tell what there is, also meanwhile.
//!
//! What is on disk is the truth. A member is a folder named by the hash of what it runs; in `sweep/` within are:
//!
//! | file | says |
//! | --- | --- |
//! | `member.json`, `pipeline.yaml` | what it is; written before anything runs: the member is pending |
//! | `lease.N` | somebody works on it: see the module `lease` |
//! | `state.json` | its end: done, failed or invalid, with reason, metrics and pictures |
//! | `log.txt` | what its last process said |
//!
//! Each appears under its name complete. The same command goes on where it stopped, and any number of processes, on
//! any number of machines that share the folder, work side by side.

mod child;
mod drive;
mod error;
mod expression;
mod files;
mod keep;
mod lease;
mod metrics;
mod page;
mod preview;
mod selection;
mod setup;
mod state;

pub use drive::{Event, How, Summary, SweepObserver};
pub use error::SweepError;
pub use expression::{Expression, ExpressionError, Rank};
pub use keep::Keep;
pub use metrics::Metrics;
pub use page::status;
pub use selection::{Seeds, Share, Vary};
pub use setup::{Request, Sweep};
pub use state::{End, Found, Identity, Status};
