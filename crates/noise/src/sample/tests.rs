use super::{Instructions, sample, sample_with};
use crate::testing::*;
use crate::{Noise, NoiseError, Plain, Source};
use thalweg_grid::{Shape, StageKey};

fn key() -> StageKey {
    StageKey::new(42, "base")
}

fn values(noise: &Noise, shape: Shape, cell_size_m: f64, key: StageKey) -> Vec<f64> {
    let grid = grid(shape, cell_size_m, [500_000.0, 5_200_000.0]);
    let cells = sample(noise, &grid, whole(&grid), key).unwrap();
    cells.iter().map(|&v| f64::from(v)).collect()
}

#[test]
fn a_tile_alone_equals_the_same_cells_of_the_whole() {
    let grid = grid(Shape::new(60, 83), 10.0, [500_000.0, 5_200_000.0]);
    for noise in every_kind(700.0, 5) {
        let map = sample(&noise, &grid, whole(&grid), key()).unwrap();
        let tile = sample(&noise, &grid, window(13, 29, 31, 47), key()).unwrap();
        let cut = map.slice(ndarray::s![13..44, 29..76]).to_owned();
        assert_eq!(bits(&tile), bits(&cut), "{noise:?}");
    }
}

/// Also where neither the cell size nor the origin is a binary fraction, and sums round differently.
#[test]
fn overlapping_grids_agree() {
    for cell_m in [10.0, 0.1, 30.1] {
        let [west_m, north_m] = [687_654.3, 5_234_567.8];
        let (right, down) = (37_usize, 22_usize);
        let other = [
            west_m + right as f64 * cell_m,
            north_m - down as f64 * cell_m,
        ];
        let first = grid(Shape::new(50, 70), cell_m, [west_m, north_m]);
        let second = grid(Shape::new(28, 33), cell_m, other);
        for noise in every_kind(23.0 * cell_m, 4) {
            let a = sample(&noise, &first, window(down, right, 28, 33), key()).unwrap();
            let b = sample(&noise, &second, whole(&second), key()).unwrap();
            assert_eq!(bits(&a), bits(&b), "{noise:?}, cells of {cell_m} m");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let grid = grid(Shape::new(97, 131), 10.0, [0.0, 0.0]);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let noise = Noise::Ridged(sum(Source::Perlin, 500.0, 6));
        pool.install(|| bits(&sample(&noise, &grid, whole(&grid), key()).unwrap()))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn instructions_do_not_matter() {
    let grid = grid(Shape::new(70, 300), 10.0, [500_000.0, 5_200_000.0]);
    for noise in every_kind(333.0, 5) {
        let with = |instructions| {
            bits(&sample_with(instructions, &noise, &grid, whole(&grid), key()).unwrap())
        };
        assert_eq!(
            with(Instructions::Baseline),
            with(Instructions::Detected),
            "{noise:?}"
        );
    }
}

/// Cells of 1 m, millions of metres from the origin: f32 coordinates would move in steps of half a metre.
#[test]
fn neighbours_differ_far_out() {
    let grid = grid(Shape::new(200, 200), 1.0, [5_712_345.0, 8_234_567.0]);
    for source in Source::ALL {
        let noise = Noise::Fbm(sum(source, 100.0, 4));
        let cells = sample(&noise, &grid, whole(&grid), key()).unwrap();
        let pairs = cells
            .windows((1, 2))
            .into_iter()
            .filter(|pair| pair[(0, 0)].to_bits() == pair[(0, 1)].to_bits())
            .count();
        assert!(
            pairs < 40,
            "{source:?}: {pairs} of 39,800 neighbours are equal"
        );
    }
}

/// Shifts of powers of two, where periods would be, up to 2³³ lattice cells; and one that is none.
#[test]
fn nothing_repeats() {
    for source in Source::ALL {
        let at = |shift_m: f64| {
            let grid = grid(Shape::new(120, 120), 13.0, [shift_m, 0.0]);
            let cells = sample(&plain(source, 10.0), &grid, whole(&grid), key()).unwrap();
            cells.iter().map(|&v| f64::from(v)).collect::<Vec<_>>()
        };
        let here = at(0.0);
        for bits in [8, 10, 12, 16, 20, 24, 30, 32, 33] {
            let r = correlation(&here, &at(10.0 * (1_u64 << bits) as f64));
            assert!(
                r.abs() < 0.04,
                "{source:?}: {r} at a shift of 2^{bits} cells"
            );
        }
    }
}

#[test]
fn far_from_the_origin_noise_is_finite_and_still_noise() {
    for sign in [-1.0, 1.0] {
        let grid = grid(Shape::new(64, 64), 10.0, [sign * 1e9, -sign * 1e9]);
        for noise in every_kind(35.0, 5) {
            let cells = sample(&noise, &grid, whole(&grid), key()).unwrap();
            let cells: Vec<f64> = cells.iter().map(|&v| f64::from(v)).collect();
            assert!(cells.iter().all(|v| v.is_finite()), "{noise:?}");
            let (_, std) = moments(&cells);
            // Stripes of one dimension may be level for a while.
            assert!(std > 0.02, "{noise:?}: {std}");
        }
    }
}

#[test]
fn further_out_is_an_error_and_no_panic() {
    for origin_m in [1e15, 1e300, f64::MAX] {
        let grid = grid(Shape::new(2, 2), 10.0, [0.0, origin_m]);
        for noise in every_kind(100.0, 3) {
            let result = sample(&noise, &grid, whole(&grid), key());
            assert!(
                matches!(result, Err(NoiseError::TooFar { .. })),
                "{result:?}"
            );
        }
    }
    let mut fine = sum(Source::Simplex, 100.0, 32);
    fine.lacunarity = 8.0;
    let grid = grid(Shape::new(2, 2), 10.0, [0.0, 0.0]);
    let result = sample(&Noise::Fbm(fine), &grid, whole(&grid), key());
    assert!(
        matches!(result, Err(NoiseError::TooFar { .. })),
        "{result:?}"
    );
}

/// With a wavelength of whole cells, every row meets the lattice at the same places. One octave has nothing to
/// cover for it.
#[test]
fn no_row_lies_on_the_lattice() {
    for seed in 0..20 {
        let key = StageKey::new(seed, "base");
        for wavelength_m in [10.0, 20.0, 40.0] {
            let noise = plain(Source::Perlin, wavelength_m);
            let cells = values(&noise, Shape::new(32, 200), 10.0, key);
            for row in cells.chunks(200) {
                let rms = (row.iter().map(|v| v * v).sum::<f64>() / 200.0).sqrt();
                assert!(rms > 0.01, "seed {seed}, {wavelength_m} m: {rms}");
            }
        }
    }
}

/// Octave by octave: with the first octave of one seed and each octave of the next one, in either order.
#[test]
fn neighbouring_seeds_are_unrelated_in_every_octave() {
    let octave = |seed, index: u32| {
        let key = StageKey::new(seed, "base");
        // What a sum of index + 1 octaves has more than one of index octaves.
        let gain_sum = |n: u32| 2.0 - 0.5_f64.powi(n as i32 - 1);
        let fbm = |n: u32| {
            let noise = Noise::Fbm(sum(Source::Perlin, 13.0 * 2.0_f64.powi(index as i32), n));
            let cells = values(&noise, Shape::new(300, 300), 10.0, key);
            cells
                .into_iter()
                .map(|v| v * gain_sum(n))
                .collect::<Vec<_>>()
        };
        if index == 0 {
            return fbm(1);
        }
        let (more, less) = (fbm(index + 1), fbm(index));
        more.iter()
            .zip(less)
            .map(|(a, b)| a - b)
            .collect::<Vec<_>>()
    };
    let (this, next): (Vec<_>, Vec<_>) = (0..5).map(|i| (octave(42, i), octave(43, i))).unzip();
    for (i, a) in this.iter().enumerate() {
        for (j, b) in next.iter().enumerate() {
            let r = correlation(a, b);
            assert!(r.abs() < 0.02, "octave {i} of seed 42 and {j} of 43: {r}");
        }
        for (j, b) in this.iter().enumerate().take(i) {
            let r = correlation(a, b);
            assert!(r.abs() < 0.02, "octaves {i} and {j} of one seed: {r}");
        }
    }
}

/// The key's octaves do not depend on how many there are; a gain of 0 leaves the first.
#[test]
fn a_sum_without_gain_is_its_first_octave() {
    let mut only = sum(Source::OpenSimplex2S, 170.0, 5);
    only.gain = 0.0;
    let shape = Shape::new(20, 30);
    let found = values(&Noise::Fbm(only), shape, 10.0, key());
    let expected = values(&plain(Source::OpenSimplex2S, 170.0), shape, 10.0, key());
    assert!(
        found
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-7)
    );
}

/// At lattice points gradient noise is 0, by definition.
#[test]
fn gradient_noise_is_zero_at_lattice_points() {
    let stage = key();
    let plain = Plain::new(Source::Perlin, 64.0);
    let id = StageKey::new(0, "/fbm/0").bits(thalweg_grid::Purpose::Noise, 0, 0);
    let offset = |part| crate::hash::unit(stage.bits(thalweg_grid::Purpose::Noise, id, part));
    // A grid whose cells' centres are lattice points, to the 2⁻²⁰ m that coordinates are rounded to.
    let origin_m = [-64.0 * offset(1) - 32.0, -64.0 * offset(2) + 32.0];
    let grid = grid(Shape::new(20, 20), 64.0, origin_m);
    let cells = sample(&Noise::Plain(plain), &grid, whole(&grid), stage).unwrap();
    assert!(cells.iter().all(|v| v.abs() < 1e-6), "{cells}");
}

/// A node of another kind, one with a seed, and one behind leave a sum as it was; a name does so anywhere.
#[test]
fn adding_a_node_leaves_the_others_as_they_were() {
    let old = || Noise::Fbm(sum(Source::Perlin, 170.0, 3));
    let shape = Shape::new(20, 30);
    let of = |noise: Noise| values(&noise, shape, 10.0, key());
    let before = of(old());
    let ridged = || Noise::Ridged(sum(Source::Perlin, 99.0, 3));
    let other = || {
        Noise::Fbm(crate::Sum {
            seed: 7,
            ..sum(Source::Perlin, 99.0, 3)
        })
    };
    let behind = || Noise::Fbm(sum(Source::Perlin, 99.0, 3));
    for added in [vec![ridged(), old()], vec![other(), old()]] {
        let alone = of(added[0].clone());
        for ((sum, a), b) in of(Noise::Add(added)).iter().zip(&before).zip(&alone) {
            assert!((sum - a - b).abs() < 1e-6);
        }
    }
    // Behind, the newcomer is the second of its kind: what is left of the sum is not what it is alone.
    let rest: Vec<f64> = of(Noise::Add(vec![old(), behind()]))
        .iter()
        .zip(&before)
        .map(|(s, a)| s - a)
        .collect();
    let r = correlation(&rest, &of(behind()));
    assert!(r.abs() < 0.5 && moments(&rest).1 > 0.1, "{r}");
    let named = || Noise::Named("hills".to_owned(), Box::new(old()));
    let first = of(named());
    for ((sum, a), b) in of(Noise::Add(vec![behind(), named()]))
        .iter()
        .zip(&first)
        .zip(&of(behind()))
    {
        assert!((sum - a - b).abs() < 1e-6);
    }
    for (double, single) in of(Noise::Add(vec![named(), named()])).iter().zip(&first) {
        assert!((double - 2.0 * single).abs() < 1e-6);
    }
}

/// Every choice of a node's seed gives other noise, unrelated to the rest.
#[test]
fn seeds_of_nodes_matter() {
    // 90,000 cells, each a lattice cell of its own.
    let shape = Shape::new(300, 300);
    for (name, kind) in SUMS {
        let of = |seed| {
            values(
                &kind(crate::Sum {
                    seed,
                    ..sum(Source::Perlin, 9.7, 1)
                }),
                shape,
                10.0,
                key(),
            )
        };
        let r = correlation(&of(0), &of(1));
        // Magnitudes are small near lattice points, whose distance from seed to seed is the same all over the map: they
        // have that much in common, and nothing else.
        let most = if matches!(name, "billow" | "turbulence" | "ridged" | "ping_pong") {
            0.08
        } else {
            0.02
        };
        assert!(r.abs() < most, "{name}: {r}");
    }
}

/// Everything that changes, with loops of 8 s.
fn changing() -> Vec<Noise> {
    let mut all = Vec::new();
    for source in Source::ALL {
        let evolution = Some(crate::Evolution {
            change_s: 2.0,
            loop_s: Some(8.0),
        });
        all.push(Noise::Plain(Plain {
            evolution,
            ..Plain::new(source, 170.0)
        }));
        all.push(Noise::Fbm(crate::Sum {
            evolution,
            ..sum(source, 400.0, 4)
        }));
    }
    let of = || Box::new(Noise::Fbm(sum(Source::Perlin, 250.0, 3)));
    all.push(Noise::Wave {
        of: of(),
        cycles: 2.0,
        period_s: Some(8.0),
    });
    for period_s in [8.0, -4.0] {
        all.push(Noise::Swirl {
            of: of(),
            around_m: [130.0, -90.0],
            radius_m: 140.0,
            turns: 0.7,
            period_s: Some(period_s),
        });
    }
    all.push(Noise::Flow {
        of: of(),
        by_m: [300.0, -200.0],
        period_s: 8.0,
    });
    all
}

/// A loop ends where it began, to the last bit; it is elsewhere in between; and of 160 steps none is much larger than the
/// mean of all, as one with a jump in it would be.
#[test]
fn loops_close_and_pass_smoothly() {
    let grid = grid(Shape::new(20, 30), 10.0, [0.0, 0.0]);
    for noise in changing() {
        let (range, observer) = (crate::Range::Theoretical, &thalweg_grid::NoObserver);
        let film = crate::Film::new(&noise, &grid, [-1.0, 1.0], range, key(), observer).unwrap();
        let at = |later_s| film.frame(later_s, observer).unwrap();
        assert_eq!(bits(&at(0.0)), bits(&at(8.0)), "{noise:?}");
        let difference = |a: f64, b: f64| {
            let (a, b) = (at(a), at(b));
            let sum: f64 = a
                .iter()
                .zip(&b)
                .map(|(a, b)| f64::from(a - b).powi(2))
                .sum();
            (sum / a.len() as f64).sqrt()
        };
        assert!(difference(0.0, 2.9) > 0.05, "{noise:?} stands");
        let step = |k: u8| difference(f64::from(k) * 0.05, f64::from(k + 1) * 0.05);
        let steps: Vec<f64> = (0..160).map(step).collect();
        let mean = steps.iter().sum::<f64>() / 160.0;
        let largest = steps.iter().fold(0.0, |most: f64, step| most.max(*step));
        assert!(largest < 2.5 * mean, "{noise:?} jumps: {largest} of {mean}");
        // A film of 8 frames jumps at each of them: the measure can tell.
        assert!(difference(0.0, 1.0) > 2.5 * mean, "{noise:?}");
    }
}

/// Triangles and cells in a loop hold nothing back: any two moments far apart are unrelated.
#[test]
fn what_changes_leaves_nothing_of_itself() {
    for noise in changing()
        .into_iter()
        .filter(|noise| matches!(noise, Noise::Plain(_)))
    {
        let at = |time_s| {
            let noise = Noise::At {
                of: Box::new(noise.clone()),
                time_s,
            };
            values(&noise, Shape::new(150, 150), 40.0, key())
        };
        let r = correlation(&at(0.0), &at(3.1));
        assert!(r.abs() < 0.35, "{noise:?}: {r}");
    }
}

/// Three copies, worked out one by one.
#[test]
fn a_flow_is_the_weighted_mean_of_three_on_their_way() {
    let of = || Box::new(Noise::Plain(Plain::new(Source::Simplex, 90.0)));
    let shape = Shape::new(13, 31);
    let flow = Noise::Flow {
        of: of(),
        by_m: [300.0, -120.0],
        period_s: 4.0,
    };
    let found = values(
        &Noise::At {
            of: Box::new(flow),
            time_s: 3.0,
        },
        shape,
        10.0,
        key(),
    );
    let mut expected = vec![0.0; found.len()];
    // Three quarters of a period, and one and two more.
    for age in [0.75, 1.75, 2.75] {
        let moved = Noise::Translate {
            of: of(),
            by_m: [300.0 * age, -120.0 * age],
        };
        let weight = (1.0 - f64::cos(std::f64::consts::TAU * age / 3.0)) / 3.0;
        let copy = values(&moved, shape, 10.0, key());
        expected
            .iter_mut()
            .zip(copy)
            .for_each(|(sum, v)| *sum += weight * v);
    }
    assert!(
        found
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-5)
    );
}

/// A ramp to the north, turned by a quarter at a point where (1 − r ÷ R)² is 1/4.
#[test]
fn a_swirl_turns_clockwise_and_less_outwards() {
    let ramp = || {
        Box::new(Noise::Gradient {
            from_m: [0.0, -1000.0],
            azimuth_deg: 0.0,
            length_m: 2000.0,
        })
    };
    let swirl = |turns, period_s| Noise::Swirl {
        of: ramp(),
        around_m: [0.0; 2],
        radius_m: 800.0,
        turns,
        period_s,
    };
    // One cell, whose centre lies 400 m to the west and 0 m to the north of the point: half the radius.
    let at = |noise: &Noise, x_m: f64, y_m: f64| {
        let grid = grid(Shape::new(1, 1), 2.0, [x_m - 1.0, y_m + 1.0]);
        f64::from(crate::sample(noise, &grid, whole(&grid), key()).unwrap()[(0, 0)])
    };
    // Clockwise by a quarter: what was 400 m to the south comes to the west.
    assert!((at(&swirl(1.0, None), -400.0, 0.0) - 0.3).abs() < 1e-6);
    assert!((at(&swirl(-1.0, None), -400.0, 0.0) - 0.7).abs() < 1e-6);
    assert!(
        (at(&swirl(1.0, None), -900.0, 70.0) - 0.535).abs() < 1e-6,
        "outside"
    );
    let later = |period_s| Noise::At {
        of: Box::new(swirl(0.0, Some(period_s))),
        time_s: 2.0,
    };
    assert!((at(&later(8.0), -400.0, 0.0) - 0.3).abs() < 1e-6);
    assert!((at(&later(-8.0), -400.0, 0.0) - 0.7).abs() < 1e-6);
}

#[test]
fn a_map_is_normalised_to_what_it_has() {
    let grid = grid(Shape::new(60, 83), 10.0, [500_000.0, 5_200_000.0]);
    let of = || {
        Box::new(Noise::Add(vec![
            Noise::Fbm(sum(Source::Perlin, 300.0, 4)),
            Noise::Fbm(sum(Source::Value, 90.0, 2)),
        ]))
    };
    let noise = Noise::Normalise {
        of: of(),
        to: [2.0, 5.0],
        range: crate::Range::Observed,
    };
    let cells = sample(&noise, &grid, whole(&grid), key()).unwrap();
    let [low, high] = cells
        .iter()
        .fold([f32::MAX, f32::MIN], |[l, h], v| [l.min(*v), h.max(*v)]);
    assert!(
        (low - 2.0).abs() < 1e-6 && (high - 5.0).abs() < 1e-6,
        "{low} {high}"
    );
    let tile = sample(&noise, &grid, window(13, 29, 31, 47), key()).unwrap();
    assert_eq!(
        bits(&tile),
        bits(&cells.slice(ndarray::s![13..44, 29..76]).to_owned())
    );
    // It is the same noise as without, stretched.
    let raw = sample(&of(), &grid, whole(&grid), key()).unwrap();
    let r = correlation(
        &raw.iter().map(|v| f64::from(*v)).collect::<Vec<_>>(),
        &cells.iter().map(|v| f64::from(*v)).collect::<Vec<_>>(),
    );
    assert!(r > 0.999_99, "{r}");
}
