//! The ranges of a stage's parameters.

use crate::{ErosionError, Parameters};

impl Parameters {
    /// Checks every parameter against its range.
    ///
    /// # Errors
    /// Names the first one that is out of its range, and the range.
    pub fn check(&self) -> Result<(), ErosionError> {
        let p = self;
        range(
            "droplets_per_cell",
            p.droplets_per_cell,
            0.0,
            1e6,
            "0 to 1,000,000",
        )?;
        range(
            "reference_length_m",
            p.reference_length_m,
            1e-3,
            1e6,
            "0.001 to 1,000,000",
        )?;
        if let Some(depth) = p.water_depth_m {
            range("water_depth_m", depth, 0.0, 1e9, "0 to 1e9")?;
        }
        range("density", p.density, 1e-3, 1e3, "0.001 to 1,000")?;
        range("friction", p.friction, 0.0, 100.0, "0 to 100")?;
        range("evaporation", p.evaporation, 0.0, 100.0, "0 to 100")?;
        range("exchange", p.exchange, 0.0, 100.0, "0 to 100")?;
        range("bank_slope", p.bank_slope, 0.01, 1e6, "0.01 to 1,000,000")?;
        range(
            "minimum_volume",
            p.minimum_volume,
            1e-4,
            0.99,
            "0.0001 to 0.99",
        )?;
        unit("stop_stream", p.stop_stream)?;
        range(
            "stop_acceleration",
            p.stop_acceleration,
            0.0,
            1e3,
            "0 to 1,000",
        )?;
        if let Some(path) = p.max_path_km {
            range("max_path_km", path, 1e-6, 1e9, "above 0")?;
        }
        range("learning_rate", p.learning_rate, 0.0, 0.999, "0 to 0.999")?;
        unit("stream_feedback.friction", p.stream_feedback.friction)?;
        unit("stream_feedback.evaporation", p.stream_feedback.evaporation)?;
        if let Some(level) = p.sea_level_m {
            range("sea_level_m", level, -1e6, 1e6, "finite")?;
        }
        range("edges.apron_m", p.edges.apron_m, 0.0, 1e6, "0 to 1,000,000")?;
        self.check_pools()?;
        self.check_vegetation()?;
        self.check_tiling()
    }

    fn check_pools(&self) -> Result<(), ErosionError> {
        let Some(pools) = &self.pools else {
            return Ok(());
        };
        unit("pools.drain", pools.drain)?;
        unit("pools.sediment_kept", pools.sediment_kept)?;
        let million = |name, value| range(name, value, 0.0, 1e6, "0 to 1,000,000");
        million("pools.spills", f64::from(pools.spills))?;
        million("pools.reconcile_every", pools.reconcile_every)?;
        million("pools.lake_evaporation_m", pools.lake_evaporation_m)?;
        million("pools.seepage_m", pools.seepage_m)
    }

    fn check_vegetation(&self) -> Result<(), ErosionError> {
        let Some(v) = &self.vegetation else {
            return Ok(());
        };
        unit("vegetation.growth", v.growth)?;
        range(
            "vegetation.initial_size",
            v.initial_size,
            0.01,
            1.0,
            "0.01 to 1",
        )?;
        unit("vegetation.spawn", v.spawn)?;
        unit("vegetation.spread", v.spread)?;
        range(
            "vegetation.spread_m",
            v.spread_m,
            0.0,
            1e6,
            "0 to 1,000,000",
        )?;
        unit("vegetation.death", v.death)?;
        unit("vegetation.max_stream", v.max_stream)?;
        unit("vegetation.min_normal", v.min_normal)
    }

    fn check_tiling(&self) -> Result<(), ErosionError> {
        let tiling = &self.tiling;
        range("tiling.lanes", tiling.lanes as f64, 1.0, 16.0, "1 to 16")?;
        let halo = tiling.halo_cells as f64;
        range("tiling.halo_cells", halo, 2.0, 4096.0, "2 to 4,096")?;
        if let Some(tile) = tiling.tile_cells {
            range(
                "tiling.tile_cells",
                tile as f64,
                2.0 * halo,
                1e6,
                "at least 2 × halo_cells",
            )?;
        } else {
            range(
                "tiling.halo_cells",
                halo,
                2.0,
                32.0,
                "2 to 32 where tile_cells is not set",
            )?;
        }
        Ok(())
    }
}

fn unit(name: &'static str, found: f64) -> Result<(), ErosionError> {
    range(name, found, 0.0, 1.0, "0 to 1")
}

fn range(
    name: &'static str,
    found: f64,
    least: f64,
    most: f64,
    expected: &'static str,
) -> Result<(), ErosionError> {
    if found >= least && found <= most {
        return Ok(());
    }
    Err(ErosionError::Parameter {
        name,
        expected,
        found,
    })
}
