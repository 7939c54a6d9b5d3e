//! What a plan will cost. Figures per cell and per step stand here and nowhere else.

use crate::spec::{Content, Output, Pipeline, Stage};
use thalweg_grid::{Layer, Shape};
use thalweg_noise::{Backend, Noise, Source};

/// What a plan will cost, about.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// Cells of the map.
    pub cells: u64,
    /// Largest resident size, bytes.
    pub memory_bytes: u64,
    /// Largest size of all outputs together, bytes: what they take when nothing compresses.
    pub disk_bytes: u64,
    /// Size of one checkpoint, bytes; of those that a run keeps there are two, and three while it writes one.
    pub checkpoint_bytes: u64,
    /// Wall time, s.
    pub time_s: f64,
}

/// The program itself and GDAL.
const BASE_BYTES: u64 = 64 << 20;
/// The ground between stages, and a mask where the source has nodata.
const MAP_BYTES: u64 = 5;
/// Ground that is kept for comparison: the sanity check's, which the layer `change` is made from too.
const BEFORE_BYTES: u64 = 4;
// Measured at 512² and 1024 × 1280 with everything on: 131 bytes a cell; the sum below is a little more, since a
// refusal in time is worth more than the last map that would fit.

/// Erosion: hot cells, change in fixed point, track, queues.
const ERODE_BYTES: u64 = 56;
/// Standing water: field, level and owner of each cell, and pools where there are any.
const POOLS_BYTES: u64 = 48;
/// Plants.
const VEGETATION_BYTES: u64 = 12;
/// A raster that is read is decoded into its own array first.
const READ_BYTES: u64 = 6;

/// A layer in colours: its values once more as floats, and four bytes of colour.
const COLOUR_BYTES: u64 = 8;
/// A checkpoint: ground, mask, change, what is in flight and in pools, and the apron of a small map.
const CHECKPOINT_BYTES: u64 = 16;
/// The least that it takes.
const BASE_CHECKPOINT_BYTES: u64 = 64 << 10;

/// One octave at one cell on one core, of lattice noise along rows and columns.
const OCTAVE_NS: f64 = 1.0;
/// The same at scattered places: below a warp, turned, or on triangles.
const SCATTERED_NS: f64 = 10.0;
/// The same of cellular noise and of the crate `noise`.
const SLOW_NS: f64 = 30.0;
/// Anything else that is done to a value.
const NODE_NS: f64 = 1.0;
/// One step of a droplet on one core.
const STEP_NS: f64 = 60.0;
/// Steps of a droplet on ground of natural ruggedness.
const DROPLET_STEPS: f64 = 130.0;
/// Work where pools are, as steps of a droplet: full ones send on what they get, in droplets that run to the next pool;
/// and what settles in them, and makes them agree, takes the longer half on two threads.
const DROPLET_STEPS_WITH_POOLS: f64 = 900.0;
/// One pass over the cells in a cycle: streams, plants.
const PASS_NS: f64 = 5.0;
/// One cell in colours; as much again for light on it.
const COLOUR_NS: f64 = 60.0;
/// One cell of one output: compression and disk.
const WRITE_NS: f64 = 80.0;

/// Estimates the cost of a pipeline on a map of `shape` with `threads` threads.
///
/// The shape has at most 2⁴⁰ cells, so that no figure overflows.
pub(crate) fn estimate(pipeline: &Pipeline, shape: Shape, threads: usize) -> Estimate {
    let cells = shape.cells();
    let per_cell = pipeline.stages.iter().map(stage_bytes).max().unwrap_or(0);
    let stages_ns: f64 = pipeline.stages.iter().map(stage_ns).sum();
    let outputs = pipeline.outputs.iter();
    let [making_ns, writing_ns] = outputs
        .map(|output| output_ns(output, pipeline))
        .fold([0.0, 0.0], |sum, ns| [sum[0] + ns[0], sum[1] + ns[1]]);
    let total_ns = (stages_ns + making_ns) / threads.max(1) as f64 + writing_ns;
    Estimate {
        cells,
        // GDAL keeps no more blocks than there are.
        memory_bytes: BASE_BYTES
            + thalweg_geotiff::CACHE_BYTES.min(4 * cells)
            + cells * (MAP_BYTES + layers_bytes(pipeline) + per_cell),
        disk_bytes: disk_bytes(pipeline, shape),
        checkpoint_bytes: BASE_CHECKPOINT_BYTES
            + cells * (CHECKPOINT_BYTES + layers_bytes(pipeline)),
        time_s: total_ns * cells as f64 * 1e-9,
    }
}

fn stage_bytes(stage: &Stage) -> u64 {
    match stage {
        Stage::Synthesize(_) => 0,
        Stage::Read(_) => READ_BYTES,
        Stage::Erode(erode) => {
            let pools = erode.pools.map_or(0, |_| POOLS_BYTES);
            let vegetation = erode.vegetation.map_or(0, |_| VEGETATION_BYTES);
            BEFORE_BYTES + ERODE_BYTES + pools + vegetation
        }
    }
}

