//! The bodies of water that a reconciliation works on, and whose each cell is.

use super::hypsometry::Beds;
use super::kept::Kept;
use super::measure::{ground, rim};
use super::{Balance, Bed, Kind, Losses};
use crate::height::{At, Lowest};
use crate::receivers::receiver;
use rayon::prelude::*;
use thalweg_grid::Shape;

/// Share of its water by which a body may miss the next rim cell and still count as level with it. Rounding
/// leaves some 1e-14; less and a full pool would forget that it is full, more and levels would show it.
pub(super) const BRIM: f64 = 1e-12;

/// One body of water while it is worked on.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    /// The cells that it began with, ascending, all below its level.
    pub(super) cells: Vec<usize>,
    /// The cells that it took in since, with those at zero depth.
    pub(super) fresh: Vec<usize>,
    /// The number of the old pool whose cells those it began with are, all of them and no others; 0 where there
    /// is none, and the field holds the body's own number.
    pub(super) number: u32,
    /// What is known of that pool.
    pub(super) kept: Kept,
    /// Whether it is that pool unchanged: then its rim has not been looked for.
    pub(super) asleep: bool,
    /// The cells around, some more than once and some its own by now.
    pub(super) rim: Lowest,
    /// The level that it has reached: no cell around is lower but where it spills.
    pub(super) level: f64,
    /// The beds of all its cells.
    pub(super) beds: Beds,
    /// What it has to hold, m × cells.
    pub(super) water: f64,
    /// Water above a sill that was cut, which does not leave yet, m × cells.
    pub(super) held: f64,
    /// The cells that the held water stood on.
    pub(super) cut: Vec<usize>,
    /// Where it spills; only then is it full.
    pub(super) spill: Option<Spill>,
    /// Water above capacity that a full body keeps, since it is going to lose it, m × cells.
    pub(super) thirst: f64,
    /// What leaves it, where that was settled before the held water came back, m × cells.
    pub(super) going: Option<f64>,
    /// What came and went.
    pub(super) balance: Balance,
    /// Whether some of it is an old pool.
    pub(super) old: bool,
    /// The last walk down full bodies that passed it.
    pub(super) passed: u64,
}

impl Body {
    /// All its cells.
    pub(super) fn all_cells(&self) -> impl Iterator<Item = usize> + Clone {
        self.cells.iter().chain(&self.fresh).copied()
    }

    /// What it holds below its level, m × cells.
    pub(super) fn capacity(&self) -> f64 {
        self.beds.below(self.level)
    }

    /// What a full one keeps of its water until losses are taken, m × cells.
    pub(super) fn most(&self) -> f64 {
        self.capacity() + self.thirst
    }
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

/// A reconciliation at work. Bodies are found through the bed's pool field: `base + 1 + body`, or the number of
/// an old pool that became one body. Bodies that merged lead to the one that holds them all.
pub(super) struct Work<'b, B: Bed> {
    pub(super) bed: &'b mut B,
    pub(super) shape: Shape,
    /// What standing water is going to lose.
    pub(super) losses: Losses,
    pub(super) base: usize,
    /// The bodies that old pools became whole.
    pub(super) whole: Vec<Option<usize>>,
    pub(super) bodies: Vec<Body>,
    pub(super) parent: Vec<usize>,
    pub(super) exported_m: f64,
    pub(super) to_sea_m: f64,
    /// Water too little to cover the cell where it lies.
    pub(super) damp: Vec<(usize, f64)>,
    /// Held water, m × cells, of bodies that were poured out whole, and the cells that it stood on.
    pub(super) orphans: Vec<(f64, Vec<usize>)>,
    /// What came to pools that are none any more, by a cell of theirs.
    pub(super) dried: Vec<(usize, Balance)>,
    /// Walks down full bodies so far.
    pub(super) walks: u64,
}

impl<'b, B: Bed> Work<'b, B> {
    /// Begins with no body; pool numbers up to `base` are still in the field.
    pub(super) fn new(bed: &'b mut B, base: usize, losses: Losses) -> Self {
        let shape = bed.shape();
        Self {
            bed,
            shape,
            losses,
            base,
            whole: vec![None; base],
            bodies: Vec::new(),
            parent: Vec::new(),
            exported_m: 0.0,
            to_sea_m: 0.0,
            damp: Vec::new(),
            orphans: Vec::new(),
            dried: Vec::new(),
            walks: 0,
        }
    }

    /// Adds a body.
    pub(super) fn add_body(&mut self, body: Body) -> usize {
        if let Some(number) = body.number.checked_sub(1) {
            self.whole[number as usize] = Some(self.bodies.len());
        }
        self.bodies.push(body);
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
        let body = match number.checked_sub(1)? {
            old if old < self.base => self.whole[old]?,
            new => new - self.base,
        };
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
        ground(self.bed, cell)
    }

    /// Heights of a body's cells.
    pub(super) fn heights(&self, body: usize) -> impl Iterator<Item = f64> + Clone {
        let cells = self.bodies[body].all_cells();
        cells.map(|cell| self.bed.elevation_m(cell))
    }

    /// The steepest descent of a cell.
    pub(super) fn descent(&self, cell: usize) -> Option<usize> {
        receiver(self.shape, cell, |other| self.ground(other))
    }

    /// Follows the steepest path from a cell to its end.
    pub(super) fn follow(&mut self, cell: usize) -> End {
        match self.trace(cell) {
            End::Body(body) => End::Body(self.find(body)),
            end => end,
        }
    }

