//! Coordinate reference systems: text of ours, objects of GDAL's.

use crate::GeotiffError;
use crate::affine::Problem;
use crate::ffi;
use gdal::spatial_ref::{AxisMappingStrategy, SpatialRef};

/// Whether maps can be made in a system: it must be known and count in metres on a plane.
///
/// # Errors
/// When `crs` is neither `EPSG:n` nor WKT, is unknown, is geographic, or counts in another unit.
pub fn check_crs(crs: &str) -> Result<(), GeotiffError> {
    let system = parse(crs)?;
    match problem(&system) {
        None if !system.is_projected() && !system.is_local() => {
            Err(refused(crs, "is no plane".to_owned()))
        }
        None => Ok(()),
        Some(problem) => Err(refused(crs, problem.to_string())),
    }
}

/// The system that `EPSG:n` or WKT names, with easting before northing, whatever order its authority prints.
pub(crate) fn parse(crs: &str) -> Result<SpatialRef, GeotiffError> {
    let (parsed, failures) = ffi::listen(|| match epsg_code(crs) {
        Some(code) => SpatialRef::from_epsg(code),
        // GDAL would also take names of files and addresses on the net: a map's CRS is neither.
        None => SpatialRef::from_wkt(crs),
    });
    let mut system = parsed.map_err(|_| {
        let found = failures.text();
        let message = if found.is_empty() {
            "is unknown".to_owned()
        } else {
            found
        };
        refused(crs, message)
    })?;
    system.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    Ok(system)
}

fn epsg_code(crs: &str) -> Option<u32> {
    let (authority, code) = crs.trim().split_once(':')?;
    authority
        .eq_ignore_ascii_case("EPSG")
        .then(|| code.parse().ok())?
}

fn refused(crs: &str, message: String) -> GeotiffError {
    GeotiffError::Crs {
        crs: crs.to_owned(),
        message,
    }
}

/// What keeps a system from being a plane in metres. A local system without a projection is a plane too.
pub(crate) fn problem(system: &SpatialRef) -> Option<Problem> {
    let crs = || system.name().unwrap_or_default();
    if system.is_geographic() || system.is_geocentric() {
        return Some(Problem::Geographic { crs: crs() });
    }
    let metres = system.linear_units();
    if (metres - 1.0).abs() > 1e-9 {
        let unit = system.linear_units_name().unwrap_or_default();
        return Some(Problem::Unit {
            crs: crs(),
            unit,
            metres,
        });
    }
    None
}

/// The text under which a file's system is handed on: `EPSG:n` where the system as a whole has such a number, else
/// WKT.
pub(crate) fn text_of(system: &SpatialRef) -> Option<String> {
    match (system.auth_name(), system.auth_code()) {
        (Some(authority), Ok(code)) if authority == "EPSG" => Some(format!("EPSG:{code}")),
        _ => system.to_wkt().ok().filter(|wkt| !wkt.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_in_metres_pass() {
        for crs in [
            "EPSG:32633",
            "epsg:3031",
            "EPSG:3413",
            "EPSG:2193",
            "EPSG:2056",
        ] {
            check_crs(crs).unwrap();
        }
    }

    #[test]
    fn degrees_feet_and_nonsense_are_refused_with_what_was_found() {
        let message = |crs| check_crs(crs).unwrap_err().to_string();
        assert!(
            message("EPSG:4326").contains("geographic"),
            "{}",
            message("EPSG:4326")
        );
        // New York Long Island in US survey feet.
        assert!(
            message("EPSG:2263").contains("US survey foot"),
            "{}",
            message("EPSG:2263")
        );
        assert!(message("EPSG:999999").contains("EPSG:999999"));
        assert!(message("UTM 33").contains("UTM 33"));
        assert!(message("").contains("EPSG:n"));
    }

    #[test]
    fn numbers_and_text_survive_the_round_trip() {
        assert_eq!(
            text_of(&parse("EPSG:32719").unwrap()).unwrap(),
            "EPSG:32719"
        );
        let local = r#"LOCAL_CS["quarry",UNIT["metre",1]]"#;
        let text = text_of(&parse(local).unwrap()).unwrap();
        assert!(text.contains("quarry"), "{text}");
        check_crs(&text).unwrap();
    }
}
