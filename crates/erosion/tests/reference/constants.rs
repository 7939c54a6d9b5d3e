//! A stage's constants.

use super::Real;
use std::f64::consts::FRAC_1_SQRT_2;
use thalweg_erosion::Parameters;

/// Steps after which a droplet ends whatever else happens.
pub(crate) const MAX_STEPS: u32 = 1 << 18;
/// Full pools that a droplet may pass in its life.
pub(crate) const MAX_SPILLS: u32 = 1000;
/// The largest change of elevation that a cell can store, µm.
pub(crate) const MAX_CHANGE: i32 = (1 << 30) - 1;
/// Moves that a droplet remembers.
pub(crate) const TRAIL: usize = 8;
/// Cells of over-steep slope that a slide looks up.
pub(crate) const MAX_BANK: usize = 64;
/// Droplets per cell in a published cycle.
pub(crate) const PUBLISHED_CYCLE: f64 = 250.0 / 65_536.0;
/// Below this speed a droplet is still.
const STILL_SPEED: f64 = 0.02;

/// Constants of a step: speeds in reference lengths per unit of time, slopes as pure numbers.
#[derive(Debug, Clone)]
pub(crate) struct Constants<R> {
    /// Cell size in reference lengths.
    pub kappa: R,
    pub per_kappa: R,
    /// The longest time step.
    pub longest: R,
    /// From the difference across a cell, m, to slope.
    pub half_per_cell: R,
    pub per_cell: R,
    pub per_diagonal: R,
    pub density: R,
    pub friction: R,
    pub friction_feedback: R,
    pub evaporation: R,
    pub evaporation_feedback: R,
    pub exchange: R,
    /// Height, m, by which a cell of mean strength may stand above an edge neighbour.
    pub bank: R,
    /// µm in a reference length.
    pub length_um: R,
    pub minimum_volume: R,
    pub stop_stream: R,
    pub stop_acceleration2: R,
    pub still_speed2: R,
    pub still_acceleration2: R,
    /// Longest path, cells.
    pub max_path: R,
    /// Share of its load that a droplet leaves in a full pool.
    pub left_in_pool: R,
    pub spills: u32,
    pub pools: bool,
}

impl<R: Real> Constants<R> {
    pub(crate) fn new(p: &Parameters, cell_size_m: f64) -> Self {
        let kappa = cell_size_m / p.reference_length_m;
        let still_acceleration = R::of(STILL_SPEED * p.friction.min(0.1));
        let max_path = p.max_path_km.map(|km| km * 1000.0 / cell_size_m);
        let pools = p.pools.unwrap_or_default();
        Self {
            kappa: R::of(kappa),
            per_kappa: R::of(1.0 / kappa),
            longest: R::of(1.2 * kappa),
            half_per_cell: R::of(0.5 / cell_size_m),
            per_cell: R::of(1.0 / cell_size_m),
            per_diagonal: R::of(FRAC_1_SQRT_2 / cell_size_m),
            density: R::of(p.density),
            friction: R::of(p.friction),
            friction_feedback: R::of(p.stream_feedback.friction),
            evaporation: R::of(p.evaporation),
            evaporation_feedback: R::of(p.stream_feedback.evaporation),
            exchange: R::of(p.exchange),
            bank: R::of(p.bank_slope * cell_size_m),
            length_um: R::of(p.reference_length_m * 1e6),
            minimum_volume: R::of(p.minimum_volume),
            stop_stream: R::of(p.stop_stream),
            stop_acceleration2: R::of(p.stop_acceleration * p.stop_acceleration),
            still_speed2: R::of(STILL_SPEED * STILL_SPEED),
            still_acceleration2: still_acceleration * still_acceleration,
            max_path: R::of(max_path.unwrap_or(f64::INFINITY)),
            left_in_pool: R::of(1.0 - pools.sediment_kept),
            spills: pools.spills.max(1),
            pools: p.pools.is_some(),
        }
    }
}
