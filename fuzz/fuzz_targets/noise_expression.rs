//! Any text as the noise of a pipeline file: no panic, problems in words, finite values, and printed it is the same.
//!
//! What is done with a text is shared with the tests of the pipeline crate, which replay the corpus.

#![no_main]

#[path = "../../crates/pipeline/tests/cases/mod.rs"]
mod cases;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        cases::run(text);
    }
});
