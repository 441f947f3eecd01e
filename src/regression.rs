//! Regression tests of crowd behaviour: what a run gave, kept as text that a person can review, and compared.
//!
//! A [`Baseline`] is the [`Snapshot`] of a run, its digest, and a mark of every tick. Two baselines tell which lines
//! changed and the first tick that differs. `throng check --bless` keeps one beside a scenario;
//! `throng::assert_run!` makes one an insta snapshot of your own tests.

use crate::base::{Digest, SimulationError, Tick};
use crate::record::TickRecord;
use crate::scenario::{Scenario, ScenarioError};
use crate::simulation::{RESULTS_VERSION, Simulation};
use crate::snapshot::Snapshot;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Marks in a line of text.
const MARKS_PER_LINE: usize = 20;
/// What the line before the marks begins with.
const MARKS: &str = "marks of ticks";

/// What a run gave, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    /// Lines that a person reviews; the last ones hold results version and digest.
    lines: Vec<String>,
    /// The lowest 16 bits of each tick's state digest.
    marks: Vec<u16>,
}

/// How a baseline differs from an older one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The first tick whose state differs; `None` where all marks agree. One change in 65,536 is seen a tick late.
    pub first_tick: Option<Tick>,
    /// Lines that are no longer there.
    pub removed: Vec<String>,
    /// Lines that are new.
    pub added: Vec<String>,
}

/// Why a run could not be tested.
#[derive(Debug, thiserror::Error)]
pub enum RegressionError {
    /// The scenario is not valid.
    #[error("{}", error.listing())]
    Scenario {
        /// What is wrong with it.
        #[from]
        error: ScenarioError,
    },
    /// The run failed.
    #[error("the run failed: {0}")]
    Run(#[from] SimulationError),
}

/// Watches a run for its baseline; grows by two bytes a tick.
pub struct Watch {
    snapshot: Snapshot,
    marks: Vec<u16>,
    digest: Option<Digest>,
}

impl Watch {
    /// A watch of a run of `scenario` that has not begun.
    pub fn new(scenario: &Arc<Scenario>) -> Self {
        Self { snapshot: Snapshot::new(scenario), marks: Vec::new(), digest: None }
    }

    /// Adds a tick; ticks come in order.
    pub fn observe(&mut self, record: &TickRecord) {
        self.snapshot.observe(record);
        self.marks.push(record.state_digest.0 as u16);
        self.digest = Some(record.run_digest);
    }

    /// What the run gave so far.
    pub fn baseline(self) -> Baseline {
        let mut lines: Vec<String> = self.snapshot.text().lines().map(|l| l.trim_end().to_owned()).collect();
        let digest = self.digest.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        lines.extend([String::new(), format!("digest {digest}, results version {RESULTS_VERSION}")]);
        Baseline { lines, marks: self.marks }
    }
}

impl Baseline {
    /// Runs a scenario file to its end.
    ///
    /// # Errors
    /// If the scenario is not valid or the run fails.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self, RegressionError> {
        let scenario = Arc::new(Scenario::from_path(path)?);
        let mut watch = Watch::new(&scenario);
        Simulation::new(scenario).run(|record| watch.observe(record))?;
        Ok(watch.baseline())
    }

    /// The whole text: lines to review, then the marks.
    pub fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        // Writing to a String does not fail.
        let _ = write!(text, "\n{MARKS} 1 to {}:\n", self.marks.len());
        for line in self.marks.chunks(MARKS_PER_LINE) {
            let words: Vec<String> = line.iter().map(|mark| format!("{mark:04x}")).collect();
            text.push_str(&words.join(" "));
            text.push('\n');
        }
        text
    }

    /// Reads what [`Baseline::text`] wrote; `None` where the text is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let at = lines.iter().rposition(|line| line.starts_with(MARKS))?;
        let words = lines[at + 1..].iter().flat_map(|line| line.split_whitespace());
        let marks: Vec<u16> = words.map(|word| u16::from_str_radix(word, 16).ok()).collect::<Option<_>>()?;
        let is_whole = lines[at] == format!("{MARKS} 1 to {}:", marks.len());
        is_whole.then(|| Self { lines: lines[..at].iter().map(|&line| line.to_owned()).collect(), marks })
    }

    /// What changed since `old`; `None` where nothing did.
    pub fn change_since(&self, old: &Self) -> Option<Change> {
        if self == old {
            return None;
        }
        let pairs = self.marks.iter().zip(&old.marks);
        let common = pairs.take_while(|(new, old)| new == old).count();
        let differs = common < self.marks.len().max(old.marks.len());
        let without = |lines: &[String], others: &[String]| -> Vec<String> {
            lines.iter().filter(|line| !others.contains(line)).cloned().collect()
        };
        Some(Change {
            first_tick: differs.then(|| Tick(common as u32 + 1)),
            removed: without(&old.lines, &self.lines),
            added: without(&self.lines, &old.lines),
        })
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.first_tick {
            Some(tick) => writeln!(f, "the first tick that differs: {tick}")?,
            None => writeln!(f, "every tick is the same")?,
        }
        // Maps change with every step: the lines that hold words say more.
        let told =
            |line: &&String| !line.starts_with('|') && !line.ends_with("a column):") && !line.is_empty();
        self.removed.iter().filter(told).try_for_each(|line| writeln!(f, "- {line}"))?;
        self.added.iter().filter(told).try_for_each(|line| writeln!(f, "+ {line}"))
    }
}

