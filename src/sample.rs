//! A scenario and ticks made by hand, for tests of what reads ticks.

use crate::base::{
    AgentId, ClassId, Clock, Digest, DigestChain, Digester, Frame, GoalId, LineId, MeasureId, Point,
    RegionId, SourceId, Tick,
};
use crate::field::Guidance;
use crate::record::{Admitted, Arrived, Counts, Crossing, Events, Measured, TickRecord};
use crate::rows::{HeldBy, Origin, Row, Rows, State};
use crate::scenario::{
    Arrival, Class, Congestion, Distribution, Errand, Expect, Goal, GoalPlace, Line, Measure, Motion,
    Placement, Region, Reservation, Scenario, Source, Steering, Supply,
};
use crate::space::{Area, GridFrame, Rect, Shape};
use glam::Vec2;
use std::sync::Arc;

fn shape(rect: [i32; 4]) -> Shape {
    let [x0, y0, x1, y1] = rect.map(|m| m * 100_000);
    Shape::Polygon(vec![Rect { min: Point::new(x0, y0), max: Point::new(x1, y1) }.ring()])
}

/// A hall of 20 m by 6 m with a pillar, far from the origin of its coordinates.
pub(crate) fn scenario() -> Scenario {
    let frame = Frame { origin_x_m: 32_500_000, origin_y_m: 5_600_000 };
    let Shape::Polygon(hall) = shape([0, 0, 20, 6]) else { unreachable!() };
    let area = Area::from_polygons(frame, &[hall], vec![shape([9, 2, 10, 4])], false).unwrap();
    let goal = |name: &str, rect| Goal {
        name: name.to_owned(),
        place: GoalPlace::Shapes(vec![shape(rect)]),
        arrival: Arrival::Leave,
        slots: vec![],
        fifo: false,
        capacity: None,
    };
    let region = |name: &str, rect| Region { name: name.to_owned(), shape: shape(rect) };
    let class = |name: &str, core_radius| Class {
        name: name.to_owned(),
        core_radius,
        comfort_radius: 20_000,
        speed_mps: Distribution::Fixed(1.0),
        premovement_s: Distribution::Fixed(0.0),
    };
    Scenario {
        text: "# a hall\nformat = 1\n".to_owned(),
        side_files: vec![("maps/hall.wkt".to_owned(), "POLYGON ((0 0, 1 0, 1 1))".to_owned())],
        name: "hall".to_owned(),
        seed: 7,
        clock: Clock { tick_ms: 50 },
        last_tick: Tick(400),
        area: Arc::new(area),
        grid: GridFrame { columns: 40, rows: 12, cell: 50_000, ring: false },
        regions: vec![region("middle", [8, 0, 12, 6]), region("west", [0, 0, 4, 6])],
        doors: vec![],
        grounds: vec![],
        classes: vec![class("adult", 18_000), class("cart", 20_000)],
        goals: vec![goal("east", [18, 0, 20, 6]), goal("north", [0, 5, 20, 6])],
        journeys: vec![],
        sources: vec![Source {
            name: "crowd".to_owned(),
            name_hash: 1,
            region: RegionId(1),
            classes: vec![(ClassId(0), 1.0)],
            errand: Errand::Goal(GoalId(0)),
            placement: Placement::Random,
            gap: 0,
            supply: Supply::Schedule(vec![(Tick(0), 5)]),
        }],
        agents: vec![],
        events: vec![],
        guidance: Guidance::default(),
        congestion: Congestion::default(),
        motion: Motion::default(),
        steering: Steering::default(),
        reservation: Reservation::default(),
        lines: vec![Line {
            name: "door".to_owned(),
            from: Point::new(800_000, 0),
            to: Point::new(800_000, 600_000),
        }],
        measures: vec![Measure { name: "mid".to_owned(), region: RegionId(0), window: (Tick(0), Tick(400)) }],
        expect: Expect::default(),
    }
}

