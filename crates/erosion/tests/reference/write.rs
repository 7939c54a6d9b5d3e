//! What a planned step does to the ground when its lane's turn comes.

use super::constants::MAX_STEPS;
use super::exchange::{deposit, erode, fill_pit};
use super::{Bounds, Constants, Droplet, End, Land, Plan, Real, moved};
use thalweg_erosion::Limits;

/// What steps did, counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub steps: u64,
    pub eroded_um: i64,
    pub limits: Limits,
}

/// Writes a step: exchange, move, track. Says how it ended.
pub(crate) fn apply<R: Real>(
    land: &mut Land<R>,
    c: &Constants<R>,
    bounds: &Bounds,
    droplet: &mut Droplet<R>,
    plan: &Plan<R>,
    counts: &mut Counts,
) -> End {
    counts.steps += 1;
    let to = moved(plan.from, plan.by);
    let request = plan.request_um.rounded();
    if request > 0 {
        erode(land, c, bounds, droplet, plan, request, counts);
    } else if request < 0 {
        deposit(land, droplet, plan, -request, counts);
    }
    if to != plan.from && plan.end != End::Exported {
        droplet.go(plan.by);
        let there = land.cell_mut(to);
        there.visits += 1;
        there.water += droplet.water;
    }
    droplet.steps += 1;
    match plan.end {
        End::Pit if fill_pit(land, droplet) => outcome(c, bounds, droplet, counts),
        End::Alive => outcome(c, bounds, droplet, counts),
        end => end,
    }
}

fn outcome<R: Real>(
    c: &Constants<R>,
    bounds: &Bounds,
    droplet: &Droplet<R>,
    counts: &mut Counts,
) -> End {
    if droplet.steps >= MAX_STEPS {
        counts.limits.steps += 1;
        End::Spent
    } else if droplet.water < c.minimum_volume || droplet.path > c.max_path {
        End::Spent
    } else if bounds.contain(droplet.at) {
        End::Alive
    } else {
        End::Left
    }
}
