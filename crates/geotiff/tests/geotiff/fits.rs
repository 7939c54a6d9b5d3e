//! Rasters on grids that are not quite their own: parts, other cells, other planes, other units.

use crate::support::{Folder, Foreign, bits, ramp, ramp_at};
use std::path::Path;
use thalweg_geotiff::{ErrorKind, Fit, GeotiffError, Method, Note, Request, inspect, read};
use thalweg_grid::Grid;

const SHAPE: (usize, usize) = (60, 90);

fn make(path: &Path, epsg: Option<u32>, transform: [f64; 6]) {
    let mut foreign = Foreign::<f32>::new(SHAPE, ramp_at);
    foreign.epsg = epsg;
    foreign.transform = Some(transform);
    drop(foreign.make(path));
}

fn utm(folder: &Folder) -> std::path::PathBuf {
    let path = folder.file("utm.tif");
    make(
        &path,
        Some(32_611),
        [300_000.0, 10.0, 0.0, 4_000_000.0, 0.0, -10.0],
    );
    path
}

fn grid(shape: (usize, usize), cell_size_m: f64, origin_m: [f64; 2]) -> Grid {
    Grid::new(shape.into(), cell_size_m, origin_m, None).unwrap()
}

fn fit(fit: Fit) -> Request {
    Request {
        fit,
        ..Request::default()
    }
}

/// The header must promise what the pixels keep.
fn both(path: &Path, request: &Request) -> thalweg_geotiff::Reading {
    let header = inspect(path, request).unwrap();
    let reading = read(path, request).unwrap();
    assert_eq!(header.grid, reading.grid);
    assert_eq!(header.grid.shape.dim(), reading.elevation.dim());
    reading
}

fn refused(path: &Path, request: &Request, words: &str) {
    let error = inspect(path, request).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);
    let text = error.to_string();
    assert!(text.contains(words), "{text}");
    assert!(text.contains(&path.display().to_string()), "{text}");
}

#[test]
fn an_exact_grid_is_the_rasters_or_refused_with_what_to_do() {
    let folder = Folder::new();
    let path = utm(&folder);
    let own = grid(SHAPE, 10.0, [300_000.0, 4_000_000.0]);
    let found = both(&path, &fit(Fit::Exact(own.clone())));
    assert_eq!(found.grid.crs.as_deref(), Some("EPSG:32611"));
    assert_eq!(bits(&found.elevation), bits(&ramp(SHAPE)));
    for (wanted, words) in [
        (grid((60, 89), 10.0, own.origin_m), "set `fit: crop`"),
        (
            grid(SHAPE, 20.0, own.origin_m),
            "set `grid.cell_size_m: 10`",
        ),
        (
            grid(SHAPE, 10.0, [300_003.0, 4_000_000.0]),
            "grid.origin_m: [300000, 4000000]",
        ),
    ] {
        refused(&path, &fit(Fit::Exact(wanted)), words);
    }
    let other = Grid {
        crs: Some("EPSG:32612".to_owned()),
        ..own
    };
    refused(&path, &fit(Fit::Exact(other)), "its CRS is EPSG:32611");
}

#[test]
fn a_part_is_cut_out_cell_by_cell() {
    let folder = Folder::new();
    let (north_up, south_up) = (utm(&folder), folder.file("south_up.tif"));
    let mut foreign = Foreign::<f32>::new(SHAPE, |row, col| ramp_at(SHAPE.0 - 1 - row, col));
    foreign.transform = Some([300_000.0, 10.0, 0.0, 3_999_400.0, 0.0, 10.0]);
    drop(foreign.make(&south_up));
    // Rows 7..47 and columns 3..23.
    let part = grid((40, 20), 10.0, [300_030.0, 3_999_930.0]);
    for path in [&north_up, &south_up] {
        let found = both(path, &fit(Fit::Crop(part.clone())));
        let expected = ndarray::Array2::from_shape_fn((40, 20), |(r, c)| ramp_at(r + 7, c + 3));
        assert_eq!(
            bits(&found.elevation),
            bits(&expected),
            "{}",
            path.display()
        );
    }
    let beyond = grid((40, 20), 10.0, [300_030.0, 4_000_010.0]);
    refused(&north_up, &fit(Fit::Crop(beyond)), "goes beyond");
}

