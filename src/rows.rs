//! One tick's agents as columns in agent-id order: what stages read, and what observers see.

use crate::base::{AgentId, ClassId, GoalId, JourneyId, Point, SlotId, SourceId, Tick};
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// What an agent is doing. The numbers stand in traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum State {
    /// Nothing to do: it stands.
    #[default]
    Standing = 0,
    /// Its time to start has not come.
    Premovement = 1,
    /// It is on its way.
    Walking = 2,
    /// It holds a slot and stays.
    Settled = 3,
    /// It waits at a goal.
    Waiting = 4,
    /// No way leads to its goal.
    Unreachable = 5,
    /// It has come no closer to its goal for a while, though others have room to move.
    Stuck = 6,
    /// A way there is, but a body or a closed door in it leaves no room.
    Blocked = 7,
    /// Its field is stale and shows no way down, or is not published yet.
    NoDescent = 8,
}

impl State {
    /// Every state, in order of number.
    pub const ALL: [Self; 9] = [
        Self::Standing,
        Self::Premovement,
        Self::Walking,
        Self::Settled,
        Self::Waiting,
        Self::Unreachable,
        Self::Stuck,
        Self::Blocked,
        Self::NoDescent,
    ];

    /// Its name in tables and pictures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standing => "standing",
            Self::Premovement => "premovement",
            Self::Walking => "walking",
            Self::Settled => "settled",
            Self::Waiting => "waiting",
            Self::Unreachable => "unreachable",
            Self::Stuck => "stuck",
            Self::Blocked => "blocked",
            Self::NoDescent => "no descent",
        }
    }
}

/// What held an agent back in a tick. The numbers stand in traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum HeldBy {
    /// Nothing: it moved as it proposed.
    #[default]
    Nothing = 0,
    /// A wall cut its way: it moved less far or aside.
    Wall = 1,
    /// A body was in its way: it moved aside or less far.
    Body = 2,
    /// Bodies left no room at all: it stayed.
    Bodies = 3,
    /// A door let nobody in.
    Door = 4,
    /// There is no way.
    NoWay = 5,
}

impl HeldBy {
    /// Every reason, in order of number.
    pub const ALL: [Self; 6] = [Self::Nothing, Self::Wall, Self::Body, Self::Bodies, Self::Door, Self::NoWay];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Wall => "wall",
            Self::Body => "body",
            Self::Bodies => "bodies",
            Self::Door => "door",
            Self::NoWay => "no way",
        }
    }
}

/// Where an agent comes from: half of the address of its random draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Origin {
    /// A source of the scenario.
    Source(SourceId),
    /// An `[[agent]]` of the scenario.
    Placed,
    /// A command.
    Command,
}

macro_rules! rows {
    ($($(#[$doc:meta])* $column:ident: $kind:ty,)+) => {
        /// Agents as columns of equal length, in agent-id order.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct Rows {
            $($(#[$doc])* pub $column: Vec<$kind>,)+
        }

        /// One agent: the same columns, one value each.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub struct Row {
            $($(#[$doc])* pub $column: $kind,)+
        }

        impl Rows {
            /// Adds an agent at the end.
            pub fn push(&mut self, row: Row) {
                $(self.$column.push(row.$column);)+
            }

            /// The agent of row `i`.
            ///
            /// # Panics
            /// If there is no such row.
            pub fn row(&self, i: usize) -> Row {
                Row { $($column: self.$column[i],)+ }
            }

            /// Forgets all agents but keeps the memory.
            pub fn clear(&mut self) {
                $(self.$column.clear();)+
            }

            /// Takes out the rows that are marked in `leaves` (one flag a row).
            pub fn remove(&mut self, leaves: &[bool]) {
                if !leaves.contains(&true) {
                    return;
                }
                $({
                    let mut flags = leaves.iter();
                    self.$column.retain(|_| !flags.next().copied().unwrap_or(false));
                })+
            }
        }
    };
}

rows! {
    /// Who it is.
    id: AgentId,
    /// Where its centre is.
    position: Point,
    /// Where its centre was a tick ago.
    previous: Point,
    /// Metres per second; what was granted, before it was rounded to whole units.
    velocity: Vec2,
    /// Units; what its moves lack or have too much since they were rounded, at most half a unit along each axis.
    remainder: Vec2,
    /// Its movement class.
    class: ClassId,
    /// Where it goes now.
    goal: Option<GoalId>,
    /// The journey it follows.
    journey: Option<JourneyId>,
    /// Which stage of the journey.
    stage: u32,
    /// What it is doing.
    state: State,
    /// What held it back in this tick.
    held_by: HeldBy,
    /// Units; its hard core.
    core_radius: i32,
    /// Units; its comfort disc.
    comfort_radius: i32,
    /// Metres per second.
    free_speed: f32,
    /// Milliseconds for which it has been standing; counts down four times as fast when it moves.
    standing_ms: u32,
    /// 0 to 1: how impatient it is.
    impatience: f32,
    /// Ticks since it last moved as it proposed: what ages its priority.
    waiting_ticks: u32,
    /// The lowest remaining cost it has had on its way to this goal, and the tick of it: swinging counts as stuck.
    best_cost: f32,
    /// The tick of `best_cost`.
    best_tick: Tick,
    /// The slot of its goal that it holds.
    slot: Option<SlotId>,
    /// The first tick of its wait at a goal.
    waiting_since: Option<Tick>,
    /// When it starts to walk.
    starts: Tick,
    /// When it was admitted.
    admitted: Tick,
    /// A velocity set by a command, in metres per second.
    commanded: Option<Vec2>,
    /// Where it comes from.
    origin: Origin,
    /// Its number within its origin.
    index: u32,
}

impl Rows {
    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// Whether the agent of a row has started by the step that leads to `reached`.
    pub fn has_started(&self, row: usize, reached: Tick) -> bool {
        self.starts[row] < reached
    }

    /// The row of an agent; `None` where it is not inside.
    pub fn row_of(&self, id: AgentId) -> Option<usize> {
        self.id.binary_search(&id).ok()
    }
}
