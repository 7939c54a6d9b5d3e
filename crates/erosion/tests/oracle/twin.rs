//! How far f32 arithmetic is from f64: the reference against its twin.

use crate::ground::{cone, map_of, rough};
use crate::reference::{Constants, Droplet, Land, Plan, Real, Stage, plan};
use rand_core::Rng;
use thalweg_erosion::{Edges, Parameters, Tiling};
use thalweg_grid::{Map, Purpose, Shape, StageKey};

const STEPS: u64 = 100_000;
/// The promised bound.
const BOUND: f64 = 1e-5;

/// Random numbers that an f32 holds, so that both precisions start from the same state.
struct Draws<G>(G);

impl<G: Rng> Draws<G> {
    fn between(&mut self, least: f64, end: f64) -> f64 {
        let unit = (self.0.next_u64() >> 40) as f64 / f64::from(1 << 24);
        f64::from((least + unit * (end - least)) as f32)
    }
}

fn draws(number: u64) -> Draws<impl Rng> {
    Draws(StageKey::new(3, "twin").generator(Purpose::Spawn, 0, number))
}

/// Rough ground in the middle of a stage: changed by up to 2 m, with streams and plants.
fn worn<R: Real>(map: &Map, parameters: &Parameters) -> Land<R> {
    let mut land = Land::new(map, parameters.edges, None);
    let mut draws = draws(u64::MAX);
    for cell in &mut land.cells {
        cell.change_um = draws.between(-2e6, 2e6) as i32;
        cell.stream = R::of(draws.between(0.0, 1.0));
        cell.cover = R::of(draws.between(0.0, 1.0));
    }
    land
}

/// A droplet anywhere on the land, with any speed below 3 and any load below half a metre.
fn state<R: Real>(land: &Land<R>, number: u64) -> Droplet<R> {
    let mut d = draws(number);
    let rows = f64::from(land.rows);
    let cols = f64::from(land.cols);
    let at = [d.between(0.0, rows) as i32, d.between(0.0, cols) as i32];
    let place = [0; 2].map(|_| R::of(d.between(0.0, 1.0)));
    let speed = d.between(0.0, 3.0);
    let mut droplet = Droplet::at_rest(at, place, R::of(d.between(0.01, 1.0)), (0, number));
    droplet.v_south = R::of(speed * d.between(-1.0, 1.0));
    droplet.v_east = R::of(speed * d.between(-1.0, 1.0));
    droplet.v_south = R::of(f64::from(droplet.v_south.wide() as f32));
    droplet.v_east = R::of(f64::from(droplet.v_east.wide() as f32));
    droplet.load_um = d.between(0.0, 5e5) as i32;
    droplet
}

/// Both precisions' step from one state.
struct Pair {
    narrow: (Droplet<f32>, Plan<f32>),
    wide: (Droplet<f64>, Plan<f64>),
    /// Speed before, in reference lengths per unit of time.
    speed: f64,
}

impl Pair {
    /// Way from the first cell's corner, cells.
    fn places(&self) -> [(f64, f64); 2] {
        let ((n, np), (w, wp)) = (&self.narrow, &self.wide);
        let place = |cells: i32, fraction: f64| f64::from(cells) + fraction;
        [
            (place(np.by[0], n.south.wide()), place(wp.by[0], w.south)),
            (place(np.by[1], n.east.wide()), place(wp.by[1], w.east)),
        ]
    }

    fn compare_movement(&self, number: u64) {
        let ((n, np), (w, wp)) = (&self.narrow, &self.wide);
        // Places in cells: a step is at most one.
        for (narrow, wide) in self.places() {
            within(narrow, wide, 1.0, number, "place");
        }
        // Speeds against the largest that took part: deceleration can leave next to nothing.
        let after = (w.v_south * w.v_south + w.v_east * w.v_east).sqrt();
        let speed = self.speed.max(after);
        within(
            n.v_south.wide(),
            w.v_south,
            speed,
            number,
            "southward speed",
        );
        within(n.v_east.wide(), w.v_east, speed, number, "eastward speed");
        within(n.water.wide(), w.water, w.water, number, "volume");
        within(np.dt.wide(), wp.dt, wp.dt, number, "time step");
    }

    /// The exchange, against the larger of load and capacity: between equals next to nothing is exchanged.
    fn compare_exchange(&self, number: u64) {
        let ((_, np), (w, wp)) = (&self.narrow, &self.wide);
        // A capacity is only known as well as the drop, an f32 difference of f32 heights and of changes.
        let parts = f64::from(w.load_um).max(wp.capacity_um).max(1.0);
        within(
            np.request_um.wide(),
            wp.request_um,
            parts,
            number,
            "exchange",
        );
    }
}

