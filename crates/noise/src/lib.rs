//! Noise synthesis: heightmaps as functions of seed and world coordinates.
