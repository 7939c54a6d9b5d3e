//! Reconciliation of standing water: nanoseconds a wet cell.
//!
//! Each case fills a map once and then reconciles it again and again: `still` with nothing changed, `worked` as a run
//! would, with ground that droplets changed, sills cut a little, inflow to every pool, a delta in each and new water in
//! pits. Its throughput is in wet cells: 10 Melem/s are 100 ns a wet cell.
//!
//! `droplets` pours the same droplets out on lakes at 512²: droplet by droplet as published, and all at once into pools;
//! throughput in droplets. `step` is the engine's step with more or less of the same ground under water.

#[path = "pools/engine.rs"]
mod engine;
#[path = "ground/noise.rs"]
mod noise;
#[path = "pools/plain.rs"]
mod plain;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plain::Plain;
use std::time::{Duration, Instant};
use thalweg_flow::{Bed, Inflow, Kind, PoolInflow, Pools, Release, Since, Touched};
use thalweg_grid::{Grid, NoObserver, Shape, StageKey};
use thalweg_noise::{Noise, Range, Source, Sum, synthesize};

/// Ground laid out as the engine's: half a cache line a cell.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Cell {
    base_m: f32,
    change_um: i32,
    pool: u32,
    kind: Kind,
}

#[derive(Clone)]
struct Ground {
    shape: Shape,
    cells: Vec<Cell>,
}

impl Ground {
    fn new(shape: Shape, height: impl Fn(usize, usize) -> f32) -> Self {
        let cell = |index| {
            let (row, col) = shape.position(index);
            let edge = row == 0 || col == 0 || row + 1 == shape.rows || col + 1 == shape.cols;
            Cell {
                base_m: height(row, col),
                change_um: 0,
                pool: 0,
                kind: if edge { Kind::Drain } else { Kind::Land },
            }
        };
        let cells = (0..shape.len()).map(cell).collect();
        Self { shape, cells }
    }

    fn wet(&self) -> u64 {
        self.cells.iter().filter(|cell| cell.pool != 0).count() as u64
    }
}

impl Bed for Ground {
    fn shape(&self) -> Shape {
        self.shape
    }
    fn elevation_m(&self, cell: usize) -> f64 {
        let cell = &self.cells[cell];
        f64::from(cell.base_m) + f64::from(cell.change_um) * 1e-6
    }
    fn kind(&self, cell: usize) -> Kind {
        self.cells[cell].kind
    }
    fn raise(&mut self, cell: usize, micrometres: i32) -> i32 {
        self.cells[cell].change_um += micrometres;
        micrometres
    }
    fn pool(&self, cell: usize) -> u32 {
        self.cells[cell].pool
    }
    fn set_pool(&mut self, cell: usize, pool: u32) {
        self.cells[cell].pool = pool;
    }
}

/// Ground, and the water that fills it.
type Case = (Ground, Vec<(usize, f64)>);

/// The same water on every cell.
fn rained(ground: Ground, water_m: f64) -> Case {
    let cells = 0..ground.shape.len();
    let rain = cells.map(|cell| (cell, water_m)).collect();
    (ground, rain)
}

/// Noise of which some 5% is under water.
fn noise(size: usize) -> Case {
    let shape = Shape::new(size, size);
    let grid = Grid::new(shape, 10.0, [0.0, 0.0], None).expect("a sound grid");
    let noise = Noise::Fbm(Sum {
        octaves: 9,
        ..Sum::new(Source::Perlin, 6000.0)
    });
    let key = StageKey::new(42, "base");
    let elevation = synthesize(
        &noise,
        &grid,
        [0.0, 640.0],
        Range::Observed,
        key,
        &NoObserver,
    )
    .expect("sound parameters");
    rained(Ground::new(shape, |row, col| elevation[(row, col)]), 0.05)
}

/// One lake over the whole map.
fn bowl(size: usize) -> Case {
    let middle = (size - 1) as f32 / 2.0;
    let height = |row: usize, col: usize| {
        let from = |at: usize| (at as f32 - middle).abs();
        // A little askew: not all of its rim is of one height.
        let askew = 1e-3 * (row as f32 + 0.3 * col as f32);
        0.1 * from(row).max(from(col)) + askew
    };
    let ground = Ground::new(Shape::new(size, size), height);
    let centre = ground.shape.index(size / 2, size / 2);
    (ground, vec![(centre, 1e12)])
}

/// A slope with a basin in every 40² cells.
fn basins(size: usize) -> Case {
    let height = |row: usize, col: usize| {
        let from = |at: usize| (at % 40) as f32 - 19.5;
        let hollow = (from(row).powi(2) + from(col).powi(2)).min(81.0) - 81.0;
        0.05 * row as f32 + 0.01 * col as f32 + 0.1 * hollow
    };
    let ground = Ground::new(Shape::new(size, size), height);
    let shape = ground.shape;
    let centres = (20..size)
        .step_by(40)
        .flat_map(|row| (20..size).step_by(40).map(move |col| (row, col)));
    // Some fill half, some spill.
    let water =
        |(row, col): (usize, usize)| (shape.index(row, col), (300 + (row + 7 * col) % 900) as f64);
    let parcels = centres.map(water).collect();
    (ground, parcels)
}

