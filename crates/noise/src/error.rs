/// Why noise cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoiseError {
    /// A parameter is outside of its range.
    #[error("{name} must be {expected}, found {found}")]
    Parameter {
        /// The parameter's key.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// The elevations to map to are not a range.
    #[error(
        "elevation_m must be [lowest, highest], both finite and in this order, found [{}, {}]",
        found[0], found[1]
    )]
    Elevation {
        /// What was given, m.
        found: [f64; 2],
    },
    /// The finest octave is too fine for coordinates this large.
    #[error(
        "the finest octave, of {finest_m} m, cannot be resolved {distance_m} m from the origin of the \
         coordinates, which must be within {} wavelengths: use fewer octaves or a longer wavelength_m",
        crate::octave::REACH
    )]
    TooFar {
        /// Wavelength of the finest octave, m.
        finest_m: f64,
        /// Largest coordinate of the map, m.
        distance_m: f64,
    },
    /// The observer asked to stop.
    #[error("interrupted")]
    Cancelled,
}
