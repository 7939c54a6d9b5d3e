//! Eight octaves of gradient noise on 1024² cells, one thread: ours and the `noise` crate's, in one group.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Array2;
use noise::{Fbm, MultiFractal, NoiseFn, Perlin};
use thalweg_grid::{Grid, Shape, StageKey, Window};
use thalweg_noise::{Noise, Source, Sum, sample};

const SIZE: usize = 1024;
const WAVELENGTH_M: f64 = 6000.0;

fn grid() -> Grid {
    Grid::new(Shape::new(SIZE, SIZE), 10.0, [500_000.0, 5_200_000.0], None).expect("a sound grid")
}

fn ours(grid: &Grid) -> Array2<f32> {
    let noise = Noise::Fbm(Sum {
        source: Source::Perlin,
        wavelength_m: WAVELENGTH_M,
        octaves: 8,
        lacunarity: 2.0,
        gain: 0.5,
    });
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    sample(&noise, grid, whole, StageKey::new(42, "base")).expect("sound parameters")
}

fn theirs(grid: &Grid, fbm: &Fbm<Perlin>) -> Array2<f32> {
    Array2::from_shape_fn(grid.shape.dim(), |(row, col)| {
        fbm.get([grid.x_m(col) / WAVELENGTH_M, grid.y_m(row) / WAVELENGTH_M]) as f32
    })
}

fn fbm8(criterion: &mut Criterion) {
    let grid = grid();
    let fbm = Fbm::<Perlin>::new(42)
        .set_octaves(8)
        .set_lacunarity(2.0)
        .set_persistence(0.5);
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread");
    let mut group = criterion.benchmark_group("fbm8_perlin_1024_1_thread");
    group.throughput(Throughput::Elements(grid.shape.cells()));
    group.sample_size(10);
    group.bench_function("thalweg", |b| b.iter(|| one.install(|| ours(&grid))));
    group.bench_function("noise_crate", |b| b.iter(|| theirs(&grid, &fbm)));
    group.finish();
}

criterion_group!(benches, fbm8);
criterion_main!(benches);
