//! Rasters that are no north-up planes of square metres, and the command that makes them so.

use crate::support::{Folder, Foreign, available, ramp_at};
use std::path::Path;
use std::process::Command;
use thalweg_geotiff::{ErrorKind, GeotiffError, Request, read};

const SHAPE: (usize, usize) = (60, 90);

fn make(path: &Path, epsg: u32, transform: [f64; 6]) {
    let mut foreign = Foreign::<f32>::new(SHAPE, |row, col| 1000.0 + ramp_at(row, col));
    foreign.epsg = Some(epsg);
    foreign.transform = Some(transform);
    drop(foreign.make(path));
}

/// The refusal's command, run by a shell as it is printed, must make a raster that is accepted.
fn mends(path: &Path, words: &[&str]) -> Option<thalweg_geotiff::Reading> {
    let error = read(path, &Request::of_band(1)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&path.display().to_string()), "{text}");
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
    assert_eq!(error.kind(), ErrorKind::Data);
    let GeotiffError::NeedsWarp { command, .. } = error else {
        panic!("{error}");
    };
    assert!(text.contains(&command));
    if !available("gdalwarp") {
        return None;
    }
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let folder = path.parent().unwrap();
    let made = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|file| file != path)
        .unwrap();
    Some(read(&made, &Request::of_band(1)).unwrap())
}

#[test]
fn degrees_go_to_the_utm_zone_of_the_centre() {
    let folder = Folder::new();
    let path = folder.file("arc seconds' dem.tif");
    let second = 1.0 / 3600.0;
    make(&path, 4326, [-118.2, second, 0.0, 34.4, 0.0, -second]);
    if let Some(mended) = mends(
        &path,
        &["geographic", "gdalwarp -t_srs EPSG:32611 -tr 30 30"],
    ) {
        assert_eq!(mended.grid.crs.as_deref(), Some("EPSG:32611"));
        // 60 rows of an arc second are 1,850 m; 118.2° W is 110 km west of the zone's 117° W.
        let height_m = mended.grid.shape.rows as f64 * mended.grid.cell_size_m;
        assert!((1800.0..2000.0).contains(&height_m), "{height_m}");
        assert!((380_000.0..400_000.0).contains(&mended.grid.origin_m[0]));
        // What the turned raster leaves empty is nodata, not sea level.
        let lowest = mended
            .elevation
            .indexed_iter()
            .filter(|&(at, _)| mended.valid.as_ref().is_none_or(|v| v[at]));
        assert!(lowest.into_iter().all(|(_, &value)| value > 400.0));
    }
}

#[test]
fn feet_on_the_ground_go_to_metres() {
    let folder = Folder::new();
    let path = folder.file("long_island.tif");
    make(
        &path,
        2263,
        [1_000_000.0, 100.0, 0.0, 200_000.0, 0.0, -100.0],
    );
    if let Some(mended) = mends(&path, &["US survey foot", "-t_srs EPSG:32618"]) {
        assert!((mended.grid.cell_size_m - 30.48).abs() < 0.01);
    }
}

#[test]
fn oblong_cells_become_square_ones() {
    let folder = Folder::new();
    let path = folder.file("oblong.tif");
    make(
        &path,
        32_611,
        [300_000.0, 10.0, 0.0, 4_000_000.0, 0.0, -20.0],
    );
    if let Some(mended) = mends(
        &path,
        &[
            "10 × 20",
            "gdalwarp -te 300000 3998800 300900 4000000 -tr 10 10",
        ],
    ) {
        assert_eq!(mended.grid.shape.dim(), (120, 90));
    }
}

#[test]
fn rotated_and_mirrored_rasters_become_north_up() {
    for transform in [
        [300_000.0, 8.0, 6.0, 4_000_000.0, 6.0, -8.0],
        [300_900.0, -10.0, 0.0, 4_000_000.0, 0.0, -10.0],
    ] {
        let folder = Folder::new();
        let path = folder.file("turned.tif");
        make(&path, 32_611, transform);
        if let Some(mended) = mends(&path, &["neither rotated nor mirrored", "-tr 10 10"]) {
            assert!((mended.grid.cell_size_m - 10.0).abs() < 1e-9);
        }
    }
}

#[test]
fn a_raster_without_place_is_refused() {
    let folder = Folder::new();
    let path = folder.file("plain.tif");
    let mut foreign = Foreign::<f32>::new(SHAPE, ramp_at);
    foreign.transform = None;
    foreign.epsg = None;
    drop(foreign.make(&path));
    let text = read(&path, &Request::of_band(1)).unwrap_err().to_string();
    assert!(
        text.contains("plain.tif") && text.contains("-a_ullr"),
        "{text}"
    );
}
