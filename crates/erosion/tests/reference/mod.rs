//! The engine's judge: one erosion stage in plain scalar code on the whole map.
//!
//! It is written from the documented equations and rules, to be read and not to be fast: a droplet is a struct,
//! the map is one array of cells that is read at any position, a tile is no more than the bounds within which
//! its droplets may be. No window is copied, no lanes lie side by side, nothing runs in parallel. With the engine
//! it shares the parameters it takes, the report it fills in, and the keyed random numbers; where pools are on,
//! also `thalweg-flow`'s reconciliation, which has judges of its own, over a bed of its own.
//!
//! Output depends on the order in which droplets change cells, so the reference follows the engine's schedule:
//! the drawn tile offset and order of colours, tiles of a colour by index, queues by birth and number, lanes that
//! first all look and then write one after the other, refills from the highest ended lane downwards, and
//! stragglers. With f32 numbers every bit agrees; with f64 ones it is the twin that bounds rounding.

mod accounts;
mod bed;
mod constants;
mod droplet;
mod exchange;
mod land;
mod plants;
mod real;
mod schedule;
mod spikes;
mod stage;
mod step;
mod tile;
mod write;

pub(crate) use constants::Constants;
pub(crate) use droplet::Droplet;
pub(crate) use land::Land;
pub(crate) use real::Real;
pub(crate) use stage::{Stage, erode};
pub(crate) use step::{End, Plan, plan};
pub(crate) use tile::Bounds;
pub(crate) use write::{Counts, apply};

/// A cell of the ground, `[row, col]`; row and column 0 are the apron's first.
pub(crate) type Place = [i32; 2];

/// The place one move away.
pub(crate) const fn moved(from: Place, by: [i32; 2]) -> Place {
    [from[0] + by[0], from[1] + by[1]]
}

/// The moves to the eight neighbours, rows before columns.
pub(crate) const NEIGHBOURS: [[i32; 2]; 8] = [
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [0, -1],
    [0, 1],
    [1, -1],
    [1, 0],
    [1, 1],
];
