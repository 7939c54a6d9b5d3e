//! From an expression to nodes that can be evaluated.

mod leaves;

use crate::expression::{Noise, Warp, WarpMode};
use crate::kernel::octave::{self, Affine, Octave, REACH};
use crate::math;
use crate::modify::{Combiner, Modifier};
use crate::node::{Displacement, Move, Node};
use crate::raster::{Extent, span};
use crate::{NoiseError, Range};
pub(crate) use leaves::Seeds;
use thalweg_grid::StageKey;

pub(crate) const IDENTITY: Affine = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// Where a node's coordinates come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// From the places at which blocks are evaluated to the node's coordinates.
    pub(crate) affine: Affine,
    /// Bounds of those places.
    pub(crate) extent: Extent,
    /// Whether they are the map's cells.
    pub(crate) on_map: bool,
    /// The moment that the expression names.
    pub(crate) time_s: f64,
}

/// Gives the range of a node on the whole map, from what was drawn before it and the moment.
pub(crate) type Observe<'a> = &'a dyn Fn(&Noise, Seeds, f64) -> Result<[f64; 2], NoiseError>;

/// Lowers an expression, drawing keys on its way.
pub(crate) struct Lowering<'a> {
    pub(crate) key: StageKey,
    pub(crate) xs_m: &'a [f64],
    pub(crate) ys_m: &'a [f64],
    pub(crate) seeds: Seeds,
    /// How much later than all the moments that the expression names it is, s.
    pub(crate) later_s: f64,
    /// Octaves that keep lattice lines.
    pub(crate) octaves: usize,
    /// Parts with names: name, frame and time.
    pub(crate) shared: Vec<(String, Affine, f64)>,
    /// Whether any node asks for places one by one.
    pub(crate) by_points: bool,
    pub(crate) observe: Observe<'a>,
}

