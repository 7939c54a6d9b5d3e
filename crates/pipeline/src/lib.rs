//! Pipeline files: from YAML to a checked plan to files on disk.
//!
//! 1. [`load`] reads a file, applies `--set` overrides and checks every key, type, range and relation; what is
//!    wrong comes back with its place in the file ([`Problems`]).
//! 2. [`Plan::new`] decides what is open (seed, grid, output folder) and estimates the cost.
//! 3. [`run`] carries the plan out and writes the outputs and the record, `run.json`.
//!
//! [`spec`] is the format; [`schema`] prints it for editors.

mod check;
mod checkpoint;
mod error;
mod estimate;
mod explain;
mod folder;
mod hash;
mod identity;
mod load;
mod lower;
mod mode;
mod overrides;
mod plan;
mod problem;
mod record;
mod resources;
mod run;
mod schema;
pub mod spec;
mod suggest;
mod table;
mod tree;
mod write;

pub use checkpoint::seed_of;
pub use error::{Failure, PipelineError};
pub use estimate::Estimate;
pub use folder::LOCK;
pub use identity::{Input, identity, input};
pub use load::{load, load_record, parse};
pub use lower::expression;
pub use mode::{Every, Mode};
pub use plan::{Options, Plan, Step, Target, bytes};
pub use problem::{Place, Problem, Problems};
pub use record::{Recorded, RecordedOutput, RecordedStage};
pub use resources::{available_memory, peak_resident};
pub use run::{Event, Outcome, RunObserver, VERSION, record_path, run};
pub use schema::schema;
pub use table::parameters;
