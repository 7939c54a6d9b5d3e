//! What can be typed.

use crate::sweep::args::SWEEP;
pub(crate) use crate::sweep::args::SweepArgs;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use thalweg_pipeline::Every;

/// From a pipeline file to eroded, georeferenced elevation models.
#[derive(Debug, Parser)]
#[command(name = "thalweg", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  2  the command line is wrong
  3  the pipeline is wrong
  4  input data is wrong
  5  the map does not fit into memory or disk
  6  reading or writing failed, or results or a checkpoint are in the way
  7  a sweep in which not every member is done
  8  done, but a ledger or a sanity check is out of bounds
  130  interrupted; where there are checkpoints, --resume goes on

Example:
  thalweg init hills && thalweg run hills.yaml";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a pipeline and write its outputs
    #[command(
        override_usage = "\
thalweg run [OPTIONS] <PIPELINE.yaml>
       thalweg run [OPTIONS] --from <run.json>",
        after_help = "\
Example:
  thalweg run pipelines/quickstart.yaml --set grid.rows=512 --set erode.rivers.cycles=50

Outputs go to out/<name>-<seed>/ unless --out names another folder; run.json there says what was done.
  thalweg run --from out/quickstart-42/run.json --out out/again

Long runs keep checkpoints; one that was stopped goes on where it was, to the same pixels:
  thalweg run pipelines/highland.yaml --checkpoint-every 1m
  thalweg run pipelines/highland.yaml --resume"
    )]
    Run(RunArgs),
    /// Show what would run, and what it would cost; run nothing
    #[command(after_help = "\
Example:
  thalweg plan pipelines/highland.yaml --set grid.rows=8192 --set grid.cols=8192")]
    Plan(PlanArgs),
    /// Run a pipeline with many seeds and values, and make a page to choose from them
    #[command(
        args_conflicts_with_subcommands = true,
        subcommand_negates_reqs = true,
        override_usage = "\
thalweg sweep [OPTIONS] --seeds <SEEDS> <PIPELINE.yaml>
       thalweg sweep status <DIR>",
        after_help = SWEEP
    )]
    Sweep(Box<SweepArgs>),
    /// Check a pipeline file, and the header of the raster that it reads
    #[command(after_help = "\
Example:
  thalweg validate pipelines/quickstart.yaml")]
    Validate(Source),
    /// Print the JSON Schema of pipeline files, for editors
    #[command(after_help = "\
Example:
  thalweg schema > thalweg.schema.json")]
    Schema,
    /// Write a commented starter pipeline, with the schema for editors beside it
    #[command(after_help = "\
Example:
  thalweg init hills        # makes hills.yaml and thalweg.schema.json")]
    Init(InitArgs),
    /// Print a completion script for a shell
    #[command(after_help = "\
Example:
  mkdir -p ~/.local/share/bash-completion/completions
  thalweg completions bash > ~/.local/share/bash-completion/completions/thalweg")]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(after_help = "\
Example:
  mkdir -p ~/.local/share/man/man1
  thalweg man > ~/.local/share/man/man1/thalweg.1")]
    Man,
}

/// A pipeline and what is changed in it.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The pipeline file
    #[arg(value_name = "PIPELINE.yaml")]
    pub(crate) pipeline: PathBuf,
    #[command(flatten)]
    pub(crate) changes: Changes,
}

#[derive(Debug, Args)]
pub(crate) struct Changes {
    /// Seed of every random choice, in place of the file's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Set any key: `grid.rows=512`, `erode.rivers.cycles=50` (kind and id of a stage), `outputs.0.path=a.tif`;
    /// `null` takes a key out. Paths of files given here are relative to the working folder
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

impl Changes {
    /// All changes as `PATH=VALUE`.
    pub(crate) fn sets(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        self.set.iter().cloned().chain(seed).collect()
    }
}

#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Folder of the outputs [default: out/<name>-<seed>]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads that work; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The pipeline file
    #[arg(value_name = "PIPELINE.yaml", conflicts_with = "from")]
    pub(crate) pipeline: Option<PathBuf>,
    /// Run the pipeline that an earlier run recorded: the same pixels again, or exit code 8
    #[arg(long, value_name = "run.json")]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) changes: Changes,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Replace existing results, and a checkpoint that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Go on from the checkpoint of the same run that was stopped; without one, start anew; if it is done, do nothing
    #[arg(long)]
    pub(crate) resume: bool,
    /// Write a checkpoint after each stage, and within one when so much time has gone: `90s`, `5m`, `2h`, or `never`
    /// [default: 5m in runs of more than about ten minutes and with --resume, else never]
    #[arg(long, value_name = "DURATION", value_parser = every)]
    pub(crate) checkpoint_every: Option<Every>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print the run's record (run.json) to stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop, as after ^C, when stdin is closed: a sweep's members end with it
    #[arg(long, hide = true)]
    pub(crate) leash: bool,
}

/// A time between checkpoints: a number and its unit, or `never`.
fn every(text: &str) -> Result<Every, String> {
    if text == "never" {
        return Ok(Every::Never);
    }
    let time = duration(text).map_err(|expected| format!("{expected}, or `never`"))?;
    Ok(Every::Time(time))
}

/// A number and its unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number with s, m or h, such as 5m".to_owned();
    let unit_s = match text.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3600,
        _ => return Err(expected()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| expected())?;
    Ok(Duration::from_secs(u64::from(number) * unit_s))
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print the plan as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Name of the pipeline, and of its file without `.yaml`
    #[arg(value_name = "NAME", default_value = "terrain")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        let seconds = |count| Ok(Every::Time(Duration::from_secs(count)));
        assert_eq!(every("0s"), seconds(0));
        assert_eq!(every("5m"), seconds(300));
        assert_eq!(every("2h"), seconds(7200));
        assert_eq!(every("never"), Ok(Every::Never));
        for wrong in ["", "5", "m", "-1m", "5 m", "5d", "1.5h", "5µ"] {
            assert!(every(wrong).is_err(), "{wrong}");
        }
    }
}
