//! The numbers of a run: counts, evacuation times, flows over lines, densities, the deepest overlap.
//!
//! A [`Summary`] watches a run tick by tick. It keeps counters and one travel time per agent who left; what belongs
//! to single agents, crossings and ticks goes to an [`Outcomes`] as it comes.

#[cfg(test)]
mod tests;

use crate::base::{AgentId, ClassId, Digest, GoalId, LineId, MeasureId, Point, Tick, metres};
use crate::record::{Admitted, Counts, TickRecord};
use crate::rows::{Origin, Rows, State};
use crate::scenario::Scenario;
use crate::space::NeighbourIndex;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where rows go that a summary does not keep: see `run --csv`.
pub trait Outcomes {
    /// An agent left, was taken out, or is still inside at the end.
    fn agent(&mut self, outcome: &AgentOutcome<'_>);
    /// A centre passed a measuring line.
    fn crossing(&mut self, t_s: f64, line: &str, rightwards: bool, agent: AgentId);
    /// A measuring area in one tick of its window.
    fn measured(&mut self, t_s: f64, measure: &str, density_per_m2: f32, speed_mps: f32);
}

/// Keeps nothing.
impl Outcomes for () {
    fn agent(&mut self, _: &AgentOutcome<'_>) {}
    fn crossing(&mut self, _: f64, _: &str, _: bool, _: AgentId) {}
    fn measured(&mut self, _: f64, _: &str, _: f32, _: f32) {}
}

/// What became of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOutcome<'a> {
    /// Who.
    pub id: AgentId,
    /// Its source; empty where it was placed by itself.
    pub source: &'a str,
    /// Its movement class.
    pub class: &'a str,
    /// Metres per second.
    pub free_speed_mps: f32,
    /// Seconds.
    pub admitted_s: f64,
    /// Seconds; `None` where it did not arrive.
    pub arrived_s: Option<f64>,
    /// The goal by which it left.
    pub exit: Option<&'a str>,
    /// Metres walked.
    pub path_m: f64,
    /// Seconds for which it stood on its way.
    pub waited_s: f64,
    /// `arrived`, `removed`, or what it is doing at the end.
    pub state: &'a str,
}

/// The numbers of a run, as `throng run --json` prints them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The scenario's name.
    pub name: String,
    /// What made the run.
    pub seed: u64,
    /// Ticks run.
    pub ticks: u32,
    /// Seconds simulated.
    pub sim_seconds: f64,
    /// Seconds it took; 0 until the caller, who has a clock, fills it in.
    pub wall_seconds: f64,
    /// Agents admitted.
    pub admitted: u32,
    /// Agents who left at a goal.
    pub arrived: u32,
    /// Agents inside at the end.
    pub inside: u32,
    /// Agents taken out by commands.
    pub removed: u32,
    /// Agents inside without a way at the end.
    pub unreachable: u32,
    /// Agents inside who are blocked at the end.
    pub blocked: u32,
    /// Agents inside who are stuck at the end.
    pub stuck: u32,
    /// Agents inside who are settled at the end.
    pub settled: u32,
    /// Agents inside who wait at the end, at their place or for one.
    pub waiting: u32,
    /// Agents who are due and still wait outside for room at the end.
    pub outside: u32,
    /// Metres; the deepest overlap of two hard cores in any tick.
    pub max_overlap_m: f64,
    /// When people left.
    pub evacuation_s: Evacuation,
    /// How long those took who left.
    pub travel_s: Travel,
    /// The run's digest.
    pub digest: Digest,
    /// Agents times ticks per second of wall clock; 0 until the caller fills it in.
    pub agent_ticks_per_second: f64,
    /// Agents times ticks.
    pub agent_ticks: u64,
    /// Measuring lines by name.
    pub lines: BTreeMap<String, LineReport>,
    /// Measuring areas by name.
    pub measures: BTreeMap<String, MeasureReport>,
    /// Who left by which goal; goals that nobody left by are absent unless the scenario names them.
    pub exits: BTreeMap<String, u32>,
}

/// Seconds since the start of the run at which people left; `None` where nobody did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Evacuation {
    /// Half of those who left had left by then.
    pub p50: Option<f64>,
    /// 95 of 100 who left had left by then.
    pub p95: Option<f64>,
    /// The last left.
    pub last: Option<f64>,
}

/// Seconds from admission to arrival; `None` where nobody arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Travel {
    /// The mean.
    pub mean: Option<f64>,
    /// Half took no longer.
    pub p50: Option<f64>,
    /// 95 of 100 took no longer.
    pub p95: Option<f64>,
}

