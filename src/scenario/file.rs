//! The text of a scenario file, key by key. Nothing here is checked beyond its type: `check` demands and validates.

use super::problem::Problems;
use super::value::{At, FromValue, read_at, table_of, tables};
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::DeValue;

type List<T> = Vec<At<T>>;
type Names = Vec<At<String>>;

tables! {
    /// The whole file.
    File {
        /// The version of the format: 1.
        format: u64,
        /// A short name.
        name: String,
        /// What makes the run; another seed, another run.
        seed: u64,
        /// Milliseconds per tick, 10 to 100.
        tick_ms: u64,
        /// Seconds; the run ends earlier when nobody is left and no source will admit more.
        duration_s: f64,
        /// Where people may walk.
        area: AreaFile,
        /// Named places.
        region: List<RegionFile>,
        /// Solid things.
        obstacle: List<ObstacleFile>,
        /// Regions that are walkable only while open.
        door: List<DoorFile>,
        /// Prices and speeds by region.
        ground: List<GroundFile>,
        /// Movement classes.
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
        /// Whether the area is a ring.
        periodic: PeriodicFile,
        /// Measuring lines.
        line: List<LineFile>,
        /// Measuring areas.
        measure: List<MeasureFile>,
        /// What `throng check` asserts.
        expect: ExpectFile,
    }

    /// `[area]`: one of `map`, `map_file`, `walkable`, `walkable_file`.
    AreaFile {
        /// Metres; the side of a guidance cell.
        cell_m: f64,
        /// A drawn map; the last line is y = 0.
        map: String,
        /// A MovingAI map, relative to the scenario.
        map_file: String,
        /// WKT of the walkable area; holes are obstacles.
        walkable: String,
        /// A file of WKT, relative to the scenario.
        walkable_file: String,
        /// Metres per map character.
        map_cell_m: f64,
        /// Which characters of the map name which regions.
        legend: BTreeMap<String, At<String>>,
    }

    /// `[[region]]`: a name and one shape.
    RegionFile {
        /// Its name.
        name: String,
        /// x and y of two opposite corners, in metres.
        rect: [f64; 4],
        /// WKT POLYGON or MULTIPOLYGON.
        polygon: String,
        /// x and y of the middle, and the radius, in metres.
        circle: [f64; 3],
    }

    /// `[[obstacle]]`: one shape; a name is allowed.
    ObstacleFile {
        /// Its name, for people.
        name: String,
        /// x and y of two opposite corners, in metres.
        rect: [f64; 4],
        /// WKT POLYGON or MULTIPOLYGON.
        polygon: String,
        /// x and y of the middle, and the radius, in metres.
        circle: [f64; 3],
    }

    /// `[[door]]`.
    DoorFile {
        /// Its name.
        name: String,
        /// The region it closes.
        region: String,
        /// Whether it is open at the start.
        open: bool,
        /// The only way through it.
        one_way: [f64; 2],
        /// Bodies that may enter per second at most.
        max_flow_per_s: f64,
    }

    /// `[[ground]]`.
    GroundFile {
        /// Where.
        region: String,
        /// Cost per metre, at least 1.
        price: f64,
        /// Factor on walking speed, above 0 and at most 1.
        speed: f64,
        /// Cost per metre for single classes.
        prices: BTreeMap<String, At<f64>>,
        /// Classes that may not enter.
        closed_to: Names,
    }

    /// `[[class]]`.
    ClassFile {
        /// Its name.
        name: String,
        /// Metres; hard, never overlapped; 0 is allowed.
        core_radius_m: f64,
        /// Metres; at least the core radius.
        comfort_radius_m: f64,
        /// Metres per second: a number or a distribution.
        speed_mps: NumberFile,
        /// Seconds before an agent starts: a number or a distribution.
        premovement_s: NumberFile,
    }

    /// A distribution in the place of a number.
    DistributionFile {
        /// Mean of the normal distribution.
        mean: f64,
        /// Standard deviation of the normal distribution.
        sd: f64,
        /// The least value of the (log)normal distribution.
        min: f64,
        /// The largest value of the (log)normal distribution.
        max: f64,
        /// Ends of the uniform distribution.
        uniform: [f64; 2],
        /// Values, each as likely.
        list: List<f64>,
        /// Mean and standard deviation of the logarithm.
        lognormal: [f64; 2],
    }

    /// `[[goal]]`: a place by `region`, `regions`, `at`, `slots` or `heading`.
    GoalFile {
        /// Its name.
        name: String,
        /// The region to go to.
        region: String,
        /// Regions of which the nearest by cost counts.
        regions: Names,
        /// A point to go to.
        at: [f64; 2],
        /// Metres from `at` that count as arrived.
        arrive_within_m: f64,
        /// Places that one agent each may hold.
        slots: List<[f64; 2]>,
        /// "fifo" makes the slots a queue.
        order: String,
        /// Agents that may hold a place at once.
        capacity: u64,
        /// "leave", "stay" or "wait".
        arrival: String,
        /// Seconds of waiting; without it, until a release.
        wait_s: f64,
        /// "+x" or "-x": walk that way for ever on a ring.
        heading: String,
    }

    /// `[[journey]]`.
    JourneyFile {
        /// Its name.
        name: String,
        /// Goals in order.
        stages: List<StageFile>,
    }

    /// A stage that chooses among goals.
    ChoiceFile {
        /// The goals.
        one_of: Names,
        /// "cost", "share" or "least-occupied".
        by: String,
        /// Weights for "share".
        shares: List<f64>,
    }

    /// `[[source]]`.
    SourceFile {
        /// Its name.
        name: String,
        /// Where agents appear.
        region: String,
        /// Their class.
        class: String,
        /// Shares of classes.
        classes: BTreeMap<String, At<f64>>,
        /// The journey they follow.
        journey: String,
        /// The goal they go to.
        goal: String,
        /// How many.
        count: u64,
        /// How many, per square metre of the region.
        density_per_m2: f64,
        /// "random", "grid", "hex" or "points".
        placement: String,
        /// Places for "points".
        points: List<[f64; 2]>,
        /// Metres between neighbours on a lattice.
        spacing_m: f64,
        /// Metres of free space that a new core keeps to every other and to walls.
        gap_m: f64,
        /// Seconds; when all come at once.
        at_s: f64,
        /// Keeps that many inside.
        inside: u64,
        /// Agents per second.
        rate_per_s: f64,
        /// Seconds; when a stream begins.
        from_s: f64,
        /// Seconds; when a stream ends.
        until_s: f64,
        /// "regular" or "poisson".
        arrivals: String,
        /// Seconds and counts.
        schedule: List<[f64; 2]>,
        /// A CSV file of seconds and counts.
        schedule_file: String,
    }

    /// `[[agent]]`.
    AgentFile {
        /// Its name.
        name: String,
        /// Where it appears.
        at: [f64; 2],
        /// Its class.
        class: String,
        /// The goal it goes to.
        goal: String,
        /// The journey it follows.
        journey: String,
        /// Its free speed.
        speed_mps: f64,
        /// Seconds before it starts.
        premovement_s: f64,
        /// Seconds; when it appears.
        at_s: f64,
    }

    /// `[[event]]`: a time and one thing that happens.
    EventFile {
        /// Seconds; when.
        at_s: f64,
        /// A door to open.
        open: String,
        /// A door to close.
        close: String,
        /// A region whose ground changes.
        ground: String,
        /// Its new price.
        price: f64,
        /// Its new speed factor.
        speed: f64,
        /// Classes that may not enter from now on.
        closed_to: Names,
        /// Classes that may enter again.
        open_to: Names,
        /// A goal at which those who wait go on.
        release: String,
    }

    /// `[guidance]`.
    GuidanceFile {
        /// 4 or 8.
        neighbours: u64,
        /// "strict", "one-flank" or "free".
        diagonal: String,
        /// The distance solver.
        distance: String,
        /// A 3x3 matrix of move lengths, upper row first.
        kernel: List<[f64; 3]>,
        /// Of accuracy: 1 or 2.
        order: u64,
        /// Whether the distance is factored.
        factored: bool,
        /// The direction derivation.
        direction: String,
        /// The weight of "weighted".
        weight: String,
        /// "nearest" or "bilinear".
        sampling: String,
        /// "neutral" or "best-neighbour".
        wall_fallback: String,
        /// The order of N, E, S and W among equals.
        tie_order: String,
        /// Whether agents walk straight to a goal in sight.
        line_of_sight: bool,
        /// Cells along the side of a tile; 0 solves whole fields.
        tile_cells: u64,
        /// Megabytes that fields may take.
        cache_mb: f64,
        /// "same-tick" or `{ after_ticks = n }`.
        publish: PublishFile,
    }

    /// `publish` as a table.
    AfterFile {
        /// Ticks until a field becomes visible; agents without one hold.
        after_ticks: u64,
    }

    /// `[congestion]`.
    CongestionFile {
        /// Whether fields follow the crowd.
        enabled: bool,
        /// Seconds between updates.
        update_s: f64,
    }

    /// `[motion]`.
    MotionFile {
        /// "layered", "tile-steps" or "field-only".
        model: String,
    }

    /// `[steering]`: see `Steering` for units, ranges and sources.
    SteeringFile {
        /// Whether local motion acts at all.
        enabled: bool,
        /// Seconds.
        relaxation_s: f64,
        /// Metres.
        reach_m: f64,
        /// Per second.
        push_per_s: f64,
        /// A share.
        push_from_behind: f64,
        /// Metres per second.
        push_max_mps: f64,
        /// Metres per second of standing.
        wedge_mps: f64,
        /// Metres.
        wedge_max_m: f64,
        /// A weight.
        bend: f64,
        /// Metres.
        bend_reach_m: f64,
        /// Metres.
        wall_bend_reach_m: f64,
        /// Seconds.
        time_gap_s: f64,
        /// Seconds.
        time_gap_impatient_s: f64,
        /// Sums of core radii.
        lane: f64,
        /// Sums of core radii.
        lane_impatient: f64,
        /// Seconds.
        contact_s: f64,
        /// A share.
        impatience_below: f64,
        /// Seconds.
        impatience_rise_s: f64,
        /// Seconds.
        impatience_fall_s: f64,
        /// Metres per second.
        sidestep_mps: f64,
        /// Metres.
        sidestep_margin_m: f64,
        /// Metres per second.
        overtake_mps: f64,
        /// Metres per second.
        sidestep_max_mps: f64,
    }

    /// `[reservation]`.
    ReservationFile {
        /// Whether a move is granted only where it overlaps nobody.
        enabled: bool,
    }

    /// `[periodic]`.
    PeriodicFile {
        /// Whether the area is a ring in x.
        x: bool,
    }

    /// `[[line]]`.
    LineFile {
        /// Its name.
        name: String,
        /// One end.
        from: [f64; 2],
        /// The other end.
        to: [f64; 2],
    }

    /// `[[measure]]`.
    MeasureFile {
        /// Its name.
        name: String,
        /// Where.
        region: String,
        /// Seconds; when measuring begins.
        from_s: f64,
        /// Seconds; when measuring ends.
        until_s: f64,
    }

    /// `[expect]`.
    ExpectFile {
        /// Seconds.
        all_arrived_by_s: f64,
        /// Metres.
        max_overlap_m: f64,
        /// 16 hexadecimal digits.
        digest: String,
        /// Agents that end unreachable, exactly.
        unreachable: u64,
        /// Agents that end stuck, exactly.
        stuck: u64,
        /// Agents that end blocked, exactly.
        blocked: u64,
        /// Seconds.
        travel_p95_s: f64,
        /// Flows over lines.
        flow: List<ExpectFlowFile>,
        /// Measuring areas.
        measure: List<ExpectMeasureFile>,
        /// Shares of goals.
        exit: List<ExpectExitFile>,
    }

    /// `[[expect.flow]]`.
    ExpectFlowFile {
        /// Which line.
        line: String,
        /// Crossings per second.
        min_per_s: f64,
        /// Crossings per second.
        max_per_s: f64,
        /// Crossings.
        count_min: u64,
        /// Crossings.
        count_max: u64,
    }

    /// `[[expect.measure]]`.
    ExpectMeasureFile {
        /// Which measuring area.
        measure: String,
        /// Agents per square metre.
        density_max: f64,
        /// Metres per second.
        speed_min: f64,
    }

    /// `[[expect.exit]]`.
    ExpectExitFile {
        /// Which goal.
        goal: String,
        /// The least share.
        share_min: f64,
        /// The largest share.
        share_max: f64,
    }
}

