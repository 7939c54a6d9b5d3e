//! What a run needs to go on, besides its plan: records so far, the map, and the stage that is under way.

use crate::plan::Plan;
use crate::record::{Report, Sanity, StageRecord};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Error, Result, Write};
use thalweg_erosion::Moment;
use thalweg_grid::{Lakes, Layer, Map, Raster, SectionReader, SectionWriter};

/// How far a run has come.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The map after the last stage that is finished.
    pub(crate) map: Option<Map>,
    /// What a `read` stage brought besides its ground.
    pub(crate) source: Source,
    /// One for each stage that is finished.
    pub(crate) records: Vec<StageRecord>,
    /// The stage that is under way, if one is, where it is to be read from.
    pub(crate) under_way: Option<File>,
    /// Wall time so far, s, of the run and of the stage that is under way.
    pub(crate) wall_s: [f64; 2],
}

/// What a `read` stage brings besides its ground.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Source {
    /// Hash of what it read.
    pub(crate) input: Option<String>,
    /// What marks cells without data there.
    pub(crate) nodata: Option<f64>,
}

/// What a checkpoint says of a stage that is finished; the plan says the rest.
type Finished<R> = (f64, Option<u64>, R, Sanity);

/// What a checkpoint holds of a map.
#[derive(Serialize, Deserialize)]
struct Parts<L> {
    mask: bool,
    layers: Vec<(Layer, bool)>,
    lakes: L,
}

/// Writes a run down: after a stage, or at a moment of one that is under way.
pub(crate) fn write(
    out: &mut dyn Write,
    source: &Source,
    records: &[StageRecord],
    map: &Map,
    moment: Option<&Moment<'_>>,
) -> Result<()> {
    let finished = records.iter().map(|record| -> Finished<&Report> {
        let StageRecord {
            wall_s,
            peak_rss_bytes,
            report,
            sanity,
            ..
        } = record;
        (*wall_s, *peak_rss_bytes, report, *sanity)
    });
    let finished: Vec<Finished<&Report>> = finished.collect();
    let mut sections = SectionWriter::new(out);
    sections.value(*b"source  ", source)?;
    sections.value(*b"stages  ", &finished)?;
    // Of layers that the stage under way makes anew, nobody asks what they were.
    let replaced = |layer| moment.is_some_and(|moment| moment.replaces(layer));
    write_map(&mut sections, map, &replaced)?;
    moment.map_or(Ok(()), |moment| moment.write(out))
}

fn write_map(
    out: &mut SectionWriter<'_>,
    map: &Map,
    replaced: &dyn Fn(Layer) -> bool,
) -> Result<()> {
    let kept = || map.layers.iter().filter(|&(&layer, _)| !replaced(layer));
    let are_ids = |raster: &Raster| matches!(raster, Raster::Ids(_));
    let parts = Parts {
        mask: map.valid.is_some(),
        layers: kept()
            .map(|(&layer, raster)| (layer, are_ids(raster)))
            .collect(),
        lakes: map.lakes.as_ref().filter(|_| !replaced(Layer::LakeId)),
    };
    out.value(*b"map     ", &parts)?;
    let ground = map.elevation.iter().map(|height| height.to_le_bytes());
    out.cells(*b"ground  ", ground)?;
    if let Some(mask) = &map.valid {
        out.cells(*b"mask    ", mask.iter().map(|&valid| [u8::from(valid)]))?;
    }
    for (_, raster) in kept() {
        match raster {
            Raster::Float(cells) => {
                out.cells(*b"layer   ", cells.iter().map(|cell| cell.to_le_bytes()))?;
            }
            Raster::Ids(cells) => {
                out.cells(*b"layer   ", cells.iter().map(|cell| cell.to_le_bytes()))?;
            }
        }
    }
    Ok(())
}

/// Reads what [`write`] has written; what is left in the file is the stage under way.
pub(crate) fn read(mut file: File, plan: &Plan, under_way: bool) -> Result<State> {
    let mut from = SectionReader::new(&mut file);
    let source = from.value(*b"source  ")?;
    let finished: Vec<Finished<Report>> = from.value(*b"stages  ")?;
    let stages = finished.into_iter().zip(&plan.steps);
    let records = stages.map(
        |((wall_s, peak_rss_bytes, report, sanity), step)| StageRecord {
            kind: step.kind,
            id: step.id.clone(),
            wall_s,
            peak_rss_bytes,
            report,
            sanity,
        },
    );
    let records = records.collect();
    let map = read_map(&mut from, plan)?;
    Ok(State {
        map: Some(map),
        source,
        records,
        under_way: under_way.then_some(file),
        wall_s: [0.0; 2],
    })
}

fn read_map(from: &mut SectionReader<'_>, plan: &Plan) -> Result<Map> {
    let dim = plan.grid.shape.dim();
    let count = plan.grid.shape.len();
    let parts: Parts<Option<Lakes>> = from.value(*b"map     ")?;
    fn shaped<T>(dim: (usize, usize), cells: Vec<T>) -> Result<Array2<T>> {
        Array2::from_shape_vec(dim, cells).map_err(Error::other)
    }
    let ground = from.cells(*b"ground  ", count, f32::from_le_bytes)?;
    let mask = match parts.mask {
        true => Some(shaped(
            dim,
            from.cells(*b"mask    ", count, |[valid]| valid != 0)?,
        )?),
        false => None,
    };
    let mut map = Map::new(plan.grid.clone(), shaped(dim, ground)?, mask);
    for (layer, ids) in parts.layers {
        let raster = if ids {
            let cells = from.cells(*b"layer   ", count, u32::from_le_bytes)?;
            Raster::Ids(shaped(dim, cells)?)
        } else {
            let cells = from.cells(*b"layer   ", count, f32::from_le_bytes)?;
            Raster::Float(shaped(dim, cells)?)
        };
        map.layers.insert(layer, raster);
    }
    map.lakes = parts.lakes;
    Ok(map)
}
