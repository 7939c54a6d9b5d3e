//! What noise is asked for.

mod children;
mod options;
mod range;
mod rules;

pub use options::{
    Along, Backend, Cells, Evolution, Interpolation, Metric, Plain, Source, Sum, Value, Warp,
    WarpMode,
};

pub(crate) use range::HYBRID_OFFSET;

use crate::Range;

/// A noise expression: a tree of sources, sums of octaves, modifiers, combiners and changes of coordinates.
///
/// Values have no unit until [`synthesize`](crate::synthesize) maps them to elevations; coordinates are easting and
/// northing in metres. Random numbers hang on the stage's key, on each source's and sum's kind and `seed`, and on
/// how many of that kind and seed stand before it: a node of another kind, or one with a seed of its own, or
/// one that is added behind, leaves the others as they were. Below [`Noise::Named`] they hang on the name instead of
/// the place.
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// One octave of a source.
    Plain(Plain),
    /// Independent values for every cell of the map, uniform in [−1, 1].
    White {
        /// Tells white noises of one expression apart.
        seed: u64,
    },
    /// The same everywhere.
    Constant(f64),
    /// A ramp: 0 at a point and behind it, 1 from `length_m` ahead on.
    Gradient {
        /// Where it begins: easting and northing, m.
        from_m: [f64; 2],
        /// Where it rises to, clockwise from north, degrees.
        azimuth_deg: f64,
        /// Over which length it rises from 0 to 1, m.
        length_m: f64,
    },
    /// The distance to a point as a share of `radius_m`, at most 1.
    Distance {
        /// The point: easting and northing, m.
        to_m: [f64; 2],
        /// At which distance the value is 1, m.
        radius_m: f64,
    },
    /// The plasma fractal; see [`DiamondSquare`].
    DiamondSquare(DiamondSquare),
    /// A cellular automaton; see [`Automaton`].
    Automaton(Automaton),
    /// Fractional Brownian motion: Σ gⁱ nᵢ ÷ Σ gⁱ, with gain g and octaves nᵢ.
    Fbm(Sum),
    /// Billow: Σ gⁱ (2 |nᵢ| − 1) ÷ Σ gⁱ. Rounded hills between sharp valleys; the turbulence of the same
    /// parameters, doubled and less 1.
    Billow(Sum),
    /// Turbulence as of Perlin (1985, doi:10.1145/325165.325247): Σ gⁱ |nᵢ| ÷ Σ gⁱ. It is not a domain warp.
    Turbulence(Sum),
    /// The ridged multifractal of Musgrave (in Ebert et al., *Texturing & Modeling*, 3rd ed. 2003, ch. 16), with
    /// offset 1 and feedback 2: rᵢ = (1 − |nᵢ|)² min(1, 2 rᵢ₋₁), r₋₁ = 1, and Σ gⁱ rᵢ ÷ Σ gⁱ. Sharp ridges,
    /// with detail on them and little in the valleys.
    Ridged(Sum),
    /// Musgrave's hybrid multifractal (ibid.) with offset 0.7: sᵢ = gⁱ (nᵢ + 0.7); the sum of sᵢ wᵢ with w₀ = 1 and
    /// wᵢ = min(1, wᵢ₋₁ sᵢ₋₁). Smooth valleys, rough heights. Not normalised.
    Hybrid(Sum),
    /// Musgrave's heterogeneous terrain (ibid.) with offset 1: h₀ = 1 + n₀, hᵢ = hᵢ₋₁ (1 + gⁱ (nᵢ + 1)) − rough where
    /// it is high, flat where it is near 0. Divided by the largest value that it can have.
    Heterogeneous(Sum),
    /// Octaves folded like a sheet of paper: Σ gⁱ f(2 (nᵢ + 1)) ÷ Σ gⁱ, with f of period 2 from −1 at even to 1 at
    /// odd numbers.
    PingPong(Sum),
    /// fBm that loses detail on slopes, like eroded ground: Σ gⁱ nᵢ ÷ (1 + |sᵢ|²) ÷ Σ gⁱ, where sᵢ is the slope of
    /// the octaves up to i, exact, per wavelength of the first. Of gradient noise alone (Quilez,
    /// <https://iquilezles.org/articles/morenoise>, with slopes of the octaves' true steepness).
    Eroded(Sum),
    /// |v|.
    Abs(Box<Noise>),
    /// Upside down within the theoretical range [l, h]: l + h − v.
    Invert(Box<Noise>),
    /// v, but at least `min` and at most `max`.
    Clamp {
        /// What is clamped.
        of: Box<Noise>,
        /// The least value.
        min: f64,
        /// The largest value.
        max: f64,
    },
    /// |v|ᵉ with the sign of v.
    Power {
        /// What is raised.
        of: Box<Noise>,
        /// The exponent e, positive.
        exponent: f64,
    },
    /// Schlick's bias (in *Graphics Gems IV*, 1994) on the theoretical range: its middle becomes `bias` of the way up.
    Bias {
        /// What is bent.
        of: Box<Noise>,
        /// Between 0 and 1; ½ changes nothing.
        bias: f64,
    },
    /// Schlick's gain (ibid.) on the theoretical range: below ½ values gather in the middle, above at the ends.
    Gain {
        /// What is bent.
        of: Box<Noise>,
        /// Between 0 and 1; ½ changes nothing.
        gain: f64,
    },
    /// Through points by monotone cubics (Fritsch & Carlson 1980, doi:10.1137/0717021), level outside.
    Curve {
        /// What is bent.
        of: Box<Noise>,
        /// Pairs (value, becomes), values ascending.
        points: Vec<[f64; 2]>,
    },
    /// Steps of `step`: level, then a rise, which is the steeper the nearer `sharpness` is to 1.
    Terrace {
        /// What is cut into steps.
        of: Box<Noise>,
        /// Height of a step.
        step: f64,
        /// 0 (no steps) to 1 (cliffs).
        sharpness: f64,
    },
    /// v × `factor` + `offset`.
    Scale {
        /// What is scaled.
        of: Box<Noise>,
        /// Factor.
        factor: f64,
        /// What is added.
        offset: f64,
    },
    /// sin(2π (v `cycles` − t ÷ `period_s`)): rings and veins.
    Wave {
        /// What is the angle, in turns.
        of: Box<Noise>,
        /// Turns for a value of 1.
        cycles: f64,
        /// Time in which waves move on by one, towards higher values, s; none: they stand.
        period_s: Option<f64>,
    },
    /// Stretched to a range.
    Normalise {
        /// What is stretched.
        of: Box<Noise>,
        /// The lowest and highest value afterwards.
        to: [f64; 2],
        /// What becomes that: the values that this whole map has, or those that the formula admits. Observed values
        /// are those at the map's cells, also where the node stands below a change of coordinates; what lies
        /// beyond them is cut off.
        range: Range,
    },
    /// The sum.
    Add(Vec<Noise>),
    /// The first less the second.
    Subtract(Box<[Noise; 2]>),
    /// The product.
    Multiply(Vec<Noise>),
    /// The least.
    Min(Vec<Noise>),
    /// The largest.
    Max(Vec<Noise>),
    /// The lesser of two, rounded off where they differ by less than `width`: quadratic, at most `width` ÷ 4 below.
    SmoothMin {
        /// The two.
        of: Box<[Noise; 2]>,
        /// Difference below which the seam is rounded.
        width: f64,
    },
    /// The larger of two, rounded off where they differ by less than `width`: at most `width` ÷ 4 above.
    SmoothMax {
        /// The two.
        of: Box<[Noise; 2]>,
        /// Difference below which the seam is rounded.
        width: f64,
    },
    /// The first where the mask is 0, the second where it is 1, in between mixed.
    Blend {
        /// The two.
        of: Box<[Noise; 2]>,
        /// The share of the second, cut to 0..1.
        mask: Box<Noise>,
    },
    /// The first where `by` is below the threshold, the second above, smoothly over ± `falloff`.
    Select {
        /// The two.
        of: Box<[Noise; 2]>,
        /// What decides.
        by: Box<Noise>,
        /// Where the choice changes.
        threshold: f64,
        /// Half the width of the change.
        falloff: f64,
    },
    /// Seen through a displacement by octaves of gradient noise.
    Warp {
        /// What is displaced.
        of: Box<Noise>,
        /// The displacement.
        by: Warp,
    },
    /// Seen at places displaced by two expressions.
    Displace {
        /// What is displaced.
        of: Box<Noise>,
        /// How far east to look, in units of `amplitude_m`; and how far north.
        by: Box<[Noise; 2]>,
        /// What a value of 1 displaces, m.
        amplitude_m: f64,
    },
    /// Stretched about the origin of the coordinates, in easting and northing.
    Stretch {
        /// What is stretched.
        of: Box<Noise>,
        /// Factors, not 0: 2 makes everything twice as long.
        factors: [f64; 2],
    },
    /// Turned about the origin of the coordinates.
    Rotate {
        /// What is turned.
        of: Box<Noise>,
        /// By how much, clockwise, degrees.
        angle_deg: f64,
    },
    /// Moved.
    Translate {
        /// What is moved.
        of: Box<Noise>,
        /// How far east and north, m.
        by_m: [f64; 2],
    },
    /// Turned about a point, the more the nearer to it: at distance r < R by `turns` (1 − r ÷ R)², clockwise.
    Swirl {
        /// What is turned.
        of: Box<Noise>,
        /// The point: easting and northing, m.
        around_m: [f64; 2],
        /// R: where turning ends, m.
        radius_m: f64,
        /// Turns at the point itself.
        turns: f64,
        /// Time in which all within R is turned once more, s, negative: the other way round; none: it stands.
        period_s: Option<f64>,
    },
    /// Carried along, in a loop: the mean of three copies that move on evenly, each a period behind the one before, with
    /// weights (1 − cos 2πp) ÷ 3 at a share p of the three periods that a copy lasts. A copy begins again where its
    /// weight is 0, and neither the weights' sum nor that of their squares changes: values keep their mean and, where
    /// copies are unrelated, √½ of their spread, all the time.
    Flow {
        /// What is carried.
        of: Box<Noise>,
        /// How far east and north in a period, m.
        by_m: [f64; 2],
        /// Time after which all begins again without a seam, s.
        period_s: f64,
    },
    /// At a moment, s, for what changes over time. Outside of it, the moment is 0.
    At {
        /// What is looked at.
        of: Box<Noise>,
        /// When, s.
        time_s: f64,
    },
    /// A part with a name: wherever it stands in an expression, it is the same.
    Named(String, Box<Noise>),
}

