//! Everything that is tested through the public interface, in one binary.

#![allow(
    clippy::float_cmp,
    clippy::print_stderr,
    clippy::too_many_lines,
    reason = "tests compare exact values, list cases and say what they skip"
)]

mod cases;
#[cfg(feature = "cli")]
mod cli;
mod common;
mod destinations;
mod determinism;
#[cfg(feature = "cli")]
mod everyday;
mod field;
#[cfg(feature = "trace")]
mod golden;
mod guidance;
mod laws;
mod library;
mod motion;
#[cfg(feature = "cli")]
mod python;
mod square;
mod tidy;
