//! The bodies of water that a reconciliation works on, and whose each cell is.

use super::{Bed, Kind};
use crate::height::{At, Lowest};
use crate::receivers::receiver;
use thalweg_grid::Shape;

/// Share of its water by which a body may miss the next rim cell and still count as level with it. Rounding
/// leaves some 1e-14; less and a full pool would forget that it is full, more and levels would show it.
pub(super) const BRIM: f64 = 1e-12;

/// One body of water while it is worked on.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    /// Its cells, with those at zero depth that its growth took in.
    pub(super) cells: Vec<usize>,
    /// The cells around, some more than once and some its own by now.
    pub(super) rim: Lowest,
    /// The level that it has reached: no cell around is lower but where it spills.
    pub(super) level: f64,
    /// What it holds below that level.
    pub(super) capacity: f64,
    /// What it has to hold, m × cells.
    pub(super) water: f64,
    /// Water above a sill that was cut, which does not leave yet, m × cells.
    pub(super) held: f64,
    /// The cells that the held water stood on.
    pub(super) cut: Vec<usize>,
    /// Where it spills; only then is it full.
    pub(super) spill: Option<Spill>,
    /// What leaves it, where that was settled before the held water came back, m × cells.
    pub(super) going: Option<f64>,
}

/// How a full body spills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spill {
    /// Its own last cell.
    pub(super) sill: usize,
    /// The first cell beyond: lower ground, another body's cell, or the end of the map.
    pub(super) to: usize,
}

/// Where a steepest path ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// In a body of water.
    Body(usize),
    /// In a dry pit.
    Pit(usize),
    /// Off the map.
    Off,
    /// In the sea.
    Sea,
}

/// A reconciliation at work. Bodies are found through the bed's pool field: `base + 1 + body`, where bodies
/// that merged lead to the one that holds them all.
pub(super) struct Work<'b, B: Bed> {
    pub(super) bed: &'b mut B,
    pub(super) shape: Shape,
    base: usize,
    pub(super) bodies: Vec<Body>,
    parent: Vec<usize>,
    pub(super) exported_m: f64,
    pub(super) to_sea_m: f64,
    /// Water too little to cover the cell where it lies.
    pub(super) damp: Vec<(usize, f64)>,
}

impl<'b, B: Bed> Work<'b, B> {
    /// Begins with no body; pool numbers up to `base` are still in the field.
    pub(super) fn new(bed: &'b mut B, base: usize) -> Self {
        let shape = bed.shape();
        Self {
            bed,
            shape,
            base,
            bodies: Vec::new(),
            parent: Vec::new(),
            exported_m: 0.0,
            to_sea_m: 0.0,
            damp: Vec::new(),
        }
    }

    /// Adds a body that has no cell yet.
    pub(super) fn add_body(&mut self) -> usize {
        self.bodies.push(Body::default());
        self.parent.push(self.parent.len());
        self.bodies.len() - 1
    }

    /// The body that has taken `body` in: itself, if none has.
    pub(super) fn find(&mut self, mut body: usize) -> usize {
        while self.parent[body] != body {
            self.parent[body] = self.parent[self.parent[body]];
            body = self.parent[body];
        }
        body
    }

    /// The body that covers a cell.
    pub(super) fn owner(&mut self, cell: usize) -> Option<usize> {
        let number = self.bed.pool(cell) as usize;
        let body = number.checked_sub(self.base + 1)?;
        Some(self.find(body))
    }

    /// Writes a cell down as the body's, without counting it.
    pub(super) fn mark(&mut self, cell: usize, body: usize) {
        // Bodies are at most as many as cells in play: a map with more than 2³² pools is out of reach.
        self.bed.set_pool(cell, (self.base + 1 + body) as u32);
    }

    /// What the cell is; ground without a finite height is no ground.
    pub(super) fn kind(&self, cell: usize) -> Kind {
        match self.bed.kind(cell) {
            Kind::Land | Kind::Drain if !self.bed.elevation_m(cell).is_finite() => Kind::Void,
            kind => kind,
        }
    }

