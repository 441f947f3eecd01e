//! `patience`: granted places become the rows' own, and what they did to standing time, impatience and state.

use super::reserve::Granted;
use super::steer::{Preferred, Proposal, Stance};
use crate::base::{AgentId, Clock, Offset, Tick, positive_zero, relaxation_factor};
use crate::rows::{HeldBy, Rows, State};
use crate::scenario::Steering;
use crate::space::Topology;
use glam::Vec2;

/// Rates that follow from parameters and the tick; made once at load.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    clock: Clock,
    below: f32,
    rise: f32,
    fall: f32,
}

/// Share of free speed below which an agent stands.
const STANDS_BELOW: f32 = 0.05;
/// How much faster standing time is forgotten than gathered.
const FORGETS: u32 = 4;
/// Milliseconds without progress after which an agent is stuck or blocked.
const PATIENCE_MS: u64 = 10_000;
/// Metres of remaining cost that count as progress.
const PROGRESS_M: f32 = 0.05;

impl Patience {
    /// For ticks of `clock`.
    pub fn new(parameters: &Steering, clock: Clock) -> Self {
        let tick_s = f64::from(clock.tick_ms) / 1000.0;
        Self {
            clock,
            below: parameters.impatience_below,
            rise: relaxation_factor(tick_s, parameters.impatience_rise_s),
            fall: relaxation_factor(tick_s, parameters.impatience_fall_s),
        }
    }

    fn ticks(&self) -> u32 {
        PATIENCE_MS.div_ceil(u64::from(self.clock.tick_ms)) as u32
    }
}

/// What `patience` reads besides the rows that it changes.
#[derive(Clone, Copy, Debug)]
pub struct PatienceInput<'a> {
    /// What guidance asked.
    pub preferred: &'a [Preferred],
    /// What was proposed.
    pub proposals: &'a [Proposal],
    /// What was granted.
    pub granted: &'a [Granted],
    /// Plane or ring.
    pub topology: Topology,
    /// The tick that the step leads to.
    pub tick: Tick,
    /// Whether fields changed in this tick, so that remaining costs are not comparable with older ones.
    pub fields_changed: bool,
}

/// Writes the outcome of a tick into the rows, and lists who turned blocked.
pub fn run(input: PatienceInput<'_>, patience: &Patience, rows: &mut Rows, blocked: &mut Vec<AgentId>) {
    for row in 0..rows.len() {
        move_to(&input, patience, rows, row);
        wait(&input, patience, rows, row);
        let after = state_after(&input, patience, rows, row);
        let before = std::mem::replace(&mut rows.state[row], after);
        if rows.state[row] == State::Blocked && before != State::Blocked {
            blocked.push(rows.id[row]);
        }
    }
}

fn move_to(input: &PatienceInput<'_>, patience: &Patience, rows: &mut Rows, row: usize) {
    let (from, granted) = (rows.position[row], input.granted[row]);
    let proposal = input.proposals[row];
    // What walls and bodies changed is an offset of whole units; what rounding changed is no part of the velocity.
    let change = granted.at.minus(from.plus(proposal.step)).metres() / patience.clock.tick_s();
    let is_refused = granted.at == from && proposal.step != Offset::default();
    let velocity = if is_refused { Vec2::ZERO } else { proposal.velocity + change };
    let velocity = velocity.clamp_length_max(rows.free_speed[row]);
    rows.previous[row] = from;
    rows.position[row] = input.topology.wrap(granted.at);
    rows.velocity[row] = Vec2::new(positive_zero(velocity.x), positive_zero(velocity.y));
    rows.remainder[row] = proposal.remainder;
    rows.held_by[row] = if input.preferred[row].trouble.is_some() && granted.held_by == HeldBy::Nothing {
        HeldBy::NoWay
    } else {
        granted.held_by
    };
}

fn wait(input: &PatienceInput<'_>, patience: &Patience, rows: &mut Rows, row: usize) {
    let wants = input.preferred[row].stance == Stance::Walking;
    let speed = rows.velocity[row].length();
    let free = rows.free_speed[row];
    let tick_ms = patience.clock.tick_ms;
    // Those who stand of their own will ask nobody for room.
    rows.standing_ms[row] = if wants && speed < STANDS_BELOW * free {
        rows.standing_ms[row].saturating_add(tick_ms)
    } else {
        rows.standing_ms[row].saturating_sub(FORGETS * tick_ms)
    };
    let u = rows.impatience[row];
    rows.impatience[row] = if wants && speed < patience.below * free {
        u + (1.0 - u) * patience.rise
    } else {
        positive_zero(u - u * patience.fall)
    };
    let held = matches!(rows.held_by[row], HeldBy::Bodies | HeldBy::Door);
    rows.waiting_ticks[row] = if wants && held { rows.waiting_ticks[row].saturating_add(1) } else { 0 };
}

fn state_after(input: &PatienceInput<'_>, patience: &Patience, rows: &mut Rows, row: usize) -> State {
    let state = rows.state[row];
    let preferred = &input.preferred[row];
    if !rows.has_started(row, input.tick) {
        return if rows.goal[row].is_some() || rows.journey[row].is_some() {
            State::Premovement
        } else {
            State::Standing
        };
    }
    if rows.commanded[row].is_some() {
        return State::Walking;
    }
    if matches!(state, State::Settled) || (state == State::Waiting && rows.waiting_since[row].is_some()) {
        return state;
    }
    if rows.goal[row].is_none() && rows.journey[row].is_none() {
        return State::Standing;
    }
    if let Some(trouble) = preferred.trouble {
        return trouble;
    }
    progress(input, patience, rows, row)
}

/// Walking, or stuck or blocked where the way has not become shorter for a while.
fn progress(input: &PatienceInput<'_>, patience: &Patience, rows: &mut Rows, row: usize) -> State {
    let preferred = &input.preferred[row];
    let long_standing = u64::from(rows.standing_ms[row]) >= PATIENCE_MS;
    if preferred.ahead_by_place {
        return if long_standing { State::Blocked } else { State::Walking };
    }
    if input.fields_changed && preferred.cost > rows.best_cost[row] {
        rows.best_cost[row] = preferred.cost;
    }
    if preferred.cost < rows.best_cost[row] - PROGRESS_M || rows.best_tick[row] < rows.admitted[row] {
        rows.best_cost[row] = preferred.cost;
        rows.best_tick[row] = input.tick;
    }
    if input.tick.0 - rows.best_tick[row].0 < patience.ticks() {
        State::Walking
    } else if long_standing {
        State::Blocked
    } else {
        State::Stuck
    }
}
