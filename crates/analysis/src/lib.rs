//! Measures and pictures of terrain: sanity checks, hillshade.
