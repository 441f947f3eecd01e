//! Everything that is tested through the public interface, in one binary.

mod cases;
mod common;
mod determinism;
mod field;
mod laws;
mod library;
