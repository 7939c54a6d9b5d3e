//! Each kernel against a plain textbook implementation: one point at a time, f64, no shared passes. They have the hash of
//! a node in common, and nothing else.

use super::octave::{Octave, Place};
use crate::expression::{Along, Cells, Evolution, Metric, Plain, Source, Value};
use crate::hash;
use crate::testing::*;
use crate::{Interpolation, sample};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use thalweg_grid::{Shape, StageKey};

fn node(octave: &Octave, x: i64, y: i64) -> u32 {
    hash::node(hash::line::<0>(x, octave.key).wrapping_add(hash::line::<1>(y, octave.key)))
}

/// The direction of a hash: its upper bits choose a quarter of the circle, the rest a place on it.
fn direction(hash: u32) -> [f64; 2] {
    let middle = [0.0, PI, FRAC_PI_2, -FRAC_PI_2][(hash >> 30) as usize];
    let off = f64::from((hash << 2) as i32) / 2_147_483_648.0 * FRAC_PI_4;
    let [x, y] = [(middle.cos()), (middle.sin())].map(f64::round);
    let (sin, cos) = off.sin_cos();
    // Arcs to east and west run with y, those to north and south with x.
    if x.abs() > 0.5 {
        [x * cos, sin]
    } else {
        [sin, y * cos]
    }
}

fn fade(t: f64, kind: Interpolation) -> f64 {
    match kind {
        Interpolation::Linear => t,
        Interpolation::Cosine => (1.0 - (PI * t).cos()) / 2.0,
        Interpolation::Smoothstep => 3.0 * t.powi(2) - 2.0 * t.powi(3),
        Interpolation::Quintic => 6.0 * t.powi(5) - 15.0 * t.powi(4) + 10.0 * t.powi(3),
    }
}

fn lattice(
    octave: &Octave,
    kind: Interpolation,
    x: f64,
    y: f64,
    seen: impl Fn(u32, f64, f64) -> f64,
) -> f64 {
    let (i, j) = (x.floor(), y.floor());
    let corner = |a: f64, b: f64| {
        seen(
            node(octave, (i + a) as i64, (j + b) as i64),
            x - i - a,
            y - j - b,
        )
    };
    let (u, v) = (fade(x - i, kind), fade(y - j, kind));
    let south = corner(0.0, 0.0) * (1.0 - u) + corner(1.0, 0.0) * u;
    let north = corner(0.0, 1.0) * (1.0 - u) + corner(1.0, 1.0) * u;
    south * (1.0 - v) + north * v
}

/// Sums (R − r²)⁴ ramps over every node of the triangular lattice that may be near.
fn wavelets(octave: &Octave, r: f64, x: f64, y: f64, direction: impl Fn(u32) -> [f64; 2]) -> f64 {
    let skew = (x + y) * (3.0_f64.sqrt() - 1.0) / 2.0;
    let (i0, j0) = ((x + skew).floor() as i64, (y + skew).floor() as i64);
    let mut sum = 0.0;
    for i in i0 - 3..=i0 + 3 {
        for j in j0 - 3..=j0 + 3 {
            let back = (i + j) as f64 * (3.0 - 3.0_f64.sqrt()) / 6.0;
            let (dx, dy) = (x - (i as f64 - back), y - (j as f64 - back));
            let [gx, gy] = direction(node(octave, i, j));
            sum += (r - dx * dx - dy * dy).max(0.0).powi(4) * (gx * dx + gy * dy);
        }
    }
    sum
}

/// The same of 24: the middle of the sixth of its quarter in which a hash lies.
fn direction24(hash: u32) -> [f64; 2] {
    let [quarter, place] = [hash >> 30, hash & 0x3fff_ffff];
    let sixth = (u64::from(place) * 6) >> 30;
    direction((quarter << 30) + ((2 * sixth + 1) << 30).div_euclid(12) as u32)
}

/// Shares of a turn at which gradients that turn begin.
fn angle(hash: u32) -> f64 {
    f64::from(hash) / 4_294_967_296.0
}

fn angle24(hash: u32) -> f64 {
    let k = (u64::from(hash >> 8) * 24) >> 24;
    (2 * k + 1) as f64 / 48.0
}

