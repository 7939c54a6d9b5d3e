//! What holds for any parameters within their ranges, on any small map.

mod cases;
#[path = "cases/engine.rs"]
mod engine;

use cases::LENGTH;
use engine::run;
use proptest::prelude::*;
use std::path::Path;

/// Droplets of a case at most.
const DROPLETS: u32 = 150;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_parameters_give_whole_maps_and_closed_ledgers(
        bytes in proptest::collection::vec(any::<u8>(), LENGTH)
    ) {
        run(&bytes, DROPLETS, "drawn");
    }
}

/// The inputs that the fuzzer starts from, and those that once broke something.
#[test]
fn the_fuzz_corpus_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/erosion_parameters");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a corpus")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 8, "{} files in {folder:?}", files.len());
    for file in files {
        let bytes = std::fs::read(&file).expect("a file");
        run(&bytes, DROPLETS, &file.display().to_string());
    }
}