    /// Where the steepest path from a cell ends: under water, in a pit, or where the map does. Cells at zero depth are
    /// passed as dry ground is, or it would matter who filled first. Reads alone, to be asked side by side.
    pub(super) fn trace(&self, mut cell: usize) -> End {
        loop {
            match self.kind(cell) {
                Kind::Void | Kind::Drain => return End::Off,
                Kind::Sea => return End::Sea,
                Kind::Land => {}
            }
            let body = self.root(cell);
            if let Some(body) = body.filter(|&body| self.ground(cell) < self.bodies[body].level) {
                return End::Body(body);
            }
            match self.descent(cell) {
                Some(lower) => cell = lower,
                None => return body.map_or(End::Pit(cell), End::Body),
            }
        }
    }

    /// The body of a cell, without shortening the way to it.
    pub(super) fn root(&self, cell: usize) -> Option<usize> {
        let number = self.bed.pool(cell) as usize;
        let mut body = match number.checked_sub(1)? {
            old if old < self.base => self.whole[old]?,
            new => new - self.base,
        };
        while self.parent[body] != body {
            body = self.parent[body];
        }
        Some(body)
    }

    /// Pours water out on the ground: cell, m × cells. Paths are followed side by side: a body that an earlier
    /// parcel began lies in a pit, where other paths end and none passes.
    pub(super) fn pour(&mut self, poured: &[(usize, f64)]) {
        let ends: Vec<End> = poured
            .par_iter()
            .map(|&(cell, _)| self.trace(cell))
            .collect();
        for (&(_, water), end) in poured.iter().zip(ends) {
            let end = match end {
                End::Body(body) => End::Body(self.find(body)),
                End::Pit(cell) => self.owner(cell).map_or(end, End::Body),
                End::Off | End::Sea => end,
            };
            if water > 0.0 && water.is_finite() {
                self.deliver(water, end);
            }
        }
    }

    /// Gives water to whatever lies at a path's end; returns the body that got it.
    pub(super) fn deliver(&mut self, water: f64, end: End) -> Option<usize> {
        match end {
            End::Off => self.exported_m += water,
            End::Sea => self.to_sea_m += water,
            End::Body(body) => {
                self.wake(body);
                self.bodies[body].water += water;
                self.bodies[body].balance.received_m += water;
                return Some(body);
            }
            End::Pit(cell) => {
                let body = self.seed(cell);
                self.bodies[body].water += water;
                self.bodies[body].balance.received_m += water;
                return Some(body);
            }
        }
        None
    }

    /// A new body in a dry pit, with all of the flat that the pit is part of: ways out are those of the flat,
    /// wherever on it the water came down.
    fn seed(&mut self, pit: usize) -> usize {
        let height = self.ground(pit);
        let body = self.add_body(Body {
            level: height,
            ..Body::default()
        });
        self.take_flat(body, At { height, cell: pit })
    }

    /// Takes a cell in, raising the level to it if it is higher.
    pub(super) fn take(&mut self, body: usize, cell: usize) {
        let ground = self.ground(cell);
        self.raise(body, ground);
        self.take_cell(body, cell);
        self.queue_rim(body, cell);
    }

    /// Adds a cell to a body, and nothing else.
    pub(super) fn take_cell(&mut self, body: usize, cell: usize) {
        let ground = self.ground(cell);
        let lake = &mut self.bodies[body];
        lake.beds.add(ground);
        lake.fresh.push(cell);
        self.mark(cell, body);
    }

    /// Puts the cells around one of a body's own on its rim, and wakes the bodies there.
    pub(super) fn queue_rim(&mut self, body: usize, cell: usize) {
        let own = (self.base + 1 + body) as u32;
        for other in self.shape.neighbours(cell) {
            let number = self.bed.pool(other);
            // Inside of a lake all neighbours are its own: look before searching for the owner.
            if number == own {
                continue;
            }
            if number != 0 {
                match self.owner(other) {
                    Some(owner) if owner == body => continue,
                    Some(owner) => self.wake(owner),
                    None => {}
                }
            }
            let height = self.ground(other);
            self.bodies[body].rim.push(height, other);
        }
    }

    /// Finds the rim of a body that was left as it was: something has come near.
    pub(super) fn wake(&mut self, body: usize) {
        let mut todo = vec![body];
        while let Some(body) = todo.pop() {
            let lake = &mut self.bodies[body];
            if !std::mem::replace(&mut lake.asleep, false) {
                continue;
            }
            let (rim, beside) = rim(self.bed, lake.number, &lake.kept.shore);
            lake.rim = rim;
            let beside = beside.into_iter();
            let old = beside.filter_map(|number| self.whole.get(number as usize - 1).copied()?);
            todo.extend(old);
            for cell in self.bodies[body].fresh.clone() {
                self.queue_rim(body, cell);
            }
        }
    }

    /// Raises the level that a body has reached; never lowers it.
    pub(super) fn raise(&mut self, body: usize, level: f64) {
        let lake = &mut self.bodies[body];
        lake.level = lake.level.max(level);
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
        self.wake(a);
        self.wake(b);
        let level = self.bodies[a].level.max(self.bodies[b].level);
        let weight = |body: usize| self.bodies[body].beds.cells();
        let (keep, give) = if weight(b) > weight(a) {
            (b, a)
        } else {
            (a, b)
        };
        let mut given = std::mem::take(&mut self.bodies[give]);
        self.parent[give] = keep;
        let lake = &mut self.bodies[keep];
        lake.level = level;
        lake.fresh.append(&mut given.cells);
        lake.fresh.append(&mut given.fresh);
        lake.cut.append(&mut given.cut);
        lake.rim.append(&mut given.rim);
        lake.beds = lake.beds.with(given.beds);
        lake.water += given.water;
        lake.held += given.held;
        lake.balance.add(given.balance);
        lake.old |= given.old;
        (lake.spill, lake.thirst) = (None, 0.0);
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
            .filter(|&body| self.bodies[body].beds.cells() > 0)
            .collect()
    }
}
