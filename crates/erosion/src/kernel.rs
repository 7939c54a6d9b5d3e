//! One step of all lanes: the arithmetic of the method.
//!
//! A step looks round in every lane, computes across the lanes, then writes in lane order: what it may take or lay
//! down is judged by the ground as it was when the step began. Its equations, with κ the cell size in reference
//! lengths, n the unit surface normal, v velocity, w volume, c concentration, s the stream map, ρ plant density:
//!
//! ```text
//! a  = n_xy / (w density)
//! dt = min(1.2 κ, κ / max(|v|, |v + 1.2 κ a|))             no step is longer than a cell
//! v += dt a;   x += dt v;   v /= 1 + dt friction (1 − 0.5 s)
//! C  = |v| (h_old − h_new) / distance, at least 0, and 0 within a cell
//! Δh = w X/(1 + X) (C − c),   X = dt exchange max(0, 1 − ρ)
//! w /= 1 + dt evaporation (1 − 0.2 s)
//! ```
//!
//! The load is kept as the mass w c, in micrometres over one cell, so that evaporation concentrates it and
//! can neither make nor lose any.
//!
//! What binds is the number of instructions. So each lane reads the nine cells around it once; whatever is the same
//! for all lanes runs across them, eight or four at a time; and what is close to chance — up or down, into the next
//! cell or not — is no branch but a choice between values. Rare events are collected in masks.

use crate::bed::{fill_pit, slide, strength};
use crate::cell::{Cell, FENCE, MICROMETRES, POOL, RIM, SEA, VOID, WALL, raise};
use crate::droplet::{code, comes_back};
use crate::lanes::{Lanes, WIDTH};
use crate::physics::{MAX_STEPS, Physics};
use crate::pit::is_pit;
use crate::report::Limits;
use crate::scalar::{between, larger, smaller, whole};
use crate::window::{Around, Buffer, HERE, toward};
use std::f32::consts::SQRT_2;
use thalweg_grid::kernels;

/// The largest fraction below 1.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

/// How a lane's step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It goes on.
    Alive,
    /// It goes on in another tile.
    Left,
    /// It stepped off the map.
    Exported,
    /// It stepped into the sea.
    Sea,
    /// It stepped into a pool.
    Pool,
    /// It came to rest on still ground in a stream.
    Rest,
    /// It is in a pit, out of which every way leads uphill.
    Pit,
    /// Its volume, its path or its steps ran out.
    Spent,
}

/// What a step does to cells, counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub steps: u64,
    pub eroded_um: i64,
    pub limits: Limits,
}

type F = [f32; WIDTH];
type I = [i32; WIDTH];
type U = [u32; WIDTH];

/// What a step knows of each lane between looking and writing.
pub(crate) struct Step {
    /// Heights of the cells around over the lane's cell, m; see [`Around`].
    rises: [[f32; 12]; WIDTH],
    /// Highest and lowest of the neighbours beside the cell and across its corners, over it, m.
    beside_max: F,
    beside_min: F,
    corner_max: F,
    corner_min: F,
    /// Elevation difference west − east and north − south, m.
    we: F,
    ns: F,
    /// [`Cell::base_m`], as bits.
    base: U,
    stream: F,
    cover: F,
    /// |a|².
    acceleration2: F,
    dt: F,
    d_row: I,
    d_col: I,
    /// Index of the next cell in the buffer.
    to: U,
    /// Its place among `rises`.
    toward: U,
    /// Its flags.
    flags: U,
    /// Drop to it, m.
    drop: F,
    /// Distance to it, per m; 0 within a cell.
    per_distance: F,
    /// How far the cell that the droplet came from stands above this one, m.
    source: F,
    /// 1 where the step exchanges sediment, else 0.
    exchanges: F,
    /// What the cell rises by, µm.
    by_um: I,
    /// How the step ended.
    pub end: [End; WIDTH],
    /// Lanes that take from a bank, or that are in a pit, one bit each.
    special: u32,
    any_ended: bool,
}

