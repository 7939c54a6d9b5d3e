use crate::{Format, GTIFF, GeotiffError, Statistics};
use ndarray::{Array2, ArrayView2};
use std::path::Path;
use thalweg_grid::{Layer, Raster, Shape};

/// The value that marks cells without data unless a map brought its own: what elevation models use most, exact in
/// 32 bits, and below any ground.
pub const DEFAULT_NODATA: f64 = -9999.0;

/// What else may mark nodata where the wanted value occurs in the data, tried in order.
const OTHER_NODATA: [f64; 2] = [-32_768.0, f32::MIN as f64];

/// The cells of a layer.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// A quantity; written as Float32.
    Float(ArrayView2<'a, f32>),
    /// Identifiers, 0 for none; written as UInt32 with nodata 0, so that GIS software draws and counts the
    /// numbered cells alone.
    Ids(ArrayView2<'a, u32>),
}

impl Cells<'_> {
    /// Size in cells.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self {
            Self::Float(cells) => cells.dim().into(),
            Self::Ids(cells) => cells.dim().into(),
        }
    }
}

/// A layer to be written.
#[derive(Debug, Clone, Copy)]
pub struct Band<'a> {
    /// Which layer it is: gives the band its description and unit.
    pub layer: Layer,
    /// Its cells.
    pub cells: Cells<'a>,
    /// The value that is to mark cells without data, as the map's source declared it; none:
    /// [`DEFAULT_NODATA`]. It gives way to another one if a cell with data holds it. Identifiers ignore it.
    pub nodata: Option<f64>,
    /// In what format it is stored.
    pub format: &'a Format,
}

impl<'a> Band<'a> {
    /// A layer of quantities.
    #[must_use]
    pub fn float(layer: Layer, cells: &'a Array2<f32>) -> Self {
        Self {
            layer,
            cells: Cells::Float(cells.view()),
            nodata: None,
            format: &GTIFF,
        }
    }

    /// A layer of identifiers.
    #[must_use]
    pub fn ids(layer: Layer, cells: &'a Array2<u32>) -> Self {
        Self {
            layer,
            cells: Cells::Ids(cells.view()),
            nodata: None,
            format: &GTIFF,
        }
    }

    /// A layer as a map holds it.
    #[must_use]
    pub fn of(layer: Layer, raster: &'a Raster) -> Self {
        match raster {
            Raster::Float(cells) => Self::float(layer, cells),
            Raster::Ids(cells) => Self::ids(layer, cells),
        }
    }

    /// The same with another wish for the nodata value.
    #[must_use]
    pub fn with_nodata(self, nodata: Option<f64>) -> Self {
        Self { nodata, ..self }
    }

    /// The same in another format; without, it is a plain GeoTIFF.
    #[must_use]
    pub fn with_format(self, format: &'a Format) -> Self {
        Self { format, ..self }
    }
}

/// Where a file comes from: short tags in it, and no time, so that equal runs make equal bytes.
#[derive(Debug, Clone, Copy)]
pub struct Provenance<'a> {
    /// The program's version.
    pub version: &'a str,
    /// Hash of the resolved pipeline.
    pub pipeline: &'a str,
    /// The run's seed.
    pub seed: u64,
}

/// Whether a value is data: quantities must be finite, except that the water level of dry ground is NaN.
///
/// # Errors
/// At the first cell with data that is not finite.
pub(crate) fn check_floats(
    path: &Path,
    layer: Layer,
    cells: ArrayView2<'_, f32>,
    valid: &dyn Fn(usize, usize) -> bool,
) -> Result<(), GeotiffError> {
    let dry = |value: f32| layer == Layer::WaterLevel && value.is_nan();
    let bad = cells
        .indexed_iter()
        .find(|&((row, col), value)| !value.is_finite() && !dry(*value) && valid(row, col));
    match bad {
        None => Ok(()),
        Some(((row, col), &value)) => Err(GeotiffError::NotFinite {
            path: path.to_owned(),
            row,
            col,
            value: f64::from(value),
        }),
    }
}

/// The value that marks nodata: the wanted one if 32 bits can hold it and no cell with data does, else the next.
pub(crate) fn choose_nodata(
    path: &Path,
    wanted: Option<f64>,
    cells: ArrayView2<'_, f32>,
    statistics: Option<&Statistics>,
    data: &dyn Fn(usize, usize, f32) -> Option<f64>,
) -> Result<f64, GeotiffError> {
    let mut tried = Vec::new();
    for value in wanted
        .into_iter()
        .chain([DEFAULT_NODATA])
        .chain(OTHER_NODATA)
    {
        if value.is_infinite() || (value as f32).is_infinite() {
            continue;
        }
        if !occurs(value as f32, cells, statistics, data) {
            return Ok(value);
        }
        tried.push(value);
    }
    Err(GeotiffError::NoNodataLeft {
        path: path.to_owned(),
        tried,
    })
}

fn occurs(
    value: f32,
    cells: ArrayView2<'_, f32>,
    statistics: Option<&Statistics>,
    data: &dyn Fn(usize, usize, f32) -> Option<f64>,
) -> bool {
    let wide = f64::from(value);
    // GDAL takes 32-bit values within some units in the last place of the nodata value for it.
    let slack = 1e-6 * wide.abs();
    let in_range =
        statistics.is_some_and(|s| s.minimum <= wide + slack && wide - slack <= s.maximum);
    let equal = |found: f64| (found - wide).abs() <= slack;
    in_range
        && cells
            .indexed_iter()
            .any(|((row, col), &cell)| data(row, col, cell).is_some_and(equal))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these values are exact")]
mod tests {
    use super::*;

    fn choose(wanted: Option<f64>, values: &[f32]) -> Result<f64, GeotiffError> {
        let cells = ArrayView2::from_shape((1, values.len()), values).unwrap();
        let data = |_: usize, _: usize, v: f32| Some(f64::from(v));
        let statistics = Statistics::of(cells, data);
        choose_nodata(
            Path::new("a.tif"),
            wanted,
            cells,
            statistics.as_ref(),
            &data,
        )
    }

    #[test]
    fn nodata_never_occurs_in_the_data() {
        assert_eq!(choose(None, &[0.0, 5.0]).unwrap(), -9999.0);
        assert_eq!(choose(Some(-32_768.0), &[0.0, 5.0]).unwrap(), -32_768.0);
        assert_eq!(choose(Some(0.0), &[-0.0, 5.0]).unwrap(), -9999.0);
        assert_eq!(choose(None, &[-9999.0, 5.0]).unwrap(), -32_768.0);
        assert_eq!(choose(None, &[-9999.001, 5.0]).unwrap(), -32_768.0);
        assert!(choose(Some(f64::NAN), &[1.0]).unwrap().is_nan());
        // The usual sentinel of 64-bit rasters has no place in 32 bits.
        assert_eq!(choose(Some(f64::MIN), &[1.0]).unwrap(), -9999.0);
        let all = [-9999.0, -32_768.0, f32::MIN, 5.0];
        assert!(matches!(
            choose(None, &all),
            Err(GeotiffError::NoNodataLeft { .. })
        ));
    }
}
