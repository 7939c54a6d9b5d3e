//! Pools at the size of a map: no recursion, and memory by the wet cell. Long, so only on request.

mod peak;

use peak::{check_that_it_counts, peak_of};
use thalweg_flow::{Bed, Inflow, Kind, Outflow, PoolInflow, Pools, Release};
use thalweg_grid::Shape;

/// Stack of every thread that works. A recursion over cells would need a thousand times that, one over lakes ten.
const STACK: usize = 256 * 1024;

/// Most bytes allocated at once during a reconciliation, beyond bed, pools and inflow as they were, for each cell that
/// is wet before or afterwards. The worst of these cases, a lake half of which drains, takes 38.
const BYTES_PER_WET_CELL: usize = 50;

/// Ground that is a formula, open at its edges; only the field of pools takes memory.
struct Ground {
    shape: Shape,
    height: fn(usize, usize) -> f64,
    /// Cells lowered to a height, m.
    cut: Option<(std::ops::Range<usize>, f64)>,
    pool: Vec<u32>,
}

impl Ground {
    fn new(size: usize, height: fn(usize, usize) -> f64) -> Self {
        let shape = Shape::new(size, size);
        let pool = vec![0; shape.len()];
        Self {
            shape,
            height,
            cut: None,
            pool,
        }
    }

    fn wet(&self) -> usize {
        self.pool.iter().filter(|&&pool| pool != 0).count()
    }
}

impl Bed for Ground {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn elevation_m(&self, cell: usize) -> f64 {
        let (row, col) = self.shape.position(cell);
        let height = (self.height)(row, col);
        match &self.cut {
            Some((cells, depth)) if cells.contains(&cell) => height.min(*depth),
            _ => height,
        }
    }

    fn kind(&self, cell: usize) -> Kind {
        let (row, col) = self.shape.position(cell);
        let edge = |at: usize, size: usize| at == 0 || at + 1 == size;
        if edge(row, self.shape.rows) || edge(col, self.shape.cols) {
            Kind::Drain
        } else {
            Kind::Land
        }
    }

    fn raise(&mut self, _: usize, _: i32) -> i32 {
        0
    }

    fn pool(&self, cell: usize) -> u32 {
        self.pool[cell]
    }

    fn set_pool(&mut self, cell: usize, pool: u32) {
        self.pool[cell] = pool;
    }
}

/// Runs in threads with small stacks, this one and rayon's.
fn on_small_stacks(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .stack_size(STACK);
    pool.build().unwrap().install(work);
}

/// Reconciles, holds the peak against the bound, and the water against what came.
fn reconcile(pools: &mut Pools, ground: &mut Ground, inflow: Inflow, release: Release) -> Outflow {
    let ground_water: f64 = inflow.ground.iter().map(|at| at.1).sum();
    let wet = ground.wet();
    let came = pools.water_m() + ground_water;
    let (outflow, peak) = peak_of(|| pools.reconcile(ground, inflow, release));
    let springs: f64 = outflow
        .springs
        .iter()
        .map(|spring| spring.volume * 1e3)
        .sum();
    let went = pools.water_m() + springs + outflow.exported_m;
    assert!(
        (came - went).abs() <= 1e-12 * came,
        "{came} came, {went} went"
    );
    let wet = wet.max(ground.wet());
    let most = wet * BYTES_PER_WET_CELL;
    assert!(
        peak <= most,
        "{} bytes for each of {wet} wet cells",
        peak / wet
    );
    outflow
}

/// A square bowl: every cell but the edge's is under water when it is full.
fn bowl(row: usize, col: usize) -> f64 {
    let from_middle = |at: usize| (at as f64 - 1023.5).abs();
    1e-3 * from_middle(row).max(from_middle(col)).powi(2)
}

fn one_lake_of_four_million_cells() {
    let mut ground = Ground::new(2048, bowl);
    let rim = bowl(0, 0);
    let cells = 0..ground.shape.len();
    let full: f64 = cells.map(|cell| rim - ground.elevation_m(cell)).sum();
    let centre = ground.shape.index(1024, 1024);
    let mut pools = Pools::new(0.1);
    let pour = |share: f64| Inflow {
        ground: vec![(centre, share * full)],
        ..Inflow::default()
    };
    reconcile(&mut pools, &mut ground, pour(0.9), Release::Settle);
    let outflow = reconcile(&mut pools, &mut ground, pour(0.2), Release::Settle);
    assert!((outflow.exported_m - 0.1 * full).abs() < 1e-9 * full);
    assert_eq!((pools.len(), ground.wet()), (1, 2046 * 2046));
    assert!((pools.get(1).level_m - rim).abs() < 1e-9);

    // A notch through the rim down to half of the depth: with springs it drains by its share, then at once.
    let west = ground.shape.index(1024, 0);
    ground.cut = Some((west..centre, 0.5 * rim));
    let inflow = Inflow {
        pools: vec![PoolInflow {
            water_m: 0.0,
            droplets: 1,
        }],
        ..Inflow::default()
    };
    let springs = Release::Springs {
        unit_m: 1e3,
        minimum: 0.01,
    };
    reconcile(&mut pools, &mut ground, inflow, springs);
    assert!(pools.get(1).draining);
    reconcile(&mut pools, &mut ground, Inflow::default(), Release::Settle);
    assert_eq!(pools.len(), 1);
    assert!((pools.get(1).level_m - 0.5 * rim).abs() < 1e-9);
}

/// Basins of 40² cells on a slope of 5 mm a cell.
fn basins(row: usize, col: usize) -> f64 {
    let from_middle = |at: usize| (at % 40) as f64 - 19.5;
    let depth = from_middle(row).powi(2) + from_middle(col).powi(2);
    1e-2 * depth - 5e-3 * row as f64
}

fn ten_thousand_lakes() {
    let mut ground = Ground::new(4096, basins);
    let middles = (0..102).flat_map(|row| (0..102).map(move |col| (row * 40 + 20, col * 40 + 20)));
    let rain: Vec<_> = middles
        .map(|(row, col)| (ground.shape.index(row, col), 70.0))
        .collect();
    let mut pools = Pools::new(0.1);
    let pour = |ground: Vec<(usize, f64)>| Inflow {
        ground,
        ..Inflow::default()
    };
    reconcile(&mut pools, &mut ground, pour(rain.clone()), Release::Settle);
    assert_eq!(pools.len(), 102 * 102);
    reconcile(&mut pools, &mut ground, pour(rain), Release::Settle);
    assert_eq!(pools.len(), 102 * 102);

    // More than all of them hold, at the upper end: it goes down in chains of a hundred lakes.
    let upper = (0..102).map(|col| (ground.shape.index(20, col * 40 + 20), 1e6));
    let flood = upper.collect();
    reconcile(&mut pools, &mut ground, pour(flood), Release::Settle);
    assert!(pools.iter().all(|(_, pool)| pool.full), "some are not full");
}

/// One test: the allocator counts for the whole process.
#[test]
#[ignore = "takes a minute"]
fn memory_follows_the_wet_cells_and_the_stack_stays_small() {
    check_that_it_counts();
    on_small_stacks(|| {
        one_lake_of_four_million_cells();
        ten_thousand_lakes();
    });
}
