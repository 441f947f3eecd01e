//! The stages of a tick, one file each: free functions from slices to results. No stage knows another stage, an ECS,
//! a clock or a file; `simulation.rs` calls them in order.

pub mod admit;
pub mod clear;
pub mod command;
pub mod density;
pub mod journey;
pub mod layered;
pub mod patience;
pub mod prefer;
pub mod publish;
pub mod record;
pub mod refresh;
pub mod reserve;
pub mod retire;
pub mod slots;
pub mod steer;
#[cfg(test)]
mod tests;
