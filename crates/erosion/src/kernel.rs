//! One step of all lanes: the arithmetic of the method.
//!
//! A step reads what it needs for every lane, computes across the lanes, then writes in lane order by
//! read–modify–write. Its equations, with κ the cell size in reference lengths, n the unit surface normal,
//! v velocity, w volume, c concentration, s the stream map, ρ plant density:
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

use crate::bed::{deposit, erode, exchange_inside, fill_pit, smaller};
use crate::cell::{Cell, FENCE, RIM, SEA, VOID, WALL};
use crate::droplet::code;
use crate::lanes::{Lanes, WIDTH};
use crate::physics::{MAX_STEPS, Physics};
use crate::report::Limits;
use crate::window::{Buffer, Traffic};

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
    /// It is in a pit, from which every way leads uphill.
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

/// What a step knows of each lane between reading and writing.
struct Step {
    to: [usize; WIDTH],
    /// Elevation difference west − east and north − south, m.
    we: F,
    ns: F,
    stream: F,
    cover: F,
    /// |a|².
    acceleration2: F,
    dt: F,
    d_row: I,
    d_col: I,
    /// Drop to the next cell, m.
    drop: F,
    /// Slope to the next cell; 0 within a cell.
    slope: F,
    /// 1 where the step exchanges sediment, else 0.
    exchanges: F,
    end: [End; WIDTH],
    /// Lanes whose writing needs more than the common case, one bit each.
    special: u32,
    /// Lanes whose next cell is not free.
    leaves: u32,
}

/// Moves every live lane one step; says how each ended. `true` when any did.
#[inline(never)]
pub(crate) fn step(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    physics: &Physics,
    tally: &mut Tally,
    ends: &mut [End; WIDTH],
) -> bool {
    let mut step = Step {
        to: [0; WIDTH],
        we: [0.0; WIDTH],
        ns: [0.0; WIDTH],
        stream: [0.0; WIDTH],
        cover: [0.0; WIDTH],
        acceleration2: [0.0; WIDTH],
        dt: [0.0; WIDTH],
        d_row: [0; WIDTH],
        d_col: [0; WIDTH],
        drop: [0.0; WIDTH],
        slope: [0.0; WIDTH],
        exchanges: [1.0; WIDTH],
        end: [End::Alive; WIDTH],
        special: 0,
        leaves: 0,
    };
    look(buffer, lanes, &mut step);
    accelerate(lanes, physics, &mut step);
    arrive(buffer, lanes, physics, &mut step);
    let request = exchange(lanes, physics, &step);
    let ended = write(buffer, lanes, physics, &mut step, &request, tally);
    tally.steps += lanes.live as u64;
    if ended != 0 {
        *ends = step.end;
    }
    ended != 0
}

/// Reads each lane's cell and the slope there.
#[inline(always)]
fn look(buffer: &Buffer, lanes: &Lanes, step: &mut Step) {
    for lane in 0..lanes.live {
        let at = lanes.at[lane];
        let traffic = &buffer.traffic[at];
        step.stream[lane] = traffic.stream;
        step.cover[lane] = traffic.cover;
        let [we, ns] = if traffic.flags & RIM == 0 {
            buffer.fall(at)
        } else {
            fall_at_edge(buffer, at)
        };
        step.we[lane] = we;
        step.ns[lane] = ns;
    }
}

#[cold]
fn fall_at_edge(buffer: &Buffer, at: usize) -> [f32; 2] {
    let cell = |by| buffer.cell(buffer.moved(at, by));
    let here = cell([0, 0]);
    [
        here.one_sided(&cell([0, -1]), &cell([0, 1])),
        here.one_sided(&cell([-1, 0]), &cell([1, 0])),
    ]
}

