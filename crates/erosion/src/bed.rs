//! What a droplet takes from the ground and lays down on it, with the limits that keep the ground in shape.

use crate::cell::{Cell, MAX_CHANGE, MICROMETRES, VOID};
use crate::droplet::back;
use crate::kernel::Tally;
use crate::lanes::Lanes;
use crate::physics::Physics;
use crate::window::Buffer;
use std::f32::consts::SQRT_2;

/// Cells of over-steep slope that a slide looks up. Headwalls above longer ones are not reached.
const MAX_BANK: usize = 64;

/// Takes at most half of the drop to the next cell as it is now: from the cell or, as long as the bank above it stands
/// too steep, from there.
#[inline(always)]
pub(crate) fn erode(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    physics: &Physics,
    [lane, from]: [usize; 2],
    drop: f32,
    request: i32,
    tally: &mut Tally,
) {
    let most = ((0.5 * MICROMETRES) * drop).max(0.0) as i32;
    let mut wanted = request.min(i32::MAX - lanes.load_um[lane]);
    if wanted > most {
        tally.limits.erosion += 1;
        wanted = most;
    }
    let (bank, overhang) = overhang(buffer, from, physics.bank_height);
    let taken = if overhang > 0.0 {
        tally.limits.banks += 1;
        let (bank, overhang) = steepest_of_bank(buffer, bank, overhang, physics.bank_height);
        let loose = (overhang * MICROMETRES) as i32;
        take(&mut buffer.cells[bank], wanted.min(loose), tally)
    } else {
        take(&mut buffer.cells[from], wanted, tally)
    };
    lanes.load_um[lane] += taken;
    tally.eroded_um += i64::from(taken);
}

/// How much steeper or gentler than others the ground above and below a cell can stand: 0.85 to 1.15, from the bits of
/// its first elevation, so that no tile or cycle is in it. Ground that is equally strong everywhere retreats as
/// planes, which stand out of a landscape.
#[inline(always)]
fn strength(cell: &Cell) -> f32 {
    let bits = cell.base_m.to_bits().wrapping_mul(0x9e37_79b1) >> 16;
    0.85 + bits as f32 * (0.3 / 65_536.0)
}

/// The steepest bank around a cell, and how far it stands above the height that a bank at its distance may have, m.
/// All eight neighbours count, or slopes that retreat would turn towards the grid's axes.
#[inline(always)]
fn overhang(buffer: &Buffer, index: usize, bank_height: f32) -> (usize, f32) {
    let heights = bank_heights(&buffer.cells[index], bank_height);
    let mut over = buffer.rises(index, f32::NEG_INFINITY);
    for (over, height) in over.iter_mut().zip(heights) {
        *over -= height;
    }
    let steepest = over.into_iter().fold(f32::NEG_INFINITY, larger);
    if steepest <= 0.0 {
        return (index, steepest);
    }
    let which = over.iter().position(|&o| o >= steepest).unwrap_or(0);
    (buffer.around(index)[which], steepest)
}

/// How high the banks around a cell may stand: those beside it, then those across its corners.
#[inline(always)]
fn bank_heights(cell: &Cell, bank_height: f32) -> [f32; 8] {
    let beside = bank_height * strength(cell);
    let across = beside * SQRT_2;
    [
        beside, beside, beside, beside, across, across, across, across,
    ]
}

/// Unlike `f32::max` and `min`, these ask nothing about NaN and are one instruction each.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// A bank that stands too steep may have one behind it that stands steeper: the slide comes from there, or headwalls
/// would grow over slopes that retreat. Where the end of such a slope is out of sight, beyond the window or further
/// than [`MAX_BANK`], nothing comes down: the next cycle's tiles lie elsewhere.
#[cold]
fn steepest_of_bank(buffer: &Buffer, bank: usize, above: f32, bank_height: f32) -> (usize, f32) {
    let mut steepest = (bank, above);
    let mut at = bank;
    for _ in 0..MAX_BANK {
        let (row, col) = ((at / buffer.stride) as i32, (at % buffer.stride) as i32);
        if !buffer.is_free(row, col) {
            break;
        }
        let (next, above) = overhang(buffer, at, bank_height);
        if above <= 0.0 {
            return steepest;
        }
        if above >= steepest.1 {
            steepest = (next, above);
        }
        at = next;
    }
    (bank, 0.0)
}

