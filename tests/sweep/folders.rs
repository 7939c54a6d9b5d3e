//! What a sweep leaves: members, tables, the page; and what it refuses.

use super::{TINY, arguments, members, pixels, shop, statuses, sweep};
use crate::support::{Workshop, json};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Each member is what `run` makes of the same seed and value, in a folder that only they decide.
#[test]
fn members_are_the_runs_of_their_seeds_and_values() {
    let shop = shop();
    let vary = ["--seeds", "1..2", "--vary", "erode.rivers.cycles=2,4"];
    let ended = sweep(&shop, &vary);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let table = json(&shop.path("s/sweep.json"));
    let list = table["members"].as_array().unwrap();
    assert_eq!(list.len(), 4);
    let member = |seed: u64, cycles: u64| {
        let found = list.iter().find(|member| {
            member["seed"] == seed && member["vary"]["erode.rivers.cycles"] == cycles
        });
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let id = member(2, 4);
    let run = [
        "run",
        "tiny.yaml",
        "--out",
        "alone",
        "--seed",
        "2",
        "--set",
        "erode.rivers.cycles=4",
    ];
    shop.done(&run);
    assert_eq!(
        pixels(&shop.path("s").join(&id)),
        pixels(&shop.path("alone"))
    );
    // The same member in another sweep has the same name, wherever it stands in it.
    shop.done(&[
        "sweep",
        "tiny.yaml",
        "--out",
        "other",
        "--seeds",
        "7,2",
        "--set",
        "erode.rivers.cycles=4",
    ]);
    assert!(shop.path("other").join(&id).join("run.json").exists());
    // The same command finds nothing to do; more seeds join.
    let before = fs::read(shop.path("s").join(&id).join("run.json")).unwrap();
    assert_eq!(sweep(&shop, &vary).code, Some(0));
    let more = sweep(
        &shop,
        &["--seeds", "1..3", "--vary", "erode.rivers.cycles=2,4"],
    );
    assert_eq!(more.code, Some(0), "{}", more.stderr);
    assert_eq!(
        fs::read(shop.path("s").join(&id).join("run.json")).unwrap(),
        before
    );
    assert_eq!(json(&shop.path("s/sweep.json"))["counts"]["done"], 6);
}

/// Tables and page have every member; the best come first; what is dropped comes back, the same pixels, with another
/// number of threads.
#[test]
fn the_best_are_kept_and_the_rest_comes_back() {
    let shop = shop();
    let keep = ["--seeds", "1..5", "--rank", "relief_m", "--keep", "top:2"];
    let ended = sweep(&shop, &keep);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let found = members(&shop, "s");
    let relief = |member: &Value| member["metrics"]["relief_m"].as_f64().unwrap();
    let mut order: Vec<&(std::path::PathBuf, Value)> = found.values().collect();
    order.sort_by(|a, b| relief(&b.1).total_cmp(&relief(&a.1)));
    for (index, (folder, member)) in order.iter().enumerate() {
        assert_eq!(member["rank"], index + 1);
        assert_eq!(member["dropped"], index >= 2);
        assert_eq!(folder.join("dem.tif").exists(), index < 2);
        assert_eq!(folder.join("layers").exists(), index < 2);
        assert!(folder.join("run.json").exists() && folder.join("sweep/thumbnail.png").exists());
    }
    let dropped = order[4].0.join("run.json");
    for threads in ["1", "3"] {
        let out = format!("again-{threads}");
        shop.done(&[
            "run",
            "--from",
            dropped.to_str().unwrap(),
            "--out",
            &out,
            "--threads",
            threads,
        ]);
        assert_eq!(pixels(&shop.path(&out)), pixels(&order[4].0));
        assert!(shop.path(&out).join("dem.tif").exists());
    }
    // In place, too.
    let place = order[4].0.to_str().unwrap();
    shop.done(&[
        "run",
        "--from",
        dropped.to_str().unwrap(),
        "--out",
        place,
        "--overwrite",
    ]);
    assert_eq!(
        fs::read(order[4].0.join("dem.tif")).unwrap(),
        fs::read(shop.path("again-1/dem.tif")).unwrap()
    );
    let table = fs::read_to_string(shop.path("s/sweep.csv")).unwrap();
    assert_eq!(table.lines().count(), 6);
    let page = fs::read_to_string(shop.path("s/index.html")).unwrap();
    for (folder, _) in found.values() {
        let id = folder.file_name().unwrap().to_str().unwrap();
        assert!(page.contains(id) && table.contains(id));
    }
    for outside in ["http://", "https://", "src=\"//"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// `--where` decides which members count.
#[test]
fn members_that_do_not_count_have_no_rank() {
    let shop = shop();
    let ended = sweep(
        &shop,
        &[
            "--seeds",
            "1..4",
            "--where",
            "seed >= 2 && !(seed == 3)",
            "--rank",
            "seed asc",
        ],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let ranks: Vec<Value> = members(&shop, "s")
        .into_values()
        .map(|(_, member)| member["rank"].clone())
        .collect();
    assert_eq!(ranks, [Value::Null, 1.into(), Value::Null, 2.into()]);
}

/// Several processes on one folder share the members out; none is begun twice.
#[test]
fn processes_share_the_work() {
    let shop = shop();
    let start = || {
        let more = arguments(&["--seeds", "1..12", "--jobs", "2", "--json", "-q"]);
        let mut command = shop.command(&more);
        command
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..3).map(|_| start()).collect();
    let mut begun = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        let events = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let started = events.filter(|event| event["event"] == "started");
        begun.extend(started.map(|event| event["seed"].as_u64().unwrap()));
    }
    let different: BTreeSet<u64> = begun.iter().copied().collect();
    assert_eq!((begun.len(), different.len()), (12, 12), "{begun:?}");
    assert_eq!(statuses(&shop, "s"), ["done"; 12]);
}

/// Parts of a sweep, by option and by the variables of array jobs, together are the sweep.
#[test]
fn parts_make_the_whole() {
    let shop = shop();
    let ended = sweep(&shop, &["--seeds", "1..5", "--shard", "1/2"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(
        statuses(&shop, "s"),
        ["done", "pending", "done", "pending", "done"]
    );
    let status = shop.thalweg(&["sweep", "status", "s"]);
    assert_eq!(status.code, Some(7));
    assert!(
        status.stdout.contains("3 done, 2 pending"),
        "{}",
        status.stdout
    );
    let mut array = shop.command(&arguments(&["--seeds", "1..5"]));
    array.envs([
        ("SLURM_ARRAY_TASK_ID", "1"),
        ("SLURM_ARRAY_TASK_COUNT", "2"),
    ]);
    assert!(array.output().unwrap().status.success());
    assert_eq!(statuses(&shop, "s"), ["done"; 5]);
    assert_eq!(shop.thalweg(&["sweep", "status", "s"]).code, Some(0));
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let shop = shop();
    let many = ["--seeds", "1..3"];
    for (more, code, words) in [
        (&["--seeds", "3..1"][..], 2, "3 is more than 1"),
        (
            &["--seeds", "1..3", "--where", "releif_m > 3"],
            2,
            "no metric `releif_m`",
        ),
        (&["--seeds", "1..3", "--rank", "relief_m desc asc"], 2, "^"),
        (&["--seeds", "1..3", "--keep", "top:3"], 2, "--rank"),
        (
            &["--seeds", "1..3", "--vary", "erode.rivers.cycels=1"],
            3,
            "cycels",
        ),
        (
            &["--seeds", "1..3", "--set", "outputs.0.path=sweep/a.tif"],
            3,
            "folder `sweep`",
        ),
        (&["--seeds", "1..3", "--until", "7 o'clock"], 2, "07:00"),
        (&["--seeds", "1..3", "--max-disk", "200"], 2, "200GB"),
        (&["--seeds", "1..3", "--shard", "0/2"], 2, "from 1 to N"),
        (&[], 2, "--seeds"),
    ] {
        let ended = sweep(&shop, more);
        assert_eq!(ended.code, Some(code), "{more:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{more:?}: {}", ended.stderr);
        assert!(!shop.path("s").exists(), "{more:?}");
    }
    assert_eq!(shop.thalweg(&["sweep", "status", "nowhere"]).code, Some(6));
    // Another pipeline does not mix with what is there.
    assert_eq!(sweep(&shop, &many).code, Some(0));
    let other = sweep(
        &shop,
        &[&many[..], &["--set", "erode.rivers.cycles=3"]].concat(),
    );
    assert_eq!(other.code, Some(6), "{}", other.stderr);
    assert!(
        other.stderr.contains("another pipeline"),
        "{}",
        other.stderr
    );
    shop.write("tiny.yaml", &TINY.replace("cycles: 6", "cycles: 7"));
    assert_eq!(sweep(&shop, &many).code, Some(6));
}

/// Names from a pipeline that look like markup stay text.
#[test]
fn the_page_escapes_what_comes_from_a_pipeline() {
    let shop = Workshop::new();
    shop.write("tiny.yaml", TINY);
    let vary = "outputs.0.path=<img src=x onerror=alert(1)>.tif,</script><script>alert(2)<b>.tif";
    let ended = sweep(&shop, &["--seeds", "1", "--vary", vary]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let page = fs::read_to_string(shop.path("s/index.html")).unwrap();
    assert!(
        !page.contains("<img") && !page.contains("<script>alert"),
        "{page}"
    );
}
