//! Rasters from elsewhere.

use crate::support::{Folder, Foreign, bits, ramp_at};
use gdal::Metadata;
use gdal::raster::Buffer;
use ndarray::Array2;
use thalweg_geotiff::{Note, Request, inspect, read};

const SHAPE: (usize, usize) = (5, 8);

#[test]
fn integers_are_scaled_and_offset() {
    let folder = Folder::new();
    let (a, b) = (folder.file("u16.tif"), folder.file("i16.tif"));
    let dataset = Foreign::<u16>::new(SHAPE, |row, col| (100 * row + col) as u16).make(&a);
    let mut band = dataset.rasterband(1).unwrap();
    band.set_scale(0.25).unwrap();
    band.set_offset(-500.0).unwrap();
    band.set_no_data_value(Some(302.0)).unwrap();
    drop(dataset);
    let found = read(&a, &Request::of_band(1)).unwrap();
    assert!(found.lossless, "quarters are exact");
    for ((row, col), &value) in found.elevation.indexed_iter() {
        let valid = found.valid.as_ref().unwrap()[(row, col)];
        assert_eq!(
            valid,
            (row, col) != (3, 2),
            "nodata counts before the scale"
        );
        let expected = (100 * row + col) as f32 * 0.25 - 500.0;
        assert!(!valid || value.to_bits() == expected.to_bits());
    }
    assert_eq!(found.nodata, Some(302.0));

    drop(Foreign::<i16>::new(SHAPE, |row, col| row as i16 - 100 * col as i16).make(&b));
    let found = read(&b, &Request::of_band(1)).unwrap();
    let expected = Array2::from_shape_fn(SHAPE, |(row, col)| row as f32 - 100.0 * col as f32);
    assert_eq!(bits(&found.elevation), bits(&expected));
    assert!(found.lossless && found.valid.is_none() && found.notes.is_empty());
    assert_eq!(found.grid.crs.as_deref(), Some("EPSG:32611"));
    assert_eq!(
        found.grid.origin_m.map(f64::to_bits),
        [300_000.0, 4_000_000.0].map(f64::to_bits)
    );
}

#[test]
fn doubles_are_rounded_and_it_is_said() {
    let folder = Folder::new();
    let (exact, fine) = (folder.file("exact.tif"), folder.file("fine.tif"));
    drop(Foreign::<f64>::new(SHAPE, |row, col| f64::from(ramp_at(row, col))).make(&exact));
    drop(Foreign::<f64>::new(SHAPE, |row, col| f64::from(ramp_at(row, col)) + 1e-9).make(&fine));
    let header = inspect(&fine, &Request::of_band(1)).unwrap();
    let (exact, fine) = (
        read(&exact, &Request::of_band(1)).unwrap(),
        read(&fine, &Request::of_band(1)).unwrap(),
    );
    assert!(exact.lossless);
    assert!(
        !header.notes.contains(&Note::Rounded),
        "a header cannot tell"
    );
    assert_eq!((&header.grid, header.nodata), (&fine.grid, fine.nodata));
    assert!(!fine.lossless && fine.notes.contains(&Note::Rounded));
    assert_eq!(bits(&exact.elevation), bits(&fine.elevation));
}

#[test]
fn south_up_rasters_are_turned_round() {
    let folder = Folder::new();
    let path = folder.file("south_up.tif");
    let mut foreign = Foreign::<f32>::new(SHAPE, |row, col| ramp_at(SHAPE.0 - 1 - row, col));
    // The first line is the southernmost: its outer corner lies 50 m south of the north edge.
    foreign.transform = Some([300_000.0, 10.0, 0.0, 3_999_950.0, 0.0, 10.0]);
    drop(foreign.make(&path));
    let found = read(&path, &Request::of_band(1)).unwrap();
    assert_eq!(bits(&found.elevation), bits(&crate::support::ramp(SHAPE)));
    assert_eq!(
        found.grid.origin_m.map(f64::to_bits),
        [300_000.0, 4_000_000.0].map(f64::to_bits)
    );
    assert!(found.notes.contains(&Note::SouthUp));
}

