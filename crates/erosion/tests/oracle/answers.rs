//! Known answers: the equations' closed forms.
//!
//! They are asked of the reference, which gives the engine's bits.

use crate::ground::map_of;
use crate::reference::{Bounds, Constants, Counts, Droplet, End, Land, apply, plan};
use thalweg_erosion::{Edges, Parameters};
use thalweg_grid::Shape;

/// A lane of three rows that falls eastwards, and a droplet on it that moves alone.
struct Slope {
    land: Land<f32>,
    constants: Constants<f32>,
    bounds: Bounds,
    droplet: Droplet<f32>,
    /// What exchanges did to the ground is undone: it stays a plane.
    plane: bool,
}

impl Slope {
    fn new(parameters: &Parameters, cell_size_m: f64, slope: f64, cols: usize) -> Self {
        let shape = Shape::new(3, cols);
        let drop = slope * cell_size_m;
        let map = map_of(shape, cell_size_m, |_, col| drop * (cols - col) as f64);
        let edges = Edges {
            apron_m: 0.0,
            ..Edges::default()
        };
        Self {
            land: Land::new(&map, edges, None),
            constants: Constants::new(parameters, cell_size_m),
            bounds: Bounds {
                rows: [0, 3],
                cols: [0, cols as i32],
            },
            droplet: Droplet::at_rest([1, 1], [0.5, 0.5], 1.0, (0, 0)),
            plane: true,
        }
    }

    /// A step; its end and its time.
    fn step(&mut self) -> (End, f64) {
        let plan = plan(&self.land, &self.constants, &self.bounds, &mut self.droplet);
        let (land, droplet) = (&mut self.land, &mut self.droplet);
        let mut counts = Counts::default();
        let end = apply(
            land,
            &self.constants,
            &self.bounds,
            droplet,
            &plan,
            &mut counts,
        );
        if self.plane {
            land.cells.iter_mut().for_each(|cell| cell.change_um = 0);
        }
        (end, f64::from(plan.dt))
    }
}

/// Where friction takes what gravity gives: v F = a, with a = sin of the slope ÷ (w density), whatever the cells.
#[test]
fn speed_on_a_plane_tends_to_its_closed_form() {
    for (cell_size_m, slope, friction, density, water) in [
        (10.0, 0.15, 0.1, 1.0, 1.0f32),
        (10.0, 0.3, 0.25, 2.0, 0.5),
        (30.0, 0.15, 0.1, 1.0, 1.0),
        (2.5, 0.2, 0.1, 0.7, 1.0),
    ] {
        let parameters = Parameters {
            friction,
            density,
            evaporation: 0.0,
            exchange: 0.0,
            ..Parameters::default()
        };
        let mut slope_of_it = Slope::new(&parameters, cell_size_m, slope, 1500);
        slope_of_it.droplet.water = water;
        for _ in 0..1400 {
            assert_eq!(slope_of_it.step().0, End::Alive);
        }
        let sine = slope / (1.0 + slope * slope).sqrt();
        let expected = sine / (f64::from(water) * density * friction);
        let found = f64::from(slope_of_it.droplet.v_east);
        assert!(
            (found / expected - 1.0).abs() < 1e-3,
            "{found}, expected {expected}"
        );
        assert_eq!(slope_of_it.droplet.v_south.to_bits(), 0);
    }
}

/// At a steady speed v a step takes dt = κ / (v + 1.2 κ a) and brings the load nearer to capacity by the factor
/// 1 + dt · exchange · (1 − ρ). Capacity is C = v S where the step leads into the next cell, and 0 within one.
#[test]
fn the_load_relaxes_to_capacity_at_the_stated_rate() {
    for cover in [0.0f32, 0.6] {
        let (slope, exchange) = (0.2, 0.1);
        let parameters = Parameters {
            evaporation: 0.0,
            exchange,
            ..Parameters::default()
        };
        let mut run = Slope::new(&parameters, 10.0, slope, 200);
        run.land
            .cells
            .iter_mut()
            .for_each(|cell| cell.cover = cover);
        let acceleration = slope / (1.0 + slope * slope).sqrt();
        let speed = acceleration / parameters.friction;
        run.droplet.v_east = speed as f32;
        let capacity_um = speed * slope * 10.0 * 1e6;
        let (mut expected, mut crossings) = (0.0, 0);
        for step in 1..=150 {
            let before = run.droplet.at;
            let (end, dt) = run.step();
            assert_eq!(end, End::Alive);
            assert!(
                (dt * (speed + 1.2 * acceleration) - 1.0).abs() < 1e-4,
                "{dt}"
            );
            let crosses = run.droplet.at != before;
            crossings += u32::from(crosses);
            let goal = if crosses { capacity_um } else { 0.0 };
            expected = goal - (goal - expected) / (1.0 + dt * exchange * (1.0 - f64::from(cover)));
            let found = f64::from(run.droplet.load_um);
            assert!(
                (found - expected).abs() < 1e-4 * capacity_um,
                "step {step}: {found} µm, expected {expected}"
            );
        }
        assert!(
            crossings > 130 && expected > 0.6 * capacity_um,
            "{crossings} {expected}"
        );
    }
}

