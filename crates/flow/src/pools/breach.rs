//! Sills that were cut down: how much water a pool holds back while it drains.

use super::open::Part;
use super::work::{End, Work};
use super::{Bed, Kind, hypsometry};
use crate::height::At;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Height, m, by which water must stand above a sill to count as draining. Beds move in micrometres; rounding
/// is a thousand times less than this.
pub(super) const CUT_M: f64 = 1e-9;

/// A way out below a pool's level.
struct Breach {
    /// The level, m, at which it leaves.
    sill_m: f64,
    /// Room below that level in bays that joined the pool's own cells.
    bays: f64,
}

impl<B: Bed> Work<'_, B> {
    /// Where the part's sill was cut, sets aside the share of the water above it that does not leave yet.
    pub(super) fn hold_back(&mut self, part: &mut Part, drain_share: f64) {
        let keep = libm::pow((1.0 - drain_share).clamp(0.0, 1.0), part.droplets);
        let rim_m = part.rim_m.unwrap_or(f64::NEG_INFINITY);
        if keep <= 0.0 || part.stood_m <= rim_m + CUT_M {
            return;
        }
        let Some(breach) = self.breach(part.body, part.stood_m) else {
            return;
        };
        let stays = self.columns(part.body, breach.sill_m) + breach.bays;
        let held = keep * (self.columns(part.body, part.stood_m) - stays);
        if held > 0.0 {
            let body = &mut self.bodies[part.body];
            body.water -= held;
            body.held = held;
            body.cut.clone_from(&body.cells);
            let water = body.water;
            part.level = hypsometry::level(water, self.heights(part.body));
        }
    }

    /// The lowest way out of a body below the level at which its water stood.
    fn breach(&mut self, body: usize, stood: f64) -> Option<Breach> {
        let mut ways = BinaryHeap::new();
        for i in 0..self.bodies[body].cells.len() {
            let cell = self.bodies[body].cells[i];
            let bed = self.ground(cell);
            self.ways_out(body, cell, bed, stood, &mut ways);
        }
        let mut bays = HashSet::new();
        let mut taken = Vec::new();
        while let Some(Reverse(At { height, cell })) = ways.pop() {
            if bays.contains(&cell) {
                continue;
            }
            if self.kind(cell) != Kind::Land || self.follow(cell) != End::Body(body) {
                let depth = |&bay: &usize| (height - self.ground(bay)).max(0.0);
                let bays = taken.iter().map(depth).sum();
                return Some(Breach {
                    sill_m: height,
                    bays,
                });
            }
            bays.insert(cell);
            taken.push(cell);
            self.ways_out(body, cell, height, stood, &mut ways);
        }
        None
    }

    /// The cells around one of a body's, with the level at which its water passes to them.
    fn ways_out(
        &mut self,
        body: usize,
        cell: usize,
        over: f64,
        stood: f64,
        ways: &mut BinaryHeap<Reverse<At>>,
    ) {
        for other in self.shape.neighbours(cell) {
            let owner = self.owner(other);
            // Water of a neighbour holds this pool's water up as ground does.
            let surface = match owner {
                Some(neighbour) => self.bodies[neighbour].level,
                None => self.ground(other),
            };
            let height = over.max(surface);
            if owner != Some(body) && height < stood - CUT_M {
                ways.push(Reverse(At {
                    height,
                    cell: other,
                }));
            }
        }
    }
}
