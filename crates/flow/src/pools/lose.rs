//! What standing water loses to the air and the ground once it has found its place.

use super::Bed;
use super::hypsometry::Beds;
use super::work::{BRIM, Body, Spill, Work};

/// Water at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    /// Its level, m.
    pub(super) level_m: f64,
    /// How much it is, m × cells.
    pub(super) volume_m: f64,
}

impl<B: Bed> Work<'_, B> {
    /// Makes a body full. What it is going to lose it keeps above its capacity: rivers that run into a lake make good
    /// what evaporates from it before anything runs out.
    pub(super) fn spill(&mut self, body: usize, spill: Spill) {
        let depth_m = self.loss_of(&self.bodies[body]);
        let level = self.bodies[body].level;
        let thirst = match depth_m > 0.0 {
            true => depth_m * self.heights(body).filter(|&bed| bed < level).count() as f64,
            false => 0.0,
        };
        let lake = &mut self.bodies[body];
        (lake.spill, lake.thirst) = (Some(spill), thirst);
    }

    /// The depth that a body is going to lose, m.
    fn loss_of(&self, lake: &Body) -> f64 {
        match self.losses.new_only && lake.old {
            true => 0.0,
            false => self.losses.depth_m(),
        }
    }

    /// What is left of a body's water after losses, and what was lost, m × cells: each cell loses the depth as far as
    /// it has it.
    pub(super) fn lose(&self, lake: &Body, stands: Stand) -> (Stand, f64) {
        let depth_m = self.loss_of(lake);
        if depth_m <= 0.0 {
            return (stands, 0.0);
        }
        let left = if lake.spill.is_some() && lake.going.is_none() {
            self.lose_from_full(lake, stands, depth_m)
        } else {
            self.lower(lake, stands.level_m - depth_m)
        };
        let volume_m = left.volume_m.min(stands.volume_m);
        (Stand { volume_m, ..left }, stands.volume_m - volume_m)
    }

    /// A full body loses what stands above its sill first; only where that is less than all does it fall.
    fn lose_from_full(&self, lake: &Body, stands: Stand, depth_m: f64) -> Stand {
        let capacity = lake.capacity();
        let over = (stands.volume_m - capacity).max(0.0);
        // Short of its brim by no more than growth would still call full.
        if lake.thirst - over <= BRIM * stands.volume_m {
            return Stand {
                volume_m: (stands.volume_m - lake.thirst).min(capacity),
                ..stands
            };
        }
        self.lower(lake, lake.level - depth_m * (1.0 - over / lake.thirst))
    }

    /// A body's water up to a level, m.
    fn lower(&self, lake: &Body, level_m: f64) -> Stand {
        let heights = lake.all_cells().map(|cell| self.bed.elevation_m(cell));
        let below: Beds = heights.filter(|&bed| bed < level_m).collect();
        Stand {
            level_m,
            volume_m: below.below(level_m),
        }
    }
}
