//! Where every way leads uphill.

use crate::cell::{SEA, VOID, WALL};
use crate::window::Buffer;

/// Cells of a flat that a droplet looks over. On wider ground it comes to rest by itself; on ground two cells wide, both
/// in sight of a slope, it would swing from one to the other until it has evaporated. More cells would only cost time,
/// on floors of valleys in elevations of whole metres.
const MAX_FLAT: usize = 64;

/// Whether a cell lies in a pit: all of its eight neighbours are higher or, with `flats`, it is one of a few cells of one
/// height with all around them higher. An open void is lower than anything, a wall higher.
pub(crate) fn is_pit(buffer: &Buffer, index: usize, flats: bool) -> bool {
    let mut flat = false;
    for other in buffer.neighbours(index) {
        if buffer.is(other, VOID) {
            if !buffer.is(other, WALL) {
                return false;
            }
            continue;
        }
        let rise = buffer.above(other, index);
        if rise < 0.0 {
            return false;
        }
        flat |= rise <= 0.0;
    }
    !flat || (flats && is_closed_flat(buffer, index))
}

/// Whether the flat that a cell lies on is small, in sight as a whole, and lower than all around.
#[cold]
fn is_closed_flat(buffer: &Buffer, index: usize) -> bool {
    let mut cells = [index; MAX_FLAT];
    let mut count = 1;
    let mut next = 0;
    while next < count {
        let at = cells[next];
        next += 1;
        if !buffer.is_free(at) {
            return false;
        }
        for beside in buffer.neighbours(at) {
            if buffer.is(beside, WALL) {
                continue;
            }
            let rise = buffer.above(beside, index);
            if buffer.is(beside, VOID | SEA) || rise < 0.0 {
                return false;
            }
            if rise <= 0.0 && !cells[..count].contains(&beside) {
                if count == MAX_FLAT {
                    return false;
                }
                cells[count] = beside;
                count += 1;
            }
        }
    }
    true
}
