//! No direction is special: a map's mirror images, and the map turned by right angles, fare as the map does.

use crate::ground::{map_of, rough};
use crate::samples::{SEEDS, Sample, assert_alike, mean, statistics};
use thalweg_erosion::{Parameters, Pools, Vegetation, erode};
use thalweg_grid::{Layer, NoObserver, Shape, StageKey};

/// Rows and columns of the map.
const SIZE: usize = 96;

type Place = (usize, usize);

/// Where a cell of the map that is run lies in the map as it was, for the eight ways to lay a square on itself: bit 0
/// of the number swaps east and west, bit 1 north and south, bit 2 rows and columns.
fn place(view: usize, (row, col): Place) -> Place {
    let (row, col) = if view & 4 == 0 {
        (row, col)
    } else {
        (col, row)
    };
    let turn = |bit, at| {
        if view & bit == 0 { at } else { SIZE - 1 - at }
    };
    (turn(2, row), turn(1, col))
}

/// A run's statistics, and how ground was lost and water ran on slopes that face north and south, west and east, on
/// the map as it was: what all steps did a little too far to one side would show there.
fn sample(seed: u64, view: usize) -> Sample {
    let height = |row, col| {
        let (row, col) = place(view, (row, col));
        rough(row, col)
    };
    let mut map = map_of(Shape::new(SIZE, SIZE), 10.0, height);
    let parameters = Parameters {
        droplets_per_cell: 0.5,
        cycles: 25,
        pools: Some(Pools::default()),
        vegetation: Some(Vegetation::default()),
        ..Parameters::default()
    };
    let key = StageKey::new(seed, "mirror");
    let report = erode(&mut map, &parameters, key, &NoObserver).expect("a run");
    let mut found = statistics(&map, &report);
    for layer in [Layer::Change, Layer::Stream] {
        let cells = map.float(layer).expect("a layer");
        let (mut south, mut east) = (0.0, 0.0);
        for (at, &value) in cells.indexed_iter() {
            let (row, col) = place(view, at);
            south += (rough(row + 1, col) - rough(row.saturating_sub(1), col)) * f64::from(value);
            east += (rough(row, col + 1) - rough(row, col.saturating_sub(1))) * f64::from(value);
        }
        found.push((format!("{layer} × southward rise"), south));
        found.push((format!("{layer} × eastward rise"), east));
    }
    found
}

#[test]
fn mirrored_and_turned_maps_give_the_same_statistics() {
    let runs = |view| {
        (0..SEEDS)
            .map(|seed| sample(seed, view))
            .collect::<Vec<_>>()
    };
    let plain = runs(0);
    assert_alike(&plain, &runs(1), "mirrored");
    assert_alike(&plain, &runs(5), "turned");
}

/// What pools do to sediment in the order of cells' indices shifts single statistics by a few percent of what chance
/// does. So all eight views, 60 seeds, and the seven ways to set four of them against the other four.
#[test]
#[ignore = "minutes"]
fn no_direction_is_special() {
    let seeds: Vec<Vec<Sample>> = (0..60)
        .map(|seed| (0..8).map(|view| sample(seed, view)).collect())
        .collect();
    let mut worst = (0.0, String::new());
    for (number, (name, _)) in seeds[0][0].iter().enumerate() {
        for sides in 1..8_usize {
            let sign = |view: usize| match (view & sides).count_ones() % 2 {
                0 => 1.0,
                _ => -1.0,
            };
            let contrast = |views: &Vec<Sample>| {
                let signed = views
                    .iter()
                    .enumerate()
                    .map(|(view, sample)| sign(view) * sample[number].1);
                signed.sum::<f64>()
            };
            let (mean, variance) = mean(&seeds.iter().map(contrast).collect::<Vec<_>>());
            let score = (mean / variance.sqrt().max(1e-9)).abs();
            if score > worst.0 {
                worst = (score, format!("{name}, views by bits {sides:03b}"));
            }
        }
    }
    // The largest of 140 scores, of Student's 59 degrees of freedom: beyond 4.2 in one of a hundred such tests.
    assert!(worst.0 < 4.2, "{} standard errors: {}", worst.0, worst.1);
}

/// The views are what their comment says: all eight differ, and each is undone by a second or, for turns, a fourth.
#[test]
fn views_close() {
    let at = (3, 17);
    let places: std::collections::HashSet<Place> = (0..8).map(|view| place(view, at)).collect();
    assert_eq!(places.len(), 8);
    assert_eq!(place(1, at), (3, 78));
    assert_eq!(place(5, at), (17, 92));
    for view in [1, 2, 3, 4, 7] {
        assert_eq!(place(view, place(view, at)), at);
    }
    let turned = |at| place(5, at);
    assert_eq!(turned(turned(turned(turned(at)))), at);
}
