//! Noise on 2048² cells, one thread: ours and the `noise` crate's, kind by kind in one group each; and a whole synthesis
//! of 8192², observed range included.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Array2;
use noise::{Fbm, MultiFractal, NoiseFn, Perlin, Simplex, SuperSimplex};
use thalweg_grid::{Grid, NoObserver, Shape, StageKey, Window};
use thalweg_noise::{
    Instructions, Noise, Range, Source, Sum, Warp, WarpMode, sample_with, synthesize,
};

const WAVELENGTH_M: f64 = 6000.0;

fn grid(size: usize) -> Grid {
    Grid::new(Shape::new(size, size), 10.0, [500_000.0, 5_200_000.0], None).expect("a sound grid")
}

fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().expect("a pool of threads")
}

fn ours(noise: &Noise, grid: &Grid, instructions: Instructions) -> Array2<f32> {
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    let key = StageKey::new(42, "base");
    sample_with(instructions, noise, grid, whole, key).expect("sound parameters")
}

fn theirs(grid: &Grid, noise: &impl NoiseFn<f64, 2>) -> Array2<f32> {
    Array2::from_shape_fn(grid.shape.dim(), |(row, col)| {
        noise.get([grid.x_m(col) / WAVELENGTH_M, grid.y_m(row) / WAVELENGTH_M]) as f32
    })
}

fn sum(source: Source) -> Sum {
    Sum::new(source, WAVELENGTH_M)
}

fn eight<T: MultiFractal>(noise: T) -> T {
    noise
        .set_octaves(8)
        .set_lacunarity(2.0)
        .set_persistence(0.5)
}

/// Ours with either instructions beside theirs.
fn side_by_side(
    criterion: &mut Criterion,
    name: &str,
    noise: &Noise,
    other: &impl NoiseFn<f64, 2>,
) {
    let (grid, one) = (grid(2048), pool(1));
    let mut group = group(criterion, &format!("{name}_2048"), &grid);
    let choices = [
        ("detected", Instructions::Detected),
        ("baseline", Instructions::Baseline),
    ];
    for (label, instructions) in choices {
        group.bench_function(label, |b| {
            b.iter(|| one.install(|| ours(noise, &grid, instructions)))
        });
    }
    group.bench_function("noise_crate", |b| b.iter(|| theirs(&grid, other)));
    group.finish();
}

fn group<'a>(
    criterion: &'a mut Criterion,
    name: &str,
    grid: &Grid,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(grid.shape.cells()));
    group.sample_size(10);
    group.warm_up_time(std::time::Duration::from_millis(500));
    group.measurement_time(std::time::Duration::from_secs(2));
    group
}

fn kinds(criterion: &mut Criterion) {
    let perlin = sum(Source::Perlin);
    side_by_side(
        criterion,
        "fbm8_perlin",
        &Noise::Fbm(perlin),
        &eight(Fbm::<Perlin>::new(42)),
    );
    side_by_side(
        criterion,
        "ridged8_perlin",
        &Noise::Ridged(perlin),
        &eight(noise::RidgedMulti::<Perlin>::new(42)),
    );
    side_by_side(
        criterion,
        "billow8_perlin",
        &Noise::Billow(perlin),
        &eight(noise::Billow::<Perlin>::new(42)),
    );
    let simplex = Noise::Fbm(sum(Source::Simplex));
    side_by_side(
        criterion,
        "fbm8_simplex",
        &simplex,
        &eight(Fbm::<Simplex>::new(42)),
    );
    let open = Noise::Fbm(sum(Source::OpenSimplex2));
    side_by_side(
        criterion,
        "fbm8_opensimplex2",
        &open,
        &eight(Fbm::<noise::OpenSimplex>::new(42)),
    );
    let smooth = Noise::Fbm(sum(Source::OpenSimplex2S));
    side_by_side(
        criterion,
        "fbm8_opensimplex2s",
        &smooth,
        &eight(Fbm::<SuperSimplex>::new(42)),
    );
}

/// fBm of eight octaves, displaced by three; the `noise` crate calls that turbulence.
fn warped(criterion: &mut Criterion) {
    let by = Warp {
        amplitude_m: 1000.0,
        wavelength_m: WAVELENGTH_M,
        octaves: 3,
        lacunarity: 2.0,
        gain: 0.5,
        mode: WarpMode::Independent,
        seed: 0,
    };
    let of = Box::new(Noise::Fbm(sum(Source::Perlin)));
    let other = noise::Turbulence::<_, Perlin>::new(eight(Fbm::<Perlin>::new(42))).set_roughness(3);
    side_by_side(
        criterion,
        "warped_fbm8_perlin",
        &Noise::Warp { of, by },
        &other,
    );
}

fn threads(criterion: &mut Criterion) {
    let grid = grid(2048);
    let mut group = group(criterion, "fbm8_perlin_2048_threads", &grid);
    let noise = Noise::Fbm(sum(Source::Perlin));
    for threads in [1, 2] {
        let pool = pool(threads);
        group.bench_function(threads.to_string(), |b| {
            b.iter(|| pool.install(|| ours(&noise, &grid, Instructions::Detected)));
        });
    }
    group.finish();
}

fn whole(criterion: &mut Criterion) {
    let (grid, one) = (grid(8192), pool(1));
    let mut group = group(criterion, "synthesize_8192", &grid);
    let noise = Noise::Fbm(sum(Source::Perlin));
    let key = StageKey::new(42, "base");
    group.bench_function("thalweg", |b| {
        b.iter(|| {
            one.install(|| {
                synthesize(
                    &noise,
                    &grid,
                    [0.0, 1500.0],
                    Range::Observed,
                    key,
                    &NoObserver,
                )
            })
        });
    });
    group.finish();
}

criterion_group!(benches, kinds, warped, threads, whole);
criterion_main!(benches);
