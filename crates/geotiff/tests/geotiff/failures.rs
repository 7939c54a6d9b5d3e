//! What cannot be read or written, and what is said of it.

use crate::support::{
    Folder, Foreign, PROVENANCE, grid, noise, ramp, ramp_at, skip, write_elevation,
};
use ndarray::Array2;
use std::path::Path;
use thalweg_geotiff::{Band, ErrorKind, GeotiffError, Request, read, write};
use thalweg_grid::{Grid, Layer};

/// The message of a failed read, which must name the file.
fn refused(path: &Path, kind: ErrorKind) -> String {
    let error = read(path, &Request::of_band(1)).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    let text = error.to_string();
    assert!(text.contains(&path.display().to_string()), "{text}");
    text
}

#[test]
fn what_is_no_raster_is_told_apart() {
    let folder = Folder::new();
    let missing = refused(&folder.file("none.tif"), ErrorKind::Data);
    assert!(missing.contains("no such file"), "{missing}");
    let (dir, empty, text) = (
        folder.file("dir"),
        folder.file("empty.tif"),
        folder.file("notes.txt"),
    );
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(&empty, b"").unwrap();
    std::fs::write(&text, b"hello").unwrap();
    assert!(refused(&dir, ErrorKind::Data).contains("is a folder"));
    assert!(refused(&empty, ErrorKind::Data).contains("0 bytes"));
    assert!(refused(&text, ErrorKind::Data).contains("not a raster"));
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.file("secret.tif");
    write_elevation(&path, &grid((3, 5), None), &ramp((3, 5))).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        return skip("the superuser may read everything");
    }
    assert!(refused(&path, ErrorKind::Io).contains("ermission denied"));
}

#[test]
fn truncated_files_are_damaged_or_no_raster_and_never_a_map() {
    let folder = Folder::new();
    let whole = folder.file("whole.tif");
    // So that the pixels make up the file.
    let cells = noise((600, 700));
    write_elevation(&whole, &grid((600, 700), None), &cells).unwrap();
    let bytes = std::fs::read(&whole).unwrap();
    // Inside of the directory and its tags.
    for length in (8..1600).step_by(40) {
        let cut = folder.file(&format!("head-{length}.tif"));
        std::fs::write(&cut, &bytes[..length]).unwrap();
        refused(&cut, ErrorKind::Data);
    }
    for share in [0.01, 0.1, 0.5, 0.9, 0.999] {
        let cut = folder.file(&format!("cut-{share}.tif"));
        std::fs::write(&cut, &bytes[..(bytes.len() as f64 * share) as usize]).unwrap();
        let text = refused(&cut, ErrorKind::Data);
        assert!(
            text.contains("truncated or damaged") || text.contains("not a raster"),
            "{text}"
        );
    }
}

#[test]
fn infinite_and_absent_data_are_refused() {
    let folder = Folder::new();
    let path = folder.file("inf.tif");
    let value = |row, col| {
        if (row, col) == (2, 3) {
            f32::NEG_INFINITY
        } else {
            ramp_at(row, col)
        }
    };
    drop(Foreign::<f32>::new((5, 8), value).make(&path));
    let text = refused(&path, ErrorKind::Data);
    assert!(text.contains("row 2, col 3 holds -inf"), "{text}");

    let path = folder.file("huge.tif");
    drop(Foreign::<f64>::new((5, 8), |row, _| if row == 4 { 1e300 } else { 0.0 }).make(&path));
    assert!(refused(&path, ErrorKind::Data).contains("row 4, col 0"));

    let path = folder.file("nothing.tif");
    drop(Foreign::<f32>::new((5, 8), |_, _| f32::NAN).make(&path));
    assert!(refused(&path, ErrorKind::Data).contains("every cell is nodata"));
}

#[test]
fn bands_that_are_not_there_are_refused() {
    let folder = Folder::new();
    let path = folder.file("one.tif");
    drop(Foreign::<f32>::new((5, 8), ramp_at).make(&path));
    for band in [0, 2] {
        let text = read(&path, &Request::of_band(band))
            .unwrap_err()
            .to_string();
        assert!(
            text.contains(&format!("no band {band}")) && text.contains("has 1 bands"),
            "{text}"
        );
    }
}

#[test]
fn existing_files_stay_unless_overwriting_is_allowed() {
    let folder = Folder::new();
    let path = folder.file("dem.tif");
    std::fs::write(&path, b"precious").unwrap();
    let (grid, cells) = (grid((3, 5), None), ramp((3, 5)));
    let error = write_elevation(&path, &grid, &cells).unwrap_err();
    assert!(matches!(error, GeotiffError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    let band = Band::float(Layer::Elevation, &cells);
    write(&path, &grid, &band, None, &PROVENANCE, true).unwrap();
    assert!(read(&path, &Request::of_band(1)).is_ok());
    assert_eq!(folder.names(), ["dem.tif"]);
}

#[test]
fn impossible_maps_are_refused_before_anything_is_written() {
    let folder = Folder::new();
    let path = folder.file("dem.tif");
    let fine = grid((3, 5), None);
    let refused = |grid: &Grid, cells: &Array2<f32>, mask: Option<&Array2<bool>>| {
        let band = Band::float(Layer::Elevation, cells);
        let mask = mask.map(|mask| mask.view());
        write(&path, grid, &band, mask, &PROVENANCE, false)
            .unwrap_err()
            .to_string()
    };
    let turned = refused(&fine, &ramp((5, 3)), None);
    assert!(
        turned.contains("5 rows × 3 cols") && turned.contains("3 rows × 5 cols"),
        "{turned}"
    );
    let mask = Array2::from_elem((2, 2), true);
    assert!(refused(&fine, &ramp((3, 5)), Some(&mask)).contains("mask"));
    let mut cells = ramp((3, 5));
    cells[(1, 4)] = f32::NAN;
    assert!(refused(&fine, &cells, None).contains("row 1, col 4 holds NaN"));
    assert!(refused(&grid((3, 5), Some("EPSG:4326")), &ramp((3, 5)), None).contains("geographic"));
    assert!(
        refused(&grid((3, 5), Some("EPSG:123456")), &ramp((3, 5)), None).contains("EPSG:123456")
    );
    assert!(folder.names().is_empty());
    let nowhere = folder.file("no/such/folder/dem.tif");
    let error = write_elevation(&nowhere, &fine, &ramp((3, 5))).unwrap_err();
    assert!(
        error.kind() == ErrorKind::Io && error.to_string().contains("no/such/folder"),
        "{error}"
    );
}
