//! Erosion and deposition, with their limits.

use super::constants::MAX_BANK;
use super::land::Cell;
use super::write::Counts;
use super::{Bounds, Constants, Droplet, Land, NEIGHBOURS, Place, Plan, Real, moved};
use std::f64::consts::SQRT_2;

/// A length in m as whole µm, at least 0.
fn micrometres<R: Real>(metres: R) -> i32 {
    (metres * R::of(1e6)).at_least(R::zero()).truncated()
}

/// The most that a droplet may take, half of its drop, and lay down, µm: up to the cell that it came from or, going
/// uphill, up to the next one; never so that the cell stands too steep.
pub(crate) fn limits<R: Real>(
    land: &Land<R>,
    c: &Constants<R>,
    droplet: &Droplet<R>,
    drop: R,
) -> [i32; 2] {
    let at = droplet.at;
    let room = if drop < R::zero() {
        -drop
    } else {
        land.cell(came_from(droplet)).above(&land.cell(at))
    };
    let room = room.at_most(room_on_slope(land, c, at));
    [micrometres(R::of(0.5) * drop), micrometres(room)]
}

/// Takes from the cell, or from the bank above it while that stands too steep.
pub(crate) fn erode<R: Real>(
    land: &mut Land<R>,
    c: &Constants<R>,
    bounds: &Bounds,
    droplet: &mut Droplet<R>,
    plan: &Plan<R>,
    request: i32,
    counts: &mut Counts,
) {
    let at = droplet.at;
    let [most, _] = plan.most_um;
    let mut wanted = request.min(i32::MAX - droplet.load_um);
    if wanted > most {
        counts.limits.erosion += 1;
        wanted = most;
    }
    let mut source = at;
    if plan.bank {
        // A lane before this one may have brought the bank down.
        let (bank, over) = steepest_bank(land, c, at);
        if over > R::zero() {
            counts.limits.banks += 1;
            let (bank, over) = top_of_slide(land, c, bounds, bank, over);
            wanted = wanted.min((over * R::of(1e6)).truncated());
            source = bank;
        }
    }
    let taken = -land.cell_mut(source).raise(-wanted);
    counts.limits.range += u64::from(taken < wanted);
    droplet.load_um += taken;
    counts.eroded_um += i64::from(taken);
}

/// Edge neighbours, then diagonal ones.
const EDGES_FIRST: [[i32; 2]; 8] = [
    [-1, 0],
    [0, -1],
    [0, 1],
    [1, 0],
    [-1, -1],
    [-1, 1],
    [1, -1],
    [1, 1],
];

/// The height by which a cell may stand above or below a neighbour, m. Cells differ in strength, 0.85 to 1.15, by a
/// hash of their first elevation.
fn bank_height<R: Real>(c: &Constants<R>, cell: &Cell<R>, by: [i32; 2]) -> R {
    let bits = (cell.base_m.wide() as f32).to_bits();
    let hash = bits.wrapping_mul(0x9e37_79b1) >> 16;
    let strength = R::of(0.85) + R::of(f64::from(hash)) * R::of(0.3 / 65_536.0);
    let height = c.bank * strength;
    match by {
        [0, _] | [_, 0] => height,
        _ => height * R::of(SQRT_2),
    }
}

/// The neighbour that stands highest over what a bank at its distance may, and by how much, m.
pub(crate) fn steepest_bank<R: Real>(land: &Land<R>, c: &Constants<R>, at: Place) -> (Place, R) {
    let cell = land.cell(at);
    let mut steepest = (at, R::of(f64::NEG_INFINITY));
    for by in EDGES_FIRST {
        let bank = land.cell(moved(at, by));
        let over = bank.above(&cell) - bank_height(c, &cell, by);
        if over > steepest.1 && !bank.void {
            steepest = (moved(at, by), over);
        }
    }
    steepest
}

