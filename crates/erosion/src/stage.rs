//! From a map to an engine and back.

use crate::accounts::Accounts;
use crate::cell::{Ground, VOID};
use crate::engine::{Engine, SHALLOW_M, Settling};
use crate::physics::Physics;
use crate::vegetation::Plants;
use crate::{ErosionError, Ledger, Moment, Parameters, Report};
use ndarray::Array2;
use rayon::prelude::*;
use std::io::Read;
use thalweg_flow::{Pools, Relief, Repose};
use thalweg_grid::{DryBasin, Grid, Lake, Lakes, Layer, Map, Observer, Raster, Shape, StageKey};

/// Erodes a map: changes its elevation and sets the layers change, stream, discharge and, where the parameters
/// ask for them, pool depth, water level, lake id and vegetation. Stream, discharge and pools that an earlier
/// stage left are where this one starts from.
///
/// The result depends on the map, the parameters and the key; never on the number of threads.
///
/// # Errors
/// When a parameter or an elevation is out of range, or the observer cancels; the map is then as it was.
pub fn erode(
    map: &mut Map,
    parameters: &Parameters,
    key: StageKey,
    observer: &dyn Observer,
) -> Result<Report, ErosionError> {
    erode_watched(map, parameters, key, observer, &mut |_| ())
}

