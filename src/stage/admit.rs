//! `admit`: sources and placed agents become new rows, where there is room.

use crate::base::{AgentId, ClassId, Clock, Digester, Draws, Point, Purpose, SourceId, Tick, name_hash};
use crate::rows::{Origin, Row, Rows, State};
use crate::scenario::{Errand, Motion, PlacedAgent, Placement, Scenario, Source, Supply};
use crate::site::Site;
use crate::space::{Body, Rect, Shape};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What admission reads.
#[derive(Clone, Copy, Debug)]
pub struct AdmitInput<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Walls and doors as they are.
    pub site: &'a Site,
    /// Everybody inside.
    pub rows: &'a Rows,
    /// The tick that the step leaves.
    pub tick: Tick,
    /// The next free id.
    pub next_id: AgentId,
}

/// What sources remember; part of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupplyState {
    sources: Vec<SourceState>,
    /// Placed agents still to come, by their index in the scenario, in order.
    placed: Vec<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SourceState {
    /// Agents admitted so far: the index of the next one.
    admitted: u32,
    /// Agents of a Poisson stream that have come to the source so far.
    came: u32,
    /// Microseconds; when the next agent of a Poisson stream comes.
    next_us: u64,
}

/// A new agent and the name that the scenario gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Newcomer {
    /// The agent.
    pub row: Row,
    /// Its name, where it has one.
    pub name: Option<String>,
}

impl SupplyState {
    /// The state before the first tick.
    pub fn new(scenario: &Scenario) -> Self {
        let source = |source: &Source| {
            let mut state = SourceState::default();
            if let Supply::Rate { per_s, from_ms, poisson: true, .. } = source.supply {
                state.next_us = from_ms * 1000 + gap_us(scenario.seed, source, 0, per_s);
            }
            state
        };
        Self {
            sources: scenario.sources.iter().map(source).collect(),
            placed: (0..scenario.agents.len() as u32).collect(),
        }
    }

    /// Whether anybody may still come at or after `tick`.
    pub fn may_admit(&self, scenario: &Scenario, tick: Tick) -> bool {
        let now_ms = scenario.clock.ms(tick);
        let open = |(source, state): (&Source, &SourceState)| match &source.supply {
            Supply::Schedule(entries) => {
                u64::from(state.admitted) < entries.iter().map(|e| u64::from(e.1)).sum()
            }
            Supply::Keep { .. } => true,
            Supply::Rate { until_ms, count, .. } => {
                let waiting = state.admitted < due(source, state, scenario.clock, tick);
                let time_left = until_ms.is_none_or(|until| now_ms <= until);
                count.is_none_or(|count| state.admitted < count) && (waiting || time_left)
            }
        };
        !self.placed.is_empty() || scenario.sources.iter().zip(&self.sources).any(open)
    }
}

/// Who came in, and who did not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Admission {
    /// The new agents, in order of id.
    pub newcomers: Vec<Newcomer>,
    /// How many are due and found no room.
    pub outside: u32,
}

/// Admits whoever is due and finds room, placed agents first, then by source and index.
///
/// **Determinism:** every draw is addressed by the name of the source and the index within it; who finds room depends
/// on the bodies inside and on the order of sources by name.
pub fn run(input: AdmitInput<'_>, supply: &mut SupplyState) -> Admission {
    let mut newcomers = Vec::new();
    let mut outside = 0;
    let mut crowd = None;
    let scenario = input.scenario;
    let coming = std::mem::take(&mut supply.placed);
    for index in coming {
        let agent = &scenario.agents[index as usize];
        let body = Body { at: agent.at, radius: scenario.class(agent.class).core_radius };
        let is_due = agent.from <= input.tick;
        let has_room = is_due && {
            let crowd = crowd.get_or_insert_with(|| Crowd::of(&input));
            !scenario.reservation.enabled || (input.site.terrain().is_free(body) && crowd.has_room(body, 0))
        };
        if has_room {
            crowd.get_or_insert_with(|| Crowd::of(&input)).add(body);
            newcomers.push(placed_newcomer(&input, index as usize, newcomers.len()));
        } else {
            supply.placed.push(index);
            outside += u32::from(is_due);
        }
    }
    for (i, source) in scenario.sources.iter().enumerate() {
        let state = &mut supply.sources[i];
        let id = SourceId::from_index(i);
        let mut wanted = wanted(&input, source, id, state);
        let mut places = Places::new(source, &input);
        while wanted > 0 {
            let crowd = crowd.get_or_insert_with(|| Crowd::of(&input));
            let class = class_of(source, scenario.seed, state.admitted);
            let radius = scenario.class(class).core_radius;
            let Some(at) = places.find(crowd, radius, state.admitted) else { break };
            crowd.add(Body { at, radius });
            newcomers.push(source_newcomer(
                &input,
                (source, id),
                (class, at),
                state.admitted,
                newcomers.len(),
            ));
            state.admitted += 1;
            wanted -= 1;
        }
        outside += wanted;
    }
    Admission { newcomers, outside }
}

