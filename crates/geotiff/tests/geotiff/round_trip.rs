//! What is written reads back the same.

use crate::support::{Folder, PROVENANCE, bits, grid, ramp, write_elevation};
use ndarray::Array2;
use thalweg_geotiff::{Band, DEFAULT_NODATA, Note, Request, read, write};
use thalweg_grid::{Layer, Raster};

#[test]
fn ramps_of_every_size_keep_place_and_bits() {
    let folder = Folder::new();
    let sizes = [
        (1, 1),
        (1, 700),
        (700, 1),
        (3, 5),
        (16, 16),
        (257, 511),
        (513, 1030),
    ];
    for (index, shape) in sizes.into_iter().enumerate() {
        for crs in [
            Some("EPSG:32633"),
            Some("EPSG:3031"),
            Some("EPSG:3413"),
            None,
        ] {
            let path = folder.file(&format!("{index}-{}.tif", crs.is_some()));
            let (grid, cells) = (grid(shape, crs), ramp(shape));
            let band = Band::float(Layer::Elevation, &cells);
            write(&path, &grid, &band, None, &PROVENANCE, true).unwrap();
            let found = read(&path, &Request::of_band(1)).unwrap();
            assert_eq!(found.grid, grid, "{shape:?} {crs:?}");
            assert_eq!(bits(&found.elevation), bits(&cells), "{shape:?} {crs:?}");
            assert_eq!(found.valid, None);
            assert_eq!(found.nodata, Some(DEFAULT_NODATA));
            assert!(found.lossless);
            assert_eq!(found.notes.contains(&Note::NoCrs), crs.is_none());
        }
    }
}

#[test]
fn a_system_without_a_number_comes_back_as_text() {
    let folder = Folder::new();
    let wkt = gdal::spatial_ref::SpatialRef::from_proj4(
        "+proj=laea +lat_0=46 +lon_0=8 +units=m +datum=WGS84",
    )
    .unwrap()
    .to_wkt()
    .unwrap();
    let (grid, cells) = (grid((4, 6), Some(&wkt)), ramp((4, 6)));
    let path = folder.file("laea.tif");
    write_elevation(&path, &grid, &cells).unwrap();
    let found = read(&path, &Request::of_band(1)).unwrap().grid.crs.unwrap();
    assert!(found.contains("Lambert_Azimuthal_Equal_Area"), "{found}");
    assert!(!found.starts_with("EPSG:"), "{found}");
}

#[test]
fn awkward_values_keep_their_bits() {
    let folder = Folder::new();
    let values = [-0.0, 0.0, f32::MIN_POSITIVE / 8.0, f32::MAX, 0.1, -9998.9];
    let cells = Array2::from_shape_vec((2, 3), values.to_vec()).unwrap();
    let path = folder.file("a.tif");
    write_elevation(&path, &grid((2, 3), None), &cells).unwrap();
    assert_eq!(
        bits(&read(&path, &Request::of_band(1)).unwrap().elevation),
        bits(&cells)
    );
}

/// Nodata of a source survives, whatever stood in its cells, and so does every other cell.
#[test]
fn masks_and_their_nodata_value_survive_two_trips() {
    let folder = Folder::new();
    let (shape, grid) = ((40, 70), grid((40, 70), Some("EPSG:32611")));
    let valid = Array2::from_shape_fn(shape, |(row, col)| (row + 2 * col) % 7 != 0);
    let mut cells = ramp(shape);
    cells[(0, 0)] = f32::INFINITY; // masked, so nobody minds
    for (name, nodata) in [
        ("a", -32_768.0),
        ("b", -3.402_823_466_385_288_6e38),
        ("c", f64::NAN),
    ] {
        let path = folder.file(name);
        let band = Band::float(Layer::Elevation, &cells).with_nodata(Some(nodata));
        write(&path, &grid, &band, Some(valid.view()), &PROVENANCE, false).unwrap();
        let first = read(&path, &Request::of_band(1)).unwrap();
        assert_eq!(first.valid.as_ref(), Some(&valid));
        assert_eq!(
            first.nodata.map(f64::to_bits),
            Some(nodata.to_bits()),
            "{nodata}"
        );
        for ((at, found), expected) in first.elevation.indexed_iter().zip(&cells) {
            assert!(
                !valid[at] || found.to_bits() == expected.to_bits(),
                "{at:?}"
            );
        }
        let band = Band::float(Layer::Elevation, &first.elevation).with_nodata(first.nodata);
        let again = folder.file(&format!("{name}2"));
        let mask = first.valid.as_ref().map(|mask| mask.view());
        write(&again, &first.grid, &band, mask, &PROVENANCE, false).unwrap();
        assert_eq!(
            std::fs::read(&path).unwrap(),
            std::fs::read(&again).unwrap()
        );
    }
}

