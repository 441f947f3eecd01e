//! Traces: what a run leaves on disk, and what is made of it afterwards.
//!
//! A trace is a folder of plain, typed files: `scenario.toml` (the exact text, with the files it names beside it),
//! `run.json`, `commands.jsonl`, and the Arrow streams `agents.arrows`, `ticks.arrows` and `roster.arrows`, which
//! pyarrow and polars open as they are. Blocks are written as the run goes, so that a run killed at any moment leaves
//! a trace that is readable up to the last whole block. A finished trace vouches for every byte of its files.

mod block;
mod compare;
mod error;
mod frame;
mod info;
mod reader;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use compare::{Difference, compare, compare_frames};
pub use error::TraceError;
pub use frame::{Frame, FrameSource};
pub use info::{FileSeal, RunEnd, RunInfo};
pub use reader::{Frames, TraceEnd, TraceReader};
pub use table::{AgentRow, RosterRow, TickRow};
pub use writer::{TraceOptions, TraceWriter};

/// The file that describes the run.
pub const RUN_FILE: &str = "run.json";
/// The file with the scenario's exact text.
pub const SCENARIO_FILE: &str = "scenario.toml";
/// The file with the commands, one JSON object a line.
pub const COMMANDS_FILE: &str = "commands.jsonl";
