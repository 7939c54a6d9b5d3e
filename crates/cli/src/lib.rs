//! The thalweg command line: arguments in, exit code out. The work is in `thalweg_pipeline`.
//!
//! stdout carries data alone (records, plans, schemas); everything that is said goes to stderr.

mod args;
mod commands;
mod diagnostics;
mod init;
mod interrupt;
mod output;
mod plan;
mod progress;
mod sweep;

use args::{Cli, Command};
use clap::Parser;
use output::{Exit, say};
use std::process::ExitCode;

/// Runs the program with the process's arguments.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed terminal is no reason to panic; help and version are no errors.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            }
            .into();
        }
    };
    match command(cli.command) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            say(&failure.message);
            failure.exit.into()
        }
    }
}

fn command(command: Command) -> Result<Exit, output::Failed> {
    match command {
        Command::Run(args) => commands::run(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Plan(args) => commands::plan(&args),
        Command::Validate(args) => commands::validate(&args),
        Command::Schema => commands::schema(),
        Command::Init(args) => init::init(&args),
        Command::Completions(args) => commands::completions(args.shell),
        Command::Man => commands::man(),
    }
}
