//! Runs that are killed or interrupted at any moment.

use super::{Draws, EACH, Running, TWO, assert_is, checkpoints, timeless, went_on_from, whole};
use crate::killed::{files, wait_until};
use crate::support::{Workshop, shipped};
use std::fs;
use std::path::Path;
use std::time::Duration;

const RESUME: [&str; 5] = ["run", "two.yaml", "--out", "a", "--resume"];

/// Killed several times on its way, on any number of threads, a run comes to the same pixels; what it goes on from
/// is the last checkpoint that it told of, or the one that it had just finished.
#[test]
fn a_run_that_is_killed_goes_on_to_the_same_pixels() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    let (record, all) = whole(&shop, "two.yaml");
    assert!(all.len() > 30, "{all:?}");
    let place = |at: &str| all.iter().position(|other| other == at).unwrap();
    let last_stage = all.iter().position(|at| at.contains("erode dry, "));
    let last_stage = last_stage.expect("cycles of the last stage");
    let mut draws = Draws(1);
    let (mut went_on, mut stages) = (0, Vec::new());
    for threads in ["1", "2", "3", "8"] {
        let arguments = [&RESUME[..], &EACH, &["--threads", threads]].concat();
        let mut last: Option<usize> = None;
        for quarter in 0..4 {
            let mut run = Running::new(&shop, &arguments);
            // One kill in each quarter of the run.
            // The last in the last stage, which is a small part of the run.
            let target = match quarter {
                3 => last_stage + draws.below(all.len() - last_stage),
                _ => (all.len() * quarter + draws.below(all.len())) / 4,
            };
            let done = last.map_or(0, |last| last + 1);
            run.wait_for_kept(1 + target.saturating_sub(done));
            std::thread::sleep(Duration::from_millis(draws.below(8) as u64));
            let kept = run.kill();
            if let Some(last) = last {
                let words = run.words();
                let from = place(&went_on_from(&words).expect("a checkpoint"));
                // One interval at most is done again: what came after it.
                assert!(from == last || from == last + 1, "{last} {from}: {words}");
                stages.push(all[from].clone());
                went_on += 1;
            }
            if shop.path("a/run.json").exists() {
                break;
            }
            last = kept.last().map(|at| place(at)).or(last);
        }
        if !shop.path("a/run.json").exists() {
            let ended = shop.done(&arguments);
            stages.extend(went_on_from(&ended.stderr));
        }
        assert_is(&shop, "a", &record);
        fs::remove_dir_all(shop.path("a")).unwrap();
    }
    assert!(went_on >= 8, "{went_on} kills fell into the runs");
    for stage in ["erode wet, ", "erode dry, ", " more"] {
        assert!(
            stages.iter().any(|at| at.contains(stage)),
            "{stage}: {stages:?}"
        );
    }
}

/// A checkpoint that is damaged is told of, and the one before it stands in; without any the run starts anew.
#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    let (record, all) = whole(&shop, "two.yaml");
    let arguments = [&RESUME[..], &EACH].concat();
    let mut run = Running::new(&shop, &arguments);
    run.wait_for_kept(6);
    run.kill();
    let found = checkpoints(&shop.path("a"));
    assert_eq!(found.len(), 2);
    let newest = fs::read(&found[0]).unwrap();
    let older = fs::read(&found[1]).unwrap();
    let cut = newest[..newest.len() * 2 / 3].to_vec();
    let mut flipped = newest.clone();
    flipped[newest.len() / 2] ^= 4;
    for (damaged, other, warnings) in [
        (&cut, &older, 1),
        (&flipped, &older, 1),
        (&flipped, &cut, 2),
    ] {
        fs::remove_dir_all(shop.path("a")).unwrap_or_default();
        fs::create_dir(shop.path("a")).unwrap();
        fs::write(&found[0], damaged).unwrap();
        fs::write(&found[1], other).unwrap();
        let ended = shop.done(&arguments);
        let told = ended.stderr.matches("warning: the checkpoint ").count();
        assert_eq!(told, warnings, "{}", ended.stderr);
        match (warnings, went_on_from(&ended.stderr)) {
            (1, Some(from)) => {
                let next = all.iter().position(|at| *at == from).unwrap() + 1;
                let text = String::from_utf8_lossy(&newest).into_owned();
                assert!(text.contains(&all[next]), "{from} is not the one before");
            }
            (2, None) => assert!(ended.stderr.contains("starting anew"), "{}", ended.stderr),
            other => panic!("{other:?}: {}", ended.stderr),
        }
        assert_is(&shop, "a", &record);
    }
}