fn within(narrow: f64, wide: f64, scale: f64, number: u64, what: &str) {
    let error = (narrow - wide).abs() / scale;
    assert!(
        error <= BOUND,
        "{what} of state {number}: f32 {narrow}, f64 {wide}, {error:e} of {scale}"
    );
}

#[test]
fn single_steps_from_random_states() {
    // No apron: its reflected heights round differently, and both are to stand on the same ground.
    let parameters = Parameters {
        edges: Edges {
            apron_m: 0.0,
            ..Edges::default()
        },
        ..Parameters::default()
    };
    let map = map_of(Shape::new(96, 96), 10.0, rough);
    let (narrow, wide) = (
        worn::<f32>(&map, &parameters),
        worn::<f64>(&map, &parameters),
    );
    let constants = (
        Constants::<f32>::new(&parameters, 10.0),
        Constants::<f64>::new(&parameters, 10.0),
    );
    let (mut apart, mut exchanged) = (0, 0);
    for number in 0..STEPS {
        let (mut n, mut w) = (state(&narrow, number), state(&wide, number));
        let speed = (w.v_south * w.v_south + w.v_east * w.v_east).sqrt();
        let (np, wp) = (
            plan(&narrow, &constants.0, &narrow.bounds(), &mut n),
            plan(&wide, &constants.1, &wide.bounds(), &mut w),
        );
        // Where rounding decides which side of a cell's border a droplet is on, what it meets there differs.
        if np.by != wp.by || np.end != wp.end {
            apart += 1;
            continue;
        }
        exchanged += u64::from(wp.request_um != 0.0);
        let pair = Pair {
            narrow: (n, np),
            wide: (w, wp),
            speed,
        };
        pair.compare_movement(number);
        pair.compare_exchange(number);
    }
    assert!(apart <= STEPS / 10_000, "{apart} states part at a border");
    assert!(
        exchanged > STEPS / 2,
        "only {exchanged} states exchange sediment"
    );
}

/// How far the two precisions' elevations are apart after a run: largest and root mean square, shares of relief.
fn apart_after_a_run(map: &Map, droplets_per_cell: f64) -> (f64, f64) {
    let parameters = Parameters {
        droplets_per_cell,
        cycles: 20,
        tiling: Tiling {
            tile_cells: Some(64),
            ..Tiling::default()
        },
        ..Parameters::default()
    };
    let key = StageKey::new(5, "twin");
    let narrow = heights::<f32>(map, &parameters, key);
    let wide = heights::<f64>(map, &parameters, key);
    let before = map.elevation.iter().map(|&h| f64::from(h));
    let changes = before
        .clone()
        .zip(&wide)
        .map(|(before, w)| (before - w).abs());
    let (low, high) = before.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let relief = high - low;
    assert!(
        changes.fold(0.0, f64::max) > 1e-3 * relief,
        "the run did something"
    );
    let apart = narrow
        .iter()
        .zip(&wide)
        .map(|(n, w)| (n - w).abs() / relief);
    let squares: f64 = apart.clone().map(|share| share * share).sum();
    let root_mean_square = (squares / narrow.len() as f64).sqrt();
    (apart.fold(0.0, f64::max), root_mean_square)
}

/// Elevations of the map's cells.
fn heights<R: Real>(map: &Map, parameters: &Parameters, key: StageKey) -> Vec<f64> {
    let mut stage = Stage::<R>::new(map, parameters, key);
    stage.run();
    let land = &stage.land;
    (0..land.cells.len())
        .filter(|&cell| land.on_map(land.place(cell)))
        .map(|cell| land.cells[cell].elevation_m())
        .collect()
}

fn cone_and_plane() -> [Map; 2] {
    let plane = |row: usize, col: usize| 700.0 - 3.0 * row as f64 - col as f64;
    [
        map_of(Shape::new(64, 64), 10.0, cone(64)),
        map_of(Shape::new(64, 64), 10.0, plane),
    ]
}

/// Before tracks part, rounding moves no cell by more than a few micrometres.
#[test]
fn short_runs_on_a_cone_and_a_plane_agree_cell_by_cell() {
    for map in cone_and_plane() {
        let (largest, _) = apart_after_a_run(&map, 0.2);
        assert!(largest <= 1e-6, "{largest:e} of relief");
    }
}

/// Later, a difference of a micrometre decides which way some droplets go, and channels on ground that favours none
/// come to lie elsewhere: by the full droplet a cell of a default stage, the plane's cells are 1.2e-3 of relief
/// apart (root mean square), the cone's 2e-4.
#[test]
fn whole_runs_on_a_cone_and_a_plane_agree() {
    for map in cone_and_plane() {
        let (_, root_mean_square) = apart_after_a_run(&map, 0.5);
        assert!(root_mean_square <= 1e-3, "{root_mean_square:e} of relief");
    }
}
