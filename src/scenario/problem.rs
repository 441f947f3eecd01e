//! Problems of a scenario file: all at once, each with its place, what is wrong, and what is allowed.

use crate::base::limit;
use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode, SourceSpan};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Everything that is wrong with a scenario file.
#[derive(Debug)]
pub struct ScenarioError {
    file: String,
    problems: Vec<Problem>,
    unlisted: usize,
}

/// One thing that is wrong, with its place.
pub struct Problem {
    /// What is wrong, in a sentence that holds the offending value.
    pub message: String,
    /// What is allowed, or what to do.
    pub help: Option<String>,
    /// Line, from 1; 0 where the file could not be read at all.
    pub line: usize,
    /// Column in characters, from 1; 0 where the file could not be read at all.
    pub column: usize,
    span: Option<Range<usize>>,
    source: Arc<NamedSource<String>>,
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.span.is_some().then_some(&*self.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.span.clone()?;
        let label = LabeledSpan::new_with_span(Some("here".to_owned()), SourceSpan::from(span));
        Some(Box::new(std::iter::once(label)))
    }
}

impl ScenarioError {
    /// The problems, in order of place.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The file's name.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The error and its problems, a line each with its place.
    pub fn listing(&self) -> String {
        let lines = self.problems.iter().map(|p| format!("\n  line {}, column {}: {p}", p.line, p.column));
        format!("{self}{}", lines.collect::<Vec<_>>().concat())
    }

    /// A file that could not be read at all.
    pub(super) fn unreadable(file: &str, message: String, help: &str) -> Self {
        let problem = Problem {
            message,
            help: Some(help.to_owned()),
            line: 0,
            column: 0,
            span: None,
            source: Arc::new(NamedSource::new(file, String::new())),
        };
        Self { file: file.to_owned(), problems: vec![problem], unlisted: 0 }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len() + self.unlisted;
        write!(f, "{}: {count} problem{}, nothing was run", self.file, if count == 1 { "" } else { "s" })?;
        if self.unlisted > 0 {
            write!(f, " (the first {} are listed)", self.problems.len())?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioError {}

impl Diagnostic for ScenarioError {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|p| p as &dyn Diagnostic)))
    }
}

/// Gathers problems while a file is read and checked.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<(Range<usize>, String, Option<String>)>);

impl Problems {
    /// Adds a problem at a place of the text.
    pub(super) fn add(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let help = Some(help.into()).filter(|h| !h.is_empty());
        self.0.push((span.clone(), message.into(), help));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The error that tells all of them.
    pub(super) fn into_error(mut self, file: &str, text: &str) -> ScenarioError {
        self.0.sort_by(|a, b| (a.0.start, a.0.end, &a.1).cmp(&(b.0.start, b.0.end, &b.1)));
        self.0.dedup();
        let source = Arc::new(NamedSource::new(file, text.to_owned()).with_language("TOML"));
        let unlisted = self.0.len().saturating_sub(limit::PROBLEMS);
        self.0.truncate(limit::PROBLEMS);
        let problem = |(span, message, help): (Range<usize>, String, Option<String>)| {
            let (line, column) = place_of(text, span.start);
            Problem { message, help, line, column, span: Some(span), source: source.clone() }
        };
        ScenarioError { file: file.to_owned(), problems: self.0.into_iter().map(problem).collect(), unlisted }
    }
}

/// Line and column of a byte of the text, both from 1.
fn place_of(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    (line, column)
}

/// `"a", "b" or "c"`.
pub(super) fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("\"{n}\"")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// The name among `known` that is most like `name`, if one is like it at all.
pub(super) fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|k| (edits(name, k), k)).filter(|(d, k)| *d <= 1 + k.len().max(name.len()) / 4);
    near.min().map(|(_, k)| k)
}

/// Insertions, deletions and replacements between two names (Levenshtein 1966).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_nearby_are_suggested() {
        assert_eq!(nearest_name("regoin", ["name", "region", "at"].into_iter()), Some("region"));
        assert_eq!(nearest_name("xyz", ["name", "region", "at"].into_iter()), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }

    #[test]
    fn places_count_characters() {
        assert_eq!(place_of("a\nbé = 1", 5), (2, 3));
        assert_eq!(place_of("", 0), (1, 1));
    }
}
