//! The command that makes an acceptable raster of one that was refused.

use crate::affine::Problem;
use gdal::spatial_ref::{AxisMappingStrategy, CoordTransform, SpatialRef};
use std::path::Path;
use thalweg_grid::Shape;

/// Length of one degree of latitude, m, on a sphere of 6,371 km; cell sizes are rounded, so that will do.
const METRES_PER_DEGREE: f64 = 111_195.0;

/// What the advice depends on.
pub(crate) struct Case<'a> {
    pub(crate) path: &'a Path,
    pub(crate) shape: Shape,
    pub(crate) transform: [f64; 6],
    pub(crate) system: Option<&'a SpatialRef>,
    pub(crate) has_nodata: bool,
}

/// The `gdalwarp` command that mends `problem`.
///
/// Without a nodata value of its own a raster gets one, because the corners that a turned raster leaves empty would
/// read as sea level otherwise.
pub(crate) fn command(case: &Case<'_>, problem: &Problem) -> String {
    let tag = match problem {
        Problem::Geographic { .. } | Problem::Unit { .. } => "metres",
        Problem::NotSquare { .. } => "square",
        Problem::Rotated { .. } => "north_up",
    };
    let nodata = if case.has_nodata {
        ""
    } else {
        " -dstnodata -9999"
    };
    let output = case.path.with_file_name(format!(
        "{}_{tag}.tif",
        case.path.file_stem().unwrap_or_default().to_string_lossy()
    ));
    let plane = arguments(case, problem).unwrap_or_else(|| vec!["-t_srs EPSG:n".to_owned()]);
    format!(
        "gdalwarp {} -r bilinear -ot Float32{nodata} {} {}",
        plane.join(" "),
        quoted(case.path),
        quoted(&output)
    )
}

/// What `gdalwarp` must be told of the plane that mends `problem`; none where the place on the Earth is unknown.
pub(crate) fn arguments(case: &Case<'_>, problem: &Problem) -> Option<Vec<String>> {
    let (mut words, cell) = match problem {
        Problem::Geographic { .. } => {
            let degrees = case.transform[1].hypot(case.transform[4]);
            (plane(case)?, one_digit(degrees * METRES_PER_DEGREE))
        }
        Problem::Unit { metres, .. } => (plane(case)?, smaller_side(case) * metres),
        Problem::NotSquare { .. } => (extent(case), smaller_side(case)),
        Problem::Rotated { .. } => (Vec::new(), smaller_side(case)),
    };
    words.extend(["-tr".to_owned(), cell.to_string(), cell.to_string()]);
    Some(words)
}

/// The smaller side of a cell, rotated or not.
fn smaller_side(case: &Case<'_>) -> f64 {
    let t = case.transform;
    t[1].hypot(t[4]).min(t[2].hypot(t[5]))
}

/// `-te` with the raster's own outer edges: gdalwarp would choose others otherwise.
fn extent(case: &Case<'_>) -> Vec<String> {
    let [x0, dx, _, y0, _, dy] = case.transform;
    let far = y0 + dy * case.shape.rows as f64;
    let east = x0 + dx * case.shape.cols as f64;
    let edges = [x0, y0.min(far), east, y0.max(far)];
    let edges = edges.iter().map(f64::to_string);
    ["-te".to_owned()].into_iter().chain(edges).collect()
}

/// `-t_srs` with the UTM zone around the raster's centre, or the polar plane beyond UTM's reach.
fn plane(case: &Case<'_>) -> Option<Vec<String>> {
    let [lon, lat] = centre(case)?;
    let code = plane_around(lon, lat);
    Some(vec!["-t_srs".to_owned(), format!("EPSG:{code}")])
}

/// EPSG code of the plane that suits a place.
fn plane_around(lon: f64, lat: f64) -> u32 {
    if lat > 84.0 {
        return 3413;
    }
    if lat < -80.0 {
        return 3031;
    }
    let zone = ((lon + 180.0).rem_euclid(360.0) / 6.0).floor() as u32 + 1;
    if lat < 0.0 {
        32_700 + zone
    } else {
        32_600 + zone
    }
}

/// Longitude and latitude of the raster's centre.
fn centre(case: &Case<'_>) -> Option<[f64; 2]> {
    let t = case.transform;
    let (p, l) = (case.shape.cols as f64 / 2.0, case.shape.rows as f64 / 2.0);
    let (x, y) = (t[0] + p * t[1] + l * t[2], t[3] + p * t[4] + l * t[5]);
    let mut from = case.system?.clone();
    from.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    let mut to = SpatialRef::from_epsg(4326).ok()?;
    to.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    let (mut lon, mut lat) = ([x], [y]);
    let moved = CoordTransform::new(&from, &to)
        .and_then(|transform| transform.transform_coords(&mut lon, &mut lat, &mut []));
    match moved {
        Ok(()) if lon[0].is_finite() && lat[0].is_finite() => Some([lon[0], lat[0]]),
        _ => case.system?.is_geographic().then_some([x, y]),
    }
}

/// A length rounded to one digit: the 30.9 m of an arc second are called 30 m by everybody.
fn one_digit(length: f64) -> f64 {
    format!("{length:.0e}").parse().unwrap_or(length)
}

/// A path as a POSIX shell reads it back.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:".contains(c);
    if !text.starts_with('-') && text.chars().all(plain) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    #[test]
    fn zones_are_those_of_known_cities() {
        assert_eq!(plane_around(-118.15, 34.3), 32_611); // Los Angeles
        assert_eq!(plane_around(151.2, -33.9), 32_756); // Sydney
        assert_eq!(plane_around(13.4, 52.5), 32_633); // Berlin
        assert_eq!(plane_around(241.85, 34.3), 32_611); // Los Angeles, counted eastwards
        assert_eq!(plane_around(180.0, 10.0), 32_601);
        assert_eq!(plane_around(0.0, 88.0), 3413);
        assert_eq!(plane_around(0.0, -85.0), 3031);
    }

    #[test]
    fn arc_seconds_become_round_metres() {
        assert_eq!(one_digit(METRES_PER_DEGREE / 3600.0), 30.0);
        assert_eq!(one_digit(METRES_PER_DEGREE / 1200.0), 90.0);
        assert_eq!(one_digit(METRES_PER_DEGREE / 10_800.0), 10.0);
    }

    #[test]
    fn names_survive_the_shell() {
        assert_eq!(quoted(Path::new("a/b.tif")), "a/b.tif");
        assert_eq!(quoted(Path::new("my dem.tif")), "'my dem.tif'");
        assert_eq!(quoted(Path::new("it's.tif")), r"'it'\''s.tif'");
    }
}
