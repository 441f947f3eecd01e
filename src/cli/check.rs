//! `throng check`: runs scenarios and tests what they expect of themselves.

use super::bless::{Blessing, baseline_file};
use super::driver::{Progress, drive_under, runs_on_threads, thread_count};
use super::failure::Failure;
use super::output::Output;
use super::run::threads;
use crate::base::Digest;
use crate::expect::{Finding, findings};
use crate::record::TickRecord;
use crate::regression::{Baseline, Watch};
use crate::scenario::{Scenario, ScenarioError};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run scenarios and test what they expect
///
/// Each scenario says in [expect] what must come out: who arrives by when, flows, densities, the digest. Several run at a
/// time.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArguments {
    /// Scenario files, or patterns such as 'scenarios/*.toml'
    #[arg(required = true)]
    scenarios: Vec<String>,
    /// Accept what came out: show what changed, then write the digest, and what would meet every missed expectation that
    /// was measured, into the scenario (comments and order stay), and a baseline beside it, by which the next change finds its first tick
    #[arg(long)]
    bless: bool,
    /// Threads to use; the results are the same with any number [default: one a processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  throng check scenarios/bottleneck.toml
  throng check 'scenarios/*.toml' --threads 1
  throng check scenarios/bottleneck.toml --bless      accept today's results; review them with git diff

A missed expectation gives exit code 1, a scenario that cannot be read 2, a run that fails 3.";

/// One scenario.
#[derive(Debug, Serialize)]
struct Checked {
    file: String,
    name: String,
    digest: Option<Digest>,
    findings: Vec<Finding>,
    /// What changed since the baseline beside the scenario.
    change: Option<Changed>,
    /// What is written into the scenario, as key and value.
    blessed: Vec<(String, String)>,
    error: Option<String>,
}

/// What changed since the last baseline.
#[derive(Debug, Serialize)]
struct Changed {
    first_tick: Option<u32>,
    removed: Vec<String>,
    added: Vec<String>,
    #[serde(skip)]
    text: String,
}

/// A scenario that ran: what it gave, and what blessing would write.
struct Ran {
    checked: Checked,
    blessing: Option<Blessing>,
}

#[derive(Serialize)]
struct CheckReport<'a> {
    met: bool,
    scenarios: Vec<&'a Checked>,
}

/// Runs the command. A scenario that fails does not keep the others from being tested.
pub(super) fn check(arguments: &CheckArguments, output: &mut Output) -> Result<(), Failure> {
    let files = expand(&arguments.scenarios)?;
    let results =
        runs_on_threads("scenarios", &files, thread_count(arguments.threads), |file, threads, progress| {
            check_one(file, arguments.bless, threads, progress)
        });
    let (mut ran, mut worst) = (Vec::new(), None);
    for (file, result) in files.iter().zip(results) {
        let one = match result {
            Ok(one) => one,
            Err(failure) => {
                let checked = failed(file, &failure);
                worst = Some(worse(worst, failure));
                Ran { checked, blessing: None }
            }
        };
        if one.checked.findings.iter().any(|finding| !finding.met) {
            worst = Some(worse(worst, Failure::Missed));
        }
        ran.push(one);
    }
    if !arguments.json {
        // What changed is shown before it is written.
        print(&ran.iter().map(|one| &one.checked).collect::<Vec<_>>(), output)?;
        output.flush()?;
    }
    let mut written = 0;
    for (file, one) in files.iter().zip(&mut ran) {
        match one.blessing.as_ref().map(Blessing::write) {
            Some(Ok(())) => written += 1,
            Some(Err(failure)) => {
                one.checked = failed(file, &failure);
                worst = Some(worse(worst, failure));
            }
            None => {}
        }
    }
    if arguments.json {
        let scenarios = ran.iter().map(|one| &one.checked).collect();
        output.json(&CheckReport { met: worst.is_none(), scenarios })?;
    } else if arguments.bless {
        output.line(format!("{written} blessed: what is new above is written"))?;
    }
    worst.map_or(Ok(()), Err)
}

/// Prints what is wrong with a scenario, and notes it.
fn failed(file: &Path, failure: &Failure) -> Checked {
    let report = failure.report();
    let scenario = report.and_then(|report| report.downcast_ref::<ScenarioError>());
    let place = if scenario.is_some() { String::new() } else { format!("{}: ", file.display()) };
    if let Some(report) = report {
        let _ = writeln!(std::io::stderr(), "{place}{report:?}");
    }
    let error = scenario.map(ScenarioError::listing).or(report.map(ToString::to_string));
    Checked {
        file: file.display().to_string(),
        name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        digest: None,
        findings: Vec::new(),
        change: None,
        blessed: Vec::new(),
        error: Some(error.unwrap_or_default()),
    }
}

/// The failure with the higher exit code; its report has been printed.
fn worse(worst: Option<Failure>, new: Failure) -> Failure {
    let silent = match new {
        Failure::Input(_) => Failure::Input(None),
        Failure::Run(_) => Failure::Run(None),
        other => other,
    };
    match worst {
        Some(worst) if worst.exit_code() >= silent.exit_code() => worst,
        _ => silent,
    }
}

