//! Scenarios: who walks where. `file` mirrors the text, `check` turns it into a valid [`Scenario`] and reports every
//! problem at once; what stands here is the valid result, which nothing later needs to doubt.

mod check;
mod command;
mod distribution;
mod file;
mod map;
mod parameters;
mod problem;
#[cfg(feature = "cli")]
pub mod schema;
mod wkt;

pub use check::ReadSide;
pub use command::{Action, Command, ShapeSpec};
pub use distribution::Distribution;
pub use parameters::{Congestion, Motion, Reservation, Steering};
pub use problem::{Problem, ScenarioError};

use crate::base::{
    ClassId, Clock, DoorId, GoalId, GroundId, JourneyId, LineId, MeasureId, Point, RegionId, SourceId, Tick,
};
use crate::field::Guidance;
use crate::space::{Area, GridFrame, Shape};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A valid scenario. Tables are sorted by name, so that ids do not depend on the order in the file; all lengths are
/// in units of the area's frame unless a name says otherwise.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The exact text that the scenario was read from.
    pub text: String,
    /// Files that it names, by the path as written: what a trace keeps beside the text.
    pub side_files: Vec<(String, String)>,
    /// A short name.
    pub name: String,
    /// What makes the run.
    pub seed: u64,
    /// The length of a tick.
    pub clock: Clock,
    /// The last tick.
    pub last_tick: Tick,
    /// The walkable area without doors.
    pub area: Arc<Area>,
    /// The cells of guidance.
    pub grid: GridFrame,
    /// Named places.
    pub regions: Vec<Region>,
    /// Regions that are walkable only while open.
    pub doors: Vec<Door>,
    /// Prices and speeds by region.
    pub grounds: Vec<Ground>,
    /// Movement classes.
    pub classes: Vec<Class>,
    /// Goals.
    pub goals: Vec<Goal>,
    /// Journeys.
    pub journeys: Vec<Journey>,
    /// Sources.
    pub sources: Vec<Source>,
    /// Agents given one by one, by name, then position.
    pub agents: Vec<PlacedAgent>,
    /// What happens by itself, by tick, then order in the file's sorted form.
    pub events: Vec<Command>,
    /// How fields are computed and read.
    pub guidance: Guidance,
    /// How density becomes a price.
    pub congestion: Congestion,
    /// Which model moves agents.
    pub motion: Motion,
    /// Parameters of the layered local motion.
    pub steering: Steering,
    /// Whether bodies reserve their places.
    pub reservation: Reservation,
    /// Measuring lines.
    pub lines: Vec<Line>,
    /// Measuring areas.
    pub measures: Vec<Measure>,
    /// What `throng check` asserts.
    pub expect: Expect,
}

/// A named place.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub shape: Shape,
}

/// A region that is walkable only while open.
#[derive(Clone, Debug, PartialEq)]
pub struct Door {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub region: RegionId,
    /// Whether it is open at the start.
    pub open: bool,
    /// The only way through it (not normalised): no move inside goes against it.
    pub one_way: Option<[f64; 2]>,
    /// Bodies that may enter per second at most.
    pub max_flow_per_s: Option<f64>,
}

/// What walking costs and how fast it is in a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ground {
    /// Where it is; also its name.
    pub region: RegionId,
    /// Cost per metre for each class, at least 1.
    pub prices: Vec<f32>,
    /// Factor on walking speed, in (0, 1].
    pub speed: f32,
    /// Which classes may not enter.
    pub closed_to: Vec<bool>,
}

/// A movement class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Units; hard, never overlapped.
    pub core_radius: i32,
    /// Units; at least the core radius.
    pub comfort_radius: i32,
    /// Metres per second.
    pub speed_mps: Distribution,
    /// Seconds before an agent starts to walk.
    pub premovement_s: Distribution,
}

/// Where agents go.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: GoalPlace,
    /// What happens there.
    pub arrival: Arrival,
    /// Places that one agent each may hold; empty lets `stay` find its own.
    pub slots: Vec<Point>,
    /// Whether the slots are a queue, the first at its head.
    pub fifo: bool,
    /// Agents that may hold a place at once.
    pub capacity: Option<u32>,
}

