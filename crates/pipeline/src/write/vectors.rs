//! Lakes, rivers, basins and contours as features.

mod lakes;
mod rivers;
mod styles;

use super::Writer;
use crate::error::PipelineError;
use crate::plan::Target;
use crate::record::OutputRecord;
use crate::spec::{Features, Stage, Vectors};
use rivers::Waters;
use std::path::Path;
use thalweg_analysis::outline::{Outline, Ring};
use thalweg_geotiff::{
    Feature, FeatureShape, FieldKind, FieldValue, Geometry, Position, VectorLayer,
};
use thalweg_grid::Grid;

impl Writer<'_> {
    /// One file of features.
    pub(super) fn vectors(
        &self,
        target: &Target,
        of: &Vectors,
    ) -> Result<OutputRecord, PipelineError> {
        let (map, path) = (self.map, self.folder.path.join(&target.path));
        let drawn = of.drawn(map.lakes.is_some());
        // Made once, where a layer needs it.
        let waters = if drawn.contains(&Features::Rivers) || drawn.contains(&Features::Basins) {
            Some(self.waters(&target.path, of.river_area_km2)?)
        } else {
            None
        };
        let layers = drawn.into_iter().filter_map(|features| match features {
            Features::Basins => waters.as_ref().map(Waters::basins).map(Ok),
            Features::Lakes => Some(Ok(lakes::areas(map))),
            Features::Contours => of.interval_m.map(|step_m| self.contours(&path, step_m)),
            Features::Rivers => waters.as_ref().map(Waters::rivers).map(Ok),
            Features::Outlets => Some(Ok(lakes::outlets(map))),
        });
        let layers: Vec<VectorLayer> = layers.collect::<Result<_, PipelineError>>()?;
        let bytes = thalweg_geotiff::write_vectors(&path, &map.grid, &layers, self.folder.replace)
            .map_err(PipelineError::Write)?;
        self.folder.published();
        let mut hash = blake3::Hasher::new();
        for layer in &layers {
            layer.content(&mut |bytes| {
                hash.update(bytes);
            });
        }
        Ok(OutputRecord {
            path: target.path.display().to_string(),
            content: serde_json::json!({ "vectors": of }),
            pixels_blake3: hash.finalize().to_hex().to_string(),
            bytes,
            nodata: None,
            companions: Vec::new(),
        })
    }

    /// Where the map's water runs, for the output of a path.
    pub(super) fn waters(
        &self,
        path: &Path,
        river_area_km2: f64,
    ) -> Result<Waters<'_>, PipelineError> {
        Waters::new(self.map, path, river_area_km2, self.sea_level_m())
    }

    /// Of the last stage that has a sea.
    fn sea_level_m(&self) -> Option<f64> {
        let stages = self.plan.pipeline.stages.iter().rev();
        let level = |stage: &Stage| match stage {
            Stage::Erode(erode) => erode.sea_level_m,
            _ => None,
        };
        stages.filter_map(level).next()
    }

    fn contours(&self, path: &Path, interval_m: f64) -> Result<VectorLayer, PipelineError> {
        let map = self.map;
        let valid = map.valid.as_ref().map(|mask| mask.view());
        let ground = map.elevation.view();
        let drawn = thalweg_geotiff::contours(path, &map.grid, ground, valid, interval_m)
            .map_err(PipelineError::Write)?;
        let feature = |contour: thalweg_geotiff::Contour| Feature {
            geometry: Geometry::Line(contour.line),
            values: vec![FieldValue::Real(contour.elevation_m)],
        };
        Ok(VectorLayer {
            name: "contours",
            description: "Lines of equal elevation",
            shape: FeatureShape::Line,
            fields: vec![("elevation_m", FieldKind::Real)],
            features: drawn.into_iter().map(feature).collect(),
            style: Some(styles::CONTOURS),
        })
    }
}

/// Outlines of ids as an area on a grid.
fn area(grid: &Grid, outlines: &[Outline]) -> Geometry {
    let ring = |ring: &Ring| ring.iter().map(|corner| position(grid, *corner)).collect();
    let rings = |outline: &Outline| {
        let rings = std::iter::once(&outline.shell).chain(&outline.holes);
        rings.map(ring).collect()
    };
    Geometry::Area(outlines.iter().map(rings).collect())
}

/// The north-west corner of a cell.
fn position(grid: &Grid, [row, col]: [usize; 2]) -> Position {
    let [west, north] = grid.origin_m;
    let size_m = grid.cell_size_m;
    [west + col as f64 * size_m, north - row as f64 * size_m]
}
