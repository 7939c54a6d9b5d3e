//! A pipeline with everything decided: what would run, and what it will cost.

use crate::check;
use crate::checkpoint;
use crate::error::PipelineError;
use crate::estimate::{Estimate, estimate};
use crate::lower;
use crate::mode::Mode;
use crate::resources;
use crate::spec::{self, Content, Pipeline, Stage};
use std::path::{Path, PathBuf};
use thalweg_erosion::Parameters;
use thalweg_geotiff::{Format, GeotiffError, Request};
use thalweg_grid::{Grid, Shape};

/// What decides over a plan besides its pipeline.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Folder of the outputs; none: `out/<name>-<seed>`.
    pub out: Option<PathBuf>,
    /// Threads that will work, for the estimate of time.
    pub threads: usize,
}

/// A pipeline with everything decided.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The pipeline with every key, its seed among them.
    pub pipeline: Pipeline,
    /// Seed of every random choice.
    pub seed: u64,
    /// Whether the seed was drawn because the pipeline names none.
    pub seed_drawn: bool,
    /// Size and place of the map.
    pub grid: Grid,
    /// The stages, in order.
    pub steps: Vec<Step>,
    /// The outputs, in order.
    pub outputs: Vec<Target>,
    /// Folder of the outputs.
    pub folder: PathBuf,
    /// What it will cost.
    pub estimate: Estimate,
    /// What a user should know of the input.
    pub notes: Vec<String>,
    /// Hash that the raster which is read must have; none: any will do. Records of earlier runs bring it.
    pub input_blake3: Option<String>,
}

/// One stage, ready to run.
#[derive(Debug, Clone)]
pub struct Step {
    /// The stage's kind.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    pub(crate) work: Work,
}

#[derive(Debug, Clone)]
pub(crate) enum Work {
    Synthesize {
        noise: thalweg_noise::Noise,
        elevation_m: [f64; 2],
        range: thalweg_noise::Range,
    },
    Read {
        path: PathBuf,
        request: Box<Request>,
    },
    Erode(Box<Parameters>),
}

/// One output: a file and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Path below the output folder.
    pub path: PathBuf,
    /// What it holds.
    pub content: Content,
    /// In what format it is stored, if GDAL stores it.
    pub format: Option<Format>,
}

impl Target {
    /// Every file that the output writes, below the output folder.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.content.files(&self.path)
    }
}

/// More cells than any machine holds; below it no estimate overflows.
const MOST_CELLS: u128 = 1 << 40;
/// GDAL counts rows and columns in 31 bits.
const MOST_LINES: u64 = i32::MAX as u64 - 512;

impl Plan {
    /// Decides everything that a pipeline leaves open. Of a `read` stage's raster only the header is read here, since
    /// it decides the grid; nothing is computed and nothing is written.
    ///
    /// # Errors
    /// When the map has more cells than any machine holds, the input's header is not what it must be, or an output
    /// would replace the input.
    pub fn new(mut pipeline: Pipeline, options: &Options) -> Result<Self, PipelineError> {
        let mut notes = Vec::new();
        let grid = grid(&pipeline, &mut notes)?;
        let seed_drawn = pipeline.seed.is_none();
        let seed = match pipeline.seed {
            Some(seed) => seed,
            None => draw_seed()?,
        };
        pipeline.seed = Some(seed);
        let steps = pipeline
            .stages
            .iter()
            .map(|stage| step(stage, pipeline.grid.as_ref()));
        let steps = steps.collect::<Result<_, _>>()?;
        let threads = options.threads;
        let outputs = pipeline.outputs.iter();
        let outputs: Vec<Target> = outputs
            .filter_map(|output| target(output, threads))
            .collect();
        let default_folder = || Path::new("out").join(format!("{}-{seed}", pipeline.name));
        let folder = options.out.clone().unwrap_or_else(default_folder);
        keep_inputs(&pipeline, &folder, &outputs)?;
        let estimate = estimate(&pipeline, grid.shape, options.threads);
        notes.extend(jumps(&pipeline));
        Ok(Self {
            pipeline,
            seed,
            seed_drawn,
            grid,
            steps,
            outputs,
            folder,
            estimate,
            notes,
            input_blake3: None,
        })
    }

