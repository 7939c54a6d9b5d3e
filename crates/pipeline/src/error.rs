use crate::problem::Problems;
use std::path::PathBuf;

/// Why a pipeline did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The pipeline file cannot be read.
    #[error("{}: cannot read the pipeline: {source}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Keys or values are wrong.
    #[error("{0}")]
    Invalid(Box<Problems>),
    /// A record of an earlier run is no such thing.
    #[error("{}: {message}; --from takes the run.json of an earlier run", file.display())]
    Record {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A stage refuses its parameters, which depend on more than themselves.
    #[error("stage {kind}.{id}: {message}")]
    Parameters {
        /// The stage's kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// Expected and found.
        message: String,
    },
    /// An output's folder leads elsewhere.
    #[error("{}: the output would leave the output folder through the link {}; choose another path", path.display(), link.display())]
    Leaves {
        /// The output.
        path: PathBuf,
        /// The link.
        link: PathBuf,
    },
    /// An output would replace what the pipeline reads.
    #[error("{}: the output would replace the raster that the pipeline reads; choose another folder with --out, or another path", path.display())]
    ReplacesInput {
        /// The output.
        path: PathBuf,
    },
    /// An input is not what it must be.
    #[error("stage {kind}.{id}: {message}")]
    Data {
        /// The stage's kind.
        kind: &'static str,
        /// Its id.
        id: String,
        /// Expected and found.
        message: String,
    },
    /// The map does not fit.
    #[error("{0}")]
    DoesNotFit(String),
    /// Results are there already.
    #[error("{} exists already; allow it to be replaced with --overwrite, or choose another folder with --out", path.display())]
    Exists {
        /// The first file in the way.
        path: PathBuf,
    },
    /// The output folder is no folder.
    #[error("{}: is a file; --out takes a folder", path.display())]
    NotFolder {
        /// The file.
        path: PathBuf,
    },
    /// Where a file is to be written there is a folder, which no file replaces.
    #[error("{}: is a folder, and a file is to be written there; move it away, or choose another folder with --out", path.display())]
    InTheWay {
        /// The folder.
        path: PathBuf,
    },
    /// Another process works in the same folder.
    #[error("{} is in use by another run; wait for it, or choose another folder with --out", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The system failed.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// A raster was not written.
    #[error("{0}")]
    Write(thalweg_geotiff::GeotiffError),
    /// A checkpoint is there that nobody decided on.
    #[error("{} holds the checkpoint of a run that has not come to its end ({at}); {advice}", folder.display())]
    Unfinished {
        /// The folder.
        folder: PathBuf,
        /// How far that run had come.
        at: String,
        /// What to do.
        advice: String,
    },
    /// What was to be gone on with is another run.
    #[error("{}: cannot go on from the checkpoint there: {what}. Give what that run was given, start anew with --overwrite in place of --resume, or choose another folder with --out", folder.display())]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// What differs.
        what: String,
    },
    /// A failure that leaves a checkpoint.
    #[error("{0}; what was done is kept: the same command with --resume goes on")]
    Kept(Box<PipelineError>),
    /// The observer asked to stop.
    #[error("interrupted: the run is not complete")]
    Interrupted,
}

/// What sort of failure an error is: it decides how a program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The pipeline is wrong.
    Pipeline,
    /// The data that it names is wrong.
    Data,
    /// Memory or disk does not suffice.
    Capacity,
    /// The system failed to read or write, or results are in the way.
    Io,
    /// Stopped on request.
    Interrupted,
}

impl PipelineError {
    /// What sort of failure this is.
    #[must_use]
    pub fn failure(&self) -> Failure {
        use thalweg_geotiff::ErrorKind;
        match self {
            Self::Invalid(problems) if problems.about_data() => Failure::Data,
            Self::Unreadable { .. }
            | Self::Invalid(_)
            | Self::Record { .. }
            | Self::Parameters { .. }
            | Self::Leaves { .. }
            | Self::ReplacesInput { .. } => Failure::Pipeline,
            Self::Data { .. } => Failure::Data,
            Self::DoesNotFit(_) => Failure::Capacity,
            Self::Exists { .. }
            | Self::NotFolder { .. }
            | Self::InTheWay { .. }
            | Self::Busy { .. }
            | Self::Unfinished { .. }
            | Self::OtherRun { .. }
            | Self::Io { .. } => Failure::Io,
            Self::Kept(error) => error.failure(),
            Self::Write(error) => match error.kind() {
                ErrorKind::Data => Failure::Data,
                // What fits is decided before the work; a disk that others fill meanwhile is a failed write.
                ErrorKind::Space | ErrorKind::Io => Failure::Io,
            },
            Self::Interrupted => Failure::Interrupted,
        }
    }
}
