//! What is wrong with a pipeline, drawn with the lines that it is about.

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};
use std::fmt;
use std::io::IsTerminal;
use thalweg_pipeline::{Place, Problem, Problems};

/// Bytes in a line that can still be drawn: `miette` pads with a width that must fit 16 bits.
const LONGEST_LINE: usize = 10_000;

/// All problems of a pipeline, as text for the terminal.
pub(crate) fn render(problems: &Problems) -> String {
    if problems.text.lines().any(|line| line.len() > LONGEST_LINE) {
        return problems.to_string();
    }
    let handler = handler();
    let source = NamedSource::new(&problems.file, problems.text.clone());
    let mut text = String::new();
    for problem in &problems.list {
        let drawn = Drawn::new(problem, problems, &source);
        if handler.render_report(&mut text, &drawn).is_err() {
            return problems.to_string();
        }
    }
    text.trim_end().to_owned()
}

fn handler() -> GraphicalReportHandler {
    let terminal = std::io::stderr().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = if colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    // In a file, what is broken over lines cannot be searched for.
    if terminal {
        handler
    } else {
        handler.with_width(10_000).with_wrap_lines(false)
    }
}

/// One problem in the form that is drawn.
#[derive(Debug)]
struct Drawn<'a> {
    message: String,
    help: Option<&'a str>,
    label: Option<LabeledSpan>,
    source: &'a NamedSource<String>,
}

impl<'a> Drawn<'a> {
    fn new(problem: &'a Problem, problems: &Problems, source: &'a NamedSource<String>) -> Self {
        let message = match (&problem.place, &problem.set) {
            (None, Some(set)) => format!("--set {set}: {}", problem.message),
            (None, None) => format!("{}: {}", problems.file, problem.message),
            _ => problem.message.clone(),
        };
        let label = problem.place.map(|place| {
            let (start, length) = span(&problems.text, place);
            LabeledSpan::new_primary_with_span(None, (start, length))
        });
        Self {
            message,
            help: problem.help.as_deref(),
            label,
            source,
        }
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.help
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.label.as_ref().map(|_| self.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.label
            .clone()
            .map(|label| Box::new(std::iter::once(label)) as Box<dyn Iterator<Item = _>>)
    }
}

/// First byte and number of bytes of a place, which never goes beyond its line or the text.
fn span(text: &str, place: Place) -> (usize, usize) {
    let start_of_line: usize = text
        .split_inclusive('\n')
        .take(place.line - 1)
        .map(str::len)
        .sum();
    let line = text
        .get(start_of_line..)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default();
    let bytes = |chars: usize| {
        line.char_indices()
            .nth(chars)
            .map_or(line.len(), |(index, _)| index)
    };
    let first = bytes(place.column - 1);
    let end = bytes(place.column - 1 + place.length.max(1));
    (start_of_line + first, end - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_spans_bytes() {
        let text = "name: höhe\r\nseed: ü\n";
        let at = |line, column, length| {
            let (start, bytes) = span(
                text,
                Place {
                    line,
                    column,
                    length,
                },
            );
            &text[start..start + bytes]
        };
        assert_eq!(at(1, 7, 4), "höhe");
        assert_eq!(at(2, 7, 1), "ü");
        assert_eq!(at(2, 7, 99), "ü");
        assert_eq!(at(9, 9, 9), "");
    }
}