/// A new agent added by a command, where it finds room.
pub fn by_command(
    input: AdmitInput<'_>,
    at: Point,
    class: ClassId,
    errand: Errand,
    speed_mps: Option<f64>,
) -> Option<Newcomer> {
    let at = input.scenario.place_to_start(at);
    let body = Body { at, radius: input.scenario.class(class).core_radius };
    if !input.site.terrain().is_free(body) || !Crowd::of(&input).has_room(body, 0) {
        return None;
    }
    let address = Address { name: name_hash("command"), index: input.next_id.0 };
    let profile = Profile { class, errand, speed_mps, premovement_s: Some(0.0), origin: Origin::Command };
    Some(Newcomer { row: new_row(&input, at, &profile, address, 0), name: None })
}

/// How many of a source are due now and not yet inside.
fn wanted(input: &AdmitInput<'_>, source: &Source, id: SourceId, state: &mut SourceState) -> u32 {
    let now_ms = input.scenario.clock.ms(input.tick);
    if let Supply::Keep { inside, from } = source.supply {
        if input.tick < from {
            return 0;
        }
        let here = input.rows.origin.iter().filter(|&&o| o == Origin::Source(id)).count();
        return inside.saturating_sub(here as u32);
    }
    if let Supply::Rate { per_s, until_ms, poisson: true, .. } = source.supply {
        while state.next_us <= now_ms * 1000 && until_ms.is_none_or(|until| state.next_us < until * 1000) {
            state.came += 1;
            state.next_us += gap_us(input.scenario.seed, source, state.came, per_s);
        }
    }
    due(source, state, input.scenario.clock, input.tick).saturating_sub(state.admitted)
}

/// Agents of a schedule or stream that have come by `tick`.
fn due(source: &Source, state: &SourceState, clock: Clock, tick: Tick) -> u32 {
    let now_ms = clock.ms(tick);
    let came = match &source.supply {
        Supply::Keep { .. } => 0,
        Supply::Schedule(entries) => entries.iter().filter(|e| e.0 <= tick).map(|e| u64::from(e.1)).sum(),
        Supply::Rate { poisson: true, count, .. } => u64::from(state.came.min(count.unwrap_or(u32::MAX))),
        Supply::Rate { per_s, from_ms, until_ms, count, .. } => {
            let until = until_ms.map_or(now_ms, |until| now_ms.min(until.saturating_sub(1)));
            let came = until.checked_sub(*from_ms).map_or(0, |ms| (ms as f64 * per_s / 1000.0) as u64 + 1);
            came.min(u64::from(count.unwrap_or(u32::MAX)))
        }
    };
    came.min(u64::from(u32::MAX)) as u32
}

fn gap_us(seed: u64, source: &Source, index: u32, per_s: f64) -> u64 {
    let mean_us = 1.0e6 / per_s;
    (Draws::at(seed, Purpose::Arrival, source.name_hash, index, 0).exponential() * mean_us).round() as u64
}

fn class_of(source: &Source, seed: u64, index: u32) -> ClassId {
    let mut rest = Draws::at(seed, Purpose::Class, source.name_hash, index, 0).unit();
    for &(class, share) in &source.classes {
        if rest < share {
            return class;
        }
        rest -= share;
    }
    source.classes[source.classes.len() - 1].0
}

/// Where the random draws of an agent lie.
#[derive(Clone, Copy, Debug)]
struct Address {
    name: u64,
    index: u32,
}

/// What an agent is, apart from where it stands.
#[derive(Clone, Copy, Debug)]
struct Profile {
    class: ClassId,
    errand: Errand,
    speed_mps: Option<f64>,
    premovement_s: Option<f64>,
    origin: Origin,
}

fn placed_newcomer(input: &AdmitInput<'_>, index: usize, before: usize) -> Newcomer {
    let (earlier, agent) = (&input.scenario.agents[..index], &input.scenario.agents[index]);
    // Agents are sorted by name, then place: those of one place stand together.
    let is_twin = |other: &&PlacedAgent| other.name.is_none() && other.at == agent.at;
    let address = match &agent.name {
        Some(name) => Address { name: name_hash(name), index: 0 },
        // Unnamed agents draw by place, so that one more of them shifts nobody's draws.
        None => Address {
            name: Digester::new().i32(agent.at.x).i32(agent.at.y).finish().0,
            index: earlier.iter().rev().take_while(is_twin).count() as u32,
        },
    };
    let profile = Profile {
        class: agent.class,
        errand: agent.errand,
        speed_mps: agent.speed_mps,
        premovement_s: agent.premovement_s,
        origin: Origin::Placed,
    };
    Newcomer { row: new_row(input, agent.at, &profile, address, before), name: agent.name.clone() }
}

