use crate::expression::ExpressionError;
use std::path::{Path, PathBuf};
use thalweg_pipeline::PipelineError;

/// Why a sweep could not be set up or go on.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// Seeds that are none.
    #[error(
        "--seeds {found}: {message}; expected numbers and ranges that include both ends, such as 1..200 or 3,7,10..19"
    )]
    Seeds {
        /// What was given.
        found: String,
        /// What is wrong with it.
        message: String,
    },
    /// A key that varies, without values.
    #[error(
        "--vary {found}: {message}; expected a key and its values, such as erode.rivers.cycles=50,100,200"
    )]
    Vary {
        /// What was given.
        found: String,
        /// What is wrong with it.
        message: String,
    },
    /// More members than a folder should hold.
    #[error("{found} members; a sweep may have at most {most}: use fewer --seeds or --vary values")]
    Many {
        /// Seeds times combinations.
        found: u128,
        /// The limit.
        most: u128,
    },
    /// `--keep` without an order.
    #[error("--keep {found}: {message}")]
    Keep {
        /// What was given.
        found: String,
        /// What is wrong with it.
        message: String,
    },
    /// A part of the sweep that is none.
    #[error("--shard {found}: expected I/N with I from 1 to N, such as 2/8")]
    Shard {
        /// What was given.
        found: String,
    },
    /// `--rank` or `--where` cannot be understood.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// The pipeline is wrong.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// An output has the name of the sweep's own folder.
    #[error("{}: outputs of a sweep must not be in a folder `sweep`, where its own files are; choose another path", path.display())]
    Output {
        /// The output.
        path: PathBuf,
    },
    /// The folder holds another sweep.
    #[error("{} holds a sweep of another pipeline (`{name}`, thalweg {version}); pipelines, --set and versions do not mix: choose another folder with --out", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
        /// Name of its pipeline.
        name: String,
        /// Version of the program that began it.
        version: String,
    },
    /// The folder holds no sweep.
    #[error("{} holds no sweep; `thalweg sweep PIPELINE.yaml --seeds 1..10 --out {}` begins one", folder.display(), folder.display())]
    None {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("{}: cannot {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// The page cannot be made.
    #[error("cannot make the page: {0}")]
    Page(String),
}

/// An error about a file.
pub(crate) fn failed(path: &Path, doing: &'static str) -> impl Fn(std::io::Error) -> SweepError {
    let path = path.to_owned();
    move |source| SweepError::Io {
        path: path.clone(),
        doing,
        source,
    }
}
