//! Expressions over metrics: `lake_chain >= 3 && relief_m > 600`, `largest_lake_km2 / lakes desc`.
//!
//! MiniJinja evaluates them, which makes the page too. `&&`, `||` and `!` are taken for its `and`, `or` and `not`.

use crate::metrics::Metrics;
use minijinja::value::{Serde, ValueKind};
use minijinja::{Environment, UndefinedBehavior, Value};
use std::fmt;

/// An expression that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// The option that it was given with.
    pub option: &'static str,
    /// The expression.
    pub text: String,
    /// Where it is wrong: its first byte, and bytes.
    pub place: (usize, usize),
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, length) = self.place;
        let before = self.text.get(..start).unwrap_or(&self.text).chars().count();
        let marked = self.text.get(start..start + length).unwrap_or_default();
        let marks = "^".repeat(marked.chars().count().max(1));
        let column = before + 1;
        writeln!(
            f,
            "{}: {}, at character {column}",
            self.option, self.message
        )?;
        writeln!(f, "  {}", self.text)?;
        write!(f, "  {}{marks}", " ".repeat(before))
    }
}

impl std::error::Error for ExpressionError {}

/// An expression over metrics.
#[derive(Debug, Clone)]
pub struct Expression {
    option: &'static str,
    text: String,
    /// The same as MiniJinja has it.
    lowered: String,
    /// For each byte of that, the byte of the text that it comes from.
    from: Vec<usize>,
}

impl Expression {
    /// An expression, given with an option; `known` says which names there are.
    ///
    /// # Errors
    /// With the place of what is no expression, or of a name that is not known.
    pub fn new(
        option: &'static str,
        text: &str,
        known: &[String],
    ) -> Result<Self, ExpressionError> {
        let (lowered, from) = lower(text);
        let expression = Self {
            option,
            text: text.to_owned(),
            lowered,
            from,
        };
        let environment = environment();
        let compiled = environment
            .compile_expression(&expression.lowered)
            .map_err(|error| expression.wrong(&error))?;
        let mut names: Vec<String> = compiled.undeclared_variables(false).into_iter().collect();
        names.sort();
        let functions = ["true", "false", "none"];
        for name in names {
            if known.contains(&name) || functions.contains(&name.as_str()) {
                continue;
            }
            return Err(expression.unknown(&name, known));
        }
        Ok(expression)
    }

    fn unknown(&self, name: &str, known: &[String]) -> ExpressionError {
        let start = words(&self.text)
            .find(|(_, word)| *word == name)
            .map_or(0, |(start, _)| start);
        ExpressionError {
            option: self.option,
            text: self.text.clone(),
            place: (start, name.len()),
            message: format!(
                "there is no metric `{name}`; there are {}",
                known.join(", ")
            ),
        }
    }

    fn wrong(&self, error: &minijinja::Error) -> ExpressionError {
        let original = |at: usize| self.from.get(at).copied().unwrap_or(self.text.len());
        let range = error.range().unwrap_or(0..0);
        let (start, end) = (original(range.start), original(range.end));
        let detail = error
            .detail()
            .map_or_else(|| error.kind().to_string(), str::to_owned);
        ExpressionError {
            option: self.option,
            text: self.text.clone(),
            place: (start, end.saturating_sub(start)),
            message: detail,
        }
    }

    /// The value for one member. Metrics that it lacks are none; what is asked of none is none.
    ///
    /// # Errors
    /// When values do not go together.
    pub fn value(&self, metrics: &Metrics) -> Result<Option<Value>, ExpressionError> {
        let environment = environment();
        let compiled = environment
            .compile_expression(&self.lowered)
            .map_err(|error| self.wrong(&error))?;
        let names = compiled.undeclared_variables(false);
        let missing = |name: &String| {
            metrics.get(name).is_none_or(|value| value.is_null())
                && !["true", "false", "none"].contains(&name.as_str())
        };
        if names.iter().any(missing) {
            return Ok(None);
        }
        let value = compiled
            .eval(Value::from(Serde(metrics)))
            .map_err(|error| self.wrong(&error))?;
        Ok((!value.is_undefined() && !value.is_none()).then_some(value))
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
}

/// Words that may be names, with their first byte.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(inside)?;
        let word = &rest[start..];
        let end = word
            .find(|character| !inside(character))
            .unwrap_or(word.len());
        let at = text.len() - word.len();
        rest = &word[end..];
        Some((at, &word[..end]))
    })
}