fn source_newcomer(
    input: &AdmitInput<'_>,
    (source, id): (&Source, SourceId),
    (class, at): (ClassId, Point),
    index: u32,
    before: usize,
) -> Newcomer {
    let origin = Origin::Source(id);
    let profile = Profile { class, errand: source.errand, speed_mps: None, premovement_s: None, origin };
    let address = Address { name: source.name_hash, index };
    Newcomer { row: new_row(input, at, &profile, address, before), name: None }
}

fn new_row(input: &AdmitInput<'_>, at: Point, profile: &Profile, address: Address, before: usize) -> Row {
    let scenario = input.scenario;
    let class = scenario.class(profile.class);
    let draw = |purpose| Draws::at(scenario.seed, purpose, address.name, address.index, 0);
    let speed = profile.speed_mps.unwrap_or_else(|| class.speed_mps.draw(&mut draw(Purpose::Speed)));
    let premovement = profile.premovement_s;
    let premovement =
        premovement.unwrap_or_else(|| class.premovement_s.draw(&mut draw(Purpose::Premovement)));
    let starts = Tick(input.tick.0.saturating_add(scenario.clock.tick_at(premovement).0));
    let (goal, journey) = match profile.errand {
        Errand::Stand => (None, None),
        Errand::Goal(goal) => (Some(goal), None),
        Errand::Journey(journey) => (None, Some(journey)),
    };
    Row {
        id: AgentId(input.next_id.0 + before as u32),
        position: at,
        previous: at,
        velocity: glam::Vec2::ZERO,
        remainder: glam::Vec2::ZERO,
        class: profile.class,
        goal,
        journey,
        stage: 0,
        state: match (profile.errand, starts > input.tick) {
            (Errand::Stand, _) => State::Standing,
            (_, true) => State::Premovement,
            (_, false) => State::Walking,
        },
        held_by: crate::rows::HeldBy::Nothing,
        core_radius: class.core_radius,
        comfort_radius: class.comfort_radius,
        free_speed: speed as f32,
        standing_ms: 0,
        impatience: 0.0,
        waiting_ticks: 0,
        best_cost: f32::MAX,
        best_tick: input.tick,
        slot: None,
        waiting_since: None,
        starts,
        admitted: input.tick,
        commanded: None,
        origin: profile.origin,
        index: address.index,
    }
}

/// Bodies by place, for finding room.
struct Crowd {
    cell: i32,
    reach: i32,
    topology: crate::space::Topology,
    /// Units; half a tile, where everybody has a tile of their own.
    half_tile: Option<i32>,
    bodies: BTreeMap<(i32, i32), Vec<Body>>,
}

impl Crowd {
    fn of(input: &AdmitInput<'_>) -> Self {
        let inside = input.rows.core_radius.iter().copied().max().unwrap_or(0);
        let scenario = input.scenario;
        let holds_tiles = scenario.motion == Motion::TileSteps && scenario.reservation.enabled;
        let half_tile = holds_tiles.then_some(scenario.grid.cell / 2);
        let reach = scenario.largest_core_radius().max(inside).max(half_tile.unwrap_or(0)).max(1_000);
        let topology = scenario.area.topology;
        let mut crowd = Self { cell: 2 * reach, reach, topology, half_tile, bodies: BTreeMap::new() };
        for (&at, &radius) in input.rows.position.iter().zip(&input.rows.core_radius) {
            crowd.add(Body { at, radius });
        }
        crowd
    }

    fn add(&mut self, body: Body) {
        let turns = self.topology.period_x.map_or(vec![0], |period| vec![-period, 0, period]);
        for turn in turns {
            let at = Point::new(body.at.x + turn, body.at.y);
            let key = (at.x.div_euclid(self.cell), at.y.div_euclid(self.cell));
            let radius = self.half_tile.unwrap_or(body.radius);
            self.bodies.entry(key).or_default().push(Body { at, radius });
        }
    }

    /// Whether a body keeps `gap` from all others.
    fn has_room(&self, body: Body, gap: i32) -> bool {
        let (body, gap) = match self.half_tile {
            Some(radius) => (Body { radius, ..body }, 0),
            None => (body, gap),
        };
        let far = body.radius + self.reach + gap;
        let span = |v: i32| (v - far).div_euclid(self.cell)..=(v + far).div_euclid(self.cell);
        span(body.at.x).all(|column| {
            let cells =
                self.bodies.range((column, *span(body.at.y).start())..=(column, *span(body.at.y).end()));
            cells
                .flat_map(|(_, bodies)| bodies)
                .all(|other| !other.at.minus(body.at).is_shorter_than(body.radius + other.radius + gap))
        })
    }
}

/// Tries at random before the region is searched place by place.
const RANDOM_TRIES: u32 = 400;

