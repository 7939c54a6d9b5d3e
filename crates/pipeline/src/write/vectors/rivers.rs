//! Rivers as lines and their basins as areas.

use super::{area, styles};
use crate::error::PipelineError;
use ndarray::{Array2, Array3, ArrayView2, aview1, s};
use std::collections::BTreeSet;
use std::path::Path;
use thalweg_analysis::outline::outlines;
use thalweg_flow::{Drainage, Reach, drainage};
use thalweg_geotiff::{
    Feature, FeatureShape, FieldKind, FieldValue, Geometry, Position, VectorLayer,
};
use thalweg_grid::{Layer, Map, Raster, Shape};

/// Where a map's water runs: over the surface of lakes where there are any, and to the sea.
pub(in crate::write) struct Waters<'a> {
    map: &'a Map,
    sea: Option<Array2<bool>>,
    drainage: Drainage,
    least_cells: u64,
}

impl<'a> Waters<'a> {
    /// `river_area_km2` is the least drainage area of a river. Rivers end in lakes that do not spill, in dry basins and
    /// in the sea: what lies at or below `sea_level_m` and hangs together with the edge.
    pub(super) fn new(
        map: &'a Map,
        path: &Path,
        river_area_km2: f64,
        sea_level_m: Option<f64>,
    ) -> Result<Self, PipelineError> {
        let level = map.float(Layer::WaterLevel);
        let surface = Array2::from_shape_fn(map.elevation.dim(), |at| {
            let water = level.map_or(f32::NAN, |level| level[at]);
            // Lakes have a level, dry ground has none.
            f64::from(map.elevation[at].max(water))
        });
        let sea = sea_level_m.map(|level_m| sea(map, level_m));
        let land = Array2::from_shape_fn(surface.dim(), |(row, col)| {
            map.is_valid(row, col) && sea.as_ref().is_none_or(|sea| !sea[(row, col)])
        });
        let drainage =
            drainage(surface.view(), Some(land.view()), &sinks(map)).map_err(|error| {
                PipelineError::Parameters {
                    kind: "outputs",
                    id: path.display().to_string(),
                    message: error.to_string(),
                }
            })?;
        let cells = river_area_km2 * 1e6 / map.grid.cell_area_m2();
        Ok(Self {
            map,
            sea,
            drainage,
            least_cells: (cells.ceil() as u64).max(1),
        })
    }

    /// Paints rivers, lakes and the sea over a picture of the map: red, green, blue along the last axis, and opacity
    /// if it is there. From the fourth order on rivers are three cells wide.
    pub(in crate::write) fn paint(&self, pixels: &mut Array3<u8>, colour: [u8; 3]) {
        let shape = self.map.grid.shape;
        let mut paint = |row: usize, col: usize| {
            if self.map.is_valid(row, col) {
                let mut pixel = pixels.slice_mut(s![row, col, ..3]);
                pixel.assign(&aview1(&colour));
            }
        };
        let lakes = self.lakes();
        for ((row, col), _) in self.map.elevation.indexed_iter() {
            let lake = lakes.is_some_and(|ids| ids[(row, col)] > 0);
            if lake || self.sea.as_ref().is_some_and(|sea| sea[(row, col)]) {
                paint(row, col);
            }
        }
        for reach in self.drainage.rivers(self.least_cells, lakes) {
            for &cell in &reach.cells {
                let (row, col) = shape.position(cell);
                let beside = shape.neighbours(cell).map(|other| shape.position(other));
                let wide = reach.strahler >= 4;
                let beside = beside.filter(|(r, c)| wide && (*r == row || *c == col));
                beside
                    .chain([(row, col)])
                    .for_each(|(row, col)| paint(row, col));
            }
        }
    }