impl Step {
    pub(crate) const fn new() -> Self {
        Self {
            rises: [[0.0; 12]; WIDTH],
            beside_max: [0.0; WIDTH],
            beside_min: [0.0; WIDTH],
            corner_max: [0.0; WIDTH],
            corner_min: [0.0; WIDTH],
            we: [0.0; WIDTH],
            ns: [0.0; WIDTH],
            base: [0; WIDTH],
            stream: [0.0; WIDTH],
            cover: [0.0; WIDTH],
            acceleration2: [0.0; WIDTH],
            dt: [0.0; WIDTH],
            d_row: [0; WIDTH],
            d_col: [0; WIDTH],
            to: [0; WIDTH],
            toward: [0; WIDTH],
            flags: [0; WIDTH],
            drop: [0.0; WIDTH],
            per_distance: [0.0; WIDTH],
            source: [0.0; WIDTH],
            exchanges: [1.0; WIDTH],
            by_um: [0; WIDTH],
            end: [End::Alive; WIDTH],
            special: 0,
            any_ended: false,
        }
    }
}

/// Half of the lanes: as many as an AVX2 register has, and enough for a tile's last droplets.
const HALF: usize = WIDTH / 2;

/// A step of all live lanes.
#[inline(always)]
fn all_lanes<const N: usize>(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    physics: &Physics,
    tally: &mut Tally,
    step: &mut Step,
) {
    step.special = 0;
    look(buffer, lanes, step);
    accelerate::<N>(buffer, lanes, physics, step);
    arrive::<N>(buffer, lanes, physics, step);
    exchange::<N>(lanes, physics, step, tally);
    write(buffer, lanes, physics, step, tally);
    tally.steps += lanes.live as u64;
    step.any_ended = finish::<N>(lanes, physics, step, tally);
}

/// Reads each lane's cell and those around it.
#[inline(always)]
fn look(buffer: &Buffer, lanes: &Lanes, step: &mut Step) {
    for lane in 0..lanes.live {
        let at = lanes.at[lane] as usize;
        let traffic = &buffer.traffic[at];
        step.stream[lane] = traffic.stream;
        step.cover[lane] = traffic.cover;
        step.exchanges[lane] = 1.0;
        step.end[lane] = End::Alive;
        step.base[lane] = buffer.base_m(at).to_bits();
        let around = if traffic.flags & RIM == 0 {
            buffer.around(at, &mut step.rises[lane])
        } else {
            around_at_edge(buffer, at, &mut step.rises[lane])
        };
        step.we[lane] = around.we;
        step.ns[lane] = around.ns;
        step.beside_max[lane] = around.beside_max;
        step.beside_min[lane] = around.beside_min;
        step.corner_max[lane] = around.corner_max;
        step.corner_min[lane] = around.corner_min;
    }
}

/// Beside voids: these are no banks and leave room; slopes are one-sided.
#[cold]
#[inline(never)]
fn around_at_edge(buffer: &Buffer, at: usize, rises: &mut [f32; 12]) -> Around {
    buffer.around(at, rises);
    let cell = |by| buffer.cell(buffer.moved(at, by));
    let here = cell([0, 0]);
    let highest = buffer.rises(at, f32::NEG_INFINITY);
    let lowest = buffer.rises(at, f32::INFINITY);
    Around {
        we: here.one_sided(&cell([0, -1]), &cell([0, 1])),
        ns: here.one_sided(&cell([-1, 0]), &cell([1, 0])),
        beside_max: highest[..4].iter().copied().fold(f32::NEG_INFINITY, larger),
        corner_max: highest[4..].iter().copied().fold(f32::NEG_INFINITY, larger),
        beside_min: lowest[..4].iter().copied().fold(f32::INFINITY, smaller),
        corner_min: lowest[4..].iter().copied().fold(f32::INFINITY, smaller),
    }
}

