//! Noise expressions: what `noise` and `define` hold.

mod operators;
mod sources;

pub use operators::{
    At, Bias, Blend, Clamp, Curve, Displace, Flow, Gain, Normalise, Of, Power, Rotate, Scale,
    Select, Smooth, Stretch, Swirl, Terrace, Translate, Warp, WarpMode, Wave,
};
pub(super) use sources::words;
pub use sources::{
    Along, Automaton, Backend, DiamondSquare, Distance, Evolution, Gradient, Interpolation,
    Lattice, Metric, Source, Sum, Wavelets, White, Worley, WorleyValue,
};

use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A noise expression: one kind with its keys, which may hold further expressions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// Gradient noise on a square lattice.
    Perlin(#[garde(dive)] Lattice),
    /// Interpolated random values.
    Value(#[garde(dive)] Lattice),
    /// Gradient noise on triangles.
    Simplex(#[garde(dive)] Wavelets),
    /// Gradient noise on triangles, in 24 directions.
    Opensimplex2(#[garde(dive)] Wavelets),
    /// The same, smoother.
    Opensimplex2s(#[garde(dive)] Wavelets),
    /// Another name of `opensimplex2s`.
    Opensimplex(#[garde(dive)] Wavelets),
    /// Distance to scattered points: cells.
    Worley(#[garde(dive)] Worley),
    /// An independent value for every cell of the map.
    White(#[garde(dive)] White),
    /// The same value everywhere.
    Constant(#[garde(range(min = -1e9, max = 1e9))] f64),
    /// A ramp from 0 to 1.
    Gradient(#[garde(dive)] Gradient),
    /// The distance to a point, 0 to 1.
    Distance(#[garde(dive)] Distance),
    /// The plasma fractal: midpoint displacement.
    DiamondSquare(#[garde(dive)] DiamondSquare),
    /// A cellular automaton of cells that live (1) or not (0).
    Automaton(#[garde(dive)] Automaton),
    /// Fractional Brownian motion: a plain sum of octaves.
    Fbm(#[garde(dive)] Sum),
    /// Round hills and sharp valleys.
    Billow(#[garde(dive)] Sum),
    /// Perlin's turbulence: a sum of magnitudes.
    Turbulence(#[garde(dive)] Sum),
    /// Ridged multifractal: sharp ridges.
    Ridged(#[garde(dive)] Sum),
    /// Hybrid multifractal: smooth valleys, rough heights.
    Hybrid(#[garde(dive)] Sum),
    /// Heterogeneous terrain: the rougher the higher.
    Heterogeneous(#[garde(dive)] Sum),
    /// Octaves folded like paper.
    PingPong(#[garde(dive)] Sum),
    /// fBm without detail on slopes, like eroded ground.
    Eroded(#[garde(dive)] Sum),
    /// The magnitude.
    Abs(#[garde(dive)] Of),
    /// Upside down within its range.
    Invert(#[garde(dive)] Of),
    /// Cut off below and above.
    Clamp(#[garde(dive)] Clamp),
    /// Raised to a power, its sign kept.
    Power(#[garde(dive)] Power),
    /// Bent towards one end of its range.
    Bias(#[garde(dive)] Bias),
    /// Bent towards the middle or both ends of its range.
    Gain(#[garde(dive)] Gain),
    /// Bent along a curve through points.
    Curve(#[garde(dive)] Curve),
    /// Cut into steps.
    Terrace(#[garde(dive)] Terrace),
    /// Times a factor, plus an offset.
    Scale(#[garde(dive)] Scale),
    /// Its sine: rings and veins.
    Wave(#[garde(dive)] Wave),
    /// Stretched to a range.
    Normalise(#[garde(dive)] Normalise),
    /// The sum.
    Add(#[garde(length(min = 1), dive)] Vec<Noise>),
    /// The first less the second.
    Subtract(#[garde(length(min = 2, max = 2), dive)] Vec<Noise>),
    /// The product.
    Multiply(#[garde(length(min = 1), dive)] Vec<Noise>),
    /// The least.
    Min(#[garde(length(min = 1), dive)] Vec<Noise>),
    /// The largest.
    Max(#[garde(length(min = 1), dive)] Vec<Noise>),
    /// The lesser of two, with a rounded seam.
    SmoothMin(#[garde(dive)] Smooth),
    /// The larger of two, with a rounded seam.
    SmoothMax(#[garde(dive)] Smooth),
    /// Two, mixed by a mask.
    Blend(#[garde(dive)] Blend),
    /// One of two, chosen by a third.
    Select(#[garde(dive)] Select),
    /// Displaced by noise.
    Warp(#[garde(dive)] Warp),
    /// Displaced by two expressions.
    Displace(#[garde(dive)] Displace),
    /// Stretched about the origin of the coordinates.
    Stretch(#[garde(dive)] Stretch),
    /// Turned about the origin of the coordinates.
    Rotate(#[garde(dive)] Rotate),
    /// Moved.
    Translate(#[garde(dive)] Translate),
    /// Turned about a point, the more the nearer to it.
    Swirl(#[garde(dive)] Swirl),
    /// Carried along, in a loop.
    Flow(#[garde(dive)] Flow),
    /// At a moment, for what changes over time.
    At(#[garde(dive)] At),
    /// An expression from `define`, by its name. Wherever it is used, it is the same.
    Use(#[garde(skip)] String),
}

/// Which range of a noise becomes what is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Range {
    /// The lowest and highest value on this map.
    #[default]
    Observed,
    /// The lowest and highest value that the noise can take anywhere.
    Theoretical,
}
