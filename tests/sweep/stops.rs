//! Members that fail, and sweeps that stop before their end.

use super::{arguments, members, shop, statuses, sweep};
use crate::support::{Ended, Workshop};
use std::fs;
use std::path::Path;

/// With members that fail in every way that there is, the others are done, and page, table and `status` tell why.
#[test]
fn a_member_takes_down_itself_alone() {
    let shop = shop();
    let hooks = ("THALWEG_TEST_MEMBER", "1=panic,2=kill,3=sleep,4=ledger");
    let more = ["--seeds", "1..6", "--timeout", "20s", "--jobs", "3"];
    let ended: Ended = shop
        .command(&arguments(&more))
        .env(hooks.0, hooks.1)
        .output()
        .unwrap()
        .into();
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    let bad = ["failed", "failed", "failed", "invalid"];
    assert_eq!(statuses(&shop, "s"), [&bad[..], &["done"; 2]].concat());
    let page = fs::read_to_string(shop.path("s/index.html")).unwrap();
    let status = shop.thalweg(&["sweep", "status", "s"]).stdout;
    for words in [
        "asked to panic",
        "signal 9",
        "longer than --timeout",
        "water ledger",
    ] {
        assert!(page.contains(words), "{words}");
        assert!(status.contains(words), "{words}: {status}");
    }
    // What ran out of memory or time is tried again by the same command; what is wrong in itself is not.
    let again = sweep(&shop, &["--seeds", "1..6"]);
    assert_eq!(again.code, Some(7), "{}", again.stderr);
    let left = ["failed", "done", "done", "invalid", "done", "done"];
    assert_eq!(statuses(&shop, "s"), left);
    let retried = sweep(&shop, &["--seeds", "1..6", "--retry"]);
    assert_eq!(retried.code, Some(0), "{}", retried.stderr);
    assert_eq!(statuses(&shop, "s"), ["done"; 6]);
}

#[test]
fn the_first_failure_stops_a_sweep_that_shall_fail_fast() {
    let shop = shop();
    let more = ["--seeds", "1..6", "--jobs", "1", "--fail-fast"];
    let hook = ("THALWEG_TEST_MEMBER", "2=panic");
    let ended: Ended = shop
        .command(&arguments(&more))
        .env(hook.0, hook.1)
        .output()
        .unwrap()
        .into();
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert_eq!(statuses(&shop, "s")[..3], ["done", "failed", "pending"]);
}

/// A time in the past begins nothing; one that comes in the midst of a member leaves a checkpoint to go on from.
#[test]
fn a_sweep_stops_when_its_time_has_come() {
    let shop = shop();
    let past = sweep(&shop, &["--seeds", "1..3", "--until", "2001-01-01T07:00"]);
    assert_eq!(past.code, Some(7), "{}", past.stderr);
    assert_eq!(statuses(&shop, "s"), ["pending"; 3]);
    let date = std::process::Command::new("date")
        .args(["-d", "+4 seconds", "+%FT%T"])
        .output()
        .unwrap();
    let soon = String::from_utf8(date.stdout).unwrap();
    let long = [
        "--set",
        "erode.rivers.cycles=100000",
        "--set",
        "erode.rivers.droplets_per_cell=1000",
    ];
    let shared = [
        "sweep",
        "tiny.yaml",
        "--out",
        "l",
        "--seeds",
        "1..3",
        "--jobs",
        "1",
    ];
    let ended = shop.thalweg(&[&shared[..], &long, &["--until", soon.trim()]].concat());
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert_eq!(statuses(&shop, "l"), ["pending"; 3]);
    let first = &members(&shop, "l")[&1].0;
    let kept = fs::read_dir(first).unwrap().any(|entry| {
        let name = entry.unwrap().file_name();
        name.to_str().unwrap().starts_with(".thalweg.checkpoint")
    });
    assert!(kept, "no checkpoint in {}", first.display());
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let found = entry.metadata().unwrap();
            if found.is_dir() {
                size(&entry.path())
            } else {
                found.len()
            }
        })
        .sum()
}

/// The folder never outgrows `--max-disk` by more than a member, and more room is used when there is.
#[test]
fn a_sweep_stops_when_its_room_is_taken() {
    let shop = shop();
    assert_eq!(
        shop.thalweg(&["sweep", "tiny.yaml", "--out", "one", "--seeds", "1"])
            .code,
        Some(0)
    );
    let member = size(&members(&shop, "one")[&1].0);
    let most = 4 * member;
    let limit = format!("{most}B");
    let ended = sweep(&shop, &["--seeds", "1..9", "--max-disk", &limit]);
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert!(ended.stderr.contains("--max-disk"), "{}", ended.stderr);
    let done = |shop: &Workshop| {
        statuses(shop, "s")
            .iter()
            .filter(|status| *status == "done")
            .count()
    };
    assert!((1..=4).contains(&done(&shop)), "{}", done(&shop));
    assert!(size(&shop.path("s")) <= most + member);
    assert_eq!(
        sweep(&shop, &["--seeds", "1..9", "--max-disk", "1GB"]).code,
        Some(0)
    );
}

/// A disk that fills up stops the sweep; with room again, the same command finishes it.
#[test]
fn a_sweep_goes_on_after_a_full_disk() {
    let shop = shop();
    let Some(disk) = crate::resume::Small::mount(&shop.path("disk")) else {
        crate::resume::skip("mounting a file system of 6 MB needs root");
        return;
    };
    let big = [
        "--set",
        "grid.rows=208",
        "--set",
        "grid.cols=208",
        "--set",
        "erode.rivers.cycles=2",
    ];
    let shared = [
        "sweep",
        "tiny.yaml",
        "--out",
        "disk/s",
        "--seeds",
        "1..8",
        "--jobs",
        "2",
    ];
    let ended = shop.thalweg(&[&shared[..], &big].concat());
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    let before = statuses(&shop, "disk/s");
    assert!(
        before
            .iter()
            .all(|status| status == "done" || status == "pending"),
        "{before:?}"
    );
    assert!(
        before.contains(&"done".to_owned()) && before.contains(&"pending".to_owned()),
        "{before:?}"
    );
    disk.grow();
    let ended = shop.thalweg(&[&shared[..], &big].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(statuses(&shop, "disk/s"), ["done"; 8]);
}
