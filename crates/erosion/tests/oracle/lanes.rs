//! What becomes of the ground does not depend, statistically, on how many droplets move in lockstep.
//!
//! How long droplets last does, and is not compared: with one lane two thirds more steps are made, by droplets that
//! end in pits, and more of the water that stays evaporates before it seeps away. Why is not known; perhaps a droplet
//! alone in a hollow goes round in it where others would have changed the hollow meanwhile.

use crate::ground::{map_of, rough};
use crate::samples::{SEEDS, Sample, assert_alike, statistics};
use thalweg_erosion::{Parameters, Tiling, erode};
use thalweg_grid::{NoObserver, Shape, StageKey};

fn sample(seed: u64, lanes: usize) -> Sample {
    let mut map = map_of(Shape::new(96, 96), 10.0, rough);
    let parameters = Parameters {
        droplets_per_cell: 0.5,
        cycles: 25,
        tiling: Tiling {
            lanes,
            ..Tiling::default()
        },
        ..Parameters::default()
    };
    let key = StageKey::new(seed, "lanes");
    let report = erode(&mut map, &parameters, key, &NoObserver).expect("a run");
    statistics(&map, &report)
}

#[test]
fn sixteen_lanes_give_the_statistics_of_one() {
    let runs = |lanes| {
        (0..SEEDS)
            .map(|seed| sample(seed, lanes))
            .collect::<Vec<_>>()
    };
    assert_alike(&runs(1), &runs(16), "one lane and sixteen");
}
