//! Runs that do not get to their end.

use crate::support::{Ended, SMALL, Workshop};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Every file below a folder, with its bytes, but those that begin with a dot or lie in a folder that does.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(current).into_iter().flatten() {
            let path = entry.unwrap().path();
            let hidden = path.file_name().unwrap().to_str().unwrap().starts_with('.');
            match (path.is_dir(), hidden) {
                (true, false) => folders.push(path),
                (false, false) => drop(found.insert(
                    path.strip_prefix(folder).unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                )),
                (_, true) => {}
            }
        }
    }
    found
}

pub(crate) fn hidden(folder: &Path) -> Vec<PathBuf> {
    let folders = [folder.to_owned(), folder.join("layers")];
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    let names = entries.map(|entry| entry.unwrap().path());
    names
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with('.'))
        .collect()
}

fn spawn(shop: &Workshop, arguments: &[&str]) -> Child {
    let mut command = shop.command(arguments);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A run killed at any moment leaves only complete files under final names, and does not block the next run.
#[test]
fn a_killed_run_leaves_nothing_incomplete() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let sizes = [
        "--set",
        "grid.rows=300",
        "--set",
        "grid.cols=400",
        "--set",
        "erode.rivers.cycles=3",
    ];
    let run = |out: &'static str| [&["run", "small.yaml", "--out", out], &sizes[..]].concat();
    shop.done(&run("whole"));
    let mut whole = files(&shop.path("whole"));
    // Times differ from record to record.
    assert!(whole.remove(Path::new("run.json")).is_some());
    let folder = shop.path("killed");
    let mut unfinished = 0;
    // When so many files are there, and a little later: while the next one is written.
    for (count, delay_ms) in (0..whole.len()).flat_map(|count| [(count, 0), (count, 3)]) {
        let mut child = spawn(&shop, &run("killed"));
        wait_until(|| files(&folder).len() >= count || child.try_wait().unwrap().is_some());
        std::thread::sleep(Duration::from_millis(delay_ms));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut left = files(&folder);
        let complete = left.remove(Path::new("run.json")).is_some();
        for (path, bytes) in &left {
            assert!(
                whole.get(path) == Some(bytes),
                "{} is not complete",
                path.display()
            );
        }
        assert!(
            !complete || left.len() == whole.len(),
            "a record beside missing files"
        );
        unfinished += usize::from(!complete && !left.is_empty());
        // The next kill shall find few files again; what a kill leaves is taken up at the end.
        fs::remove_dir_all(&folder).unwrap_or_default();
    }
    assert!(
        unfinished > 0,
        "no kill fell between the first file and the record"
    );
    let mut child = spawn(&shop, &run("killed"));
    wait_until(|| !files(&folder).is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    if !folder.join("run.json").exists() {
        shop.done(&run("killed"));
    }
    let mut healed = files(&folder);
    assert!(healed.remove(Path::new("run.json")).is_some());
    assert!(
        healed == whole,
        "a run after a killed one makes the same bytes"
    );
    assert_eq!(hidden(&folder), Vec::<PathBuf>::new());
}

/// A run that computes for longer than any test waits.
const LONG: [&str; 4] = [
    "--set",
    "erode.rivers.cycles=100000",
    "--set",
    "erode.rivers.droplets_per_cell=1000",
];

/// However an overwriting run is stopped before it has new results, the old ones stay whole and protected.
#[cfg(unix)]
#[test]
fn a_run_that_is_stopped_while_it_computes_leaves_the_old_results() {
    for signal in ["-INT", "-KILL"] {
        let shop = Workshop::new();
        shop.write("small.yaml", SMALL);
        shop.done(&["run", "small.yaml", "--out", "a"]);
        let before = files(&shop.path("a"));
        let overwriting = ["run", "small.yaml", "--out", "a", "--overwrite"];
        let mut child = spawn(&shop, &[&overwriting[..], &LONG[..]].concat());
        wait_until(|| shop.path("a/.thalweg.lock").exists());
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none());
        let id = child.id().to_string();
        let kill = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(kill.success());
        child.wait().unwrap();
        assert!(files(&shop.path("a")) == before, "{signal}");
        let ended = shop.thalweg(&["run", "small.yaml", "--out", "a"]);
        assert_eq!(ended.code, Some(6), "{signal}: {}", ended.stderr);
        assert!(files(&shop.path("a")) == before, "{signal}");
    }
}

/// Killed between the first new file and the record, an overwriting run neither looks complete nor gives the old
/// results away.
#[test]
fn a_run_that_is_killed_while_it_replaces_leaves_the_folder_protected() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let sizes = ["--set", "grid.rows=300", "--set", "grid.cols=400"];
    let bare = ["--set", "erode.rivers.cycles=0"];
    let mut killed = 0;
    for _ in 0..10 {
        fs::remove_dir_all(shop.path("a")).unwrap_or_default();
        shop.done(&[&["run", "small.yaml", "--out", "a"], &sizes[..], &bare[..]].concat());
        let overwriting = [
            "run",
            "small.yaml",
            "--out",
            "a",
            "--overwrite",
            "--set",
            "seed=8",
        ];
        let mut child = spawn(&shop, &[&overwriting[..], &sizes[..], &bare[..]].concat());
        let record = shop.path("a/run.json");
        wait_until(|| !record.exists() || child.try_wait().unwrap().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        if record.exists() {
            continue;
        }
        killed += 1;
        let before = files(&shop.path("a"));
        let ended = shop.thalweg(&["run", "small.yaml", "--out", "a"]);
        assert_eq!(ended.code, Some(6), "{}", ended.stderr);
        assert!(files(&shop.path("a")) == before);
    }
    assert!(killed > 0, "no kill fell between old and new record");
    shop.done(&["run", "small.yaml", "--out", "a", "--overwrite"]);
    assert_eq!(hidden(&shop.path("a")), Vec::<PathBuf>::new());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_stops_cleanly_with_130() {
    for signal in ["-INT", "-TERM"] {
        let shop = Workshop::new();
        shop.write("small.yaml", SMALL);
        let child = spawn(
            &shop,
            &[
                &[
                    "run",
                    "small.yaml",
                    "--out",
                    "a",
                    "--checkpoint-every",
                    "never",
                ],
                &LONG[..],
            ]
            .concat(),
        );
        wait_until(|| shop.path("a/.thalweg.lock").exists());
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        let ended = Ended::from(child.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        assert!(ended.stderr.contains("interrupted"), "{}", ended.stderr);
        assert!(
            !shop.path("a").exists(),
            "nothing is left of a run that wrote nothing"
        );
    }
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let shop = Workshop::new();
    shop.write("small.yaml", SMALL);
    let mut child = spawn(
        &shop,
        &[&["run", "small.yaml", "--out", "a"], &LONG[..]].concat(),
    );
    wait_until(|| shop.path("a/.thalweg.lock").exists());
    let ended = wait_for(|| {
        Some(shop.thalweg(&["run", "small.yaml", "--out", "a"]))
            .filter(|ended| ended.code != Some(0))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("in use by another run"),
        "{}",
        ended.stderr
    );
}

pub(crate) fn wait_until(mut holds: impl FnMut() -> bool) {
    wait_for(|| holds().then_some(()));
}

/// What turns up within a minute: a bound for a program that hangs, not a measure of speed.
pub(crate) fn wait_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    for _ in 0..6000 {
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited for a minute");
}