/// A measuring line over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LineReport {
    /// Crossings to the right of the line, looking from its first end to its second.
    pub rightwards: u32,
    /// Crossings to its left.
    pub leftwards: u32,
    /// Seconds; the first crossing.
    pub first_s: Option<f64>,
    /// Seconds; the last crossing.
    pub last_s: Option<f64>,
    /// Crossings per second between the first and the last, both directions together: (n - 1) / (last - first).
    pub flow_per_s: Option<f64>,
}

/// A measuring area over its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeasureReport {
    /// Ticks measured.
    pub ticks: u32,
    /// Agents per square metre; the mean of the ticks.
    pub density_per_m2: Option<f64>,
    /// Agents per square metre; the highest tick.
    pub density_max_per_m2: Option<f64>,
    /// Metres per second; the mean over agents and ticks. `None` where nobody was there.
    pub speed_mps: Option<f64>,
    /// Agents per metre and second; the mean of density times speed.
    pub flow_per_ms: Option<f64>,
}

/// What is known of an agent inside, so that it can be told when it is gone.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: AgentId,
    origin: Origin,
    class: ClassId,
    free_speed_mps: f32,
    admitted: Tick,
    state: State,
    path_m: f64,
    waited_ticks: u32,
}

#[derive(Clone, Debug, Default)]
struct LineCount {
    report: LineReport,
    /// Milliseconds and crossings so far: the N-t curve.
    curve: Vec<(u64, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct MeasureSum {
    ticks: u32,
    density: f64,
    density_max: f64,
    agents: u64,
    agent_speed: f64,
    flow: f64,
}

/// Watches a run.
pub struct Summary<O: Outcomes = ()> {
    scenario: Arc<Scenario>,
    outcomes: O,
    /// Those inside, in order of id.
    known: Vec<Known>,
    left_ms: Vec<u64>,
    travel_ms: Vec<u32>,
    exits: BTreeMap<GoalId, u32>,
    lines: Vec<LineCount>,
    measures: Vec<MeasureSum>,
    overlap: Overlap,
    agent_ticks: u64,
    last: Option<(Tick, Counts, Digest)>,
}

impl Summary {
    /// A summary of a run of `scenario` that has not begun.
    pub fn new(scenario: &Arc<Scenario>) -> Self {
        Summary::with_outcomes(scenario, ())
    }
}

impl<O: Outcomes> Summary<O> {
    /// The same, and single rows go to `outcomes`.
    pub fn with_outcomes(scenario: &Arc<Scenario>, outcomes: O) -> Self {
        Self {
            scenario: Arc::clone(scenario),
            outcomes,
            known: Vec::new(),
            left_ms: Vec::new(),
            travel_ms: Vec::new(),
            exits: BTreeMap::new(),
            lines: vec![LineCount::default(); scenario.lines.len()],
            measures: vec![MeasureSum::default(); scenario.measures.len()],
            overlap: Overlap::default(),
            agent_ticks: 0,
            last: None,
        }
    }

    /// Adds a tick; ticks come in order.
    pub fn observe(&mut self, record: &TickRecord) {
        self.last = Some((record.tick, record.counts, record.run_digest));
        self.agent_ticks += record.rows.len() as u64;
        self.overlap.observe(record.rows, &self.scenario);
        self.observe_lines(record);
        self.observe_measures(record);
        self.observe_departures(record);
        self.observe_rows(record.rows);
    }

    fn observe_lines(&mut self, record: &TickRecord) {
        let ms = self.scenario.clock.ms(record.tick);
        let t_s = self.scenario.clock.seconds(record.tick);
        for crossing in &record.events.crossings {
            let name = &self.scenario.line(crossing.line).name;
            self.outcomes.crossing(t_s, name, crossing.rightwards, crossing.agent);
            let LineCount { report, curve } = &mut self.lines[crossing.line.index()];
            if crossing.rightwards {
                report.rightwards += 1;
            } else {
                report.leftwards += 1;
            }
            report.first_s.get_or_insert(t_s);
            report.last_s = Some(t_s);
            let crossings = report.rightwards + report.leftwards;
            match curve.last_mut().filter(|last| last.0 == ms) {
                Some(last) => last.1 = crossings,
                None => curve.push((ms, crossings)),
            }
        }
    }

    fn observe_measures(&mut self, record: &TickRecord) {
        let t_s = self.scenario.clock.seconds(record.tick);
        for measured in &record.events.measured {
            let measure = self.scenario.measure(measured.measure);
            if record.tick <= measure.window.0 || record.tick > measure.window.1 {
                continue;
            }
            self.outcomes.measured(t_s, &measure.name, measured.density_per_m2, measured.speed_mps);
            let (density, speed) = (f64::from(measured.density_per_m2), f64::from(measured.speed_mps));
            let sum = &mut self.measures[measured.measure.index()];
            sum.ticks += 1;
            sum.density += density;
            sum.density_max = sum.density_max.max(density);
            sum.agents += u64::from(measured.agents);
            sum.agent_speed += f64::from(measured.agents) * speed;
            sum.flow += density * speed;
        }
    }

    /// Those who were there a tick ago, or came in this one, and are no more: they left at a goal, or a command took
    /// them out.
    fn observe_departures(&mut self, record: &TickRecord) {
        let clock = self.scenario.clock;
        for arrived in &record.events.arrived {
            let ms = clock.ms(record.tick);
            self.left_ms.push(ms);
            self.travel_ms.push(u32::try_from(ms - clock.ms(arrived.admitted).min(ms)).unwrap_or(u32::MAX));
            *self.exits.entry(arrived.goal).or_default() += 1;
        }
        let newcomers = record.events.admitted.iter().map(Known::newcomer);
        for known in self.known.iter().copied().chain(newcomers) {
            if record.rows.row_of(known.id).is_none() {
                let found = record.events.arrived.binary_search_by_key(&known.id, |arrived| arrived.agent);
                let arrived = found.ok().map(|k| (record.events.arrived[k].goal, record.tick));
                tell_outcome(&self.scenario, &mut self.outcomes, &known, arrived, "removed");
            }
        }
    }

    fn observe_rows(&mut self, rows: &Rows) {
        let mut old = std::mem::take(&mut self.known).into_iter().peekable();
        self.known.reserve(rows.len());
        for i in 0..rows.len() {
            let id = rows.id[i];
            while old.next_if(|known| known.id < id).is_some() {}
            let (path_m, waited_ticks) = old
                .next_if(|known| known.id == id)
                .map_or((0.0, 0), |known| (known.path_m, known.waited_ticks));
            let step = self.scenario.area.topology.displacement(rows.previous[i], rows.position[i]);
            let length = step.length_squared();
            let under_way = !matches!(rows.state[i], State::Standing | State::Premovement | State::Settled);
            self.known.push(Known {
                id,
                origin: rows.origin[i],
                class: rows.class[i],
                free_speed_mps: rows.free_speed[i],
                admitted: rows.admitted[i],
                state: rows.state[i],
                path_m: path_m + (length as f64).sqrt() * metres(1),
                waited_ticks: waited_ticks + u32::from(under_way && length == 0),
            });
        }
    }

    /// Crossings of a line so far, as (milliseconds, crossings): the N-t curve.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn curve(&self, line: LineId) -> &[(u64, u32)] {
        &self.lines[line.index()].curve
    }

    /// The numbers so far.
    pub fn report(&self) -> RunReport {
        let (tick, counts, digest) = self.last.unwrap_or((Tick(0), Counts::default(), Digest(0)));
        let scenario = &self.scenario;
        let lines = scenario.lines.iter().zip(&self.lines);
        let measures = scenario.measures.iter().zip(&self.measures);
        RunReport {
            name: scenario.name.clone(),
            seed: scenario.seed,
            ticks: tick.0,
            sim_seconds: scenario.clock.seconds(tick),
            wall_seconds: 0.0,
            admitted: counts.admitted,
            arrived: counts.arrived,
            inside: counts.inside,
            removed: counts.removed,
            unreachable: counts.unreachable,
            blocked: counts.blocked,
            stuck: counts.stuck,
            settled: counts.settled,
            waiting: counts.waiting,
            outside: counts.outside,
            max_overlap_m: self.overlap.deepest_m,
            evacuation_s: self.evacuation(),
            travel_s: self.travel(),
            digest,
            agent_ticks_per_second: 0.0,
            agent_ticks: self.agent_ticks,
            lines: lines.map(|(line, count)| (line.name.clone(), count.with_flow())).collect(),
            measures: measures.map(|(measure, sum)| (measure.name.clone(), sum.report())).collect(),
            exits: self.exits_by_name(),
        }
    }

    fn exits_by_name(&self) -> BTreeMap<String, u32> {
        let name = |goal: GoalId| {
            self.scenario.goals.get(goal.index()).map_or_else(|| format!("goal {goal}"), |g| g.name.clone())
        };
        self.exits.iter().map(|(&goal, &left)| (name(goal), left)).collect()
    }

    fn evacuation(&self) -> Evacuation {
        // Ticks come in order, so that these times are sorted already.
        let at = |share| percentile(&self.left_ms, share).map(seconds);
        Evacuation { p50: at(50), p95: at(95), last: at(100) }
    }

    fn travel(&self) -> Travel {
        let mut sorted: Vec<u64> = self.travel_ms.iter().map(|&ms| u64::from(ms)).collect();
        sorted.sort_unstable();
        let sum: u64 = sorted.iter().sum();
        let at = |share| percentile(&sorted, share).map(seconds);
        let mean = (!sorted.is_empty()).then(|| seconds(sum) / sorted.len() as f64);
        Travel { mean, p50: at(50), p95: at(95) }
    }

    /// Ends the run: tells what those do who are still inside, and gives back where rows went.
    pub fn finish(mut self) -> O {
        for known in &self.known {
            tell_outcome(&self.scenario, &mut self.outcomes, known, None, known.state.name());
        }
        self.outcomes
    }
}

impl Known {
    fn newcomer(agent: &Admitted) -> Self {
        Self {
            id: agent.agent,
            origin: agent.origin,
            class: agent.class,
            free_speed_mps: agent.free_speed,
            admitted: agent.at,
            state: State::Walking,
            path_m: 0.0,
            waited_ticks: 0,
        }
    }
}

/// Tells what became of an agent: by which goal it left and when, or else what.
fn tell_outcome(
    scenario: &Scenario,
    outcomes: &mut impl Outcomes,
    known: &Known,
    arrived: Option<(GoalId, Tick)>,
    otherwise: &str,
) {
    let exit =
        arrived.map(|(goal, _)| scenario.goals.get(goal.index()).map_or("", |goal| goal.name.as_str()));
    outcomes.agent(&AgentOutcome {
        id: known.id,
        source: match known.origin {
            Origin::Source(source) => &scenario.source(source).name,
            Origin::Placed | Origin::Command => "",
        },
        class: &scenario.class(known.class).name,
        free_speed_mps: known.free_speed_mps,
        admitted_s: scenario.clock.seconds(known.admitted),
        arrived_s: arrived.map(|(_, tick)| scenario.clock.seconds(tick)),
        exit,
        path_m: known.path_m,
        waited_s: scenario.clock.seconds(Tick(known.waited_ticks)),
        state: if arrived.is_some() { "arrived" } else { otherwise },
    });
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

/// The smallest value that so many of 100 do not exceed (nearest rank).
fn percentile(sorted: &[u64], share: usize) -> Option<u64> {
    let rank = (sorted.len() * share).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

impl LineCount {
    fn with_flow(&self) -> LineReport {
        let crossings = self.report.rightwards + self.report.leftwards;
        let flow = |first: f64, last: f64| (last > first).then(|| f64::from(crossings - 1) / (last - first));
        let flow_per_s =
            self.report.first_s.zip(self.report.last_s).and_then(|(first, last)| flow(first, last));
        LineReport { flow_per_s, ..self.report }
    }
}

impl MeasureSum {
    fn report(&self) -> MeasureReport {
        let per_tick = |sum: f64| (self.ticks > 0).then(|| sum / f64::from(self.ticks));
        MeasureReport {
            ticks: self.ticks,
            density_per_m2: per_tick(self.density),
            density_max_per_m2: (self.ticks > 0).then_some(self.density_max),
            speed_mps: (self.agents > 0).then(|| self.agent_speed / self.agents as f64),
            flow_per_ms: per_tick(self.flow),
        }
    }
}

/// The deepest overlap of two hard cores, found on its own from positions and radii.
#[derive(Default)]
struct Overlap {
    index: NeighbourIndex,
    deepest_m: f64,
}

impl Overlap {
    fn observe(&mut self, rows: &Rows, scenario: &Scenario) {
        let Some(largest) = rows.core_radius.iter().max().copied().filter(|&radius| radius > 0) else {
            return;
        };
        let topology = scenario.area.topology;
        let positions: Vec<Point> = rows.position.iter().map(|&p| topology.wrap(p)).collect();
        self.index.rebuild(&positions, scenario.area.bounds(), 2 * largest, topology);
        for (i, &position) in positions.iter().enumerate() {
            let radius = rows.core_radius[i];
            self.index.visit(position, radius + largest, |j, offset| {
                let apart = radius + rows.core_radius[j as usize];
                if (j as usize) > i && offset.is_shorter_than(apart) {
                    let depth = metres(apart) - (offset.length_squared() as f64).sqrt() * metres(1);
                    self.deepest_m = self.deepest_m.max(depth);
                }
            });
        }
    }
}

/// The line and area of a report, by id.
impl RunReport {
    /// The report of a line of `scenario`.
    pub fn line(&self, scenario: &Scenario, line: LineId) -> LineReport {
        self.lines.get(&scenario.line(line).name).copied().unwrap_or_default()
    }

    /// The report of a measuring area of `scenario`.
    pub fn measure(&self, scenario: &Scenario, measure: MeasureId) -> MeasureReport {
        self.measures.get(&scenario.measure(measure).name).copied().unwrap_or_default()
    }

    /// How many left by a goal of `scenario`.
    pub fn left_by(&self, scenario: &Scenario, goal: GoalId) -> u32 {
        self.exits.get(&scenario.goal(goal).name).copied().unwrap_or_default()
    }
}
