//! The `throng` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    throng::cli::main()
}
