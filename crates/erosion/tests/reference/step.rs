//! What a droplet does in one step, by the ground as it is when the step begins.

use super::exchange::{limits, steepest_bank};
use super::land::Cell;
use super::{Bounds, Constants, Droplet, Land, NEIGHBOURS, Place, Real, moved};
use std::collections::BTreeSet;

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It goes on.
    Alive,
    /// It is beyond the tile's bounds.
    Left,
    /// It stepped off the ground.
    Exported,
    Sea,
    Pool,
    /// It stands still.
    Rest,
    /// Every way leads uphill.
    Pit,
    /// Volume, path or steps ran out.
    Spent,
}

/// A step that was looked at and computed, but not written.
#[derive(Debug, Clone)]
pub(crate) struct Plan<R> {
    pub from: Place,
    /// The move in cells.
    pub by: [i32; 2],
    pub dt: R,
    pub end: End,
    /// The load at capacity, µm over one cell.
    pub capacity_um: R,
    /// What the droplet would take from its cell, µm; negative: lay down.
    pub request_um: R,
    /// The most that it may take and lay down there, µm.
    pub most_um: [i32; 2],
    /// Whether a bank stands too steep above the cell.
    pub bank: bool,
}

/// Looks round, moves the droplet within its cell and over its side, and lets it evaporate. The droplet stays
/// booked in its old cell, and the ground as it is.
pub(crate) fn plan<R: Real>(
    land: &Land<R>,
    c: &Constants<R>,
    bounds: &Bounds,
    droplet: &mut Droplet<R>,
) -> Plan<R> {
    let from = droplet.at;
    let here = land.cell(from);
    let acceleration = acceleration(land, c, droplet);
    let dt = time_step(c, droplet, acceleration);
    let mut by = go(c, droplet, acceleration, dt, here.stream);
    if land.cell(moved(from, by)).void {
        by = meet_walls(land, droplet, by);
    }
    let there = land.cell(moved(from, by));
    let drop = if there.void {
        drop_off_the_ground(land, from, by)
    } else {
        here.above(&there)
    };
    let slope = drop
        * match by {
            [0, 0] => R::zero(),
            [0, _] | [_, 0] => c.per_cell,
            _ => c.per_diagonal,
        };
    let most_um = limits(land, c, droplet, drop);
    let bank = steepest_bank(land, c, from).1 > R::zero();
    let clear = droplet.load_um == 0;
    let swings = clear && drop == R::zero() && there.pool == 0 && turns(droplet, by);
    let stuck = drop < R::zero() || swings;
    let end = if there.void {
        End::Exported
    } else if stuck && (is_pit(land, from) || (clear && is_closed_flat(land, bounds, from))) {
        stand_at_the_side(droplet, by);
        by = [0, 0];
        End::Pit
    } else if there.pool != 0 {
        End::Pool
    } else if there.sea {
        End::Sea
    } else if is_still(c, droplet, acceleration, there.stream) {
        End::Rest
    } else {
        End::Alive
    };

    let speed = (droplet.v_east * droplet.v_east + droplet.v_south * droplet.v_south).root();
    let capacity = (speed * slope).at_least(R::zero());
    let capacity_um = droplet.water * capacity * c.length_um;
    let request_um = if matches!(end, End::Alive | End::Exported) {
        let x = dt * c.exchange * (R::one() - here.cover).at_least(R::zero());
        let load = R::of(f64::from(droplet.load_um));
        x / (R::one() + x) * (capacity_um - load)
    } else {
        R::zero()
    };
    let dry = R::one() - c.evaporation_feedback * here.stream;
    droplet.water = droplet.water / (R::one() + dt * c.evaporation * dry);
    Plan {
        from,
        by,
        dt,
        end,
        capacity_um,
        request_um,
        most_um,
        bank,
    }
}

/// a = n_xy / (w density), `[south, east]`, with the unit normal n from central differences.
fn acceleration<R: Real>(land: &Land<R>, c: &Constants<R>, droplet: &Droplet<R>) -> [R; 2] {
    let at = |by| land.cell(moved(droplet.at, by));
    let south = across(&at([0, 0]), &at([-1, 0]), &at([1, 0])) * c.half_per_cell;
    let east = across(&at([0, 0]), &at([0, -1]), &at([0, 1])) * c.half_per_cell;
    let norm = (R::one() + east * east + south * south).root();
    let per_mass = R::one() / (norm * droplet.water * c.density);
    [south * per_mass, east * per_mass]
}

/// The difference across a cell, m. Where there is no ground on one side, an open void continues the slope on the
/// other side, and a wall mirrors it, which halves the difference.
pub(crate) fn across<R: Real>(cell: &Cell<R>, before: &Cell<R>, after: &Cell<R>) -> R {
    let weight = |missing: &Cell<R>| R::of(if missing.wall { 1.0 } else { 2.0 });
    match (before.void, after.void) {
        (false, false) => before.above(cell) - after.above(cell),
        (true, false) => weight(before) * cell.above(after),
        (false, true) => weight(after) * before.above(cell),
        (true, true) => R::zero(),
    }
}

/// dt = min(1.2 κ, κ / max(|v|, |v + 1.2 κ a|)).
fn time_step<R: Real>(c: &Constants<R>, droplet: &Droplet<R>, [a_south, a_east]: [R; 2]) -> R {
    let (v_south, v_east) = (droplet.v_south, droplet.v_east);
    let (full_south, full_east) = (v_south + c.longest * a_south, v_east + c.longest * a_east);
    let now = v_east * v_east + v_south * v_south;
    let full = full_east * full_east + full_south * full_south;
    let fastest = now.at_least(full).at_least(R::of(1e-12)).root();
    (c.kappa / fastest).at_most(c.longest)
}