    /// Whether the plan, run so, fits into the memory and the disk that there are now.
    ///
    /// # Errors
    /// When it needs more than 80% of the free memory, or more than the free disk.
    pub fn check_fits(&self, mode: &Mode) -> Result<(), PipelineError> {
        // Two stand while a third is written.
        let checkpoints = mode.interval(self).map_or(0, |_| 3);
        let estimate = Estimate {
            checkpoint_bytes: checkpoints * self.estimate.checkpoint_bytes,
            ..self.estimate
        };
        // Those of an earlier try are replaced.
        let there = checkpoint::bytes_there(&self.folder);
        fits(
            &estimate,
            resources::available_memory(),
            resources::free_disk(&self.folder).map(|free| free + there),
        )
    }
}

/// The grid, which the header of a raster brings where the first stage reads one.
fn grid(pipeline: &Pipeline, notes: &mut Vec<String>) -> Result<Grid, PipelineError> {
    let wanted = pipeline.grid.as_ref().map(placed).transpose()?;
    let Some(Stage::Read(read)) = pipeline.stages.first() else {
        return wanted.ok_or_else(|| PipelineError::Parameters {
            kind: "read",
            id: String::new(),
            message: "a pipeline without `grid` must begin with `read`".to_owned(),
        });
    };
    let header = thalweg_geotiff::inspect(Path::new(&read.path), &lower::request(read, wanted))
        .map_err(|error| refused(read, &error))?;
    notes.extend(
        header
            .notes
            .iter()
            .map(|note| format!("{}: {note}", read.path)),
    );
    Ok(header.grid)
}

/// Films that do not end where they began, though all that changes in them does.
fn jumps(pipeline: &Pipeline) -> Vec<String> {
    let Some(Stage::Synthesize(stage)) = pipeline.stages.first() else {
        return Vec::new();
    };
    let periods = lower::expression(stage).periods();
    let note = |output: &spec::Output| {
        let film = output.film.as_ref()?;
        let length_s = film.time_s(film.frames);
        let fits = |period_s: f64| {
            let times = length_s / period_s.abs();
            (times - times.round()).abs() <= 1e-6 * times
        };
        let period_s = periods
            .iter()
            .flatten()
            .find(|period_s| !fits(**period_s))?;
        Some(format!(
            "{}: {} frames every {} s are {length_s} s, no whole number of the {period_s} s after which `noise` begins again: the film jumps where it ends",
            output.path, film.frames, film.every_s
        ))
    };
    pipeline.outputs.iter().filter_map(note).collect()
}

/// Refuses outputs under the name of a raster that is read, through links too.
fn keep_inputs(
    pipeline: &Pipeline,
    folder: &Path,
    outputs: &[Target],
) -> Result<(), PipelineError> {
    for stage in &pipeline.stages {
        let Stage::Read(read) = stage else { continue };
        let path = Path::new(&read.path);
        let names = [real(path), path.canonicalize().ok()];
        for file in outputs.iter().flat_map(Target::files) {
            let file = folder.join(file);
            let name = real(&file);
            if name.is_some() && names.contains(&name) {
                return Err(PipelineError::ReplacesInput { path: file });
            }
        }
    }
    Ok(())
}

/// A file's name in its folder, links to the folder followed; none where there is no such folder.
fn real(file: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(file)
        .ok()?
        .parent()?
        .canonicalize()
        .ok()?;
    Some(folder.join(file.file_name()?))
}

fn refused(read: &spec::Read, error: &GeotiffError) -> PipelineError {
    PipelineError::Data {
        kind: "read",
        id: read.id.clone(),
        message: error.to_string(),
    }
}

fn placed(grid: &spec::Grid) -> Result<Grid, PipelineError> {
    let shape = shape(grid.rows, grid.cols)?;
    Grid::new(shape, grid.cell_size_m, grid.origin_m, grid.crs.clone()).map_err(|error| {
        PipelineError::Parameters {
            kind: "grid",
            id: String::new(),
            message: error.to_string(),
        }
    })
}

fn shape(rows: u64, cols: u64) -> Result<Shape, PipelineError> {
    let cells = u128::from(rows) * u128::from(cols);
    let fits = |lines: u64| usize::try_from(lines).ok().filter(|_| lines <= MOST_LINES);
    match (fits(rows), fits(cols)) {
        (Some(rows), Some(cols)) if cells <= MOST_CELLS => Ok(Shape::new(rows, cols)),
        _ => Err(PipelineError::DoesNotFit(format!(
            "{rows} rows × {cols} cols are {cells} cells; a map may have at most {MOST_CELLS}, and {MOST_LINES} rows or columns"
        ))),
    }
}

