//! What a droplet takes from the ground and lays down on it, with the limits that keep the ground in shape.

use crate::cell::{MAX_CHANGE, MICROMETRES, raise};
use crate::droplet::back;
use crate::kernel::Tally;
use crate::lanes::Lanes;
use crate::scalar::{larger, smaller};
use crate::window::Buffer;
use std::f32::consts::SQRT_2;

/// Cells of over-steep slope that a slide looks up. Headwalls above longer ones are not reached.
const MAX_BANK: usize = 64;

/// Takes what is wanted, µm, from the steepest bank above a cell, as far as that stands too steep, or from the cell itself
/// if droplets before this one have brought the bank down. Returns what was taken.
pub(crate) fn slide(
    buffer: &mut Buffer,
    from: usize,
    bank_height: f32,
    wanted: i32,
    tally: &mut Tally,
) -> i32 {
    let (bank, over) = overhang(buffer, from, bank_height);
    if over <= 0.0 {
        return take(buffer.change_um(from), wanted, tally);
    }
    tally.limits.banks += 1;
    let (bank, over) = steepest_of_bank(buffer, bank, over, bank_height);
    let loose = (over * MICROMETRES) as i32;
    take(buffer.change_um(bank), wanted.min(loose), tally)
}

/// How much steeper or gentler than others the ground above and below a cell can stand: 0.85 to 1.15, from the bits of
/// its first elevation, so that no tile or cycle is in it. Ground that is equally strong everywhere retreats as
/// planes, which stand out of a landscape.
#[inline(always)]
pub(crate) fn strength(base_bits: u32) -> f32 {
    let bits = base_bits.wrapping_mul(0x9e37_79b1) >> 16;
    // As i32: there is no instruction for unsigned ones.
    0.85 + bits as i32 as f32 * (0.3 / 65_536.0)
}

/// The steepest bank around a cell, and how far it stands above the height that a bank at its distance may have, m.
/// All eight neighbours count, or slopes that retreat would turn towards the grid's axes.
#[inline(always)]
fn overhang(buffer: &Buffer, index: usize, bank_height: f32) -> (usize, f32) {
    let heights = bank_heights(buffer.base_m(index), bank_height);
    let mut over = buffer.rises(index, f32::NEG_INFINITY);
    for (over, height) in over.iter_mut().zip(heights) {
        *over -= height;
    }
    let steepest = over.into_iter().fold(f32::NEG_INFINITY, larger);
    if steepest <= 0.0 {
        return (index, steepest);
    }
    let which = over.iter().position(|&o| o >= steepest).unwrap_or(0);
    (buffer.neighbours(index)[which], steepest)
}

/// How high the banks around a cell may stand: those beside it, then those across its corners.
#[inline(always)]
fn bank_heights(base_m: f32, bank_height: f32) -> [f32; 8] {
    let beside = bank_height * strength(base_m.to_bits());
    let across = beside * SQRT_2;
    [
        beside, beside, beside, beside, across, across, across, across,
    ]
}

/// A bank that stands too steep may have one behind it that stands steeper: the slide comes from there, or headwalls
/// would grow over slopes that retreat. Where the end of such a slope is out of sight, beyond the window or further
/// than [`MAX_BANK`], nothing comes down: the next cycle's tiles lie elsewhere.
#[cold]
fn steepest_of_bank(buffer: &Buffer, bank: usize, above: f32, bank_height: f32) -> (usize, f32) {
    let mut steepest = (bank, above);
    let mut at = bank;
    for _ in 0..MAX_BANK {
        if !buffer.is_free(at) {
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
fn take(change_um: &mut i32, wanted: i32, tally: &mut Tally) -> i32 {
    let taken = wanted.min(*change_um + MAX_CHANGE);
    tally.limits.range += u64::from(taken < wanted);
    *change_um -= taken;
    taken
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
    let heights = bank_heights(buffer.base_m(index), bank_height);
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
    let rises = buffer.rises(index, f32::INFINITY);
    let room = rises.into_iter().fold(f32::INFINITY, smaller);
    // One more than fits, rounded down: a pit of a fraction of a micrometre must not stay one.
    let room = ((room * MICROMETRES).max(0.0) as i32).saturating_add(1);
    let laid = raise(buffer.change_um(index), room.min(lanes.load_um[lane]));
    lanes.load_um[lane] -= laid;
    laid == room
}

/// Lays a load down along a trail, from its end backwards: each cell rises at most to the one before it, as
/// deposition on the way does. Returns what found no room, µm.
pub(crate) fn lay_down(
    buffer: &mut Buffer,
    mut at: usize,
    mut trail: u32,
    load_um: i32,
    bank_height: f32,
) -> i32 {
    let mut rest = load_um;
    while rest > 0 && trail != 0 {
        let before = buffer.moved(at, back(trail));
        if !buffer.is_free(before) {
            break;
        }
        let room = room_um(buffer, at, bank_height, buffer.above(before, at));
        rest -= raise(buffer.change_um(at), rest.min(room));
        at = before;
        trail >>= 4;
    }
    rest
}
