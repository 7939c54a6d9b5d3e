//! The engine on a case; for those who ask it alone.

use crate::cases::{Case, keeps_its_promises};
use thalweg_erosion::erode;
use thalweg_grid::{NoObserver, StageKey};

/// Runs the case that some bytes decode to.
///
/// # Panics
/// Where a promise is broken.
pub(crate) fn run(bytes: &[u8], droplets: u32, name: &str) {
    let case = Case::decode(bytes, droplets);
    let place = format!("{name}: {:?}, {:#?}", case.map.grid, case.parameters);
    let mut map = case.map.clone();
    for _ in 0..case.stages {
        let before = map.clone();
        let key = StageKey::new(1, "case");
        let report = erode(&mut map, &case.parameters, key, &NoObserver).expect(&place);
        keeps_its_promises(&before, &map, &report, &place);
    }
}