/// Where a goal is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GoalPlace {
    /// Any of these shapes: the nearest by cost.
    Shapes(Vec<Shape>),
    /// A way to walk for ever on a ring: towards +x (`true`) or -x.
    Heading {
        /// Whether x grows.
        rightwards: bool,
    },
}

/// What happens to an agent at its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arrival {
    /// It leaves the scenario, or goes on with its journey.
    Leave,
    /// It takes a slot and stays.
    Stay,
    /// It takes a slot, waits, and goes on with its journey (or leaves). `None` waits for a release.
    Wait {
        /// Milliseconds.
        wait_ms: Option<u64>,
    },
}

/// Goals in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Journey {
    /// Its name.
    pub name: String,
    /// At least one.
    pub stages: Vec<JourneyStage>,
}

/// One stage of a journey: a goal, or one of several.
#[derive(Clone, Debug, PartialEq)]
pub struct JourneyStage {
    /// At least one.
    pub goals: Vec<GoalId>,
    /// Which is taken where there are several.
    pub choice: Choice,
}

/// How a journey stage chooses among goals.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The cheapest from where the agent is; ties to the smaller id.
    Cost,
    /// At random, with these weights (one per goal, sum 1).
    Share(Vec<f64>),
    /// The one that the fewest agents have; ties to the smaller id.
    LeastOccupied,
}

/// What an agent is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// It stands.
    Stand,
    /// It goes to a goal.
    Goal(GoalId),
    /// It follows a journey.
    Journey(JourneyId),
}

/// Where agents come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// The hash of its name: the address of its draws.
    pub name_hash: u64,
    /// Where they appear.
    pub region: RegionId,
    /// Which classes, with their shares (sum 1), in order of class.
    pub classes: Vec<(ClassId, f64)>,
    /// What they are up to.
    pub errand: Errand,
    /// How they are placed.
    pub placement: Placement,
    /// Units of free space that a new body's core must have to every other core and wall.
    pub gap: i32,
    /// How many, and when.
    pub supply: Supply,
}

/// How a source places agents.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// Anywhere free in the region.
    Random,
    /// On a square lattice with this spacing, in units.
    Grid {
        /// Units between neighbours.
        spacing: i32,
    },
    /// On a hexagonal lattice with this spacing, in units.
    Hex {
        /// Units between neighbours.
        spacing: i32,
    },
    /// At these places in turn.
    Points(Vec<Point>),
}

/// How many agents a source gives, and when.
#[derive(Clone, Debug, PartialEq)]
pub enum Supply {
    /// So many at a time; what finds no room follows as room appears. Sorted by tick.
    Schedule(Vec<(Tick, u32)>),
    /// As many as keep this number of its agents inside, from `from` on.
    Keep {
        /// Agents inside.
        inside: u32,
        /// The first tick.
        from: Tick,
    },
    /// A stream.
    Rate {
        /// Agents per second.
        per_s: f64,
        /// Milliseconds; when it begins.
        from_ms: u64,
        /// Milliseconds; when it ends (`None`: with the run).
        until_ms: Option<u64>,
        /// Whether the gaps are exponential; else they are equal.
        poisson: bool,
        /// At most so many in all.
        count: Option<u32>,
    },
}

/// An agent given by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedAgent {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Where it appears.
    pub at: Point,
    /// Its class.
    pub class: ClassId,
    /// What it is up to.
    pub errand: Errand,
    /// Metres per second; drawn from the class where absent.
    pub speed_mps: Option<f64>,
    /// Seconds; drawn from the class where absent.
    pub premovement_s: Option<f64>,
    /// When it appears.
    pub from: Tick,
}

/// A measuring line; a crossing is counted when a centre passes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// One end.
    pub from: Point,
    /// The other end.
    pub to: Point,
}

/// A measuring area.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub region: RegionId,
    /// Ticks measured: from the first (excluded) to the second (included).
    pub window: (Tick, Tick),
}

