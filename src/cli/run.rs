//! `throng run`: one run and its numbers, or several and their spread.

use super::csv::CsvTables;
use super::driver::{drive, drive_under, runs_on_threads, thread_count};
use super::failure::Failure;
use super::output::{Output, seconds, shell_word, short_rate, thousands};
use crate::base::limit;
use crate::record::TickRecord;
use crate::scenario::Scenario;
use crate::simulation::RESULTS_VERSION;
use crate::summary::{LineReport, MeasureReport, RunReport};
use crate::trace::{TraceOptions, TraceWriter};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// Run a scenario and print its numbers
///
/// Everybody walks until nobody is left and no source will admit more, or until the scenario's duration is over.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RunArguments {
    /// The scenario file
    scenario: PathBuf,
    /// Use this seed instead of the scenario's
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Stop after this many simulated seconds instead of the scenario's duration
    #[arg(long, value_name = "S", value_parser = positive_seconds, allow_hyphen_values = true)]
    until: Option<f64>,
    /// Threads to use; the results are the same with any number [default: one a processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Write a trace to this folder
    #[arg(long, value_name = "T")]
    out: Option<PathBuf>,
    /// Record agents in the trace every N ticks; digests and totals stand in it for every tick
    #[arg(long, value_name = "N", default_value_t = 1, requires = "out",
          value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Write agents.csv, lines.csv and measures.csv to this folder
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
    /// Run with each of these seeds, the last included, several at a time, and print a table with the spread
    #[arg(long, value_name = "FIRST..LAST", value_parser = seed_range, conflicts_with_all = ["seed", "out", "csv"])]
    seeds: Option<SeedRange>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  throng run scenarios/bottleneck.toml
  throng run scenarios/bottleneck.toml --out trace --every 10   agents in every 10th tick
  throng run scenarios/bottleneck.toml --csv tables             agents, crossings, areas
  throng run scenarios/bottleneck.toml --seeds 1..10            what depends on the seed?
  throng run scenarios/bottleneck.toml --json | jq .evacuation_s";

/// Seeds from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeedRange {
    first: u64,
    last: u64,
}

/// How many runs one command may ask for.
const RUNS: u64 = 100_000;

fn seed_range(text: &str) -> Result<SeedRange, String> {
    let wanted = || "write FIRST..LAST, for example 1..10".to_owned();
    let (first, last) = text.split_once("..").ok_or_else(wanted)?;
    let number = |part: &str| part.trim().parse::<u64>().map_err(|_| wanted());
    let range = SeedRange { first: number(first)?, last: number(last)? };
    match range.last.checked_sub(range.first) {
        None => Err("the last seed comes before the first".to_owned()),
        Some(gap) if gap >= RUNS => Err(format!("at most {RUNS} seeds at a time")),
        Some(_) => Ok(range),
    }
}

fn positive_seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds.is_finite() && seconds > 0.0 { Ok(seconds) } else { Err("must be above 0".to_owned()) }
}

/// A number of threads, for every command that has them.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    let count: usize = text.parse().map_err(|_| "not a number of threads".to_owned())?;
    if (1..=limit::THREADS).contains(&count) {
        Ok(count)
    } else {
        Err(format!("must be 1 to {}", limit::THREADS))
    }
}

/// Runs the command.
pub(super) fn run(arguments: &RunArguments, output: &mut Output) -> Result<(), Failure> {
    let mut scenario = Scenario::from_path(&arguments.scenario)?;
    if let Some(until) = arguments.until {
        let last = scenario.clock.tick_at(until);
        if last.0 > limit::TICKS {
            return Err(Failure::input(format!(
                "--until {until} is beyond the limit of {} ticks",
                limit::TICKS
            )));
        }
        scenario.last_tick = last;
    }
    if let Some(seeds) = arguments.seeds {
        return run_seeds(arguments, &scenario, seeds, output);
    }
    scenario.seed = arguments.seed.unwrap_or(scenario.seed);
    let report = run_once(arguments, &Arc::new(scenario))?;
    if arguments.json {
        return output.json(&report);
    }
    print_report(&report, output)?;
    print_next(arguments, output)
}

