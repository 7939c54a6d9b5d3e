//! Any parameters within their ranges, on any small map: no panic, finite layers, closed ledgers, bounded steps.
//!
//! How bytes become a case is shared with the tests of the erosion crate, which replay the corpus.

#![no_main]

#[path = "../../crates/erosion/tests/cases/mod.rs"]
mod cases;
#[path = "../../crates/erosion/tests/cases/engine.rs"]
mod engine;

use libfuzzer_sys::fuzz_target;

/// Droplets of a case at most: some parameters let each take all of its 262,144 steps.
const DROPLETS: u32 = 20;

fuzz_target!(|bytes: &[u8]| engine::run(bytes, DROPLETS, "fuzzed"));
