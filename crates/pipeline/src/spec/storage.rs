//! In what format rasters are stored.

use super::{Content, Output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How pixels are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Compress {
    /// Without loss, read by everything.
    Deflate,
    /// Without loss, faster; needs a GDAL that has it, where the file is read too.
    Zstd,
    /// Within `max_error`, far smaller; needs a GDAL that has it, where the file is read too.
    Lerc,
    /// Not at all.
    None,
}

/// The value of a driver's option; GDAL's YES and NO may be written as true and false.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OptionValue {
    /// YES or NO.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Switch(true) => f.write_str("YES"),
            Self::Switch(false) => f.write_str("NO"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl Output {
    /// GDAL's name of the format, if the output is stored by GDAL.
    ///
    /// A film keeps its bands one behind the other, which GDAL's cloud-optimised files learnt in 3.11 only.
    #[must_use]
    pub fn driver(&self) -> Option<&str> {
        let content = self.content()?;
        let stored = match &content {
            Content::Layer(_) => true,
            Content::Picture(_) | Content::Film(_) => !self.path.ends_with(".png"),
            _ => false,
        };
        let film = matches!(content, Content::Film(_)) && super::digits(Path::new(&self.path)) == 0;
        let usual = if film { "gtiff" } else { "cog" };
        stored.then(|| self.format.as_deref().unwrap_or(usual))
    }

    /// Whether the format is one of the two kinds of TIFF, and thus what the path must end in.
    #[must_use]
    pub fn is_tiff(&self) -> bool {
        let tiff = |driver: &str| ["cog", "gtiff"].contains(&driver.to_lowercase().as_str());
        self.driver().is_none_or(tiff)
    }

    /// The keys of storage that are given.
    pub(crate) fn storage_keys(&self) -> Vec<&'static str> {
        [
            ("format", self.format.is_some()),
            ("compress", self.compress.is_some()),
            ("max_error", self.max_error.is_some()),
            ("step_m", self.step_m.is_some()),
            ("options", !self.options.is_empty()),
        ]
        .into_iter()
        .filter_map(|(key, given)| given.then_some(key))
        .collect()
    }
}