/// A plane is the same plane at any cell size: bilinear interpolation is exact on it.
#[test]
fn a_plane_stays_one_when_it_is_resampled() {
    let folder = Folder::new();
    let path = utm(&folder);
    // −500 + 10 row + 0.25 col, where centres lie half a cell in.
    let at = |x: f64, y: f64| {
        -500.0 + 10.0 * ((4_000_000.0 - y) / 10.0 - 0.5) + 0.25 * ((x - 300_000.0) / 10.0 - 0.5)
    };
    for (cell, origin) in [
        (2.5, [300_101.0, 3_999_903.0]),
        (7.0, [300_100.0, 3_999_900.0]),
    ] {
        let wanted = grid((40, 50), cell, origin);
        let found = both(&path, &fit(Fit::Resample(wanted.clone())));
        assert_eq!(found.grid.crs.as_deref(), Some("EPSG:32611"));
        assert!(found.valid.is_none() && found.notes.contains(&Note::Resampled));
        for ((row, col), value) in found.elevation.indexed_iter() {
            let expected = at(wanted.x_m(col), wanted.y_m(row));
            assert!(
                (f64::from(*value) - expected).abs() < 2e-3,
                "{cell} {row} {col}"
            );
        }
    }
    // The nearest of the raster's own cells is the cell itself.
    let same = grid((10, 10), 10.0, [300_100.0, 3_999_900.0]);
    let request = Request {
        method: Method::Nearest,
        ..fit(Fit::Resample(same))
    };
    let expected = ndarray::Array2::from_shape_fn((10, 10), |(r, c)| ramp_at(r + 10, c + 10));
    assert_eq!(bits(&both(&path, &request).elevation), bits(&expected));
}

#[test]
fn cells_beyond_the_raster_and_in_its_holes_have_no_data() {
    let folder = Folder::new();
    let path = folder.file("hole.tif");
    let value = |row, col| match (row, col) {
        (20..30, 20..30) => -32_768,
        _ => (row * 10 + col) as i16,
    };
    let dataset = Foreign::<i16>::new(SHAPE, value).make(&path);
    let mut band = dataset.rasterband(1).unwrap();
    band.set_no_data_value(Some(-32_768.0)).unwrap();
    band.set_scale(0.5).unwrap();
    band.set_offset(100.0).unwrap();
    drop(dataset);
    // 10 cells of 5 m stick out in the west.
    let found = both(
        &path,
        &fit(Fit::Resample(grid(
            (100, 100),
            5.0,
            [299_950.0, 4_000_000.0],
        ))),
    );
    let valid = found.valid.unwrap();
    assert_eq!(found.nodata, Some(-32_768.0));
    assert!(!valid[(50, 5)] && valid[(50, 20)]);
    assert!(!valid[(50, 60)], "in the middle of the hole");
    let low = found
        .elevation
        .indexed_iter()
        .filter(|(at, _)| valid[*at])
        .map(|(_, value)| *value);
    assert!(
        low.fold(f32::MAX, f32::min) >= 100.0,
        "no nodata value was mixed in"
    );
    let nowhere = fit(Fit::Resample(grid((10, 10), 5.0, [0.0, 0.0])));
    let text = read(&path, &nowhere).unwrap_err().to_string();
    assert!(
        text.contains("has no data in `grid`") && text.contains("grid.origin_m"),
        "{text}"
    );
}

/// Onto its own cells a raster comes back as it was, whatever its numbers, and a hole of NaN is no larger.
#[test]
fn resampling_onto_the_same_cells_changes_nothing() {
    let folder = Folder::new();
    let own = fit(Fit::Resample(grid(SHAPE, 10.0, [300_000.0, 4_000_000.0])));
    let path = folder.file("i16.tif");
    drop(Foreign::<i16>::new(SHAPE, |row, col| (row * 100 + col) as i16 - 300).make(&path));
    let found = both(&path, &own);
    assert!(found.valid.is_none());
    for ((row, col), value) in found.elevation.indexed_iter() {
        let expected = (row * 100 + col) as f32 - 300.0;
        assert_eq!(value.to_bits(), expected.to_bits(), "{row} {col}");
    }
    let path = folder.file("nan.tif");
    let hole = |(row, col): (usize, usize)| (20..30).contains(&row) && (20..30).contains(&col);
    let value = |row, col| match hole((row, col)) {
        true => f32::NAN,
        false => ramp_at(row, col),
    };
    drop(Foreign::<f32>::new(SHAPE, value).make(&path));
    let found = both(&path, &own);
    let valid = found.valid.unwrap();
    for (at, value) in found.elevation.indexed_iter() {
        assert_eq!(valid[at], !hole(at), "{at:?}");
        assert!(
            !valid[at] || (value - ramp_at(at.0, at.1)).abs() < 1e-3,
            "{at:?}"
        );
    }
}

