//! The pipeline file, key by key. What these types document is what `thalweg schema` prints.
//!
//! Lengths carry their unit in the key; every other quantity names its unit in the schema (`unit`).

mod erode;
pub mod noise;
mod output;
mod picture;
mod source;
mod storage;
mod vectors;

pub use erode::{Edges, Erode, Pools, StreamFeedback, Tiling, Vegetation};
pub use noise::{Noise, Range};
pub use output::{Content, Hillshade, Output, Table};
pub(crate) use output::{digits, numbered, world_file};
pub use picture::{Colour, Film, Picture, Positions, Ramp, Shade, Water};
pub use source::{Fit, Grid, Method, Read, Reproject, Synthesize, Units};
pub use storage::{Compress, OptionValue};
pub use vectors::{Features, Vectors};

use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format version that this program reads.
pub const VERSION: u32 = 1;

/// One pipeline: where the map lies, what is done to it, and what is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// Version of the file format: 1.
    #[garde(custom(supported))]
    #[schemars(extend("const" = VERSION))]
    pub thalweg: u32,
    /// Name of the pipeline; part of the default output folder.
    #[garde(custom(plain_name))]
    pub name: String,
    /// Seed of every random choice; without one, a run draws a seed, prints it and records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub seed: Option<u64>,
    /// Size and place of the map; absent when the first stage is `read` and its file brings them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub grid: Option<Grid>,
    /// What is done, in order; the first stage makes the ground, the others change it.
    #[garde(length(min = 1), dive)]
    pub stages: Vec<Stage>,
    /// What is written when all stages are done.
    #[garde(length(min = 1), dive)]
    pub outputs: Vec<Output>,
}

/// One step of a pipeline: its kind, then its keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Makes the ground from noise.
    Synthesize(#[garde(dive)] Synthesize),
    /// Takes the ground from a raster file.
    Read(#[garde(dive)] Read),
    /// Erodes the ground with droplets.
    Erode(#[garde(dive)] Box<Erode>),
}

impl Stage {
    /// The stage's kind as pipeline files spell it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Synthesize(_) => "synthesize",
            Self::Read(_) => "read",
            Self::Erode(_) => "erode",
        }
    }

    /// The stage's id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Synthesize(stage) => &stage.id,
            Self::Read(stage) => &stage.id,
            Self::Erode(stage) => &stage.id,
        }
    }

    /// Whether the stage makes ground rather than changes it.
    #[must_use]
    pub const fn is_source(&self) -> bool {
        matches!(self, Self::Synthesize(_) | Self::Read(_))
    }
}

fn supported(version: &u32, _: &()) -> garde::Result {
    if *version == VERSION {
        return Ok(());
    }
    Err(garde::Error::new(format!(
        "must be {VERSION}, the format version that this program reads, found {version}"
    )))
}

/// A name becomes part of a folder's name on any system.
fn plain_name(name: &str, _: &()) -> garde::Result {
    let starts_well = name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if starts_well && plain && name.len() <= 100 {
        return Ok(());
    }
    Err(garde::Error::new(format!(
        "must be 1 to 100 letters, digits, `-`, `_` or `.`, and start with a letter, digit or `_`, found {name:?}"
    )))
}

/// An id is part of `--set` paths, where a dot separates.
fn plain_id(id: &str, _: &()) -> garde::Result {
    let starts_well = id.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = id
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if starts_well && plain && id.len() <= 64 {
        return Ok(());
    }
    Err(garde::Error::new(format!(
        "must be 1 to 64 ASCII letters, digits, `-` or `_`, and start with a letter, found {id:?}"
    )))
}

/// An absolute path to a key's default in one of the libraries, so that each default has one home.
macro_rules! defaults_of {
    ($defaults:expr => $($name:ident: $type:ty),+ $(,)?) => {
        mod defaults {
            use super::*;
            $(pub(super) fn $name() -> $type { $defaults.$name })+
        }
    };
}
use defaults_of;
