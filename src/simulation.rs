//! The pipeline: one call per stage, and no arithmetic.
//!
//! ```text
//! command -> admit -> gather -> index -> density -> refresh -> choose -> prefer -> steer -> clear -> reserve
//!         -> patience -> retire -> slots -> record -> scatter
//! ```

use crate::base::{
    AgentId, ClassId, Digest, DigestChain, Digester, Fault, GoalId, SimulationError, Tick, UNITS_PER_METRE,
    Workers, limit, metres, units,
};
use crate::field::Guide;
use crate::record::{Admitted, Counts, Events, TickRecord};
use crate::rows::Rows;
use crate::scenario::{Action, Command, Motion, Scenario};
use crate::site::{CommandError, Site};
use crate::space::{Grid, NeighbourIndex};
use crate::stage::admit::{AdmitInput, Newcomer, SupplyState};
use crate::stage::clear::{ClearInput, Cleared};
use crate::stage::command::CommandInput;
use crate::stage::density::{Congested, density_frame};
use crate::stage::layered::Layered;
use crate::stage::patience::{Patience, PatienceInput};
use crate::stage::prefer::PreferInput;
use crate::stage::refresh::{FieldTable, Guides, RefreshInput};
use crate::stage::reserve::{Granted, ReserveInput};
use crate::stage::retire::RetireInput;
use crate::stage::steer::{FieldOnly, Preferred, Proposal, SteerInput, Steering};
use crate::stage::{
    admit, clear, command, density, journey, patience, prefer, record, refresh, reserve, retire, slots, steer,
};
use crate::world::{Agents, CHECKPOINT_VERSION, Checkpoint, CheckpointError};
use glam::Vec2;
use std::sync::Arc;

/// Stands in every trace; raised by every change that moves a digest (see `CHANGELOG.md`, "Results").
pub const RESULTS_VERSION: u32 = 2;

/// A run of a scenario.
///
/// ```
/// use std::sync::Arc;
/// use throng::{scenario::Scenario, simulation::Simulation};
///
/// let text = r#"
/// format = 1
/// name = "one person"
/// [area]
/// map = "S......G"
/// legend = { S = "start", G = "exit" }
/// [[goal]]
/// name = "out"
/// region = "exit"
/// [[source]]
/// name = "crowd"
/// region = "start"
/// goal = "out"
/// count = 1
/// "#;
/// let scenario = Scenario::from_text(text, "one.toml", ".".as_ref())?;
/// let mut simulation = Simulation::new(Arc::new(scenario));
/// while !simulation.is_over() {
///     simulation.step()?;
/// }
/// assert_eq!(simulation.record().counts.arrived, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Simulation {
    scenario: Arc<Scenario>,
    site: Site,
    agents: Agents,
    rows: Rows,
    supply: SupplyState,
    congested: Congested,
    guides: Guides,
    fields: FieldTable,
    field_versions: (u32, u32),
    model: Box<dyn Steering>,
    patience: Patience,
    tick: Tick,
    next_id: AgentId,
    counts: Counts,
    chain: DigestChain,
    state_digest: Digest,
    events_done: usize,
    pending: Vec<Command>,
    events: Events,
    workers: Workers,
    scratch: Scratch,
}

/// Buffers that are kept from tick to tick; nothing in them outlives a step.
#[derive(Debug, Default)]
struct Scratch {
    index: NeighbourIndex,
    density: Option<Grid<f32>>,
    ring_costs: Vec<f32>,
    preferred: Vec<Preferred>,
    proposals: Vec<Proposal>,
    cleared: Vec<Cleared>,
    order: Vec<u32>,
    granted: Vec<Granted>,
    leaves: Vec<bool>,
    changed: Vec<u32>,
}

