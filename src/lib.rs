//! A deterministic crowd simulator.
//!
//! A [`Scenario`](scenario::Scenario) says who walks where. A [`Simulation`](simulation::Simulation) runs it at a fixed
//! tick: shared flow fields guide, and layered under them separation, headway, clearance checks and reservations move
//! bodies. The same scenario and seed give the same bits on every platform, at any thread count, in one run or stopped
//! at a checkpoint and continued.
//!
//! # When to use it
//!
//! - You run pedestrian or unit crowds and want the same answer tomorrow, on another machine, in another build.
//! - You keep regression tests of crowd behaviour: a digest per tick tells the first tick that changed.
//! - You build lockstep games or replays: commands are the only way in, and a trace keeps them.
//! - You must not see two bodies overlap or a wall crossed: both are decided exactly, in fixed point.
//!
//! # When not
//!
//! - You want agents in three dimensions, or vehicles with steering geometry: agents are discs on a plane.
//! - You need single-agent routes over a continent: fields pay off where many share a goal.
//! - You want learned or psychological models: the layered model is mechanical, though yours can replace it
//!   ([`Steering`](stage::steer::Steering)).
//!
//! # The way of the data
//!
//! ```text
//! scenario file -> Scenario -> Simulation::step ----------------------------------------------> TickRecord
//!                               command, admit   who comes in, what changes from outside         |  rows, events,
//!                               gather           the ECS as columns in order of id               |  counts, digests
//!                               index, density   who is near whom, where it is crowded           v
//!                               refresh, choose  fields: cost -> distance -> direction     Summary, trace,
//!                               prefer           where each would go alone                 snapshot text
//!                               steer, clear     local motion, then what walls allow
//!                               reserve          granted places, in order of right of way
//!                               patience, retire who stands, settles, leaves
//!                               record, scatter  digests; back into the ECS
//! ```
//!
//! # A first run
//!
//! ```
//! use std::sync::Arc;
//! use throng::{scenario::Scenario, simulation::Simulation, summary::Summary};
//!
//! let scenario = Arc::new(Scenario::from_path("scenarios/rimea-06.toml")?);
//! let mut simulation = Simulation::new(scenario.clone());
//! let mut summary = Summary::new(&scenario);
//! simulation.run(|tick| summary.observe(tick))?;
//! let report = summary.report();
//! assert_eq!(report.arrived, 20);
//! println!("everybody is out, digest {}", report.digest);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(
    test,
    allow(clippy::float_cmp, clippy::too_many_lines, reason = "tests compare exact values and list cases")
)]

pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod expect;
pub mod field;
pub mod record;
pub mod regression;
#[cfg(feature = "trace")]
pub mod replay;
pub mod rows;
#[cfg(test)]
mod sample;
pub mod scenario;
pub mod simulation;
pub mod site;
pub mod snapshot;
pub mod space;
pub mod stage;
pub mod summary;
pub mod survey;
#[cfg(feature = "trace")]
pub mod trace;
pub mod world;