fn run_once(arguments: &RunArguments, scenario: &Arc<Scenario>) -> Result<RunReport, Failure> {
    let options = TraceOptions { every: arguments.every, results_version: RESULTS_VERSION };
    let mut trace = match &arguments.out {
        Some(folder) => Some(TraceWriter::create(folder, scenario, options)?),
        None => None,
    };
    let run = run_with(arguments, scenario, |record| match &mut trace {
        Some(trace) => Ok(trace.record(record)?),
        None => Ok(()),
    });
    match (trace, run) {
        (Some(mut trace), Err(failure)) => {
            // The ticks before a failure are what somebody will look at; the failure matters more than another one.
            let _ = trace.flush();
            Err(failure)
        }
        (Some(trace), Ok(report)) => {
            trace.finish()?;
            Ok(report)
        }
        (None, run) => run,
    }
}

fn run_with(
    arguments: &RunArguments,
    scenario: &Arc<Scenario>,
    observe: impl FnMut(&TickRecord) -> Result<(), Failure>,
) -> Result<RunReport, Failure> {
    let threads = thread_count(arguments.threads);
    let Some(folder) = &arguments.csv else {
        return Ok(drive(scenario, threads, (), observe)?.0);
    };
    let (report, tables) = drive(scenario, threads, CsvTables::create(folder)?, observe)?;
    tables.finish()?;
    Ok(report)
}

/// The numbers of one run, a line each.
fn print_report(report: &RunReport, output: &mut Output) -> Result<(), Failure> {
    output.line(format!("{}, seed {}", report.name, report.seed))?;
    output.line("")?;
    let rows: Vec<Vec<String>> =
        report_rows(report).into_iter().map(|(what, value)| vec![format!("  {what}"), value]).collect();
    output.table(&rows, 0..0)
}

fn report_rows(report: &RunReport) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut row = |what: &str, value: String| rows.push((what.to_owned(), value));
    let RunReport { admitted, arrived, inside, .. } = report;
    row("people", format!("{admitted} admitted, {arrived} arrived, {inside} inside at the end"));
    let states = [
        ("removed", report.removed),
        ("settled", report.settled),
        ("waiting", report.waiting),
        ("waiting outside for room", report.outside),
        ("unreachable", report.unreachable),
        ("blocked", report.blocked),
        ("stuck", report.stuck),
    ];
    let states: Vec<String> =
        states.iter().filter(|(_, n)| *n > 0).map(|(state, n)| format!("{n} {state}")).collect();
    if !states.is_empty() {
        row("of them", states.join(", "));
    }
    if let (Some(p50), Some(p95), Some(last)) =
        (report.evacuation_s.p50, report.evacuation_s.p95, report.evacuation_s.last)
    {
        row("out", format!("half by {}, 95 % by {}, all by {}", seconds(p50), seconds(p95), seconds(last)));
    }
    if let (Some(mean), Some(p95)) = (report.travel_s.mean, report.travel_s.p95) {
        row("on the way", format!("{} on average, 95 % at most {}", seconds(mean), seconds(p95)));
    }
    if report.exits.len() > 1 {
        let exits: Vec<String> =
            report.exits.iter().map(|(exit, left)| format!("{left} by {exit}")).collect();
        row("exits", exits.join(", "));
    }
    for (name, line) in &report.lines {
        row(&format!("line {name}"), line_text(line));
    }
    for (name, measure) in &report.measures {
        row(&format!("measure {name}"), measure_text(measure));
    }
    let overlap =
        if report.max_overlap_m > 0.0 { format!("{:.5} m", report.max_overlap_m) } else { "none".to_owned() };
    row("overlap", overlap);
    let ticks = thousands(u64::from(report.ticks));
    row("simulated", format!("{} in {ticks} ticks", seconds(report.sim_seconds)));
    let rate = short_rate(report.agent_ticks_per_second);
    row("took", format!("{}, {rate} agent ticks per second", seconds(report.wall_seconds)));
    row("digest", report.digest.to_string());
    rows
}

