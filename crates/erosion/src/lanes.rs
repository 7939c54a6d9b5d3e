//! Droplets that move in lockstep.

use crate::droplet::{Droplet, back};
use crate::window::{HERE, toward};

/// The widest lockstep.
pub(crate) const WIDTH: usize = 16;

/// Who a lane's droplet is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Identity {
    pub birth: u32,
    pub number: u64,
    pub spills: u32,
    pub passed: u32,
    /// Whether the cell that it is in has yet to count it.
    pub unseen: bool,
    /// Volume when the droplet entered this tile: what is missing when it leaves has evaporated.
    pub entered_with: f32,
}

/// The state of up to [`WIDTH`] droplets, one array a quantity, so that the arithmetic of a step runs across
/// them. Cells are those of the tile's buffer.
#[derive(Debug)]
pub(crate) struct Lanes {
    /// Index of the cell in the buffer.
    pub at: [u32; WIDTH],
    /// Where the cell that the droplet came from is among the rises of [`Buffer::around`](crate::window::Buffer::around):
    /// its own, where it was set down.
    pub behind: [u32; WIDTH],
    pub south: [f32; WIDTH],
    pub east: [f32; WIDTH],
    pub v_south: [f32; WIDTH],
    pub v_east: [f32; WIDTH],
    pub water: [f32; WIDTH],
    pub load_um: [i32; WIDTH],
    pub trail: [u32; WIDTH],
    pub steps: [u32; WIDTH],
    pub path: [f32; WIDTH],
    pub identity: [Identity; WIDTH],
    /// How many lanes, from the first, hold a droplet.
    pub live: usize,
}

impl Lanes {
    /// Empty lanes. Idle ones hold a harmless droplet, so that arithmetic across all of them stays finite.
    pub(crate) fn new() -> Self {
        Self {
            at: [0; WIDTH],
            behind: [HERE; WIDTH],
            south: [0.5; WIDTH],
            east: [0.5; WIDTH],
            v_south: [0.0; WIDTH],
            v_east: [0.0; WIDTH],
            water: [1.0; WIDTH],
            load_um: [0; WIDTH],
            trail: [0; WIDTH],
            steps: [0; WIDTH],
            path: [0.0; WIDTH],
            identity: [Identity::default(); WIDTH],
            live: 0,
        }
    }

    /// Puts a droplet of the map into a lane.
    pub(crate) fn put(&mut self, lane: usize, droplet: &Droplet, at: u32) {
        self.at[lane] = at;
        let [d_row, d_col] = back(droplet.trail);
        self.behind[lane] = toward(d_row, d_col);
        self.south[lane] = droplet.south;
        self.east[lane] = droplet.east;
        self.v_south[lane] = droplet.v_south;
        self.v_east[lane] = droplet.v_east;
        self.water[lane] = droplet.water;
        self.load_um[lane] = droplet.load_um;
        self.trail[lane] = droplet.trail;
        self.steps[lane] = droplet.steps;
        self.path[lane] = droplet.path;
        self.identity[lane] = Identity {
            birth: droplet.birth,
            number: droplet.number,
            spills: droplet.spills,
            passed: droplet.passed,
            unseen: droplet.unseen,
            entered_with: droplet.water,
        };
    }

    /// The droplet of a lane, as it goes on from a cell of the map, `[row, col]`.
    pub(crate) fn take(&self, lane: usize, [row, col]: [i32; 2]) -> Droplet {
        Droplet {
            row,
            col,
            south: self.south[lane],
            east: self.east[lane],
            v_south: self.v_south[lane],
            v_east: self.v_east[lane],
            water: self.water[lane],
            load_um: self.load_um[lane],
            trail: self.trail[lane],
            steps: self.steps[lane],
            path: self.path[lane],
            spills: self.identity[lane].spills,
            passed: self.identity[lane].passed,
            unseen: self.identity[lane].unseen,
            birth: self.identity[lane].birth,
            number: self.identity[lane].number,
        }
    }

    /// The lanes that hold a droplet, one bit each.
    pub(crate) const fn mask(&self) -> u32 {
        (1 << self.live) - 1
    }

    /// Empties a lane by moving the last live one into it.
    pub(crate) fn close(&mut self, lane: usize) {
        self.live -= 1;
        let last = self.live;
        self.at[lane] = self.at[last];
        self.behind[lane] = self.behind[last];
        self.south[lane] = self.south[last];
        self.east[lane] = self.east[last];
        self.v_south[lane] = self.v_south[last];
        self.v_east[lane] = self.v_east[last];
        self.water[lane] = self.water[last];
        self.load_um[lane] = self.load_um[last];
        self.trail[lane] = self.trail[last];
        self.steps[lane] = self.steps[last];
        self.path[lane] = self.path[last];
        self.identity[lane] = self.identity[last];
        self.water[last] = 1.0;
    }
}
