//! The engine has no seams.

use crate::ground::hills;
use crate::probe::{Edges, SEEDS, Seams, key, parameters, tile_of};
use ndarray::Array2;
use std::fmt::Write;
use thalweg_erosion::{Moment, Parameters, Pools, erode_watched};
use thalweg_grid::NoObserver;

const LAYERS: [&str; 3] = ["elevation", "stream", "discharge"];

/// The layers after a cycle, in the order of `LAYERS`.
fn layers(moment: &Moment<'_>) -> [Array2<f64>; 3] {
    [
        moment.change_m(),
        moment.stream().mapv(f64::from),
        moment.discharge_m3().mapv(f64::from),
    ]
}

/// Gathers over the cycles with rain of all seeds. Cycles without rain, at a stage's end, teach stream and discharge
/// nothing and bring few droplets.
fn seams(size: usize, parameters: &Parameters) -> [Seams; 3] {
    let tile = tile_of(parameters);
    let mut found = [Seams::default(); 3];
    for seed in SEEDS {
        let mut before = LAYERS.map(|_| Array2::zeros((size, size)));
        let mut watch = |moment: &Moment<'_>| {
            if moment.cycle() >= parameters.cycles {
                return;
            }
            let edges = Edges::of(moment);
            let now = layers(moment);
            for ((found, now), before) in found.iter_mut().zip(&now).zip(&before) {
                found.add(&(now - before), &edges, tile);
            }
            before = now;
        };
        let mut map = hills(size, seed);
        erode_watched(&mut map, parameters, key(seed), &NoObserver, &mut watch).expect("a stage");
    }
    found
}

fn has_no_seams(size: usize, parameters: &Parameters) {
    let found = seams(size, parameters);
    let mut table = String::new();
    for (name, seams) in LAYERS.iter().zip(&found) {
        writeln!(table, "{name:10} {seams}").expect("text");
    }
    assert!(found.iter().all(|seams| seams.worst() < 3.0), "\n{table}");
}

fn with_pools(tile: usize, cycles: u32) -> Parameters {
    Parameters {
        pools: Some(Pools::default()),
        ..parameters(tile, cycles)
    }
}

#[test]
fn tiles_of_64() {
    has_no_seams(384, &parameters(64, 20));
}

#[test]
fn tiles_of_128_with_pools() {
    has_no_seams(512, &with_pools(128, 8));
}

#[test]
#[ignore = "long"]
fn tiles_of_64_with_pools() {
    has_no_seams(384, &with_pools(64, 20));
}

#[test]
#[ignore = "long"]
fn tiles_of_128() {
    has_no_seams(768, &parameters(128, 20));
}

#[test]
#[ignore = "long"]
fn tiles_of_256() {
    has_no_seams(768, &parameters(256, 20));
}

#[test]
#[ignore = "long"]
fn tiles_of_256_with_pools() {
    has_no_seams(640, &with_pools(256, 10));
}
