//! The `throng` command: arguments become library calls, and their answers text, JSON and an exit code.
//!
//! Results go to standard output, progress and errors to standard error. Exit codes: 0 fine, 1 an expectation or a
//! comparison failed, 2 bad input or usage, 3 the run itself failed. Nothing but this module prints, reads a clock or
//! looks at the process's environment.

mod bless;
mod check;
mod csv;
mod driver;
mod failure;
mod field;
mod make;
mod output;
mod replay;
mod run;

use clap::{CommandFactory, Parser, Subcommand};
use output::Output;
use std::io::Write;
use std::process::ExitCode;

/// A deterministic crowd simulator.
///
/// A scenario file says who walks where. Throng runs it at a fixed tick and gives the same result, bit for bit,
/// wherever and however often it runs.
#[derive(Debug, Parser)]
#[command(name = "throng", version, after_help = EXAMPLES, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  throng new hall                                    a commented scenario to start from
  throng run scenarios/bottleneck.toml               run it and see the numbers
  throng run scenarios/bottleneck.toml --out trace   the same, and keep a trace
  throng replay trace                                is every tick the same again?
  throng run scenarios/bottleneck.toml --seed 8 --out other
  throng diff trace other                            where the two part first
  throng check 'scenarios/*.toml'                    test what the scenarios expect of themselves
  throng inspect scenarios/tiles.toml                what guidance says, cell by cell

Exit codes: 0 fine, 1 an expectation or comparison failed, 2 bad input or usage, 3 the run itself failed.
`throng COMMAND --help` explains a command and shows examples.";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArguments),
    Check(check::CheckArguments),
    Replay(replay::ReplayArguments),
    Diff(replay::DiffArguments),
    Path(field::PathArguments),
    Distance(field::DistanceArguments),
    Inspect(field::InspectArguments),
    New(make::NewArguments),
    Schema(make::SchemaArguments),
    Completions(make::CompletionsArguments),
    Man(make::ManArguments),
}

/// Runs the command that the process was called with.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help that nobody reads to its end is no failure.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let mut output = Output::to_stdout();
    let done = match arguments.command {
        Command::Run(arguments) => run::run(&arguments, &mut output),
        Command::Check(arguments) => check::check(&arguments, &mut output),
        Command::Replay(arguments) => replay::replay(&arguments, &mut output),
        Command::Diff(arguments) => replay::diff(&arguments, &mut output),
        Command::Path(arguments) => field::path(&arguments, &mut output),
        Command::Distance(arguments) => field::distance(&arguments, &mut output),
        Command::Inspect(arguments) => field::inspect(&arguments, &mut output),
        Command::New(arguments) => make::new(&arguments, &mut output),
        Command::Schema(arguments) => make::schema(&arguments, &mut output),
        Command::Completions(arguments) => make::completions(&arguments, Arguments::command(), &mut output),
        Command::Man(arguments) => make::man(&arguments, Arguments::command(), &mut output),
    };
    let done = done.and_then(|()| output.flush());
    if let Err(failure) = &done
        && let Some(report) = failure.report()
    {
        let _ = output.flush();
        let _ = writeln!(std::io::stderr(), "{report:?}");
    }
    ExitCode::from(done.err().map_or(0, |failure| failure.exit_code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn arguments_that_make_no_sense_are_refused() {
        let parses = |line: &str| Arguments::try_parse_from(line.split(' ')).is_ok();
        for good in [
            "throng run a.toml",
            "throng run a.toml --seed 3 --until 2.5 --threads 2 --out t --every 5 --csv d --json",
            "throng run a.toml --seeds 1..10",
            "throng check a.toml b.toml --bless --threads 1 --json",
            "throng replay t",
            "throng diff a b --json",
        ] {
            assert!(parses(good), "{good}");
        }
        for bad in [
            "throng",
            "throng run",
            "throng check",
            "throng run a.toml --every 5",
            "throng run a.toml --out t --every 0",
            "throng run a.toml --threads 0",
            "throng run a.toml --until -1",
            "throng run a.toml --until nan",
            "throng run a.toml --seeds 9..3",
            "throng run a.toml --seeds 1..3 --seed 4",
            "throng run a.toml --seeds 1..3 --out t",
            "throng diff a",
        ] {
            assert!(!parses(bad), "{bad}");
        }
    }
}
