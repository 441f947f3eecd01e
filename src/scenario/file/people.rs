//! Tables that say who, whither and when: classes, goals, journeys, sources, agents and events.

use super::super::problem::Problems;
use super::value::{At, Bounded, FromValue, read_at, table_of, tables};
use super::words::{ArrivalWord, ChoiceWord, HeadingWord, OrderWord, PlacementWord, StreamWord};
use super::{LAST_S, List, Names};
use crate::base::limit;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// Metres per second; the slowest and the fastest walk.
pub(in crate::scenario) const SPEED_MPS: [f64; 2] = [0.01, limit::SPEED_MPS];
/// Seconds; the longest wait.
pub(in crate::scenario) const WAIT_S: [f64; 2] = [0.0, 1.0e6];

tables! {
    /// A movement class. "adult" exists by default; other classes take what they lack from the file's own adult.
    ///
    /// ```toml
    /// [[class]]
    /// name = "adult"
    /// core_radius_m = 0.18
    /// comfort_radius_m = 0.20
    /// speed_mps = { mean = 1.34, sd = 0.26, min = 0.5, max = 2.2 }
    /// premovement_s = { uniform = [0, 20] }
    /// ```
    ClassFile {
        /// Its name.
        name: String => required,
        /// The hard radius: cores never overlap. 0 makes a point.
        core_radius_m: f64 [0.0, limit::RADIUS_M] => "0.18",
        /// The radius within which others are pushed away; at least the core radius.
        comfort_radius_m: f64 [0.0, limit::RADIUS_M] => "0.02 more than the core",
        /// Free speed: a number or a distribution (default: Weidmann 1993).
        speed_mps: NumberFile [SPEED_MPS[0], SPEED_MPS[1]] => "{ mean = 1.34, sd = 0.26, min = 0.5, max = 2.2 }",
        /// How long an agent stands before it starts: a number or a distribution.
        premovement_s: NumberFile [WAIT_S[0], WAIT_S[1]] => "0",
    }

    /// A distribution, where a number may stand: one of normal (`mean`, `sd`), `uniform`, `list` and `lognormal`. The
    /// normal and the lognormal value is drawn anew until it lies between `min` and `max`.
    ///
    /// ```toml
    /// [[class]]
    /// name = "walker"
    /// speed_mps = { mean = 1.34, sd = 0.26, min = 0.5, max = 2.2 }
    /// premovement_s = { lognormal = [3.0, 0.5], min = 5, max = 120 }
    ///
    /// [[class]]
    /// name = "visitor"
    /// speed_mps = { uniform = [0.97, 1.62] }
    /// premovement_s = { list = [0, 10, 20] }
    /// ```
    DistributionFile {
        /// Mean of the normal distribution.
        mean: f64,
        /// Standard deviation of the normal distribution.
        sd: f64 [0.0, 1.0e6] = 0.0,
        /// The least value of a normal or lognormal distribution.
        min: f64 => "the least that the key allows",
        /// The largest value of a normal or lognormal distribution.
        max: f64 => "the largest that the key allows",
        /// Ends of the uniform distribution, the lower first.
        uniform: [f64; 2],
        /// Values, each as likely.
        list: List<f64>,
        /// Mean and standard deviation of the logarithm.
        lognormal: [f64; 2],
    }

    /// A goal: a place by exactly one of `region`, `regions`, `at`, `slots` and `heading` (slots may stand beside a
    /// region).
    ///
    /// Who goes to a region to leave has arrived when its centre is inside. Where walls keep every centre of a class out of it
    /// (a strip along a wall, less deep than the core), touching it will do; where no body can even touch it, it is
    /// unreachable. In a queue, who is nearer to its head goes first, whoever holds a slot goes before those who hold none,
    /// and those who wait make way for those who leave.
    ///
    /// ```toml
    /// [[goal]]
    /// name = "out"
    /// regions = ["door1", "door2"]
    /// arrival = "leave"
    ///
    /// [[goal]]
    /// name = "camp"
    /// region = "hill"
    /// arrival = "stay"
    /// capacity = 50
    ///
    /// [[goal]]
    /// name = "clock"
    /// at = [10.0, 5.0]
    /// arrive_within_m = 0.5
    ///
    /// [[goal]]
    /// name = "ticket"
    /// slots = [[10, 5], [10, 6], [10, 7]]
    /// order = "fifo"
    /// arrival = "wait"
    /// wait_s = 8.0
    ///
    /// [[goal]]
    /// name = "onwards"
    /// heading = "+x"
    /// ```
    GoalFile {
        /// Its name.
        name: String => required,
        /// The region to go to.
        region: String,
        /// Regions of which the nearest by cost counts.
        regions: Names,
        /// A point to go to.
        at: [f64; 2] as "m",
        /// How near to `at` or a slot counts as arrived.
        arrive_within_m: f64 [0.001, 100.0] = 0.3,
        /// Places that one agent each may hold; the head first, where they are a queue.
        slots: List<[f64; 2]> as "m",
        /// "fifo" makes the slots a queue.
        order: OrderWord = OrderWord::Any,
        /// Agents that may hold a place at once; the rest wait outside.
        capacity: u64 [1, limit::AGENTS] => "as many as there are slots, or places on a lattice in the region",
        /// What happens on arrival: leave the scenario (or go to the next stage), stay for good, or wait.
        arrival: ArrivalWord = ArrivalWord::Leave,
        /// How long a wait lasts; without it, until an event releases the goal.
        wait_s: f64 [WAIT_S[0], WAIT_S[1]],
        /// With `[periodic]` only: walk that way for ever, round what stands there.
        heading: HeadingWord,
    }

    /// Goals in order.
    ///
    /// ```toml
    /// [[journey]]
    /// name = "home"
    /// stages = ["ticket", { one_of = ["east", "west"], by = "cost" }]
    /// ```
    JourneyFile {
        /// Its name.
        name: String => required,
        /// The goals, each a name or a choice.
        stages: List<StageFile> => required,
    }

    /// A stage that chooses among goals.
    ///
    /// ```toml
    /// [[journey]]
    /// name = "home"
    /// stages = [{ one_of = ["east", "west"], by = "share", shares = [3, 1] }]
    /// ```
    ChoiceFile {
        /// The goals.
        one_of: Names => required,
        /// How one is chosen: the cheapest to reach, by given shares, or the one with the fewest people.
        by: ChoiceWord = ChoiceWord::Cost,
        /// A weight for each goal, for "share".
        shares: List<f64> [0.0, 1.0e9],
    }

    /// Where agents come from, and how many: by `count` or `density_per_m2` at once, by `rate_per_s`, by a `schedule`,
    /// or so many that `inside` are there. Who finds no room waits outside until there is some.
    ///
    /// ```toml
    /// [[source]]
    /// name = "crowd"
    /// region = "hall"
    /// classes = { adult = 0.8, cart = 0.2 }
    /// journey = "home"
    /// density_per_m2 = 1.5
    /// placement = "hex"
    /// spacing_m = 0.6
    /// gap_m = 0.05
    ///
    /// [[source]]
    /// name = "lounge"
    /// region = "seats"
    /// count = 2
    /// placement = "points"
    /// points = [[1, 1], [1, 2]]
    /// at_s = 5.0
    ///
    /// [[source]]
    /// name = "stream"
    /// region = "gate"
    /// class = "adult"
    /// goal = "out"
    /// rate_per_s = 2.0
    /// from_s = 10.0
    /// until_s = 60.0
    /// arrivals = "poisson"
    ///
    /// [[source]]
    /// name = "trains"
    /// region = "platform"
    /// goal = "out"
    /// schedule = [[0, 40], [90, 60]]
    ///
    /// [[source]]
    /// name = "buses"
    /// region = "stop"
    /// goal = "out"
    /// schedule_file = "buses.csv"
    ///
    /// [[source]]
    /// name = "steady"
    /// region = "ring"
    /// goal = "onwards"
    /// inside = 30
    /// ```
    SourceFile {
        /// Its name; draws depend on it, never on its place in the file.
        name: String => required,
        /// Where agents appear.
        region: String => required,
        /// Their class.
        class: String => "\"adult\"",
        /// Shares of classes.
        classes: BTreeMap<String, At<f64>> [1.0e-9, 1.0e9],
        /// The journey that they follow.
        journey: String,
        /// The goal that they go to; without goal and journey they stand.
        goal: String,
        /// How many, at once or at most.
        count: u64 [0, limit::AGENTS],
        /// How many, per area of the region.
        density_per_m2: f64 [0.0, 100.0],
        /// Where they appear in the region.
        placement: PlacementWord = PlacementWord::Random,
        /// Places for "points".
        points: List<[f64; 2]> as "m",
        /// Distance between neighbours on a grid or hexagonal lattice.
        spacing_m: f64 [0.001, 1000.0] => "two comfort radii and 0.01",
        /// Free space that a new core keeps to every other and to walls.
        gap_m: f64 [0.0, 100.0] = 0.01,
        /// When all come at once, or `inside` begins.
        at_s: f64 [0.0, LAST_S] => "0",
        /// Keeps so many inside.
        inside: u64 [0, limit::AGENTS],
        /// Agents per second.
        rate_per_s: f64 [1.0e-6, 1.0e5],
        /// When a stream begins.
        from_s: f64 [0.0, LAST_S] = 0.0,
        /// When a stream ends.
        until_s: f64 [0.0, LAST_S] => "the end",
        /// Whether a stream comes evenly or at random.
        arrivals: StreamWord = StreamWord::Regular,
        /// Times in seconds, each with a count.
        schedule: List<[f64; 2]>,
        /// A CSV file of seconds and counts; the path is relative to the scenario.
        schedule_file: String,
    }

    /// One agent.
    ///
    /// ```toml
    /// [[agent]]
    /// name = "guide"
    /// at = [1.5, 1.5]
    /// class = "adult"
    /// goal = "out"
    /// speed_mps = 1.2
    /// premovement_s = 2.0
    /// at_s = 3.0
    ///
    /// [[agent]]
    /// at = [2.5, 1.5]
    /// journey = "home"
    /// ```
    AgentFile {
        /// Its name.
        name: String,
        /// Where it appears.
        at: [f64; 2] as "m" => required,
        /// Its class.
        class: String => "\"adult\"",
        /// The goal that it goes to; without goal and journey it stands.
        goal: String,
        /// The journey that it follows.
        journey: String,
        /// Its free speed.
        speed_mps: f64 [SPEED_MPS[0], SPEED_MPS[1]] => "drawn from the class",
        /// How long it stands before it starts.
        premovement_s: f64 [WAIT_S[0], WAIT_S[1]] => "drawn from the class",
        /// When it appears.
        at_s: f64 [0.0, LAST_S] => "0",
    }

    /// What happens by itself: a time and one of `open`, `close`, `ground`, `release` and `move_goal`.
    ///
    /// ```toml
    /// [[event]]
    /// at_s = 30.0
    /// close = "bridge"
    ///
    /// [[event]]
    /// at_s = 60.0
    /// open = "bridge"
    ///
    /// [[event]]
    /// at_s = 40.0
    /// ground = "mud"
    /// price = 2.0
    /// speed = 0.7
    /// closed_to = ["cart"]
    /// open_to = ["pram"]
    ///
    /// [[event]]
    /// at_s = 50.0
    /// release = "platform"
    ///
    /// [[event]]
    /// at_s = 60.0
    /// move_goal = "camp"
    /// to = "hill"
    /// ```
    EventFile {
        /// When.
        at_s: f64 [0.0, LAST_S] => required,
        /// A door to open.
        open: String,
        /// A door to close.
        close: String,
        /// A region whose ground changes.
        ground: String,
        /// Its new cost per metre.
        price: f64 [1.0, limit::PRICE] => "as it was",
        /// Its new factor on walking speed.
        speed: f64 [0.001, 1.0] => "as it was",
        /// Classes that may not enter it from now on.
        closed_to: Names,
        /// Classes that may enter it again.
        open_to: Names,
        /// A goal at which those who wait go on.
        release: String,
        /// A goal that moves.
        move_goal: String,
        /// The region that it moves to.
        to: String,
    }
}

/// A number, or the distribution that it is drawn from.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario) enum NumberFile {
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

impl Bounded for NumberFile {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        match self {
            Self::Fixed(number) => number.numbers(visit),
            Self::Drawn(table) => {
                table.min.iter().chain(&table.max).for_each(|bound| bound.numbers(visit));
                table.uniform.iter().for_each(|ends| ends.numbers(visit));
                table.list.iter().for_each(|list| list.value.numbers(visit));
            }
        }
    }
}

/// A stage of a journey: a goal, or a choice.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario) enum StageFile {
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
