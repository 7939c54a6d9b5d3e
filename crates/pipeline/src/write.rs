//! One output to its file.

mod film;
mod picture;
mod vectors;

use crate::error::PipelineError;
use crate::folder::Folder;
use crate::hash;
use crate::plan::{Plan, Target};
use crate::record::{self, OutputRecord, Record};
use crate::run::RunObserver;
use crate::spec::{self, Content, Table};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use thalweg_analysis::png;
use thalweg_geotiff::{Band, Cells, GTIFF, Provenance, Steps, write_atomically};
use thalweg_grid::{Lake, Layer, Map};

/// What every output is made from.
pub(crate) struct Writer<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) map: &'a Map,
    /// What the map's source marks cells without data with.
    pub(crate) nodata: Option<f64>,
    pub(crate) provenance: &'a Provenance<'a>,
    pub(crate) folder: &'a Folder,
    pub(crate) observer: &'a dyn RunObserver,
}

impl Writer<'_> {
    pub(crate) fn output(&self, target: &Target) -> Result<OutputRecord, PipelineError> {
        match &target.content {
            Content::Layer(layer) => self.raster(target, *layer),
            Content::Hillshade(light) => self.hillshade(target, *light),
            Content::Table(table) => self.rows(target, *table),
            Content::Picture(picture) => self.picture(target, picture),
            Content::Film(film) => self.film(target, film),
            Content::Vectors(vectors) => self.vectors(target, vectors),
        }
    }

    fn raster(&self, target: &Target, layer: Layer) -> Result<OutputRecord, PipelineError> {
        let (map, folder) = (self.map, self.folder);
        let path = folder.path.join(&target.path);
        let format = target.format.as_ref().unwrap_or(&GTIFF);
        let band = match (layer, map.layers.get(&layer)) {
            (Layer::Elevation, _) => Band::float(layer, &map.elevation).with_nodata(self.nodata),
            (_, Some(cells)) => Band::of(layer, cells),
            (_, None) => return Err(missing(layer, &path)),
        }
        .with_format(format);
        let valid = map.valid.as_ref().map(|mask| mask.view());
        let written = thalweg_geotiff::write(
            &path,
            &map.grid,
            &band,
            valid,
            self.provenance,
            folder.replace,
        )
        .map_err(PipelineError::Write)?;
        folder.published();
        let pixels_blake3 = match (band.cells, written.steps) {
            (Cells::Float(cells), Some(steps)) => hash::of_pixels(cells, |row, col, value: f32| {
                let data = map.is_valid(row, col) && !value.is_nan();
                (if data {
                    steps.stored(value)
                } else {
                    Steps::NODATA
                })
                .to_le_bytes()
            }),
            (Cells::Float(cells), None) => {
                let nodata = written.nodata as f32;
                hash::of_pixels(cells, |row, col, value: f32| {
                    let data = map.is_valid(row, col) && !value.is_nan();
                    (if data { value } else { nodata }).to_le_bytes()
                })
            }
            (Cells::Ids(cells), _) => hash::of_pixels(cells, |row, col, id: u32| {
                (if map.is_valid(row, col) { id } else { 0 }).to_le_bytes()
            }),
        };
        Ok(OutputRecord {
            path: target.path.display().to_string(),
            content: serde_json::json!({ "layer": layer }),
            pixels_blake3,
            bytes: written.bytes,
            nodata: Some(written.nodata).filter(|value| value.is_finite()),
            companions: (written.companions.iter())
                .map(|file| file.strip_prefix(&folder.path).unwrap_or(file))
                .map(|file| file.display().to_string())
                .collect(),
        })
    }

    fn hillshade(
        &self,
        target: &Target,
        light: spec::Hillshade,
    ) -> Result<OutputRecord, PipelineError> {
        let (map, path) = (self.map, self.folder.path.join(&target.path));
        let valid = map.valid.as_ref().map(|mask| mask.view());
        let pixels = thalweg_analysis::hillshade(
            map.elevation.view(),
            valid,
            map.grid.cell_size_m,
            &light.into(),
        )
        .map_err(|error| picture::refused("hillshade", &target.path, &error))?;
        self.world_file(&path)?;
        self.atomic(&path, |out| {
            png::write_grey(out, pixels.view()).map_err(std::io::Error::other)
        })?;
        let mut hash = hash::Frames::default();
        hash.add(pixels.iter().copied(), |level: u8| [level]);
        let content = serde_json::json!({ "hillshade": light });
        Ok(self.record(target, content, &hash, size(&path)))
    }

    /// The record of a picture.
    fn record(
        &self,
        target: &Target,
        content: Value,
        hash: &hash::Frames,
        bytes: u64,
    ) -> OutputRecord {
        let path = target.path.display().to_string();
        let names = target
            .files()
            .into_iter()
            .map(|file| file.display().to_string());
        OutputRecord {
            companions: names.filter(|name| *name != path).collect(),
            path,
            content,
            pixels_blake3: hash.finish(),
            bytes,
            nodata: None,
        }
    }

    /// A table as CSV (RFC 4180), a line of names first.
    fn rows(&self, target: &Target, table: Table) -> Result<OutputRecord, PipelineError> {
        let (map, folder) = (self.map, self.folder);
        let Table::Lakes = table;
        let mut csv = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        let wrong = |error: csv::Error| PipelineError::Io {
            path: folder.path.join(&target.path),
            doing: "put the table into words",
            source: error.into(),
        };
        // Written out, so that a table without rows has them too.
        csv.write_record(Lake::COLUMNS).map_err(wrong)?;
        for lake in map.lakes.iter().flat_map(|lakes| &lakes.lakes) {
            csv.serialize(lake).map_err(wrong)?;
        }
        let text = csv.into_inner().unwrap_or_default();
        self.atomic(&folder.path.join(&target.path), |out| out.write_all(&text))?;
        Ok(OutputRecord {
            path: target.path.display().to_string(),
            content: serde_json::json!({ "table": table }),
            pixels_blake3: hash::of_bytes(&text),
            bytes: text.len() as u64,
            nodata: None,
            companions: Vec::new(),
        })
    }

    /// Writes a file that is whole or absent.
    fn atomic(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), PipelineError> {
        atomic(path, self.folder, fill)
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

/// A layer that the check promised and no stage made.
fn missing(layer: Layer, path: &Path) -> PipelineError {
    PipelineError::Parameters {
        kind: "outputs",
        id: path.display().to_string(),
        message: format!("no stage made the layer `{layer}`"),
    }
}

/// Writes the record, and gives back its text.
pub(crate) fn record(folder: &Folder, record: &Record) -> Result<String, PipelineError> {
    let path = folder.path.join(record::FILE);
    let text = serde_json::to_string_pretty(record).map_err(|error| PipelineError::Io {
        path: path.clone(),
        doing: "put the record into words",
        source: error.into(),
    })?;
    atomic(&path, folder, |out| writeln!(out, "{text}"))?;
    Ok(text)
}

fn atomic(
    path: &Path,
    folder: &Folder,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), PipelineError> {
    write_atomically(path, folder.replace, fill).map_err(PipelineError::Write)?;
    folder.published();
    Ok(())
}