/// An agent that walks from `(x, y)` units at 1 m/s to the right.
pub(crate) fn row(id: u32, x: i32, y: i32) -> Row {
    Row {
        id: AgentId(id),
        position: Point::new(x, y),
        previous: Point::new(x, y),
        velocity: Vec2::new(1.0, 0.0),
        remainder: Vec2::ZERO,
        class: ClassId(0),
        goal: Some(GoalId(0)),
        journey: None,
        stage: 0,
        state: State::Walking,
        held_by: HeldBy::Nothing,
        core_radius: 18_000,
        comfort_radius: 20_000,
        free_speed: 1.0,
        standing_ms: 0,
        impatience: 0.0,
        waiting_ticks: 0,
        best_cost: 1.0,
        best_tick: Tick(0),
        slot: None,
        waiting_since: None,
        starts: Tick(0),
        admitted: Tick(0),
        commanded: None,
        origin: Origin::Source(SourceId(0)),
        index: id,
    }
}

/// A run whose rows a test sets by hand.
pub(crate) struct HandRun {
    pub(crate) tick: Tick,
    pub(crate) rows: Rows,
    pub(crate) events: Events,
    pub(crate) counts: Counts,
    chain: DigestChain,
    state_digest: Digest,
}

impl HandRun {
    pub(crate) fn new() -> Self {
        Self {
            tick: Tick(0),
            rows: Rows::default(),
            events: Events::default(),
            counts: Counts::default(),
            chain: DigestChain::new(),
            state_digest: Digest(0),
        }
    }

    /// Begins a tick without events.
    pub(crate) fn begin(&mut self) {
        self.tick = self.tick.next();
        self.events.clear();
    }

    pub(crate) fn admit(&mut self, row: Row) {
        let name = row.id.0.is_multiple_of(2).then(|| format!("agent {}", row.id));
        let at = Tick(self.tick.0 - 1);
        self.events.admitted.push(Admitted { at, ..Admitted::new(&row, name) });
        self.counts.admitted += 1;
        self.rows.push(row);
    }

    /// Moves an agent by units.
    pub(crate) fn shift(&mut self, i: usize, dx: i32, dy: i32) {
        let from = self.rows.position[i];
        self.rows.previous[i] = from;
        self.rows.position[i] = Point::new(from.x + dx, from.y + dy);
    }

    pub(crate) fn arrive(&mut self, i: usize) {
        let row = self.rows.row(i);
        let goal = row.goal.unwrap();
        self.events.arrived.push(Arrived { agent: row.id, goal, admitted: row.admitted });
        self.counts.arrived += 1;
        let leaves: Vec<bool> = (0..self.rows.len()).map(|k| k == i).collect();
        self.rows.remove(&leaves);
    }

    pub(crate) fn cross(&mut self, agent: u32, rightwards: bool) {
        self.events.crossings.push(Crossing { line: LineId(0), agent: AgentId(agent), rightwards });
    }

    pub(crate) fn measure(&mut self, agents: u32, density_per_m2: f32, speed_mps: f32) {
        self.events.measured.push(Measured { measure: MeasureId(0), agents, density_per_m2, speed_mps });
    }

    /// Ends the tick.
    pub(crate) fn end(&mut self) -> TickRecord<'_> {
        let mut digester = Digester::new();
        digester.u32(self.tick.0);
        for p in &self.rows.position {
            digester.i32(p.x).i32(p.y);
        }
        self.state_digest = digester.finish();
        self.chain.push(self.state_digest);
        self.counts.inside = self.rows.len() as u32;
        TickRecord {
            tick: self.tick,
            rows: &self.rows,
            events: &self.events,
            counts: self.counts,
            state_digest: self.state_digest,
            run_digest: self.chain.digest(),
        }
    }
}

/// Five people who walk in and leave one by one; `visit` sees every tick.
pub(crate) fn walk(ticks: u32, mut visit: impl FnMut(&TickRecord)) {
    let mut run = HandRun::new();
    for t in 0..ticks {
        run.begin();
        if t < 5 {
            let mut row = row(t, 100_000, 100_000 + t as i32 * 60_000);
            row.admitted = Tick(t);
            row.goal = (t != 3).then_some(GoalId(t % 2));
            run.admit(row);
        }
        for i in 0..run.rows.len() {
            run.shift(i, 5_003, (t as i32 % 3) - 1);
        }
        if t > 0 && t % 40 == 0 && run.rows.goal.first().is_some_and(Option::is_some) {
            run.arrive(0);
        }
        visit(&run.end());
    }
}
