//! A droplet.

use super::constants::TRAIL;
use super::{Place, Real};

/// A droplet in flight, in a lane or in a queue.
#[derive(Debug, Clone)]
pub(crate) struct Droplet<R> {
    pub at: Place,
    /// Place in the cell, 0..1, southwards and eastwards.
    pub south: R,
    pub east: R,
    pub v_south: R,
    pub v_east: R,
    /// Volume; a new droplet has 1.
    pub water: R,
    /// Sediment aboard, µm over one cell.
    pub load_um: i32,
    /// The last moves from cell to cell, the latest at the end.
    pub trail: Vec<[i32; 2]>,
    pub steps: u32,
    /// Way so far, cells.
    pub path: R,
    /// Full pools passed.
    pub spills: u32,
    /// The last of them since pools agreed, 0 where none.
    pub passed: u32,
    /// Whether the cell that it is in has yet to count it.
    pub unseen: bool,
    /// Cycle of birth, and number among those born in it: the order of a queue.
    pub order: (u32, u64),
    /// Volume when it entered the tile that it is in.
    pub entered_with: R,
}

impl<R: Real> Droplet<R> {
    /// A droplet at rest.
    pub(crate) fn at_rest(at: Place, [south, east]: [R; 2], water: R, order: (u32, u64)) -> Self {
        Self {
            at,
            south,
            east,
            v_south: R::zero(),
            v_east: R::zero(),
            water,
            load_um: 0,
            trail: Vec::new(),
            steps: 0,
            path: R::zero(),
            spills: 0,
            passed: 0,
            unseen: true,
            order,
            entered_with: water,
        }
    }

    /// Goes to a neighbouring cell.
    pub(crate) fn go(&mut self, by: [i32; 2]) {
        self.at = super::moved(self.at, by);
        self.trail.push(by);
        if self.trail.len() > TRAIL {
            self.trail.remove(0);
        }
    }
}
