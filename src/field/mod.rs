//! Guidance: which moves are legal and what they cost, how far the goal is from everywhere, and which way to go.
//! Knows nothing of agents or scenarios.

mod accurate;
pub mod analysis;
mod direction;
mod distance;
mod eikonal;
#[expect(clippy::module_inception, reason = "a field is what this module is about")]
mod field;
mod front;
mod goal;
mod hops;
mod lost;
mod repair;
mod settings;
mod store;
mod transition;

#[cfg(test)]
mod tests;

pub use field::{Field, Guide};
pub use goal::{GoalInput, goal_cells};
pub use lost::{LostPassage, lost_passages};
pub use settings::{
    Compass, Derivation, Diagonal, Guidance, Neighbourhood, Publish, Sampling, Solver, TieOrder,
    WallFallback, Weight,
};
pub use store::{FieldKey, FieldStore, StoreCounters};
pub use transition::{Moves, MovesInput, Step, Transition};
