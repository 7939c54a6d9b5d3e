//! Random expressions: whatever is put together, it is finite, in its range, and the same in part as in whole.

use proptest::collection::vec;
use proptest::prelude::*;
use thalweg_grid::{Grid, Shape, StageKey, Window};
use thalweg_noise::{
    Automaton, DiamondSquare, Evolution, Noise, Plain, Range, Source, Sum, Warp, WarpMode, sample,
};

fn wavelength_m() -> impl Strategy<Value = f64> {
    prop_oneof![Just(10.0), 3.0..3000.0_f64]
}

fn source() -> impl Strategy<Value = Source> {
    prop::sample::select(Source::ALL.to_vec())
}

fn sum() -> impl Strategy<Value = Sum> {
    (
        source(),
        wavelength_m(),
        1..5_u32,
        1.0..4.0_f64,
        0.0..=1.0_f64,
        prop_oneof![Just(0.0), -90.0..90.0_f64],
        0..3_u64,
    )
        .prop_map(
            |(source, wavelength_m, octaves, lacunarity, gain, rotation_deg, seed)| Sum {
                octaves,
                lacunarity,
                gain,
                rotation_deg,
                seed,
                ..Sum::new(source, wavelength_m)
            },
        )
}

fn period_s() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(1.0..9.0_f64)
}

fn leaf() -> impl Strategy<Value = Noise> {
    prop_oneof![
        (source(), wavelength_m()).prop_map(|(source, w)| Noise::Plain(Plain::new(source, w))),
        (source(), wavelength_m(), prop::option::of(1.0..9.0_f64)).prop_map(
            |(source, w, loop_s)| {
                let evolution = Some(Evolution {
                    change_s: 2.0,
                    loop_s,
                });
                Noise::Plain(Plain {
                    evolution,
                    ..Plain::new(source, w)
                })
            }
        ),
        (sum(), 0..7_usize).prop_map(|(sum, kind)| { crate::SUMS[kind](sum) }),
        sum().prop_map(|sum| Noise::Eroded(Sum {
            source: Source::Perlin,
            ..sum
        })),
        (0..3_u64).prop_map(|seed| Noise::White { seed }),
        (-2.0..2.0_f64).prop_map(Noise::Constant),
        (10.0..2000.0_f64).prop_map(|length_m| Noise::Gradient {
            from_m: [500_100.0, 5_199_900.0],
            azimuth_deg: length_m / 6.0,
            length_m
        }),
        (10.0..2000.0_f64).prop_map(|radius_m| Noise::Distance {
            to_m: [500_100.0, 5_199_900.0],
            radius_m
        }),
        (100.0..900.0_f64, 0..6_u32).prop_map(|(wavelength_m, levels)| {
            Noise::DiamondSquare(DiamondSquare {
                wavelength_m,
                levels,
                gain: 0.6,
                seed: 0,
            })
        }),
        (20.0..90.0_f64, 0..4_u32, any::<bool>()).prop_map(|(cell_m, generations, smooth)| {
            Noise::Automaton(Automaton {
                cell_m,
                fill: 0.45,
                generations,
                born: 5,
                survive: 4,
                smooth,
                seed: 0,
            })
        }),
    ]
}

