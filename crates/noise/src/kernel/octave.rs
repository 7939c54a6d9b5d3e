//! One octave's place in the world and in time.

use crate::expression::{Along, Evolution, Interpolation, Plain, Source};
use crate::hash::{self, Key};
use crate::math;
use thalweg_grid::StageKey;

/// Lattice cells from the origin of the coordinates within which noise keeps its detail: a position in the
/// lattice is an f64, which here still resolves 1/4096 of a cell.
pub(crate) const REACH: f64 = (1_u64 << 40) as f64;

/// Keeps what is rounded within the range that theory gives.
const WITHIN: f64 = 0.999_999;

/// From metres to lattice cells: x′ = a x + b y + c for either axis.
pub(crate) type Affine = [[f64; 3]; 2];

/// One of the parallel planes between which an evolving octave lies: the sum of the hashes of its lattice lines on the
/// axes of time, the distances to it, and its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slice {
    pub(crate) lines: u32,
    pub(crate) z: f32,
    pub(crate) w: f32,
    pub(crate) weight: f32,
}

/// How fast the nodes of an evolving octave turn, and how far they have: each by a whole multiple of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Turning {
    /// 2³² make a turn.
    phase: u32,
    /// The least multiple.
    least: u32,
    /// Bits of a hash that are added to it.
    mask: u32,
}

impl Turning {
    /// What nodes without change have.
    const STILL: Self = Self {
        phase: 0,
        least: 0,
        mask: 0,
    };

    /// How far a node has turned, from 16 bits of its own: 15 for the rate, the highest for the direction.
    #[inline(always)]
    pub(crate) fn of(self, bits: u32) -> u32 {
        let turned = (self.least + (bits & self.mask)).wrapping_mul(self.phase);
        if bits & 0x8000 == 0 {
            turned
        } else {
            turned.wrapping_neg()
        }
    }
}

/// Lattice nodes of what has no further dimensions turn so often, about, in the time of a change.
fn turns_per_change(source: Source) -> f64 {
    match source {
        // A quarter turn leaves nothing of a gradient.
        Source::Simplex | Source::OpenSimplex2 | Source::OpenSimplex2S => 0.25,
        // To and fro across a cell.
        _ => 0.5,
    }
}

/// The turning of the moment, of sources without further dimensions; of others none.
fn turning(plain: &Plain, place: Place) -> Option<Turning> {
    let Evolution { change_s, loop_s } = plain.evolution?;
    if matches!(plain.source, Source::Perlin | Source::Value) {
        return None;
    }
    const MOST: f64 = 32_768.0;
    // Multiples go from the least to nearly twice as much.
    let rate = turns_per_change(plain.source) * place.frequency / change_s / 1.5;
    let least = loop_s.map_or(MOST, |loop_s| (loop_s * rate).round().clamp(1.0, MOST));
    let phase = math::phase(place.time_s, loop_s.unwrap_or(MOST / rate));
    let least = least as u32;
    Some(Turning {
        // Below 1 × 2³².
        phase: (phase * 4_294_967_296.0) as u32,
        least,
        mask: (1 << (least + 1).ilog2()) - 1,
    })
}

/// What a lattice's nodes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nodes {
    /// Gradients on the unit circle.
    Circle,
    /// Slopes in x, −1 to 1.
    SlopeX,
    /// Slopes in y, −1 to 1.
    SlopeY,
    /// Gradients on the unit sphere, of which slices lie above and below.
    Sphere,
    /// The same in four dimensions.
    Sphere4,
    /// Values; of as many slices as there are.
    Value,
}

/// One octave, ready to be evaluated.
#[derive(Debug, Clone)]
pub(crate) struct Octave {
    pub(crate) source: Source,
    pub(crate) interpolation: Interpolation,
    pub(crate) nodes: Nodes,
    pub(crate) to_lattice: Affine,
    pub(crate) key: Key,
    /// 64 bits of it, for kernels that hash otherwise.
    pub(crate) bits: u64,
    /// Never empty.
    pub(crate) slices: Vec<Slice>,
    /// Whether its nodes turn.
    pub(crate) turns: bool,
    /// How far they have.
    pub(crate) turning: Turning,
    /// Factor that brings values to [−1, 1], times the octave's weight in its sum.
    pub(crate) scale: f32,
    /// The weight alone.
    pub(crate) weight: f32,
    /// Derivatives of lattice coordinates by those of the first octave.
    pub(crate) turned: [[f32; 2]; 2],
}

/// Where and how an octave lies among its siblings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) key: StageKey,
    /// The number of the node, drawn from kind and seed.
    pub(crate) node: u64,
    pub(crate) index: u64,
    /// Lattice cells of the first octave per cell of this one.
    pub(crate) frequency: f64,
    pub(crate) weight: f64,
    /// Turn against the first octave, radians.
    pub(crate) turn: f64,
    pub(crate) time_s: f64,
}