/// v += dt a; x += dt v; v /= 1 + dt F. Returns the cells passed.
fn go<R: Real>(
    c: &Constants<R>,
    droplet: &mut Droplet<R>,
    [a_south, a_east]: [R; 2],
    dt: R,
    stream: R,
) -> [i32; 2] {
    let v_south = droplet.v_south + dt * a_south;
    let v_east = droplet.v_east + dt * a_east;
    let cells = |v: R| (dt * v * c.per_kappa).at_least(-R::one()).at_most(R::one());
    let (south, east) = (cells(v_south), cells(v_east));
    droplet.path += (east * east + south * south).root();
    let d_row = advance(&mut droplet.south, south);
    let d_col = advance(&mut droplet.east, east);
    let friction = dt * c.friction * (R::one() - c.friction_feedback * stream);
    let kept = R::one() / (R::one() + friction);
    droplet.v_south = v_south * kept;
    droplet.v_east = v_east * kept;
    [d_row, d_col]
}

/// Moves a fraction of a cell; returns the cells passed.
fn advance<R: Real>(fraction: &mut R, by: R) -> i32 {
    let place = *fraction + by;
    let cells = if place >= R::one() {
        1
    } else if place < R::zero() {
        -1
    } else {
        0
    };
    let rest = place - R::of(f64::from(cells));
    *fraction = rest.at_least(R::zero()).at_most(R::BELOW_ONE);
    cells
}

/// A wall takes the speed towards it, and the droplet stands before it.
fn meet_walls<R: Real>(land: &Land<R>, droplet: &mut Droplet<R>, by: [i32; 2]) -> [i32; 2] {
    let at = droplet.at;
    let walled = |by| land.cell(moved(at, by)).wall;
    let side = |cells| if cells > 0 { R::BELOW_ONE } else { R::zero() };
    let mut left = by;
    if by[0] != 0 && (walled([by[0], 0]) || walled(by)) {
        droplet.south = side(by[0]);
        droplet.v_south = R::zero();
        left[0] = 0;
    }
    if by[1] != 0 && walled([0, by[1]]) {
        droplet.east = side(by[1]);
        droplet.v_east = R::zero();
        left[1] = 0;
    }
    left
}

/// The drop of a step off the ground, m: beyond an open edge the ground goes on as it came there at the start.
fn drop_off_the_ground<R: Real>(land: &Land<R>, from: Place, by: [i32; 2]) -> R {
    let original = |by| Cell {
        change_um: 0,
        ..land.cell(moved(from, by))
    };
    let here = original([0, 0]);
    let north_south = across(&here, &original([-1, 0]), &original([1, 0]));
    let west_east = across(&here, &original([0, -1]), &original([0, 1]));
    let [rows, cols] = by.map(|cells| R::of(f64::from(cells)));
    let fall = west_east * cols + north_south * rows;
    land.cell(from).above(&here) + R::of(0.5) * fall
}

/// Whether all neighbours are higher: a wall is, an open void is not.
fn is_pit<R: Real>(land: &Land<R>, at: Place) -> bool {
    NEIGHBOURS.iter().all(|&by| {
        let other = land.cell(moved(at, by));
        match other.void {
            true => other.wall,
            false => other.above(&land.cell(at)) > R::zero(),
        }
    })
}

/// Whether a move leads to a cell of the trail.
fn turns<R: Real>(droplet: &Droplet<R>, by: [i32; 2]) -> bool {
    let to = moved(droplet.at, by);
    let mut at = droplet.at;
    by != [0, 0]
        && droplet.trail.iter().rev().any(|&[rows, cols]| {
            at = moved(at, [-rows, -cols]);
            at == to
        })
}

/// Whether a cell lies on a flat of at most 64 cells, within the bounds and with nothing around that is lower, no end of
/// the ground and no sea.
fn is_closed_flat<R: Real>(land: &Land<R>, bounds: &Bounds, at: Place) -> bool {
    let height = land.cell(at);
    let (mut flat, mut todo) = (BTreeSet::from([at]), vec![at]);
    while let Some(place) = todo.pop() {
        if !bounds.contain(place) || flat.len() > 64 {
            return false;
        }
        for by in NEIGHBOURS {
            let other = moved(place, by);
            let cell = land.cell(other);
            let rise = cell.above(&height);
            match cell.void {
                true if cell.wall => {}
                false if rise > R::zero() => {}
                false if rise == R::zero() && !cell.sea => {
                    if flat.insert(other) {
                        todo.push(other);
                    }
                }
                _ => return false,
            }
        }
    }
    flat.len() <= 64
}

fn stand_at_the_side<R: Real>(droplet: &mut Droplet<R>, by: [i32; 2]) {
    for (fraction, cells) in [(&mut droplet.south, by[0]), (&mut droplet.east, by[1])] {
        match cells {
            1 => *fraction = R::BELOW_ONE,
            -1 => *fraction = R::zero(),
            _ => {}
        }
    }
}

/// In a stream, a droplet that is not accelerated stops; elsewhere one that neither moves nor is moved.
fn is_still<R: Real>(
    c: &Constants<R>,
    droplet: &Droplet<R>,
    [a_south, a_east]: [R; 2],
    stream: R,
) -> bool {
    let acceleration2 = a_east * a_east + a_south * a_south;
    let speed2 = droplet.v_east * droplet.v_east + droplet.v_south * droplet.v_south;
    let in_stream = acceleration2 < c.stop_acceleration2 && stream > c.stop_stream;
    let on_a_flat = acceleration2 < c.stop_acceleration2
        && acceleration2 < c.still_acceleration2
        && speed2 < c.still_speed2;
    in_stream || on_a_flat
}