/// A gradient that stands, or where it has turned to at [`MOMENT_S`].
fn turned(octave: &Octave, still: [f64; 2], begin: f64, hash: u32) -> [f64; 2] {
    if !octave.turns {
        return still;
    }
    let angle = (begin + rate(hash::again(hash)) * MOMENT_S) * std::f64::consts::TAU;
    [angle.cos(), angle.sin()]
}

/// When evolving noise is looked at.
const MOMENT_S: f64 = 4.3;
/// A loop of 10 s and a change of 3 s.
const LOOP_S: f64 = 10.0;
const CHANGE_S: f64 = 3.0;

/// Turns per second of a node, from 16 bits of it: once or twice a loop, either way, where a change is a quarter of a
/// turn (10 ÷ 3 ÷ 4 ÷ 1.5 rounds to 1) or half of one (10 ÷ 3 ÷ 2 ÷ 1.5 = 1.1).
fn rate(bits: u32) -> f64 {
    let turns = f64::from(1 + (bits & 1)) / LOOP_S;
    if bits & 0x8000 == 0 { turns } else { -turns }
}

fn cellular(octave: &Octave, cells: Cells, x: f64, y: f64) -> f64 {
    let (i0, j0) = (x.floor() as i64, y.floor() as i64);
    let mut found = Vec::new();
    for i in i0 - 4..=i0 + 4 {
        for j in j0 - 4..=j0 + 4 {
            let hash = node(octave, i, j);
            let rates = hash::again(hash);
            let place = |bits: u32, rate_bits: u32, n: i64| {
                let share = (f64::from(bits) + 0.5) / 65_536.0;
                if !octave.turns {
                    return n as f64 + share;
                }
                // Half a turn there, half a turn back.
                let turn = (share + rate(rate_bits) * MOMENT_S).rem_euclid(1.0);
                n as f64
                    + if turn < 0.5 {
                        2.0 * turn
                    } else {
                        2.0 - 2.0 * turn
                    }
            };
            let (dx, dy) = (
                (place(hash >> 16, rates, i) - x).abs(),
                (place(hash & 0xffff, rates >> 16, j) - y).abs(),
            );
            found.push(match cells.metric {
                Metric::Euclidean => dx.hypot(dy),
                Metric::Manhattan => dx + dy,
                Metric::Chebyshev => dx.max(dy),
            });
        }
    }
    found.sort_by(f64::total_cmp);
    let told = if cells.value == Value::Nearest {
        found[0]
    } else {
        found[1]
    };
    let told = if cells.value == Value::Border {
        found[1] - found[0]
    } else {
        told
    };
    let most = [[2.0_f64.sqrt(), 2.5_f64.sqrt()], [2.0, 2.0], [1.0, 1.5]];
    2.0 * told / most[cells.metric as usize][usize::from(cells.value != Value::Nearest)] - 1.0
}

fn octave(plain: &Plain) -> Octave {
    let key = StageKey::new(42, "base");
    // The node's number is that of a first source in an expression.
    let id = StageKey::new(plain.seed, "/fbm/0").bits(thalweg_grid::Purpose::Noise, 0, 0);
    Octave::new(
        plain,
        Place {
            key,
            node: id,
            index: 0,
            frequency: 1.0,
            weight: 1.0,
            turn: 0.0,
            time_s: MOMENT_S,
        },
    )
}

fn textbook(octave: &Octave, plain: &Plain, x_m: f64, y_m: f64) -> f64 {
    let (x, y) = (octave.at(0, x_m, y_m), octave.at(1, x_m, y_m));
    let with =
        |seen: &dyn Fn(u32, f64, f64) -> f64| lattice(octave, plain.interpolation, x, y, seen);
    let signed = |hash: u32| f64::from(hash as i32) / 2_147_483_648.0;
    match (plain.source, plain.along) {
        (Source::Value, _) => with(&|hash, _, _| signed(hash)),
        (Source::Perlin, Along::Easting) => 2.0 * with(&|hash, x, _| signed(hash) * x),
        (Source::Perlin, Along::Northing) => 2.0 * with(&|hash, _, y| signed(hash) * y),
        (Source::Perlin, Along::Both) => {
            2.0_f64.sqrt()
                * with(&|hash, x, y| {
                    let [gx, gy] = direction(hash);
                    gx * x + gy * y
                })
        }
        (Source::Simplex, _) => {
            let seen = |hash| turned(octave, direction(hash), angle(hash), hash);
            super::simplex::NARROW_SCALE * wavelets(octave, 0.5, x, y, seen)
        }
        (source, _) if source != Source::Worley => {
            let seen = |hash| turned(octave, direction24(hash), angle24(hash), hash);
            let (scale, r) = match source {
                Source::OpenSimplex2 => (super::simplex::NARROW24_SCALE, 0.5),
                _ => (super::simplex::WIDE_SCALE, 2.0 / 3.0),
            };
            scale * wavelets(octave, r, x, y, seen)
        }
        _ => cellular(octave, plain.cells, x, y),
    }
}

