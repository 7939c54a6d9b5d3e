//! One output to its file.

use crate::error::PipelineError;
use crate::folder::Folder;
use crate::hash;
use crate::plan::Target;
use crate::record::{self, OutputRecord, Record};
use crate::spec::{self, Content, Table};
use std::io::Write;
use std::path::Path;
use thalweg_analysis::png;
use thalweg_geotiff::{Band, Cells, Provenance, write_atomically};
use thalweg_grid::{Lake, Layer, Map};

/// Writes an output. `nodata` is what the map's source marks cells without data with.
pub(crate) fn output(
    target: &Target,
    map: &Map,
    nodata: Option<f64>,
    provenance: &Provenance<'_>,
    folder: &Folder,
) -> Result<OutputRecord, PipelineError> {
    match target.content {
        Content::Layer(layer) => raster(target, layer, map, nodata, provenance, folder),
        Content::Hillshade(light) => hillshade(target, light, map, folder),
        Content::Table(table) => rows(target, table, map, folder),
    }
}

fn raster(
    target: &Target,
    layer: Layer,
    map: &Map,
    nodata: Option<f64>,
    provenance: &Provenance<'_>,
    folder: &Folder,
) -> Result<OutputRecord, PipelineError> {
    let path = folder.path.join(&target.path);
    let band = match (layer, map.layers.get(&layer)) {
        (Layer::Elevation, _) => Band::float(layer, &map.elevation).with_nodata(nodata),
        (_, Some(cells)) => Band::of(layer, cells),
        (_, None) => return Err(missing(layer, &path)),
    };
    let valid = map.valid.as_ref().map(|mask| mask.view());
    let written =
        thalweg_geotiff::write(&path, &map.grid, &band, valid, provenance, folder.replace)
            .map_err(PipelineError::Write)?;
    folder.published();
    let pixels_blake3 = match band.cells {
        Cells::Float(cells) => {
            let nodata = written.nodata as f32;
            hash::of_pixels(cells, |row, col, value: f32| {
                let data = map.is_valid(row, col) && !value.is_nan();
                (if data { value } else { nodata }).to_le_bytes()
            })
        }
        Cells::Ids(cells) => hash::of_pixels(cells, |row, col, id: u32| {
            (if map.is_valid(row, col) { id } else { 0 }).to_le_bytes()
        }),
    };
    Ok(OutputRecord {
        path: target.path.display().to_string(),
        content: serde_json::json!({ "layer": layer }),
        pixels_blake3,
        bytes: written.bytes,
        nodata: Some(written.nodata).filter(|value| value.is_finite()),
        companions: Vec::new(),
    })
}

/// A layer that the check promised and no stage made.
fn missing(layer: Layer, path: &Path) -> PipelineError {
    PipelineError::Parameters {
        kind: "outputs",
        id: path.display().to_string(),
        message: format!("no stage made the layer `{layer}`"),
    }
}

fn hillshade(
    target: &Target,
    light: spec::Hillshade,
    map: &Map,
    folder: &Folder,
) -> Result<OutputRecord, PipelineError> {
    let path = folder.path.join(&target.path);
    let valid = map.valid.as_ref().map(|mask| mask.view());
    let pixels = thalweg_analysis::hillshade(
        map.elevation.view(),
        valid,
        map.grid.cell_size_m,
        &light.into(),
    )
    .map_err(|error| PipelineError::Parameters {
        kind: "hillshade",
        id: target.path.display().to_string(),
        message: error.to_string(),
    })?;
    // The world file first: a picture that is there has its place.
    let world = png::world_file(&map.grid);
    atomic(&path.with_extension("pgw"), folder, |out| {
        out.write_all(world.as_bytes())
    })?;
    atomic(&path, folder, |out| {
        png::write_grey(out, pixels.view()).map_err(std::io::Error::other)
    })?;
    Ok(OutputRecord {
        path: target.path.display().to_string(),
        content: serde_json::json!({ "hillshade": light }),
        pixels_blake3: hash::of_pixels(pixels.view(), |_, _, value: u8| [value]),
        bytes: std::fs::metadata(&path).map_or(0, |found| found.len()),
        nodata: None,
        companions: target.files()[1..]
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
    })
}

/// A table as CSV (RFC 4180), a line of names first.
fn rows(
    target: &Target,
    table: Table,
    map: &Map,
    folder: &Folder,
) -> Result<OutputRecord, PipelineError> {
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
    atomic(&folder.path.join(&target.path), folder, |out| {
        out.write_all(&text)
    })?;
    Ok(OutputRecord {
        path: target.path.display().to_string(),
        content: serde_json::json!({ "table": table }),
        pixels_blake3: hash::of_bytes(&text),
        bytes: text.len() as u64,
        nodata: None,
        companions: Vec::new(),
    })
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