/// Lowers a cell as far as the range of its change allows.
#[inline(always)]
fn take(cell: &mut Cell, wanted: i32, tally: &mut Tally) -> i32 {
    let taken = wanted.min(cell.change_um + MAX_CHANGE);
    tally.limits.range += u64::from(taken < wanted);
    cell.change_um -= taken;
    taken
}

/// Lays down on the old cell: at most up to the cell that the droplet came from or, going uphill, up to the
/// next one; and not where it would stand too steep.
#[inline(always)]
pub(crate) fn deposit(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    physics: &Physics,
    [lane, from]: [usize; 2],
    drop: f32,
    request: i32,
    tally: &mut Tally,
) {
    let cell = &buffer.cells[from];
    let room = if drop < 0.0 {
        -drop
    } else {
        let came_from = buffer.moved(from, back(lanes.trail[lane]));
        buffer.cells[came_from].above(cell)
    };
    let most = room_um(buffer, from, physics.bank_height, room);
    let wanted = if request > most {
        tally.limits.deposition += 1;
        most
    } else {
        request
    };
    let wanted = wanted.min(lanes.load_um[lane]);
    let cell = &mut buffer.cells[from];
    let laid = wanted.min(MAX_CHANGE - cell.change_um);
    tally.limits.range += u64::from(laid < wanted);
    cell.change_um += laid;
    lanes.load_um[lane] -= laid;
}

/// Of a room that a cell has to rise, m, what its slopes leave, µm.
#[inline(always)]
fn room_um(buffer: &Buffer, index: usize, bank_height: f32, room: f32) -> i32 {
    // Most often there is none, and nobody has to look round.
    if room <= 0.0 {
        return 0;
    }
    let room = smaller(room, room_on_slope(buffer, index, bank_height));
    (MICROMETRES * room).max(0.0) as i32
}

/// How far a cell may rise before it stands above a neighbour by more than a bank may, m.
#[inline(always)]
fn room_on_slope(buffer: &Buffer, index: usize, bank_height: f32) -> f32 {
    let heights = bank_heights(&buffer.cells[index], bank_height);
    let rises = buffer.rises(index, f32::INFINITY);
    let rooms = rises
        .iter()
        .zip(heights)
        .map(|(rise, height)| height + rise);
    rooms.fold(f32::INFINITY, smaller)
}

/// Lays a load down in a pit, at most up to its lowest neighbour. Whether the pit is filled, so that the droplet
/// can go on: most pits that droplets meet are the small ones that droplets leave, and to flood each of them
/// would chop rivers into puddles.
#[cold]
pub(crate) fn fill_pit(buffer: &mut Buffer, lanes: &mut Lanes, lane: usize, index: usize) -> bool {
    let cell = &buffer.cells[index];
    let room = buffer
        .neighbours(index)
        .filter(|other| !other.is(VOID))
        .map(|other| other.above(cell))
        .fold(f32::INFINITY, f32::min);
    // One more than fits, rounded down: a pit of a fraction of a micrometre must not stay one.
    let room = ((room * MICROMETRES).max(0.0) as i32).saturating_add(1);
    let laid = buffer.cells[index].raise(room.min(lanes.load_um[lane]));
    lanes.load_um[lane] -= laid;
    laid == room
}

/// Lays a load down along a trail, from its end backwards: each cell rises at most to the one before it, as
/// deposition on the way does. Returns what found no room, µm.
pub(crate) fn lay_down(
    buffer: &mut Buffer,
    at: [i32; 2],
    mut trail: u32,
    load_um: i32,
    bank_height: f32,
) -> i32 {
    let [mut row, mut col] = at;
    let mut rest = load_um;
    while rest > 0 && trail != 0 {
        let [d_row, d_col] = back(trail);
        let before = [row + d_row, col + d_col];
        if !buffer.is_free(before[0], before[1]) {
            break;
        }
        let (index, source) = (buffer.index(row, col), buffer.index(before[0], before[1]));
        let room = buffer.cells[source].above(&buffer.cells[index]);
        let room = room_um(buffer, index, bank_height, room);
        rest -= buffer.cells[index].raise(rest.min(room));
        [row, col] = before;
        trail >>= 4;
    }
    rest
}
