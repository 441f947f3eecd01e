//! Where agents live between ticks: an ECS, and the only place that queries it.

mod agents;
mod checkpoint;

pub use agents::Agents;
pub use checkpoint::{CHECKPOINT_VERSION, Checkpoint, CheckpointError};
