//! What is printed, and how the process ends. Nothing here panics when the reader has gone.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use thalweg_pipeline::{Failure, PipelineError};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Usage = 2,
    Pipeline = 3,
    Data = 4,
    DoesNotFit = 5,
    Io = 6,
    Partial = 7,
    Unsound = 8,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Failure> for Exit {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Pipeline => Self::Pipeline,
            Failure::Data => Self::Data,
            Failure::Capacity => Self::DoesNotFit,
            Failure::Io => Self::Io,
            Failure::Interrupted => Self::Interrupted,
        }
    }
}

/// An error, ready to be said.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) message: String,
    pub(crate) exit: Exit,
}

impl Failed {
    pub(crate) fn new(exit: Exit, message: impl std::fmt::Display) -> Self {
        Self {
            message: format!("error: {message}"),
            exit,
        }
    }
}

impl From<PipelineError> for Failed {
    fn from(error: PipelineError) -> Self {
        let exit = error.failure().into();
        match error {
            PipelineError::Invalid(problems) => Self {
                message: crate::diagnostics::render(&problems),
                exit,
            },
            other => Self::new(exit, other),
        }
    }
}

/// A line to stderr.
pub(crate) fn say(line: impl std::fmt::Display) {
    // Nobody is left to be told when this fails.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Data to stdout. A reader that has enough and closes the pipe is no failure.
pub(crate) fn put(text: &str) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failed::new(
            Exit::Io,
            format!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}
