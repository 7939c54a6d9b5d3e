//! A cycle's four phases over the tiles.

use crate::cell::{Cell, Ground};
use crate::droplet::Droplet;
use crate::physics::Physics;
use crate::tile::{Gate, Outcome, Run};
use crate::window::Buffer;
use ndarray::{ArrayViewMut2, Axis};
use rayon::prelude::*;
use std::collections::HashMap;
use thalweg_grid::{Colour, Purpose, Shape, StageKey, Tile, TileGrid};

/// Where a cycle's tiles lie and in which order their colours work: drawn from the key and the cycle, so that
/// no border stands twice in the same place.
pub(crate) struct Schedule {
    pub tiles: TileGrid,
    pub order: [Colour; 4],
}

impl Schedule {
    pub(crate) fn draw(map: Shape, tile: usize, halo: usize, key: StageKey, cycle: u32) -> Self {
        let draw = |what| key.bits(Purpose::TileGrid, u64::from(cycle), what);
        let offset = [draw(0), draw(1)].map(|bits| (bits % tile as u64) as usize);
        let mut order = Colour::ALL;
        for place in (1..order.len()).rev() {
            order.swap(
                place,
                (draw(1 + place as u64) % (place as u64 + 1)) as usize,
            );
        }
        Self {
            tiles: TileGrid::new(map, tile, halo, offset),
            order,
        }
    }
}

/// How often a cycle goes through its four colours. After one round, droplets that left for a tile that had worked
/// already would wait there for the next cycle: less goes on beyond a window than within, and each cycle's change shows
/// where the windows end. `tests/seams` sees that, and no longer sees it after two rounds.
const ROUNDS: usize = 2;

/// What all tiles of a cycle share.
pub(crate) struct Shared<'a> {
    pub physics: &'a Physics,
    pub gates: &'a [Gate],
    pub lanes: usize,
    pub leave_stragglers: bool,
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// A tile at work: its window of the map, for itself alone.
struct Job<'a> {
    tile: Tile,
    window: ArrayViewMut2<'a, Cell>,
    queue: Vec<Droplet>,
}

/// What a cycle's phases leave.
pub(crate) struct Phases {
    /// By phase, then by tile.
    pub outcomes: Vec<Outcome>,
    /// Droplets that go on in the next cycle.
    pub flight: Vec<Droplet>,
    pub handed_over: u64,
}

/// Runs `droplets` through the four phases, round by round. What is left after the last round goes on in the next
/// cycle.
pub(crate) fn run(
    ground: &mut Ground,
    schedule: &Schedule,
    droplets: Vec<Droplet>,
    shared: &Shared<'_>,
) -> Phases {
    let tiles = &schedule.tiles;
    let mut queues: Vec<Vec<Droplet>> = vec![Vec::new(); tiles.shape().len()];
    let owner = |d: &Droplet| tiles.owner(d.row as usize, d.col as usize);
    for droplet in droplets {
        queues[owner(&droplet)].push(droplet);
    }
    let mut phases = Phases {
        outcomes: Vec::new(),
        flight: Vec::new(),
        handed_over: 0,
    };
    for &colour in schedule.order.iter().cycle().take(4 * ROUNDS) {
        for mut outcome in run_colour(ground, tiles, colour, &mut queues, shared) {
            for [row, col] in std::mem::take(&mut outcome.changed) {
                ground.touched.mark(ground.shape.index(row, col));
            }
            for droplet in std::mem::take(&mut outcome.outgoing) {
                phases.handed_over += 1;
                queues[owner(&droplet)].push(droplet);
            }
            phases.outcomes.push(outcome);
        }
    }
    phases.flight.extend(queues.into_iter().flatten());
    phases
}

fn run_colour(
    ground: &mut Ground,
    tiles: &TileGrid,
    colour: Colour,
    queues: &mut [Vec<Droplet>],
    shared: &Shared<'_>,
) -> Vec<Outcome> {
    let (shape, edges) = (ground.shape, ground.edges);
    let jobs = cut(ground, tiles, colour, queues);
    jobs.into_par_iter()
        .with_max_len(1)
        .map_init(Buffer::new, |buffer, mut job| {
            job.queue.sort_unstable_by_key(Droplet::order);
            buffer.load(&job.tile, &job.window.view(), shape, edges);
            let mut outcome = Run {
                buffer: &mut *buffer,
                physics: shared.physics,
                gates: shared.gates,
                lanes: shared.lanes,
                leave_stragglers: shared.leave_stragglers,
                cancelled: shared.cancelled,
                room_um: HashMap::new(),
            }
            .run(job.queue);
            outcome.changed = buffer.store(&mut job.window);
            outcome
        })
        .collect()
}

/// Cuts the windows of one colour's tiles out of the map. They do not overlap, so each job has its cells to
/// itself, by construction and without `unsafe`: bands of rows first, then windows within a band.
fn cut<'a>(
    ground: &'a mut Ground,
    tiles: &TileGrid,
    colour: Colour,
    queues: &mut [Vec<Droplet>],
) -> Vec<Job<'a>> {
    let mut rest = ArrayViewMut2::from_shape(ground.shape.dim(), &mut ground.cells)
        .expect("as many cells as the shape says");
    let grid = tiles.shape();
    let mut jobs = Vec::new();
    let mut row = 0;
    for tile_row in (0..grid.rows).filter(|r| r & 1 == colour.index() >> 1) {
        let band = tiles.tile(tile_row * grid.cols).window;
        let (_, below) = rest.split_at(Axis(0), band.row - row);
        let (mut cells, below) = below.split_at(Axis(0), band.shape.rows);
        rest = below;
        row = band.row + band.shape.rows;
        let mut col = 0;
        for tile_col in (0..grid.cols).filter(|c| c & 1 == colour.index() & 1) {
            let index = tile_row * grid.cols + tile_col;
            let tile = tiles.tile(index);
            let (_, east) = cells.split_at(Axis(1), tile.window.col - col);
            let (window, east) = east.split_at(Axis(1), tile.window.shape.cols);
            cells = east;
            col = tile.window.col + tile.window.shape.cols;
            let queue = std::mem::take(&mut queues[index]);
            if !queue.is_empty() {
                jobs.push(Job {
                    tile,
                    window,
                    queue,
                });
            }
        }
    }
    jobs
}