/// Calls `$observe` with the name of a stage and the digest of what it wrote.
type StageObserver<'a> = &'a mut dyn FnMut(&'static str, Digest);

impl Simulation {
    /// A run that has not begun: tick 0, nobody inside. It uses one thread.
    pub fn new(scenario: Arc<Scenario>) -> Self {
        let clock = scenario.clock;
        let model: Box<dyn Steering> = match scenario.motion {
            Motion::Layered if scenario.steering.enabled => {
                Box::new(Layered::new(&scenario.steering, f64::from(clock.tick_ms) / 1000.0))
            }
            _ => Box::new(FieldOnly),
        };
        Self {
            site: Site::new(&scenario),
            agents: Agents::default(),
            rows: Rows::default(),
            supply: SupplyState::new(&scenario),
            congested: Congested::new(density_frame(scenario.grid)),
            guides: Guides::new(&scenario),
            fields: FieldTable::default(),
            field_versions: (0, 0),
            model,
            patience: Patience::new(&scenario.steering, clock),
            tick: Tick(0),
            next_id: AgentId(0),
            counts: Counts::default(),
            chain: DigestChain::new(),
            state_digest: record::state_digest(Tick(0), &Rows::default()),
            events_done: 0,
            pending: Vec::new(),
            events: Events::default(),
            workers: Workers::new(1),
            scratch: Scratch::default(),
            scenario,
        }
    }

    /// Splits independent rows over so many threads; the results are the same bits.
    pub fn set_threads(&mut self, threads: usize) {
        self.workers = Workers::new(threads);
    }

    /// Replaces the model of local motion. A replay of the trace needs the same model.
    pub fn set_steering(&mut self, model: Box<dyn Steering>) {
        self.model = model;
    }

    /// The tick reached; 0 before the first step.
    pub fn tick(&self) -> Tick {
        self.tick
    }

    /// The scenario.
    pub fn scenario(&self) -> &Arc<Scenario> {
        &self.scenario
    }

    /// Doors, obstacles, ground and goals as they are.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Everybody inside, as columns in order of id.
    pub fn agents(&self) -> &Rows {
        &self.rows
    }

    /// What the last tick left behind.
    pub fn record(&self) -> TickRecord<'_> {
        TickRecord {
            tick: self.tick,
            rows: &self.rows,
            events: &self.events,
            counts: self.counts,
            state_digest: self.state_digest,
            run_digest: self.chain.digest(),
        }
    }

    /// Whether the last tick is reached, or nobody is inside and nobody will come.
    pub fn is_over(&self) -> bool {
        let deserted = self.agents.is_empty()
            && self.pending.is_empty()
            && !self.supply.may_admit(&self.scenario, self.tick);
        self.tick >= self.scenario.last_tick || deserted
    }

    /// Steps until the run is over and hands each tick to `observe`.
    ///
    /// # Errors
    /// If a step fails.
    pub fn run(&mut self, mut observe: impl FnMut(&TickRecord<'_>)) -> Result<(), SimulationError> {
        while !self.is_over() {
            observe(&self.step()?);
        }
        Ok(())
    }

    /// Asks for a change that the next step carries out first. Returns the command as a trace keeps it.
    ///
    /// # Errors
    /// If it names something that does not exist or a value is out of range; nothing is changed then. An agent that is
    /// gone by then is reported in the tick's events instead.
    pub fn command(&mut self, action: Action) -> Result<Command, CommandError> {
        self.site.check(&action)?;
        let command = Command { tick: self.tick, action };
        self.pending.push(command.clone());
        Ok(command)
    }

    /// Computes the next tick.
    ///
    /// # Errors
    /// If a value is not finite or a limit is reached.
    pub fn step(&mut self) -> Result<TickRecord<'_>, SimulationError> {
        self.step_observed(&mut |_, _| {})
    }

    /// Computes the next tick and calls `observe` with each stage's name and the digest of what it wrote, to find the
    /// stage in which two runs part.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn step_observed(&mut self, observe: StageObserver<'_>) -> Result<TickRecord<'_>, SimulationError> {
        if self.tick.0 >= limit::TICKS {
            return Err(self.failure("admit", Fault::TooManyTicks));
        }
        self.events.clear();
        self.carry_out_commands();
        self.admit()?;
        self.agents.gather(&mut self.rows);
        self.guide(observe);
        self.propose(observe)?;
        self.grant(observe);
        self.finish(observe);
        Ok(self.record())
    }

    fn failure(&self, stage: &'static str, fault: Fault) -> SimulationError {
        SimulationError { tick: self.tick.next(), stage, fault }
    }

    /// Events of the scenario that are due, then what was asked from outside, in that order.
    fn carry_out_commands(&mut self) {
        let due = self.scenario.events[self.events_done..].iter().take_while(|e| e.tick <= self.tick).count();
        let scenario = self.scenario.clone();
        let events = &scenario.events[self.events_done..self.events_done + due];
        self.events_done += due;
        let pending = std::mem::take(&mut self.pending);
        if events.is_empty() && pending.is_empty() {
            return;
        }
        let mut input = CommandInput {
            scenario: &scenario,
            site: &mut self.site,
            rows: &mut self.rows,
            events: &mut self.events,
            tick: self.tick,
            next_id: self.next_id,
        };
        let outcome = command::run(&mut input, events.iter().chain(&pending));
        self.counts.removed += outcome.removed;
        self.agents.scatter(&self.rows, &outcome.leaves);
        self.settle_in(outcome.newcomers);
        self.agents.gather(&mut self.rows);
    }

    fn admit(&mut self) -> Result<(), SimulationError> {
        let input = AdmitInput {
            scenario: &self.scenario,
            site: &self.site,
            rows: &self.rows,
            tick: self.tick,
            next_id: self.next_id,
        };
        let admission = admit::run(input, &mut self.supply);
        self.counts.outside = admission.outside;
        self.settle_in(admission.newcomers);
        let within = u64::from(self.next_id.0) <= limit::AGENTS;
        within.then_some(()).ok_or_else(|| self.failure("admit", Fault::TooManyAgents))
    }

    fn settle_in(&mut self, newcomers: Vec<Newcomer>) {
        for Newcomer { row, name } in newcomers {
            self.counts.admitted += 1;
            self.next_id = AgentId(row.id.0 + 1);
            self.events.admitted.push(Admitted::new(&row, name));
            self.agents.spawn(&row);
        }
    }

    /// From positions to preferred velocities.
    fn guide(&mut self, observe: StageObserver<'_>) {
        let (scenario, s) = (&self.scenario, &mut self.scratch);
        let topology = scenario.area.topology;
        let cell = units(f64::from(scenario.steering.reach_m) / 2.0).unwrap_or(i32::MAX);
        s.index.rebuild(&self.rows.position, scenario.area.bounds(), cell, topology);
        if scenario.congestion.is_due(scenario.clock, self.tick) {
            let grid = s.density.get_or_insert_with(|| Grid::filled(density_frame(scenario.grid), 0.0));
            density::run(&self.rows.position, grid);
            self.congested.update(grid);
        }
        let input = RefreshInput {
            scenario,
            site: &self.site,
            congested: &self.congested,
            tick: self.tick,
            workers: &self.workers,
        };
        self.fields = refresh::run(&input, &self.rows, &mut self.guides);
        s.changed.clear();
        journey::run(scenario, &self.fields, &mut self.rows, self.site.goals().len(), &mut s.changed);
        let rerouted =
            s.changed.iter().map(|&row| (self.rows.id[row as usize], self.rows.goal[row as usize]));
        self.events.rerouted.extend(rerouted);
        prefer::ring_costs(&self.site, &self.rows, topology, &mut s.ring_costs);
        let input = PreferInput {
            scenario,
            site: &self.site,
            fields: &self.fields,
            rows: &self.rows,
            ring_costs: &s.ring_costs,
            tick: self.tick,
        };
        prefer::run(input, &self.workers, &mut s.preferred);
        observe("prefer", record::preferred_digest(&s.preferred));
    }

    /// From preferred velocities to moves that walls allow.
    fn propose(&mut self, observe: StageObserver<'_>) -> Result<(), SimulationError> {
        let s = &mut self.scratch;
        if self.scenario.motion == Motion::TileSteps {
            let tick_s = self.scenario.clock.tick_s();
            steer::run_tiles(&self.rows, &s.preferred, tick_s, &self.workers, &mut s.proposals);
        } else {
            let input = SteerInput {
                rows: &self.rows,
                preferred: &s.preferred,
                index: &s.index,
                terrain: self.site.terrain(),
                tick_s: self.scenario.clock.tick_s(),
            };
            steer::run(input, &*self.model, &self.workers, &mut s.proposals)
                .map_err(|row| self.failure("steer", Fault::NotFinite(self.rows.id[row])))?;
        }
        let s = &mut self.scratch;
        observe("steer", record::proposals_digest(&s.proposals));
        let input = ClearInput { rows: &self.rows, proposals: &s.proposals, site: &self.site };
        clear::run(input, &self.workers, &mut s.cleared);
        observe("clear", record::cleared_digest(&s.cleared));
        Ok(())
    }

    /// From moves to granted places.
    fn grant(&mut self, observe: StageObserver<'_>) {
        let s = &mut self.scratch;
        reserve::order(&s.preferred, &mut s.order);
        let input = ReserveInput {
            rows: &self.rows,
            preferred: &s.preferred,
            cleared: &s.cleared,
            index: &s.index,
            topology: self.scenario.area.topology,
            clock: self.scenario.clock,
            tick: self.tick.next(),
        };
        match (self.scenario.reservation.enabled, self.scenario.motion) {
            (false, _) => reserve::run_without(&input, &mut s.granted),
            (true, Motion::TileSteps) => {
                let tiles = self.scenario.grid;
                reserve::run_tiles(&input, &mut s.proposals, tiles, &s.order, &mut s.granted);
            }
            (true, _) => reserve::run(input, &mut self.site, &s.order, &mut s.granted),
        }
        observe("reserve", record::granted_digest(&s.granted));
    }

    /// From granted places to the next tick.
    fn finish(&mut self, observe: StageObserver<'_>) {
        let s = &mut self.scratch;
        self.tick = self.tick.next();
        let versions = self.fields.versions();
        let fields_changed = std::mem::replace(&mut self.field_versions, versions) != versions;
        let input = PatienceInput {
            preferred: &s.preferred,
            proposals: &s.proposals,
            granted: &s.granted,
            topology: self.scenario.area.topology,
            tick: self.tick,
            fields_changed,
        };
        patience::run(input, &self.patience, &mut self.rows, &mut self.events.blocked);
        observe("patience", record::state_digest(self.tick, &self.rows));
        record::crossings(&self.scenario, &self.rows, &mut self.events.crossings);
        record::measure(&self.scenario, self.tick, &self.rows, &mut self.events.measured);
        let input = RetireInput { scenario: &self.scenario, site: &self.site, tick: self.tick };
        retire::run(input, &mut self.rows, &mut s.leaves, &mut self.events.arrived);
        slots::run(&self.site, &s.preferred, &s.order, &mut self.rows);
        slots::trade(&self.site, &s.order, &mut self.rows);
        self.agents.scatter(&self.rows, &s.leaves);
        self.rows.remove(&s.leaves);
        self.counts.arrived += self.events.arrived.len() as u32;
        self.counts = record::count(&self.rows, self.counts);
        self.state_digest = record::state_digest(self.tick, &self.rows);
        observe("record", self.state_digest);
        self.chain.push(self.state_digest);
    }

    /// Saves everything that the rest of the run depends on.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            version: CHECKPOINT_VERSION,
            results_version: RESULTS_VERSION,
            scenario: text_digest(&self.scenario),
            seed: self.scenario.seed,
            tick: self.tick,
            rows: self.rows.clone(),
            next_id: self.next_id,
            supply: self.supply.clone(),
            site: self.site.state(),
            congested: self.congested.clone(),
            field_versions: self.field_versions,
            fields: self.guides.store().keys(),
            delay: self.guides.delay(),
            events_done: self.events_done as u32,
            pending_commands: self.pending.clone(),
            counts: self.counts,
            chain: self.chain,
        }
    }

    /// Continues a run from a checkpoint, with the same bits as the run that it was taken from.
    ///
    /// # Errors
    /// If the checkpoint is of another version, scenario or seed.
    pub fn resume(scenario: Arc<Scenario>, checkpoint: Checkpoint) -> Result<Self, CheckpointError> {
        checkpoint.check(text_digest(&scenario), scenario.seed, RESULTS_VERSION)?;
        let mut simulation = Self::new(scenario);
        simulation.site = checkpoint.site.restore(&simulation.scenario);
        simulation.state_digest = record::state_digest(checkpoint.tick, &checkpoint.rows);
        for row in 0..checkpoint.rows.len() {
            simulation.agents.spawn(&checkpoint.rows.row(row));
        }
        simulation.rows = checkpoint.rows;
        simulation.guides.restore_delay(checkpoint.delay, &simulation.scenario);
        simulation.supply = checkpoint.supply;
        simulation.congested = checkpoint.congested;
        simulation.field_versions = checkpoint.field_versions;
        simulation.tick = checkpoint.tick;
        simulation.next_id = checkpoint.next_id;
        simulation.counts = checkpoint.counts;
        simulation.chain = checkpoint.chain;
        simulation.events_done = checkpoint.events_done as usize;
        simulation.pending = checkpoint.pending_commands;
        Ok(simulation)
    }

    /// Where guidance would send an agent of `class` with `goal` from `at_m`, in metres of the scenario's coordinates.
    /// `None` where the place is too far off.
    pub fn guide_at(&mut self, goal: GoalId, class: ClassId, at_m: [f64; 2]) -> Option<Guide> {
        let point = self.scenario.place(at_m)?;
        let input = RefreshInput {
            scenario: &self.scenario,
            site: &self.site,
            congested: &self.congested,
            tick: self.tick,
            workers: &self.workers,
        };
        Some(self.guides.guide(&input, goal, class, point))
    }

    /// The direction in which an agent of `class` with `goal` would walk at `at_m`, of length 1.
    pub fn direction_at(&mut self, goal: GoalId, class: ClassId, at_m: [f64; 2]) -> Option<Vec2> {
        match self.guide_at(goal, class, at_m)? {
            Guide::Way { toward, .. } => Some(toward),
            _ => None,
        }
    }

    /// The cost that remains for an agent of `class` from `at_m` to `goal`; `None` where there is no way.
    pub fn remaining_cost(&mut self, goal: GoalId, class: ClassId, at_m: [f64; 2]) -> Option<f32> {
        match self.guide_at(goal, class, at_m)? {
            Guide::Way { cost, .. } | Guide::AtGoal { cost } => Some(cost),
            _ => None,
        }
    }

    /// Metres from `at_m` to the nearest wall, as doors and obstacles are now; `None` where there is none.
    pub fn clearance_at(&self, at_m: [f64; 2]) -> Option<f64> {
        let clearance = self.site.terrain().walls().clearance(self.scenario.place(at_m)?)?;
        Some(f64::from(clearance) / f64::from(UNITS_PER_METRE))
    }

    /// The agents whose centres are within `radius_m` of `at_m`, nearest first, ties by id.
    pub fn agents_within(&self, at_m: [f64; 2], radius_m: f64) -> Vec<AgentId> {
        let (Some(point), Some(radius)) = (self.scenario.place(at_m), units(radius_m)) else {
            return Vec::new();
        };
        let topology = self.scenario.area.topology;
        let distance = |row: usize| topology.displacement(point, self.rows.position[row]).length_squared();
        let within = u64::from(radius.unsigned_abs()) * u64::from(radius.unsigned_abs());
        let mut found: Vec<_> = (0..self.rows.len()).map(|row| (distance(row), self.rows.id[row])).collect();
        found.retain(|(d, _)| radius >= 0 && *d <= within);
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// Where an agent is, in metres of the scenario's coordinates, `share` of the way from the tick before to this one.
    pub fn position_m(&self, agent: AgentId, share: f64) -> Option<[f64; 2]> {
        let row = self.rows.row_of(agent)?;
        let (from, to) = (self.rows.previous[row], self.rows.position[row]);
        if share >= 1.0 {
            return Some(self.scenario.area.frame.metres(to));
        }
        let step = self.scenario.area.topology.displacement(from, to);
        let [x, y] = self.scenario.area.frame.metres(from);
        Some([x + metres(step.x) * share, y + metres(step.y) * share])
    }
}

fn text_digest(scenario: &Scenario) -> Digest {
    Digester::new().bytes(scenario.text.as_bytes()).finish()
}