/// Velocity, place and the time step; `lanes` then hold the new place, still as moves of `d_row`, `d_col`.
#[inline(always)]
fn accelerate(lanes: &mut Lanes, p: &Physics, step: &mut Step) {
    for k in 0..WIDTH {
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
        let fastest2 = if after2 > before2 { after2 } else { before2 };
        // The floor keeps a droplet at rest on flat ground from dividing by 0; it is far below any speed
        // that could cut the step.
        let by_speed = p.kappa / fastest2.max(1e-12).sqrt();
        let dt = if by_speed < p.longest {
            by_speed
        } else {
            p.longest
        };
        step.dt[k] = dt;

        let (v_east, v_south) = (v_east + dt * a_east, v_south + dt * a_south);
        let move_east = (dt * v_east * p.per_kappa).clamp(-1.0, 1.0);
        let move_south = (dt * v_south * p.per_kappa).clamp(-1.0, 1.0);
        lanes.path[k] += (move_east * move_east + move_south * move_south).sqrt();
        let (east, d_col) = advance(lanes.east[k], move_east);
        let (south, d_row) = advance(lanes.south[k], move_south);
        lanes.east[k] = east;
        lanes.south[k] = south;
        step.d_col[k] = d_col;
        step.d_row[k] = d_row;

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
    let fraction = (place - cells as f32).clamp(0.0, BELOW_ONE);
    (fraction, cells)
}

/// Finds each lane's next cell, the drop to it, and what awaits the droplet there.
///
/// Whether a step leads uphill or its droplet might rest is close to chance, and a branch on chance costs more than
/// the arithmetic of a step: such lanes are collected in masks, and only those are looked at again.
#[inline(always)]
fn arrive(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step) {
    let per_distance = [0.0, p.per_cell, p.per_diagonal];
    let (mut met, mut uphill, mut slow) = (0u32, 0u32, 0u32);
    for lane in 0..lanes.live {
        let from = lanes.at[lane];
        let (d_row, d_col) = (step.d_row[lane], step.d_col[lane]);
        let to = buffer.moved(from, [d_row, d_col]);
        let drop = buffer.above(from, to);
        let there = &buffer.traffic[to];
        step.to[lane] = to;
        step.drop[lane] = drop;
        step.slope[lane] = drop * per_distance[(d_row * d_row + d_col * d_col) as usize];
        let bit = |is: bool| u32::from(is) << lane;
        met |= bit((there.flags & (VOID | SEA)) | there.pool != 0);
        uphill |= bit(drop < 0.0);
        slow |= bit(step.acceleration2[lane] < p.stop_acceleration2);
        step.special |= bit(buffer.is(from, RIM));
        step.leaves |= bit(there.flags & FENCE != 0);
    }
    for lane in bits(met | uphill | slow) {
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

/// What a lane that does not simply go on meets.
#[inline(always)]
fn judge(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step, lane: usize) {
    let from = lanes.at[lane];
    if buffer.is(step.to[lane], VOID) {
        meet_edge(buffer, lanes, p, step, lane);
    }
    let there = &buffer.traffic[step.to[lane]];
    let end = if there.flags & VOID != 0 {
        End::Exported
    } else if step.drop[lane] < 0.0 && is_pit(buffer, from) {
        stay(lanes, step, lane);
        End::Pit
    } else if there.pool != 0 {
        End::Pool
    } else if there.flags & SEA != 0 {
        End::Sea
    } else if is_still(lanes, step, p, lane, there) {
        End::Rest
    } else {
        return;
    };
    step.end[lane] = end;
    step.special |= 1 << lane;
    if end != End::Exported {
        step.exchanges[lane] = 0.0;
    }
}

/// The slope of the step: its drop over the distance between the centres of the two cells, and 0 within one.
#[inline(always)]
fn slope(p: &Physics, step: &Step, lane: usize) -> f32 {
    let per_distance = match (step.d_row[lane], step.d_col[lane]) {
        (0, 0) => 0.0,
        (0, _) | (_, 0) => p.per_cell,
        _ => p.per_diagonal,
    };
    step.drop[lane] * per_distance
}

/// Whether a droplet comes to rest: in a stream by the published rule; elsewhere where it neither moves nor is
/// moved. On silted flats it would otherwise evaporate in place, for thousands of steps.
#[inline(always)]
fn is_still(lanes: &Lanes, step: &Step, p: &Physics, lane: usize, there: &Traffic) -> bool {
    let acceleration2 = step.acceleration2[lane];
    if acceleration2 >= p.stop_acceleration2 {
        return false;
    }
    let (v_east, v_south) = (lanes.v_east[lane], lanes.v_south[lane]);
    there.stream > p.stop_stream
        || (acceleration2 < p.still_acceleration2
            && v_east * v_east + v_south * v_south < p.still_speed2)
}

/// A step that would leave the ground: a wall takes its speed towards the wall, an open edge lets it go.
#[cold]
fn meet_edge(buffer: &Buffer, lanes: &mut Lanes, p: &Physics, step: &mut Step, lane: usize) {
    let from = lanes.at[lane];
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
    let to = buffer.moved(from, [step.d_row[lane], step.d_col[lane]]);
    step.to[lane] = to;
    step.leaves &= !(1 << lane);
    step.leaves |= u32::from(buffer.is(to, FENCE)) << lane;
    step.drop[lane] = if buffer.is(to, VOID) {
        drop_off_map(buffer, from, step, lane)
    } else {
        buffer.above(from, to)
    };
    step.slope[lane] = slope(p, step, lane);
}

/// The drop of a step that leaves the ground, m. Beyond an open edge the ground goes on as it came there when
/// the stage began, and stays so: a base level. Without this last exchange rims would erode less than the rest;
/// with a slope that followed today's ground they would cut themselves down without end.
#[cold]
fn drop_off_map(buffer: &Buffer, from: usize, step: &Step, lane: usize) -> f32 {
    let here = buffer.cell(from);
    let original = |by| Cell {
        change_um: 0,
        ..buffer.cell(buffer.moved(from, by))
    };
    let flat = original([0, 0]);
    let west_east = flat.one_sided(&original([0, -1]), &original([0, 1]));
    let north_south = flat.one_sided(&original([-1, 0]), &original([1, 0]));
    let fall = west_east * step.d_col[lane] as f32 + north_south * step.d_row[lane] as f32;
    here.above(&flat) + 0.5 * fall
}

/// A droplet that does not leave its cell: it stands at the side that it was about to cross.
fn stay(lanes: &mut Lanes, step: &mut Step, lane: usize) {
    let side = |fraction: f32, cells: i32| match cells {
        1 => BELOW_ONE,
        -1 => 0.0,
        _ => fraction,
    };
    lanes.south[lane] = side(lanes.south[lane], step.d_row[lane]);
    lanes.east[lane] = side(lanes.east[lane], step.d_col[lane]);
    step.to[lane] = lanes.at[lane];
    step.leaves &= !(1 << lane);
    step.d_row[lane] = 0;
    step.d_col[lane] = 0;
}

/// Whether all eight neighbours are higher. An open void is lower than anything, a wall higher.
fn is_pit(buffer: &Buffer, index: usize) -> bool {
    if buffer.is(index, RIM) {
        return is_pit_at_edge(buffer, index);
    }
    let [north, here, south] = buffer.rises(index);
    let beyond = north.fast_min(south).to_array();
    let beside = here.to_array();
    smaller(smaller(beyond[0], beyond[1]), beyond[2]) > 0.0 && smaller(beside[0], beside[2]) > 0.0
}

#[cold]
fn is_pit_at_edge(buffer: &Buffer, index: usize) -> bool {
    buffer.around(index).into_iter().all(|other| {
        if buffer.is(other, VOID) {
            buffer.is(other, WALL)
        } else {
            buffer.above(other, index) > 0.0
        }
    })
}

/// How much each lane would take from its cell, µm (negative: lay down), before limits; then evaporation.
#[expect(
    clippy::needless_range_loop,
    reason = "one index runs across many arrays of lanes"
)]
#[inline(always)]
fn exchange(lanes: &mut Lanes, p: &Physics, step: &Step) -> I {
    let mut request = [0; WIDTH];
    for k in 0..WIDTH {
        let (v_east, v_south) = (lanes.v_east[k], lanes.v_south[k]);
        let speed = (v_east * v_east + v_south * v_south).sqrt();
        let capacity = (speed * step.slope[k]).max(0.0);
        let bare = (1.0 - step.cover[k]).max(0.0);
        let x = step.dt[k] * p.exchange * bare * step.exchanges[k];
        let wanted_um = lanes.water[k] * capacity * p.length_um;
        let wish = x / (1.0 + x) * (wanted_um - lanes.load_um[k] as f32);
        // Rounded to nearest, halves away from 0: exchanges of a few micrometres must add up.
        request[k] = (wish + 0.5f32.copysign(wish)) as i32;

        let dry = 1.0 - p.evaporation_feedback * step.stream[k];
        lanes.water[k] /= 1.0 + step.dt[k] * p.evaporation * dry;
    }
    request
}

/// Writes the exchanges and the tracks, in lane order, and finds out who is spent or has left. Returns the lanes that
/// ended, one bit each.
#[inline(always)]
fn write(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    p: &Physics,
    step: &mut Step,
    request: &I,
    tally: &mut Tally,
) -> u32 {
    for lane in 0..lanes.live {
        if step.special >> lane & 1 == 0 {
            let (from, to) = (lanes.at[lane], step.to[lane]);
            exchange_inside(buffer, lanes, p, [lane, from, to], request[lane], tally);
            track(buffer, lanes, step, lane);
        } else {
            write_special(buffer, lanes, p, step, lane, request[lane], tally);
        }
    }
    let mut over = step.special | step.leaves;
    for k in 0..WIDTH {
        lanes.steps[k] += 1;
        let spent = (lanes.steps[k] >= MAX_STEPS)
            | (lanes.water[k] < p.minimum_volume)
            | (lanes.path[k] > p.max_path);
        over |= u32::from(spent) << k;
    }
    let mut ended = 0;
    for lane in bits(over & ((1 << lanes.live) - 1)) {
        if step.end[lane] == End::Alive {
            step.end[lane] = outcome(lanes, p, step, lane, tally);
        }
        ended |= u32::from(step.end[lane] != End::Alive) << lane;
    }
    ended
}

/// The exchange of a step at edges, at voids, or that ends.
#[cold]
fn write_special(
    buffer: &mut Buffer,
    lanes: &mut Lanes,
    p: &Physics,
    step: &mut Step,
    lane: usize,
    request: i32,
    tally: &mut Tally,
) {
    let (from, to) = (lanes.at[lane], step.to[lane]);
    let exported = step.end[lane] == End::Exported;
    let drop = if exported {
        step.drop[lane]
    } else {
        buffer.above(from, to)
    };
    match request.signum() {
        1 => erode(buffer, lanes, p, [lane, from], drop, request, tally),
        -1 => deposit(buffer, lanes, p, [lane, from], drop, -request, tally),
        _ => {}
    }
    if !exported {
        track(buffer, lanes, step, lane);
    }
    if step.end[lane] == End::Pit && fill_pit(buffer, lanes, lane, from) {
        step.end[lane] = End::Alive;
    }
}

/// Counts a droplet in the cell that it enters, without a branch: whether it leaves its cell is close to chance.
#[inline(always)]
fn track(buffer: &mut Buffer, lanes: &mut Lanes, step: &Step, lane: usize) {
    let (from, to) = (lanes.at[lane], step.to[lane]);
    let moves = to != from;
    let trail = lanes.trail[lane];
    let longer = trail << 4 | code(step.d_row[lane], step.d_col[lane]);
    lanes.trail[lane] = if moves { longer } else { trail };
    lanes.came_from[lane] = if moves { from } else { lanes.came_from[lane] };
    lanes.at[lane] = to;
    let there = &mut buffer.traffic[to];
    there.visits += u32::from(moves);
    there.water += if moves { lanes.water[lane] } else { 0.0 };
}

/// How a droplet fares that is spent or leaves the window.
#[cold]
fn outcome(lanes: &Lanes, p: &Physics, step: &Step, lane: usize, tally: &mut Tally) -> End {
    if lanes.steps[lane] >= MAX_STEPS {
        tally.limits.steps += 1;
        End::Spent
    } else if lanes.water[lane] < p.minimum_volume || lanes.path[lane] > p.max_path {
        End::Spent
    } else if step.leaves >> lane & 1 != 0 {
        End::Left
    } else {
        End::Alive
    }
}