fn noise() -> impl Strategy<Value = Noise> {
    leaf().prop_recursive(4, 12, 3, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let two = || (inner.clone(), inner.clone()).prop_map(|(a, b)| Box::new([a, b]));
        prop_oneof![
            one().prop_map(Noise::Abs),
            one().prop_map(Noise::Invert),
            (one(), -1.0..0.3_f64, 0.4..1.0_f64).prop_map(|(of, min, max)| Noise::Clamp {
                of,
                min,
                max
            }),
            (one(), 0.2..4.0_f64).prop_map(|(of, exponent)| Noise::Power { of, exponent }),
            (one(), 0.05..0.95_f64).prop_map(|(of, bias)| Noise::Bias { of, bias }),
            (one(), 0.05..0.95_f64).prop_map(|(of, gain)| Noise::Gain { of, gain }),
            (one(), -1.0..1.0_f64).prop_map(|(of, y)| Noise::Curve {
                of,
                points: vec![[-1.0, 0.0], [-0.2, y], [0.1, 0.3], [1.0, -y]]
            }),
            (one(), 0.05..0.5_f64, 0.0..=1.0_f64).prop_map(|(of, step, sharpness)| {
                Noise::Terrace {
                    of,
                    step,
                    sharpness,
                }
            }),
            (one(), -3.0..3.0_f64, -1.0..1.0_f64).prop_map(|(of, factor, offset)| Noise::Scale {
                of,
                factor,
                offset
            }),
            (one(), 0.0..9.0_f64, period_s()).prop_map(|(of, cycles, period_s)| Noise::Wave {
                of,
                cycles,
                period_s
            }),
            (one(), -3.0..3.0_f64, period_s()).prop_map(|(of, turns, period_s)| Noise::Swirl {
                of,
                around_m: [500_700.0, 5_199_900.0],
                radius_m: 600.0,
                turns,
                period_s
            }),
            (one(), -900.0..900.0_f64).prop_map(|(of, x)| Noise::Flow {
                of,
                by_m: [x, 300.0],
                period_s: 4.0
            }),
            (one(), any::<bool>()).prop_map(|(of, observed)| Noise::Normalise {
                of,
                to: [-1.0, 2.0],
                range: if observed {
                    Range::Observed
                } else {
                    Range::Theoretical
                }
            }),
            vec(inner.clone(), 1..4).prop_map(Noise::Add),
            vec(inner.clone(), 1..3).prop_map(Noise::Multiply),
            vec(inner.clone(), 1..4).prop_map(Noise::Min),
            vec(inner.clone(), 1..4).prop_map(Noise::Max),
            two().prop_map(Noise::Subtract),
            (two(), 0.01..1.0_f64).prop_map(|(of, width)| Noise::SmoothMin { of, width }),
            (two(), 0.01..1.0_f64).prop_map(|(of, width)| Noise::SmoothMax { of, width }),
            (two(), one()).prop_map(|(of, mask)| Noise::Blend { of, mask }),
            (two(), one(), 0.0..0.5_f64).prop_map(|(of, by, falloff)| Noise::Select {
                of,
                by,
                threshold: 0.1,
                falloff
            }),
            (one(), 0.0..900.0_f64, any::<bool>()).prop_map(|(of, amplitude_m, progressive)| {
                Noise::Warp {
                    of,
                    by: Warp {
                        amplitude_m,
                        wavelength_m: 700.0,
                        octaves: 2,
                        lacunarity: 2.0,
                        gain: 0.5,
                        mode: if progressive {
                            WarpMode::Progressive
                        } else {
                            WarpMode::Independent
                        },
                        seed: 0,
                    },
                }
            }),
            (one(), two(), 0.0..300.0_f64).prop_map(|(of, by, amplitude_m)| Noise::Displace {
                of,
                by,
                amplitude_m
            }),
            (one(), 0.2..5.0_f64).prop_map(|(of, x)| Noise::Stretch {
                of,
                factors: [x, 1.0 / x]
            }),
            (one(), -180.0..180.0_f64).prop_map(|(of, angle_deg)| Noise::Rotate { of, angle_deg }),
            (one(), -900.0..900.0_f64).prop_map(|(of, x)| Noise::Translate { of, by_m: [x, -x] }),
            (one(), 0.0..9.0_f64).prop_map(|(of, time_s)| Noise::At { of, time_s }),
            one().prop_map(|of| Noise::Named("part".to_owned(), of)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_expression_is_finite_in_range_and_the_same_in_part(noise in noise()) {
        prop_assume!(noise.check().is_ok());
        let grid = Grid::new(Shape::new(37, 150), 10.0, [500_000.0, 5_200_000.0], None).unwrap();
        let whole = Window { row: 0, col: 0, shape: grid.shape };
        let part = Window { row: 11, col: 60, shape: Shape::new(20, 81) };
        let key = StageKey::new(9, "base");
        let map = sample(&noise, &grid, whole, key).unwrap();
        let [low, high] = noise.theoretical_range();
        let slack = 1e-5 * (1.0 + low.abs().max(high.abs()));
        for value in &map {
            let value = f64::from(*value);
            prop_assert!(value >= low - slack && value <= high + slack, "{value} is not in {low}..{high}");
        }
        let tile = sample(&noise, &grid, part, key).unwrap();
        let cut = map.slice(ndarray::s![11..31, 60..141]);
        let same = tile.iter().zip(&cut).all(|(a, b)| a.to_bits() == b.to_bits());
        prop_assert!(same, "a tile differs from the whole");
    }
}