/// Everything that has a textbook formula in two dimensions or one.
fn plains() -> Vec<Plain> {
    let mut all: Vec<Plain> = Source::ALL
        .iter()
        .map(|&source| Plain::new(source, 57.3))
        .collect();
    for interpolation in INTERPOLATIONS {
        for source in [Source::Perlin, Source::Value] {
            all.push(Plain {
                interpolation,
                ..Plain::new(source, 57.3)
            });
        }
    }
    for along in [Along::Easting, Along::Northing] {
        all.push(Plain {
            along,
            ..Plain::new(Source::Perlin, 57.3)
        });
    }
    let evolution = Some(Evolution {
        change_s: CHANGE_S,
        loop_s: Some(LOOP_S),
    });
    for source in [
        Source::Simplex,
        Source::OpenSimplex2,
        Source::OpenSimplex2S,
        Source::Worley,
    ] {
        all.push(Plain {
            evolution,
            ..Plain::new(source, 57.3)
        });
    }
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
        for value in [Value::Nearest, Value::Second, Value::Border] {
            all.push(Plain {
                cells: Cells { metric, value },
                ..Plain::new(Source::Worley, 57.3)
            });
        }
    }
    all
}

/// West and south of the origin, around it, and at large coordinates; along rows and point by point.
#[test]
fn every_kernel_agrees_with_its_textbook() {
    let key = StageKey::new(42, "base");
    for plain in plains() {
        for origin_m in [[-1000.0, 500.0], [4_999_000.0, 5_200_000.0]] {
            let grid = grid(Shape::new(40, 150), 10.0, origin_m);
            let octave = octave(&plain);
            let noise = crate::Noise::At {
                of: Box::new(crate::Noise::Plain(plain)),
                time_s: MOMENT_S,
            };
            // Points stand in the middle of steps of 2⁻¹⁶ or of 2⁻²⁴, which cells of 5 × 5 tell apart.
            let within = if octave.turns { 4e-5 } else { 3e-6 };
            for noise in [noise.clone(), by_points(noise)] {
                let values = sample(&noise, &grid, whole(&grid), key).unwrap();
                for ((row, col), &value) in values.indexed_iter() {
                    let expected = textbook(&octave, &plain, grid.x_m(col), grid.y_m(row));
                    assert!(
                        (f64::from(value) - expected).abs() < within,
                        "{value} for {expected} at ({row}, {col}) of {noise:?}"
                    );
                }
            }
        }
    }
}