/// The expression in MiniJinja's words, and where each byte of it comes from.
fn lower(text: &str) -> (String, Vec<usize>) {
    let (mut lowered, mut from) = (String::new(), Vec::new());
    let mut at = 0;
    let mut quoted = None;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let (word, taken) = match quoted {
            None if rest.starts_with("&&") => (" and ".to_owned(), 2),
            None if rest.starts_with("||") => (" or ".to_owned(), 2),
            None if character == '!' && !rest.starts_with("!=") => (" not ".to_owned(), 1),
            _ => (character.to_string(), character.len_utf8()),
        };
        match (quoted, character) {
            (None, '"' | '\'') => quoted = Some(character),
            (Some(quote), _) if quote == character => quoted = None,
            _ => {}
        }
        from.extend(std::iter::repeat_n(at, word.len()));
        lowered.push_str(&word);
        at += taken;
    }
    (lowered, from)
}

/// What is best first: the largest value, or the smallest.
#[derive(Debug, Clone)]
pub struct Rank {
    expression: Expression,
    descending: bool,
}

impl Rank {
    /// An expression, and `asc` or `desc` after it: smallest or, which needs not be said, largest first.
    ///
    /// # Errors
    /// As [`Expression::new`].
    pub fn new(text: &str, known: &[String]) -> Result<Self, ExpressionError> {
        let trimmed = text.trim_end();
        let order = |word: &str| {
            let rest = trimmed.strip_suffix(word)?;
            rest.ends_with(char::is_whitespace).then_some(rest)
        };
        let (body, descending) = match (order("desc"), order("asc")) {
            (Some(body), _) => (body, true),
            (_, Some(body)) => (body, false),
            _ => (trimmed, true),
        };
        Ok(Self {
            expression: Expression::new("--rank", body.trim_end(), known)?,
            descending,
        })
    }

    /// A key by which members sort, best first; none for those without a value.
    ///
    /// # Errors
    /// When values do not go together, or the value is no number.
    pub fn key(&self, metrics: &Metrics) -> Result<Option<f64>, ExpressionError> {
        let Some(value) = self.expression.value(metrics)? else {
            return Ok(None);
        };
        let number = if value.kind() == ValueKind::Bool {
            Some(f64::from(u8::from(value.is_true())))
        } else {
            f64::try_from(value.clone()).ok()
        };
        let number = number.ok_or_else(|| self.no_number(&value))?;
        let signed = if self.descending { -number } else { number };
        Ok((!signed.is_nan()).then_some(signed))
    }

    fn no_number(&self, value: &Value) -> ExpressionError {
        let text = self.expression.text.clone();
        ExpressionError {
            option: "--rank",
            place: (0, text.len()),
            text,
            message: format!("`{value}` is no number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known() -> Vec<String> {
        ["relief_m", "lake_chain", "lakes", "sound"]
            .map(str::to_owned)
            .to_vec()
    }

    fn metrics() -> Metrics {
        json!({ "relief_m": 700.5, "lake_chain": 3, "sound": true })
            .as_object()
            .unwrap()
            .clone()
    }

    fn holds(text: &str) -> Option<bool> {
        let expression = Expression::new("--where", text, &known()).unwrap();
        expression
            .value(&metrics())
            .unwrap()
            .map(|value| value.is_true())
    }

    #[test]
    fn signs_and_words_mean_the_same() {
        for (text, expected) in [
            ("lake_chain >= 3 && relief_m > 600", true),
            ("lake_chain >= 3 and relief_m > 600", true),
            ("lake_chain > 3 || relief_m < 600", false),
            ("!(lake_chain > 3)", true),
            ("lake_chain != 3", false),
            ("!sound", false),
            ("relief_m / lake_chain > 233 && relief_m * 2 == 1401", true),
            ("\"a&&b\" == 'a&&b'", true),
        ] {
            assert_eq!(holds(text), Some(expected), "{text}");
        }
        // This member has no lakes to be counted.
        assert_eq!(holds("lakes > 0"), None);
    }

    #[test]
    fn errors_point_at_the_place() {
        let place = |text: &str| {
            let error = Expression::new("--where", text, &known()).unwrap_err();
            (error.place, error.to_string())
        };
        let (at, text) = place("lake_chain >= 3 && releif_m > 600");
        assert_eq!(at, (19, 8));
        assert!(
            text.contains("no metric `releif_m`") && text.contains("character 20"),
            "{text}"
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2].find('^'), lines[1].find("releif_m"));
        let (at, text) = place("relief_m > 1 && lakes > > 2");
        assert_eq!(at.0, 24, "{text}");
    }

    #[test]
    fn the_largest_is_best_unless_the_smallest_is() {
        let key = |text: &str| Rank::new(text, &known()).unwrap().key(&metrics()).unwrap();
        assert_eq!(key("relief_m"), Some(-700.5));
        assert_eq!(key("relief_m desc"), Some(-700.5));
        assert_eq!(key("relief_m  asc "), Some(700.5));
        assert_eq!(key("lakes asc"), None);
        assert!(Rank::new("desc", &known()).is_err());
        assert!(Rank::new("'a'", &known()).unwrap().key(&metrics()).is_err());
    }
}
