//! A stage's parameters as the kernel takes them.

use crate::Parameters;
use thalweg_grid::Isa;

/// Steps after which a droplet ends whatever else happens: it keeps a droplet that oscillates without
/// evaporation from running for ever, and is far above any path that ends by itself. Counted in the limits.
pub(crate) const MAX_STEPS: u32 = 1 << 18;

/// The speed below which a droplet is still, where its acceleration against friction cannot bring it above
/// either: it would need 40 steps and more to cross a cell of the reference length. Higher, and rivers on slopes
/// of a few per mille stop in mid-valley; lower, and most steps are spent on droplets that stand on flats.
const STILL_SPEED: f64 = 0.02;

/// Droplets per cell in a published cycle: 250 on 256².
pub(crate) const PUBLISHED_CYCLE: f64 = 250.0 / 65_536.0;

/// Constants of a step. Speeds are in reference lengths per unit of time, slopes are pure numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Physics {
    /// What the step's arithmetic may use.
    pub isa: Isa,
    /// Cell size, reference lengths: κ.
    pub kappa: f32,
    /// 1/κ.
    pub per_kappa: f32,
    /// The longest time step: 1.2 κ.
    pub longest: f32,
    /// 1 / (2 × cell size in metres): from the difference across a cell to slope.
    pub half_per_cell: f32,
    /// 1 / cell size in metres.
    pub per_cell: f32,
    /// The same along a diagonal.
    pub per_diagonal: f32,
    pub density: f32,
    pub friction: f32,
    pub friction_feedback: f32,
    pub evaporation: f32,
    pub evaporation_feedback: f32,
    pub exchange: f32,
    /// Height, m, above which a bank collapses into the stream that undercuts it.
    pub bank_height: f32,
    /// Micrometres in a reference length.
    pub length_um: f32,
    pub minimum_volume: f32,
    pub stop_stream: f32,
    /// The stop acceleration, squared.
    pub stop_acceleration2: f32,
    /// Speed and acceleration, squared, below both of which a droplet is still.
    pub still_speed2: f32,
    pub still_acceleration2: f32,
    /// Longest path, cells.
    pub max_path: f32,
    /// Share of its load that a droplet leaves in a full pool.
    pub sediment_left: f32,
    /// Full pools that a droplet may pass in a cycle.
    pub max_spills: u32,
    /// Whether droplets may flood.
    pub pools: bool,
}

impl Physics {
    pub(crate) fn new(p: &Parameters, cell_size_m: f64) -> Self {
        let kappa = cell_size_m / p.reference_length_m;
        let still_acceleration = (STILL_SPEED * p.friction.min(0.1)) as f32;
        let pools = p.pools.unwrap_or_default();
        Self {
            isa: Isa::detect(),
            kappa: kappa as f32,
            per_kappa: (1.0 / kappa) as f32,
            longest: (1.2 * kappa) as f32,
            half_per_cell: (0.5 / cell_size_m) as f32,
            per_cell: (1.0 / cell_size_m) as f32,
            per_diagonal: (std::f64::consts::FRAC_1_SQRT_2 / cell_size_m) as f32,
            density: p.density as f32,
            friction: p.friction as f32,
            friction_feedback: p.stream_feedback.friction as f32,
            evaporation: p.evaporation as f32,
            evaporation_feedback: p.stream_feedback.evaporation as f32,
            exchange: p.exchange as f32,
            bank_height: (p.bank_slope * cell_size_m) as f32,
            length_um: (p.reference_length_m * 1e6) as f32,
            minimum_volume: p.minimum_volume as f32,
            stop_stream: p.stop_stream as f32,
            stop_acceleration2: (p.stop_acceleration * p.stop_acceleration) as f32,
            still_speed2: (STILL_SPEED * STILL_SPEED) as f32,
            still_acceleration2: still_acceleration * still_acceleration,
            max_path: p
                .max_path_km
                .map_or(f32::INFINITY, |km| (km * 1000.0 / cell_size_m) as f32),
            sediment_left: (1.0 - pools.sediment_kept) as f32,
            max_spills: pools.spills,
            pools: p.pools.is_some(),
        }
    }
}