/// Gradient noise in three and four dimensions, by the definition: a blend over all corners of the cell.
#[test]
fn evolving_noise_is_noise_of_more_dimensions() {
    let key = StageKey::new(42, "base");
    for loop_s in [None, Some(20.0)] {
        let evolution = Some(Evolution {
            change_s: 2.0,
            loop_s,
        });
        let plain = Plain {
            evolution,
            ..Plain::new(Source::Perlin, 57.3)
        };
        let octave = octave(&plain);
        let grid = grid(Shape::new(20, 130), 10.0, [-300.0, 500.0]);
        let noise = crate::Noise::At {
            of: Box::new(crate::Noise::Plain(plain)),
            time_s: MOMENT_S,
        };
        let values = sample(&noise, &grid, whole(&grid), key).unwrap();
        let points = sample(&by_points(noise), &grid, whole(&grid), key).unwrap();
        for ((row, col), &value) in values.indexed_iter() {
            let (x, y) = (
                octave.at(0, grid.x_m(col), grid.y_m(row)),
                octave.at(1, grid.x_m(col), grid.y_m(row)),
            );
            let mut expected = 0.0;
            for slice in &octave.slices {
                let seen = |lines: u32, dx: f64, dy: f64| {
                    let g = if loop_s.is_some() {
                        crate::math::sphere4(lines).map(f64::from)
                    } else {
                        let [a, b, c] = crate::math::sphere(lines).map(f64::from);
                        [a, b, c, 0.0]
                    };
                    g[0] * dx + g[1] * dy + g[2] * f64::from(slice.z) + g[3] * f64::from(slice.w)
                };
                let (i, j) = (x.floor(), y.floor());
                let corner = |a: f64, b: f64| {
                    let lines = hash::line::<0>((i + a) as i64, octave.key)
                        .wrapping_add(hash::line::<1>((j + b) as i64, octave.key))
                        .wrapping_add(slice.lines);
                    seen(hash::node(lines), x - i - a, y - j - b)
                };
                let (u, v) = (
                    fade(x - i, Interpolation::Quintic),
                    fade(y - j, Interpolation::Quintic),
                );
                let south = corner(0.0, 0.0) * (1.0 - u) + corner(1.0, 0.0) * u;
                let north = corner(0.0, 1.0) * (1.0 - u) + corner(1.0, 1.0) * u;
                expected += f64::from(slice.weight) * (south * (1.0 - v) + north * v);
            }
            expected *= if loop_s.is_some() {
                1.0
            } else {
                2.0 / 3.0_f64.sqrt()
            };
            assert!(
                (f64::from(value) - expected).abs() < 3e-6,
                "{value} for {expected}"
            );
            assert!((value - points[(row, col)]).abs() < 3e-6);
        }
        let total: f32 = octave.slices.iter().map(|slice| slice.weight).sum();
        assert!((total - 1.0).abs() < 1e-6);
    }
}

/// The largest value with each node's gradient at its best is what the scales divide by.
#[test]
fn scales_are_one_over_the_largest_value() {
    let most = |r: f64, best: &dyn Fn(f64, f64) -> f64| {
        let mut most = 0.0_f64;
        for a in 0..400 {
            for b in 0..400 {
                let (x, y) = (f64::from(a) / 400.0, f64::from(b) / 400.0);
                let mut sum = 0.0;
                for i in -3..=4 {
                    for j in -3..=4 {
                        let back = f64::from(i + j) * (3.0 - 3.0_f64.sqrt()) / 6.0;
                        let (dx, dy) = (x - f64::from(i) + back, y - f64::from(j) + back);
                        sum += (r - dx * dx - dy * dy).max(0.0).powi(4) * best(dx, dy);
                    }
                }
                most = most.max(sum);
            }
        }
        most
    };
    let any = |x: f64, y: f64| x.hypot(y);
    let of24 = |x: f64, y: f64| {
        let angles = (0..24).map(|k| (f64::from(k) + 0.5) * PI / 12.0);
        angles
            .map(|a| a.cos() * x + a.sin() * y)
            .fold(0.0, f64::max)
    };
    for (scale, found) in [
        (super::simplex::NARROW_SCALE, most(0.5, &any)),
        (super::simplex::NARROW24_SCALE, most(0.5, &of24)),
        (super::simplex::WIDE_SCALE, most(2.0 / 3.0, &of24)),
    ] {
        assert!(
            (0.999..=1.0).contains(&(scale * found)),
            "{}",
            scale * found
        );
    }
}

/// Octave `index` of a sum that is the first of its kind in an expression, without weight.
fn octave_of(kind: &str, index: u64) -> Octave {
    let place = Place {
        key: StageKey::new(42, "base"),
        node: StageKey::new(0, &format!("/{kind}/0")).bits(thalweg_grid::Purpose::Noise, 0, 0),
        index,
        frequency: (1 << index) as f64,
        weight: 1.0,
        turn: 0.0,
        time_s: 0.0,
    };
    Octave::new(&Plain::new(Source::Perlin, 570.3), place)
}

