//! Leaves of an expression: sources and sums, with their keys.

use super::{Frame, Lowering, check_reach};
use crate::NoiseError;
use crate::expression::{Backend, Noise, Plain, Sum};
use crate::hash::Key;
use crate::kernel::octave::{Affine, Octave, Place};
use crate::kernel::rows::Row;
use crate::layer::{Combine, Layer, Tables};
use crate::node::{Node, strips};
use crate::raster::Raster;
use std::collections::BTreeMap;

/// Numbers for nodes that draw random numbers: each hangs on the name that it stands below, on its kind and seed, and on
/// how many of these there were before.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seeds {
    name: String,
    met: BTreeMap<(&'static str, u64), u64>,
}

impl Seeds {
    /// Goes below a name, where counting begins anew.
    pub(super) fn enter(&mut self, name: &str) -> Self {
        let inside = Self {
            name: name.to_owned(),
            met: BTreeMap::new(),
        };
        std::mem::replace(self, inside)
    }

    /// Comes back.
    pub(super) fn leave(&mut self, outside: Self) {
        *self = outside;
    }

    pub(super) fn draw(&mut self, kind: &'static str, seed: u64) -> u64 {
        let met = self.met.entry((kind, seed)).or_insert(0);
        let id = format!("{}/{kind}/{met}", self.name);
        *met += 1;
        // The grid's hash of a seed and a name.
        thalweg_grid::StageKey::new(seed, &id).bits(thalweg_grid::Purpose::Noise, 0, 0)
    }
}

impl Lowering<'_> {
    pub(super) fn leaf(&mut self, noise: &Noise, frame: Frame) -> Result<Node, NoiseError> {
        if let Some(sum) = noise.sum() {
            return self.sum(kind(noise), combine(noise), sum, frame);
        }
        self.by_points |= !matches!(noise, Noise::Plain(_) | Noise::Constant(_));
        match noise {
            Noise::Plain(plain) => {
                let sum = one_octave(plain);
                self.octaves_of(kind(noise), Combine::Fbm, &sum, plain, frame)
            }
            Noise::White { seed } => {
                let key = Key::new(self.key, self.seeds.draw("white", *seed), 0);
                Ok(Node::White(key, frame.affine))
            }
            Noise::Gradient {
                from_m,
                azimuth_deg,
                length_m,
            } => {
                let azimuth = azimuth_deg.to_radians();
                let (east, north) = (libm::sin(azimuth) / length_m, libm::cos(azimuth) / length_m);
                let behind = east * from_m[0] + north * from_m[1];
                let [row, _] = after(frame.affine, [[east, north, -behind], [0.0; 3]]);
                Ok(Node::Ramp(row))
            }
            Noise::Distance { to_m, radius_m } => {
                let own = [
                    [1.0 / radius_m, 0.0, -to_m[0] / radius_m],
                    [0.0, 1.0 / radius_m, -to_m[1] / radius_m],
                ];
                Ok(Node::Distance(after(frame.affine, own)))
            }
            Noise::DiamondSquare(of) => {
                let node = self.seeds.draw("diamond_square", of.seed);
                let keys: Vec<Key> = (0..=u64::from(of.levels))
                    .map(|level| Key::new(self.key, node, level))
                    .collect();
                let raster = Raster::diamond_square(of, frame.affine, frame.extent, &keys)?;
                Ok(Node::Raster(Box::new(raster)))
            }
            Noise::Automaton(of) => {
                let key = Key::new(self.key, self.seeds.draw("automaton", of.seed), 0);
                let raster = Raster::automaton(of, frame.affine, frame.extent, key)?;
                Ok(Node::Raster(Box::new(raster)))
            }
            Noise::Constant(value) => Ok(Node::Constant(*value as f32)),
            // Everything else has children and was lowered before it came here.
            _ => Ok(Node::Constant(0.0)),
        }
    }

    fn sum(
        &mut self,
        kind: &'static str,
        combine: Combine,
        sum: &Sum,
        frame: Frame,
    ) -> Result<Node, NoiseError> {
        self.octaves_of(kind, combine, sum, &sum.plain(), frame)
    }

    fn octaves_of(
        &mut self,
        kind: &'static str,
        combine: Combine,
        sum: &Sum,
        plain: &Plain,
        frame: Frame,
    ) -> Result<Node, NoiseError> {
        let node = self.seeds.draw(kind, plain.seed);
        let weights = weights(combine, sum);
        let mut octaves = Vec::new();
        // Powers by repeated multiplication: `powi` may differ between platforms.
        let (mut frequency, mut turn) = (1.0, 0.0);
        for (index, weight) in weights.into_iter().enumerate() {
            let octave = Octave::new(
                plain,
                Place {
                    key: self.key,
                    node,
                    index: index as u64,
                    frequency,
                    weight,
                    turn,
                    time_s: self.now_s(frame),
                },
            );
            check_reach(&octave, frame, sum.wavelength_m / frequency)?;
            octaves.push(octave.seen_from(frame.affine));
            frequency *= sum.lacunarity;
            turn += sum.rotation_deg.to_radians();
        }
        let layer = Layer {
            octaves,
            combine,
            cells: plain.cells,
            backend: plain.backend,
            tables: None,
        };
        Ok(self.with_tables(layer, frame))
    }

    /// A plain sum of octaves that are there.
    pub(super) fn layer_of(&mut self, octaves: Vec<Octave>, frame: Frame) -> Node {
        let layer = Layer {
            octaves,
            combine: Combine::Fbm,
            cells: crate::Cells::default(),
            backend: Backend::Thalweg,
            tables: None,
        };
        self.with_tables(layer, frame)
    }

    fn with_tables(&mut self, mut layer: Layer, frame: Frame) -> Node {
        if frame.on_map && layer.separable() {
            let rows =
                |octave: &Octave| self.ys_m.iter().map(|y_m| Row::new(octave, *y_m)).collect();
            layer.tables = Some(Tables {
                strips: layer
                    .octaves
                    .iter()
                    .map(|octave| strips(octave, self.xs_m))
                    .collect(),
                rows: layer.octaves.iter().map(rows).collect(),
                slot: self.octaves,
            });
            self.octaves += layer.octaves.len();
        } else {
            self.by_points = true;
        }
        Node::Layer(Box::new(layer))
    }
}

