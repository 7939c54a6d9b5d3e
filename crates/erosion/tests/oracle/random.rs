//! Random parameters over their ranges: the engine agrees with the reference, everything stays finite, no water is
//! deeper than none, both ledgers close, and no droplet takes more than its share of steps.

use crate::bits::agree_with;
use crate::ground::{map_of, rough};
use ndarray::Array2;
use rand_core::Rng;
use thalweg_erosion::{Edge, Edges, Parameters, Pools, StreamFeedback, Tiling, Vegetation};
use thalweg_grid::{Layer, Map, Purpose, Shape, StageKey};

const CASES: u64 = 48;

/// Random choices.
struct Draws<G>(G);

impl<G: Rng> Draws<G> {
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// As likely in each decade.
    fn between(&mut self, least: f64, most: f64) -> f64 {
        least * libm::pow(most / least, self.unit())
    }

    fn whole(&mut self, least: usize, most: usize) -> usize {
        least + (self.unit() * (most + 1 - least) as f64) as usize
    }

    /// One time in `of`.
    fn seldom(&mut self, of: usize) -> bool {
        self.whole(1, of) == 1
    }

    fn edge(&mut self) -> Edge {
        match self.seldom(3) {
            true => Edge::Closed,
            false => Edge::Open,
        }
    }

    fn map(&mut self) -> Map {
        let shape = Shape::new(self.whole(1, 48), self.whole(1, 48));
        let (cell_size_m, height) = (self.between(0.5, 500.0), self.between(0.01, 10.0));
        let mut map = map_of(shape, cell_size_m, |row, col| {
            200.0 + height * (rough(row, col) - 400.0)
        });
        if self.seldom(3) {
            let mask = Array2::from_shape_fn(shape.dim(), |_| !self.seldom(20));
            map.valid = Some(mask);
        }
        map
    }

    fn parameters(&mut self) -> Parameters {
        let halo_cells = self.whole(2, 12);
        Parameters {
            droplets_per_cell: self.between(0.01, 2.0),
            cycles: self.whole(1, 8) as u32,
            reference_length_m: self.between(1.0, 100.0),
            water_depth_m: self.seldom(2).then(|| self.between(1e-3, 100.0)),
            density: self.between(0.01, 100.0),
            friction: self.between(1e-3, 100.0),
            evaporation: self.between(1e-3, 100.0),
            exchange: self.between(1e-3, 100.0),
            bank_slope: self.between(0.01, 100.0),
            minimum_volume: self.between(1e-4, 0.99),
            stop_stream: self.unit(),
            stop_acceleration: self.between(1e-4, 10.0),
            max_path_km: self.seldom(4).then(|| self.between(1e-3, 100.0)),
            learning_rate: 0.999 * self.unit(),
            stream_feedback: StreamFeedback {
                friction: self.unit(),
                evaporation: self.unit(),
            },
            edges: Edges {
                north: self.edge(),
                east: self.edge(),
                south: self.edge(),
                west: self.edge(),
                apron_cells: self.whole(0, 40),
            },
            sea_level_m: self.seldom(3).then(|| 150.0 + 100.0 * self.unit()),
            pools: (!self.seldom(3)).then(|| self.pools()),
            vegetation: self.seldom(2).then(|| self.vegetation()),
            tiling: Tiling {
                tile_cells: Some(self.whole(2 * halo_cells, 64)),
                halo_cells,
                lanes: self.whole(1, 16),
            },
        }
    }

    fn pools(&mut self) -> Pools {
        Pools {
            drain: self.unit(),
            sediment_kept: self.unit(),
            spills: self.whole(0, 10) as u32,
            reconcile_every: self.between(1e-3, 1.0),
        }
    }

    fn vegetation(&mut self) -> Vegetation {
        Vegetation {
            growth: self.unit(),
            initial_size: self.between(0.01, 1.0),
            spawn: self.between(1e-6, 1.0),
            spread: self.unit(),
            spread_m: self.between(1.0, 1e4),
            death: self.unit(),
            max_stream: self.unit(),
            min_normal: self.unit(),
        }
    }
}

#[test]
fn random_parameters_hold_what_is_promised() {
    for case in 0..CASES {
        let mut draws = Draws(StageKey::new(case, "random").generator(Purpose::Noise, 0, 0));
        let (map, parameters) = (draws.map(), draws.parameters());
        let place = format!("case {case}: {:?}, {parameters:#?}", map.grid.shape);
        let (after, report) = agree_with(&map, &parameters, &place);
        let is_finite =
            |((row, col), v): ((usize, usize), &f32)| !map.is_valid(row, col) || v.is_finite();
        assert!(after.elevation.indexed_iter().all(is_finite), "{place}");
        for layer in [
            Layer::Stream,
            Layer::Discharge,
            Layer::PoolDepth,
            Layer::Vegetation,
        ] {
            let cells = after.float(layer).into_iter().flatten();
            assert!(
                cells.into_iter().all(|&v| v >= 0.0 && v.is_finite()),
                "{layer}, {place}"
            );
        }
        assert!(report.ledger.closes(), "{:#?}, {place}", report.ledger);
        // Evaporation alone ends a droplet after ln(1/minimum) ÷ evaporation of time, here at most 10,000 steps of the
        // longest time; faster ones take shorter steps. Nothing comes near the bound on steps.
        assert_eq!(report.limits.steps, 0, "{place}");
    }
}
