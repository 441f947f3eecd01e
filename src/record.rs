//! What a tick leaves behind: the `record` stage makes it, traces, summaries and observers read it.

use crate::base::{AgentId, ClassId, Digest, DoorId, GoalId, LineId, MeasureId, Tick};
use crate::rows::{Origin, Row, Rows};

/// Everything public about one tick, borrowed from the simulation.
#[derive(Clone, Copy, Debug)]
pub struct TickRecord<'a> {
    /// Which tick.
    pub tick: Tick,
    /// The agents inside after the tick.
    pub rows: &'a Rows,
    /// What happened in it.
    pub events: &'a Events,
    /// Running totals.
    pub counts: Counts,
    /// Vouches for the rows.
    pub state_digest: Digest,
    /// Vouches for all ticks so far.
    pub run_digest: Digest,
}

/// Running totals of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Agents admitted so far.
    pub admitted: u32,
    /// Agents inside now.
    pub inside: u32,
    /// Agents who left at a goal so far.
    pub arrived: u32,
    /// Agents taken out by commands so far.
    pub removed: u32,
    /// Agents inside without a way to their goal.
    pub unreachable: u32,
    /// Agents inside who are blocked.
    pub blocked: u32,
    /// Agents inside who are stuck.
    pub stuck: u32,
    /// Agents inside who are settled.
    pub settled: u32,
    /// Agents inside who wait: at their place, or for one.
    pub waiting: u32,
    /// Agents who are due and wait outside for room.
    pub outside: u32,
}

/// What happened in one tick; each list in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// New agents, in order of id.
    pub admitted: Vec<Admitted>,
    /// Agents who left, in order of id.
    pub arrived: Vec<Arrived>,
    /// Agents who turned blocked, in order of id.
    pub blocked: Vec<AgentId>,
    /// Agents whose goal changed, in order of id: by a journey, a choice or a command.
    pub rerouted: Vec<(AgentId, Option<GoalId>)>,
    /// Doors that opened (`true`) or closed, in the order of commands.
    pub doors: Vec<(DoorId, bool)>,
    /// Crossings of measuring lines, by line, then agent.
    pub crossings: Vec<Crossing>,
    /// Measuring areas, by id.
    pub measured: Vec<Measured>,
    /// Commands that could not be carried out any more, as sentences.
    pub refused: Vec<String>,
}

impl Events {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        let Self { admitted, arrived, blocked, rerouted, doors, crossings, measured, refused } = self;
        admitted.clear();
        arrived.clear();
        blocked.clear();
        rerouted.clear();
        doors.clear();
        crossings.clear();
        measured.clear();
        refused.clear();
    }
}

/// A new agent: what never changes about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Admitted {
    /// Who.
    pub agent: AgentId,
    /// Its name, where the scenario gives one.
    pub name: Option<String>,
    /// Its movement class.
    pub class: ClassId,
    /// Where it comes from.
    pub origin: Origin,
    /// Its number within its origin.
    pub index: u32,
    /// Units; its hard core.
    pub core_radius: i32,
    /// Units; its comfort disc.
    pub comfort_radius: i32,
    /// Metres per second.
    pub free_speed: f32,
    /// The last tick without it.
    pub at: Tick,
}

impl Admitted {
    /// What never changes about a new row.
    pub fn new(row: &Row, name: Option<String>) -> Self {
        Self {
            agent: row.id,
            name,
            class: row.class,
            origin: row.origin,
            index: row.index,
            core_radius: row.core_radius,
            comfort_radius: row.comfort_radius,
            free_speed: row.free_speed,
            at: row.admitted,
        }
    }
}

/// An agent who left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrived {
    /// Who.
    pub agent: AgentId,
    /// By which goal.
    pub goal: GoalId,
    /// When it had been admitted.
    pub admitted: Tick,
}

/// A centre that passed a measuring line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Which line.
    pub line: LineId,
    /// Who.
    pub agent: AgentId,
    /// Whether from the left to the right of the line, looking from its first end to its second.
    pub rightwards: bool,
}

/// One measuring area in one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Which area.
    pub measure: MeasureId,
    /// Agents in it.
    pub agents: u32,
    /// Agents per square metre.
    pub density_per_m2: f32,
    /// Metres per second; the mean of the agents in it (0 where there is none).
    pub speed_mps: f32,
}