/// Layers that erosion leaves in the map: stream and discharge, and those of the features that are on.
fn layers_bytes(pipeline: &Pipeline) -> u64 {
    let mut bytes = 0;
    for stage in &pipeline.stages {
        if let Stage::Erode(erode) = stage {
            let pools = erode.pools.map_or(0, |_| 12);
            let vegetation = erode.vegetation.map_or(0, |_| 4);
            bytes = bytes.max(8 + pools + vegetation);
        }
    }
    let any = |what: fn(&Output) -> bool| pipeline.outputs.iter().any(what);
    let change = any(|output| {
        let layer = output.content().and_then(|content| content.layer());
        layer.is_some_and(|(layer, _)| layer == Layer::Change)
    });
    let coloured = any(|output| output.picture.is_some() || output.film.is_some());
    bytes + if change { 4 } else { 0 } + if coloured { COLOUR_BYTES } else { 0 }
}

/// Evaluating an expression on one core, ns per cell.
fn noise_ns(noise: &Noise, scattered: bool) -> f64 {
    let octaves = f64::from(noise.own_octaves());
    let plain = match noise {
        Noise::Plain(plain) => Some((plain.source, plain.backend, 0.0)),
        _ => noise
            .sum()
            .map(|sum| (sum.source, sum.backend, sum.rotation_deg)),
    };
    let own = match plain {
        Some((Source::Worley, ..) | (_, Backend::NoiseRs, _)) => SLOW_NS,
        Some((Source::Perlin | Source::Value, _, turn)) if !scattered && turn.abs() < 1e-12 => {
            OCTAVE_NS
        }
        _ => SCATTERED_NS,
    };
    let moves = matches!(
        noise,
        Noise::Warp { .. } | Noise::Displace { .. } | Noise::Rotate { .. } | Noise::Swirl { .. }
    );
    let copies = if matches!(noise, Noise::Flow { .. }) {
        3.0
    } else {
        1.0
    };
    let below = noise
        .children()
        .into_iter()
        .map(|of| noise_ns(of, scattered || moves));
    NODE_NS + own * octaves + copies * below.sum::<f64>()
}

/// Work on one core, ns per cell.
fn stage_ns(stage: &Stage) -> f64 {
    match stage {
        Stage::Synthesize(stage) => noise_ns(&crate::lower::expression(stage), false),
        Stage::Read(_) => WRITE_NS,
        Stage::Erode(erode) => {
            let steps = erode
                .pools
                .map_or(DROPLET_STEPS, |_| DROPLET_STEPS_WITH_POOLS);
            let steps = STEP_NS * steps * erode.droplets_per_cell;
            let passes = PASS_NS * f64::from(erode.cycles);
            if erode.cycles == 0 {
                0.0
            } else {
                steps + passes
            }
        }
    }
}

fn disk_bytes(pipeline: &Pipeline, shape: Shape) -> u64 {
    let mut kept = 0_u64;
    let mut passing = 0;
    for output in &pipeline.outputs {
        let Some(content) = output.content() else {
            continue;
        };
        let bytes = content_bytes(output.path.ends_with(".png"), &content, shape);
        // A plain GeoTIFF is written as it comes. Others take overviews, a third more, and while they are made the
        // plain pixels and the overviews once more.
        let direct =
            |driver: &str| driver.eq_ignore_ascii_case("gtiff") && output.options.is_empty();
        if output.driver().is_none_or(direct) {
            kept = kept.saturating_add(bytes);
        } else {
            let viewed = bytes.saturating_add(bytes / 3);
            kept = kept.saturating_add(viewed);
            passing = passing.max(viewed);
        }
    }
    kept.saturating_add(passing)
}

fn content_bytes(png: bool, content: &Content, shape: Shape) -> u64 {
    let tif = |cell_bytes| thalweg_geotiff::largest_file_bytes(shape, cell_bytes);
    // The bytes of a cell and one per row, deflate's overhead, headers.
    let png_bytes = |cell_bytes: u64| {
        let pixels = shape.cells() * cell_bytes;
        pixels + pixels / 128 + shape.rows as u64 + 4096
    };
    match content {
        Content::Layer(_) => tif(4),
        Content::Hillshade(_) => png_bytes(1),
        // A lake in a hundred cells would be very many.
        Content::Table(_) => 2 * shape.cells() + 4096,
        Content::Picture(_) if png => png_bytes(4),
        Content::Picture(_) => tif(4),
        Content::Film(film) if png => png_bytes(3).saturating_mul(film.frames.into()),
        Content::Film(film) => tif(4 * u64::from(film.frames)),
        // Basins of a cell each would be more, and do not occur: an area of its own has a river.
        Content::Vectors(_) => 8 * shape.cells() + (1 << 20),
    }
}

/// Making and writing an output, ns per cell on one core: what many can share, and what one does.
fn output_ns(output: &Output, pipeline: &Pipeline) -> [f64; 2] {
    let coloured = |shade: bool| COLOUR_NS + if shade { COLOUR_NS } else { 0.0 };
    match output.content() {
        Some(Content::Picture(picture)) => [coloured(picture.shade.is_some()), WRITE_NS],
        Some(Content::Film(film)) => {
            let noise_ns: f64 = pipeline.stages.iter().map(stage_ns).sum();
            let frames = f64::from(film.frames);
            let made_ns = noise_ns + coloured(film.shade.is_some());
            [made_ns * frames, WRITE_NS * frames]
        }
        _ => [0.0, WRITE_NS],
    }
}