/// What `throng check` asserts; absent entries assert nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// Seconds; everybody has arrived by then.
    pub all_arrived_by_s: Option<f64>,
    /// Metres; no two hard cores overlap deeper.
    pub max_overlap_m: Option<f64>,
    /// The run's digest, as 16 hexadecimal digits.
    pub digest: Option<crate::base::Digest>,
    /// Agents that end unreachable, exactly.
    pub unreachable: Option<u32>,
    /// Agents that end stuck, exactly.
    pub stuck: Option<u32>,
    /// Agents that end blocked, exactly.
    pub blocked: Option<u32>,
    /// Agents that end settled, exactly.
    pub settled: Option<u32>,
    /// Agents that end waiting, exactly.
    pub waiting: Option<u32>,
    /// Seconds; 95 of 100 who arrived took no longer.
    pub travel_p95_s: Option<f64>,
    /// Flows over lines.
    pub flows: Vec<ExpectFlow>,
    /// Measuring areas.
    pub measures: Vec<ExpectMeasure>,
    /// Shares of goals.
    pub exits: Vec<ExpectExit>,
}

/// What is expected of a line: both directions together.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectFlow {
    /// Which line.
    pub line: LineId,
    /// Crossings per second between the first and the last crossing.
    pub min_per_s: Option<f64>,
    /// Crossings per second between the first and the last crossing.
    pub max_per_s: Option<f64>,
    /// Crossings.
    pub count_min: Option<u32>,
    /// Crossings.
    pub count_max: Option<u32>,
}

/// What is expected of a measuring area.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectMeasure {
    /// Which area.
    pub measure: MeasureId,
    /// Agents per square metre, the highest of any tick of the window.
    pub density_max: Option<f64>,
    /// Metres per second; the mean over the window is at least this.
    pub speed_min: Option<f64>,
}

/// Which share of those who left did so by a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectExit {
    /// Which goal.
    pub goal: GoalId,
    /// The least share, 0 to 1.
    pub share_min: Option<f64>,
    /// The largest share, 0 to 1.
    pub share_max: Option<f64>,
}

macro_rules! tables {
    ($($method:ident: $table:ident, $id:ident => $entry:ident;)+) => {
        impl Scenario {$(
            #[doc = concat!("The entry of `", stringify!($table), "` with this id.")]
            ///
            /// # Panics
            /// If the id is not of this scenario.
            pub fn $method(&self, id: $id) -> &$entry {
                &self.$table[id.index()]
            }
        )+}
    };
}

tables! {
    region: regions, RegionId => Region;
    door: doors, DoorId => Door;
    ground: grounds, GroundId => Ground;
    class: classes, ClassId => Class;
    goal: goals, GoalId => Goal;
    journey: journeys, JourneyId => Journey;
    source: sources, SourceId => Source;
    line: lines, LineId => Line;
    measure: measures, MeasureId => Measure;
}

impl Scenario {
    /// The classes of those who are to come, in order; all, where nobody is.
    pub fn classes_in_use(&self) -> Vec<ClassId> {
        let of_sources = self.sources.iter().flat_map(|s| s.classes.iter().map(|(class, _)| *class));
        let mut classes: Vec<ClassId> = of_sources.chain(self.agents.iter().map(|a| a.class)).collect();
        classes.sort_unstable();
        classes.dedup();
        if classes.is_empty() { (0..self.classes.len()).map(ClassId::from_index).collect() } else { classes }
    }

    /// Where one who is to start at `at` does: in the middle of the tile, if everybody goes from tile to tile.
    pub fn place_to_start(&self, at: Point) -> Point {
        match self.motion {
            Motion::TileSteps => self.grid.centre(self.grid.nearest_cell(at)),
            _ => at,
        }
    }

    /// Units; the largest core radius of any class.
    pub fn largest_core_radius(&self) -> i32 {
        self.classes.iter().map(|c| c.core_radius).max().unwrap_or(0)
    }

    /// The goal of that name.
    pub fn goal_named(&self, name: &str) -> Option<GoalId> {
        self.goals.iter().position(|g| g.name == name).map(GoalId::from_index)
    }

    /// The class of that name.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        self.classes.iter().position(|c| c.name == name).map(ClassId::from_index)
    }

    /// The door of that name.
    pub fn door_named(&self, name: &str) -> Option<DoorId> {
        self.doors.iter().position(|d| d.name == name).map(DoorId::from_index)
    }

    /// The place at `(x, y)` metres of the scenario's own coordinates.
    pub fn place(&self, at_m: [f64; 2]) -> Option<Point> {
        self.area.frame.place(at_m[0], at_m[1])
    }
}
