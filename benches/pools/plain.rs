//! Flooding droplet by droplet, as the method was published: what pools as objects are measured against.
//!
//! A droplet that stops fills the hollow around it: all cells that hang together below a test plane. A cell below the
//! first plane is a drain, and the droplet goes on from the lowest. Without one the plane is raised or lowered until the
//! droplet's water fits, ten misses at most. Every pass looks at the whole lake and clears a mark for each cell of the
//! map. Unlike the original it keeps a list instead of calling itself, which would overflow the stack, and compares
//! drains the right way round.

use thalweg_flow::receiver;
use thalweg_grid::Shape;

/// Rounds of running and flooding for one droplet.
const SPILLS: usize = 5;
/// Planes that may miss before a droplet is given up.
const MISSES: usize = 10;
/// Share by which a lake sinks towards a drain.
const SINKS: f64 = 0.001;
/// Water, m × cells, with which a droplet ends.
const LEAST_M: f64 = 0.01;

/// Ground with water on it, m by cell.
#[derive(Clone)]
pub(crate) struct Plain {
    pub(crate) shape: Shape,
    pub(crate) ground: Vec<f64>,
    pub(crate) depth: Vec<f64>,
    tried: Vec<bool>,
    members: Vec<usize>,
}

impl Plain {
    pub(crate) fn new(shape: Shape, ground: Vec<f64>, depth: Vec<f64>) -> Self {
        Self {
            shape,
            ground,
            depth,
            tried: vec![false; shape.len()],
            members: Vec::new(),
        }
    }

    fn surface(&self, cell: usize) -> f64 {
        self.ground[cell] + self.depth[cell]
    }

    fn leaves(&self, cell: usize) -> bool {
        !self.shape.is_inner(cell)
    }

    /// Lets a droplet's water, m × cells, run down from a cell and stand where it stops.
    pub(crate) fn rain(&mut self, mut cell: usize, mut water_m: f64) {
        for _ in 0..SPILLS {
            while let Some(lower) = receiver(self.shape, cell, |other| self.surface(other)) {
                cell = lower;
            }
            if self.leaves(cell) {
                return;
            }
            match self.flood(cell, &mut water_m) {
                Some(drain) => cell = drain,
                None => return,
            }
        }
    }

    /// Floods the hollow around a cell; returns the lowest drain, if there is one.
    fn flood(&mut self, cell: usize, water_m: &mut f64) -> Option<usize> {
        let mut first = self.surface(cell);
        let mut plane = first;
        let mut misses = 0;
        while *water_m > LEAST_M && misses < MISSES {
            if let Some(drain) = self.fill(cell, plane, first) {
                let sunk = (1.0 - SINKS) * first + SINKS * self.surface(drain);
                self.set_level(sunk);
                return Some(drain);
            }
            let room = |&cell: &usize| plane - self.surface(cell);
            let needed: f64 = self.members.iter().map(room).sum();
            if needed <= *water_m && plane > first {
                self.set_level(plane);
                *water_m -= needed;
                first = plane;
            } else {
                misses += 1;
            }
            plane += 0.5 * (*water_m - needed) / self.members.len() as f64;
        }
        None
    }

    /// Finds the members below a plane, and the lowest drain.
    fn fill(&mut self, from: usize, plane: f64, first: f64) -> Option<usize> {
        self.tried.fill(false);
        self.tried[from] = true;
        self.members.clear();
        self.members.push(from);
        let mut drain: Option<usize> = None;
        let mut next = 0;
        while let Some(&cell) = self.members.get(next) {
            next += 1;
            for other in self.shape.neighbours(cell) {
                if std::mem::replace(&mut self.tried[other], true) || self.surface(other) > plane {
                    continue;
                }
                if self.leaves(other) || self.surface(other) < first {
                    let lowest = drain.map_or(f64::INFINITY, |at| self.surface(at));
                    drain = if self.surface(other) < lowest {
                        Some(other)
                    } else {
                        drain
                    };
                } else {
                    self.members.push(other);
                }
            }
        }
        drain
    }

    fn set_level(&mut self, level: f64) {
        for &cell in &self.members {
            self.depth[cell] = (level - self.ground[cell]).max(0.0);
        }
    }
}
