//! `throng replay` and `throng diff`: is a trace what its scenario gives, and where do two traces part?

use super::driver::{Progress, thread_count};
use super::failure::Failure;
use super::output::{Output, thousands};
use super::run::threads;
use crate::base::Tick;
use crate::replay::Replay;
use crate::trace::{Difference, TraceReader, compare};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Run a trace's own scenario and commands again and compare every tick
///
/// Also tests the bytes of the trace's files against what it vouches for. A trace whose run was killed is replayed as
/// far as it goes.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub(super) struct ReplayArguments {
    /// The trace's folder
    trace: PathBuf,
    /// Threads to use; the results are the same with any number [default: one a processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  throng run scenarios/bottleneck.toml --out trace
  throng replay trace
  throng replay trace --threads 1 && echo the same with one thread

Exit code 1 means that the trace is not what its scenario gives, or that its bytes were changed.";

/// Find the first tick, column and agent in which two traces differ
///
/// Where they record agents at different intervals, the ticks that both recorded are compared.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(super) struct DiffArguments {
    /// One trace's folder
    a: PathBuf,
    /// The other's
    b: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  throng run scenarios/bottleneck.toml --seed 1 --out one
  throng run scenarios/bottleneck.toml --seed 2 --out two
  throng diff one two

Exit code 0 means that they are the same, 1 that they differ.";

#[derive(Serialize)]
struct ReplayReport<'a> {
    same: bool,
    ticks: u32,
    agent_rows: u64,
    finished: bool,
    altered_files: &'a [String],
    difference: Option<&'a Difference>,
    problem: Option<&'a str>,
    other_results_version: Option<u32>,
}

/// Runs `throng replay`.
pub(super) fn replay(arguments: &ReplayArguments, output: &mut Output) -> Result<(), Failure> {
    let trace = TraceReader::open(&arguments.trace)?;
    let found = {
        let progress = Progress::of_ticks(&trace.info().name, Tick(trace.info().last_tick));
        crate::replay::replay(&trace, thread_count(arguments.threads), |tick| progress.at(tick))?
    };
    if arguments.json {
        output.json(&ReplayReport {
            same: found.is_same(),
            ticks: found.ticks,
            agent_rows: found.agent_rows,
            finished: found.end.is_some_and(|end| end.finished),
            altered_files: &found.altered,
            difference: found.difference.as_ref(),
            problem: found.problem.as_deref(),
            other_results_version: found.other_results_version,
        })?;
    } else {
        for line in replay_lines(&found) {
            output.line(line)?;
        }
    }
    if found.is_same() { Ok(()) } else { Err(Failure::Missed) }
}

fn replay_lines(found: &Replay) -> Vec<String> {
    let mut lines: Vec<String> = found
        .altered
        .iter()
        .map(|file| format!("{file}: its bytes are not those that were written"))
        .collect();
    if let Some(difference) = &found.difference {
        lines.push(format!("the trace (first) and the new run (second) differ: {difference}"));
    }
    lines.extend(found.problem.clone());
    if let Some(version) = found.other_results_version {
        lines.push(format!(
            "note: the trace has results version {version}, this program {}",
            crate::simulation::RESULTS_VERSION
        ));
    }
    let (ticks, rows) = (thousands(u64::from(found.ticks)), thousands(found.agent_rows));
    lines.push(format!("same in {ticks} ticks and {rows} rows of agents"));
    if let Some(end) = found.end.filter(|end| !end.finished) {
        lines.push(format!("the trace {end}"));
    }
    lines
}

#[derive(Serialize)]
struct DiffReport {
    same: bool,
    difference: Option<Difference>,
}

/// Runs `throng diff`.
pub(super) fn diff(arguments: &DiffArguments, output: &mut Output) -> Result<(), Failure> {
    let (a, b) = (TraceReader::open(&arguments.a)?, TraceReader::open(&arguments.b)?);
    let difference = compare(&a, &b)?;
    let same = difference.is_none();
    if arguments.json {
        output.json(&DiffReport { same, difference })?;
    } else {
        output.line(difference.map_or_else(|| "no difference".to_owned(), |found| found.to_string()))?;
    }
    if same { Ok(()) } else { Err(Failure::Missed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::trace::{TraceEnd, TraceOptions, TraceWriter};
    use std::sync::Arc;

    #[test]
    fn a_replay_says_what_is_wrong_first() {
        let mut found = Replay {
            ticks: 1500,
            agent_rows: 3000,
            end: Some(TraceEnd { tick: Some(1500), finished: true }),
            altered: vec![],
            difference: None,
            problem: None,
            other_results_version: None,
        };
        assert_eq!(replay_lines(&found), ["same in 1,500 ticks and 3,000 rows of agents"]);
        found.end = Some(TraceEnd { tick: Some(1500), finished: false });
        found.altered = vec!["agents.arrows".to_owned()];
        assert!(!found.is_same());
        let lines = replay_lines(&found);
        assert_eq!(lines[0], "agents.arrows: its bytes are not those that were written");
        assert_eq!(lines[2], "the trace ends at tick 1500, not finished");
    }

    #[test]
    fn diff_tells_same_from_different_by_its_exit_code() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, ticks: u32| {
            let options = TraceOptions { every: 1, results_version: 1 };
            let scenario = Arc::new(sample::scenario());
            let mut writer = TraceWriter::create(&folder.path().join(name), &scenario, options).unwrap();
            sample::walk(ticks, |record| writer.record(record).unwrap());
            writer.finish().unwrap();
            folder.path().join(name)
        };
        let (a, b) = (write("a", 10), write("b", 12));
        let code = |a: &PathBuf, b: &PathBuf| {
            let arguments = DiffArguments { a: a.clone(), b: b.clone(), json: false };
            diff(&arguments, &mut Output::to_nowhere()).err().map_or(0, |failure| failure.exit_code())
        };
        assert_eq!(code(&a, &a), 0);
        assert_eq!(code(&a, &b), 1);
        assert_eq!(code(&a, &folder.path().join("none")), 2);
    }
}
