//! Checkpoints: saved state from which a run continues with the same bits.

use crate::base::{AgentId, DigestChain, Tick};
use crate::field::FieldKey;
use crate::record::Counts;
use crate::rows::Rows;
use crate::scenario::Command;
use crate::site::SiteState;
use crate::stage::admit::SupplyState;
use crate::stage::density::Congested;
use crate::stage::publish::DelayState;
use serde::{Deserialize, Serialize};

/// Raised whenever what a checkpoint holds changes.
pub const CHECKPOINT_VERSION: u32 = 2;

/// Everything that the rest of a run depends on, apart from the scenario.
///
/// Fields themselves are not in it: they are functions of the site and the congestion, and are built again with the
/// same bits. Their keys are, so that a run that continues starts with the same generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// [`CHECKPOINT_VERSION`] of the writer.
    pub version: u32,
    /// The results version of the writer.
    pub results_version: u32,
    /// The digest of the scenario's text: a checkpoint continues only the run that it came from.
    pub scenario: crate::base::Digest,
    /// The seed of the run.
    pub seed: u64,
    /// The tick it was taken at.
    pub tick: Tick,
    /// Everybody inside.
    pub rows: Rows,
    /// The next free id.
    pub next_id: AgentId,
    /// What sources remember.
    pub supply: SupplyState,
    /// Doors, obstacles, ground and goals.
    pub site: SiteState,
    /// Where it is crowded.
    pub congested: Congested,
    /// Ground and congestion version of the last tick's fields.
    pub field_versions: (u32, u32),
    /// The published fields.
    pub fields: Vec<FieldKey>,
    /// Generations of fields that are not overtaken yet, where they are published later than they are due.
    pub delay: DelayState,
    /// Events of the scenario that have been carried out.
    pub events_done: u32,
    /// Commands that wait for the next step.
    pub pending_commands: Vec<Command>,
    /// Running totals.
    pub counts: Counts,
    /// All ticks so far.
    pub chain: DigestChain,
}

/// Why a checkpoint cannot be continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Written by a program whose checkpoints or results differ.
    #[error("the checkpoint is of version {found}, this program reads version {expected}")]
    Version {
        /// Of the checkpoint.
        found: u32,
        /// Of this program.
        expected: u32,
    },
    /// It is of another scenario or seed.
    #[error("the checkpoint is of another scenario or seed")]
    OtherScenario,
}

impl Checkpoint {
    /// Whether it can be continued by this program, for the scenario with this text digest and this seed.
    ///
    /// # Errors
    /// If it is of another version, scenario or seed.
    pub fn check(
        &self,
        scenario: crate::base::Digest,
        seed: u64,
        results_version: u32,
    ) -> Result<(), CheckpointError> {
        for (found, expected) in [(self.version, CHECKPOINT_VERSION), (self.results_version, results_version)]
        {
            if found != expected {
                return Err(CheckpointError::Version { found, expected });
            }
        }
        (self.scenario == scenario && self.seed == seed).then_some(()).ok_or(CheckpointError::OtherScenario)
    }
}
