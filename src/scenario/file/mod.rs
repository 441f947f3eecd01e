//! The text of a scenario file, key by key. Types, words and ranges are checked here; `check` demands what must be
//! there and what fits together. The schema and the reference page are made from these same lines.

mod people;
mod places;
mod settings;
pub(super) mod unit;
pub(super) mod value;
pub(super) mod words;

pub(super) use people::*;
pub(super) use places::*;
pub(super) use settings::*;

use crate::base::limit;
use value::{At, tables};

type List<T> = Vec<At<T>>;
type Names = Vec<At<String>>;

/// Seconds; the latest time that a file may name.
const LAST_S: f64 = 1.0e8;

tables! {
    /// The whole file.
    ///
    /// ```toml
    /// format = 1
    /// name = "corridor"
    /// seed = 7
    /// tick_ms = 50
    /// duration_s = 60.0
    ///
    /// [area]
    /// walkable = "POLYGON ((0 0, 20 0, 20 3, 0 3, 0 0))"
    ///
    /// [[region]]
    /// name = "start"
    /// rect = [0.5, 0.3, 5, 2.7]
    ///
    /// [[region]]
    /// name = "exit"
    /// rect = [19, 0, 20, 3]
    ///
    /// [[goal]]
    /// name = "out"
    /// region = "exit"
    ///
    /// [[source]]
    /// name = "people"
    /// region = "start"
    /// goal = "out"
    /// count = 12
    ///
    /// [expect]
    /// all_arrived_by_s = 30.0
    /// ```
    File {
        /// The version of the format: 1.
        format: u64 => required,
        /// A short name.
        name: String => required,
        /// What makes the run; another seed, another run.
        seed: u64 = 0,
        /// The length of a tick.
        tick_ms: u64 [limit::TICK_MS.0, limit::TICK_MS.1] = 50,
        /// When the run ends at the latest; it ends earlier when nobody is left and no source will admit more.
        duration_s: f64 [0.0, LAST_S] = 600.0,
        /// Where people may walk.
        area: AreaFile => required,
        /// Whether the area is a ring.
        periodic: PeriodicFile,
        /// Named places.
        region: List<RegionFile>,
        /// Solid things.
        obstacle: List<ObstacleFile>,
        /// Regions that are walkable only while open.
        door: List<DoorFile>,
        /// Prices and speeds by region.
        ground: List<GroundFile>,
        /// Movement classes; "adult" exists by default.
        class: List<ClassFile>,
        /// Where agents go.
        goal: List<GoalFile>,
        /// Goals in order.
        journey: List<JourneyFile>,
        /// Where agents come from.
        source: List<SourceFile>,
        /// Agents one by one.
        agent: List<AgentFile>,
        /// What happens by itself.
        event: List<EventFile>,
        /// How fields are computed and read.
        guidance: GuidanceFile,
        /// How density becomes a price.
        congestion: CongestionFile,
        /// Which model moves agents.
        motion: MotionFile,
        /// Parameters of local motion.
        steering: SteeringFile,
        /// Whether bodies reserve their places.
        reservation: ReservationFile,
        /// Measuring lines.
        line: List<LineFile>,
        /// Measuring areas.
        measure: List<MeasureFile>,
        /// What `throng check` asserts.
        expect: ExpectFile,
    }
}