fn line_text(line: &LineReport) -> String {
    let mut text = format!("{} rightwards, {} leftwards", line.rightwards, line.leftwards);
    if let (Some(first), Some(last)) = (line.first_s, line.last_s) {
        text = format!("{text}, from {} to {}", seconds(first), seconds(last));
    }
    if let Some(flow) = line.flow_per_s {
        text = format!("{text}, {flow:.2} per second");
    }
    text
}

fn measure_text(measure: &MeasureReport) -> String {
    let (Some(density), Some(most)) = (measure.density_per_m2, measure.density_max_per_m2) else {
        return "not measured".to_owned();
    };
    let mut text = format!("{density:.2} per m2 on average, at most {most:.2}");
    if let (Some(speed), Some(flow)) = (measure.speed_mps, measure.flow_per_ms) {
        text = format!("{text}, {speed:.2} m/s, {flow:.2} per m and s");
    }
    text
}

/// The commands that a person may want next.
fn print_next(arguments: &RunArguments, output: &mut Output) -> Result<(), Failure> {
    let scenario = shell_word(&arguments.scenario.display().to_string());
    let next = match &arguments.out {
        Some(trace) => {
            let trace = shell_word(&trace.display().to_string());
            vec![
                vec![format!("  throng replay {trace}"), "is it the same again, tick by tick?".to_owned()],
                vec![
                    format!("  throng diff {trace} OTHER"),
                    "where does it part from another trace?".to_owned(),
                ],
            ]
        }
        None => vec![
            vec![format!("  throng run {scenario} --out trace"), "keep a trace".to_owned()],
            vec![
                format!("  throng run {scenario} --seeds 1..10"),
                "how much depends on the seed?".to_owned(),
            ],
            vec![format!("  throng check {scenario}"), "test what it expects".to_owned()],
        ],
    };
    output.line("")?;
    output.line("Next:")?;
    output.table(&next, 0..0)
}

/// A number over several runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Spread {
    runs: usize,
    mean: f64,
    /// Of the sample: divided by runs - 1.
    sd: f64,
    min: f64,
    max: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        let (&first, runs) = (values.first()?, values.len());
        let mean = values.iter().sum::<f64>() / runs as f64;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let sd = if runs > 1 { (squares / (runs - 1) as f64).sqrt() } else { 0.0 };
        let (min, max) = values.iter().fold((first, first), |(low, high), &v| (low.min(v), high.max(v)));
        Some(Self { runs, mean, sd, min, max })
    }

    /// The number of that name; the largest for any other.
    fn named(&self, name: &str) -> f64 {
        match name {
            "mean" => self.mean,
            "sd" => self.sd,
            "min" => self.min,
            _ => self.max,
        }
    }
}