impl Lowering<'_> {
    /// The moment.
    fn now_s(&self, frame: Frame) -> f64 {
        frame.time_s + self.later_s
    }

    pub(crate) fn node(&mut self, noise: &Noise, frame: Frame) -> Result<Node, NoiseError> {
        match noise {
            Noise::Stretch { of, factors } => {
                let [x, y] = frame.affine;
                let affine = [x.map(|v| v / factors[0]), y.map(|v| v / factors[1])];
                self.node(of, Frame { affine, ..frame })
            }
            Noise::Rotate { of, angle_deg } => {
                let affine = turned(frame.affine, angle_deg.to_radians());
                self.node(of, Frame { affine, ..frame })
            }
            Noise::Translate { of, by_m } => {
                let mut affine = frame.affine;
                affine[0][2] -= by_m[0];
                affine[1][2] -= by_m[1];
                self.node(of, Frame { affine, ..frame })
            }
            Noise::At { of, time_s } => self.node(
                of,
                Frame {
                    time_s: *time_s,
                    ..frame
                },
            ),
            Noise::Named(name, of) => self.named(name, of, frame),
            Noise::Warp { of, by } => self.warp(of, by, frame),
            Noise::Displace {
                of,
                by,
                amplitude_m,
            } => self.displace(of, by, *amplitude_m, frame),
            Noise::Swirl {
                of,
                around_m,
                radius_m,
                turns,
                period_s,
            } => {
                let by = Displacement::Swirl {
                    around_m: *around_m,
                    radius_m: *radius_m,
                    turns: *turns,
                    all: period_s.map_or(0.0, |s| turned_once(self.now_s(frame), s)),
                };
                // From anywhere within the radius to anywhere in it.
                self.moved(of, by, 2.0 * radius_m, frame)
            }
            Noise::Flow { of, by_m, period_s } => self.flow(of, *by_m, *period_s, frame),
            _ => match combiner(noise) {
                Some(combiner) => {
                    let of = noise.children().into_iter();
                    let nodes: Result<_, _> = of.map(|of| self.node(of, frame)).collect();
                    Ok(Node::Combine(combiner, nodes?))
                }
                None => self.modified(noise, frame),
            },
        }
    }

    fn modified(&mut self, noise: &Noise, frame: Frame) -> Result<Node, NoiseError> {
        match noise {
            Noise::Blend { of, mask } => Ok(Node::Blend(self.three(of, mask, frame)?)),
            Noise::Select {
                of,
                by,
                threshold,
                falloff,
            } => {
                let three = self.three(of, by, frame)?;
                Ok(Node::Select(three, *threshold as f32, *falloff as f32))
            }
            Noise::Normalise { of, to, range } => {
                let from = match range {
                    Range::Theoretical => of.theoretical_range(),
                    Range::Observed => (self.observe)(of, self.seeds.clone(), frame.time_s)?,
                };
                let node = self.node(of, frame)?;
                Ok(stretched(node, from, *to))
            }
            _ => match (modifier(noise, self.now_s(frame)), noise.children().first()) {
                (Some(modifier), Some(of)) => {
                    Ok(Node::Modify(modifier, Box::new(self.node(of, frame)?)))
                }
                _ => self.leaf(noise, frame),
            },
        }
    }

    fn three(
        &mut self,
        of: &[Noise; 2],
        by: &Noise,
        frame: Frame,
    ) -> Result<Box<[Node; 3]>, NoiseError> {
        let first = self.node(&of[0], frame)?;
        let second = self.node(&of[1], frame)?;
        Ok(Box::new([first, second, self.node(by, frame)?]))
    }

    /// Below a name, keys hang on it. Where it stands twice at the same place of the map, values are shared.
    fn named(&mut self, name: &str, of: &Noise, frame: Frame) -> Result<Node, NoiseError> {
        let outside = self.seeds.enter(name);
        let node = self.node(of, frame);
        self.seeds.leave(outside);
        if !frame.on_map {
            return node;
        }
        let place = (name.to_owned(), frame.affine, frame.time_s);
        let known = self.shared.iter().position(|other| *other == place);
        let slot = known.unwrap_or(self.shared.len());
        if known.is_none() {
            self.shared.push(place);
        }
        Ok(Node::Shared(slot, Box::new(node?)))
    }

    fn warp(&mut self, of: &Noise, by: &Warp, frame: Frame) -> Result<Node, NoiseError> {
        let fields = ["warp.east", "warp.north"].map(|kind| self.seeds.draw(kind, by.seed));
        let octaves = self.warp_octaves(by, fields, frame)?;
        let reach_m = octaves
            .iter()
            .flatten()
            .map(|octave| f64::from(octave.weight))
            .sum::<f64>()
            / 2.0;
        let displacement = match by.mode {
            WarpMode::Progressive => Displacement::Octaves(octaves),
            WarpMode::Independent => {
                let (east, north) = octaves
                    .into_iter()
                    .map(|[east, north]| (east, north))
                    .unzip();
                let mut field = |octaves: Vec<Octave>| {
                    let octaves = octaves
                        .into_iter()
                        .map(|o| o.seen_from(frame.affine))
                        .collect();
                    self.layer_of(octaves, frame)
                };
                Displacement::Fields(field(east), field(north), 1.0)
            }
        };
        self.moved(of, displacement, reach_m, frame)
    }

    /// East and north of each octave, weighted in metres.
    fn warp_octaves(
        &self,
        by: &Warp,
        fields: [u64; 2],
        frame: Frame,
    ) -> Result<Vec<[Octave; 2]>, NoiseError> {
        let plain = crate::Plain::new(crate::Source::Perlin, by.wavelength_m);
        let (mut frequency, mut weight) = (1.0, by.amplitude_m);
        let mut octaves = Vec::new();
        for index in 0..u64::from(by.octaves) {
            let octave = |node| {
                Octave::new(
                    &plain,
                    octave::Place {
                        key: self.key,
                        node,
                        index,
                        frequency,
                        weight,
                        turn: 0.0,
                        time_s: 0.0,
                    },
                )
            };
            let pair = fields.map(octave);
            check_reach(&pair[0], frame, by.wavelength_m / frequency)?;
            octaves.push(pair);
            frequency *= by.lacunarity;
            weight *= by.gain;
        }
        Ok(octaves)
    }

    fn displace(
        &mut self,
        of: &Noise,
        by: &[Noise; 2],
        amplitude_m: f64,
        frame: Frame,
    ) -> Result<Node, NoiseError> {
        let reach = by
            .iter()
            .flat_map(Noise::theoretical_range)
            .fold(0.0_f64, |far, v| far.max(v.abs()));
        let [east, north] = [self.node(&by[0], frame)?, self.node(&by[1], frame)?];
        self.moved(
            of,
            Displacement::Fields(east, north, amplitude_m),
            reach * amplitude_m,
            frame,
        )
    }

    /// Three copies on their way, with the same random numbers.
    fn flow(
        &mut self,
        of: &Noise,
        by_m: [f64; 2],
        period_s: f64,
        frame: Frame,
    ) -> Result<Node, NoiseError> {
        let begun = math::phase(self.now_s(frame), period_s);
        let seeds = self.seeds.clone();
        let mut copies = Vec::new();
        for copy in 0..3_u8 {
            // Periods since the copy began, of three that it lasts.
            let age = begun + f64::from(copy);
            let phase = age / 3.0;
            let weight = (1.0 - libm::cos(phase * std::f64::consts::TAU)) / 3.0;
            let mut affine = frame.affine;
            affine[0][2] -= by_m[0] * age;
            affine[1][2] -= by_m[1] * age;
            self.seeds = seeds.clone();
            let node = self.node(of, Frame { affine, ..frame })?;
            let weigh = Modifier::Scale(weight as f32, 0.0);
            copies.push(Node::Modify(weigh, Box::new(node)));
        }
        Ok(Node::Combine(Combiner::Add, copies))
    }

    /// What is seen up to `reach_m` away along each axis.
    fn moved(
        &mut self,
        of: &Noise,
        by: Displacement,
        reach_m: f64,
        frame: Frame,
    ) -> Result<Node, NoiseError> {
        let wider = |[from, to]: [f64; 2]| [from - reach_m - 1.0, to + reach_m + 1.0];
        let extent = Extent {
            x_m: wider(span(frame.affine[0], frame.extent)),
            y_m: wider(span(frame.affine[1], frame.extent)),
        };
        let inner = Frame {
            affine: IDENTITY,
            extent,
            on_map: false,
            time_s: frame.time_s,
        };
        self.by_points = true;
        let of = self.node(of, inner)?;
        Ok(Node::Move(Box::new(Move {
            frame: frame.affine,
            by,
            of,
        })))
    }
}

