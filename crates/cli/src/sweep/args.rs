//! What can be typed after `sweep`.

use crate::args::{Changes, duration};
use chrono::{Local, NaiveDateTime, NaiveTime, TimeZone};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use thalweg_sweep::{Seeds, Share, Vary};

pub(crate) const SWEEP: &str = "\
Examples:
  thalweg sweep pipelines/quickstart.yaml --seeds 1..200 --until 07:00
  thalweg sweep pipelines/lake-district.yaml --seeds 1..40 --rank 'lake_chain desc' --keep top:10
  thalweg sweep pipelines/quickstart.yaml --seeds 1..20 --vary erode.rivers.cycles=50,100,200
  thalweg sweep status out/quickstart-sweep

The same command goes on where it stopped, and may run several times at once, also on other machines that share the
folder: members are shared out, and none is worked on twice. In the morning, open index.html in the folder.

Names for --rank and --where: the columns of sweep.csv, such as relief_m, lakes, lake_chain, lake_area_km2, and the
last part of keys given with --vary. Operators: + - * / < <= > >= == != && || ! and parentheses.";

#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SweepCommand>,
    /// The pipeline file
    #[arg(value_name = "PIPELINE.yaml", required = true)]
    pub(crate) pipeline: Option<PathBuf>,
    /// Seeds: numbers and ranges that include both ends, such as 1..200 or 3,7,10..19
    #[arg(long, value_name = "SEEDS", required = true)]
    pub(crate) seeds: Option<Seeds>,
    /// Values of a key, each with every seed and all values of other keys; may be given several times
    #[arg(long, value_name = "PATH=A,B,C")]
    pub(crate) vary: Vec<Vary>,
    /// Set any key of all members, as `thalweg run` does
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Folder of the sweep [default: out/<name>-sweep]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Members at a time [default: as many as cores and memory allow]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) jobs: Option<u16>,
    /// Threads of each member; results do not depend on it [default: cores over jobs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Option<u16>,
    /// Which members are best: an expression, largest first, or smallest with `asc` after it
    #[arg(long, value_name = "EXPR")]
    pub(crate) rank: Option<String>,
    /// Which members count: an expression such as `lake_chain >= 3 && relief_m > 600`
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    /// Which members keep their outputs: top:N of --rank (and --where), or all; of the others pictures, metrics and
    /// run.json stay, with which `thalweg run --from` makes them again [default: all]
    #[arg(long, value_name = "top:N")]
    pub(crate) keep: Option<String>,
    /// Stop at the first member that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Try members again that failed or are invalid; those that ran out of time, memory or disk or were killed are
    /// tried again without it
    #[arg(long)]
    pub(crate) retry: bool,
    /// Longest time of a member, such as 2h
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// When to stop, by the local clock: 07:00 (the next one) or 2030-06-01T07:00; members keep a checkpoint
    #[arg(long, value_name = "TIME", value_parser = until)]
    pub(crate) until: Option<SystemTime>,
    /// Begin no member when the folder might grow larger than this, such as 200GB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_disk: Option<u64>,
    /// Work on the I-th of N parts of the members [default: by SLURM_ARRAY_TASK_ID and _COUNT, else all]
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Share>,
    /// Time between checkpoints of a member, as `thalweg run` takes it
    #[arg(long, value_name = "DURATION", value_parser = checkpoint_every)]
    pub(crate) checkpoint_every: Option<String>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print what happens to stdout, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// Show how far a sweep has come, from its folder alone
    Status(StatusArgs),
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Folder of a sweep
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print all members and metrics as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl SweepArgs {
    /// Changes of all members.
    pub(crate) fn sets(&self) -> Vec<String> {
        let changes = Changes {
            seed: None,
            set: self.set.clone(),
        };
        changes.sets()
    }
}

/// A duration or `never`, as it was typed.
fn checkpoint_every(text: &str) -> Result<String, String> {
    if text != "never" {
        duration(text)?;
    }
    Ok(text.to_owned())
}

/// A moment by the local clock.
fn until(text: &str) -> Result<SystemTime, String> {
    let expected =
        || "expected a time such as 07:00, or a date and time such as 2030-06-01T07:00".to_owned();
    let now = Local::now().naive_local();
    let time = NaiveTime::parse_from_str(text, "%H:%M");
    let moment = match time {
        Ok(time) => next(now, time),
        Err(_) => ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"]
            .iter()
            .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
            .ok_or_else(expected)?,
    };
    // Where the clock is put back a moment comes twice; where it is put forward, it never comes: an hour later does.
    let local = Local
        .from_local_datetime(&moment)
        .earliest()
        .or_else(|| {
            Local
                .from_local_datetime(&(moment + chrono::Duration::hours(1)))
                .earliest()
        })
        .ok_or_else(expected)?;
    Ok(local.into())
}

/// The next moment after `now` at which a clock shows `time`.
fn next(now: NaiveDateTime, time: NaiveTime) -> NaiveDateTime {
    let today = now.date().and_time(time);
    if today > now {
        today
    } else {
        today + chrono::Duration::days(1)
    }
}

/// Bytes, with a decimal or binary unit.
fn size(text: &str) -> Result<u64, String> {
    let expected = || "expected a number with a unit, such as 200GB, 1.5TB or 512MiB".to_owned();
    let letters = text.find(|character: char| character.is_ascii_alphabetic());
    let (number, unit) = text.split_at(letters.unwrap_or(text.len()));
    let factor = match unit.to_ascii_lowercase().as_str() {
        "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return Err(expected()),
    };
    let number: f64 = number.trim().parse().map_err(|_| expected())?;
    let fits = number.is_finite() && (0.0..1e7).contains(&number);
    fits.then_some((number * factor) as u64)
        .ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size("200GB"), Ok(200_000_000_000));
        assert_eq!(size("1.5 kB"), Ok(1500));
        assert_eq!(size("1MiB"), Ok(1_048_576));
        for wrong in ["", "5", "GB", "-1GB", "1XB", "infGB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_time_of_day_is_the_next_one() {
        let at = |text: &str| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap();
        let seven = NaiveTime::from_hms_opt(7, 0, 0).unwrap();
        assert_eq!(next(at("2030-06-01T23:00"), seven), at("2030-06-02T07:00"));
        assert_eq!(next(at("2030-06-01T06:59"), seven), at("2030-06-01T07:00"));
        assert_eq!(next(at("2030-06-01T07:00"), seven), at("2030-06-02T07:00"));
        assert!(until("2001-01-01T07:00").unwrap() < SystemTime::now());
        assert!(until("00:00").unwrap() > SystemTime::now());
        assert!(until("7").is_err() && until("25:00").is_err());
    }
}
