use super::{Hillshade, hillshade};
use ndarray::{Array2, s};
use std::fmt::Write as _;
use std::process::Command;

fn shade(ground: &Array2<f32>, cell_size_m: f64, light: &Hillshade) -> Array2<u8> {
    hillshade(ground.view(), None, cell_size_m, light).unwrap()
}

/// A plane that rises 3 m per 4 m to the east (slope angle with cosine 0.8), rim and corners included.
#[test]
fn a_plane_is_shaded_evenly_by_the_cosine_of_the_light() {
    let rising_east = Array2::from_shape_fn((5, 7), |(_, col)| 7.5 * col as f32);
    // Light from the west falls on it at 45° + 36.87°; from the east it grazes at 45° − 36.87°.
    for (azimuth_deg, cosine) in [(270.0, 0.6 + 0.8), (90.0, 0.8 - 0.6)] {
        let light = Hillshade {
            azimuth_deg,
            ..Hillshade::default()
        };
        let expected = 1.0 + 254.0 * cosine / 2.0_f64.sqrt();
        for &found in &shade(&rising_east, 10.0, &light) {
            assert!(
                (f64::from(found) - expected).abs() <= 0.5001,
                "{found} for {expected}"
            );
        }
    }
}

/// The same plane towards the south, as row 0 lies in the north: light from the north falls on it.
#[test]
fn south_is_down_the_rows() {
    let rising_south = Array2::from_shape_fn((5, 7), |(row, _)| 7.5 * row as f32);
    let light = Hillshade {
        azimuth_deg: 0.0,
        ..Hillshade::default()
    };
    let expected = 1.0 + 254.0 * 1.4 / 2.0_f64.sqrt();
    for &found in &shade(&rising_south, 10.0, &light) {
        assert!(
            (f64::from(found) - expected).abs() <= 0.5001,
            "{found} for {expected}"
        );
    }
}

#[test]
fn flat_ground_gets_the_sine_of_the_altitude_on_any_map() {
    for dim in [(1, 1), (1, 5), (4, 1), (3, 5)] {
        let light = Hillshade {
            altitude_deg: 30.0,
            ..Hillshade::default()
        };
        let shades = shade(&Array2::from_elem(dim, 512.0), 10.0, &light);
        assert!(shades.iter().all(|&s| s == 128), "{dim:?}");
    }
}

/// Exaggeration doubles slopes, so it is the same as cells of half the size.
#[test]
fn exaggeration_is_steepness() {
    let ground = hills();
    let light = Hillshade {
        z_factor: 2.0,
        ..Hillshade::default()
    };
    assert_eq!(
        shade(&ground, 10.0, &light),
        shade(&ground, 5.0, &Hillshade::default())
    );
}

#[test]
fn cells_without_data_are_0_and_do_not_shade_their_neighbours() {
    let mut plane = Array2::from_shape_fn((6, 8), |(row, col)| 2.0 * row as f32 - 3.0 * col as f32);
    let whole = shade(&plane, 10.0, &Hillshade::default());
    plane[(2, 3)] = -9999.0;
    plane[(3, 5)] = f32::NAN;
    let mut valid = Array2::from_elem(plane.dim(), true);
    valid[(2, 3)] = false;
    let light = Hillshade::default();
    let found = hillshade(plane.view(), Some(valid.view()), 10.0, &light).unwrap();
    for (cell, &value) in found.indexed_iter() {
        let hole = cell == (2, 3) || cell == (3, 5);
        assert_eq!(value, if hole { 0 } else { whole[cell] }, "{cell:?}");
    }
}

#[test]
fn a_light_below_the_horizon_is_refused() {
    let ground = Array2::zeros((2, 2));
    let light = |azimuth_deg, altitude_deg, z_factor| Hillshade {
        azimuth_deg,
        altitude_deg,
        z_factor,
    };
    for light in [
        light(-1.0, 45.0, 1.0),
        light(0.0, 91.0, 1.0),
        light(0.0, 45.0, 0.0),
    ] {
        assert!(
            hillshade(ground.view(), None, 10.0, &light).is_err(),
            "{light:?}"
        );
    }
}

