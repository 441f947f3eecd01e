//! Commands: the only way to change a run from outside, kept in the trace so that a replay needs nothing else.

use crate::base::{AgentId, ClassId, DoorId, GoalId, ObstacleId, RegionId, Tick};
use serde::{Deserialize, Serialize};

/// An outside change, carried out at the start of the step that leaves `tick`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// When: the state of this tick is the last without the change.
    pub tick: Tick,
    /// What.
    pub action: Action,
}

/// A shape in metres of the scenario's own coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeSpec {
    /// x and y of the lower left and the upper right corner.
    Rect([f64; 4]),
    /// Rings of corners: an outer ring and its holes.
    Polygon(Vec<Vec<[f64; 2]>>),
    /// x and y of the middle, and the radius.
    Circle([f64; 3]),
    /// The shape of a region of the scenario.
    Region(RegionId),
}

/// What a command does. Lengths are in metres of the scenario's own coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A new agent; refused where it would overlap another or a wall.
    AddAgent {
        /// Where.
        at_m: [f64; 2],
        /// Its class.
        class: ClassId,
        /// Where it goes; `None` stands.
        goal: Option<GoalId>,
        /// Its free speed; `None` draws from the class.
        speed_mps: Option<f64>,
    },
    /// Takes an agent out.
    RemoveAgent {
        /// Which.
        agent: AgentId,
    },
    /// Sends an agent to a goal and ends its journey; `None` lets it stand.
    SetGoal {
        /// Which.
        agent: AgentId,
        /// Where to.
        goal: Option<GoalId>,
    },
    /// Changes an agent's free speed.
    SetSpeed {
        /// Which.
        agent: AgentId,
        /// Metres per second.
        speed_mps: f64,
    },
    /// Overrules guidance for one agent until `None` is set; motion and reservations still apply.
    SetPreferredVelocity {
        /// Which.
        agent: AgentId,
        /// Metres per second.
        velocity_mps: Option<[f32; 2]>,
    },
    /// Adds a goal; its id is the next free one.
    AddGoal {
        /// Its name.
        name: String,
        /// Where it is.
        shape: ShapeSpec,
        /// Whether agents leave there; else they stay.
        leave: bool,
    },
    /// Moves a goal.
    MoveGoal {
        /// Which.
        goal: GoalId,
        /// Where to.
        shape: ShapeSpec,
    },
    /// Adds a solid obstacle; its id is the next free one.
    AddObstacle {
        /// Where.
        shape: ShapeSpec,
    },
    /// Takes an added obstacle out.
    RemoveObstacle {
        /// Which.
        obstacle: ObstacleId,
    },
    /// Opens or closes a door.
    SetDoor {
        /// Which.
        door: DoorId,
        /// Whether it is open from now on.
        open: bool,
    },
    /// Changes what walking costs in a region; absent entries stay as they are.
    SetGround {
        /// Where.
        region: RegionId,
        /// Cost per metre for every class.
        price: Option<f32>,
        /// Factor on walking speed.
        speed: Option<f32>,
        /// Classes that may not enter from now on.
        closed_to: Vec<ClassId>,
        /// Classes that may enter again.
        open_to: Vec<ClassId>,
    },
    /// Lets everybody who waits at a goal go on.
    Release {
        /// Which.
        goal: GoalId,
    },
}
