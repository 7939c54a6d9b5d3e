//! What is wanted of a raster: which band, in which unit, on which grid.

use crate::GeotiffError;
use crate::affine::Placement;
use crate::crs;
use gdal::spatial_ref::SpatialRef;
use std::path::Path;
use thalweg_grid::{Grid, Shape};

/// What is wanted of a raster.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The band, from 1; none: the only one.
    pub band: Option<usize>,
    /// Metres per unit of the values, whatever the file says of it; none: what the file says, and metres where it says
    /// nothing.
    pub unit_m: Option<f64>,
    /// How the raster comes onto the map's grid.
    pub fit: Fit,
    /// How values between cells are found.
    pub method: Method,
    /// Whether a raster that is no north-up plane of square cells in metres is made one, where `fit` does not do so
    /// anyway: in the UTM zone of its centre, or the polar plane beyond.
    pub reproject: bool,
}

impl Request {
    /// A band as it is.
    #[must_use]
    pub fn of_band(band: usize) -> Self {
        Self {
            band: Some(band),
            ..Self::default()
        }
    }
}

/// How a raster comes onto the map's grid. A grid without a CRS takes the raster's.
#[derive(Debug, Clone, Default)]
pub enum Fit {
    /// The map has the raster's grid.
    #[default]
    Own,
    /// The map's grid is the raster's, or it is an error.
    Exact(Grid),
    /// The map is a part of the raster, cell by cell.
    Crop(Grid),
    /// Cells are computed anew, in another CRS too; those beyond the raster are without data.
    Resample(Grid),
}

/// How values between cells are found; GDAL's methods.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// The nearest cell's.
    Nearest,
    /// From four cells, or in proportion to distance where cells become larger.
    #[default]
    Bilinear,
    /// From sixteen cells.
    Cubic,
    /// From 36 cells.
    Lanczos,
    /// The mean of the cells below the new one.
    Average,
}

impl Method {
    /// GDAL's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nearest => "near",
            Self::Bilinear => "bilinear",
            Self::Cubic => "cubic",
            Self::Lanczos => "lanczos",
            Self::Average => "average",
        }
    }
}

/// The part of a raster that is read: its first cell, counted from the north-west, and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    pub(crate) first: [usize; 2],
    pub(crate) shape: Shape,
}

/// The share of a cell by which grids that are called the same may differ.
const TOLERANCE_CELLS: f64 = 1e-3;

/// The part of a raster that `fit` asks for, and the map's grid.
///
/// # Errors
/// When the grids do not go together.
pub(crate) fn window(
    path: &Path,
    fit: &Fit,
    shape: Shape,
    place: &Placement,
    system: Option<&SpatialRef>,
) -> Result<(Window, Grid), GeotiffError> {
    let own = Grid {
        shape,
        cell_size_m: place.cell_size,
        origin_m: place.origin,
        crs: system.and_then(crs::text_of),
    };
    let all = Window {
        first: [0, 0],
        shape,
    };
    let refused = |message: String| GeotiffError::Fit {
        path: path.to_owned(),
        message,
    };
    let wanted = match fit {
        Fit::Own | Fit::Resample(_) => return Ok((all, own)),
        Fit::Exact(grid) | Fit::Crop(grid) => grid,
    };
    let grid = Grid {
        crs: wanted.crs.clone().or(own.crs.clone()),
        ..wanted.clone()
    };
    if !same_system(wanted.crs.as_deref(), system)? {
        return Err(refused(format!(
            "its CRS is {}, that of `grid` {}; leave `grid.crs` out, or set `fit: resample`",
            own.crs.as_deref().unwrap_or("unknown"),
            wanted.crs.as_deref().unwrap_or("unknown"),
        )));
    }
    let longest = wanted.shape.rows.max(wanted.shape.cols) as f64;
    if ((wanted.cell_size_m - own.cell_size_m) * longest).abs() > TOLERANCE_CELLS * own.cell_size_m
    {
        return Err(refused(format!(
            "its cells are {} m, those of `grid` {} m; set `grid.cell_size_m: {}`, or `fit: resample`",
            own.cell_size_m, wanted.cell_size_m, own.cell_size_m
        )));
    }
    let east = (wanted.origin_m[0] - own.origin_m[0]) / own.cell_size_m;
    let south = (own.origin_m[1] - wanted.origin_m[1]) / own.cell_size_m;
    let (col, row) = (east.round(), south.round());
    if (east - col).abs().max((south - row).abs()) > TOLERANCE_CELLS {
        let [x, y] = own.origin_m;
        let size = own.cell_size_m;
        return Err(refused(format!(
            "the cells of `grid` do not lie on its cells; set `grid.origin_m: [{}, {}]`, or `fit: resample`",
            x + col * size,
            y - row * size
        )));
    }
    let [row_end, col_end] = [
        row + wanted.shape.rows as f64,
        col + wanted.shape.cols as f64,
    ];
    let inside =
        row >= 0.0 && col >= 0.0 && row_end <= shape.rows as f64 && col_end <= shape.cols as f64;
    if matches!(fit, Fit::Exact(_)) && (row, col, wanted.shape) != (0.0, 0.0, shape) {
        return Err(refused(format!(
            "has {shape} from {:?}, `grid` {} from {:?}; leave `grid` out to take the raster's, or set `fit: crop` or `fit: resample`",
            own.origin_m, wanted.shape, wanted.origin_m
        )));
    }
    if !inside {
        return Err(refused(format!(
            "covers {}, and `grid` goes beyond with {}; choose a smaller one, or set `fit: resample`, which leaves cells beyond the raster without data",
            extent(&own),
            extent(wanted)
        )));
    }
    let window = Window {
        first: [row as usize, col as usize],
        shape: wanted.shape,
    };
    Ok((window, grid))
}

/// West, south, east and north, in words.
pub(crate) fn extent(grid: &Grid) -> String {
    let [west, south, east, north] = edges(grid);
    format!("{west} to {east} east and {south} to {north} north")
}

/// West, south, east and north.
pub(crate) fn edges(grid: &Grid) -> [f64; 4] {
    let [west, north] = grid.origin_m;
    let south = north - grid.cell_size_m * grid.shape.rows as f64;
    let east = west + grid.cell_size_m * grid.shape.cols as f64;
    [west, south, east, north]
}

/// Whether a wanted system is a raster's; what either leaves open is.
fn same_system(wanted: Option<&str>, found: Option<&SpatialRef>) -> Result<bool, GeotiffError> {
    let (Some(wanted), Some(found)) = (wanted, found) else {
        return Ok(true);
    };
    let wanted = crs::parse(wanted)?;
    let mut found = found.clone();
    found.set_axis_mapping_strategy(gdal::spatial_ref::AxisMappingStrategy::TraditionalGisOrder);
    Ok(wanted == found || crs::text_of(&wanted) == crs::text_of(&found))
}
