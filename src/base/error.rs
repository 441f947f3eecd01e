//! What can go wrong while a run is under way. Bad input is another matter: see `scenario::ScenarioError`.

use super::{AgentId, Tick};

/// A run that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tick {tick}, stage {stage}: {fault}")]
pub struct SimulationError {
    /// The tick that was being computed.
    pub tick: Tick,
    /// The stage that found it.
    pub stage: &'static str,
    /// What happened.
    pub fault: Fault,
}

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A velocity or cost is not a number.
    #[error("agent {0} has a value that is not finite")]
    NotFinite(AgentId),
    /// More agents than [`limit::AGENTS`](super::limit::AGENTS).
    #[error("more than {} agents admitted in one run", super::limit::AGENTS)]
    TooManyAgents,
    /// The run reached [`limit::TICKS`](super::limit::TICKS).
    #[error("more than {} ticks in one run", super::limit::TICKS)]
    TooManyTicks,
}