#[test]
fn units_can_be_told() {
    let folder = Folder::new();
    let path = utm(&folder);
    for metres in [0.3048, 1200.0 / 3937.0] {
        let request = Request {
            unit_m: Some(metres),
            ..Request::default()
        };
        let found = both(&path, &request);
        assert!(found.notes.contains(&Note::Converted { metres }));
        let expected = f64::from(ramp_at(59, 89)) * metres;
        assert!((f64::from(found.elevation[(59, 89)]) - expected).abs() < 1e-4);
    }
}

#[test]
fn degrees_become_metres_on_request() {
    let folder = Folder::new();
    let path = folder.file("degrees.tif");
    let second = 1.0 / 3600.0;
    make(&path, Some(4326), [-118.2, second, 0.0, 34.4, 0.0, -second]);
    refused(&path, &Request::default(), "gdalwarp -t_srs EPSG:32611");
    let request = Request {
        reproject: true,
        ..Request::default()
    };
    let found = both(&path, &request);
    assert_eq!(found.grid.crs.as_deref(), Some("EPSG:32611"));
    assert!((found.grid.cell_size_m - 30.0).abs() < 1e-9);
    assert!(
        found
            .notes
            .iter()
            .any(|note| matches!(note, Note::Reprojected { .. }))
    );
    assert!(
        found.valid.is_some(),
        "the turned raster's corners are empty"
    );
    // The value at a place whose coordinates are known in both systems, by PROJ through another way.
    let (row, col) = (30, 40);
    let (mut x, mut y) = ([found.grid.x_m(col)], [found.grid.y_m(row)]);
    let axes = gdal::spatial_ref::AxisMappingStrategy::TraditionalGisOrder;
    let [mut from, mut to] =
        [32_611, 4326].map(|code| gdal::spatial_ref::SpatialRef::from_epsg(code).unwrap());
    from.set_axis_mapping_strategy(axes);
    to.set_axis_mapping_strategy(axes);
    gdal::spatial_ref::CoordTransform::new(&from, &to)
        .unwrap()
        .transform_coords(&mut x, &mut y, &mut [])
        .unwrap();
    let expected =
        -500.0 + 10.0 * ((34.4 - y[0]) / second - 0.5) + 0.25 * ((x[0] + 118.2) / second - 0.5);
    // Cells are stretched by a quarter from east to west: the interpolation is near exact on a plane still.
    assert!((f64::from(found.elevation[(row, col)]) - expected).abs() < 0.5);
}

#[test]
fn oblong_and_turned_cells_are_mended_on_request() {
    let folder = Folder::new();
    let request = Request {
        reproject: true,
        ..Request::default()
    };
    let path = folder.file("oblong.tif");
    make(
        &path,
        Some(32_611),
        [300_000.0, 10.0, 0.0, 4_000_000.0, 0.0, -20.0],
    );
    let found = both(&path, &request);
    assert_eq!(found.grid.shape.dim(), (120, 90));
    let path = folder.file("turned.tif");
    make(
        &path,
        Some(32_611),
        [300_000.0, 8.0, 6.0, 4_000_000.0, 6.0, -8.0],
    );
    assert!((both(&path, &request).grid.cell_size_m - 10.0).abs() < 1e-9);
    // What needs no mending is left as it is.
    let path = utm(&folder);
    let found = both(&path, &request);
    assert_eq!(bits(&found.elevation), bits(&ramp(SHAPE)));
    assert!(found.notes.is_empty());
}

#[test]
fn several_bands_and_degrees_without_a_crs_are_asked_about() {
    let folder = Folder::new();
    let path = folder.file("degrees.tif");
    make(&path, None, [-118.2, 0.001, 0.0, 34.4, 0.0, -0.001]);
    refused(&path, &Request::default(), "gdal_edit.py -a_srs EPSG:4326");
    let one = utm(&folder);
    let three = folder.file("three.vrt");
    let band = |number: usize| {
        format!(
            "<VRTRasterBand dataType='Float32' band='{number}'><SimpleSource><SourceFilename>{}\
             </SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>",
            one.display()
        )
    };
    let xml = format!(
        "<VRTDataset rasterXSize='90' rasterYSize='60'><SRS>EPSG:32611</SRS>\
         <GeoTransform>300000, 10, 0, 4000000, 0, -10</GeoTransform>{}{}{}</VRTDataset>",
        band(1),
        band(2),
        band(3)
    );
    std::fs::write(&three, xml).unwrap();
    let error = read(&three, &Request::default()).unwrap_err();
    assert!(
        matches!(error, GeotiffError::WhichBand { found: 3, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("`band: n`"), "{error}");
    assert!(read(&three, &Request::of_band(3)).is_ok());
}
