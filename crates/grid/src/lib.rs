//! What the other crates hand to each other: shapes, georeferenced grids, layers, maps, tiles, keyed
//! randomness, instruction sets, sections of files, and the observer through which long work reports.
//!
//! Everything is indexed `(row, col)`, row 0 at the north. `x` and `y` are world coordinates in metres,
//! easting and northing; they meet rows and columns in [`Grid`] and nowhere else.

mod grid;
mod isa;
mod lake;
mod layer;
mod map;
mod observe;
mod random;
mod sections;
mod shape;
mod tile;

pub use grid::{Grid, GridError};
pub use isa::{Instructions, Isa};
pub use lake::{DryBasin, Lake, Lakes, SpillsTo};
pub use layer::Layer;
pub use map::{Map, Raster};
pub use observe::{NoObserver, Observer, Progress};
pub use random::{Purpose, StageKey};
pub use sections::{SectionName, SectionReader, SectionWriter};
pub use shape::Shape;
pub use tile::{Colour, Tile, TileGrid, Window};