/// What an insta snapshot file holds below its heading.
pub fn below_heading(file: &str) -> &str {
    let body = file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    body.map_or(file, |(_, body)| body)
}

/// One call makes a scenario an insta snapshot test of your own crate: `throng::assert_run!("scenarios/door.toml")`.
///
/// The path is relative to your `Cargo.toml`; the snapshot stands in `tests/snapshots/` under the file's name. On a
/// difference insta shows the lines, and the panic names the first tick that differs. `cargo insta review`, or
/// `INSTA_UPDATE=always`, accepts a change. Your crate needs `insta` among its dev-dependencies.
///
/// # Panics
/// If the scenario is not valid, the run fails, or the run differs from its snapshot.
#[macro_export]
macro_rules! assert_run {
    ($scenario:expr $(,)?) => {{
        let home = ::std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let scenario = home.join($scenario);
        let kept = home.join("tests").join("snapshots");
        let name = scenario.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let new = $crate::regression::Baseline::of_file(&scenario)
            .unwrap_or_else(|error| panic!("{}: {error}", scenario.display()));
        let old = ::std::fs::read_to_string(kept.join(format!("{name}.snap"))).ok();
        let old = old.and_then(|file| $crate::regression::Baseline::parse($crate::regression::below_heading(&file)));
        let compared = ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| {
            ::insta::with_settings!({
                snapshot_path => kept,
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                ::insta::assert_snapshot!(name, new.text());
            });
        }));
        if let Err(panic) = compared {
            match old.and_then(|old| new.change_since(&old)) {
                Some(change) => panic!("{}\n{change}", scenario.display()),
                None => ::std::panic::resume_unwind(panic),
            }
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn baseline(ticks: u32) -> Baseline {
        let mut watch = Watch::new(&Arc::new(sample::scenario()));
        sample::walk(ticks, |record| watch.observe(record));
        watch.baseline()
    }

    #[test]
    fn text_is_read_back_whole() {
        for ticks in [1, MARKS_PER_LINE as u32, 41] {
            let baseline = baseline(ticks);
            assert_eq!(Baseline::parse(&baseline.text()), Some(baseline.clone()));
            let file = format!("---\nsource: tests/a.rs\n---\n{}", baseline.text());
            assert_eq!(Baseline::parse(below_heading(&file)), Some(baseline));
        }
        let text = baseline(41).text();
        let cut = &text[..text.len() - 7];
        assert_eq!((Baseline::parse(cut), Baseline::parse("hello"), Baseline::parse("")), (None, None, None));
    }

    #[test]
    fn the_first_tick_and_the_lines_that_changed_are_told() {
        let old = baseline(41);
        assert_eq!(old.change_since(&old), None);
        let mut new = old.clone();
        new.marks[29] ^= 1;
        new.lines[2] = "admitted 9".to_owned();
        let change = new.change_since(&old).unwrap();
        assert_eq!(
            (change.first_tick, change.added.as_slice()),
            (Some(Tick(30)), &["admitted 9".to_owned()][..])
        );
        let told = change.to_string();
        assert!(
            told.starts_with("the first tick that differs: 30\n- ") && told.ends_with("+ admitted 9\n"),
            "{told}"
        );
        new.marks = old.marks[..20].to_vec();
        assert_eq!(new.change_since(&old).unwrap().first_tick, Some(Tick(21)));
        new.marks.clone_from(&old.marks);
        assert_eq!(new.change_since(&old).unwrap().first_tick, None);
    }
}
