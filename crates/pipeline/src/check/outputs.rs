//! Whether outputs can be made of what the stages make, and each has files of its own.

use super::{Checker, output_path};
use crate::lower;
use crate::problem::Problem;
use crate::spec::{self, Content, Features, Film, Output, Pipeline, Positions, Stage, Vectors};
use crate::suggest::quoted;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use thalweg_geotiff::VectorFormat;
use thalweg_grid::Layer;

impl Checker<'_> {
    pub(super) fn outputs(&mut self, pipeline: &Pipeline) {
        let mut taken = BTreeSet::from([PathBuf::from(crate::record::FILE)]);
        for (index, output) in pipeline.outputs.iter().enumerate() {
            let Some(content) = output.content() else {
                self.kind(index, output);
                continue;
            };
            self.layer(index, &content, pipeline);
            self.storage(index, output, &content);
            match &content {
                Content::Picture(of) => {
                    self.colours((index, "picture"), &of.ramp, of.positions, of.range);
                }
                Content::Film(of) => {
                    self.colours((index, "film"), &of.ramp, of.positions, of.range);
                    self.film(index, of, pipeline);
                }
                Content::Vectors(of) => self.vectors(index, of, &output.path, pipeline),
                _ => {}
            }
            match inside(&output.path) {
                Ok(path) => self.path(index, (output, &content), &path, &mut taken),
                Err(problem) => self.at(&output_path(index, &["path"]), problem),
            }
        }
    }

    /// Books that not exactly one kind is named.
    fn kind(&mut self, index: usize, output: &Output) {
        let json = serde_json::to_value(output).unwrap_or_default();
        let named = |kind: &&&str| json.get(**kind).is_some();
        let found: Vec<&str> = Output::KINDS.iter().filter(named).copied().collect();
        let found = match found.is_empty() {
            true => "none".to_owned(),
            false => quoted(&found, " and "),
        };
        let kinds = quoted(&Output::KINDS, ", ");
        let problem = Problem::new(format!(
            "an output needs exactly one of {kinds}, found {found}"
        ));
        self.at(&output_path(index, &[]), problem);
    }

    fn layer(&mut self, index: usize, content: &Content, pipeline: &Pipeline) {
        let Some((layer, keys)) = content.layer() else {
            return;
        };
        if pipeline.stages.iter().any(|stage| makes(stage, layer)) {
            return;
        }
        let help = match layer {
            Layer::PoolDepth | Layer::WaterLevel | Layer::LakeId => {
                "add `pools: {}` to an `erode` stage"
            }
            Layer::Vegetation => "add `vegetation: {}` to an `erode` stage",
            _ => "add an `erode` stage",
        };
        let message = match content {
            Content::Table(_) | Content::Vectors(_) => "no stage makes lakes".to_owned(),
            _ => format!("no stage makes the layer `{layer}`"),
        };
        self.at(&output_path(index, keys), Problem::new(message).help(help));
    }

    fn colours(
        &mut self,
        (index, kind): (usize, &str),
        ramp: &spec::Ramp,
        positions: Positions,
        range: Option<[f64; 2]>,
    ) {
        let at = |key| output_path(index, &[kind, key]);
        if let Err(error) = ramp.colours() {
            self.at(&at("ramp"), Problem::new(error.to_string()));
        }
        match (ramp, positions, range) {
            (spec::Ramp::Named(_), Positions::Value, _) => {
                let problem = Problem::new("positions of a named ramp are shares")
                    .help("give `range`, the values at its ends, or a list of values and colours");
                self.at(&at("positions"), problem);
            }
            (spec::Ramp::Stops(stops), Positions::Share, _)
                if stops.iter().any(|(at, _)| !(0.0..=1.0).contains(at)) =>
            {
                let problem = Problem::new("positions of a ramp are shares of its range, 0 to 1")
                    .help("where they are values of the layer, set `positions: value`");
                self.at(&at("ramp"), problem);
            }
            (_, Positions::Value, Some(_)) => {
                let problem = Problem::new("`range` has no meaning where positions are values")
                    .help("leave `range` or `positions` out");
                self.at(&at("range"), problem);
            }
            (_, _, Some([low, high])) if low >= high => {
                let message = format!("`range` must be ascending, found [{low}, {high}]");
                self.at(&at("range"), Problem::new(message));
            }
            _ => {}
        }
    }

    fn film(&mut self, index: usize, film: &Film, pipeline: &Pipeline) {
        let refuse = |message: &str, help: &str| Problem::new(message).help(help);
        let problem = match &pipeline.stages[..] {
            [Stage::Synthesize(stage)] if lower::expression(stage).periods().is_empty() => refuse(
                "nothing in `noise` changes over time",
                "give a source or a sum `evolution: { change_s: 4, loop_s: 8 }`, a `wave` or a `swirl` a `period_s`, or put a `flow` around something",
            ),
            [Stage::Synthesize(_)] => return self.shown(index, film),
            [Stage::Synthesize(_), ..] => refuse(
                "a film shows how noise changes, and here `erode` changes the ground after it",
                "take the `erode` stage out, or write a `picture` of its outcome",
            ),
            _ => refuse(
                "a film shows how noise changes, and here the ground is read",
                "begin with `synthesize`, or write a `picture`",
            ),
        };
        self.at(&output_path(index, &["film"]), problem);
    }

    fn shown(&mut self, index: usize, film: &Film) {
        let longest_s = thalweg_analysis::png::LONGEST_S;
        if film.shown_s() > longest_s {
            let message = format!("a PNG shows a frame for {longest_s} s at most");
            let problem = Problem::new(message).help("add `show_s: 0.1` to the film");
            self.at(&output_path(index, &["film", "every_s"]), problem);
        }
    }

    fn vectors(&mut self, index: usize, of: &Vectors, path: &str, pipeline: &Pipeline) {
        let at = |key| output_path(index, &["vectors", key]);
        let named = |features| of.layers.as_ref().map(|layers| layers.contains(&features));
        match (named(Features::Contours), of.interval_m) {
            (Some(true), None) => {
                let problem = Problem::new("contours need the elevation from one to the next")
                    .help("add `interval_m: 20`");
                self.at(&at("layers"), problem);
            }
            (Some(false), Some(_)) => {
                let problem = Problem::new("`interval_m` has no meaning without contours")
                    .help("add `contours` to `layers`, or leave it out");
                self.at(&at("interval_m"), problem);
            }
            _ => {}
        }
        let lakes = (pipeline.stages.iter()).any(|stage| makes(stage, Layer::LakeId));
        let drawn = of.drawn(lakes).len();
        if VectorFormat::of(Path::new(path))
            .is_some_and(|format| !format.holds_many() && drawn != 1)
        {
            let message = format!("a file of this format holds one layer, found {drawn}");
            let problem = Problem::new(message)
                .help("name one, such as `layers: [rivers]`, or write a GeoPackage (.gpkg)");
            self.at(&output_path(index, &["path"]), problem);
        }
    }

    fn path(
        &mut self,
        index: usize,
        (output, content): (&Output, &Content),
        path: &Path,
        taken: &mut BTreeSet<PathBuf>,
    ) {
        let at = output_path(index, &["path"]);
        let extensions = content.extensions();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let known = extension.is_some_and(|extension| extensions.contains(&extension));
        // GDAL's other formats have endings of their own.
        if !known && output.is_tiff() {
            // Other ways to write the usual one are not told.
            let usual: Vec<String> = (extensions.iter())
                .filter(|ending| !["tiff", "json"].contains(ending))
                .map(|ending| format!(".{ending}"))
                .collect();
            let message = format!(
                "the path must end in {}, found {:?}",
                usual.join(" or "),
                path.display().to_string()
            );
            self.at(&at, Problem::new(message));
        }
        if let Content::Film(film) = content
            && let Some(problem) = too_few_digits(path, film.frames)
        {
            return self.at(&at, problem);
        }
        for file in content.files(path) {
            if let Some(problem) = clash(&file, taken) {
                // Of a film's frames the first tells enough.
                return self.at(&at, problem);
            }
            taken.insert(file);
        }
    }
}

