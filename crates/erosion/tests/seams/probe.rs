//! What is looked at in each cycle of a stage.

use crate::tool::{Evidence, Measured};
use ndarray::Array2;
use std::fmt;
use thalweg_erosion::{Moment, Parameters, Tiling, Vegetation, erode_watched};
use thalweg_grid::{Map, NoObserver, StageKey};

/// Seeds that are pooled.
pub(crate) const SEEDS: std::ops::Range<u64> = 1..9;

/// A stage of `cycles` cycles, each of one droplet per hundred cells, with plants.
pub(crate) fn parameters(tile: usize, cycles: u32) -> Parameters {
    Parameters {
        droplets_per_cell: 0.01 * f64::from(cycles),
        cycles,
        // Plants that stand within a few cycles.
        vegetation: Some(Vegetation {
            spawn: 1e-3,
            ..Vegetation::default()
        }),
        tiling: Tiling {
            tile_cells: Some(tile),
            ..Tiling::default()
        },
        ..Parameters::default()
    }
}

pub(crate) fn tile_of(parameters: &Parameters) -> usize {
    parameters.tiling.tile_cells.expect("a tile size")
}

pub(crate) fn key(seed: u64) -> StageKey {
    StageKey::new(seed, "rivers")
}

/// Where a cycle's tiles lie.
#[derive(Debug, Clone)]
pub(crate) struct Edges {
    pub core: [Vec<usize>; 2],
    pub window: [Vec<usize>; 2],
}

impl Edges {
    pub(crate) fn of(moment: &Moment<'_>) -> Self {
        Self {
            core: moment.core_lines(),
            window: moment.window_lines(),
        }
    }
}

/// The edges of each cycle, which hang on key, size and tile alone: from a stage with few droplets.
pub(crate) fn edges_of_cycles(map: &Map, parameters: &Parameters, key: StageKey) -> Vec<Edges> {
    let few = Parameters {
        droplets_per_cell: 1e-3,
        ..parameters.clone()
    };
    let mut edges = Vec::new();
    let mut watch = |moment: &Moment<'_>| edges.push(Edges::of(moment));
    erode_watched(&mut map.clone(), &few, key, &NoObserver, &mut watch).expect("a stage");
    edges
}

/// What is known of a layer at core edges and at window edges.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seams {
    pub core: Both,
    pub window: Both,
}

/// Roughness and straightness of one kind of edges.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Both {
    pub roughness: Evidence,
    pub straightness: Evidence,
}

impl Seams {
    /// Adds what a cycle changed.
    pub(crate) fn add(&mut self, change: &Array2<f64>, edges: &Edges, tile: usize) {
        let measured = Measured::of(change);
        self.core.add(&measured, &edges.core, tile);
        self.window.add(&measured, &edges.window, tile);
    }

    /// The largest |z|.
    pub(crate) fn worst(&self) -> f64 {
        let all =
            [self.core, self.window].map(|e| [e.roughness.z().abs(), e.straightness.z().abs()]);
        all.concat().into_iter().fold(0.0, f64::max)
    }
}

impl Both {
    fn add(&mut self, measured: &Measured, edges: &[Vec<usize>; 2], tile: usize) {
        self.roughness.add(&measured.roughness, edges, tile);
        self.straightness.add(&measured.straightness, edges, tile);
    }
}

impl fmt::Display for Both {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |e: &Evidence| format!("z {:+.2} ({:+.4})", e.z(), e.excess());
        let (rough, straight) = (number(&self.roughness), number(&self.straightness));
        write!(out, "roughness {rough}, straightness {straight}")
    }
}

impl fmt::Display for Seams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "core: {}; window: {}", self.core, self.window)
    }
}
