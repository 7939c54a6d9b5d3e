//! Maps for tests, and their random numbers.

use thalweg_flow::{Bed, Inflow, Kind, Pools, Release, Repose};
use thalweg_grid::{Shape, StageKey};

/// Ground in memory.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) shape: Shape,
    pub(crate) base: Vec<f64>,
    pub(crate) change_um: Vec<i64>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) pool: Vec<u32>,
}

impl Ground {
    /// Ground with open edges.
    pub(crate) fn new(rows: usize, cols: usize, height: impl Fn(usize, usize) -> f64) -> Self {
        let shape = Shape::new(rows, cols);
        let at = |cell| {
            let (row, col) = shape.position(cell);
            height(row, col)
        };
        let edge = |cell| {
            let (row, col) = shape.position(cell);
            row == 0 || col == 0 || row + 1 == rows || col + 1 == cols
        };
        let kind = |cell| if edge(cell) { Kind::Drain } else { Kind::Land };
        Self {
            shape,
            base: (0..shape.len()).map(at).collect(),
            change_um: vec![0; shape.len()],
            kinds: (0..shape.len()).map(kind).collect(),
            pool: vec![0; shape.len()],
        }
    }

    /// The same with walls around.
    pub(crate) fn closed(mut self) -> Self {
        self.kinds.fill(Kind::Land);
        self
    }

    /// A row of cells between two open ends far below, walled in north and south.
    pub(crate) fn profile(heights: &[f64]) -> Self {
        let mut ground = Self::new(1, heights.len(), |_, col| heights[col]).closed();
        ground.kinds[0] = Kind::Drain;
        ground.kinds[heights.len() - 1] = Kind::Drain;
        ground
    }

    /// Marks a cell as without data, its neighbours as drains.
    pub(crate) fn void(&mut self, cell: usize) {
        self.kinds[cell] = Kind::Void;
        self.base[cell] = f64::NAN;
        for other in self.shape.neighbours(cell) {
            if self.kinds[other] == Kind::Land {
                self.kinds[other] = Kind::Drain;
            }
        }
    }

    /// Depth of water by cell.
    pub(crate) fn depths(&self, pools: &Pools) -> Vec<f64> {
        let mut depths = vec![0.0; self.shape.len()];
        for (_, pool) in pools.iter() {
            for &cell in &pool.cells {
                depths[cell] = pool.level_m - self.elevation_m(cell);
            }
        }
        depths
    }
}

impl Bed for Ground {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn elevation_m(&self, cell: usize) -> f64 {
        self.base[cell] + self.change_um[cell] as f64 * 1e-6
    }

    fn kind(&self, cell: usize) -> Kind {
        self.kinds[cell]
    }

    fn raise(&mut self, cell: usize, micrometres: i32) -> i32 {
        self.change_um[cell] += i64::from(micrometres);
        micrometres
    }

    fn pool(&self, cell: usize) -> u32 {
        self.pool[cell]
    }

    fn set_pool(&mut self, cell: usize, pool: u32) {
        self.pool[cell] = pool;
    }
}

/// New standing water alone.
pub(crate) fn water(ground: &[(usize, f64)]) -> Inflow {
    Inflow {
        ground: ground.to_vec(),
        ..Inflow::default()
    }
}

/// Settles water on dry ground.
pub(crate) fn settled(ground: &mut Ground, parcels: &[(usize, f64)]) -> Pools {
    let mut pools = Pools::new(0.001);
    pools.reconcile(ground, water(parcels), Release::Settle);
    pools
}

/// SplitMix64 (Steele, Lea & Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A terrain of 5² to 24² with few heights and so many ties; walls, gaps and sea on some.
    pub(crate) fn terrain(&mut self) -> Ground {
        self.terrain_of(5, 24)
    }

    /// The same of sizes between `least`² and `most`².
    pub(crate) fn terrain_of(&mut self, least: usize, most: usize) -> Ground {
        let sizes = most - least + 1;
        let (rows, cols) = (least + self.below(sizes), least + self.below(sizes));
        let steps = 2 + self.below(9);
        let mut ground = Ground::new(rows, cols, |_, _| 0.0);
        for height in &mut ground.base {
            *height = self.below(steps) as f64;
        }
        match self.below(4) {
            0 => ground = ground.closed(),
            1 => (0..3).for_each(|_| ground.void(self.below(rows * cols))),
            2 => {
                let sea = self.below(rows * cols);
                ground.kinds[sea] = Kind::Sea;
            }
            _ => {}
        }
        ground
    }

    /// Water on some cells, from drops to floods.
    pub(crate) fn parcels(&mut self, ground: &Ground) -> Vec<(usize, f64)> {
        let cells = ground.shape.len();
        let scale = [0.01, 0.3, 3.0, 30.0][self.below(4)];
        let count = 1 + self.below(cells);
        (0..count)
            .map(|_| (self.below(cells), scale * self.unit()))
            .collect()
    }
}

/// How steep sediment lies, by steps of at most some metres.
pub(crate) fn repose(step_m: f64) -> Repose {
    Repose::new(step_m, StageKey::new(1, "pools"))
}