#[test]
fn nan_nodata_and_mask_bands_make_the_mask() {
    let folder = Folder::new();
    let path = folder.file("nan.tif");
    let dataset = Foreign::<f32>::new(SHAPE, |row, col| match (row, col) {
        (0, 0) => f32::NAN,
        (0, 1) => -9999.0,
        _ => ramp_at(row, col),
    })
    .make(&path);
    dataset
        .rasterband(1)
        .unwrap()
        .set_no_data_value(Some(-9999.0))
        .unwrap();
    drop(dataset);
    let valid = read(&path, &Request::of_band(1)).unwrap().valid.unwrap();
    assert_eq!(
        valid,
        Array2::from_shape_fn(SHAPE, |at| at != (0, 0) && at != (0, 1))
    );

    let path = folder.file("mask.tif");
    gdal::config::set_thread_local_config_option("GDAL_TIFF_INTERNAL_MASK", "YES").unwrap();
    let dataset = Foreign::<f32>::new(SHAPE, ramp_at).make(&path);
    let mut band = dataset.rasterband(1).unwrap();
    band.create_mask_band(true).unwrap();
    let mask = (0..40)
        .map(|index| if index % 8 == 5 { 0_u8 } else { 255 })
        .collect();
    band.open_mask_band()
        .unwrap()
        .write((0, 0), (8, 5), &mut Buffer::new((8, 5), mask))
        .unwrap();
    drop(dataset);
    let found = read(&path, &Request::of_band(1)).unwrap();
    assert_eq!(
        found.valid.unwrap(),
        Array2::from_shape_fn(SHAPE, |(_, col)| col != 5)
    );
    assert_eq!(found.nodata, None);
}

#[test]
fn feet_become_metres_only_where_the_band_says_feet() {
    let folder = Folder::new();
    for (name, unit, metres) in [
        ("a", "ft", 0.3048),
        ("b", "US survey foot", 1200.0 / 3937.0),
        ("c", "", 1.0),
    ] {
        let path = folder.file(name);
        let dataset = Foreign::<i32>::new(SHAPE, |_, col| 1000 * col as i32).make(&path);
        let mut band = dataset.rasterband(1).unwrap();
        band.set_description("height").unwrap();
        set_unit(&band, unit);
        drop(dataset);
        let found = read(&path, &Request::of_band(1)).unwrap();
        let expected = (7000.0 * metres) as f32;
        assert!((found.elevation[(4, 7)] - expected).abs() < 1e-3, "{unit}");
    }
}

#[expect(unsafe_code, reason = "the gdal crate only reads units")]
fn set_unit(band: &gdal::raster::RasterBand<'_>, unit: &str) {
    let unit = std::ffi::CString::new(unit).unwrap();
    // SAFETY: the band is live and GDAL copies the string.
    unsafe { gdal_sys::GDALSetRasterUnitType(band.c_rasterband(), unit.as_ptr()) };
}

/// A file whose coordinates are those of pixel centres: GDAL moves the corner, and we must not move it again.
#[test]
fn point_rasters_are_shifted_once() {
    let folder = Folder::new();
    let path = folder.file("point.tif");
    let mut dataset = Foreign::<f32>::new(SHAPE, ramp_at).make(&path);
    dataset
        .set_metadata_item("AREA_OR_POINT", "Point", "")
        .unwrap();
    drop(dataset);
    let found = read(&path, &Request::of_band(1)).unwrap();
    assert_eq!(
        found.grid.origin_m.map(f64::to_bits),
        [300_000.0, 4_000_000.0].map(f64::to_bits)
    );
    // The tie point in the file is the first centre, so the file does say Point.
    let bytes = std::fs::read(&path).unwrap();
    let centre = 300_005.0_f64.to_le_bytes();
    assert!(bytes.windows(8).any(|window| window == centre));
}

#[test]
fn another_band_and_another_format_are_read() {
    let folder = Folder::new();
    let path = folder.file("bands.tif");
    drop(Foreign::<f32>::new(SHAPE, ramp_at).make(&path));
    let vrt = folder.file("two.vrt");
    let xml = format!(
        "<VRTDataset rasterXSize='8' rasterYSize='5'><SRS>EPSG:32611</SRS>\
         <GeoTransform>300000, 10, 0, 4000000, 0, -10</GeoTransform>\
         <VRTRasterBand dataType='Float32' band='1'/>\
         <VRTRasterBand dataType='Float32' band='2'><SimpleSource>\
         <SourceFilename relativeToVRT='0'>{}</SourceFilename><SourceBand>1</SourceBand>\
         </SimpleSource></VRTRasterBand></VRTDataset>",
        path.display()
    );
    std::fs::write(&vrt, xml).unwrap();
    let found = read(&vrt, &Request::of_band(2)).unwrap();
    assert_eq!(bits(&found.elevation), bits(&crate::support::ramp(SHAPE)));
    assert_eq!(found.notes, [Note::OtherBands { bands: 2 }]);
}

/// The real terrain that the tests ship with.
#[test]
fn big_tujunga_reads_as_its_readme_says() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/bigtujunga_srtm30m_utm11.tif"
    );
    let found = read(path.as_ref(), &Request::of_band(1)).unwrap();
    assert_eq!(found.grid.shape.dim(), (643, 1197));
    assert_eq!(found.grid.crs.as_deref(), Some("EPSG:32611"));
    assert!((found.grid.cell_size_m - 30.0).abs() < 1e-9);
    assert_eq!(found.nodata, Some(-9999.0));
    assert!(found.lossless);
}
