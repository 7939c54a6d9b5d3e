//! From the words of the file to the arguments of the crates that do the work.

mod expression;

pub use expression::expression;

use crate::spec;
use thalweg_analysis::Hillshade;
use thalweg_erosion as erosion;
use thalweg_geotiff::{Compress, Format, Method, Request};
use thalweg_noise as noise;

impl From<spec::Range> for noise::Range {
    fn from(range: spec::Range) -> Self {
        match range {
            spec::Range::Observed => Self::Observed,
            spec::Range::Theoretical => Self::Theoretical,
        }
    }
}

impl From<&spec::Erode> for erosion::Parameters {
    // Every field by name: a parameter that the engine gains must find its key here.
    fn from(stage: &spec::Erode) -> Self {
        Self {
            droplets_per_cell: stage.droplets_per_cell,
            cycles: stage.cycles,
            reference_length_m: stage.reference_length_m,
            water_depth_m: stage.water_depth_m,
            density: stage.density,
            friction: stage.friction,
            evaporation: stage.evaporation,
            exchange: stage.exchange,
            bank_slope: stage.bank_slope,
            minimum_volume: stage.minimum_volume,
            stop_stream: stage.stop_stream,
            stop_acceleration: stage.stop_acceleration,
            max_path_km: stage.max_path_km,
            learning_rate: stage.learning_rate,
            stream_feedback: stage.stream_feedback.into(),
            edges: stage.edges.into(),
            sea_level_m: stage.sea_level_m,
            pools: stage.pools.map(Into::into),
            vegetation: stage.vegetation.map(Into::into),
            tiling: stage.tiling.into(),
        }
    }
}

/// In what format an output is stored, compressed by so many threads; none if GDAL does not store it.
pub(crate) fn format(output: &spec::Output, threads: usize) -> Option<Format> {
    let options = output.options.iter();
    Some(Format {
        driver: output.driver()?.to_owned(),
        compress: match output.compress {
            None | Some(spec::Compress::Deflate) => Compress::Deflate,
            Some(spec::Compress::Zstd) => Compress::Zstd,
            Some(spec::Compress::Lerc) => Compress::Lerc {
                max_error: output.max_error.unwrap_or(0.0),
            },
            Some(spec::Compress::None) => Compress::None,
        },
        step: output.step_m,
        options: options
            .map(|(key, value)| (key.clone(), value.to_string()))
            .collect(),
        threads,
    })
}

/// What is wanted of a raster that is read onto `grid`, if there is one.
pub(crate) fn request(read: &spec::Read, grid: Option<thalweg_grid::Grid>) -> Request {
    use thalweg_geotiff::Fit;
    Request {
        band: read.band.map(|band| band as usize),
        unit_m: read.units.map(|units| match units {
            spec::Units::Metres => 1.0,
            spec::Units::Feet => 0.3048,
            spec::Units::UsFeet => 1200.0 / 3937.0,
        }),
        fit: match (grid, read.fit) {
            (None, _) => Fit::Own,
            (Some(grid), spec::Fit::Exact) => Fit::Exact(grid),
            (Some(grid), spec::Fit::Resample) => Fit::Resample(grid),
            (Some(grid), spec::Fit::Crop) => Fit::Crop(grid),
        },
        method: match read.method {
            spec::Method::Nearest => Method::Nearest,
            spec::Method::Bilinear => Method::Bilinear,
            spec::Method::Cubic => Method::Cubic,
            spec::Method::Lanczos => Method::Lanczos,
            spec::Method::Average => Method::Average,
        },
        reproject: read.reproject == spec::Reproject::Auto,
    }
}

/// Both ways between a struct of the file and the engine's of the same fields, and the engine's defaults.
macro_rules! mirror {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl From<spec::$name> for erosion::$name {
            fn from(value: spec::$name) -> Self {
                Self { $($field: value.$field),+ }
            }
        }

        impl Default for spec::$name {
            fn default() -> Self {
                let value = erosion::$name::default();
                Self { $($field: value.$field),+ }
            }
        }
    };
}

mirror!(StreamFeedback {
    friction,
    evaporation
});
mirror!(Pools {
    drain,
    sediment_kept,
    spills,
    reconcile_every,
    lake_evaporation_m,
    seepage_m
});
mirror!(Vegetation {
    growth,
    initial_size,
    spawn,
    spread,
    spread_m,
    death,
    max_stream,
    min_normal,
});

impl From<spec::Edges> for erosion::Edges {
    fn from(edges: spec::Edges) -> Self {
        let spec::Edges {
            north,
            east,
            south,
            west,
            apron_m,
        } = edges;
        Self {
            north,
            east,
            south,
            west,
            apron_m,
        }
    }
}

impl Default for spec::Edges {
    fn default() -> Self {
        let erosion::Edges {
            north,
            east,
            south,
            west,
            apron_m,
        } = erosion::Edges::default();
        Self {
            north,
            east,
            south,
            west,
            apron_m,
        }
    }
}

/// Defaults are a few dozen cells.
fn cells(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl From<spec::Tiling> for erosion::Tiling {
    fn from(tiling: spec::Tiling) -> Self {
        Self {
            tile_cells: tiling.tile_cells.map(|cells| cells as usize),
            halo_cells: tiling.halo_cells as usize,
            lanes: tiling.lanes as usize,
        }
    }
}

impl Default for spec::Tiling {
    fn default() -> Self {
        let tiling = erosion::Tiling::default();
        Self {
            tile_cells: tiling.tile_cells.map(cells),
            halo_cells: cells(tiling.halo_cells),
            lanes: cells(tiling.lanes),
        }
    }
}

impl Default for spec::Hillshade {
    fn default() -> Self {
        let Hillshade {
            azimuth_deg,
            altitude_deg,
            z_factor,
        } = Hillshade::default();
        Self {
            azimuth_deg,
            altitude_deg,
            z_factor,
        }
    }
}

impl Default for spec::Shade {
    fn default() -> Self {
        let spec::Hillshade {
            azimuth_deg,
            altitude_deg,
            z_factor,
        } = spec::Hillshade::default();
        Self {
            azimuth_deg,
            altitude_deg,
            z_factor,
            strength: 1.0,
            gloss: 0.0,
        }
    }
}

impl From<spec::Shade> for thalweg_analysis::Shade {
    fn from(value: spec::Shade) -> Self {
        let light = Hillshade {
            azimuth_deg: value.azimuth_deg,
            altitude_deg: value.altitude_deg,
            z_factor: value.z_factor,
        };
        Self {
            light,
            strength: value.strength,
            gloss: value.gloss,
        }
    }
}

impl From<spec::Hillshade> for Hillshade {
    fn from(value: spec::Hillshade) -> Self {
        Self {
            azimuth_deg: value.azimuth_deg,
            altitude_deg: value.altitude_deg,
            z_factor: value.z_factor,
        }
    }
}