/// A polite signal finishes the cycle and keeps it.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_cycle() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    let (record, all) = whole(&shop, "two.yaml");
    for signal in ["-INT", "-TERM"] {
        // No time for a checkpoint within a stage but the interrupted one.
        let arguments = [&RESUME[..], &["--checkpoint-every", "1h", "-v"]].concat();
        let long = [&arguments[..], &["--set", "erode.wet.droplets_per_cell=40"]].concat();
        let mut run = Running::new(&shop, &long);
        run.wait_for("checkpoint: after synthesize base");
        std::thread::sleep(Duration::from_millis(300));
        run.signal(signal);
        let ended = run.end();
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        for words in ["finishing this cycle", "interrupted", "--resume goes on"] {
            assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
        }
        assert!(
            ended.stderr.contains("checkpoint: erode wet, "),
            "{}",
            ended.stderr
        );
        fs::remove_dir_all(shop.path("a")).unwrap();

        // A run of seconds, stopped somewhere, goes on from where it was.
        let mut run = Running::new(&shop, &[&RESUME[..], &EACH].concat());
        run.wait_for_kept(all.len() / 2);
        run.signal(signal);
        let ended = run.end();
        if ended.code != Some(0) {
            assert_eq!(ended.code, Some(130), "{}", ended.stderr);
            let again = shop.done(&arguments);
            let last = super::kept(&ended.stderr).pop();
            assert_eq!(went_on_from(&again.stderr), last);
        }
        assert_is(&shop, "a", &record);
        fs::remove_dir_all(shop.path("a")).unwrap();
    }
}

/// Whoever interrupts twice does not want to wait.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_at_once() {
    let shop = Workshop::new();
    shop.write("two.yaml", TWO);
    // One cycle, longer than any test waits.
    let long = ["erode.wet.droplets_per_cell=300", "erode.wet.cycles=1"];
    let long = long.map(|set| ["--set", set]).concat();
    let mut run = Running::new(
        &shop,
        &[&["run", "two.yaml", "--out", "a"], &EACH[..], &long].concat(),
    );
    run.wait_for("checkpoint: after synthesize base");
    run.signal("-INT");
    run.wait_for("finishing this cycle");
    assert!(!run.has_ended());
    run.signal("-INT");
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert_eq!(checkpoints(&shop.path("a")).len(), 1);
}

/// Twenty kills: in the synthesis, in erosion, while a checkpoint is written, while outputs are.
#[test]
#[ignore = "takes minutes; part of `make test-full`"]
fn twenty_kills_at_any_moment_change_nothing() {
    let shop = Workshop::new();
    let sets = ["grid.rows=360", "grid.cols=360", "erode.rivers.cycles=40"];
    let sets = sets.map(|set| ["--set", set]).concat();
    let quickstart = shipped("quickstart");
    let run = |out| [&["run", &quickstart, "--out", out], &sets[..]].concat();
    shop.done(&run("whole"));
    let record = shop.record("whole");
    let folder = shop.path("a");
    let is_writing = |folder: &Path| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names = names.map(|entry| entry.file_name().into_string().unwrap());
        names.any(|name| name.starts_with("..thalweg.checkpoint") && name.ends_with(".tmp"))
    };
    let mut draws = Draws(2);
    let mut hit = [0; 4];
    for kill in 0..20 {
        let arguments = [&run("a")[..], &EACH, &["--resume"]].concat();
        let mut child = Running::new(&shop, &arguments);
        match kill % 4 {
            0 => std::thread::sleep(Duration::from_millis(5 + draws.below(20) as u64)),
            1 => child.wait_for_kept(2 + draws.below(60)),
            2 => {
                child.wait_for_kept(2 + draws.below(60));
                wait_until(|| is_writing(&folder) || child.has_ended());
            }
            _ => wait_until(|| !files(&folder).is_empty() || child.has_ended()),
        }
        let kept = child.kill();
        let is_done = folder.join("run.json").exists();
        let hits = match kill % 4 {
            0 => kept.is_empty(),
            1 => !is_done,
            2 => is_writing(&folder),
            _ => !is_done && !files(&folder).is_empty(),
        };
        hit[kill % 4] += usize::from(hits);
        let ended = shop.done(&arguments);
        if !kept.is_empty() && !is_done {
            assert!(went_on_from(&ended.stderr).is_some(), "{}", ended.stderr);
        }
        assert_is(&shop, "a", &record);
        assert_eq!(timeless(shop.record("a")), timeless(record.clone()));
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(
        hit.iter().all(|&count| count > 0),
        "kills of each kind: {hit:?}"
    );
}
