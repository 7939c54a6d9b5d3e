//! Growth: a body takes in its lowest rim cell until its water fits or it spills; full bodies that spill into
//! each other become one.

use super::work::{BRIM, Body, End, Spill, Work};
use super::{Bed, Kind};
use crate::height::At;

/// Where the excess of a full body goes, past all full ones on its way.
enum Course {
    /// To a place that can take it.
    Ends(End),
    /// Round: these full bodies, one or more, spill into each other.
    Circles(Vec<usize>),
}

impl<B: Bed> Work<'_, B> {
    /// Works on bodies until all water fits or waits in full ones; with `settle`, nothing waits.
    pub(super) fn level_all(&mut self, mut todo: Vec<usize>, settle: bool) {
        todo.reverse();
        while let Some(body) = todo.pop() {
            let body = self.find(body);
            todo.extend(self.level_one(body, settle));
        }
    }

    /// Works on one body; returns another one that must be worked on now.
    fn level_one(&mut self, mut body: usize, settle: bool) -> Option<usize> {
        loop {
            if !self.rests(body) {
                body = self.grow(body);
            }
            self.bodies[body].spill?;
            let excess = self.bodies[body].excess();
            match self.course(body, settle && excess > 0.0) {
                Course::Circles(ring) => {
                    let joined = self.join(&ring);
                    // The ring may lie downstream: then it has to grow before this body's water can go on.
                    if self.find(body) != joined {
                        return Some(self.after(joined, body, settle));
                    }
                    body = joined;
                }
                Course::Ends(end) if settle && excess > 0.0 => {
                    self.bodies[body].water = self.bodies[body].most();
                    return self.deliver(excess, end);
                }
                Course::Ends(_) => return None,
            }
        }
    }

    /// Hands the excess of a body to the one downstream that has just grown together.
    fn after(&mut self, joined: usize, body: usize, settle: bool) -> usize {
        let excess = self.bodies[body].excess();
        if settle && excess > 0.0 {
            self.bodies[body].water = self.bodies[body].most();
            self.bodies[joined].water += excess;
            self.bodies[joined].balance.received_m += excess;
        }
        joined
    }

    /// Whether a body that was left as it was still is what growing would make of it. Then it takes its brim in and
    /// spills as it did; else it is woken.
    fn rests(&mut self, body: usize) -> bool {
        let lake = &self.bodies[body];
        if !lake.asleep {
            return false;
        }
        // Its own ground is the same and no other body touches it; where it spills, others may have come near.
        let Some(spill) = lake.kept.spill.filter(|_| lake.spill.is_none()) else {
            return true;
        };
        let brim = lake.kept.brim.clone();
        let free = |work: &mut Self, cell: usize| {
            let others = |work: &mut Self, near| work.owner(near).is_some_and(|at| at != body);
            let near = |work: &mut Self, cell| {
                work.shape.neighbours(cell).any(|near| {
                    others(work, near) && work.owner(near).is_some_and(|at| !work.bodies[at].asleep)
                })
            };
            work.owner(cell).is_none() && !near(work, cell)
        };
        let still = brim.iter().all(|&cell| free(self, cell));
        let dry = self.kind(spill.to) == Kind::Land && self.owner(spill.to).is_none();
        if !still || (dry && self.follow(spill.to) == End::Body(body)) {
            self.wake(body);
            return false;
        }
        brim.iter().for_each(|&cell| self.take_cell(body, cell));
        self.spill(body, spill);
        true
    }

    /// Grows a body until its water fits or it spills; returns the body that holds it afterwards.
    ///
    /// One flat after another, by height and by its first cell on the rim: what a full body owns, and so its way
    /// out, is a matter of the ground alone.
    fn grow(&mut self, mut body: usize) -> usize {
        while self.bodies[body].spill.is_none() {
            let Some(next) = self.lowest_rim(body) else {
                break;
            };
            if self.bodies[body].fits_below(next.height) {
                break;
            }
            if next.height < self.bodies[body].level {
                self.choose(body);
            } else if self.kind(next.cell) == Kind::Land {
                body = self.take_flat(body, next);
            } else {
                self.raise(body, next.height);
                let sill = self.sill(body, next);
                let to = next.cell;
                self.spill(body, Spill { sill, to });
            }
        }
        body
    }

    /// Takes in all cells of one height that hang together, with the bodies that own some; returns the body that
    /// holds them. A way out is chosen only then: else it would depend on who came first.
    pub(super) fn take_flat(&mut self, mut body: usize, from: At) -> usize {
        let mut todo = vec![from.cell];
        while let Some(cell) = todo.pop() {
            match self.owner(cell) {
                Some(own) if own == body => continue,
                Some(other) => body = self.merge(body, other),
                None => self.take(body, cell),
            }
            let level = |other: &usize| self.ground(*other).total_cmp(&from.height).is_eq();
            let land = |other: &usize| self.kind(*other) == Kind::Land;
            todo.extend(self.shape.neighbours(cell).filter(level).filter(land));
        }
        body
    }

    /// Spills a body over the first of its exits by sill, then by the height and index of the receiver. Lower ground
    /// whose path leads back is no exit but a bay and is taken in: as a spill, it would let the body fill itself for
    /// ever.
    fn choose(&mut self, body: usize) {
        let mut exits = Vec::new();
        while let Some(at) = self.lowest_rim(body) {
            if at.height >= self.bodies[body].level {
                break;
            }
            self.bodies[body].rim.pop();
            exits.push(at);
        }
        let first = (exits.iter()).map(|&at| (self.sill(body, at), at)).min();
        for at in exits {
            self.bodies[body].rim.push(at.height, at.cell);
        }
        let Some((sill, to)) = first else { return };
        let spill = Spill { sill, to: to.cell };
        let dry = self.kind(spill.to) == Kind::Land && self.owner(spill.to).is_none();
        if dry && self.follow(spill.to) == End::Body(body) {
            self.take(body, spill.to);
        } else {
            self.spill(body, spill);
        }
    }

    /// The cell over which a body reaches an exit: its highest at hand, the lowest index among equals. Water
    /// that rises to a drain leaves there.
    fn sill(&mut self, body: usize, exit: At) -> usize {
        if self.kind(exit.cell) == Kind::Drain && exit.height >= self.bodies[body].level {
            return exit.cell;
        }
        let mut best: Option<At> = None;
        for cell in self.shape.neighbours(exit.cell) {
            let height = self.ground(cell);
            if self.owner(cell) == Some(body) && best.is_none_or(|at| height > at.height) {
                best = Some(At { height, cell });
            }
        }
        best.map_or(exit.cell, |at| at.cell)
    }

    /// Follows the excess of a full body through full bodies to where it can stay; where that is only asked for
    /// with `to_its_end`, else just whether the course leads round. Paths lead down into bodies that are no higher, so
    /// it cannot come back from below.
    fn course(&mut self, body: usize, to_its_end: bool) -> Course {
        let level = self.bodies[body].level;
        self.walks += 1;
        self.bodies[body].passed = self.walks;
        let mut last = body;
        let mut passed = vec![body];
        while let Some(spill) = self.bodies[last].spill {
            let end = self.follow(spill.to);
            let End::Body(next) = end else {
                return Course::Ends(end);
            };
            if !to_its_end && self.bodies[next].level < level {
                return Course::Ends(end);
            }
            // Marks instead of a search among all that were passed: chains can be long.
            if std::mem::replace(&mut self.bodies[next].passed, self.walks) == self.walks {
                let first = passed.iter().position(|&other| other == next);
                return Course::Circles(passed.split_off(first.unwrap_or(0)));
            }
            passed.push(next);
            last = next;
        }
        Course::Ends(End::Body(last))
    }

    /// Makes one body of a ring. A ring of one has its spill leading back: it goes on growing.
    fn join(&mut self, ring: &[usize]) -> usize {
        let mut joined = ring[0];
        (self.bodies[joined].spill, self.bodies[joined].thirst) = (None, 0.0);
        for &other in &ring[1..] {
            joined = self.merge(joined, other);
        }
        joined
    }
}

impl Body {
    /// Water above what it keeps; only where the body is full is there no room for it.
    pub(super) fn excess(&self) -> f64 {
        (self.water - self.most()).max(0.0)
    }

    /// Whether the water stays below a rim cell, by more than rounding.
    fn fits_below(&self, height: f64) -> bool {
        let room = self.beds.below(height.max(self.level));
        self.water < room - BRIM * self.water
    }
}
