//! `throng check`: runs scenarios and tests what they expect of themselves.

use super::driver::{drive, thread_count};
use super::failure::Failure;
use super::output::Output;
use super::run::threads;
use crate::base::Digest;
use crate::expect::{Finding, findings};
use crate::scenario::Scenario;
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml_edit::{DocumentMut, Item, Table, value};

/// Run scenarios and test what they expect
///
/// Each scenario says in [expect] what must come out: who arrives by when, flows, densities, the digest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArguments {
    /// Scenario files, or patterns such as 'scenarios/*.toml'
    #[arg(required = true)]
    scenarios: Vec<String>,
    /// Write the digest of each run into its scenario's [expect] instead of testing it; comments stay
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
  throng check scenarios/bottleneck.toml --bless      accept today's digest; review the change with git diff

A missed expectation gives exit code 1, a scenario that cannot be read 2, a run that fails 3.";

/// One scenario.
#[derive(Debug, Serialize)]
struct Checked {
    file: String,
    name: String,
    digest: Option<Digest>,
    findings: Vec<Finding>,
    /// Whether the digest was written into the file.
    blessed: bool,
    error: Option<String>,
}

#[derive(Serialize)]
struct CheckReport<'a> {
    met: bool,
    scenarios: &'a [Checked],
}

/// Runs the command. A scenario that fails does not keep the others from being tested.
pub(super) fn check(arguments: &CheckArguments, output: &mut Output) -> Result<(), Failure> {
    let files = expand(&arguments.scenarios)?;
    let (mut checked, mut worst) = (Vec::new(), None);
    for file in files {
        let one = match check_one(&file, arguments) {
            Ok(one) => one,
            Err(failure) => {
                let one = failed(&file, &failure);
                worst = Some(worse(worst, failure));
                one
            }
        };
        if one.findings.iter().any(|finding| !finding.met) {
            worst = Some(worse(worst, Failure::Missed));
        }
        checked.push(one);
    }
    if arguments.json {
        output.json(&CheckReport { met: worst.is_none(), scenarios: &checked })?;
    } else {
        print(&checked, output)?;
    }
    worst.map_or(Ok(()), Err)
}

/// Prints what is wrong with a scenario, and notes it.
fn failed(file: &Path, failure: &Failure) -> Checked {
    let report = failure.report();
    if let Some(report) = report {
        let _ = writeln!(std::io::stderr(), "{}: {report:?}", file.display());
    }
    Checked {
        file: file.display().to_string(),
        name: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        digest: None,
        findings: Vec::new(),
        blessed: false,
        error: Some(report.map_or_else(String::new, ToString::to_string)),
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

fn check_one(file: &Path, arguments: &CheckArguments) -> Result<Checked, Failure> {
    let scenario = Arc::new(Scenario::from_path(file)?);
    let (report, ()) = drive(&scenario, thread_count(arguments.threads), (), |_| Ok(()))?;
    let mut found = findings(&scenario, &report);
    let blessed = arguments.bless && scenario.expect.digest != Some(report.digest);
    if arguments.bless {
        found.retain(|finding| finding.what != "digest");
    }
    if blessed {
        bless(file, report.digest)?;
    }
    Ok(Checked {
        file: file.display().to_string(),
        name: scenario.name.clone(),
        digest: Some(report.digest),
        findings: found,
        blessed,
        error: None,
    })
}

fn print(checked: &[Checked], output: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for one in checked {
        rows.extend(rows_of(one));
    }
    output.table(&rows, 0..0)?;
    let missed = checked.iter().filter(|one| one.findings.iter().any(|f| !f.met)).count();
    let failed = checked.iter().filter(|one| one.error.is_some()).count();
    let met = checked.len() - missed - failed;
    output.line("")?;
    output.line(format!("{} scenarios: {met} as expected, {missed} missed, {failed} failed", checked.len()))
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
    if one.blessed {
        rows.push(row("new", ["digest", &digest, "written into the scenario"]));
    } else if rows.is_empty() {
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
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Writes `expect.digest` into a scenario file: whole or not at all.
fn bless(file: &Path, digest: Digest) -> Result<(), Failure> {
    let failed = |what: &dyn std::fmt::Display| {
        Failure::run(format!("cannot write the digest into {}: {what}", file.display()))
    };
    let text = std::fs::read_to_string(file).map_err(|e| failed(&e))?;
    let text = blessed_text(&text, digest).map_err(|e| failed(&e))?;
    // A link stays a link: what it leads to is replaced.
    let target = file.canonicalize().map_err(|e| failed(&e))?;
    let fresh = target.with_extension("toml.new");
    let write = || -> std::io::Result<()> {
        std::fs::write(&fresh, text)?;
        std::fs::set_permissions(&fresh, std::fs::metadata(&target)?.permissions())?;
        std::fs::rename(&fresh, &target)
    };
    write().map_err(|e| {
        let _ = std::fs::remove_file(&fresh);
        failed(&e)
    })
}

/// The text of a scenario with another digest; comments and order stay.
fn blessed_text(text: &str, digest: Digest) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| e.to_string())?;
    let expect = document.entry("expect").or_insert_with(|| Item::Table(Table::new()));
    let expect = expect.as_table_like_mut().ok_or("expect is no table")?;
    let mut new = value(digest.to_string());
    if let (Some(old), Some(new)) = (expect.get("digest").and_then(Item::as_value), new.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    expect.insert("digest", new);
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blessing_keeps_comments_and_order() {
        let digest = Digest(0xabc);
        let old = "# a hall\nformat = 1\n\n[expect]  # what must hold\ndigest = \"0000000000000001\" # today\nstuck = 0\n\n[[expect.flow]]\nline = \"door\" # the one\n";
        let new = old.replace("0000000000000001", "0000000000000abc");
        assert_eq!(blessed_text(old, digest).unwrap(), new);
        assert_eq!(blessed_text(&new, digest).unwrap(), new);
        let fresh = blessed_text("format = 1 # one\n\n[area]\nmap = 'x'\n", digest).unwrap();
        assert_eq!(
            fresh,
            "format = 1 # one\n\n[area]\nmap = 'x'\n\n[expect]\ndigest = \"0000000000000abc\"\n"
        );
        let nested = blessed_text("format = 1\n[[expect.flow]]\nline = 'a'\n", digest).unwrap();
        let parsed: toml::Table = nested.parse().unwrap();
        assert_eq!(parsed["expect"]["digest"].as_str(), Some("0000000000000abc"));
        assert_eq!(parsed["expect"]["flow"][0]["line"].as_str(), Some("a"));
        assert!(blessed_text("expect = 3", digest).is_err());
    }

    #[test]
    fn blessing_replaces_the_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, "format = 1\n").unwrap();
        bless(&file, Digest(1)).unwrap();
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            "format = 1\n\n[expect]\ndigest = \"0000000000000001\"\n"
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(bless(&folder.path().join("none.toml"), Digest(1)).is_err());
    }

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
        let finding = |met| Finding {
            what: "stuck".to_owned(),
            expected: "0".to_owned(),
            measured: "1".to_owned(),
            met,
        };
        let mut one = Checked {
            file: "a.toml".to_owned(),
            name: "a".to_owned(),
            digest: Some(Digest(1)),
            findings: vec![finding(true), finding(false)],
            blessed: false,
            error: None,
        };
        assert_eq!(rows_of(&one)[1], ["MISS", "a", "stuck", "1", "0"]);
        one.findings.clear();
        assert_eq!(rows_of(&one)[0][4], "nothing expected");
    }
}