impl Octave {
    /// Its key and offset depend on stage, node and index alone: another octave more or less changes none of the others.
    /// The offset moves the lattice off the map's rows; gradient noise is 0 along lattice lines, and a wavelength of
    /// whole cells would put whole rows of cells there.
    pub(crate) fn new(plain: &Plain, place: Place) -> Self {
        let bits = |part| {
            place.key.bits(
                thalweg_grid::Purpose::Noise,
                place.node,
                place.index * 8 + part,
            )
        };
        let offset = [hash::unit(bits(1)), hash::unit(bits(2))];
        let key = Key::new(place.key, place.node, place.index);
        let nodes = nodes(plain);
        let turning = turning(plain, place);
        let to_lattice = to_lattice(plain, place, offset);
        Self {
            source: plain.source,
            interpolation: plain.interpolation,
            nodes,
            to_lattice,
            turned: to_lattice.map(|[a, b, _]| [a, b].map(|v| (v * plain.wavelength_m) as f32)),
            key,
            bits: bits(0),
            slices: slices(
                plain,
                place,
                key,
                [hash::unit(bits(3)), hash::unit(bits(4))],
            ),
            turns: turning.is_some(),
            turning: turning.unwrap_or(Turning::STILL),
            scale: (normaliser(plain.source, nodes) * WITHIN * place.weight) as f32,
            weight: place.weight as f32,
        }
    }

    /// The largest coordinate in lattice cells at places up to `far_m` from the origin along each axis.
    pub(crate) fn furthest(&self, far_m: f64) -> f64 {
        let cells = self
            .to_lattice
            .map(|[a, b, c]| (a.abs() + b.abs()) * far_m + c.abs());
        cells[0].max(cells[1])
    }

    /// The lattice coordinates of a place.
    #[inline(always)]
    pub(crate) fn at(&self, axis: usize, x_m: f64, y_m: f64) -> f64 {
        let [a, b, c] = self.to_lattice[axis];
        a * x_m + b * y_m + c
    }
}

fn to_lattice(plain: &Plain, place: Place, offset: [f64; 2]) -> Affine {
    let frequency = place.frequency / plain.wavelength_m;
    let (sin, cos) = (
        libm::sin(place.turn) * frequency,
        libm::cos(place.turn) * frequency,
    );
    let [x, y] = [[cos, sin, offset[0]], [-sin, cos, offset[1]]];
    match plain.along {
        Along::Both => [x, y],
        Along::Easting => [x, [0.0; 3]],
        Along::Northing => [[0.0; 3], y],
    }
}

fn nodes(plain: &Plain) -> Nodes {
    match (plain.source, plain.along, plain.evolution) {
        (Source::Value, ..) => Nodes::Value,
        (_, Along::Easting, _) => Nodes::SlopeX,
        (_, Along::Northing, _) => Nodes::SlopeY,
        (Source::Perlin, _, Some(evolution)) => match evolution.loop_s {
            None => Nodes::Sphere,
            Some(_) => Nodes::Sphere4,
        },
        _ => Nodes::Circle,
    }
}

/// 1 ÷ the largest value that there can be. Gradient noise is largest in the middle of a cell whose gradients all
/// point there: √(dimensions) ÷ 2 (the tests look for more, and for as much). Wavelets: `simplex`.
fn normaliser(source: Source, nodes: Nodes) -> f64 {
    match (source, nodes) {
        (Source::Simplex, _) => super::simplex::NARROW_SCALE,
        (Source::OpenSimplex2, _) => super::simplex::NARROW24_SCALE,
        (Source::OpenSimplex2S, _) => super::simplex::WIDE_SCALE,
        (Source::Worley, _) | (_, Nodes::Value) => 1.0,
        (_, Nodes::SlopeX | Nodes::SlopeY) => 2.0,
        (_, Nodes::Circle) => std::f64::consts::SQRT_2,
        (_, Nodes::Sphere) => 2.0 / libm::sqrt(3.0),
        (_, Nodes::Sphere4) => 1.0,
    }
}

/// The planes around the moment.
fn slices(plain: &Plain, place: Place, key: Key, offset: [f64; 2]) -> Vec<Slice> {
    let lattice = matches!(plain.source, Source::Perlin | Source::Value);
    let Some(Evolution { change_s, loop_s }) = plain.evolution.filter(|_| lattice) else {
        return vec![Slice {
            lines: 0,
            z: 0.0,
            w: 0.0,
            weight: 1.0,
        }];
    };
    let rate = place.frequency / change_s;
    let at = match loop_s {
        None => [place.time_s * rate + offset[0], offset[1]],
        Some(loop_s) => {
            let radius = loop_s * rate / std::f64::consts::TAU;
            let angle = math::phase(place.time_s, loop_s) * std::f64::consts::TAU;
            [
                offset[0] + radius * libm::cos(angle),
                offset[1] + radius * libm::sin(angle),
            ]
        }
    };
    let [z, w] = at.map(math::floor);
    let [fz, fw] = [(at[0] - z.0) as f32, (at[1] - w.0) as f32];
    let [uz, uw] = [fz, fw].map(|f| math::fade(f, plain.interpolation)[0]);
    let mut found = Vec::new();
    for dz in 0..2_u8 {
        for dw in 0..if loop_s.is_some() { 2_u8 } else { 1 } {
            let share = |d: u8, u: f32| if d == 0 { 1.0 - u } else { u };
            let mut slice = Slice {
                lines: hash::line::<2>(z.1 + i64::from(dz), key),
                z: fz - f32::from(dz),
                w: fw - f32::from(dw),
                weight: share(dz, uz),
            };
            if loop_s.is_some() {
                slice.lines = slice
                    .lines
                    .wrapping_add(hash::line::<3>(w.1 + i64::from(dw), key));
                slice.weight *= share(dw, uw);
            }
            found.push(slice);
        }
    }
    found
}
