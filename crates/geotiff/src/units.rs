/// Metres per unit of a band's values; none for a unit that is no length we know. No unit means metres: most
/// elevation models declare none.
pub(crate) fn metres_per(unit: &str) -> Option<f64> {
    let unit = unit.trim().to_lowercase();
    Some(match unit.as_str() {
        "" | "m" | "metre" | "metres" | "meter" | "meters" => 1.0,
        "ft" | "foot" | "feet" | "international foot" | "international feet" => 0.3048,
        "us survey foot" | "us survey feet" | "us-ft" | "ftus" | "foot_us" | "sft" => {
            1200.0 / 3937.0
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::metres_per;

    #[test]
    fn feet_are_the_two_feet_in_use() {
        assert_eq!(metres_per("ft"), Some(0.3048));
        // NIST: 1 US survey foot = 0.304 800 609 601 m to twelve places.
        assert!((metres_per("US survey foot").unwrap() - 0.304_800_609_601).abs() < 1e-12);
        assert_eq!(metres_per("Metre"), Some(1.0));
        assert_eq!(metres_per("kelvin"), None);
    }
}