/// A number, or the distribution that it is drawn from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NumberFile {
    /// Always this.
    Fixed(f64),
    /// Drawn.
    Drawn(Box<DistributionFile>),
}

impl FromValue for NumberFile {
    fn allowed() -> String {
        "a number or a distribution such as { mean = 1.34, sd = 0.26, min = 0.5, max = 2.2 }".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => f64::read(value, problems).map(Self::Fixed),
            _ => {
                let table = table_of::<Self>(value, problems)?;
                Some(Self::Drawn(Box::new(DistributionFile::of_table(table, value.span(), problems))))
            }
        }
    }
}

/// A stage of a journey: a goal, or a choice.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StageFile {
    /// One goal.
    Goal(At<String>),
    /// One of several.
    Choice(At<ChoiceFile>),
}

impl FromValue for StageFile {
    fn allowed() -> String {
        "the name of a goal or { one_of = [...], by = \"cost\" }".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        if value.get_ref().is_str() {
            return read_at(value, problems).map(Self::Goal);
        }
        table_of::<Self>(value, problems)?;
        read_at(value, problems).map(Self::Choice)
    }
}

/// When a field becomes visible.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PublishFile {
    /// A word.
    Word(At<String>),
    /// After so many ticks.
    After(At<AfterFile>),
}

impl FromValue for PublishFile {
    fn allowed() -> String {
        "\"same-tick\" or { after_ticks = 4 }".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        if value.get_ref().is_str() {
            return read_at(value, problems).map(Self::Word);
        }
        table_of::<Self>(value, problems)?;
        read_at(value, problems).map(Self::After)
    }
}
