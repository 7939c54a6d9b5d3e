//! A droplet between tiles.

use serde::{Deserialize, Serialize};

/// A droplet in flight. Its place is a cell and a fraction of it, so that adding a window's origin never rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Droplet {
    /// Cell of the map.
    pub row: i32,
    /// Cell of the map.
    pub col: i32,
    /// Place in the cell, 0..1, southwards.
    pub south: f32,
    /// Place in the cell, 0..1, eastwards.
    pub east: f32,
    /// Southward speed, reference lengths per unit of time.
    pub v_south: f32,
    /// Eastward speed.
    pub v_east: f32,
    /// Volume; a new droplet has 1.
    pub water: f32,
    /// Sediment aboard, µm over one cell.
    pub load_um: i32,
    /// The last eight moves, four bits each, the latest lowest; see [`back`].
    pub trail: u32,
    /// Steps so far.
    pub steps: u32,
    /// Way so far, cells.
    pub path: f32,
    /// Full pools passed.
    pub spills: u32,
    /// The full pool that it passed last, since the last reconciliation; 0 where none.
    pub passed: u32,
    /// Whether the cell that it is in has yet to count it.
    pub unseen: bool,
    /// Cycle in which it was born.
    pub birth: u32,
    /// Number among those born in that cycle.
    pub number: u64,
}

/// Numbers from here on belong to droplets that pools sent on.
pub(crate) const FIRST_SPRING: u64 = 1 << 63;

impl Droplet {
    /// A droplet at rest.
    pub(crate) const fn at_rest(
        [row, col]: [i32; 2],
        [south, east]: [f32; 2],
        water: f32,
        birth: u32,
        number: u64,
    ) -> Self {
        Self {
            row,
            col,
            south,
            east,
            v_south: 0.0,
            v_east: 0.0,
            water,
            load_um: 0,
            trail: 0,
            steps: 0,
            path: 0.0,
            spills: 0,
            passed: 0,
            unseen: true,
            birth,
            number,
        }
    }

    /// The order in which a tile's queue is worked.
    pub(crate) const fn order(&self) -> (u32, u64) {
        (self.birth, self.number)
    }
}

/// The trail's code of a move of −1, 0 or 1 cells along each axis; never 0.
#[inline(always)]
pub(crate) const fn code(d_row: i32, d_col: i32) -> u32 {
    (1 + (d_row + 1) * 3 + (d_col + 1)) as u32
}

/// The move back to the cell that a trail's lowest code came from: `[0, 0]` when there is none.
#[inline(always)]
pub(crate) const fn back(trail: u32) -> [i32; 2] {
    let code = (trail & 15) as i32;
    if code == 0 {
        return [0, 0];
    }
    [1 - (code - 1) / 3, 1 - (code - 1) % 3]
}

/// Whether a move leads to a cell that is on the trail.
pub(crate) const fn comes_back(mut trail: u32, [mut rows, mut cols]: [i32; 2]) -> bool {
    while trail != 0 {
        let [d_row, d_col] = back(trail);
        (rows, cols) = (rows - d_row, cols - d_col);
        if rows == 0 && cols == 0 {
            return true;
        }
        trail >>= 4;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_comes_back_where_the_trail_has_been() {
        let mut trail = 0;
        for [d_row, d_col] in [[0, 1], [1, 0], [0, -1]] {
            assert!(!comes_back(trail, [d_row, d_col]));
            trail = trail << 4 | code(d_row, d_col);
        }
        assert!(comes_back(trail, [-1, 0]) && comes_back(trail, [0, 1]));
        assert!(comes_back(trail, [-1, 1]) && !comes_back(trail, [1, 0]));
    }

    #[test]
    fn a_trail_leads_back_the_way_it_came() {
        for d_row in -1..=1 {
            for d_col in -1..=1 {
                assert_eq!(back(code(d_row, d_col)), [-d_row, -d_col]);
            }
        }
        assert_eq!(back(0), [0, 0]);
    }
}
