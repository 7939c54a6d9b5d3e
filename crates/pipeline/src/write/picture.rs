//! Layers in colours.

use super::Writer;
use crate::error::PipelineError;
use crate::hash;
use crate::plan::Target;
use crate::record::OutputRecord;
use crate::spec::{self, Picture};
use ndarray::{Array2, Array3};
use std::borrow::Cow;
use std::path::Path;
use thalweg_analysis::{AnalysisError, Look, colour, png};
use thalweg_geotiff::GTIFF;
use thalweg_grid::{Layer, Raster};

impl Writer<'_> {
    pub(super) fn picture(
        &self,
        target: &Target,
        picture: &Picture,
    ) -> Result<OutputRecord, PipelineError> {
        let values = self.values(picture.layer, &target.path)?;
        let wrong = |error| refused("picture", &target.path, &error);
        let look = picture.look(self.range(&values)).map_err(wrong)?;
        let mut pixels = self.colours(&values, &look).map_err(wrong)?;
        if let Some(water) = &picture.water {
            let waters = self.waters(&target.path, water.river_area_km2)?;
            waters.paint(&mut pixels, water.colour.0);
        }
        let bytes = self.colour_file(&target.path, target, &pixels)?;
        let mut hash = hash::Frames::default();
        hash.add(pixels.iter().copied(), |level: u8| [level]);
        Ok(self.record(
            target,
            serde_json::json!({ "picture": picture }),
            &hash,
            bytes,
        ))
    }

    /// A layer's values as floats; identifiers of nothing have none.
    fn values(&self, layer: Layer, path: &Path) -> Result<Cow<'_, Array2<f32>>, PipelineError> {
        match (layer, self.map.layers.get(&layer)) {
            (Layer::Elevation, _) => Ok(Cow::Borrowed(&self.map.elevation)),
            (_, Some(Raster::Float(values))) => Ok(Cow::Borrowed(values)),
            (_, Some(Raster::Ids(ids))) => {
                let value = |id: u32| if id == 0 { f32::NAN } else { id as f32 };
                Ok(Cow::Owned(ids.mapv(value)))
            }
            (_, None) => Err(super::missing(layer, path)),
        }
    }

    /// The least and the largest value of cells with data.
    fn range(&self, values: &Array2<f32>) -> [f64; 2] {
        let seen = values
            .indexed_iter()
            .filter(|((row, col), value)| value.is_finite() && self.map.is_valid(*row, *col));
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        seen.fold(none, |[low, high], (_, value)| {
            let value = f64::from(*value);
            [low.min(value), high.max(value)]
        })
    }

    fn colours(&self, values: &Array2<f32>, look: &Look) -> Result<Array3<u8>, AnalysisError> {
        let valid = self.map.valid.as_ref().map(|mask| mask.view());
        let ground = (self.map.elevation.view(), self.map.grid.cell_size_m);
        colour(values.view(), valid, ground, look)
    }

    /// Writes colours of an output to one of its files, in the format that the output and the ending say; gives back the bytes written.
    pub(super) fn colour_file(
        &self,
        path: &Path,
        target: &Target,
        pixels: &Array3<u8>,
    ) -> Result<u64, PipelineError> {
        let file = self.folder.path.join(path);
        if !is_png(path) {
            let (grid, replace) = (&self.map.grid, self.folder.replace);
            let bytes = thalweg_geotiff::write_picture(
                &file,
                grid,
                pixels.view(),
                target.format.as_ref().unwrap_or(&GTIFF),
                self.provenance,
                replace,
            )
            .map_err(PipelineError::Write)?;
            self.folder.published();
            return Ok(bytes);
        }
        self.world_file(&file)?;
        self.atomic(&file, |out| {
            png::write_colour(out, pixels.view()).map_err(std::io::Error::other)
        })?;
        Ok(super::size(&file))
    }

    /// A picture's world file, before the picture: one that is there has its place.
    pub(super) fn world_file(&self, picture: &Path) -> Result<(), PipelineError> {
        let text = png::world_file(&self.map.grid);
        self.atomic(&spec::world_file(picture), |out| {
            out.write_all(text.as_bytes())
        })
    }
}

pub(super) fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "png")
}

pub(super) fn refused(kind: &'static str, path: &Path, error: &AnalysisError) -> PipelineError {
    PipelineError::Parameters {
        kind,
        id: path.display().to_string(),
        message: error.to_string(),
    }
}
