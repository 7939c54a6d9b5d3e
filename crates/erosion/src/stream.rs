//! The stream map and discharge: what cells remember of the droplets that passed.

use crate::cell::Cell;
use crate::physics::PUBLISHED_CYCLE;
use rayon::prelude::*;

/// How one cycle's tracks enter the maps.
///
/// The published stream map is the share of cycles, of 0.0038 droplets per cell on 10 m cells, in which a cell
/// was visited. Where a cycle brings p droplets per cell and V visits, the visits that a published cycle would
/// have brought are q = 0.0038 κ² V / p, and e^(−q) is the chance that it brought none:
///
/// ```text
/// s += (1 − (1 − rate)^(p / 0.0038)) (1 − e^(−q) − s)
/// ```
pub(crate) struct Learning {
    rate: f32,
    /// 1 − e^(−q) for 0, 1, 2, … visits, up to where it is 1 in f32.
    visited: Vec<f32>,
}

impl Learning {
    /// Learning from a cycle of `per_cell` droplets per cell.
    pub(crate) fn new(learning_rate: f64, kappa: f64, per_cell: f64) -> Self {
        let rate = 1.0 - libm::pow(1.0 - learning_rate, per_cell / PUBLISHED_CYCLE);
        let per_visit = PUBLISHED_CYCLE * kappa * kappa / per_cell;
        // Beyond q = 18, 1 − e^(−q) rounds to 1. The cap bounds the table where cells are very small; there
        // the last entry is used for more visits.
        let last = (18.0 / per_visit).ceil().clamp(1.0, 65_536.0) as u32;
        Self {
            rate: rate as f32,
            visited: (0..=last)
                .map(|visits| -libm::expm1(-per_visit * f64::from(visits)) as f32)
                .collect(),
        }
    }

    fn share(&self, visits: u32) -> f32 {
        let index = (visits as usize).min(self.visited.len() - 1);
        self.visited[index]
    }
}

/// Whether a droplet came through the cell since tracks were cleared.
pub(crate) fn has_track(cell: &Cell) -> bool {
    cell.visits != 0 || cell.water.to_bits() != 0
}

/// Moves stream and discharge (volumes per cycle) towards this cycle's tracks, and clears the tracks. Without
/// `learning`, clears them alone.
pub(crate) fn update(cells: &mut [Cell], discharge: &mut [f32], learning: Option<&Learning>) {
    const BLOCK: usize = 1 << 14;
    cells
        .par_chunks_mut(BLOCK)
        .zip(discharge.par_chunks_mut(BLOCK))
        .for_each(|(cells, discharge)| {
            for (cell, discharge) in cells.iter_mut().zip(discharge) {
                if let Some(learning) = learning {
                    cell.stream += learning.rate * (learning.share(cell.visits) - cell.stream);
                    *discharge += learning.rate * (cell.water - *discharge);
                }
                cell.visits = 0;
                cell.water = 0.0;
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At the published cycle, a cell that is visited in every cycle tends to 1 − 1/e, as a Poisson share.
    #[test]
    fn the_stream_map_tends_to_the_share_of_visited_cycles() {
        let learning = Learning::new(0.01, 1.0, PUBLISHED_CYCLE);
        assert!((learning.rate - 0.01).abs() < 1e-7);
        let mut cells = [Cell::beyond(false)];
        let mut discharge = [0.0];
        for _ in 0..3000 {
            cells[0].visits = 1;
            cells[0].water = 0.25;
            update(&mut cells, &mut discharge, Some(&learning));
        }
        let expected = 1.0 - (-1.0f32).exp();
        assert!(
            (cells[0].stream - expected).abs() < 1e-4,
            "{}",
            cells[0].stream
        );
        assert!((discharge[0] - 0.25).abs() < 1e-4);
    }

    /// The same river gives the same stream value whatever the droplets per cycle: ten times the droplets,
    /// ten times the visits, a tenth of the cycles.
    #[test]
    fn the_stream_map_does_not_depend_on_droplets_per_cycle() {
        let run = |factor: u32| {
            let learning = Learning::new(0.01, 1.0, PUBLISHED_CYCLE * f64::from(factor));
            let mut cells = [Cell::beyond(false)];
            for _ in 0..100 / factor {
                cells[0].visits = factor;
                update(&mut cells, &mut [0.0], Some(&learning));
            }
            cells[0].stream
        };
        assert!((run(1) - run(10)).abs() < 1e-5, "{} {}", run(1), run(10));
    }
}