    /// Height of the ground, bottomless where there is none.
    pub(super) fn ground(&self, cell: usize) -> f64 {
        let height = self.bed.elevation_m(cell);
        if height.is_finite() && self.bed.kind(cell) != Kind::Void {
            height
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Heights of a body's cells.
    pub(super) fn beds(&self, body: usize) -> Vec<f64> {
        let cells = self.bodies[body].cells.iter();
        cells.map(|&cell| self.bed.elevation_m(cell)).collect()
    }

    /// The steepest descent of a cell.
    pub(super) fn descent(&self, cell: usize) -> Option<usize> {
        receiver(self.shape, cell, |other| self.ground(other))
    }

    /// Follows the steepest path from a cell to its end.
    pub(super) fn follow(&mut self, mut cell: usize) -> End {
        loop {
            match self.kind(cell) {
                Kind::Void | Kind::Drain => return End::Off,
                Kind::Sea => return End::Sea,
                Kind::Land => {}
            }
            if let Some(body) = self.owner(cell) {
                return End::Body(body);
            }
            match self.descent(cell) {
                Some(lower) => cell = lower,
                None => return End::Pit(cell),
            }
        }
    }

    /// Gives water to whatever lies at a path's end; returns the body that got it.
    pub(super) fn deliver(&mut self, water: f64, end: End) -> Option<usize> {
        match end {
            End::Off => self.exported_m += water,
            End::Sea => self.to_sea_m += water,
            End::Body(body) => {
                self.bodies[body].water += water;
                return Some(body);
            }
            End::Pit(cell) => {
                let body = self.seed(cell);
                self.bodies[body].water = water;
                return Some(body);
            }
        }
        None
    }

    /// A new body in a dry pit.
    fn seed(&mut self, pit: usize) -> usize {
        let body = self.add_body();
        self.bodies[body].level = self.ground(pit);
        self.take(body, pit);
        body
    }

    /// Takes a cell in, raising the level to it if it is higher.
    pub(super) fn take(&mut self, body: usize, cell: usize) {
        let ground = self.ground(cell);
        self.raise(body, ground);
        let lake = &mut self.bodies[body];
        lake.capacity += lake.level - ground;
        lake.cells.push(cell);
        self.mark(cell, body);
        self.queue_rim(body, cell);
    }

    /// Puts the cells around one of a body's own on its rim.
    pub(super) fn queue_rim(&mut self, body: usize, cell: usize) {
        let own = (self.base + 1 + body) as u32;
        for other in self.shape.neighbours(cell) {
            let number = self.bed.pool(other);
            // Inside of a lake all neighbours are its own: look before searching for the owner.
            if number != own && (number == 0 || self.owner(other) != Some(body)) {
                let height = self.ground(other);
                self.bodies[body].rim.push(height, other);
            }
        }
    }

    /// Raises the level that a body has reached; never lowers it.
    pub(super) fn raise(&mut self, body: usize, level: f64) {
        let lake = &mut self.bodies[body];
        if level > lake.level {
            lake.capacity += lake.cells.len() as f64 * (level - lake.level);
            lake.level = level;
        }
    }

    /// The lowest cell around a body.
    pub(super) fn lowest_rim(&mut self, body: usize) -> Option<At> {
        while let Some(at) = self.bodies[body].rim.peek() {
            if self.owner(at.cell) != Some(body) {
                return Some(at);
            }
            self.bodies[body].rim.pop();
        }
        None
    }

    /// Makes one body of two, at the higher of their levels; returns which of them holds both.
    pub(super) fn merge(&mut self, a: usize, b: usize) -> usize {
        let level = self.bodies[a].level.max(self.bodies[b].level);
        self.raise(a, level);
        self.raise(b, level);
        let weight = |body: usize| self.bodies[body].rim.len() + self.bodies[body].cells.len();
        let (keep, give) = if weight(b) > weight(a) {
            (b, a)
        } else {
            (a, b)
        };
        let mut given = std::mem::take(&mut self.bodies[give]);
        self.parent[give] = keep;
        let lake = &mut self.bodies[keep];
        lake.cells.append(&mut given.cells);
        lake.cut.append(&mut given.cut);
        lake.rim.append(&mut given.rim);
        lake.capacity += given.capacity;
        lake.water += given.water;
        lake.held += given.held;
        lake.spill = None;
        keep
    }

    /// Empties a body into another one, which has to take what it held.
    pub(super) fn give(&mut self, body: usize, to: usize) -> Body {
        self.parent[body] = to;
        std::mem::take(&mut self.bodies[body])
    }

    /// The bodies that stand for themselves, in the order of their making.
    pub(super) fn alive(&self) -> Vec<usize> {
        let own = |&body: &usize| self.parent[body] == body;
        let alive = (0..self.bodies.len()).filter(own);
        alive
            .filter(|&body| !self.bodies[body].cells.is_empty())
            .collect()
    }
}