/// The places of one source in one tick.
struct Places<'a> {
    source: &'a Source,
    input: &'a AdmitInput<'a>,
    shape: &'a Shape,
    bounds: Rect,
    /// Where the search of a lattice goes on: places before it are taken.
    next: u64,
}

impl<'a> Places<'a> {
    fn new(source: &'a Source, input: &'a AdmitInput<'a>) -> Self {
        let shape = &input.scenario.region(source.region).shape;
        let bounds = shape.bounds().unwrap_or(Rect { min: Point::default(), max: Point::default() });
        Self { source, input, shape, bounds, next: 0 }
    }

    fn find(&mut self, crowd: &Crowd, radius: i32, index: u32) -> Option<Point> {
        match &self.source.placement {
            Placement::Random => self
                .at_random(crowd, radius, index)
                .or_else(|| self.in_order(crowd, radius, self.fine_step(radius))),
            Placement::Grid { spacing } | Placement::Hex { spacing } => {
                self.in_order(crowd, radius, *spacing)
            }
            Placement::Points(points) => {
                let fits = |at: &&Point| self.is_free(crowd, **at, radius);
                points.iter().map(|&at| self.input.scenario.place_to_start(at)).find(|at| fits(&at))
            }
        }
    }

    /// Units; half a radius, or more in a region that is too large to be searched that finely.
    fn fine_step(&self, radius: i32) -> i32 {
        let sides = [self.bounds.max.x - self.bounds.min.x, self.bounds.max.y - self.bounds.min.y];
        (radius / 2).max(5_000).max(sides[0].max(sides[1]) / 1000)
    }

    fn is_free(&self, crowd: &Crowd, at: Point, radius: i32) -> bool {
        if !self.input.scenario.reservation.enabled {
            return self.input.site.terrain().is_free(Body { at, radius });
        }
        let roomy = Body { at, radius: radius + self.source.gap };
        self.shape.contains(at)
            && crowd.has_room(Body { at, radius }, self.source.gap)
            && self.input.site.terrain().is_free(roomy)
    }

    fn at_random(&self, crowd: &Crowd, radius: i32, index: u32) -> Option<Point> {
        let seed = self.input.scenario.seed;
        let mut draws = Draws::at(seed, Purpose::Placement, self.source.name_hash, index, self.input.tick.0);
        let (low, high) = (self.bounds.min, self.bounds.max);
        let between =
            |draws: &mut Draws, low: i32, high: i32| draws.between(f64::from(low), f64::from(high)) as i32;
        (0..RANDOM_TRIES)
            .map(|_| {
                let x = between(&mut draws, low.x, high.x);
                Point::new(x, between(&mut draws, low.y, high.y))
            })
            .map(|at| self.input.scenario.place_to_start(at))
            .find(|&at| self.is_free(crowd, at, radius))
    }

    fn in_order(&mut self, crowd: &Crowd, radius: i32, spacing: i32) -> Option<Point> {
        let hex = matches!(self.source.placement, Placement::Hex { .. });
        let lattice = Lattice::new(self.bounds, spacing, hex, radius + self.source.gap);
        let place = |i: u64| self.input.scenario.place_to_start(lattice.place(i));
        let found = (self.next..lattice.len()).find(|&i| self.is_free(crowd, place(i), radius));
        let at = found.map(place);
        self.next = found.map_or(lattice.len(), |i| i + 1);
        at
    }
}

/// Places of a lattice in a box, from an inset within its lower left corner, row by row.
struct Lattice {
    origin: (i64, i64),
    spacing: i64,
    row_height: i64,
    hex: bool,
    columns: u64,
    rows: u64,
}

impl Lattice {
    fn new(bounds: Rect, spacing: i32, hex: bool, inset: i32) -> Self {
        let spacing = i64::from(spacing.max(1));
        let row_height = if hex { spacing * 1732 / 2000 } else { spacing }.max(1);
        let origin = (i64::from(bounds.min.x) + i64::from(inset), i64::from(bounds.min.y) + i64::from(inset));
        let count = |low: i64, high: i32, step: i64| ((i64::from(high) - low).max(-step) / step + 1) as u64;
        Self {
            origin,
            spacing,
            row_height,
            hex,
            columns: count(origin.0, bounds.max.x, spacing),
            rows: count(origin.1, bounds.max.y, row_height),
        }
    }

    fn len(&self) -> u64 {
        self.columns * self.rows
    }

    fn place(&self, i: u64) -> Point {
        let (row, column) = ((i / self.columns) as i64, (i % self.columns) as i64);
        let shift = if self.hex && row % 2 == 1 { self.spacing / 2 } else { 0 };
        let x = self.origin.0 + column * self.spacing + shift;
        Point::new(x as i32, (self.origin.1 + row * self.row_height) as i32)
    }
}
