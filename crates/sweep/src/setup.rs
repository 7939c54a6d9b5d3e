//! From what was typed to members on disk.

use crate::error::{SweepError, failed};
use crate::files::{MANIFEST, MEMBER, OWN, PIPELINE, Place, read_json, write, write_json};
use crate::selection::{MOST, Seeds, Vary, combinations};
use crate::state::Identity;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use thalweg_pipeline::spec::{Pipeline, Stage};
use thalweg_pipeline::{Estimate, Input, Options, Plan, VERSION, identity, input, load};

/// What a sweep is of.
#[derive(Debug, Clone)]
pub struct Request {
    /// The pipeline file.
    pub pipeline: PathBuf,
    /// Changes of all members, `PATH=VALUE`.
    pub sets: Vec<String>,
    /// Seeds.
    pub seeds: Seeds,
    /// Keys that vary: every combination of values meets every seed.
    pub vary: Vec<Vary>,
    /// The folder; none: `out/<name>-sweep`.
    pub out: Option<PathBuf>,
}

/// A checked sweep.
#[derive(Debug)]
pub struct Sweep {
    /// Its folder.
    pub folder: PathBuf,
    /// Name of the pipeline.
    pub name: String,
    pub(crate) members: Vec<Member>,
    pub(crate) manifest: Manifest,
}

/// One member, ready to run.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) identity: Identity,
    pub(crate) place: Place,
    pub(crate) estimate: Estimate,
    pub(crate) pipeline: Pipeline,
}

/// What all members of a folder have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Version of the program.
    pub(crate) version: String,
    /// Name of the pipeline.
    pub(crate) name: String,
    /// Hash of the pipeline without seed and what varies.
    pub(crate) base_blake3: String,
    /// Elevations at the ends of all pictures' colours, m.
    pub(crate) range_m: [f64; 2],
}

impl Sweep {
    /// Checks the pipeline with every seed and every value; writes nothing.
    ///
    /// # Errors
    /// When anything is wrong with the pipeline, or the folder holds another sweep.
    pub fn new(request: &Request) -> Result<Self, SweepError> {
        let combinations = combinations(&request.vary);
        let found = combinations.len() as u128 * request.seeds.0.len() as u128;
        if found > MOST {
            return Err(SweepError::Many { found, most: MOST });
        }
        let mut inputs = Inputs::default();
        let base = plan(request, &[], 0)?;
        let base_input = inputs.of(&base)?;
        let manifest = Manifest {
            version: VERSION.to_owned(),
            name: base.pipeline.name.clone(),
            base_blake3: identity(&base, base_input.as_ref()),
            range_m: range_m(&base, base_input.as_ref()),
        };
        let default_folder = || Path::new("out").join(format!("{}-sweep", manifest.name));
        let folder = request.out.clone().unwrap_or_else(default_folder);
        same(&folder, &manifest)?;
        let mut sweep = Self {
            name: manifest.name.clone(),
            folder,
            members: Vec::new(),
            manifest,
        };
        let mut seen = HashSet::new();
        for combination in &combinations {
            for &seed in &request.seeds.0 {
                let plan = plan(request, combination, seed)?;
                let blake3 = identity(&plan, inputs.of(&plan)?.as_ref());
                let id = id(&blake3);
                if seen.insert(id.clone()) {
                    sweep.add(id, blake3, combination, plan);
                }
            }
        }
        Ok(sweep)
    }

