//! Standard output: text in columns, JSON, and readers who stop early.

use super::failure::Failure;
use serde::Serialize;
use std::io::{BufWriter, ErrorKind, Write};
use std::ops::Range;

/// Where results go.
pub(super) struct Output(BufWriter<Box<dyn Write>>);

impl Output {
    pub(super) fn to_stdout() -> Self {
        Self(BufWriter::new(Box::new(std::io::stdout())))
    }

    #[cfg(test)]
    pub(super) fn to_nowhere() -> Self {
        Self(BufWriter::new(Box::new(std::io::sink())))
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        writeln!(self.0, "{}", text.as_ref()).map_err(|e| failed(&e))
    }

    pub(super) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|e| Failure::run(e.to_string()))?;
        self.line(text)
    }

    pub(super) fn table(&mut self, rows: &[Vec<String>], numbers: Range<usize>) -> Result<(), Failure> {
        for line in columns(rows, &numbers) {
            self.line(line)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(|e| failed(&e))
    }
}

/// A reader that closed the pipe has what it wanted.
fn failed(error: &std::io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::run(format!("cannot write the output: {error}")),
    }
}

/// Rows as lines with columns two spaces apart; the columns of `numbers` stand right.
fn columns(rows: &[Vec<String>], numbers: &Range<usize>) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|c| width(c).unwrap_or(0)).collect();
    let align = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(c, cell)| {
            let width = widths[c];
            if numbers.contains(&c) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(align).collect()
}

/// A whole number with its thousands apart.
pub(super) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A word as a shell takes it whole: quoted where it must be, and no option where it begins with a dash.
pub(super) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:+,%@".contains(c);
    let text = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Seconds as a person reads them.
pub(super) fn seconds(s: f64) -> String {
    format!("{s:.2} s")
}

/// A rate in a short form: `950`, `12.3 k`, `4.56 M`.
pub(super) fn short_rate(v: f64) -> String {
    match v {
        v if v >= 1e6 => format!("{:.2} M", v / 1e6),
        v if v >= 1e4 => format!("{:.1} k", v / 1e3),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_end_without_spaces() {
        let rows =
            [vec!["a".to_owned(), "10".to_owned()], vec!["long".to_owned(), "5".to_owned(), String::new()]];
        assert_eq!(columns(&rows, &(1..2)), ["a     10", "long   5"]);
    }

    #[test]
    fn words_are_safe_in_a_shell() {
        assert_eq!(
            ["a/b.toml", "my hall.toml", "-x", "it's"].map(shell_word),
            ["a/b.toml", "'my hall.toml'", "./-x", "'it'\\''s'"]
        );
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.4, 9_999.0, 12_345.0, 4_560_000.0].map(short_rate), ["0", "9999", "12.3 k", "4.56 M"]);
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let closed = failed(&std::io::Error::from(ErrorKind::BrokenPipe));
        assert_eq!(closed.exit_code(), 0);
        assert_eq!(failed(&std::io::Error::from(ErrorKind::StorageFull)).exit_code(), 3);
    }
}