#[test]
fn dry_ground_has_no_water_level() {
    let folder = Folder::new();
    let cells = Array2::from_shape_fn((3, 5), |(row, _)| if row == 1 { 812.5 } else { f32::NAN });
    let path = folder.file("level.tif");
    let band = Band::float(Layer::WaterLevel, &cells);
    let written = write(&path, &grid((3, 5), None), &band, None, &PROVENANCE, false).unwrap();
    assert_eq!(written.statistics.unwrap().valid_cells, 5);
    let found = read(&path, &Request::of_band(1)).unwrap();
    assert_eq!(found.valid.unwrap(), cells.mapv(|v| !v.is_nan()));
}

#[test]
fn identifiers_keep_all_32_bits_and_0_is_none() {
    let folder = Folder::new();
    let ids = Array2::from_shape_fn((30, 50), |(row, col)| match (row * 50 + col) as u32 {
        index if index % 3 == 0 => 0,
        index => u32::MAX - index,
    });
    let path = folder.file("ids.tif");
    let raster = Raster::Ids(ids.clone());
    let band = Band::of(Layer::LakeId, &raster);
    write(
        &path,
        &grid((30, 50), None),
        &band,
        None,
        &PROVENANCE,
        false,
    )
    .unwrap();
    // Read by GDAL itself: our own reader makes metres of everything.
    let dataset = gdal::Dataset::open(&path).unwrap();
    let found = dataset.rasterband(1).unwrap();
    assert_eq!(found.no_data_value(), Some(0.0));
    let found = found.read_band_as::<u32>().unwrap();
    assert_eq!(found.data(), ids.as_slice().unwrap());
}

#[test]
fn equal_maps_make_equal_bytes_whatever_gdal_is_told() {
    let folder = Folder::new();
    let (grid, cells) = (grid((700, 1100), Some("EPSG:32633")), ramp((700, 1100)));
    let write_as = |name: &str| {
        let path = folder.file(name);
        write_elevation(&path, &grid, &cells).unwrap();
        std::fs::read(path).unwrap()
    };
    let plain = write_as("a.tif");
    assert_eq!(plain, write_as("b.tif"));
    for (key, value) in [
        ("GDAL_NUM_THREADS", "4"),
        ("GDAL_CACHEMAX", "1"),
        ("GDAL_TIFF_ENDIANNESS", "BIG"),
    ] {
        gdal::config::set_thread_local_config_option(key, value).unwrap();
    }
    assert_eq!(plain, write_as("c.tif"));
    assert_eq!(folder.names(), ["a.tif", "b.tif", "c.tif"]);
}

#[test]
fn threads_write_and_read_side_by_side() {
    let folder = Folder::new();
    std::thread::scope(|scope| {
        for index in 0..8 {
            let path = folder.file(&format!("{index}.tif"));
            scope.spawn(move || {
                let (grid, mut cells) = (grid((100, 60), Some("EPSG:32633")), ramp((100, 60)));
                cells += index as f32;
                write_elevation(&path, &grid, &cells).unwrap();
                assert_eq!(
                    bits(&read(&path, &Request::of_band(1)).unwrap().elevation),
                    bits(&cells)
                );
            });
        }
    });
}
