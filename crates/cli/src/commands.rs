//! What each command does.

use crate::args::{Changes, Cli, Place, PlanArgs, RunArgs, Source};
use crate::interrupt::Interrupt;
use crate::output::{Exit, Failed, put, say};
use crate::plan;
use crate::progress::{Teller, Voice, duration};
use crate::sweep;
use clap::CommandFactory;
use thalweg_pipeline::{
    Mode, Options, Outcome, Plan, Recorded, VERSION, load, load_record, seed_of,
};

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failed> {
    let interrupt = Interrupt::listen();
    if args.leash {
        interrupt.at_end_of_input();
    }
    let voice = Voice::new(args.quiet);
    let speak = |line: String| {
        if voice != Voice::Quiet {
            say(line);
        }
    };
    threads(&args.place)?;
    let (mut pipeline, recorded) = pipeline(args)?;
    if args.resume && pipeline.seed.is_none() {
        pipeline.seed = Some(drawn_seed(args)?);
    }
    let mut plan = Plan::new(pipeline, &options(&args.place))?;
    plan.input_blake3 = recorded
        .as_ref()
        .and_then(|recorded| recorded.input_for(&plan.pipeline));
    if let Some(recorded) = recorded
        .as_ref()
        .filter(|recorded| recorded.version != VERSION)
    {
        speak(format!(
            "warning: the record was written by thalweg {}, this is {VERSION}: pixels may differ",
            recorded.version
        ));
    }
    plan.notes
        .iter()
        .for_each(|note| speak(format!("note: {note}")));
    if plan.seed_drawn {
        speak(format!(
            "seed {} drawn; give it with --seed to make the same map again",
            plan.seed
        ));
    }
    if args.verbose {
        speak(plan::summary(&plan));
    }
    let teller = Teller::new(voice, args.verbose, interrupt);
    let mode = Mode {
        overwrite: args.overwrite,
        resume: args.resume,
        checkpoints: args.checkpoint_every.unwrap_or_default(),
    };
    let hooked = sweep::hook(plan.seed);
    let mut outcome = thalweg_pipeline::run(plan, &mode, &teller)?;
    outcome.violations.extend(hooked);
    let differences = recorded.as_ref().map_or_else(Vec::new, |recorded| {
        differences(recorded, &outcome, &args.changes)
    });
    speak(results(&outcome));
    if args.json {
        put(&format!("{}\n", outcome.record))?;
    }
    for wrong in outcome.violations.iter().chain(&differences) {
        say(format!("warning: {wrong}"));
    }
    Ok(if outcome.violations.is_empty() && differences.is_empty() {
        Exit::Done
    } else {
        Exit::Unsound
    })
}

/// The seed that the run to go on with has drawn.
fn drawn_seed(args: &RunArgs) -> Result<u64, Failed> {
    let seed = args.place.out.as_deref().and_then(seed_of);
    seed.ok_or_else(|| {
        Failed::new(
            Exit::Usage,
            "--resume needs the seed of the run to go on with, since the pipeline has none: give the one that it said with --seed, or the folder of a run that kept a checkpoint with --out",
        )
    })
}

fn pipeline(
    args: &RunArgs,
) -> Result<(thalweg_pipeline::spec::Pipeline, Option<Recorded>), Failed> {
    let sets = args.changes.sets();
    match (&args.pipeline, &args.from) {
        (Some(file), _) => Ok((load(file, &sets)?, None)),
        (None, Some(file)) => {
            let (pipeline, recorded) = load_record(file, &sets)?;
            Ok((pipeline, Some(recorded)))
        }
        (None, None) => Err(Failed::new(
            Exit::Usage,
            "name a pipeline file (`thalweg run hills.yaml`), or the record of an earlier run (`thalweg run --from out/hills-1/run.json`)",
        )),
    }
}

/// Outputs whose pixels are not those of the record, where they should be: nothing was changed, or nothing that
/// matters.
fn differences(recorded: &Recorded, outcome: &Outcome, changes: &Changes) -> Vec<String> {
    let made: serde_json::Value = serde_json::from_str(&outcome.record).unwrap_or_default();
    let same = made["pipeline_blake3"] == *recorded.pipeline_blake3;
    if !same && !changes.sets().is_empty() {
        return Vec::new();
    }
    let hash = |path: &str| {
        let outputs = made["outputs"].as_array()?;
        let output = outputs.iter().find(|output| output["path"] == path)?;
        output["pixels_blake3"].as_str()
    };
    recorded
        .outputs
        .iter()
        .filter(|output| hash(&output.path).is_some_and(|made| made != output.pixels_blake3))
        .map(|output| format!("{}: other pixels than recorded", output.path))
        .collect()
}

fn results(outcome: &Outcome) -> String {
    let record: serde_json::Value = serde_json::from_str(&outcome.record).unwrap_or_default();
    let wall_s = record["wall_s"].as_f64().unwrap_or_default();
    let files: Vec<String> = outcome
        .files
        .iter()
        .map(|file| format!("  {}", file.display()))
        .collect();
    let record = thalweg_pipeline::record_path(&outcome.folder);
    let done = if outcome.was_finished {
        "nothing left to do: the run was done before,"
    } else {
        "done"
    };
    format!(
        "{done} in {}, seed {}:\n{}\n  {}",
        duration(wall_s),
        seed(outcome),
        files.join("\n"),
        record.display()
    )
}

fn seed(outcome: &Outcome) -> String {
    let record: serde_json::Value = serde_json::from_str(&outcome.record).unwrap_or_default();
    record["seed"].to_string()
}

pub(crate) fn plan(args: &PlanArgs) -> Result<Exit, Failed> {
    threads(&args.place)?;
    let pipeline = load(&args.source.pipeline, &args.source.changes.sets())?;
    let plan = Plan::new(pipeline, &options(&args.place))?;
    let text = if args.json {
        plan::json(&plan)
    } else {
        plan::text(&plan)
    };
    put(&text)?;
    plan.check_fits(&Mode::default())?;
    Ok(Exit::Done)
}

pub(crate) fn validate(args: &Source) -> Result<Exit, Failed> {
    let pipeline = load(&args.pipeline, &args.changes.sets())?;
    let plan = Plan::new(pipeline, &Options::default())?;
    let reads = plan.steps.iter().any(|step| step.kind == "read");
    let input = if reads {
        " (of the raster that it reads, the header was checked, not the pixels)"
    } else {
        ""
    };
    say(format!("{}: valid{input}", args.pipeline.display()));
    Ok(Exit::Done)
}

pub(crate) fn schema() -> Result<Exit, Failed> {
    put(&schema_text())?;
    Ok(Exit::Done)
}

pub(crate) fn schema_text() -> String {
    format!("{:#}\n", thalweg_pipeline::schema())
}

pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit, Failed> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "thalweg", &mut script);
    put(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

pub(crate) fn man() -> Result<Exit, Failed> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| Failed::new(Exit::Io, error))?;
    put(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}

/// The one place where the number of threads is decided.
fn threads(place: &Place) -> Result<(), Failed> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(place.threads.map_or(0, usize::from));
    builder
        .build_global()
        .map_err(|error| Failed::new(Exit::DoesNotFit, format!("cannot start threads: {error}")))
}

fn options(place: &Place) -> Options {
    Options {
        out: place.out.clone(),
        threads: rayon::current_num_threads(),
    }
}