/// Velocity, place and the time step; `lanes` then hold the new place, still as moves of `d_row`, `d_col`.
#[inline(always)]
fn accelerate<const N: usize>(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step) {
    let stride = buffer.stride as i32;
    for k in 0..N {
        let slope_east = step.we[k] * p.half_per_cell;
        let slope_south = step.ns[k] * p.half_per_cell;
        let norm = (1.0 + slope_east * slope_east + slope_south * slope_south).sqrt();
        let per_mass = 1.0 / (norm * lanes.water[k] * p.density);
        let (a_east, a_south) = (slope_east * per_mass, slope_south * per_mass);
        step.acceleration2[k] = a_east * a_east + a_south * a_south;

        let (v_east, v_south) = (lanes.v_east[k], lanes.v_south[k]);
        let (full_east, full_south) = (v_east + p.longest * a_east, v_south + p.longest * a_south);
        let before2 = v_east * v_east + v_south * v_south;
        let after2 = full_east * full_east + full_south * full_south;
        // The floor keeps a droplet at rest on flat ground from dividing by 0; it is far below any speed
        // that could cut the step.
        let fastest2 = larger(larger(before2, after2), 1e-12);
        let dt = smaller(p.longest, p.kappa / fastest2.sqrt());
        step.dt[k] = dt;

        let (v_east, v_south) = (v_east + dt * a_east, v_south + dt * a_south);
        let move_east = between(dt * v_east * p.per_kappa, -1.0, 1.0);
        let move_south = between(dt * v_south * p.per_kappa, -1.0, 1.0);
        lanes.path[k] += (move_east * move_east + move_south * move_south).sqrt();
        let (east, d_col) = advance(lanes.east[k], move_east);
        let (south, d_row) = advance(lanes.south[k], move_south);
        lanes.east[k] = east;
        lanes.south[k] = south;
        step.d_col[k] = d_col;
        step.d_row[k] = d_row;
        step.to[k] = lanes.at[k].wrapping_add_signed(d_row * stride + d_col);
        step.toward[k] = toward(d_row, d_col);
        step.per_distance[k] = per_distance(p, [d_row, d_col]);

        let slick = 1.0 - p.friction_feedback * step.stream[k];
        let kept = 1.0 / (1.0 + dt * p.friction * slick);
        lanes.v_east[k] = v_east * kept;
        lanes.v_south[k] = v_south * kept;
    }
}

/// A fraction of a cell moved by at most one cell: the new fraction, and the cells passed.
#[inline(always)]
fn advance(fraction: f32, by: f32) -> (f32, i32) {
    let place = fraction + by;
    let cells = i32::from(place >= 1.0) - i32::from(place < 0.0);
    // Rounding can carry a place to the far end of its cell, never out of it.
    let fraction = between(place - cells as f32, 0.0, BELOW_ONE);
    (fraction, cells)
}

/// What makes a slope of the drop along a move: 1 / the distance, per m, and 0 within a cell.
#[inline(always)]
fn per_distance(p: &Physics, [d_row, d_col]: [i32; 2]) -> f32 {
    let sides = d_row * d_row + d_col * d_col;
    let per_distance = if sides == 1 {
        p.per_cell
    } else {
        p.per_diagonal
    };
    if sides == 0 { 0.0 } else { per_distance }
}

/// Finds the drop to each lane's next cell, and what awaits the droplet there.
#[inline(always)]
fn arrive<const N: usize>(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step) {
    for lane in 0..lanes.live {
        step.flags[lane] = buffer.traffic[step.to[lane] as usize].flags;
        let rises = &step.rises[lane];
        step.drop[lane] = -rises[step.toward[lane] as usize];
        step.source[lane] = rises[lanes.behind[lane] as usize];
    }
    let mut events = 0;
    for k in 0..N {
        let lowest = smaller(step.beside_min[k], step.corner_min[k]);
        let closed = (lowest > 0.0) | ((lowest >= 0.0) & (lanes.load_um[k] == 0));
        let pit = closed & (step.drop[k] <= 0.0) & (step.toward[k] != HERE);
        let event = (step.flags[k] & (VOID | SEA | POOL) != 0)
            | (step.acceleration2[k] < p.stop_acceleration2)
            | pit;
        events |= u32::from(event) << k;
    }
    for lane in bits(events & lanes.mask()) {
        judge(buffer, lanes, p, step, lane);
    }
}

