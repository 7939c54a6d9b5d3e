//! `thalweg sweep`: arguments in, events out.

pub(crate) mod args;
mod tell;

use crate::interrupt::Interrupt;
use crate::output::{Exit, Failed, put, say};
use crate::progress::Voice;
use args::{StatusArgs, SweepArgs, SweepCommand};
use tell::Teller;
use thalweg_sweep::{How, Keep, Request, Share, Summary, Sweep, SweepError};

pub(crate) fn sweep(args: &SweepArgs) -> Result<Exit, Failed> {
    if let Some(SweepCommand::Status(args)) = &args.command {
        return status(args);
    }
    let (Some(pipeline), Some(seeds)) = (&args.pipeline, &args.seeds) else {
        let message = "name a pipeline file and --seeds: `thalweg sweep hills.yaml --seeds 1..20`";
        return Err(Failed::new(Exit::Usage, message));
    };
    let interrupt = Interrupt::listen();
    let varied: Vec<String> = args.vary.iter().map(|vary| vary.path.clone()).collect();
    let keep = Keep::new(
        args.rank.as_deref(),
        args.filter.as_deref(),
        args.keep.as_deref(),
        &varied,
    )?;
    let sweep = Sweep::new(&Request {
        pipeline: pipeline.clone(),
        sets: args.sets(),
        seeds: seeds.clone(),
        vary: args.vary.clone(),
        out: args.out.clone(),
    })?;
    let program = std::env::current_exe()
        .map_err(|error| Failed::new(Exit::Io, format!("cannot find the program: {error}")))?;
    let how = How {
        program,
        jobs: args.jobs.map(usize::from),
        threads: args.threads.map(usize::from),
        share: args
            .shard
            .unwrap_or_else(|| Share::from_environment(|name| std::env::var(name).ok())),
        keep,
        fail_fast: args.fail_fast,
        retry: args.retry,
        timeout: args.timeout,
        until: args.until,
        max_disk: args.max_disk,
        checkpoint_every: args.checkpoint_every.clone(),
        command: typed(),
    };
    let teller = Teller::new(Voice::new(args.quiet), args.json, interrupt);
    let summary = sweep.run(&how, &teller)?;
    teller.finish(&sweep.folder, &summary);
    Ok(exit(&summary, teller.interrupted()))
}

fn exit(summary: &Summary, interrupted: bool) -> Exit {
    match (summary.complete(), interrupted) {
        (true, _) => Exit::Done,
        (false, true) => Exit::Interrupted,
        (false, false) => Exit::Partial,
    }
}

/// The command as it was typed, for those who want to go on with it.
fn typed() -> String {
    let plain = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|character| character.is_alphanumeric() || "-_./:=,%+@".contains(character))
    };
    let quoted = |word: String| {
        if plain(&word) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| quoted(word.to_string_lossy().into_owned()));
    let words: Vec<String> = std::iter::once("thalweg".to_owned()).chain(words).collect();
    words.join(" ")
}

fn status(args: &StatusArgs) -> Result<Exit, Failed> {
    let (summary, value) = thalweg_sweep::status(&args.folder)?;
    if args.json {
        put(&format!("{value:#}\n"))?;
    } else {
        put(&tell::status(&summary, &value))?;
    }
    Ok(if summary.complete() {
        Exit::Done
    } else {
        Exit::Partial
    })
}

impl From<SweepError> for Failed {
    fn from(error: SweepError) -> Self {
        let exit = match error {
            SweepError::Pipeline(error) => return error.into(),
            SweepError::Output { .. } => Exit::Pipeline,
            SweepError::Other { .. }
            | SweepError::None { .. }
            | SweepError::Io { .. }
            | SweepError::Page(_) => Exit::Io,
            _ => Exit::Usage,
        };
        Self::new(exit, error)
    }
}

/// For tests: makes the member of a seed fail, as `THALWEG_TEST_MEMBER=3=panic,4=kill,5=sleep,6=ledger` says.
pub(crate) fn hook(seed: u64) -> Option<String> {
    let wanted = std::env::var("THALWEG_TEST_MEMBER").ok()?;
    let mut pairs = wanted.split(',').filter_map(|pair| pair.split_once('='));
    let (_, what) = pairs.find(|pair| pair.0 == seed.to_string())?;
    match what {
        "ledger" => return Some("the water ledger is off by 1, more than 1e-6".to_owned()),
        "panic" => panic!("asked to panic by THALWEG_TEST_MEMBER"),
        // What the system does to a process that exceeds its memory.
        "kill" => say(format!(
            "{:?}",
            signal_hook::low_level::raise(signal_hook::consts::SIGKILL)
        )),
        "sleep" => std::thread::sleep(std::time::Duration::from_secs(3600)),
        _ => {}
    }
    None
}
