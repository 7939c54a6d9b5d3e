//! What no single key can be blamed for: how stages, grid and outputs fit together.

mod expression;

use crate::problem::Problem;
use crate::spec::{Content, Erode, Output, Pipeline, Stage, Table};
use crate::suggest::quoted;
use crate::tree::{Node, Segment};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use thalweg_erosion::{ErosionError, Parameters};
use thalweg_grid::Layer;

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
            (Some(Stage::Read(_)), Some(_)) => {
                let (_, origin) = self.tree.locate(&path);
                let problem = Problem::new("`grid` and `read` both say where the map lies")
                    .help("leave `grid` out: the raster's grid is taken");
                self.problems.push(problem.at(origin));
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

    fn outputs(&mut self, pipeline: &Pipeline) {
        let mut taken: BTreeMap<PathBuf, usize> = BTreeMap::new();
        taken.insert(PathBuf::from(crate::record::FILE), usize::MAX);
        for (index, output) in pipeline.outputs.iter().enumerate() {
            if output.content().is_none() {
                self.kind(index, output);
                continue;
            }
            self.layer(index, output, pipeline);
            self.table(index, output, pipeline);
            match inside(&output.path) {
                Ok(path) => self.path(index, output, &path, &mut taken),
                Err(problem) => self.at(&output_path(index, "path"), problem),
            }
        }
    }

    /// Books that not exactly one kind is named.
    fn kind(&mut self, index: usize, output: &Output) {
        let none = output.layer.is_none() && output.hillshade.is_none() && output.table.is_none();
        let found = if none { "none" } else { "several" };
        let kinds = quoted(&Output::KINDS, ", ");
        let problem = Problem::new(format!(
            "an output needs exactly one of {kinds}, found {found}"
        ));
        self.at(&output_path(index, "")[..2], problem);
    }

    fn layer(&mut self, index: usize, output: &Output, pipeline: &Pipeline) {
        let Some(layer) = output.layer else { return };
        let made = pipeline.stages.iter().any(|stage| makes(stage, layer));
        if !made {
            let help = match layer {
                Layer::PoolDepth | Layer::WaterLevel | Layer::LakeId => {
                    "add `pools: {}` to an `erode` stage"
                }
                Layer::Vegetation => "add `vegetation: {}` to an `erode` stage",
                _ => "add an `erode` stage",
            };
            let problem = Problem::new(format!("no stage makes the layer `{layer}`")).help(help);
            self.at(&output_path(index, "layer"), problem);
        }
    }

    fn table(&mut self, index: usize, output: &Output, pipeline: &Pipeline) {
        let Some(Table::Lakes) = output.table else {
            return;
        };
        // A table of lakes tells of the numbers in that layer.
        let made = pipeline
            .stages
            .iter()
            .any(|stage| makes(stage, Layer::LakeId));
        if !made {
            let problem =
                Problem::new("no stage makes lakes").help("add `pools: {}` to an `erode` stage");
            self.at(&output_path(index, "table"), problem);
        }
    }

    fn path(
        &mut self,
        index: usize,
        output: &Output,
        path: &Path,
        taken: &mut BTreeMap<PathBuf, usize>,
    ) {
        let extensions: &[&str] = match output.content() {
            Some(Content::Layer(_)) => &["tif", "tiff"],
            Some(Content::Table(_)) => &["csv"],
            _ => &["png"],
        };
        let extension = path.extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| extensions.contains(&extension)) {
            let problem = Problem::new(format!(
                "the path must end in .{}, found {:?}",
                extensions[0], output.path
            ));
            self.at(&output_path(index, "path"), problem);
        }
        let files = [
            Some(path.to_owned()),
            output.hillshade.map(|_| path.with_extension("pgw")),
        ];
        for file in files.into_iter().flatten() {
            let clash = taken
                .keys()
                .find(|other| other.starts_with(&file) || file.starts_with(other));
            if let Some(other) = clash {
                let problem = if *other == file {
                    Problem::new(format!("{file:?} is written twice by this run"))
                        .help("give each output a path of its own")
                } else {
                    Problem::new(format!(
                        "{file:?} is in the way of {other:?}, which this run writes too"
                    ))
                };
                self.at(&output_path(index, "path"), problem);
            }
            taken.insert(file, index);
        }
    }
}

fn output_path(index: usize, key: &str) -> [Segment; 3] {
    [
        Segment::Key("outputs".to_owned()),
        Segment::Index(index),
        Segment::Key(key.to_owned()),
    ]
}

/// Whether a stage makes a layer.
fn makes(stage: &Stage, layer: Layer) -> bool {
    match (stage, layer) {
        (_, Layer::Elevation) => true,
        (Stage::Erode(_), Layer::Change | Layer::Stream | Layer::Discharge) => true,
        (Stage::Erode(erode), Layer::PoolDepth | Layer::WaterLevel | Layer::LakeId) => {
            erode.pools.is_some()
        }
        (Stage::Erode(erode), Layer::Vegetation) => erode.vegetation.is_some(),
        _ => false,
    }
}

/// An output's path below the output folder, without dots.
pub(crate) fn inside(path: &str) -> Result<PathBuf, Problem> {
    let mut found = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => found.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Problem::new(format!(
                    "the output {path:?} would leave the output folder"
                ))
                .help("give a path below it, and choose the folder itself with --out"));
            }
        }
    }
    if found.as_os_str().is_empty() || path.ends_with('/') {
        return Err(Problem::new(format!("the output {path:?} names no file")));
    }
    Ok(found)
}