/// The numbers of the bits that are set, in ascending order.
#[inline(always)]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

/// What a lane that might not simply go on meets.
#[inline(never)]
fn judge(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step, lane: usize) {
    if step.flags[lane] & VOID != 0 {
        meet_edge(buffer, lanes, p, step, lane);
    }
    let flags = step.flags[lane];
    let end = if flags & VOID != 0 {
        stay(lanes, step, lane);
        End::Exported
    } else if is_stuck(buffer, lanes, step, lane) {
        stand_at_the_side(lanes, step, lane);
        stay(lanes, step, lane);
        End::Pit
    } else if flags & POOL != 0 {
        End::Pool
    } else if flags & SEA != 0 {
        End::Sea
    } else if is_still(buffer, lanes, step, p, lane) {
        End::Rest
    } else {
        return;
    };
    step.end[lane] = end;
    step.special |= u32::from(end == End::Pit) << lane;
    if end != End::Exported {
        step.exchanges[lane] = 0.0;
    }
}

/// Whether a droplet that goes uphill or, without a load, to and fro on a flat, is in a pit. One with a load raises the
/// flat that it stands on, and goes on.
fn is_stuck(buffer: &Buffer, lanes: &Lanes, step: &Step, lane: usize) -> bool {
    let drop = step.drop[lane];
    let clear = lanes.load_um[lane] == 0;
    let turns = || {
        let by = [step.d_row[lane], step.d_col[lane]];
        by != [0, 0] && comes_back(lanes.trail[lane], by)
    };
    let swings = || clear && step.flags[lane] & POOL == 0 && turns();
    (drop < 0.0 || (drop <= 0.0 && swings())) && is_pit(buffer, lanes.at[lane] as usize, clear)
}

/// Whether a droplet comes to rest: in a stream by the published rule; elsewhere where it neither moves nor is
/// moved. On silted flats it would otherwise evaporate in place, for thousands of steps.
fn is_still(buffer: &Buffer, lanes: &Lanes, step: &Step, p: &Physics, lane: usize) -> bool {
    let acceleration2 = step.acceleration2[lane];
    if acceleration2 >= p.stop_acceleration2 {
        return false;
    }
    let (v_east, v_south) = (lanes.v_east[lane], lanes.v_south[lane]);
    buffer.traffic[step.to[lane] as usize].stream > p.stop_stream
        || (acceleration2 < p.still_acceleration2
            && v_east * v_east + v_south * v_south < p.still_speed2)
}

/// A step that would leave the ground: a wall takes its speed towards the wall, an open edge lets it go.
#[cold]
fn meet_edge(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step, lane: usize) {
    let from = lanes.at[lane] as usize;
    let walled = |by| buffer.is(buffer.moved(from, by), WALL);
    let (d_row, d_col) = (step.d_row[lane], step.d_col[lane]);
    if d_row != 0 && (walled([d_row, 0]) || walled([d_row, d_col])) {
        lanes.south[lane] = if d_row > 0 { BELOW_ONE } else { 0.0 };
        lanes.v_south[lane] = 0.0;
        step.d_row[lane] = 0;
    }
    if d_col != 0 && walled([0, d_col]) {
        lanes.east[lane] = if d_col > 0 { BELOW_ONE } else { 0.0 };
        lanes.v_east[lane] = 0.0;
        step.d_col[lane] = 0;
    }
    let by = [step.d_row[lane], step.d_col[lane]];
    let to = buffer.moved(from, by);
    step.to[lane] = to as u32;
    step.flags[lane] = buffer.traffic[to].flags;
    step.drop[lane] = if buffer.is(to, VOID) {
        drop_off_map(buffer, from, by)
    } else {
        buffer.above(from, to)
    };
    step.per_distance[lane] = per_distance(p, by);
}

