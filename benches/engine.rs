//! The droplet engine: nanoseconds a step, and droplets a second.
//!
//! Each case runs one stage of two cycles on noise-like ground; its throughput is in steps, counted in a run before.
//! `criterion` shows elements per second: 50 Melem/s are 20 ns a step.

#[path = "ground/noise.rs"]
mod noise;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use noise::ground;
use std::hint::black_box;
use std::time::Duration;
use thalweg_erosion::{Parameters, Pools, Report, erode};
use thalweg_grid::{Map, NoObserver, StageKey};

/// One percent of the cells in droplets a cycle.
fn parameters(pools: bool) -> Parameters {
    Parameters {
        droplets_per_cell: 0.02,
        cycles: 2,
        pools: pools.then(Pools::default),
        ..Parameters::default()
    }
}

fn stage(map: &Map, parameters: &Parameters) -> Report {
    let mut map = map.clone();
    erode(
        &mut map,
        parameters,
        StageKey::new(42, "rivers"),
        &NoObserver,
    )
    .expect("sound parameters")
}

#[expect(clippy::print_stderr, reason = "counts beside the times")]
fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3));
    for size in [512, 1024, 4096] {
        let map = ground(size);
        for (name, pools) in [("dry", false), ("pools", true)] {
            let parameters = parameters(pools);
            let report = stage(&map, &parameters);
            eprintln!(
                "{size}² {name}: {} droplets, {} sent on by pools, {:.1} steps a droplet",
                report.droplets,
                report.spring_droplets,
                report.steps as f64 / report.droplets as f64
            );
            group.throughput(Throughput::Elements(report.steps));
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("threads");
                let id = BenchmarkId::new(format!("{name}/{threads} threads"), size);
                group.bench_with_input(id, &map, |bencher, map| {
                    bencher.iter(|| pool.install(|| black_box(stage(map, &parameters))));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
