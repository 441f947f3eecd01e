//! `retire`: who has arrived leaves, settles, waits or goes on with its journey.

use crate::base::{ClassId, Clock, GoalId, Point, Tick};
use crate::record::Arrived;
use crate::rows::{Rows, State};
use crate::scenario::{Arrival, GoalPlace, Scenario};
use crate::site::{GoalNow, Site};
use crate::space::Shape;

/// What `retire` reads besides the rows that it changes.
#[derive(Clone, Copy, Debug)]
pub struct RetireInput<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Goals as they are.
    pub site: &'a Site,
    /// The tick that the step leads to.
    pub tick: Tick,
}

/// Metres from its slot within which an agent has arrived.
const ARRIVED_M: f32 = 0.05;
/// Metres per second; who is faster has not arrived but passes through.
const ARRIVED_MPS: f32 = 0.2;

/// Seconds without getting closer after which an agent makes do with a place hardly farther from the middle than its slot,
/// where the goal named none.
const MAKES_DO_S: f32 = 1.5;
/// Metres per further second by which it becomes less choosy.
const MAKES_DO_MPS: f32 = 0.04;

/// Marks those who leave in `leaves` (one flag a row) and lists them; everybody else's journey goes on in place.
pub fn run(input: RetireInput<'_>, rows: &mut Rows, leaves: &mut Vec<bool>, arrived: &mut Vec<Arrived>) {
    leaves.clear();
    for row in 0..rows.len() {
        leaves.push(false);
        let Some(id) = rows.goal[row] else { continue };
        if !rows.has_started(row, input.tick) {
            continue;
        }
        let goal = input.site.goal(id);
        let is_done = match goal.arrival {
            Arrival::Leave => holds(goal, rows.class[row], rows.position[row]),
            Arrival::Stay => {
                if at_slot(&input, goal, rows, row) {
                    rows.state[row] = State::Settled;
                }
                false
            }
            Arrival::Wait { wait_ms } => {
                if rows.state[row] != State::Waiting && at_slot(&input, goal, rows, row) {
                    rows.state[row] = State::Waiting;
                    rows.waiting_since[row] = Some(input.tick);
                }
                has_waited(input.scenario.clock, input.tick, goal, wait_ms, rows.waiting_since[row])
                    && (!goal.fifo || rows.slot[row].is_none_or(|slot| slot.0 == 0))
            }
        };
        if is_done && !goes_on(input.scenario, rows, row, input.tick) {
            leaves[row] = true;
            arrived.push(Arrived { agent: rows.id[row], goal: id, admitted: rows.admitted[row] });
        }
    }
}

fn holds(goal: &GoalNow, class: ClassId, at: Point) -> bool {
    let is_in = |(shape, within): (&Shape, &Vec<i32>)| match within[class.index()] {
        0 => shape.contains(at),
        radius => shape.is_touched_by(at, radius),
    };
    match &goal.place {
        GoalPlace::Shapes(shapes) => shapes.iter().zip(&goal.arrives_within).any(is_in),
        GoalPlace::Heading { .. } => false,
    }
}

fn at_slot(input: &RetireInput<'_>, goal: &GoalNow, rows: &Rows, row: usize) -> bool {
    let slot = rows.slot[row].and_then(|slot| goal.slots.get(slot.index()));
    slot.is_some_and(|&slot| {
        let apart = |a: Point, b: Point| input.scenario.area.topology.displacement(a, b).metres().length();
        // Found places fill from the first: who gets no further where it is as good as in its slot has found its own.
        let middle = goal.slots[0];
        let idle_s = (input.tick.0 - rows.best_tick[row].0) as f32 * input.scenario.clock.tick_s();
        let makes_do = !goal.named_slots
            && idle_s >= MAKES_DO_S
            && apart(rows.position[row], middle)
                <= apart(slot, middle) + (idle_s - MAKES_DO_S) * MAKES_DO_MPS;
        let is_there =
            apart(rows.position[row], slot) <= ARRIVED_M && rows.velocity[row].length() <= ARRIVED_MPS;
        is_there || makes_do
    })
}

fn has_waited(clock: Clock, now: Tick, goal: &GoalNow, wait_ms: Option<u64>, since: Option<Tick>) -> bool {
    let Some(since) = since else { return false };
    let released = goal.released.is_some_and(|at| at >= since);
    released || wait_ms.is_some_and(|ms| clock.ms(now) - clock.ms(since) >= ms)
}

/// Takes up the next stage of the journey, if there is one.
fn goes_on(scenario: &Scenario, rows: &mut Rows, row: usize, tick: Tick) -> bool {
    let stages = rows.journey[row].map_or(0, |journey| scenario.journey(journey).stages.len());
    let next = rows.stage[row] as usize + 1;
    if next >= stages {
        return false;
    }
    rows.stage[row] = next as u32;
    set_goal(rows, row, None, tick);
    true
}

/// Gives an agent another goal and forgets what it had reached on the way to the old one.
pub fn set_goal(rows: &mut Rows, row: usize, goal: Option<GoalId>, tick: Tick) {
    rows.goal[row] = goal;
    rows.slot[row] = None;
    rows.waiting_since[row] = None;
    rows.best_cost[row] = f32::MAX;
    rows.best_tick[row] = tick;
    rows.standing_ms[row] = 0;
    if !matches!(rows.state[row], State::Premovement) {
        let idle = goal.is_none() && rows.journey[row].is_none();
        rows.state[row] = if idle { State::Standing } else { State::Walking };
    }
}