/// Whether an octave keeps its detail at every place of its frame. Takes it as it was before the frame's affine.
pub(crate) fn check_reach(
    octave: &Octave,
    frame: Frame,
    wavelength_m: f64,
) -> Result<(), NoiseError> {
    let far = |row| {
        span(row, frame.extent)
            .into_iter()
            .fold(0.0_f64, |far: f64, v| far.max(v.abs()))
    };
    let distance_m = frame.affine.map(far).into_iter().fold(0.0, f64::max);
    // Written so that what is not a number is refused as well.
    if octave.furthest(distance_m) <= REACH {
        return Ok(());
    }
    Err(NoiseError::TooFar {
        finest_m: wavelength_m,
        distance_m,
    })
}

/// The share of a turn at a moment; a negative period turns the other way.
fn turned_once(now_s: f64, period_s: f64) -> f64 {
    math::phase(now_s, period_s.abs()) * period_s.signum()
}

/// A turn clockwise of what is seen: places turn the other way.
fn turned([x, y]: Affine, angle: f64) -> Affine {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let mix = |a: f64, b: f64| std::array::from_fn(|k| a * x[k] + b * y[k]);
    [mix(cos, -sin), mix(sin, cos)]
}

fn stretched(node: Node, from: [f64; 2], to: [f64; 2]) -> Node {
    let width = from[1] - from[0];
    let factor = if width > 0.0 {
        (to[1] - to[0]) / width
    } else {
        0.0
    };
    let scale = Modifier::Scale(factor as f32, (to[0] - from[0] * factor) as f32);
    let cut = Modifier::Clamp(to[0] as f32, to[1] as f32);
    Node::Modify(cut, Box::new(Node::Modify(scale, Box::new(node))))
}

fn combiner(noise: &Noise) -> Option<Combiner> {
    Some(match noise {
        Noise::Add(_) => Combiner::Add,
        Noise::Subtract(_) => Combiner::Subtract,
        Noise::Multiply(_) => Combiner::Multiply,
        Noise::Min(_) => Combiner::Min,
        Noise::Max(_) => Combiner::Max,
        Noise::SmoothMin { width, .. } => Combiner::SmoothMin(*width as f32),
        Noise::SmoothMax { width, .. } => Combiner::SmoothMax(*width as f32),
        _ => return None,
    })
}

fn modifier(noise: &Noise, now_s: f64) -> Option<Modifier> {
    Some(match noise {
        Noise::Abs(_) => Modifier::Abs,
        Noise::Invert(of) => {
            let [low, high] = of.theoretical_range();
            Modifier::Scale(-1.0, (low + high) as f32)
        }
        Noise::Clamp { min, max, .. } => Modifier::Clamp(*min as f32, *max as f32),
        Noise::Power { exponent, .. } => Modifier::Power(*exponent as f32),
        Noise::Bias { of, bias } => Modifier::Bias((1.0 / bias - 2.0) as f32, range(of)),
        Noise::Gain { of, gain } => Modifier::Gain((1.0 / gain - 2.0) as f32, range(of)),
        Noise::Curve { points, .. } => Modifier::Curve(crate::curve::Curve::new(points)),
        Noise::Terrace {
            step, sharpness, ..
        } => Modifier::Terrace(*step as f32, *sharpness as f32),
        Noise::Scale { factor, offset, .. } => Modifier::Scale(*factor as f32, *offset as f32),
        Noise::Wave {
            cycles, period_s, ..
        } => {
            let phase = period_s.map_or(0.0, |period_s| math::phase(now_s, period_s));
            Modifier::Wave(*cycles as f32, phase)
        }
        _ => return None,
    })
}

fn range(of: &Noise) -> [f32; 2] {
    of.theoretical_range().map(|v| v as f32)
}