/// One column of the table of seeds.
struct SeedColumn {
    name: String,
    decimals: usize,
    values: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct SeedsReport {
    runs: Vec<RunReport>,
    spread: std::collections::BTreeMap<String, Option<Spread>>,
}

fn run_seeds(
    arguments: &RunArguments,
    scenario: &Scenario,
    seeds: SeedRange,
    output: &mut Output,
) -> Result<(), Failure> {
    let seeds: Vec<u64> = (seeds.first..=seeds.last).collect();
    let runs =
        runs_on_threads("seeds", &seeds, thread_count(arguments.threads), |&seed, threads, progress| {
            let scenario = Arc::new(Scenario { seed, ..scenario.clone() });
            drive_under(progress, &scenario, threads, (), |_| Ok(())).map(|(report, ())| report)
        });
    let runs: Vec<RunReport> = runs.into_iter().collect::<Result<_, _>>()?;
    let columns = seed_columns(&runs);
    if arguments.json {
        let spread =
            |column: &SeedColumn| Spread::of(&column.values.iter().flatten().copied().collect::<Vec<_>>());
        let spread = columns.iter().map(|column| (column.name.clone(), spread(column))).collect();
        return output.json(&SeedsReport { runs, spread });
    }
    let rows = seed_table(&runs, &columns);
    output.table(&rows, 0..columns.len() + 1)
}

fn seed_columns(runs: &[RunReport]) -> Vec<SeedColumn> {
    let column = |name: &str, decimals: usize, value: &dyn Fn(&RunReport) -> Option<f64>| SeedColumn {
        name: name.to_owned(),
        decimals,
        values: runs.iter().map(value).collect(),
    };
    let mut columns = vec![
        column("arrived", 0, &|run| Some(f64::from(run.arrived))),
        column("inside", 0, &|run| Some(f64::from(run.inside))),
        column("p50_s", 2, &|run| run.evacuation_s.p50),
        column("p95_s", 2, &|run| run.evacuation_s.p95),
        column("last_s", 2, &|run| run.evacuation_s.last),
        column("overlap_m", 5, &|run| Some(run.max_overlap_m)),
    ];
    for name in runs.iter().flat_map(|run| run.lines.keys()).collect::<std::collections::BTreeSet<_>>() {
        let flow = |run: &RunReport| run.lines.get(name).and_then(|line| line.flow_per_s);
        columns.push(column(&format!("{name}_per_s"), 3, &flow));
    }
    columns
}

fn seed_table(runs: &[RunReport], columns: &[SeedColumn]) -> Vec<Vec<String>> {
    let text =
        |v: Option<f64>, decimals: usize| v.map_or_else(|| "-".to_owned(), |v| format!("{v:.decimals$}"));
    let mut rows = vec![vec!["seed".to_owned()]];
    rows[0].extend(columns.iter().map(|column| column.name.clone()));
    rows[0].push("digest".to_owned());
    for (i, run) in runs.iter().enumerate() {
        let mut row = vec![run.seed.to_string()];
        row.extend(columns.iter().map(|column| text(column.values[i], column.decimals)));
        row.push(run.digest.to_string());
        rows.push(row);
    }
    let spreads: Vec<Option<Spread>> = columns
        .iter()
        .map(|column| Spread::of(&column.values.iter().flatten().copied().collect::<Vec<_>>()))
        .collect();
    for name in ["mean", "sd", "min", "max"] {
        let mut row = vec![name.to_owned()];
        row.extend(columns.iter().zip(&spreads).map(|(column, spread)| {
            let decimals =
                if matches!(name, "mean" | "sd") { column.decimals.max(2) } else { column.decimals };
            text(spread.as_ref().map(|spread| spread.named(name)), decimals)
        }));
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::summary::Summary;

    fn report(seed: u64) -> RunReport {
        let mut scenario = sample::scenario();
        scenario.seed = seed;
        let mut summary = Summary::new(&Arc::new(scenario));
        sample::walk(200, |record| summary.observe(record));
        summary.report()
    }

    #[test]
    fn the_report_is_short_and_complete() {
        let mut report = report(7);
        report.lines.insert(
            "door".to_owned(),
            LineReport {
                rightwards: 5,
                leftwards: 1,
                first_s: Some(1.0),
                last_s: Some(3.5),
                flow_per_s: Some(2.0),
            },
        );
        report.stuck = 2;
        report.wall_seconds = 0.25;
        report.agent_ticks_per_second = 1_234_567.0;
        let text: Vec<String> =
            report_rows(&report).into_iter().map(|(what, value)| format!("{what}: {value}")).collect();
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn seeds_are_read_and_their_spread_is_the_samples() {
        assert_eq!(seed_range("1..10"), Ok(SeedRange { first: 1, last: 10 }));
        assert_eq!(seed_range("3..3"), Ok(SeedRange { first: 3, last: 3 }));
        for bad in ["", "1", "a..b", "4..1", "1..=3", "0..100000"] {
            assert!(seed_range(bad).is_err(), "{bad}");
        }
        let spread = Spread::of(&[2.0, 4.0, 6.0]).unwrap();
        assert_eq!(spread, Spread { runs: 3, mean: 4.0, sd: 2.0, min: 2.0, max: 6.0 });
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn the_table_of_seeds_has_a_row_each_and_four_of_spread() {
        let runs = [report(1), report(2)];
        let rows = seed_table(&runs, &seed_columns(&runs));
        assert_eq!(rows.len(), 7);
        assert_eq!(rows[0].last().map(String::as_str), Some("digest"));
        assert!(rows[0].contains(&"door_per_s".to_owned()));
        assert_eq!((rows[3][0].as_str(), rows[3][1].as_str()), ("mean", "3.00"));
    }
}