#[test]
fn gdaldem_makes_the_same_picture() {
    if Command::new("gdaldem").arg("--version").output().is_err() {
        report_skip("gdaldem is not on PATH");
        return;
    }
    for light in [
        Hillshade::default(),
        Hillshade {
            azimuth_deg: 200.0,
            altitude_deg: 20.0,
            z_factor: 3.0,
        },
    ] {
        let ground = hills();
        let theirs = gdaldem(&ground, 10.0, &light);
        let ours = shade(&ground, 10.0, &light);
        let (rows, cols) = ours.dim();
        let inner = s![1..rows - 1, 1..cols - 1];
        // It works in f32 with an approximate root.
        let pairs = ours
            .slice(inner)
            .into_iter()
            .zip(theirs.slice(inner))
            .collect::<Vec<_>>();
        assert!(pairs.iter().all(|(a, b)| a.abs_diff(**b) <= 1), "{light:?}");
        let equal = pairs.iter().filter(|(a, b)| a == b).count();
        assert!(
            equal as f64 > 0.98 * pairs.len() as f64,
            "{equal} of {}",
            pairs.len()
        );
        // Not a picture of one shade, which would prove little.
        let brightest = pairs.iter().map(|(a, _)| **a).max().unwrap();
        let darkest = pairs.iter().map(|(a, _)| **a).min().unwrap();
        assert!(brightest - darkest > 100, "{darkest} to {brightest}");
    }
}

/// Crossed waves, 90 m high and steeper than the light in places.
fn hills() -> Array2<f32> {
    Array2::from_shape_fn((61, 83), |(row, col)| {
        let wave = |v: usize, length: f64| libm::sin(v as f64 * std::f64::consts::TAU / length);
        (45.0 * wave(row, 23.0) * wave(col, 31.0) + 45.0 * wave(row + 2 * col, 57.0)) as f32
    })
}

/// Their hillshade, by way of ESRI ASCII grids, which need no raster library here.
fn gdaldem(ground: &Array2<f32>, cell_size_m: f64, light: &Hillshade) -> Array2<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    std::fs::write(path("dem.asc"), esri_ascii(ground, cell_size_m)).unwrap();
    let run = |program: &str, args: &[String]| {
        let output = Command::new(program).args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let name = |file| path(file).display().to_string();
    let numbers = [
        ["-az", &light.azimuth_deg.to_string()],
        ["-alt", &light.altitude_deg.to_string()],
        ["-z", &light.z_factor.to_string()],
    ];
    let mut args = vec!["hillshade".to_owned(), name("dem.asc"), name("shade.tif")];
    args.extend(numbers.as_flattened().iter().map(|a| (*a).to_owned()));
    run("gdaldem", &args);
    let to_ascii = ["-of", "AAIGrid"].map(str::to_owned);
    run(
        "gdal_translate",
        &[&to_ascii[..], &[name("shade.tif"), name("shade.asc")]].concat(),
    );
    let text = std::fs::read_to_string(path("shade.asc")).unwrap();
    let is_header = |line: &&str| line.starts_with(|c: char| c.is_ascii_alphabetic());
    let cells = text
        .lines()
        .skip_while(is_header)
        .flat_map(str::split_whitespace);
    Array2::from_shape_vec(ground.dim(), cells.map(|v| v.parse().unwrap()).collect()).unwrap()
}

fn esri_ascii(ground: &Array2<f32>, cell_size_m: f64) -> String {
    let (rows, cols) = ground.dim();
    let mut text = format!(
        "ncols {cols}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize {cell_size_m}\nNODATA_value -9999\n"
    );
    for row in ground.rows() {
        for value in row {
            // With a decimal point always, or GDAL would take the file for whole numbers.
            write!(text, "{value:?} ").unwrap();
        }
        text.push('\n');
    }
    text
}

#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn report_skip(reason: &str) {
    eprintln!("skipped: {reason}");
}