impl Octave {
    /// As it is for places from which `frame` leads to its own.
    pub(crate) fn seen_from(mut self, frame: Affine) -> Self {
        self.to_lattice = after(frame, self.to_lattice);
        self
    }
}

/// First one change of coordinates, then the other.
fn after(first: Affine, then: Affine) -> Affine {
    let [x, y] = first;
    then.map(|[a, b, c]| {
        [
            a * x[0] + b * y[0],
            a * x[1] + b * y[1],
            a * x[2] + b * y[2] + c,
        ]
    })
}

/// Weights of the octaves. Normalised sums divide by their sum here, so that it costs nothing per cell.
fn weights(combine: Combine, sum: &Sum) -> Vec<f64> {
    let powers = std::iter::successors(Some(1.0), |w| Some(w * sum.gain));
    let weights: Vec<f64> = powers.take(sum.octaves as usize).collect();
    if matches!(combine, Combine::Hybrid | Combine::Heterogeneous) {
        return weights;
    }
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / total).collect()
}

fn one_octave(plain: &Plain) -> Sum {
    Sum {
        octaves: 1,
        lacunarity: 1.0,
        gain: 1.0,
        ..Sum::new(plain.source, plain.wavelength_m)
    }
}

fn combine(noise: &Noise) -> Combine {
    match noise {
        Noise::Billow(_) => Combine::Billow,
        Noise::Turbulence(_) => Combine::Turbulence,
        Noise::Ridged(_) => Combine::Ridged,
        Noise::Hybrid(_) => Combine::Hybrid,
        Noise::Heterogeneous(_) => Combine::Heterogeneous,
        Noise::PingPong(_) => Combine::PingPong,
        Noise::Eroded(_) => Combine::Eroded,
        _ => Combine::Fbm,
    }
}

/// What keys hang on. A source alone and fBm share a name: the first octave of both is the same.
fn kind(noise: &Noise) -> &'static str {
    match noise {
        Noise::Billow(_) => "billow",
        Noise::Turbulence(_) => "turbulence",
        Noise::Ridged(_) => "ridged",
        Noise::Hybrid(_) => "hybrid",
        Noise::Heterogeneous(_) => "heterogeneous",
        Noise::PingPong(_) => "ping_pong",
        Noise::Eroded(_) => "eroded",
        _ => "fbm",
    }
}