/// Diamond–square (Fournier, Fussell & Carpenter 1982, doi:10.1145/358523.358553) on an unbounded lattice: random
/// values in [−1, 1] at the nodes of a coarse one; then each finer level puts the mean of the four corners plus a
/// random offset into the middle of each square (diamond), and the same of the four nearest onto its sides
/// (square). Bilinear between nodes of the finest. Divided by Σ of the offsets' amplitudes. There are no borders, so
/// each value is that of the world, whatever the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiamondSquare {
    /// Spacing of the coarsest lattice, m.
    pub wavelength_m: f64,
    /// How often the spacing is halved, at most 24.
    pub levels: u32,
    /// Amplitude of a level's offsets as a share of those of the one before.
    pub gain: f64,
    /// Tells plasmas of one expression apart.
    pub seed: u64,
}

/// A cellular automaton on an unbounded lattice of square cells that live (1) or not (0): caves, islands, masks. A
/// cell is born with `born` or more living neighbours of eight, and a living one stays with `survive` or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Automaton {
    /// Edge of a cell, m.
    pub cell_m: f64,
    /// Chance that a cell lives at first.
    pub fill: f64,
    /// How often the rule is applied, at most 64.
    pub generations: u32,
    /// Living neighbours of which a dead cell is born.
    pub born: u32,
    /// Living neighbours with which a living cell stays.
    pub survive: u32,
    /// Whether values are interpolated between centres of cells, rather than level within each.
    pub smooth: bool,
    /// Tells automata of one expression apart.
    pub seed: u64,
}
