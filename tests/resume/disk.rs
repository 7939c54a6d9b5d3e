//! A disk that fills up on the way.

use super::{EACH, Running, TWO, assert_is, checkpoints, whole};
use crate::killed::files;
use crate::support::Workshop;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system, if one may be mounted.
pub(crate) struct Small(PathBuf);

impl Small {
    pub(crate) fn mount(folder: &Path) -> Option<Self> {
        fs::create_dir(folder).unwrap();
        let mount = ["-t", "tmpfs", "-o", "size=6m", "tmpfs"];
        let mounted = Command::new("mount").args(mount).arg(folder).output();
        let mounted = mounted.is_ok_and(|output| output.status.success());
        mounted.then(|| Self(folder.to_owned()))
    }

    /// Makes room.
    pub(crate) fn grow(&self) {
        let larger = ["-o", "remount,size=600m"];
        let grown = Command::new("mount").args(larger).arg(&self.0).status();
        assert!(grown.unwrap().success());
    }

    /// Takes all room that is left; returns the file that does.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = File::create(&path).unwrap();
        for size in [1 << 16, 1 << 12] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
        path
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// At whatever moment the disk fills up, the run says which file needs how much, and goes on once there is room.
#[test]
fn a_run_goes_on_after_a_full_disk() {
    let shop = Workshop::new();
    let Some(disk) = Small::mount(&shop.path("disk")) else {
        skip("mounting a file system of 6 MB needs root");
        return;
    };
    shop.write("two.yaml", TWO);
    let (record, all) = whole(&shop, "two.yaml");
    let arguments = [
        &["run", "two.yaml", "--out", "disk/a", "--resume"],
        &EACH[..],
    ]
    .concat();
    let mut full = 0;
    for count in [1, 2, 9, all.len() - 12, all.len()] {
        let mut run = Running::new(&shop, &arguments);
        run.wait_for_kept(count);
        let filler = disk.fill();
        let ended = run.end();
        if ended.code == Some(0) {
            fs::remove_file(filler).unwrap();
            assert_is(&shop, "disk/a", &record);
            fs::remove_dir_all(shop.path("disk/a")).unwrap();
            continue;
        }
        full += 1;
        assert_eq!(ended.code, Some(6), "{}", ended.stderr);
        let errors: Vec<&str> = (ended.stderr.lines())
            .filter(|line| line.starts_with("error: "))
            .collect();
        let [error] = errors[..] else {
            panic!("{}", ended.stderr);
        };
        for words in ["disk/a/", "needs up to ", " bytes", "--resume goes on"] {
            assert!(error.contains(words), "{words}: {error}");
        }
        let within = super::kept(&ended.stderr).pop();
        if error.contains(".thalweg.checkpoint-") && within.unwrap().contains("cycles") {
            let needed = error.split("needs up to ").nth(1).unwrap();
            let needed: f64 = needed.split(' ').next().unwrap().parse().unwrap();
            let size = checkpoints(&shop.path("disk/a"))[0].metadata().unwrap();
            // One after a stage holds other layers than one within.
            let ratio = needed / size.len() as f64;
            assert!(ratio > 0.5 && ratio < 2.0, "{ratio}: {error}");
        }
        assert!(!checkpoints(&shop.path("disk/a")).is_empty());
        assert!(!files(&shop.path("disk/a")).contains_key(Path::new("run.json")));
        fs::remove_file(filler).unwrap();
        let ended = shop.done(&arguments);
        assert!(ended.stderr.contains("going on from"), "{}", ended.stderr);
        assert_is(&shop, "disk/a", &record);
        fs::remove_dir_all(shop.path("disk/a")).unwrap();
    }
    assert!(full >= 3, "the disk was full {full} times");
}

pub(crate) fn skip(why: &str) {
    let line = format!("skipped: {why}\n");
    // Past the test harness, which keeps what passing tests print.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
