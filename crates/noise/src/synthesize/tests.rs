use super::{Range, synthesize};
use crate::testing::*;
use crate::{Noise, NoiseError, Source};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_grid::{NoObserver, Observer, Progress, Shape, StageKey};

fn key() -> StageKey {
    StageKey::new(7, "base")
}

#[test]
fn the_observed_range_meets_the_elevations_to_one_step_of_f32() {
    let grid = grid(Shape::new(120, 170), 10.0, [500_000.0, 5_200_000.0]);
    for noise in every_kind(600.0, 6) {
        for [low_m, high_m] in [[0.0_f32, 1500.0], [-431.7, 8848.86], [12.5, 12.5]] {
            let elevation_m = [f64::from(low_m), f64::from(high_m)];
            let cells = synthesize(
                &noise,
                &grid,
                elevation_m,
                Range::Observed,
                key(),
                &NoObserver,
            )
            .unwrap();
            let low = cells.fold(f32::INFINITY, |m, &v| m.min(v));
            let high = cells.fold(f32::NEG_INFINITY, |m, &v| m.max(v));
            assert_eq!(low.to_bits(), low_m.to_bits(), "{noise:?}");
            assert!(
                (low_m.max(high_m.next_down())..=high_m.next_up()).contains(&high),
                "{noise:?}: {high}"
            );
        }
    }
}

/// On a map of more than one block of rows, against the window in one piece.
#[test]
fn the_theoretical_range_is_linear_and_the_same_for_every_map() {
    let grid = grid(Shape::new(700, 2048), 10.0, [0.0, 0.0]);
    let noise = Noise::Turbulence(sum(Source::Perlin, 3000.0, 2));
    let raw = crate::sample(&noise, &grid, whole(&grid), key()).unwrap();
    let range = Range::Theoretical;
    let cells = synthesize(&noise, &grid, [100.0, 300.0], range, key(), &NoObserver).unwrap();
    for (elevation_m, value) in cells.iter().zip(&raw) {
        assert!((elevation_m - (100.0 + 200.0 * value)).abs() < 1e-3);
    }
}

#[test]
fn one_cell_is_finite_and_within_the_elevations() {
    let grid = grid(Shape::new(1, 1), 10.0, [500_000.0, 5_200_000.0]);
    for noise in every_kind(600.0, 3) {
        let cells = synthesize(
            &noise,
            &grid,
            [100.0, 300.0],
            Range::Observed,
            key(),
            &NoObserver,
        )
        .unwrap();
        assert!((100.0..=300.0).contains(&cells[(0, 0)]), "{noise:?}");
    }
}

#[test]
fn elevations_that_are_no_range_are_refused() {
    let grid = grid(Shape::new(2, 3), 10.0, [0.0, 0.0]);
    for found in [
        [2.0, 1.0],
        [f64::NAN, 1.0],
        [0.0, f64::INFINITY],
        [0.0, 1e300],
    ] {
        let noise = plain(Source::Value, 50.0);
        let result = synthesize(&noise, &grid, found, Range::Observed, key(), &NoObserver);
        assert!(
            matches!(result, Err(NoiseError::Elevation { .. })),
            "{found:?}"
        );
    }
}

#[derive(Default)]
struct Watch {
    seen: Mutex<Vec<Progress>>,
    stop: AtomicBool,
    stop_after_first: bool,
}

impl Observer for Watch {
    fn progress(&self, progress: Progress) {
        self.seen.lock().unwrap().push(progress);
        self.stop.store(self.stop_after_first, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[test]
fn rows_are_reported_to_the_last_and_work_stops_when_asked() {
    let grid = grid(Shape::new(1100, 2048), 10.0, [0.0, 0.0]);
    let noise = plain(Source::Value, 500.0);
    let run = |watch: &Watch| synthesize(&noise, &grid, [0.0, 1.0], Range::Observed, key(), watch);
    let watch = Watch::default();
    run(&watch).unwrap();
    let done: Vec<u64> = watch.seen.lock().unwrap().iter().map(|p| p.done).collect();
    assert_eq!(done, [512, 1024, 1100]);
    let watch = Watch {
        stop_after_first: true,
        ..Watch::default()
    };
    assert_eq!(run(&watch), Err(NoiseError::Cancelled));
    assert_eq!(watch.seen.lock().unwrap().len(), 1);
}

/// The scale is that of the first moment, also of parts that are normalised to what the map has.
#[test]
fn a_film_begins_with_the_map_and_keeps_its_scale() {
    let grid = grid(Shape::new(70, 140), 10.0, [500_000.0, 5_200_000.0]);
    let evolving = Noise::Fbm(crate::Sum {
        evolution: Some(crate::Evolution {
            change_s: 3.0,
            loop_s: None,
        }),
        ..sum(Source::Perlin, 300.0, 4)
    });
    let raw = |time_s| {
        let noise = Noise::At {
            of: Box::new(evolving.clone()),
            time_s,
        };
        crate::sample(&noise, &grid, whole(&grid), key()).unwrap()
    };
    let normalised = Noise::Normalise {
        of: Box::new(evolving.clone()),
        to: [0.0, 1.0],
        range: Range::Observed,
    };
    let range = Range::Observed;
    for noise in [evolving.clone(), normalised] {
        let map = synthesize(&noise, &grid, [100.0, 300.0], range, key(), &NoObserver).unwrap();
        let film = super::Film::new(&noise, &grid, [100.0, 300.0], range, key(), &NoObserver);
        let film = film.unwrap();
        assert_eq!(bits(&film.frame(0.0, &NoObserver).unwrap()), bits(&map));
        let first = raw(0.0);
        let (low, high) = first.iter().fold((f32::MAX, f32::MIN), |(low, high), v| {
            (low.min(*v), high.max(*v))
        });
        let later = film.frame(1.7, &NoObserver).unwrap();
        for (found, value) in later.iter().zip(&raw(1.7)) {
            // What is normalised is cut off at the ends.
            let value = if matches!(noise, Noise::Normalise { .. }) {
                value.clamp(low, high)
            } else {
                *value
            };
            let expected = 100.0 + 200.0 * (value - low) / (high - low);
            assert!((found - expected).abs() < 1e-2, "{found} for {expected}");
        }
    }
}
