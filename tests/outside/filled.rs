//! Floods a DEM to the brim and writes its surface: `filled IN.tif OUT.tif`, for judges outside of this repository.
//!
//! Every cell gets more water than any depression holds; the map's edge and cells beside nodata let it out. The
//! surface of the pools has to be what filling gives, cell by cell.

use ndarray::Array2;
use std::error::Error;
use std::path::Path;
use thalweg_flow::{Bed, Inflow, Kind, Pools, Release, fill};
use thalweg_geotiff::{Band, Provenance, Request, read, write};
use thalweg_grid::{Layer, Shape};

struct Dem {
    elevation: Vec<f32>,
    kinds: Vec<Kind>,
    pool: Vec<u32>,
    shape: Shape,
}

impl Bed for Dem {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn elevation_m(&self, cell: usize) -> f64 {
        f64::from(self.elevation[cell])
    }

    fn kind(&self, cell: usize) -> Kind {
        self.kinds[cell]
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

fn dem(elevation: &Array2<f32>, valid: Option<&Array2<bool>>) -> Dem {
    let shape = Shape::from(elevation.dim());
    let valid = |cell: usize| valid.is_none_or(|mask| mask[shape.position(cell)]);
    let kind = |cell: usize| {
        let around = shape.neighbours(cell).filter(|&other| valid(other));
        match (valid(cell), around.count()) {
            (false, _) => Kind::Void,
            (true, 8) => Kind::Land,
            (true, _) => Kind::Drain,
        }
    };
    Dem {
        elevation: elevation.iter().copied().collect(),
        kinds: (0..shape.len()).map(kind).collect(),
        pool: vec![0; shape.len()],
        shape,
    }
}

fn flooded(dem: &mut Dem) -> Vec<f32> {
    let inflow = Inflow {
        ground: (0..dem.shape.len()).map(|cell| (cell, 1e9)).collect(),
        ..Inflow::default()
    };
    let mut pools = Pools::new(0.001);
    pools.reconcile(dem, inflow, Release::Settle);
    let mut surface = dem.elevation.clone();
    for (_, pool) in pools.iter() {
        pool.cells
            .iter()
            .for_each(|&cell| surface[cell] = pool.level_m as f32);
    }
    surface
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("usage: filled IN.tif OUT.tif".into());
    };
    let reading = read(Path::new(from), &Request::of_band(1))?;
    let valid = reading.valid.as_ref();
    let surface = flooded(&mut dem(&reading.elevation, valid));
    let surface = Array2::from_shape_vec(reading.elevation.dim(), surface)?;
    let filled = fill(reading.elevation.view(), valid.map(|mask| mask.view()))?;
    if surface != filled {
        return Err("pools at the brim are not what filling gives".into());
    }
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION"),
        pipeline: "filled",
        seed: 0,
    };
    let band = Band::float(Layer::Elevation, &surface);
    write(
        Path::new(to),
        &reading.grid,
        &band,
        valid.map(|mask| mask.view()),
        &provenance,
        true,
    )?;
    Ok(())
}