/// The drop of a step that leaves the ground, m. Beyond an open edge the ground goes on as it came there when
/// the stage began, and stays so: a base level. Without this last exchange rims would erode less than the rest;
/// with a slope that followed today's ground they would cut themselves down without end.
#[cold]
fn drop_off_map(buffer: &Buffer, from: usize, [d_row, d_col]: [i32; 2]) -> f32 {
    let here = buffer.cell(from);
    let original = |by| Cell {
        change_um: 0,
        ..buffer.cell(buffer.moved(from, by))
    };
    let flat = original([0, 0]);
    let west_east = flat.one_sided(&original([0, -1]), &original([0, 1]));
    let north_south = flat.one_sided(&original([-1, 0]), &original([1, 0]));
    let fall = west_east * d_col as f32 + north_south * d_row as f32;
    here.above(&flat) + 0.5 * fall
}

/// A droplet that does not leave its cell stands at the side that it was about to cross.
fn stand_at_the_side(lanes: &mut Lanes, step: &Step, lane: usize) {
    let side = |fraction: f32, cells: i32| match cells {
        1 => BELOW_ONE,
        -1 => 0.0,
        _ => fraction,
    };
    lanes.south[lane] = side(lanes.south[lane], step.d_row[lane]);
    lanes.east[lane] = side(lanes.east[lane], step.d_col[lane]);
}

/// Takes a lane's move back.
fn stay(lanes: &Lanes, step: &mut Step, lane: usize) {
    step.to[lane] = lanes.at[lane];
    // A droplet's own cell is a free one.
    step.flags[lane] = 0;
    step.d_row[lane] = 0;
    step.d_col[lane] = 0;
}

/// How much each cell rises, within the limits; then evaporation.
///
/// A droplet takes at most half of the drop to the next cell. It lays down at most up to the cell that it came from
/// or, going uphill, up to the next one, and not where the cell would stand too steep. Where a bank stands too steep
/// above the cell, it is the bank that gives.
#[inline(always)]
fn exchange<const N: usize>(lanes: &mut Lanes, p: &Physics, step: &mut Step, tally: &mut Tally) {
    let (mut cut_down, mut cut_up, mut slides) = (0, 0, 0);
    for k in 0..N {
        let (v_east, v_south) = (lanes.v_east[k], lanes.v_south[k]);
        let speed = (v_east * v_east + v_south * v_south).sqrt();
        let drop = step.drop[k];
        let capacity = larger(speed * (drop * step.per_distance[k]), 0.0);
        let bare = larger(1.0 - step.cover[k], 0.0);
        let x = step.dt[k] * p.exchange * bare * step.exchanges[k];
        let wanted_um = lanes.water[k] * capacity * p.length_um;
        let load = lanes.load_um[k];
        let wish = x / (1.0 + x) * (wanted_um - load as f32);
        // Rounded to nearest, halves away from 0: exchanges of a few micrometres must add up.
        let request = whole(wish + 0.5f32.copysign(wish));

        let strength = strength(step.base[k]);
        let beside = p.bank_height * strength;
        let across = beside * SQRT_2;
        let over = larger(step.beside_max[k] - beside, step.corner_max[k] - across);
        let room_on_slope = smaller(step.beside_min[k] + beside, step.corner_min[k] + across);
        let room = if drop < 0.0 { -drop } else { step.source[k] };
        let most_up = whole(larger(MICROMETRES * smaller(room, room_on_slope), 0.0));
        let most_down = whole(larger(0.5 * MICROMETRES * drop, 0.0));

        let live = k < lanes.live;
        let down = request.max(0).min(i32::MAX - load);
        let up = (-request).max(0);
        cut_down += u32::from(live & (down > most_down));
        cut_up += u32::from(live & (up > most_up));
        slides |= u32::from((request > 0) & (over > 0.0)) << k;
        let by = up.min(most_up).min(load) - down.min(most_down);
        step.by_um[k] = by;
        lanes.load_um[k] = load - by;

        let dry = 1.0 - p.evaporation_feedback * step.stream[k];
        lanes.water[k] /= 1.0 + step.dt[k] * p.evaporation * dry;
    }
    tally.limits.erosion += u64::from(cut_down);
    tally.limits.deposition += u64::from(cut_up);
    step.special |= slides & lanes.mask();
}