    /// Number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn add(&mut self, id: String, blake3: String, combination: &[(String, String)], plan: Plan) {
        let vary = combination
            .iter()
            .map(|(path, value)| (path.clone(), scalar(value)));
        self.members.push(Member {
            place: Place::new(&self.folder, &id),
            identity: Identity {
                id,
                order: self.members.len(),
                seed: plan.seed,
                vary: vary.collect::<Map<String, Value>>(),
                pipeline_blake3: blake3,
            },
            estimate: plan.estimate,
            pipeline: plan.pipeline,
        });
    }

    /// Makes the folder and those of all members, as far as they are not there.
    pub(crate) fn write(&self) -> Result<(), SweepError> {
        fs::create_dir_all(&self.folder).map_err(failed(&self.folder, "make the folder"))?;
        same(&self.folder, &self.manifest)?;
        let manifest = self.folder.join(MANIFEST);
        if !manifest.exists() {
            write_json(&manifest, &self.manifest)?;
        }
        for member in &self.members {
            let own = member.place.own("");
            fs::create_dir_all(&own).map_err(failed(&own, "make the folder"))?;
            let pipeline = member.place.own(PIPELINE);
            let text = serde_json::to_string_pretty(&member.pipeline);
            let text =
                text.map_err(|error| failed(&pipeline, "write it")(std::io::Error::other(error)))?;
            let there = member.place.own(MEMBER);
            if read_json::<Identity>(&there)?.as_ref() != Some(&member.identity) {
                // The pipeline first: a member is one when its own file is there.
                write(&pipeline, text.as_bytes())?;
                write_json(&there, &member.identity)?;
            }
        }
        Ok(())
    }
}

/// Refuses a folder with another sweep.
fn same(folder: &Path, manifest: &Manifest) -> Result<(), SweepError> {
    match self::manifest(folder)? {
        Some(found)
            if (&found.base_blake3, &found.version)
                != (&manifest.base_blake3, &manifest.version) =>
        {
            Err(SweepError::Other {
                folder: folder.to_owned(),
                name: found.name,
                version: found.version,
            })
        }
        _ => Ok(()),
    }
}

pub(crate) fn manifest(folder: &Path) -> Result<Option<Manifest>, SweepError> {
    read_json(&folder.join(MANIFEST))
}

/// Name of a member's folder: 64 bits tell a hundred thousand members apart but for one chance in three billion.
fn id(pipeline_blake3: &str) -> String {
    let hash = blake3::hash(format!("{VERSION} {pipeline_blake3}").as_bytes());
    hash.to_hex().as_str()[..16].to_owned()
}

fn plan(request: &Request, vary: &[(String, String)], seed: u64) -> Result<Plan, SweepError> {
    let pairs = vary.iter().map(|(path, value)| format!("{path}={value}"));
    let mut sets: Vec<String> = request.sets.iter().cloned().chain(pairs).collect();
    sets.push(format!("seed={seed}"));
    let pipeline = load(&request.pipeline, &sets)?;
    // Outputs go below the member's folder, which has no name yet.
    let options = Options {
        out: Some(request.out.clone().unwrap_or_default().join("member")),
        threads: 1,
    };
    let plan = Plan::new(pipeline, &options)?;
    let in_own = |path: &PathBuf| path.starts_with(OWN);
    match plan
        .outputs
        .iter()
        .map(|output| &output.path)
        .find(|path| in_own(path))
    {
        Some(path) => Err(SweepError::Output { path: path.clone() }),
        None => Ok(plan),
    }
}

/// A value that varies: a number where it is one.
fn scalar(text: &str) -> Value {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number
        .and_then(|_| serde_json::from_str(text).ok())
        .unwrap_or_else(|| Value::from(text))
}

/// Elevations that the ground of a sweep begins with: the same for all of its pictures.
fn range_m(base: &Plan, input: Option<&Input>) -> [f64; 2] {
    match (base.pipeline.stages.first(), input) {
        (_, Some(input)) => input.range_m,
        (Some(Stage::Synthesize(stage)), _) => {
            let [low, high] = stage.elevation_m;
            [low.min(high), low.max(high)]
        }
        _ => [0.0, 1.0],
    }
}

/// Rasters that were read, each once: by what was asked for, as JSON.
#[derive(Default)]
struct Inputs(HashMap<String, Option<Input>>);

impl Inputs {
    fn of(&mut self, plan: &Plan) -> Result<Option<Input>, SweepError> {
        let Some(Stage::Read(read)) = plan.pipeline.stages.first() else {
            return Ok(None);
        };
        let key = serde_json::json!([read, plan.pipeline.grid]).to_string();
        if let Some(input) = self.0.get(&key) {
            return Ok(input.clone());
        }
        let found = input(plan)?;
        self.0.insert(key, found.clone());
        Ok(found)
    }
}