    fn lakes(&self) -> Option<ArrayView2<'a, u32>> {
        match self.map.layers.get(&Layer::LakeId) {
            Some(Raster::Ids(ids)) => Some(ids.view()),
            _ => None,
        }
    }

    fn position(&self, cell: usize) -> Position {
        let grid = &self.map.grid;
        let (row, col) = grid.shape.position(cell);
        [grid.x_m(col), grid.y_m(row)]
    }

    fn km2(&self, cells: u64) -> f64 {
        cells as f64 * self.map.grid.cell_area_m2() / 1e6
    }

    /// Rivers, cut at junctions and shores.
    pub(super) fn rivers(&self) -> VectorLayer {
        let reaches = self.drainage.rivers(self.least_cells, self.lakes());
        VectorLayer {
            name: "rivers",
            description: "Rivers from sources to mouths, cut at junctions and shores",
            shape: FeatureShape::Line,
            fields: vec![
                ("strahler", FieldKind::Integer),
                ("length_m", FieldKind::Real),
                ("area_km2", FieldKind::Real),
                ("discharge_m3_per_cycle", FieldKind::Real),
                ("slope", FieldKind::Real),
                ("from_node", FieldKind::Integer),
                ("to_node", FieldKind::Integer),
                ("lake_id", FieldKind::Integer),
                ("into_lake_id", FieldKind::Integer),
            ],
            features: reaches.iter().map(|reach| self.river(reach)).collect(),
            style: Some(styles::RIVERS),
        }
    }

    fn river(&self, reach: &Reach) -> Feature {
        let number = |number: u32| FieldValue::Integer(i64::from(number));
        let lake = |id: u32| FieldValue::from((id > 0).then_some(i64::from(id)));
        let length_m = reach.length_cells * self.map.grid.cell_size_m;
        let positions = reach.cells.iter().map(|cell| self.position(*cell));
        Feature {
            geometry: Geometry::Line(positions.collect()),
            values: vec![
                number(reach.strahler),
                FieldValue::Real(length_m),
                FieldValue::Real(self.km2(reach.cells_above)),
                self.discharge(reach).into(),
                FieldValue::Real(reach.fall / length_m),
                number(reach.from_node),
                number(reach.to_node),
                lake(reach.lake),
                lake(reach.into_lake),
            ],
        }
    }

    /// Mean over the cells but the last, which belongs to what comes after.
    fn discharge(&self, reach: &Reach) -> Option<f64> {
        let discharge = self.map.float(Layer::Discharge)?;
        let cells = &reach.cells[..reach.cells.len() - 1];
        let shape = self.map.grid.shape;
        let sum: f64 = cells
            .iter()
            .map(|cell| f64::from(discharge[shape.position(*cell)]))
            .sum();
        Some(sum / cells.len() as f64)
    }

    /// The ground above the mouths of rivers.
    pub(super) fn basins(&self) -> VectorLayer {
        let (basins, mouths) = self.drainage.basins(self.least_cells);
        let above = self.drainage.cells_above();
        let outlines = outlines(basins.view());
        let features = outlines.iter().map(|(id, outlines)| {
            let mouth = mouths[*id as usize - 1];
            let [x_m, y_m] = self.position(mouth);
            let cells = above[self.map.grid.shape.position(mouth)];
            Feature {
                geometry: area(&self.map.grid, outlines),
                values: vec![
                    FieldValue::Integer(i64::from(*id)),
                    FieldValue::Real(self.km2(cells)),
                    FieldValue::Real(x_m),
                    FieldValue::Real(y_m),
                ],
            }
        });
        VectorLayer {
            name: "basins",
            description: "The ground whose water leaves the map, or reaches the sea, at one place",
            shape: FeatureShape::Area,
            features: features.collect(),
            fields: vec![
                ("id", FieldKind::Integer),
                ("area_km2", FieldKind::Real),
                ("mouth_x_m", FieldKind::Real),
                ("mouth_y_m", FieldKind::Real),
            ],
            style: Some(styles::BASINS),
        }
    }
}

/// A cell of each lake that does not spill, and the lowest of each dry basin.
fn sinks(map: &Map) -> Vec<usize> {
    let (Some(lakes), Some(Raster::Ids(ids))) = (&map.lakes, map.layers.get(&Layer::LakeId)) else {
        return Vec::new();
    };
    let closed = lakes.lakes.iter().filter(|lake| lake.outlet_x_m.is_none());
    let mut closed: BTreeSet<u32> = closed.map(|lake| lake.id).collect();
    let cells = ids.iter().enumerate();
    let mut sinks: Vec<usize> = cells
        .filter(|(_, id)| closed.remove(id))
        .map(|(cell, _)| cell)
        .collect();
    let grid = &map.grid;
    let [west, north] = grid.origin_m;
    for basin in &lakes.dry_basins {
        // The middle of a cell.
        let col = ((basin.x_m - west) / grid.cell_size_m) as usize;
        let row = ((north - basin.y_m) / grid.cell_size_m) as usize;
        if row < grid.shape.rows && col < grid.shape.cols {
            sinks.push(grid.shape.index(row, col));
        }
    }
    sinks
}

/// Cells at or below a level from which the map's edge can be reached over such cells.
fn sea(map: &Map, level_m: f64) -> Array2<bool> {
    let shape = Shape::from(map.elevation.dim());
    let low = |cell: usize| {
        let (row, col) = shape.position(cell);
        map.is_valid(row, col) && f64::from(map.elevation[(row, col)]) <= level_m
    };
    let mut sea = Array2::from_elem(shape.dim(), false);
    let edge = (0..shape.len()).filter(|cell| !shape.is_inner(*cell));
    let mut waiting: Vec<usize> = edge.filter(|cell| low(*cell)).collect();
    for cell in &waiting {
        sea[shape.position(*cell)] = true;
    }
    while let Some(cell) = waiting.pop() {
        for other in shape.neighbours(cell) {
            let at = shape.position(other);
            if low(other) && !sea[at] {
                sea[at] = true;
                waiting.push(other);
            }
        }
    }
    sea
}