/// Writes the exchanges and the tracks, in lane order.
#[inline(always)]
fn write(buffer: &mut Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step, tally: &mut Tally) {
    for lane in 0..lanes.live {
        let (from, to) = (lanes.at[lane] as usize, step.to[lane] as usize);
        if step.special >> lane & 1 == 0 {
            let (change, by) = (buffer.change_um(from), step.by_um[lane]);
            let stored = raise(change, by);
            if stored != by {
                lanes.load_um[lane] += by - stored;
                step.by_um[lane] = stored;
                tally.limits.range += 1;
            }
        } else {
            write_special(buffer, lanes, p, step, lane, tally);
        }
        let moves = to != from;
        let there = &mut buffer.traffic[to];
        there.visits += u32::from(moves);
        there.water += if moves { lanes.water[lane] } else { 0.0 };
    }
}

/// The exchange of a step that takes from a bank, or in a pit.
#[cold]
#[inline(never)]
fn write_special(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    p: &Physics,
    step: &mut Step,
    lane: usize,
    tally: &mut Tally,
) {
    let from = lanes.at[lane] as usize;
    if step.end[lane] == End::Pit {
        if fill_pit(buffer, lanes, lane, from) {
            step.end[lane] = End::Alive;
        }
        return;
    }
    let wanted = -step.by_um[lane];
    let taken = slide(buffer, from, p.bank_height, wanted, tally);
    lanes.load_um[lane] += taken - wanted;
    step.by_um[lane] = -taken;
}

/// Moves the lanes on, and finds out who is spent or has left. Whether any ended.
#[inline(always)]
fn finish<const N: usize>(
    lanes: &mut Lanes,
    p: &Physics,
    step: &mut Step,
    tally: &mut Tally,
) -> bool {
    let mut over = 0;
    for k in 0..N {
        let (d_row, d_col) = (step.d_row[k], step.d_col[k]);
        let moves = step.to[k] != lanes.at[k];
        let trail = lanes.trail[k];
        lanes.trail[k] = if moves {
            trail << 4 | code(d_row, d_col)
        } else {
            trail
        };
        let behind = toward(-d_row, -d_col);
        lanes.behind[k] = if moves { behind } else { lanes.behind[k] };
        lanes.at[k] = step.to[k];
        lanes.steps[k] += 1;
        let spent = (lanes.steps[k] >= MAX_STEPS)
            | (lanes.water[k] < p.minimum_volume)
            | (lanes.path[k] > p.max_path)
            | (step.flags[k] & FENCE != 0)
            | (step.end[k] != End::Alive);
        over |= u32::from(spent) << k;
    }
    for k in 0..lanes.live {
        tally.eroded_um += i64::from((-step.by_um[k]).max(0));
    }
    let mut any = false;
    for lane in bits(over & lanes.mask()) {
        if step.end[lane] == End::Alive {
            step.end[lane] = outcome(lanes, p, step, lane, tally);
        }
        any |= step.end[lane] != End::Alive;
    }
    any
}

/// How a droplet fares that may be spent or outside of the free cells.
#[cold]
fn outcome(lanes: &Lanes, p: &Physics, step: &Step, lane: usize, tally: &mut Tally) -> End {
    if lanes.steps[lane] >= MAX_STEPS {
        tally.limits.steps += 1;
        End::Spent
    } else if lanes.water[lane] < p.minimum_volume || lanes.path[lane] > p.max_path {
        End::Spent
    } else if step.flags[lane] & FENCE != 0 {
        End::Left
    } else {
        End::Alive
    }
}

