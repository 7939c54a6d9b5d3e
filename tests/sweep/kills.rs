//! Sweeps and members that are killed at any moment.

use super::{TINY, members, pixels, statuses};
use crate::killed::files;
use crate::support::Workshop;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Processes that another has started.
fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let ids = lists.flat_map(|list| {
        list.split_whitespace()
            .filter_map(|id| id.parse().ok())
            .collect::<Vec<u32>>()
    });
    ids.collect()
}

fn kill(id: u32) {
    // It may have ended already.
    let _ = Command::new("kill")
        .args(["-KILL", &id.to_string()])
        .stderr(Stdio::null())
        .status();
}

/// Whom a round kills.
#[derive(Clone, Copy, PartialEq)]
enum Whom {
    Parent,
    Child,
    Both,
}

fn round(sweep: &mut Child, whom: Whom, after_ms: u64) {
    std::thread::sleep(Duration::from_millis(after_ms));
    if whom != Whom::Parent {
        children(sweep.id()).into_iter().take(1).for_each(kill);
    }
    if whom != Whom::Child {
        sweep.kill().unwrap();
        sweep.wait().unwrap();
    }
}

/// Records of members that have come to their end, by folder.
fn ended(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.map(|entry| entry.path());
    let ended = folders.filter(|folder| folder.join("sweep/state.json").exists());
    ended
        .filter_map(|folder| Some((folder.clone(), fs::read(folder.join("run.json")).ok()?)))
        .collect()
}

/// Outputs of all members, without the sweep's own files and records, which tell times.
fn outputs(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let own = |path: &Path| {
        path.ends_with("run.json")
            || path.components().count() < 2
            || path.components().any(|part| part.as_os_str() == "sweep")
    };
    files(folder)
        .into_iter()
        .filter(|(path, _)| !own(path))
        .collect()
}

/// However a sweep is killed, the same command finishes it to the same files; no file is ever incomplete under its
/// name, and no member that has ended is done again.
fn killed_again_and_again(rounds: usize, seeds: &str, size: &str, longest_ms: u64) {
    let shop = Workshop::new();
    shop.write("tiny.yaml", TINY);
    let (rows, cols) = (format!("grid.rows={size}"), format!("grid.cols={size}"));
    let sets = [
        "--set",
        &rows,
        "--set",
        &cols,
        "--checkpoint-every",
        "1s",
        "-q",
    ];
    let arguments = |out: &'static str| {
        [
            &[
                "sweep",
                "tiny.yaml",
                "--seeds",
                seeds,
                "--jobs",
                "2",
                "--out",
                out,
            ][..],
            &sets,
        ]
        .concat()
    };
    shop.done(&arguments("whole"));
    let whole = outputs(&shop.path("whole"));
    let folder = shop.path("killed");
    for number in 0..rounds {
        let whom = [Whom::Both, Whom::Parent, Whom::Child][number % 3];
        let before = ended(&folder);
        let mut sweep = shop
            .command(&arguments("killed"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments spread over a round, no two rounds alike.
        round(&mut sweep, whom, 50 + (number as u64 * 7919) % longest_ms);
        if whom == Whom::Child {
            // A second blow, so that the sweep does not come to its end in the first rounds.
            round(&mut sweep, Whom::Parent, longest_ms / 4);
        }
        for (path, bytes) in outputs(&folder) {
            assert!(
                whole.get(&path) == Some(&bytes),
                "{} is not complete",
                path.display()
            );
        }
        let after = ended(&folder);
        assert!(
            before
                .iter()
                .all(|(path, record)| after.get(path) == Some(record)),
            "done again"
        );
    }
    let before = ended(&folder);
    shop.done(&arguments("killed"));
    let after = ended(&folder);
    assert!(
        before
            .iter()
            .all(|(path, record)| after.get(path) == Some(record)),
        "done again"
    );
    assert!(
        outputs(&folder) == whole,
        "other files than of a sweep that was let alone"
    );
    assert!(
        statuses(&shop, "killed")
            .iter()
            .all(|status| status == "done")
    );
    for ((_, (one, _)), (_, (other, _))) in members(&shop, "whole")
        .iter()
        .zip(members(&shop, "killed").iter())
    {
        assert_eq!(pixels(one), pixels(other));
    }
}

#[test]
fn a_sweep_that_is_killed_is_finished_by_the_same_command() {
    killed_again_and_again(3, "1..8", "64", 700);
}

#[test]
#[ignore = "takes minutes"]
fn a_large_sweep_that_is_killed_ten_times_is_finished_by_the_same_command() {
    killed_again_and_again(10, "1..40", "256", 4000);
}
