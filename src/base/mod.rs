//! What everything else stands on: ids, the tick, fixed point, addressed random draws, digests,
//! errors and limits. Knows nothing of space, fields, scenarios or files.

mod digest;
mod error;
mod exact;
mod fixed;
mod id;
pub mod limit;
mod random;

mod tick;
mod workers;

pub use digest::{Digest, DigestChain, Digester, name_hash};
pub use error::{Fault, SimulationError};
pub use exact::{positive_zero, relaxation_factor};
pub use fixed::{Frame, Offset, Point, UNITS_PER_METRE, metres, metres_f32, units};
pub use id::{
    AgentId, ClassId, DoorId, GoalId, GroundId, JourneyId, LineId, MeasureId, ObstacleId, RegionId, SlotId,
    SourceId,
};
pub use random::{Draws, Purpose};
pub use tick::{Clock, Tick};
pub use workers::Workers;
