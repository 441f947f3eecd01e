//! Guidance: which moves are legal and what they cost, how far the goal is from everywhere, and which way to go.
//! Knows nothing of agents or scenarios.

mod settings;

pub use settings::{
    Compass, Derivation, Diagonal, Guidance, Neighbourhood, Publish, Sampling, Solver, TieOrder,
    WallFallback, Weight,
};
