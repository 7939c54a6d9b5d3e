/// Why noise cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoiseError {
    /// A parameter is outside of its range.
    #[error("{name} must be {expected}{}", found_number(*found))]
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
        crate::kernel::octave::REACH
    )]
    TooFar {
        /// Wavelength of the finest octave, m.
        finest_m: f64,
        /// Largest coordinate of the map, m.
        distance_m: f64,
    },
    /// A lattice that is made as a whole is too large.
    #[error(
        "diamond–square or an automaton needs {nodes:e} nodes on this map, at most {:e} fit: use larger cells or fewer levels",
        crate::raster::MOST_NODES
    )]
    TooManyNodes {
        /// Nodes that the map covers.
        nodes: f64,
    },
    /// Values may become larger than numbers can be.
    #[error(
        "values of this expression may reach ±{found:e}, more than 1e30: clamp or scale parts of it"
    )]
    TooLarge {
        /// The largest magnitude that a node may have.
        found: f64,
    },
    /// The observer asked to stop.
    #[error("interrupted")]
    Cancelled,
}

/// What was found, where that is a number: some parameters go wrong by what stands beside them.
fn found_number(found: f64) -> String {
    if found.is_nan() {
        return String::new();
    }
    format!(", found {found}")
}
