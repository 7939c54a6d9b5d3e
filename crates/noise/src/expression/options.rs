//! What octaves are made of, and how many there are.

/// A kind of noise of one wavelength, with values in [−1, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// Gradient noise on the square lattice (Perlin 1985), with gradients all around the unit circle or sphere: 0 at
    /// lattice points.
    #[default]
    Perlin,
    /// Gradient noise on the triangular lattice (Perlin 2001), with gradients all around the unit circle.
    Simplex,
    /// The triangular lattice with the 24 directions of OpenSimplex2.
    OpenSimplex2,
    /// The same with a wider, smoother wavelet: OpenSimplex2S.
    OpenSimplex2S,
    /// Random values at lattice points, interpolated.
    Value,
    /// Distances to points, of which one is drawn uniformly in each lattice cell (Worley 1996,
    /// doi:10.1145/237170.237267).
    Worley,
}

impl Source {
    /// Every source, in the order of this enum.
    pub const ALL: [Self; 6] = [
        Self::Perlin,
        Self::Simplex,
        Self::OpenSimplex2,
        Self::OpenSimplex2S,
        Self::Value,
        Self::Worley,
    ];
}

/// How [`Source::Perlin`] and [`Source::Value`] go from one lattice line to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// t: folds at lattice lines (C⁰).
    Linear,
    /// (1 − cos πt) ÷ 2: smooth (C¹).
    Cosine,
    /// 3t² − 2t³: smooth (C¹).
    Smoothstep,
    /// 6t⁵ − 15t⁴ + 10t³: smooth in slope, too (C²).
    #[default]
    Quintic,
}

/// How [`Source::Worley`] measures distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// √(Δx² + Δy²).
    #[default]
    Euclidean,
    /// |Δx| + |Δy|.
    Manhattan,
    /// The larger of |Δx| and |Δy|.
    Chebyshev,
}

/// What [`Source::Worley`] tells. Distances are divided by the largest that there can be and mapped to [−1, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Value {
    /// Distance to the nearest point, F1.
    #[default]
    Nearest,
    /// Distance to the second nearest, F2.
    Second,
    /// F2 − F1: 0 (so −1) at the cells' borders.
    Border,
    /// A random number for each point's cell.
    Cell,
}

/// How [`Source::Worley`] measures and what it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cells {
    /// How distance is measured.
    pub metric: Metric,
    /// What of it is told.
    pub value: Value,
}

/// Which coordinates [`Source::Perlin`] and [`Source::Value`] depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Along {
    /// Both.
    #[default]
    Both,
    /// Easting alone: stripes from north to south.
    Easting,
    /// Northing alone: stripes from west to east.
    Northing,
}

/// Change over time, of noise along both coordinates. Finer octaves change faster, by their lacunarity.
///
/// [`Source::Perlin`] and [`Source::Value`] walk through noise of more dimensions. On triangles each node's gradient
/// turns, at a rate of its own and either way (Perlin & Neyret, *Flow noise*, 2001): once in `change_s` × 3 to 6. In
/// [`Source::Worley`] points run to and fro in their cells, a cell's width in `change_s` × ¾ to 1½. In a loop these rates
/// are whole numbers of turns; without one they are such numbers of about 65,000 times the time for one turn, after which
/// all would begin again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evolution {
    /// Time in which the first octave changes as much as in space over a wavelength, s.
    pub change_s: f64,
    /// Time after which all begins again without a seam, s: of the further dimensions, two are walked through in a
    /// circle rather than one in a line. None: it does not repeat.
    pub loop_s: Option<f64>,
}

/// Whose kernels do the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// Ours.
    #[default]
    Thalweg,
    /// Those of the `noise` crate, for [`Source::Perlin`] (its surflets), `Simplex`, `OpenSimplex2S` (its `SuperSimplex`)
    /// and `Value`, with our hashes: about thirty times slower, other values of the same kind.
    NoiseRs,
}

/// One octave of a source.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Plain {
    /// What it is made of.
    pub source: Source,
    /// Edge of a lattice cell, m.
    pub wavelength_m: f64,
    /// [`Interpolation`].
    pub interpolation: Interpolation,
    /// [`Cells`].
    pub cells: Cells,
    /// [`Along`].
    pub along: Along,
    /// [`Evolution`].
    pub evolution: Option<Evolution>,
    /// [`Backend`].
    pub backend: Backend,
    /// Tells nodes of one kind in an expression apart; see [`Noise`](crate::Noise).
    pub seed: u64,
}

impl Plain {
    /// A source with everything else at its default.
    #[must_use]
    pub fn new(source: Source, wavelength_m: f64) -> Self {
        Self {
            source,
            wavelength_m,
            ..Self::default()
        }
    }
}

/// Octaves of one source, each finer and fainter than the one before. Each has a key and an offset of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sum {
    /// What each octave is made of.
    pub source: Source,
    /// Wavelength of the first octave, m.
    pub wavelength_m: f64,
    /// Number of octaves, 1 to 32. Octaves shorter than two cells add nothing but white noise.
    pub octaves: u32,
    /// By how much an octave's wavelength is shorter than that of the one before, 1 to 8.
    pub lacunarity: f64,
    /// An octave's amplitude as a share of the one before, 0 to 1.
    pub gain: f64,
    /// By how much each octave is turned against the one before, degrees. Turned octaves take the slower kernels, which
    /// go point by point.
    pub rotation_deg: f64,
    /// [`Interpolation`].
    pub interpolation: Interpolation,
    /// [`Cells`].
    pub cells: Cells,
    /// [`Evolution`].
    pub evolution: Option<Evolution>,
    /// [`Backend`].
    pub backend: Backend,
    /// Tells nodes of one kind in an expression apart; see [`Noise`](crate::Noise).
    pub seed: u64,
}

impl Sum {
    /// Eight octaves, each of half the wavelength and amplitude of the one before.
    #[must_use]
    pub fn new(source: Source, wavelength_m: f64) -> Self {
        Self {
            source,
            wavelength_m,
            octaves: 8,
            lacunarity: 2.0,
            gain: 0.5,
            rotation_deg: 0.0,
            interpolation: Interpolation::default(),
            cells: Cells::default(),
            evolution: None,
            backend: Backend::default(),
            seed: 0,
        }
    }

    /// What octave 0 is.
    pub(crate) fn plain(&self) -> Plain {
        Plain {
            source: self.source,
            wavelength_m: self.wavelength_m,
            interpolation: self.interpolation,
            cells: self.cells,
            along: Along::Both,
            evolution: self.evolution,
            backend: self.backend,
            seed: self.seed,
        }
    }
}

/// How octaves of a [`Warp`] act on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WarpMode {
    /// Each octave is taken where those before it lead to.
    #[default]
    Progressive,
    /// All are taken at the same place, and added.
    Independent,
}

/// A displacement by octaves of gradient noise, one field for easting and one for northing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warp {
    /// Largest displacement of the first octave along each axis, m.
    pub amplitude_m: f64,
    /// Wavelength of the first octave, m.
    pub wavelength_m: f64,
    /// Number of octaves, 1 to 32.
    pub octaves: u32,
    /// By how much an octave's wavelength is shorter than that of the one before, 1 to 8.
    pub lacunarity: f64,
    /// An octave's amplitude as a share of the one before, 0 to 1.
    pub gain: f64,
    /// How they act on each other.
    pub mode: WarpMode,
    /// Tells warps of one expression apart.
    pub seed: u64,
}
