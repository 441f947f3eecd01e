//! Identifiers: `u32` newtypes, so that a goal is never taken for a class, and stored state has one width.

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the entry at `index` of its table.
            ///
            /// # Panics
            /// If `index` does not fit 32 bits; `base::limit` keeps every table far below that.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables are kept below u32::MAX entries by base::limit"))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    /// An agent; counted up from 0 in order of admission, never reused within a run.
    AgentId,
    /// A movement class, in order of name.
    ClassId,
    /// A door, in order of name.
    DoorId,
    /// A goal, in order of name; goals added by commands follow.
    GoalId,
    /// A patch of ground, in order of region name.
    GroundId,
    /// A journey, in order of name.
    JourneyId,
    /// A measuring line, in order of name.
    LineId,
    /// A measuring area, in order of name.
    MeasureId,
    /// An obstacle added by a command, in order of addition.
    ObstacleId,
    /// A region, in order of name.
    RegionId,
    /// A slot of a goal: a place that one agent at a time may hold.
    SlotId,
    /// A source, in order of name.
    SourceId,
}
