//! A disk that fills while a file is written. The system's limit on the size of a file stands in for it, since it
//! fails the same calls and any user may set it; where a small file system can be mounted, that is used too.

use crate::support::{grid, noise, skip, write_elevation};
use ndarray::Array2;
use std::path::Path;
use std::process::{Command, Output};
use thalweg_geotiff::{ErrorKind, GeotiffError, Request, read, write_atomically};

const SHAPE: (usize, usize) = (1200, 1100);
const FOLDER: &str = "THALWEG_TEST_FULL_DISK";

/// Runs in a process of its own, started by the tests below with a limit or a small disk.
#[test]
#[ignore = "a part of the other tests of this module"]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    // 5.3 MB that do not compress.
    let cells = noise(SHAPE);
    check(
        &write_elevation(&folder.join("dem.tif"), &grid(SHAPE, None), &cells).unwrap_err(),
        5_280_000,
    );
    let other = write_atomically(&folder.join("a.bin"), false, |out| {
        out.write_all(&vec![1; 6_000_000])
    });
    check(&other.unwrap_err(), 1_000_000);
    assert_eq!(
        std::fs::read_dir(folder).unwrap().count(),
        0,
        "nothing is left behind"
    );
    // A small file still fits, so the failure was one of room.
    let small = folder.join("small.tif");
    write_elevation(&small, &grid((3, 5), None), &Array2::zeros((3, 5))).unwrap();
    read(&small, &Request::of_band(1)).unwrap();
}

fn check(error: &GeotiffError, least: u64) {
    assert_eq!(error.kind(), ErrorKind::Space, "{error}");
    let GeotiffError::NoSpace {
        needed_bytes,
        free_bytes,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(*needed_bytes >= least && free_bytes.is_some(), "{error}");
    assert!(error.to_string().contains("no room"), "{error}");
}

fn run_writer(setup: &str, folder: &Path) -> Output {
    let me = std::env::current_exe().unwrap();
    let script = format!(r#"{setup} exec "$0" --ignored --exact full_disk::writer"#);
    Command::new("sh")
        .args(["-c", &script])
        .arg(me)
        .env(FOLDER, folder)
        .output()
        .unwrap()
}

fn assert_passed(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{output:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_file_size_is_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.tif");
    let bytes = write_elevation(&whole, &grid(SHAPE, None), &noise(SHAPE))
        .unwrap()
        .bytes;
    std::fs::remove_file(&whole).unwrap();
    // The last one cuts the file's last bytes alone, which GDAL writes when it closes and says nothing of.
    for blocks in [40, 2000, 8000, (bytes - 1) / 512] {
        // 512-byte blocks; without the trap the system would end the process instead of failing the call.
        let output = run_writer(&format!("trap '' XFSZ; ulimit -f {blocks};"), folder.path());
        assert_passed(&output);
        std::fs::remove_file(folder.path().join("small.tif")).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let (user, at) = ("unshare -rm true", folder.path().display());
    if !Command::new("sh")
        .args(["-c", user])
        .output()
        .is_ok_and(|o| o.status.success())
    {
        return skip("no file system may be mounted here");
    }
    let me = std::env::current_exe().unwrap();
    for size in ["300k", "2m", "5m"] {
        // Mounted in a name space of its own: it is gone with the process, whatever happens.
        let script = format!(
            r#"mount -t tmpfs -o size={size} none '{at}' && exec "$0" --ignored --exact full_disk::writer"#
        );
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", &script])
            .arg(&me)
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        assert_passed(&output);
    }
}
