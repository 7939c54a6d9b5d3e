//! Random parameters over their ranges: the engine agrees with the reference bit by bit, and keeps its promises.

use crate::bits::agree_with;
use crate::cases::{Case, LENGTH, keeps_its_promises};
use rand_core::Rng;
use thalweg_grid::{Purpose, StageKey};

const CASES: u64 = 64;

/// Droplets of a case at most.
const DROPLETS: u32 = 150;

#[test]
fn the_reference_agrees_on_random_parameters() {
    for number in 0..CASES {
        let mut bytes = [0; LENGTH];
        StageKey::new(number, "random")
            .generator(Purpose::Noise, 0, 0)
            .fill_bytes(&mut bytes);
        let case = Case::decode(&bytes, DROPLETS);
        let (grid, parameters) = (&case.map.grid, &case.parameters);
        let place = format!("case {number}: {grid:?}, {parameters:#?}");
        let mut map = case.map.clone();
        for _ in 0..case.stages {
            let (after, report) = agree_with(&map, parameters, &place);
            keeps_its_promises(&map, &after, &report, &place);
            map = after;
        }
    }
}
