//! Plants: at most one a cell, by chances per cell and cycle.

use super::constants::PUBLISHED_CYCLE;
use super::step::across;
use super::{Land, Place, Real, moved};
use rand_core::Rng;
use thalweg_erosion::Vegetation;
use thalweg_grid::{Purpose, StageKey};

/// The plants of a map.
pub(crate) struct Plants<R> {
    pub rule: Vegetation,
    pub key: StageKey,
    pub cell_size_m: f64,
    /// Size per cell, 0 where none stands.
    pub sizes: Vec<R>,
}

/// 64 random bits fall below this with a chance.
fn below(chance: f64) -> u64 {
    (chance * 2f64.powi(64)) as u64
}

impl<R: Real> Plants<R> {
    /// One cycle of `per_cell` droplets per cell: all by the state before it.
    pub(crate) fn cycle(&mut self, land: &mut Land<R>, kappa: f64, cycle: u32, per_cell: f64) {
        let f = per_cell / PUBLISHED_CYCLE;
        let missing = R::of(libm::pow(1.0 - self.rule.growth, f));
        let spawn = below(kappa * kappa * f * self.rule.spawn);
        let spread = below(f * self.rule.spread);
        let death = below(1.0 - libm::pow(1.0 - self.rule.death, f));
        let young = R::of(self.rule.initial_size);
        let mut sizes = self.sizes.clone();
        let mut children = Vec::new();
        for (index, &size) in self.sizes.iter().enumerate() {
            let draw = |purpose| self.key.bits(purpose, u64::from(cycle), index as u64);
            let at = land.place(index);
            if size > R::zero() {
                if draw(Purpose::PlantChild) < spread {
                    children.extend(self.child(land, at, cycle));
                }
                let dies = self.is_wet(land, at) || draw(Purpose::PlantDeath) < death;
                sizes[index] = match dies {
                    true => R::zero(),
                    false => R::one() - (R::one() - size) * missing,
                };
            } else if draw(Purpose::PlantSpawn) < spawn && self.may_grow(land, at) {
                sizes[index] = young;
            }
        }
        for child in children {
            let size = &mut sizes[land.index(child)];
            if *size <= R::zero() {
                *size = young;
            }
        }
        self.sizes = sizes;
        self.cover(land);
    }

    fn is_wet(&self, land: &Land<R>, at: Place) -> bool {
        let cell = land.cell(at);
        cell.pool != 0 || cell.stream > R::of(self.rule.max_stream)
    }

    fn may_grow(&self, land: &Land<R>, at: Place) -> bool {
        let cell = land.cell(at);
        let slope = |before, after| {
            let (a, b) = (land.cell(moved(at, before)), land.cell(moved(at, after)));
            across(&cell, &a, &b).wide() * (0.5 / self.cell_size_m)
        };
        let (east, south) = (slope([0, -1], [0, 1]), slope([-1, 0], [1, 0]));
        let up = 1.0 / (1.0 + east * east + south * south).sqrt();
        !cell.void && !cell.sea && !self.is_wet(land, at) && up > self.rule.min_normal
    }

    /// Where a plant's child stands, if it may.
    fn child(&self, land: &Land<R>, at: Place, cycle: u32) -> Option<Place> {
        let index = land.index(at) as u64 | 1 << 63;
        let mut bits = self
            .key
            .generator(Purpose::PlantChild, u64::from(cycle), index);
        let mut unit = || (bits.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let reach = self.rule.spread_m / self.cell_size_m;
        let place = at.map(|from| {
            let within = unit();
            let off = (2.0 * unit() - 1.0) * reach;
            (f64::from(from) + within + off).floor() as i32
        });
        let falls = land.is_inside(place);
        (falls && unit() > land.cell(place).cover.wide() && self.may_grow(land, place))
            .then_some(place)
    }

    /// ρ = min(1, Σ weight × size).
    fn cover(&self, land: &mut Land<R>) {
        for index in 0..land.cells.len() {
            let at = land.place(index);
            let mut density = R::zero();
            for d_row in -1..=1 {
                for d_col in -1..=1 {
                    let other = moved(at, [d_row, d_col]);
                    let weight = [1.0, 0.6, 0.4][(d_row * d_row + d_col * d_col) as usize];
                    if land.is_inside(other) {
                        density += R::of(weight) * self.sizes[land.index(other)];
                    }
                }
            }
            land.cells[index].cover = density.at_most(R::one());
        }
    }
}