kernels! {
    /// Leaves out lanes that are certainly idle.
    fn sized(
        buffer: &mut Buffer,
        lanes: &mut Lanes,
        physics: &Physics,
        tally: &mut Tally,
        step: &mut Step,
    ) {
        if lanes.live <= HALF {
            all_lanes::<HALF>(buffer, lanes, physics, tally, step);
        } else {
            all_lanes::<WIDTH>(buffer, lanes, physics, tally, step);
        }
    }
}

/// Moves every live lane one step; `step` then says how each ended. Whether any did.
pub(crate) fn step(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    physics: &Physics,
    tally: &mut Tally,
    step: &mut Step,
) -> bool {
    sized(physics.isa, buffer, lanes, physics, tally, step);
    step.any_ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::droplet::Droplet;
    use crate::{Edges, Parameters};
    use ndarray::Array2;
    use rand_core::Rng;
    use thalweg_grid::{Isa, Purpose, Shape, StageKey, TileGrid};

    /// Droplets that run about on a rough tile until all have ended, with one set of instructions.
    fn run(isa: Isa) -> (Buffer, Vec<[u32; 8]>, Tally) {
        let shape = Shape::new(48, 64);
        let height = |row: usize, col: usize| {
            let (y, x) = (row as f32, col as f32);
            30.0 * (0.3 * x).sin() * (0.21 * y).cos() + 3.0 * (1.7 * x + 0.9 * y).sin() + y
        };
        let elevation = Array2::from_shape_fn(shape.dim(), |(row, col)| height(row, col));
        let edges = Edges {
            apron_m: 0.0,
            ..Edges::default()
        };
        let ground = crate::cell::Ground::new(elevation.view(), None, edges, None, 10.0);
        let tile = TileGrid::new(shape, 64, 16, [0, 0]).tile(0);
        let mut buffer = Buffer::new();
        buffer.load(&tile, &ground.inner(), shape, edges);
        let physics = Physics {
            isa,
            ..Physics::new(&Parameters::default(), 10.0)
        };
        let (mut lanes, mut tally, mut state) = (Lanes::new(), Tally::default(), Step::new());
        let mut tracks = Vec::new();
        let mut bits = StageKey::new(7, "kernel").generator(Purpose::Spawn, 0, 0);
        for lane in 0..WIDTH {
            let draw = bits.next_u64();
            let at = [draw as u16 % 40 + 4, (draw >> 16) as u16 % 56 + 4].map(i32::from);
            let place = [(draw >> 40) as u8, (draw >> 48) as u8].map(|b| f32::from(b) / 256.0);
            let droplet = Droplet::at_rest(at, place, 1.0, 0, lane as u64);
            lanes.put(
                lane,
                &droplet,
                buffer.find(at).expect("a cell of the tile") as u32,
            );
            lanes.live += 1;
        }
        while lanes.live > 0 {
            step(&mut buffer, &mut lanes, &physics, &mut tally, &mut state);
            for lane in (0..lanes.live).rev() {
                tracks.push([
                    lanes.at[lane],
                    lanes.south[lane].to_bits(),
                    lanes.east[lane].to_bits(),
                    lanes.v_south[lane].to_bits(),
                    lanes.v_east[lane].to_bits(),
                    lanes.water[lane].to_bits(),
                    lanes.load_um[lane] as u32,
                    lanes.path[lane].to_bits(),
                ]);
                if state.end[lane] != End::Alive {
                    lanes.close(lane);
                }
            }
        }
        (buffer, tracks, tally)
    }

    #[test]
    fn instruction_sets_agree_on_every_bit() {
        let (ground, tracks, tally) = run(Isa::BASELINE);
        let (other_ground, other_tracks, other_tally) = run(Isa::detect());
        assert!(tracks.len() > 500, "{} steps", tracks.len());
        assert!(tracks == other_tracks);
        assert_eq!(tally.eroded_um, other_tally.eroded_um);
        for index in 0..ground.traffic.len() {
            assert_eq!(ground.cell(index), other_ground.cell(index));
        }
    }
}