/// A small fast generator; the work that it draws need not be good, only the same.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// What droplets would have done since the last reconciliation.
fn work(ground: &mut Ground, pools: &Pools, draws: &mut Draws, touched: &mut Touched) -> Inflow {
    let cells = ground.shape.len();
    for _ in 0..cells / 5 {
        let cell = draws.below(cells);
        if ground.cells[cell].pool == 0 {
            ground.cells[cell].change_um += draws.below(401) as i32 - 200;
            touched.mark(cell);
        }
    }
    let mut inflow = Inflow::default();
    for (_, pool) in pools.iter() {
        if let Some(outlet) = pool.outlet {
            ground.cells[outlet.sill].change_um -= 100;
            touched.mark(outlet.sill);
        }
        inflow.pools.push(PoolInflow {
            water_m: 0.001 * pool.cells.len() as f64,
            droplets: 5,
        });
        let entry = pool.cells[draws.below(pool.cells.len())];
        inflow.sediment.push((entry, 20_000));
    }
    for _ in 0..cells / 2000 {
        inflow.ground.push((draws.below(cells), 0.05));
    }
    inflow
}

const SPRINGS: Release = Release::Springs {
    unit_m: 1.0,
    minimum: 0.01,
};

#[expect(clippy::print_stderr, reason = "counts beside the times")]
fn reconcile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reconcile");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3));
    for (name, (ground, rain)) in [
        ("noise 2048²", noise(2048)),
        ("bowl 2048²", bowl(2048)),
        ("basins 4096²", basins(4096)),
    ] {
        let mut ground = ground;
        let mut pools = Pools::new(0.001);
        let start = Instant::now();
        let inflow = Inflow {
            ground: rain,
            ..Inflow::default()
        };
        pools.reconcile(&mut ground, inflow, Release::Settle);
        let first = start.elapsed();
        let wet = ground.wet();
        eprintln!(
            "{name}: {} pools, {wet} wet cells ({:.1}%), filled in {first:?}: {:.0} ns a wet cell",
            pools.len(),
            100.0 * wet as f64 / ground.shape.len() as f64,
            first.as_nanos() as f64 / wet as f64
        );
        group.throughput(Throughput::Elements(wet));
        for worked in [false, true] {
            let mut ground = ground.clone();
            let mut pools = pools.clone();
            let mut draws = Draws(1);
            let id = BenchmarkId::new(if worked { "worked" } else { "still" }, name);
            group.bench_function(id, |bencher| {
                bencher.iter_custom(|rounds| {
                    let mut spent = Duration::ZERO;
                    for _ in 0..rounds {
                        let mut touched = Touched::none(ground.shape);
                        let inflow = if worked {
                            work(&mut ground, &pools, &mut draws, &mut touched)
                        } else {
                            Inflow::default()
                        };
                        let since = Since {
                            touched,
                            ..Since::default()
                        };
                        let start = Instant::now();
                        pools.reconcile_since(&mut ground, inflow, SPRINGS, since);
                        spent += start.elapsed();
                    }
                    spent
                });
            });
        }
    }
    group.finish();
}

/// Droplets of 10 m over one cell, a fiftieth of the cells.
fn droplets(shape: Shape) -> Vec<(usize, f64)> {
    let mut draws = Draws(7);
    let cells = 0..shape.len() / 50;
    cells.map(|_| (draws.below(shape.len()), 10.0)).collect()
}

/// Noise with lakes.
fn flooded(size: usize) -> (Ground, Pools) {
    let (mut ground, rain) = noise(size);
    let mut pools = Pools::new(0.001);
    let inflow = Inflow {
        ground: rain,
        ..Inflow::default()
    };
    pools.reconcile(&mut ground, inflow, Release::Settle);
    (ground, pools)
}

#[expect(clippy::print_stderr, reason = "counts beside the times")]
fn one_by_one(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("droplets");
    group.sample_size(10);
    let (ground, pools) = flooded(512);
    let shape = ground.shape;
    let droplets = droplets(shape);
    eprintln!(
        "512²: {} droplets, {:.1}% under water",
        droplets.len(),
        100.0 * ground.wet() as f64 / shape.len() as f64
    );
    group.throughput(Throughput::Elements(droplets.len() as u64));
    let heights = (0..shape.len()).map(|cell| ground.elevation_m(cell));
    let mut depth = vec![0.0; shape.len()];
    for (_, pool) in pools.iter() {
        for &cell in &pool.cells {
            depth[cell] = pool.level_m - ground.elevation_m(cell);
        }
    }
    let plain = Plain::new(shape, heights.collect(), depth);
    group.bench_function("plain 512²", |bencher| {
        let rain = |mut plain: Plain| {
            for &(cell, water_m) in &droplets {
                plain.rain(cell, water_m);
            }
            plain
        };
        bencher.iter_batched(|| plain.clone(), rain, BatchSize::LargeInput);
    });
    group.bench_function("pools 512²", |bencher| {
        let rain = |(mut ground, mut pools): (Ground, Pools)| {
            let inflow = Inflow {
                ground: droplets.clone(),
                ..Inflow::default()
            };
            pools.reconcile(&mut ground, inflow, Release::Settle);
            (ground, pools)
        };
        let start = || (ground.clone(), pools.clone());
        bencher.iter_batched(start, rain, BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group!(benches, reconcile, one_by_one, engine::steps);
criterion_main!(benches);
