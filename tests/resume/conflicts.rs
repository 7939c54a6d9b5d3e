//! Checkpoints that meet another pipeline, another seed, another input, or results.

use super::{EACH, Running, TWO, assert_is, checkpoints, whole};
use crate::killed::files;
use crate::support::Workshop;
use std::fs;

/// A folder `a` with checkpoints of the pipeline in `two.yaml`, killed on its way.
fn killed(shop: &Workshop, more: &[&str]) {
    let run = ["run", "two.yaml", "--out", "a"];
    let mut run = Running::new(shop, &[&run[..], &EACH, more].concat());
    run.wait_for_kept(5);
    run.kill();
    assert!(!checkpoints(&shop.path("a")).is_empty(), "{}", run.words());
}

#[test]
fn another_run_is_refused_and_the_checkpoint_stays() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    killed(&shop, &[]);
    let bytes = || {
        checkpoints(&shop.path("a"))
            .iter()
            .map(fs::read)
            .map(Result::unwrap)
            .collect()
    };
    let before: Vec<Vec<u8>> = bytes();
    let refused = |more: &[&str], words: &[&str]| {
        let ended = shop.thalweg(&[&["run", "two.yaml", "--out", "a"], more].concat());
        assert_eq!(ended.code, Some(6), "{more:?}: {}", ended.stderr);
        for word in words {
            assert!(ended.stderr.contains(word), "{word}: {}", ended.stderr);
        }
        let after: Vec<Vec<u8>> = bytes();
        assert!(after == before, "{more:?}");
    };
    refused(
        &["--resume", "--seed", "4"],
        &["seed is 3, not 4", "--overwrite", "--out"],
    );
    let other = ["--set", "erode.dry.cycles=8"];
    refused(
        &[&["--resume"], &other[..]].concat(),
        &["pipeline is another", "--overwrite"],
    );
    // Without a word about it nothing is lost either.
    refused(&[], &["go on with --resume", "--overwrite", "erode wet"]);
    refused(&other, &["another run's", "--overwrite", "--out"]);
    let ended = shop.done(&["run", "two.yaml", "--out", "a", "--overwrite"]);
    assert!(!ended.stderr.contains("going on"), "{}", ended.stderr);
    assert!(checkpoints(&shop.path("a")).is_empty());
}

#[test]
fn a_finished_run_has_nothing_left_to_do() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    let run = ["run", "two.yaml", "--out", "a", "--resume"];
    let first = shop.done(&run);
    assert!(first.stderr.contains("starting anew"), "{}", first.stderr);
    let before = files(&shop.path("a"));
    // Checkpoints that a kill between the record and their removal left.
    fs::write(shop.path("a/.thalweg.checkpoint-0"), b"left").unwrap();
    let ended = shop.done(&[&run[..], &["--json"]].concat());
    assert!(
        ended.stderr.contains("nothing left to do"),
        "{}",
        ended.stderr
    );
    let record: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(record, shop.record("a"));
    assert!(files(&shop.path("a")) == before);
    assert!(checkpoints(&shop.path("a")).is_empty());
    // Results of another run are in the way, as ever; and so are those of this one where one is missing.
    assert_eq!(
        shop.thalweg(&[&run[..], &["--seed", "4"]].concat()).code,
        Some(6)
    );
    fs::remove_file(shop.path("a/lakes.csv")).unwrap();
    assert_eq!(shop.thalweg(&run).code, Some(6));
}

#[test]
fn a_run_that_replaces_results_goes_on_replacing_them() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    let (record, _) = whole(&shop, "two.yaml");
    shop.done(&["run", "two.yaml", "--out", "a", "--seed", "4"]);
    let before = files(&shop.path("a"));
    killed(&shop, &["--overwrite"]);
    assert!(files(&shop.path("a")) == before);
    let run = ["run", "two.yaml", "--out", "a", "--resume"];
    let ended = shop.thalweg(&run);
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert!(files(&shop.path("a")) == before);
    let ended = shop.done(&[&run[..], &["--overwrite"]].concat());
    assert!(ended.stderr.contains("going on from"), "{}", ended.stderr);
    assert_is(&shop, "a", &record);
}

#[test]
fn a_drawn_seed_is_the_one_that_goes_on() {
    let shop = Workshop::new();
    shop.write("two.yaml", &TWO.replace("seed: 3\n", ""));
    killed(&shop, &[]);
    let ended = shop.thalweg(&["run", "two.yaml", "--resume"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("--seed"), "{}", ended.stderr);
    let run = ["run", "two.yaml", "--out", "a", "--resume"];
    let ended = shop.done(&run);
    assert!(ended.stderr.contains("going on from"), "{}", ended.stderr);
    let ended = shop.done(&run);
    assert!(
        ended.stderr.contains("nothing left to do"),
        "{}",
        ended.stderr
    );
}

#[test]
fn an_input_that_has_changed_is_told() {
    let shop = Workshop::new();
    shop.write("base.yaml", &TWO.replace("two", "base"));
    shop.done(&[
        "run",
        "base.yaml",
        "--out",
        "base",
        "--set",
        "erode.wet.cycles=0",
    ]);
    let read = "  - read: { id: base, path: base/dem.tif }\n  - erode:\n      id: wet";
    let (head, rest) = TWO.split_once("  - synthesize").unwrap();
    let (_, tail) = rest.split_once("  - erode:\n      id: wet").unwrap();
    let head: String = head
        .lines()
        .filter(|line| !line.starts_with("grid"))
        .fold(String::new(), |head, line| head + line + "\n");
    shop.write("two.yaml", &format!("{head}{read}{tail}"));
    let (record, _) = whole(&shop, "two.yaml");
    killed(&shop, &[]);
    let dem = shop.path("base/dem.tif");
    let good = fs::read(&dem).unwrap();
    fs::copy(shop.path("whole/dem.tif"), &dem).unwrap();
    let run = ["run", "two.yaml", "--out", "a", "--resume"];
    let ended = shop.thalweg(&run);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("has changed"), "{}", ended.stderr);
    fs::write(&dem, good).unwrap();
    let ended = shop.done(&run);
    assert!(ended.stderr.contains("going on from"), "{}", ended.stderr);
    assert_is(&shop, "a", &record);
}
