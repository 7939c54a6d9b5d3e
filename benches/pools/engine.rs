//! What lakes cost the engine: the same ground and droplets, with more or less of it under water.

use crate::Ground;
use crate::noise::ground;
use criterion::{BenchmarkId, Criterion, Throughput};
use ndarray::Array2;
use std::cmp::Reverse;
use std::hint::black_box;
use thalweg_erosion::{Parameters, erode};
use thalweg_flow::{Pools, fill};
use thalweg_grid::{Layer, Map, NoObserver, Raster, StageKey};

/// Fills the map's largest depressions until they cover a share of it; returns what they do cover.
fn flood(map: &mut Map, share: f64) -> f64 {
    let filled = fill(map.elevation.view(), None).expect("finite ground");
    let depth = &filled - &map.elevation;
    let shape = map.grid.shape;
    let mut ground = Ground::new(shape, |row, col| map.elevation[(row, col)]);
    let depth_m = |cell| f64::from(depth[shape.position(cell)]);
    let pools = Pools::from_depths(0.001, &mut ground, depth_m);
    let mut lakes: Vec<&[usize]> = pools.iter().map(|(_, pool)| &pool.cells[..]).collect();
    lakes.sort_by_key(|cells| (Reverse(cells.len()), cells[0]));
    let mut left = (share * shape.len() as f64) as usize;
    let mut lake_depth = Array2::zeros(shape.dim());
    for cells in lakes {
        if cells.len() <= left {
            left -= cells.len();
            for &cell in cells {
                lake_depth[shape.position(cell)] = depth[shape.position(cell)];
            }
        }
    }
    let wet = lake_depth.iter().filter(|&&depth| depth > 0.0).count();
    map.layers
        .insert(Layer::PoolDepth, Raster::Float(lake_depth));
    wet as f64 / shape.len() as f64
}

/// Two cycles of one percent of the cells in droplets, throughput in steps.
#[expect(clippy::print_stderr, reason = "counts beside the times")]
pub(crate) fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.sample_size(10);
    for (name, share) in [("0%", 0.0), ("2.6%", 0.026), ("5%", 0.05)] {
        let mut map = ground(1024);
        let wet = flood(&mut map, share);
        let parameters = Parameters {
            droplets_per_cell: 0.02,
            cycles: 2,
            pools: Some(thalweg_erosion::Pools::default()),
            ..Parameters::default()
        };
        let stage = || {
            let mut map = map.clone();
            let key = StageKey::new(42, "rivers");
            erode(&mut map, &parameters, key, &NoObserver).expect("sound parameters")
        };
        let report = stage();
        eprintln!(
            "1024², {:.2}% under water at first: {} steps, {} pools in the end",
            100.0 * wet,
            report.steps,
            report.pools
        );
        group.throughput(Throughput::Elements(report.steps));
        let id = BenchmarkId::new("lakes 1024²", name);
        group.bench_function(id, |bencher| bencher.iter(|| black_box(stage())));
    }
    group.finish();
}
