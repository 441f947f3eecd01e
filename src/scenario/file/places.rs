//! Tables that say where: the area, regions, obstacles, doors, ground, lines and measuring areas.

use super::value::{At, tables};
use super::{LAST_S, List, Names};
use crate::base::limit;
use std::collections::BTreeMap;

/// Metres; the smallest and the largest side of a cell.
const CELL_M: [f64; 2] = [0.01, 100.0];

tables! {
    /// Where people may walk: exactly one of `map`, `map_file`, `walkable` and `walkable_file`.
    ///
    /// ```toml
    /// [area]
    /// cell_m = 0.25
    /// map_cell_m = 1.0
    /// legend = { S = "start", G = "exit" }
    /// map = """
    /// ##########
    /// #SSS....G#
    /// #SSS#...G#
    /// ##########
    /// """
    /// ```
    ///
    /// Or a file of map, or WKT, in the text or in a file:
    ///
    /// ```toml
    /// [area]
    /// map_file = "arena.map"
    /// ```
    ///
    /// ```toml
    /// [area]
    /// walkable = "POLYGON ((0 0, 20 0, 20 10, 0 10, 0 0), (8 4, 12 4, 12 6, 8 6, 8 4))"
    /// ```
    ///
    /// ```toml
    /// [area]
    /// walkable_file = "hall.wkt"
    /// ```
    AreaFile {
        /// The side of a guidance cell.
        cell_m: f64 [CELL_M[0], CELL_M[1]] => "0.1, or `map_cell_m` for maps",
        /// A drawn map: '#' is solid, '.' is open, other characters are named by the legend. The last line is y = 0.
        map: String,
        /// A MovingAI map; the path is relative to the scenario.
        map_file: String,
        /// WKT of the walkable area: POLYGON, MULTIPOLYGON or GEOMETRYCOLLECTION; holes are obstacles.
        walkable: String as "m",
        /// A file of WKT; the path is relative to the scenario.
        walkable_file: String,
        /// Metres per map character.
        map_cell_m: f64 [CELL_M[0], CELL_M[1]] = 1.0,
        /// Which characters of the map name which regions.
        legend: BTreeMap<String, At<String>>,
    }

    /// Whether the area is a ring.
    ///
    /// ```toml
    /// [periodic]
    /// x = true
    /// ```
    PeriodicFile {
        /// Whether who leaves at the right enters at the left, and the other way round.
        x: bool = false,
    }

    /// A named place: a name and one shape.
    ///
    /// ```toml
    /// [[region]]
    /// name = "gate"
    /// rect = [4.0, 2.0, 5.0, 3.0]
    ///
    /// [[region]]
    /// name = "corner"
    /// polygon = "POLYGON ((0 0, 2 0, 0 2, 0 0))"
    ///
    /// [[region]]
    /// name = "fountain"
    /// circle = [7.5, 1.5, 0.4]
    /// ```
    RegionFile {
        /// Its name.
        name: String => required,
        /// x and y of two opposite corners.
        rect: [f64; 4] as "m",
        /// WKT POLYGON or MULTIPOLYGON.
        polygon: String as "m",
        /// x and y of the middle, and the radius.
        circle: [f64; 3] as "m",
    }

    /// A solid thing: one shape.
    ///
    /// ```toml
    /// [[obstacle]]
    /// name = "pillar"
    /// circle = [5.0, 2.0, 0.3]
    ///
    /// [[obstacle]]
    /// rect = [5.5, 1.2, 5.8, 1.5]
    ///
    /// [[obstacle]]
    /// polygon = "POLYGON ((1 1, 2 1, 1 2, 1 1))"
    /// ```
    ObstacleFile {
        /// Its name, for people.
        name: String,
        /// x and y of two opposite corners.
        rect: [f64; 4] as "m",
        /// WKT POLYGON or MULTIPOLYGON.
        polygon: String as "m",
        /// x and y of the middle, and the radius.
        circle: [f64; 3] as "m",
    }

    /// A region that is walkable only while open. Whom a closing door catches may leave; nobody may enter.
    ///
    /// ```toml
    /// [[door]]
    /// name = "bridge"
    /// region = "gate"
    /// open = true
    /// one_way = [1, 0]
    /// max_flow_per_s = 1.33
    /// ```
    DoorFile {
        /// Its name.
        name: String => required,
        /// The region that it closes.
        region: String => required,
        /// Whether it is open at the start.
        open: bool = true,
        /// The only direction in which it may be passed.
        one_way: [f64; 2],
        /// Bodies that may enter it at most.
        max_flow_per_s: f64 [1.0e-3, 1.0e4] => "no cap",
    }

    /// What walking costs in a region, and how fast it is. Where two overlap, the higher price and the lower speed hold.
    ///
    /// ```toml
    /// [[ground]]
    /// region = "mud"
    /// price = 3.0
    /// speed = 0.5
    /// prices = { cart = 6.0 }
    /// closed_to = ["pram"]
    /// ```
    GroundFile {
        /// Where.
        region: String => required,
        /// Cost per metre.
        price: f64 [1.0, limit::PRICE] = 1.0,
        /// Factor on walking speed.
        speed: f64 [0.001, 1.0] = 1.0,
        /// Cost per metre for single classes.
        prices: BTreeMap<String, At<f64>> [1.0, limit::PRICE],
        /// Classes that may not enter.
        closed_to: Names,
    }

    /// A measuring line: crossings are counted per direction.
    ///
    /// ```toml
    /// [[line]]
    /// name = "door"
    /// from = [5.0, 1.0]
    /// to = [5.0, 3.0]
    /// ```
    LineFile {
        /// Its name.
        name: String => required,
        /// One end.
        from: [f64; 2] as "m" => required,
        /// The other end.
        to: [f64; 2] as "m" => required,
    }

    /// A measuring area: density, mean speed and flow over a time window.
    ///
    /// ```toml
    /// [[measure]]
    /// name = "mid"
    /// region = "gate"
    /// from_s = 10.0
    /// until_s = 60.0
    /// ```
    MeasureFile {
        /// Its name.
        name: String => required,
        /// Where.
        region: String => required,
        /// When measuring begins.
        from_s: f64 [0.0, LAST_S] => "0",
        /// When measuring ends.
        until_s: f64 [0.0, LAST_S] => "the end",
    }

    /// What `throng check` asserts; each key that is there is tested.
    ///
    /// ```toml
    /// [expect]
    /// all_arrived_by_s = 100.0
    /// max_overlap_m = 0.0
    /// unreachable = 0
    /// stuck = 0
    /// blocked = 0
    /// settled = 0
    /// waiting = 0
    /// travel_p95_s = 40.0
    /// digest = "0123456789abcdef"
    ///
    /// [[expect.flow]]
    /// line = "door"
    /// min_per_s = 1.0
    ///
    /// [[expect.measure]]
    /// measure = "mid"
    /// density_max = 4.0
    ///
    /// [[expect.exit]]
    /// goal = "out"
    /// share_min = 0.3
    /// ```
    ExpectFile {
        /// The time by which everybody who was to come has come and left at a goal; those who stay never have.
        all_arrived_by_s: f64 [0.0, LAST_S],
        /// The deepest overlap of two cores.
        max_overlap_m: f64 [0.0, 100.0],
        /// The digest of the run, 16 hexadecimal digits; `throng check --bless` writes it.
        digest: String,
        /// Agents that end unreachable, exactly.
        unreachable: u64 [0, limit::AGENTS],
        /// Agents that end stuck, exactly.
        stuck: u64 [0, limit::AGENTS],
        /// Agents that end blocked, exactly.
        blocked: u64 [0, limit::AGENTS],
        /// Agents that end settled at a goal with `arrival = "stay"`, exactly.
        settled: u64 [0, limit::AGENTS],
        /// Agents that end waiting, at their place or for one, exactly.
        waiting: u64 [0, limit::AGENTS],
        /// The travel time that at most one in twenty exceeds.
        travel_p95_s: f64 [0.0, LAST_S],
        /// Flows over lines.
        flow: List<ExpectFlowFile>,
        /// Measuring areas.
        measure: List<ExpectMeasureFile>,
        /// Shares of goals.
        exit: List<ExpectExitFile>,
    }

    /// What a measuring line must count, both directions together.
    ///
    /// ```toml
    /// [[expect.flow]]
    /// line = "door"
    /// min_per_s = 1.0
    /// max_per_s = 2.5
    /// count_min = 150
    /// count_max = 180
    /// ```
    ExpectFlowFile {
        /// Which line.
        line: String => required,
        /// The least flow between the first and the last crossing.
        min_per_s: f64 [0.0, 1.0e6],
        /// The largest flow between the first and the last crossing.
        max_per_s: f64 [0.0, 1.0e6],
        /// The fewest crossings.
        count_min: u64 [0, limit::AGENTS],
        /// The most crossings.
        count_max: u64 [0, limit::AGENTS],
    }

    /// What a measuring area must show.
    ///
    /// ```toml
    /// [[expect.measure]]
    /// measure = "mid"
    /// density_max = 4.0
    /// speed_min = 0.5
    /// ```
    ExpectMeasureFile {
        /// Which measuring area.
        measure: String => required,
        /// The highest density at any tick of its window.
        density_max: f64 as "1/m2" [0.0, 1000.0],
        /// The least mean speed over its window.
        speed_min: f64 as "m/s" [0.0, 100.0],
    }

    /// The share of those arrived who left by a goal.
    ///
    /// ```toml
    /// [[expect.exit]]
    /// goal = "out"
    /// share_min = 0.3
    /// share_max = 0.7
    /// ```
    ExpectExitFile {
        /// Which goal.
        goal: String => required,
        /// The least share.
        share_min: f64 [0.0, 1.0],
        /// The largest share.
        share_max: f64 [0.0, 1.0],
    }
}
