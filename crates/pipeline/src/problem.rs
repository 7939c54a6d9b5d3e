//! What is wrong with a pipeline, and where.

use std::fmt;

/// A stretch of a pipeline file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Length in characters; 0 where only the start is known.
    pub length: usize,
}

impl From<serde_saphyr::Location> for Place {
    fn from(location: serde_saphyr::Location) -> Self {
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        Self {
            line: number(location.line()).max(1),
            column: number(location.column()).max(1),
            length: number(location.span().len()),
        }
    }
}

/// One thing that is wrong with a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What was expected and what was found.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where in the file; none when the value is not in it.
    pub place: Option<Place>,
    /// The `--set` that brought the value, if one did.
    pub set: Option<String>,
    /// Whether the pipeline is right and the data that it names is not.
    pub about_data: bool,
}

impl Problem {
    /// A problem with a message alone.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            place: None,
            set: None,
            about_data: false,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn at(mut self, origin: &crate::tree::Origin) -> Self {
        match origin {
            crate::tree::Origin::File(place) => self.place = Some(*place),
            crate::tree::Origin::Set(text) => self.set = Some(text.clone()),
            crate::tree::Origin::Record => {}
        }
        self
    }
}

/// Everything that is wrong with one pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Problems {
    /// The file's name as it was given.
    pub file: String,
    /// The file's text.
    pub text: String,
    /// What is wrong, in the order in which it was found; at least one.
    pub list: Vec<Problem>,
}

impl Problems {
    /// Whether the pipeline itself is right, and only the data that it names is not.
    #[must_use]
    pub fn about_data(&self) -> bool {
        self.list.iter().all(|problem| problem.about_data)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, problem: &Problem) -> fmt::Result {
        match (&problem.place, &problem.set) {
            (Some(place), _) => {
                let Place { line, column, .. } = place;
                write!(f, "{}:{line}:{column}: {}", self.file, problem.message)?;
                let source = self.text.lines().nth(line - 1).unwrap_or_default();
                // A line that no terminal can hold is named and not shown.
                if source.len() <= 500 {
                    let indent = " ".repeat(column - 1);
                    let marks = "^".repeat(place.length.max(1));
                    write!(f, "\n  {source}\n  {indent}{marks}")?;
                }
            }
            (None, Some(set)) => write!(f, "--set {set}: {}", problem.message)?,
            (None, None) => write!(f, "{}: {}", self.file, problem.message)?,
        }
        if let Some(help) = &problem.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.list.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            self.write(f, problem)?;
        }
        Ok(())
    }
}