fn draw_seed() -> Result<u64, PipelineError> {
    // 32 bits: short enough to be typed again, and every reader of JSON keeps them.
    getrandom::u32()
        .map(u64::from)
        .map_err(|error| PipelineError::Io {
            path: PathBuf::from("seed"),
            doing: "draw one; give it with --seed",
            source: std::io::Error::other(error.to_string()),
        })
}

fn step(stage: &Stage, grid: Option<&spec::Grid>) -> Result<Step, PipelineError> {
    let work = match stage {
        Stage::Synthesize(stage) => Work::Synthesize {
            noise: lower::expression(stage),
            elevation_m: stage.elevation_m,
            range: stage.range.into(),
        },
        Stage::Read(read) => Work::Read {
            path: PathBuf::from(&read.path),
            request: Box::new(lower::request(read, grid.map(placed).transpose()?)),
        },
        Stage::Erode(stage) => Work::Erode(Box::new(stage.as_ref().into())),
    };
    Ok(Step {
        kind: stage.kind(),
        id: stage.id().to_owned(),
        work,
    })
}

fn target(output: &spec::Output, threads: usize) -> Option<Target> {
    // Both were checked when the pipeline was loaded.
    let path = check::inside(&output.path).ok()?;
    Some(Target {
        path,
        content: output.content()?,
        format: lower::format(output, threads),
    })
}

/// `estimate` has the bytes of all checkpoints.
fn fits(estimate: &Estimate, memory: Option<u64>, disk: Option<u64>) -> Result<(), PipelineError> {
    let size = format!("a map of {} cells", estimate.cells);
    if let Some(free) = memory {
        let limit = free / 5 * 4;
        if estimate.memory_bytes > limit {
            return Err(PipelineError::DoesNotFit(format!(
                "{size} needs about {} of memory; {} are free, of which a run may take 80%. Use fewer rows and columns (--set grid.rows=…), or a machine with more memory",
                bytes(estimate.memory_bytes),
                bytes(free)
            )));
        }
    }
    let needed = estimate.disk_bytes + estimate.checkpoint_bytes;
    if let Some(free) = disk
        && needed > free
    {
        let checkpoints = match estimate.checkpoint_bytes {
            0 => String::new(),
            some => format!(
                " ({} of it for checkpoints, which --checkpoint-every never turns off)",
                bytes(some)
            ),
        };
        return Err(PipelineError::DoesNotFit(format!(
            "the files of {size} may need {} of disk{checkpoints}; {} are free. Make room, or choose another disk with --out",
            bytes(needed),
            bytes(free)
        )));
    }
    Ok(())
}

/// A size for people.
#[must_use]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(memory_bytes: u64, disk_bytes: u64) -> Estimate {
        Estimate {
            cells: 1,
            memory_bytes,
            disk_bytes,
            checkpoint_bytes: 0,
            time_s: 0.0,
        }
    }

    #[test]
    fn four_fifths_of_the_free_memory_and_all_of_the_disk_may_be_used() {
        assert!(fits(&cost(800, 50), Some(1000), Some(50)).is_ok());
        assert!(matches!(
            fits(&cost(801, 50), Some(1000), Some(50)),
            Err(PipelineError::DoesNotFit(_))
        ));
        assert!(matches!(
            fits(&cost(800, 51), Some(1000), Some(50)),
            Err(PipelineError::DoesNotFit(_))
        ));
        assert!(fits(&cost(1 << 50, 1 << 50), None, None).is_ok());
        let kept = Estimate {
            checkpoint_bytes: 30,
            ..cost(800, 20)
        };
        assert!(fits(&kept, None, Some(50)).is_ok());
        let error = fits(&kept, None, Some(49)).unwrap_err().to_string();
        assert!(error.contains("50 B of disk (30 B of it"), "{error}");
    }

    #[test]
    fn sizes_beyond_any_machine_are_refused_without_overflow() {
        assert_eq!(shape(100_000, 200_000).unwrap().cells(), 20_000_000_000);
        for (rows, cols) in [(u64::MAX, u64::MAX), (1 << 21, 1 << 21), (1, 1 << 33)] {
            assert!(
                matches!(shape(rows, cols), Err(PipelineError::DoesNotFit(_))),
                "{rows} {cols}"
            );
        }
    }

    #[test]
    fn sizes_are_told_in_binary_units() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 40), "3.0 TiB");
    }
}
