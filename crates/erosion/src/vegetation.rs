//! Plants: a rule per cell and cycle, so that no tile shows in it.
//!
//! Every cell holds at most one plant with a size in 0..1. Chances are given per published cycle of 0.0038
//! droplets per cell; one of our cycles of p droplets per cell counts as f = p / 0.0038 of them. A plant acts
//! through the density ρ alone: 1.0 × size in its cell, 0.6 at edge neighbours, 0.4 at diagonal ones.

use crate::Vegetation;
use crate::cell::{Ground, VOID};
use crate::physics::PUBLISHED_CYCLE;
use rayon::prelude::*;
use thalweg_grid::{Purpose, StageKey};

/// The plants of the map.
pub(crate) struct Plants {
    rule: Vegetation,
    key: StageKey,
    cell_size_m: f64,
    kappa: f64,
    /// Size per cell, 0 where none.
    size: Vec<f32>,
}

/// Chances and growth in one of our cycles.
struct Chances {
    cycle: u32,
    keep: f32,
    spawn: u64,
    spread: u64,
    death: u64,
}

impl Plants {
    pub(crate) fn new(
        rule: Vegetation,
        key: StageKey,
        cell_size_m: f64,
        kappa: f64,
        cells: usize,
    ) -> Self {
        Self {
            rule,
            key,
            cell_size_m,
            kappa,
            size: vec![0.0; cells],
        }
    }

    /// Size per cell, 0 where none.
    pub(crate) fn sizes(&self) -> &[f32] {
        &self.size
    }

    /// Takes plants over, with the density that follows from them.
    pub(crate) fn take_sizes(&mut self, size: Vec<f32>, ground: &mut Ground) {
        self.size = size;
        self.spread_cover(ground);
    }

    /// One cycle of `per_cell` droplets per cell: plants grow, die, appear and spread, all by the state before
    /// the cycle; then the density follows.
    pub(crate) fn cycle(&mut self, ground: &mut Ground, cycle: u32, per_cell: f64) {
        let chances = self.chances(cycle, per_cell);
        let rows: Vec<(Vec<f32>, Vec<usize>)> = (0..ground.shape.rows)
            .into_par_iter()
            .map(|row| self.row(ground, row, &chances))
            .collect();
        let cols = ground.shape.cols;
        let mut children = Vec::new();
        for (row, (sizes, seeds)) in rows.into_iter().enumerate() {
            self.size[row * cols..(row + 1) * cols].copy_from_slice(&sizes);
            children.extend(seeds);
        }
        for child in children {
            // Several parents may reach one cell; a child is a child.
            if self.size[child] <= 0.0 {
                self.size[child] = self.rule.initial_size as f32;
            }
        }
        self.spread_cover(ground);
    }

    fn chances(&self, cycle: u32, per_cell: f64) -> Chances {
        let f = per_cell / PUBLISHED_CYCLE;
        Chances {
            cycle,
            keep: libm::pow(1.0 - self.rule.growth, f) as f32,
            spawn: threshold(self.kappa * self.kappa * f * self.rule.spawn),
            spread: threshold(f * self.rule.spread),
            death: threshold(1.0 - libm::pow(1.0 - self.rule.death, f)),
        }
    }

    /// A row's new sizes, and where its plants' children stand.
    fn row(&self, ground: &Ground, row: usize, chances: &Chances) -> (Vec<f32>, Vec<usize>) {
        let mut sizes = Vec::with_capacity(ground.shape.cols);
        let mut children = Vec::new();
        for col in 0..ground.shape.cols {
            let index = ground.shape.index(row, col);
            let size = self.size[index];
            let draw = |purpose| {
                self.key
                    .bits(purpose, u64::from(chances.cycle), index as u64)
            };
            sizes.push(if size > 0.0 {
                if draw(Purpose::PlantChild) < chances.spread {
                    children.extend(self.child(ground, [row, col], chances.cycle));
                }
                if self.dies(ground, index) || draw(Purpose::PlantDeath) < chances.death {
                    0.0
                } else {
                    1.0 - (1.0 - size) * chances.keep
                }
            } else if draw(Purpose::PlantSpawn) < chances.spawn && self.grows(ground, row, col) {
                self.rule.initial_size as f32
            } else {
                0.0
            });
        }
        (sizes, children)
    }

    fn dies(&self, ground: &Ground, index: usize) -> bool {
        let cell = &ground.cells[index];
        cell.pool != 0 || cell.stream > self.rule.max_stream as f32
    }

    /// Whether a plant may appear: dry, away from streams, not too steep.
    fn grows(&self, ground: &Ground, row: usize, col: usize) -> bool {
        let index = ground.shape.index(row, col);
        let cell = &ground.cells[index];
        if cell.flags & (VOID | crate::cell::SEA) != 0 || self.dies(ground, index) {
            return false;
        }
        let (r, c) = (row as isize, col as isize);
        let difference = |a: [isize; 2], b: [isize; 2]| {
            let (a, b) = (ground.cell(a[0], a[1]), ground.cell(b[0], b[1]));
            f64::from(cell.one_sided(&a, &b))
        };
        let half = 0.5 / self.cell_size_m;
        let east = difference([r, c - 1], [r, c + 1]) * half;
        let south = difference([r - 1, c], [r + 1, c]) * half;
        1.0 / (1.0 + east * east + south * south).sqrt() > self.rule.min_normal
    }

    /// Where a plant's child stands, if it may: within `spread_m` of a place in the parent's cell, where a draw
    /// exceeds the density.
    fn child(&self, ground: &Ground, [row, col]: [usize; 2], cycle: u32) -> Option<usize> {
        use rand_core::Rng;
        let index = ground.shape.index(row, col) as u64;
        // The second half of the indices: the first says whether there is a child at all.
        let mut draws = self
            .key
            .generator(Purpose::PlantChild, u64::from(cycle), index | 1 << 63);
        let mut unit = || (draws.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        let reach = self.rule.spread_m / self.cell_size_m;
        let mut place = |at: usize| at as f64 + unit() + (2.0 * unit() - 1.0) * reach;
        let (row, col) = (place(row).floor(), place(col).floor());
        let inside = row >= 0.0
            && col >= 0.0
            && row < ground.shape.rows as f64
            && col < ground.shape.cols as f64;
        if !inside {
            return None;
        }
        let (row, col) = (row as usize, col as usize);
        let index = ground.shape.index(row, col);
        let open = unit() > f64::from(ground.cells[index].cover);
        (open && self.grows(ground, row, col)).then_some(index)
    }

    /// ρ = min(1, Σ weight × size) over a cell and its neighbours.
    fn spread_cover(&self, ground: &mut Ground) {
        let shape = ground.shape;
        let size = |row: usize, col: usize| self.size[shape.index(row, col)];
        ground
            .cells
            .par_chunks_mut(shape.cols)
            .enumerate()
            .for_each(|(row, cells)| {
                for (col, cell) in cells.iter_mut().enumerate() {
                    let mut density = 0.0;
                    for r in row.saturating_sub(1)..(row + 2).min(shape.rows) {
                        for c in col.saturating_sub(1)..(col + 2).min(shape.cols) {
                            let weight = match (r == row, c == col) {
                                (true, true) => 1.0,
                                (false, false) => 0.4,
                                _ => 0.6,
                            };
                            density += weight * size(r, c);
                        }
                    }
                    cell.cover = density.min(1.0);
                }
            });
    }
}

/// The number below which a 64-bit draw falls with a chance.
fn threshold(chance: f64) -> u64 {
    // Conversion saturates: a chance of 1 or more is all but certain.
    (chance.max(0.0) * 2f64.powi(64)) as u64
}