/// The octaves' values n, their weights g, and the value by the formula in the documentation.
fn formula(kind: &str, n: &[f64], g: &[f64]) -> f64 {
    let total: f64 = g.iter().sum();
    let mean =
        |of: &dyn Fn(f64) -> f64| n.iter().zip(g).map(|(n, g)| g * of(*n)).sum::<f64>() / total;
    match kind {
        "billow" => mean(&|n| 2.0 * n.abs() - 1.0),
        "turbulence" => mean(&f64::abs),
        "ridged" => {
            let (mut last, mut sum) = (f64::INFINITY, 0.0);
            for (n, g) in n.iter().zip(g) {
                last = (1.0 - n.abs()).powi(2) * (2.0 * last).min(1.0);
                sum += g * last;
            }
            sum / total
        }
        "hybrid" => {
            let (mut weight, mut sum) = (1.0_f64, 0.0);
            for (n, g) in n.iter().zip(g) {
                weight = weight.min(1.0) * g * (n + 0.7);
                sum += weight;
            }
            sum
        }
        "heterogeneous" => {
            let first = 1.0 + n[0];
            let rest = n.iter().zip(g).skip(1);
            let most: f64 = g[1..].iter().map(|g| 1.0 + 2.0 * g).product();
            rest.fold(first, |h, (n, g)| h * (1.0 + g * (n + 1.0))) / (2.0 * most)
        }
        "ping_pong" => mean(&|n| {
            let t = (2.0 * (n + 1.0)).rem_euclid(2.0);
            if t < 1.0 {
                2.0 * t - 1.0
            } else {
                3.0 - 2.0 * t
            }
        }),
        _ => mean(&|n| n),
    }
}

#[test]
fn sums_follow_their_formulas() {
    let plain = Plain::new(Source::Perlin, 570.3);
    let grid = grid(Shape::new(30, 150), 10.0, [4_999_000.0, 5_200_000.0]);
    for (kind, noise) in SUMS {
        let gain = 0.6;
        let sum = crate::Sum {
            gain,
            ..sum(Source::Perlin, 570.3, 4)
        };
        let octaves: Vec<Octave> = (0..4).map(|index| octave_of(kind, index)).collect();
        let weights: Vec<f64> = (0..4).map(|index| f64::powi(gain, index)).collect();
        let values = sample(&noise(sum), &grid, whole(&grid), StageKey::new(42, "base")).unwrap();
        for ((row, col), &value) in values.indexed_iter() {
            let at = |octave| textbook(octave, &plain, grid.x_m(col), grid.y_m(row));
            let n: Vec<f64> = octaves.iter().map(at).collect();
            let expected = formula(kind, &n, &weights);
            assert!(
                (f64::from(value) - expected).abs() < 1e-5,
                "{kind}: {value} for {expected}"
            );
        }
    }
}

/// Slopes of the octaves by finite differences of the textbook's values.
#[test]
fn eroded_ground_is_damped_by_its_slope() {
    let plain = Plain::new(Source::Perlin, 570.3);
    let grid = grid(Shape::new(20, 150), 10.0, [499_000.0, 520_000.0]);
    let sum = sum(Source::Perlin, 570.3, 3);
    let octaves: Vec<Octave> = (0..3).map(|index| octave_of("eroded", index)).collect();
    let values = sample(
        &crate::Noise::Eroded(sum),
        &grid,
        whole(&grid),
        StageKey::new(42, "base"),
    )
    .unwrap();
    for ((row, col), &value) in values.indexed_iter() {
        let (x_m, y_m) = (grid.x_m(col), grid.y_m(row));
        let (mut slope, mut expected, mut weight) = ([0.0; 2], 0.0, 1.0 / 1.75);
        for octave in &octaves {
            let at =
                |dx_m: f64, dy_m: f64| weight * textbook(octave, &plain, x_m + dx_m, y_m + dy_m);
            let step_m = 0.01;
            let per_wave = 570.3 / (2.0 * step_m);
            slope[0] += (at(step_m, 0.0) - at(-step_m, 0.0)) * per_wave;
            slope[1] += (at(0.0, step_m) - at(0.0, -step_m)) * per_wave;
            expected += at(0.0, 0.0) / (1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
            weight *= 0.5;
        }
        assert!(
            (f64::from(value) - expected).abs() < 1e-5,
            "{value} for {expected}"
        );
    }
}