/// [`erode`], with a look at the stage after each of its cycles.
///
/// # Errors
/// As [`erode`].
pub fn erode_watched(
    map: &mut Map,
    parameters: &Parameters,
    key: StageKey,
    observer: &dyn Observer,
    watch: &mut dyn FnMut(&Moment<'_>),
) -> Result<Report, ErosionError> {
    parameters.check()?;
    check_finite(map)?;
    go_on(start(map, parameters, key), map, observer, watch)
}

/// Goes on with a stage that [`Moment::write`] has written down: from the same map, parameters and key it comes to the
/// same end, bit for bit, as if it had never been stopped. Layers of the map that [the stage
/// replaces](Moment::replaces) need not be there.
///
/// # Errors
/// As [`erode`]; and when what was written cannot be read, or is a stage of another map.
pub fn erode_from(
    map: &mut Map,
    parameters: &Parameters,
    key: StageKey,
    written: &mut dyn Read,
    observer: &dyn Observer,
    watch: &mut dyn FnMut(&Moment<'_>),
) -> Result<Report, ErosionError> {
    parameters.check()?;
    check_finite(map)?;
    let mut engine = start(map, parameters, key);
    engine
        .read(written)
        .map_err(|error| ErosionError::Written {
            message: error.to_string(),
        })?;
    go_on(engine, map, observer, watch)
}

fn go_on(
    mut engine: Engine<'_>,
    map: &mut Map,
    observer: &dyn Observer,
    watch: &mut dyn FnMut(&Moment<'_>),
) -> Result<Report, ErosionError> {
    let parameters = engine.parameters;
    if parameters.droplets_per_cell > 0.0 && parameters.cycles > 0 {
        engine.run(map, observer, watch)?;
    }
    Ok(finish(engine, map))
}

/// The steepest slope of sediment that settles under water. Real fronts of coarse deltas stand at 10° to 30°.
const DELTA_SLOPE: f64 = 0.3;

fn check_finite(map: &Map) -> Result<(), ErosionError> {
    let bad = map
        .elevation
        .indexed_iter()
        .find(|&((row, col), value)| map.is_valid(row, col) && !value.is_finite());
    match bad {
        None => Ok(()),
        Some(((row, col), &value)) => Err(ErosionError::NotFinite { row, col, value }),
    }
}

/// The edge of a tile, cells, by the size of the map alone: small enough that a colour has work for many
/// threads, large enough that few droplets leave their window.
fn tile_by_size(shape: Shape) -> usize {
    match shape.rows.max(shape.cols) {
        0..=767 => 64,
        768..=1535 => 128,
        _ => 256,
    }
}

fn start<'a>(map: &Map, parameters: &'a Parameters, key: StageKey) -> Engine<'a> {
    let shape = map.grid.shape;
    let mut ground = Ground::new(
        map.elevation.view(),
        map.valid.as_ref(),
        parameters.edges,
        parameters.sea_level_m,
        map.grid.cell_size_m,
    );
    if let Some(stream) = map.float(Layer::Stream) {
        for (at, &stream) in stream.indexed_iter() {
            let index = ground.index_of(at);
            ground.cells[index].stream = stream;
        }
    }
    let physics = Physics::new(parameters, map.grid.cell_size_m);
    let kappa = f64::from(physics.kappa);
    let plants = parameters
        .vegetation
        .map(|rule| Plants::new(rule, key, map.grid.cell_size_m, kappa, ground.shape.len()));
    let pools = parameters.pools.map(|rule| {
        let Some(depth) = map.float(Layer::PoolDepth).map(|d| around(d, &ground)) else {
            return Pools::new(rule.drain);
        };
        Pools::from_depths(rule.drain, &mut ground, |cell| {
            f64::from(depth[Shape::from(depth.dim()).position(cell)])
        })
    });
    let repose = Repose::new(DELTA_SLOPE * map.grid.cell_size_m, key);
    let pools = pools.map(|pools| pools.with_repose(repose));
    let unit_m = parameters.droplet_depth_m(map.grid.cell_area_m2());
    let initial_m = pools.as_ref().map_or(0.0, Pools::water_m);
    let discharge_unit = unit_m * map.grid.cell_area_m2();
    let discharge = match map.float(Layer::Discharge) {
        Some(m3) if discharge_unit > 0.0 => {
            around(m3, &ground)
                .mapv(|m3| (f64::from(m3) / discharge_unit) as f32)
                .into_raw_vec_and_offset()
                .0
        }
        _ => vec![0.0; ground.shape.len()],
    };
    let tile = parameters
        .tiling
        .tile_cells
        .unwrap_or_else(|| tile_by_size(shape));
    let cols = ground.shape.cols;
    let mut engine = Engine {
        parameters,
        key,
        physics,
        ground,
        discharge,
        plants,
        pools,
        gates: Vec::new(),
        accounts: Accounts::new(unit_m, cols, initial_m),
        flight: Vec::new(),
        tile,
        repose,
        unreconciled: 0,
        unreconciled_cycles: 0,
        charged_cycles: 0,
        relief: None,
        cycle: 0,
        settling: Settling::default(),
        report: Report {
            tile_cells: tile,
            ..Report::default()
        },
    };
    engine.open_gates();
    engine
}

/// A layer of the map with zeros around it, of the ground's shape.
fn around(layer: &Array2<f32>, ground: &Ground) -> Array2<f32> {
    let mut cells = Array2::zeros(ground.shape.dim());
    for (at, &value) in layer.indexed_iter() {
        cells[ground.shape.position(ground.index_of(at))] = value;
    }
    cells
}

fn finish(engine: Engine<'_>, map: &mut Map) -> Report {
    let Engine {
        ground,
        mut report,
        accounts,
        pools,
        flight,
        discharge,
        plants,
        relief,
        ..
    } = engine;
    let area = map.grid.cell_area_m2();
    let change_um = ground
        .cells
        .par_iter()
        .map(|cell| i64::from(cell.change_um))
        .sum();
    let waiting_um = pools.as_ref().map_or(0, Pools::sediment_waiting_um);
    let water_m = pools.as_ref().map_or(0.0, Pools::water_m);
    let load: i64 = flight.iter().map(|d| i64::from(d.load_um)).sum();
    let aboard: f64 = flight.iter().map(|d| f64::from(d.water)).sum();
    report.ledger = Ledger {
        sediment: accounts.sediment(change_um, waiting_um, load, area),
        water: accounts.water(water_m, aboard, area),
    };
    write_ground(&ground, map);
    let of_cells = |value: fn(&crate::cell::Cell) -> f32| Raster::Float(ground.inner().map(value));
    map.layers.insert(Layer::Stream, of_cells(|c| c.stream));
    let unit = (accounts.unit_m * area) as f32;
    let discharge = Array2::from_shape_fn(ground.map.shape.dim(), |at| {
        discharge[ground.index_of(at)] * unit
    });
    map.layers
        .insert(Layer::Discharge, Raster::Float(discharge));
    if plants.is_some() {
        map.layers.insert(Layer::Vegetation, of_cells(|c| c.cover));
    }
    if let Some(pools) = &pools {
        report.pools = pools.len() as u64;
        write_pools(&ground, pools, map);
        let relief = relief.unwrap_or_else(|| pools.relief(&ground));
        map.lakes = Some(lakes(&ground, pools, &relief, &map.grid));
    }
    report
}

/// The new elevation and the change; where nothing changed, the bits are the old ones.
fn write_ground(ground: &Ground, map: &mut Map) {
    let mut change = match map.layers.remove(&Layer::Change) {
        Some(Raster::Float(change)) => change,
        _ => Array2::zeros(map.grid.shape.dim()),
    };
    for ((cell, elevation), change) in ground
        .inner()
        .iter()
        .zip(map.elevation.iter_mut())
        .zip(change.iter_mut())
    {
        if !cell.is(VOID) && cell.change_um != 0 {
            *elevation = cell.elevation_m() as f32;
            *change += (f64::from(cell.change_um) * 1e-6) as f32;
        }
    }
    map.layers.insert(Layer::Change, Raster::Float(change));
}

/// Pool depth and id per cell, and each pool's one level.
fn write_pools(ground: &Ground, pools: &Pools, map: &mut Map) {
    let dim = ground.map.shape.dim();
    let mut depth = Array2::<f32>::zeros(dim);
    let mut level = Array2::from_elem(dim, f32::NAN);
    let mut id = Array2::<u32>::zeros(dim);
    for (number, pool) in pools.iter() {
        for &index in &pool.cells {
            let at = ground.map_position(index);
            depth[at] = (pool.level_m - ground.cells[index].elevation_m()).max(0.0) as f32;
            level[at] = pool.level_m as f32;
            id[at] = number;
        }
    }
    map.layers.insert(Layer::PoolDepth, Raster::Float(depth));
    map.layers.insert(Layer::WaterLevel, Raster::Float(level));
    map.layers.insert(Layer::LakeId, Raster::Ids(id));
}

/// The tables of standing water, in world coordinates.
fn lakes(ground: &Ground, pools: &Pools, relief: &Relief, grid: &Grid) -> Lakes {
    let survey = pools.survey(ground, relief, SHALLOW_M);
    let place = |index: usize| {
        let (row, col) = ground.map_position(index);
        (grid.x_m(col), grid.y_m(row))
    };
    let area_m2 = grid.cell_area_m2();
    let km2 = |cells: f64| cells * area_m2 / 1e6;
    let lake = |lake: &thalweg_flow::Lake| {
        let outlet = lake.outlet.map(|outlet| place(outlet.sill));
        Lake {
            id: lake.id,
            level_m: lake.level_m,
            area_km2: km2(lake.cells as f64),
            volume_m3: lake.volume_m * area_m2,
            mean_depth_m: lake.mean_depth_m,
            max_depth_m: lake.max_depth_m,
            outlet_x_m: outlet.map(|(x_m, _)| x_m),
            outlet_y_m: outlet.map(|(_, y_m)| y_m),
            spills_to: lake.spills_to,
            catchment_km2: km2(lake.catchment as f64),
            chain: lake.chain,
        }
    };
    let dry = |basin: &thalweg_flow::DryBasin| {
        let (x_m, y_m) = place(basin.cell);
        DryBasin {
            x_m,
            y_m,
            depth_m: basin.depth_m,
            area_km2: km2(basin.cells as f64),
            inflow_m3: basin.balance.received_m * area_m2,
            evaporated_m3: basin.balance.evaporated_m * area_m2,
            seeped_m3: basin.balance.seeped_m * area_m2,
        }
    };
    Lakes {
        lakes: survey.lakes.iter().map(lake).collect(),
        dry_basins: survey.dry.iter().map(dry).collect(),
        max_chain: survey.max_chain,
    }
}