/// What is wrong with the number in a film's file name.
fn too_few_digits(path: &Path, frames: u32) -> Option<Problem> {
    let (digits, needed) = (spec::digits(path), (frames - 1).to_string().len());
    if digits == 0 || digits >= needed {
        return None;
    }
    let message = format!("{frames} frames need a number of {needed} digits");
    let marks = "#".repeat(needed);
    Some(Problem::new(message).help(format!("write `{marks}` where the number goes")))
}

/// Whether a file is one of this run's already, or in the way of one.
fn clash(file: &Path, taken: &BTreeSet<PathBuf>) -> Option<Problem> {
    // Files below this one would follow it in the order of their names.
    let below = taken.range(file.to_owned()..).next();
    let below = below.filter(|other| other.starts_with(file));
    let above = || file.ancestors().find(|folder| taken.contains(*folder));
    let other = below.map(PathBuf::as_path).or_else(above)?;
    Some(if other == file {
        Problem::new(format!("{file:?} is written twice by this run"))
            .help("give each output a path of its own")
    } else {
        Problem::new(format!(
            "{file:?} is in the way of {other:?}, which this run writes too"
        ))
    })
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

/// The longest name of a file, bytes: file systems take 255, and unfinished files have a dozen more.
const LONGEST_NAME: usize = 240;

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
    if path.contains('\0') {
        return Err(Problem::new(format!(
            "the output {path:?} holds a zero character, which no file system takes"
        )));
    }
    if let Some(long) = path.split('/').find(|name| name.len() > LONGEST_NAME) {
        return Err(Problem::new(format!(
            "a name in the output's path has {} bytes; at most {LONGEST_NAME} fit",
            long.len()
        )));
    }
    if found.as_os_str().is_empty() || path.ends_with('/') {
        return Err(Problem::new(format!("the output {path:?} names no file")));
    }
    Ok(found)
}
