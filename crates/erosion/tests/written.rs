//! A stage that is written down and gone on with comes to the same end.

mod cases;
#[path = "maps/hollows.rs"]
mod hollows;
mod maps;

use cases::{Case, LENGTH, keeps_its_promises};
use hollows::hollows;
use maps::map_of;
use proptest::prelude::*;
use thalweg_erosion::{
    ErosionError, Parameters, Pools, Report, Vegetation, erode, erode_from, erode_watched,
};
use thalweg_grid::{Lakes, Layer, Map, NoObserver, Raster, Shape, StageKey};

const SEED: u64 = 11;

fn key() -> StageKey {
    StageKey::new(SEED, "written")
}

/// A stage at the end of one of its cycles, and what of its map it still needs.
struct Written {
    map: Map,
    state: Vec<u8>,
}

/// Erodes a map; also what was written down after each cycle.
fn erode_writing(map: &mut Map, parameters: &Parameters) -> (Report, Vec<Written>) {
    let mut written = Vec::new();
    let report = erode_watched(map, parameters, key(), &NoObserver, &mut |moment| {
        let mut state = Vec::new();
        moment.write(&mut state).unwrap();
        let mut map = moment.map().clone();
        map.layers.retain(|&layer, _| !moment.replaces(layer));
        map.lakes = map.lakes.filter(|_| !moment.replaces(Layer::LakeId));
        written.push(Written { map, state });
    });
    (report.unwrap(), written)
}

/// [`erode_from`] what is left of `state`, unwatched.
fn erode_on(
    map: &mut Map,
    parameters: &Parameters,
    mut state: &mut &[u8],
) -> Result<Report, ErosionError> {
    erode_from(map, parameters, key(), &mut state, &NoObserver, &mut |_| ())
}

fn go_on(written: &Written, parameters: &Parameters) -> (Map, Report) {
    let mut map = written.map.clone();
    let mut state = &written.state[..];
    let report = erode_on(&mut map, parameters, &mut state);
    assert!(state.is_empty(), "{} bytes too many", state.len());
    (map, report.unwrap())
}

/// All that a map holds, floats as bits.
fn all(map: &Map) -> (Vec<u32>, Vec<Layer>, Option<Lakes>) {
    let mut bits: Vec<u32> = map.elevation.iter().map(|value| value.to_bits()).collect();
    for layer in map.layers.values() {
        match layer {
            Raster::Float(cells) => bits.extend(cells.iter().map(|value| value.to_bits())),
            Raster::Ids(cells) => bits.extend(cells),
        }
    }
    (
        bits,
        map.layers.keys().copied().collect(),
        map.lakes.clone(),
    )
}

/// Lakes that lose water, plants, and stragglers between many cycles.
fn everything() -> Parameters {
    Parameters {
        droplets_per_cell: 0.5,
        cycles: 12,
        pools: Some(Pools {
            reconcile_every: 0.05,
            seepage_m: 0.001,
            ..Pools::default()
        }),
        vegetation: Some(Vegetation::default()),
        ..Parameters::default()
    }
}

#[test]
fn a_stage_goes_on_from_any_of_its_cycles() {
    let mut before = map_of(Shape::new(110, 140), hollows);
    // Something from an earlier stage, lakes and plants among it.
    erode(
        &mut before,
        &everything(),
        StageKey::new(1, "first"),
        &NoObserver,
    )
    .unwrap();
    let without = Parameters {
        pools: None,
        vegetation: None,
        ..everything()
    };
    for parameters in [everything(), without] {
        let mut map = before.clone();
        let (report, written) = erode_writing(&mut map, &parameters);
        let whole = (all(&map), report);
        let after_the_rain = whole.1.drain_cycles as usize;
        assert!(after_the_rain > 0 && written.len() == 12 + after_the_rain);
        for (cycle, written) in written.iter().enumerate() {
            let (map, report) = go_on(written, &parameters);
            assert!((all(&map), report) == whole, "from cycle {cycle}");
        }
    }
}

/// Without this, a stage that went through all of its cycles once more would pass the test above.
#[test]
fn cycles_that_were_run_are_not_run_again() {
    let mut map = map_of(Shape::new(60, 50), hollows);
    let parameters = everything();
    let (_, written) = erode_writing(&mut map, &parameters);
    for (done, written) in (1..).zip(&written) {
        let mut cycles = Vec::new();
        let (mut map, mut state) = (written.map.clone(), &written.state[..]);
        let mut watch = |moment: &thalweg_erosion::Moment<'_>| cycles.push(moment.cycle());
        let go_on =
            |map, state, watch| erode_from(map, &parameters, key(), state, &NoObserver, watch);
        go_on(&mut map, &mut state, &mut watch).unwrap();
        let expected: Vec<u32> = (done..).take(cycles.len()).collect();
        assert_eq!(cycles, expected);
    }
}

#[test]
fn a_state_of_another_map_or_parameters_is_refused() {
    let parameters = everything();
    let (_, written) = erode_writing(&mut map_of(Shape::new(60, 50), hollows), &parameters);
    let state = &written[3].state;
    let refused = |shape, parameters: &Parameters, state: &[u8]| {
        let mut map = map_of(shape, hollows);
        let mut state = state;
        let error = erode_on(&mut map, parameters, &mut state);
        assert!(
            matches!(error, Err(ErosionError::Written { .. })),
            "{error:?}"
        );
    };
    refused(Shape::new(61, 50), &parameters, state);
    refused(Shape::new(60, 50), &parameters, &state[..state.len() - 1]);
    refused(Shape::new(60, 50), &parameters, &state[1..]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any parameters: the first, the middle and the last cycle.
    #[test]
    fn any_stage_goes_on(bytes in proptest::collection::vec(any::<u8>(), LENGTH)) {
        let case = Case::decode(&bytes, 150);
        let mut map = case.map.clone();
        for _ in 0..case.stages {
            let before = map.clone();
            let (report, written) = erode_writing(&mut map, &case.parameters);
            let whole = (all(&map), report);
            let count = written.len();
            for cycle in [0, count / 2, count.saturating_sub(1)] {
                if let Some(written) = written.get(cycle) {
                    let (map, report) = go_on(written, &case.parameters);
                    keeps_its_promises(&before, &map, &report, "gone on with");
                    prop_assert!((all(&map), report) == whole, "from cycle {cycle} of {count}");
                }
            }
        }
    }
}