/// Goes up from bank to bank while each has one behind it that stands too steep; the slide comes from the steepest.
/// Nothing comes down where the end of the slope is out of sight.
fn top_of_slide<R: Real>(
    land: &Land<R>,
    c: &Constants<R>,
    bounds: &Bounds,
    bank: Place,
    over: R,
) -> (Place, R) {
    let mut steepest = (bank, over);
    let mut at = bank;
    for _ in 0..MAX_BANK {
        if !bounds.contain(at) {
            break;
        }
        let (next, over) = steepest_bank(land, c, at);
        if over <= R::zero() {
            return steepest;
        }
        if over >= steepest.1 {
            steepest = (next, over);
        }
        at = next;
    }
    (bank, R::zero())
}

/// Lays down on the old cell.
pub(crate) fn deposit<R: Real>(
    land: &mut Land<R>,
    droplet: &mut Droplet<R>,
    plan: &Plan<R>,
    request: i32,
    counts: &mut Counts,
) {
    let [_, most] = plan.most_um;
    counts.limits.deposition += u64::from(request > most);
    let wanted = request.min(most).min(droplet.load_um);
    let laid = land.cell_mut(droplet.at).raise(wanted);
    counts.limits.range += u64::from(laid < wanted);
    droplet.load_um -= laid;
}

/// The cell before this one on a droplet's trail; this one where it has none.
fn came_from<R: Real>(droplet: &Droplet<R>) -> Place {
    let [rows, cols] = droplet.trail.last().copied().unwrap_or_default();
    moved(droplet.at, [-rows, -cols])
}

/// How far a cell may rise before it stands above a neighbour by more than a bank may, m.
fn room_on_slope<R: Real>(land: &Land<R>, c: &Constants<R>, at: Place) -> R {
    let cell = land.cell(at);
    let mut room = R::of(f64::INFINITY);
    for by in EDGES_FIRST {
        let other = land.cell(moved(at, by));
        if !other.void {
            room = room.at_most(bank_height(c, &cell, by) - cell.above(&other));
        }
    }
    room
}

/// How far a cell lies below its lowest neighbour, whole µm, and one more: so that a filled pit is none.
fn depth_of_pit<R: Real>(land: &Land<R>, at: Place) -> i64 {
    let cell = land.cell(at);
    let mut room = R::of(f64::INFINITY);
    for by in NEIGHBOURS {
        let other = land.cell(moved(at, by));
        if !other.void {
            room = room.at_most(other.above(&cell));
        }
    }
    i64::from(micrometres(room)) + 1
}

/// Lays the load down in a pit. Whether that filled it.
pub(crate) fn fill_pit<R: Real>(land: &mut Land<R>, droplet: &mut Droplet<R>) -> bool {
    let depth = depth_of_pit(land, droplet.at);
    let wanted = depth.min(i64::from(droplet.load_um)) as i32;
    let laid = land.cell_mut(droplet.at).raise(wanted);
    droplet.load_um -= laid;
    i64::from(laid) == depth
}

/// Raises a dry pit by a load that waits in it; returns what found no room.
pub(crate) fn lay_in_pit<R: Real>(land: &mut Land<R>, at: Place, load_um: i64) -> i64 {
    let most = i64::from(super::constants::MAX_CHANGE);
    let wanted = load_um.min(depth_of_pit(land, at)).min(most) as i32;
    load_um - i64::from(land.cell_mut(at).raise(wanted))
}

/// Lays an ended droplet's load down along its trail, from the end backwards, each cell up to the one before it.
pub(crate) fn lay_down<R: Real>(
    land: &mut Land<R>,
    c: &Constants<R>,
    bounds: &Bounds,
    droplet: &mut Droplet<R>,
) {
    let mut at = droplet.at;
    for &[rows, cols] in droplet.trail.iter().rev() {
        let before = moved(at, [-rows, -cols]);
        if droplet.load_um == 0 || !bounds.contain(at) || !bounds.contain(before) {
            break;
        }
        let up_to = land.cell(before).above(&land.cell(at));
        let room = micrometres(up_to.at_most(room_on_slope(land, c, at)));
        droplet.load_um -= land.cell_mut(at).raise(room.min(droplet.load_um));
        at = before;
    }
}
