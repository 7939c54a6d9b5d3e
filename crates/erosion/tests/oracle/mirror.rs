//! No direction is special: a map's mirror image, and the map turned by a right angle, fare as the map does.

use crate::ground::{map_of, rough};
use crate::samples::{SEEDS, Sample, assert_alike, statistics};
use thalweg_erosion::{Parameters, Pools, Vegetation, erode};
use thalweg_grid::{Layer, NoObserver, Shape, StageKey};

/// Rows and columns of the map.
const SIZE: usize = 96;

type Place = (usize, usize);

/// Where a cell of the map that is run lies in the map as it was.
type View = fn(Place) -> Place;

fn as_it_was(at: Place) -> Place {
    at
}

fn mirrored((row, col): Place) -> Place {
    (row, SIZE - 1 - col)
}

fn turned((row, col): Place) -> Place {
    (col, SIZE - 1 - row)
}

/// A run's statistics, and how ground was lost and water ran on slopes that face north and south, west and east, on
/// the map as it was: what all steps did a little too far to one side would show there.
fn sample(seed: u64, view: View) -> Sample {
    let height = |row, col| {
        let (row, col) = view((row, col));
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
            let (row, col) = view(at);
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
    let plain = runs(as_it_was);
    assert_alike(&plain, &runs(mirrored), "mirrored");
    assert_alike(&plain, &runs(turned), "turned");
}

/// The views are what their names say: twice mirrored and four times turned is as it was.
#[test]
fn views_close() {
    let at = (3, 17);
    assert_eq!(mirrored(at), (3, 78));
    assert_eq!(turned(at), (17, 92));
    assert_eq!(mirrored(mirrored(at)), at);
    assert_eq!(turned(turned(turned(turned(at)))), at);
}