fn check_one(file: &Path, bless: bool, threads: usize, progress: &Progress) -> Result<Ran, Failure> {
    let scenario = Arc::new(Scenario::from_path(file)?);
    let mut watch = Watch::new(&scenario);
    let observe = |record: &TickRecord| {
        watch.observe(record);
        Ok(())
    };
    let (report, ()) = drive_under(progress, &scenario, threads, (), observe)?;
    let new = watch.baseline();
    let old = std::fs::read_to_string(baseline_file(file)).ok().and_then(|text| Baseline::parse(&text));
    let change = old.and_then(|old| new.change_since(&old)).map(|change| Changed {
        text: change.to_string(),
        first_tick: change.first_tick.map(|tick| tick.0),
        removed: change.removed,
        added: change.added,
    });
    let mut found = findings(&scenario, &report);
    let blessing =
        if bless { Some(Blessing::of(file, &scenario, report.digest, &mut found, new)?) } else { None };
    let checked = Checked {
        file: file.display().to_string(),
        name: scenario.name.clone(),
        digest: Some(report.digest),
        findings: found,
        change,
        blessed: blessing.as_ref().map_or_else(Vec::new, |blessing| blessing.written.clone()),
        error: None,
    };
    Ok(Ran { checked, blessing })
}

fn print(checked: &[&Checked], output: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for one in checked {
        rows.extend(rows_of(one));
    }
    output.table(&rows, 0..0)?;
    for one in checked {
        if let Some(change) = &one.change {
            output.line(format!("\n{}, since its baseline:", one.name))?;
            change.text.lines().try_for_each(|line| output.line(format!("  {line}")))?;
        }
    }
    let missed = checked.iter().filter(|one| one.findings.iter().any(|f| !f.met)).count();
    let failed = checked.iter().filter(|one| one.error.is_some()).count();
    let met = checked.len() - missed - failed;
    output.line("")?;
    let count = checked.len();
    let scenarios = if count == 1 { "scenario" } else { "scenarios" };
    output.line(format!("{count} {scenarios}: {met} as expected, {missed} missed, {failed} failed"))
}

fn rows_of(one: &Checked) -> Vec<Vec<String>> {
    let row = |mark: &str, cells: [&str; 3]| {
        let mut row = vec![mark.to_owned(), one.name.clone()];
        row.extend(cells.map(str::to_owned));
        row
    };
    if one.error.is_some() {
        return vec![row("FAIL", ["see above", "", ""])];
    }
    let mut rows: Vec<Vec<String>> = one
        .findings
        .iter()
        .map(|f| row(if f.met { "ok" } else { "MISS" }, [&f.what, &f.measured, &f.expected]))
        .collect();
    let digest = one.digest.map_or_else(String::new, |digest| digest.to_string());
    rows.extend(one.blessed.iter().map(|(key, value)| row("new", [key, value, "for the scenario"])));
    if rows.is_empty() {
        rows.push(row("ok", ["digest", &digest, "nothing expected"]));
    }
    rows
}

/// The files that the arguments name, each once; a name with `*`, `?` or `[` that is no file is a pattern.
fn expand(names: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for name in names {
        let path = PathBuf::from(name);
        let found = if path.exists() || !name.contains(['*', '?', '[']) {
            vec![path]
        } else {
            let matches = glob::glob(name).map_err(|e| Failure::input(format!("the pattern {name}: {e}")))?;
            let mut found: Vec<PathBuf> =
                matches.collect::<Result<_, _>>().map_err(|e| Failure::input(e.to_string()))?;
            found.sort();
            found
        };
        if found.is_empty() {
            return Err(Failure::input(format!("no file matches {name}")));
        }
        for file in found {
            let same = |other: &PathBuf| match (other.canonicalize(), file.canonicalize()) {
                (Ok(other), Ok(file)) => other == file,
                _ => *other == file,
            };
            if !files.iter().any(same) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_expanded_in_order_and_files_named_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.toml", "a.toml", "c.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let name = |file: &str| folder.path().join(file).display().to_string();
        let found = expand(&[name("*.toml"), name("a.toml")]).unwrap();
        assert_eq!(found, [folder.path().join("a.toml"), folder.path().join("b.toml")]);
        assert_eq!(expand(&[name("*.none")]).unwrap_err().exit_code(), 2);
        assert_eq!(expand(&[name("missing.toml")]).unwrap().len(), 1);
    }

    #[test]
    fn the_worst_failure_decides() {
        let missed = worse(None, Failure::Missed);
        let input = worse(Some(missed), Failure::input("x"));
        assert!(input.exit_code() == 2 && input.report().is_none());
        assert_eq!(worse(Some(input), Failure::Missed).exit_code(), 2);
    }

    #[test]
    fn a_table_row_for_each_expectation() {
        let text = "format = 1\nname = \"a\"\n[area]\nmap = \"..\"\n[expect]\nstuck = 0\nblocked = 3\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, text).unwrap();
        let progress = Progress::of_items("scenarios", 1);
        let one = check_one(&file, false, 1, &progress).unwrap();
        let rows = rows_of(&one.checked);
        assert_eq!(rows[0], ["ok", "a", "stuck", "0", "0"]);
        assert_eq!(rows[1], ["MISS", "a", "blocked", "0", "3"]);
        std::fs::write(&file, text.split("[expect]").next().unwrap()).unwrap();
        assert_eq!(
            rows_of(&check_one(&file, false, 1, &progress).unwrap().checked)[0][4],
            "nothing expected"
        );
        let one = check_one(&file, true, 1, &progress).unwrap();
        assert_eq!(rows_of(&one.checked)[0][..3], ["new", "a", "digest"]);
    }
}
