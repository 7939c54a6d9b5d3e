//! What no single key can be blamed for: how stages, grid and outputs fit together.

mod expression;
mod outputs;
mod storage;

pub(crate) use outputs::inside;

use crate::problem::Problem;
use crate::spec::{Erode, Fit, Pipeline, Stage};
use crate::tree::{Node, Segment};
use thalweg_erosion::{ErosionError, Parameters};

/// Everything that does not fit.
pub(crate) fn all(pipeline: &Pipeline, tree: &Node) -> Vec<Problem> {
    let mut found = Checker {
        tree,
        problems: Vec::new(),
    };
    found.ids(pipeline);
    found.source(pipeline);
    found.grid(pipeline);
    found.stages(pipeline);
    found.outputs(pipeline);
    found.problems
}

/// The path of a key of a stage.
pub(crate) fn stage_path(index: usize, kind: &str, key: &str) -> [Segment; 4] {
    let word = |word: &str| Segment::Key(word.to_owned());
    [word("stages"), Segment::Index(index), word(kind), word(key)]
}

struct Checker<'a> {
    tree: &'a Node,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    /// Books a problem of the value at a path.
    fn at(&mut self, path: &[Segment], problem: Problem) {
        let (node, _) = self.tree.locate(path);
        self.problems.push(problem.at(&node.origin));
    }

    /// Books a problem of a stage as a whole, at its kind.
    fn at_stage(&mut self, index: usize, stage: &Stage, problem: Problem) {
        let path = stage_path(index, stage.kind(), "id");
        let (_, origin) = self.tree.locate(&path[..3]);
        self.problems.push(problem.at(origin));
    }

    fn ids(&mut self, pipeline: &Pipeline) {
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let twin = pipeline.stages[..index]
                .iter()
                .find(|other| other.id() == stage.id());
            if let Some(twin) = twin {
                let message = format!(
                    "the id `{}` is taken by a stage of kind `{}` above",
                    stage.id(),
                    twin.kind()
                );
                let problem = Problem::new(message)
                    .help("each stage needs an id of its own: its random choices hang on it");
                self.at(&stage_path(index, stage.kind(), "id"), problem);
            }
        }
    }

    fn source(&mut self, pipeline: &Pipeline) {
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let problem = match (index, stage.is_source()) {
                (0, false) => Problem::new(format!(
                    "there is no ground for `{}` to change",
                    stage.kind()
                ))
                .help("begin with `synthesize` (noise) or `read` (a raster file)"),
                (1.., true) => Problem::new(format!(
                    "`{}` would replace the ground made above",
                    stage.kind()
                ))
                .help("only the first stage may be `synthesize` or `read`"),
                _ => continue,
            };
            self.at_stage(index, stage, problem);
        }
    }

    fn grid(&mut self, pipeline: &Pipeline) {
        let path = [Segment::Key("grid".to_owned())];
        match (pipeline.stages.first(), &pipeline.grid) {
            (Some(Stage::Read(read)), None) if read.fit != Fit::Exact => {
                let problem = Problem::new("`fit` needs the key `grid` at the top of the file, the map's size and place")
                    .help("grid: { rows: 1024, cols: 1280, cell_size_m: 10, origin_m: [500000, 5200000] }, or leave `fit` out to take the raster's");
                self.at(&stage_path(0, "read", "fit"), problem);
            }
            (Some(Stage::Synthesize(_)), None) => {
                let problem = Problem::new("`synthesize` needs the key `grid` at the top of the file")
                    .help("grid: { rows: 1024, cols: 1280, cell_size_m: 10, crs: EPSG:32633, origin_m: [500000, 5200000] }");
                self.at_stage(0, &pipeline.stages[0], problem);
            }
            (_, Some(grid)) => {
                let crs = grid.crs.as_deref();
                if let Some(Err(error)) = crs.map(thalweg_geotiff::check_crs) {
                    let path = [path[0].clone(), Segment::Key("crs".to_owned())];
                    self.at(&path, Problem::new(error.to_string()));
                }
            }
            _ => {}
        }
    }

    fn stages(&mut self, pipeline: &Pipeline) {
        for (index, stage) in pipeline.stages.iter().enumerate() {
            match stage {
                Stage::Synthesize(synthesize) => self.expression(index, synthesize),
                Stage::Read(read) => self.input(index, &read.path),
                Stage::Erode(erode) => self.erosion(index, erode),
            }
        }
    }

    /// What the engine says of parameters that depend on one another.
    fn erosion(&mut self, index: usize, erode: &Erode) {
        let checked = Parameters::from(erode).check();
        let Err(ErosionError::Parameter {
            name,
            expected,
            found,
        }) = checked
        else {
            return;
        };
        let mut path = stage_path(index, "erode", "").to_vec();
        path.pop();
        path.extend(name.split('.').map(|key| Segment::Key(key.to_owned())));
        self.at(
            &path,
            Problem::new(format!("`{name}` must be {expected}, found {found}")),
        );
    }

    /// Whether an input is there; what is in it shows when it is read.
    fn input(&mut self, index: usize, path: &str) {
        let why = match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => "it is a folder".to_owned(),
            Ok(_) => return,
            // GDAL opens names that are no files (`/vsizip/…`): it is asked when the stage is planned.
            Err(_) if path.contains("/vsi") => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => "no such file".to_owned(),
            Err(error) => error.to_string(),
        };
        let mut problem = Problem::new(format!("cannot read {path}: {why}")).help(
            "a path in the file is relative to the file, a path in --set to the folder in which thalweg runs",
        );
        problem.about_data = true;
        self.at(&stage_path(index, "read", "path"), problem);
    }
}

/// The path of an output, or of keys in it.
fn output_path(index: usize, keys: &[&str]) -> Vec<Segment> {
    let keys = keys.iter().map(|key| Segment::Key((*key).to_owned()));
    [Segment::Key("outputs".to_owned()), Segment::Index(index)]
        .into_iter()
        .chain(keys)
        .collect()
}
