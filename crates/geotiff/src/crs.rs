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
        Some(Problem::Geographic { .. }) => {
            Err(refused(crs, "is geographic, in degrees".to_owned()))
        }
        Some(Problem::Unit { unit, .. }) => Err(refused(crs, format!("counts in {unit}"))),
        Some(problem) => Err(refused(crs, problem.to_string())),
    }
}

/// The system that `EPSG:n` or WKT names, with easting before northing, whatever order its authority prints.
pub(crate) fn parse(crs: &str) -> Result<SpatialRef, GeotiffError> {
    let (parsed, _) = ffi::listen(|| match epsg_code(crs) {
        Some(code) => SpatialRef::from_epsg(code),
        // GDAL would also take names of files and addresses on the net: a map's CRS is neither.
        None => SpatialRef::from_wkt(crs),
    });
    // The libraries' words are about their own tables and parsers: not the user's concern.
    let mut system = parsed.map_err(|_| refused(crs, unknown(crs)))?;
    system.set_axis_mapping_strategy(AxisMappingStrategy::TraditionalGisOrder);
    Ok(system)
}

fn epsg_code(crs: &str) -> Option<u32> {
    let (authority, code) = crs.trim().split_once(':')?;
    authority
        .eq_ignore_ascii_case("EPSG")
        .then(|| code.parse().ok())?
}

/// That a text names no system, with the one that was probably meant.
fn unknown(crs: &str) -> String {
    match meant(crs) {
        Some(meant) => format!("is unknown (did you mean {meant}?)"),
        None => "is unknown".to_owned(),
    }
}

/// What a bare number or the name of a UTM zone stands for.
fn meant(crs: &str) -> Option<String> {
    let plain: String = crs
        .to_ascii_uppercase()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    if let Ok(code) = plain.parse::<u32>() {
        return Some(format!("EPSG:{code}"));
    }
    let plain = plain.trim_start_matches("WGS84").trim_start_matches("UTM");
    let plain = plain.trim_start_matches("ZONE");
    let zone = plain.trim_end_matches(['N', 'S']);
    let number: u32 = zone.parse().ok().filter(|zone| (1..=60).contains(zone))?;
    Some(match &plain[zone.len()..] {
        "N" => format!("EPSG:{}", 32_600 + number),
        "S" => format!("EPSG:{}", 32_700 + number),
        _ => format!(
            "EPSG:{} (north) or EPSG:{} (south)",
            32_600 + number,
            32_700 + number
        ),
    })
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
    fn names_of_utm_zones_and_bare_numbers_lead_to_their_codes() {
        for (text, code) in [
            ("UTM33N", "EPSG:32633?"),
            ("WGS 84 / UTM zone 19S", "EPSG:32719?"),
            ("utm 33", "EPSG:32633 (north)"),
            ("32633", "EPSG:32633?"),
        ] {
            let message = check_crs(text).unwrap_err().to_string();
            assert!(message.contains(code), "{message}");
            assert_eq!(
                message.matches(text).count(),
                1 + usize::from(text == "32633"),
                "{message}"
            );
            assert!(!message.to_lowercase().contains("proj:"), "{message}");
        }
        assert_eq!(meant("UTM 61N"), None);
        assert_eq!(meant("nonsense"), None);
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