/// From one state, a step takes X/(1 + X) of what is missing to capacity, X = dt · exchange · max(0, 1 − ρ).
#[test]
fn plants_lower_what_a_step_takes_by_their_factor() {
    let parameters = Parameters::default();
    let taken = |cover: f32| {
        let mut run = Slope::new(&parameters, 10.0, 0.2, 20);
        run.land
            .cells
            .iter_mut()
            .for_each(|cell| cell.cover = cover);
        run.droplet.v_east = 1.5;
        let (end, dt) = run.step();
        assert_eq!((end, run.droplet.at), (End::Alive, [1, 2]));
        (f64::from(run.droplet.load_um), dt)
    };
    let (bare_um, dt) = taken(0.0);
    assert!(bare_um > 1e5, "{bare_um} µm");
    let share = |cover: f32| {
        let x = dt * parameters.exchange * (1.0 - f64::from(cover));
        x / (1.0 + x)
    };
    for cover in [0.25, 0.5, 0.9, 1.0] {
        let expected = bare_um * share(cover) / share(0.0);
        let (found, _) = taken(cover);
        assert!(
            (found - expected).abs() < 2.0,
            "ρ {cover}: {found} µm, expected {expected}"
        );
    }
}

/// Volume falls by 1 + 1.2 · evaporation in each step of the longest time, so that a droplet ends after
/// ln(1 / minimum) ÷ ln(1 + 1.2 evaporation) of them. On this slope it is never so fast that steps are cut, nor so
/// slow that it rests.
#[test]
fn evaporation_ends_a_droplet_after_the_computed_steps_and_path() {
    let (slope, minimum_volume, evaporation) = (0.003, 0.1, 0.001);
    let parameters = Parameters {
        minimum_volume,
        evaporation,
        exchange: 0.0,
        ..Parameters::default()
    };
    let mut run = Slope::new(&parameters, 10.0, slope, 400);
    let mut steps = 1u32;
    let end = loop {
        match run.step().0 {
            End::Alive => steps += 1,
            end => break end,
        }
    };
    assert_eq!(end, End::Spent);
    let expected = (1.0 / minimum_volume).ln() / (1.2 * evaporation).ln_1p();
    // An f32 holds 1 + 0.0012 to within 3·10⁻⁸, which is 2.5·10⁻⁵ of 0.0012 and of the steps.
    assert!(
        (f64::from(steps) - expected.ceil()).abs() <= 1.0,
        "{steps} steps, expected {expected}"
    );
    // The pull a = slope / w grows by r = 1 + dt · evaporation a step, and so does, soon, the speed after friction,
    // v = dt a / (r (1 + dt friction) − 1); a step moves by dt (v + dt a). The start at rest costs a third of a cell.
    let growth = 1.0 + 1.2 * evaporation;
    let speed = 1.2 * slope / (growth * (1.0 + 1.2 * parameters.friction) - 1.0);
    let first = 1.2 * (speed + 1.2 * slope);
    let path = first * (growth.powf(expected) - 1.0) / (growth - 1.0);
    let found = f64::from(run.droplet.path);
    assert!(
        (found / path - 1.0).abs() < 3e-3,
        "{found} cells, expected {path}"
    );
}

/// Evaporation concentrates a load and takes none of it, nor adds any.
#[test]
fn evaporation_leaves_the_load_as_it_is() {
    let parameters = Parameters {
        evaporation: 0.2,
        exchange: 0.0,
        ..Parameters::default()
    };
    let mut run = Slope::new(&parameters, 10.0, 0.02, 200);
    run.plane = false;
    run.droplet.load_um = 123_457;
    while run.step().0 == End::Alive {
        assert_eq!(run.droplet.load_um, 123_457);
    }
    assert!(run.droplet.water < 0.01);
    assert_eq!(run.droplet.load_um, 123_457);
    assert!(run.land.cells.iter().all(|cell| cell.change_um == 0));
}
