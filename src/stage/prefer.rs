//! `prefer`: which way each agent would go alone, how fast, and how much way remains.

use super::refresh::FieldTable;
use super::steer::{NextTile, Preferred, Stance};
use crate::base::{GoalId, Offset, Point, SlotId, Tick, Workers, metres_f32};
use crate::field::{Field, Guide};
use crate::rows::{Rows, State};
use crate::scenario::{Arrival, GoalPlace, Motion, Scenario};
use crate::site::{GoalNow, Site};
use crate::space::{Body, Shape, Topology, Wall};
use glam::Vec2;

/// What `prefer` reads.
#[derive(Clone, Copy, Debug)]
pub struct PreferInput<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Goals and ground as they are.
    pub site: &'a Site,
    /// The fields of this tick.
    pub fields: &'a FieldTable,
    /// Everybody.
    pub rows: &'a Rows,
    /// Distance behind the leader, for those who walk round a ring; see [`ring_costs`].
    pub ring_costs: &'a [f32],
    /// The tick that the step leaves.
    pub tick: Tick,
}

/// Metres of remaining cost at which agents without a slot stop outside a full goal.
const WAIT_OUTSIDE_M: f32 = 1.0;
/// Metres of remaining cost by which those without a slot come after those who hold one.
const AFTER_HOLDERS_M: f32 = 1000.0;
/// Seconds in which a way to a slot is covered, so that agents slow down in front of it.
const APPROACH_S: f32 = 0.8;
/// Metres from which an agent walks straight to its slot, if it sees it.
const SLOT_IN_SIGHT_M: f32 = 10.0;
/// Cells of remaining cost from which an agent walks straight into its goal, if it can.
const NEXT_TO_GOAL_CELLS: f32 = 1.5;
/// Metres; nearer to its slot than this an agent stands.
const AT_SLOT_M: f32 = 0.005;

/// The preferred velocity and remaining cost of every row.
pub fn run(input: PreferInput<'_>, workers: &Workers, preferred: &mut Vec<Preferred>) {
    workers.fill(preferred, input.rows.len(), |row| prefer(&input, row));
}

/// For rows with a heading on a ring, the metres by which they are behind the leader: who has the largest gap in front.
pub fn ring_costs(site: &Site, rows: &Rows, topology: Topology, costs: &mut Vec<f32>) {
    costs.clear();
    costs.resize(rows.len(), 0.0);
    let Some(period) = topology.period_x else { return };
    for rightwards in [false, true] {
        let heads = |row: usize| {
            let place = rows.goal[row].map(|goal| &site.goal(goal).place);
            matches!(place, Some(GoalPlace::Heading { rightwards: r }) if *r == rightwards)
        };
        // How far along the heading each is, in one turn.
        let along = |row: usize| {
            let x = rows.position[row].x;
            if rightwards { x } else { (period - x).rem_euclid(period) }
        };
        let mut walkers: Vec<(i32, usize)> =
            (0..rows.len()).filter(|&r| heads(r)).map(|r| (along(r), r)).collect();
        walkers.sort_unstable();
        let gap = |i: usize| {
            let next = walkers[(i + 1) % walkers.len()].0;
            if i + 1 == walkers.len() { next + period - walkers[i].0 } else { next - walkers[i].0 }
        };
        let Some(leader) = (0..walkers.len()).max_by_key(|&i| (gap(i), std::cmp::Reverse(i))) else {
            continue;
        };
        let front = walkers[leader].0;
        for &(at, row) in &walkers {
            costs[row] = metres_f32((front - at).rem_euclid(period));
        }
    }
}

fn prefer(input: &PreferInput<'_>, row: usize) -> Preferred {
    let rows = input.rows;
    let speed = rows.free_speed[row] * input.site.speed_factor(rows.position[row]);
    let walking = Preferred { stance: Stance::Walking, speed, ..Preferred::default() };
    if !rows.has_started(row, input.tick.next()) {
        return Preferred::default();
    }
    if let Some(velocity) = rows.commanded[row] {
        let length = velocity.length();
        return Preferred { toward: velocity.normalize_or_zero(), speed: length.min(speed), ..walking };
    }
    let Some(goal) = rows.goal[row] else { return Preferred::default() };
    match &input.site.goal(goal).place {
        GoalPlace::Heading { .. } => {
            // Nobody is closer to the end of a ring: the field says which way, the gaps say who is ahead.
            let preferred = by_field(input, row, goal, &[], walking);
            Preferred { cost: input.ring_costs[row], ahead_by_place: true, ..preferred }
        }
        GoalPlace::Shapes(shapes) => {
            let holds =
                matches!(rows.state[row], State::Settled | State::Waiting) && rows.slot[row].is_some();
            let goal_now = input.site.goal(goal);
            if holds && !goal_now.named_slots {
                // It stands where it found room, and makes some.
                return Preferred { stance: Stance::Yielding, ahead_by_place: true, ..walking };
            }
            let slot = rows.slot[row].and_then(|slot| input.site.slot(goal, slot));
            let preferred = slot.and_then(|slot| to_slot(input, row, slot, walking));
            let preferred = preferred.unwrap_or_else(|| by_field(input, row, goal, shapes, walking));
            Preferred { cost: preferred.cost + cost_of_turn(goal_now, rows.slot[row]), ..preferred }
        }
    }
}

/// What comes on top of the way to a named slot: the way up the queue from there, and for those who hold none so much that
/// they come after all who do.
fn cost_of_turn(goal: &GoalNow, slot: Option<SlotId>) -> f32 {
    match slot {
        _ if !goal.named_slots || goal.arrival == Arrival::Leave => 0.0,
        None => AFTER_HOLDERS_M,
        Some(slot) if goal.fifo => {
            let up = goal.slots.windows(2).take(slot.index());
            up.map(|w| w[1].minus(w[0]).metres().length()).sum()
        }
        Some(_) => 0.0,
    }
}

/// Straight to a slot in sight; settled and waiting agents hold theirs.
fn to_slot(input: &PreferInput<'_>, row: usize, slot: Point, walking: Preferred) -> Option<Preferred> {
    let rows = input.rows;
    let at = rows.position[row];
    let way = input.scenario.area.topology.displacement(at, slot).metres();
    let distance = way.length();
    let body = Body { at, radius: rows.core_radius[row] };
    let holds = matches!(rows.state[row], State::Settled | State::Waiting);
    if !holds && (distance > SLOT_IN_SIGHT_M || !input.site.terrain().sees(body, slot)) {
        return None;
    }
    let toward = if distance > AT_SLOT_M { way / distance } else { Vec2::ZERO };
    let stance = if holds { Stance::Yielding } else { Stance::Walking };
    Some(Preferred {
        toward,
        stance,
        speed: walking.speed.min(distance / APPROACH_S),
        cost: distance,
        ..walking
    })
}

fn by_field(
    input: &PreferInput<'_>,
    row: usize,
    goal: GoalId,
    shapes: &[Shape],
    walking: Preferred,
) -> Preferred {
    let at = input.rows.position[row];
    let nowhere = |trouble| Preferred { trouble: Some(trouble), ..Preferred::default() };
    // Until its field is published, an agent holds.
    let Some(field) = input.fields.field(goal, input.rows.class[row]) else {
        return nowhere(State::NoDescent);
    };
    if input.scenario.motion == Motion::TileSteps {
        return by_tile(input, row, field, walking);
    }
    let waits_outside = |cost: f32| {
        let goal = input.site.goal(goal);
        goal.arrival != Arrival::Leave && input.rows.slot[row].is_none() && cost <= WAIT_OUTSIDE_M
    };
    let near = NEXT_TO_GOAL_CELLS * metres_f32(input.scenario.grid.cell);
    match field.guide(at) {
        Guide::Way { cost, .. } | Guide::AtGoal { cost } if waits_outside(cost) => {
            let ahead_by_place = !input.site.goal(goal).named_slots;
            let trouble = Some(State::Waiting);
            Preferred { stance: Stance::Yielding, cost, ahead_by_place, trouble, ..walking }
        }
        Guide::Way { toward, cost } => {
            let straight = if cost <= near { into_shapes(input, at, shapes, near) } else { None };
            let in_sight = || Some((straight_to_goal(input, row, field, shapes, cost)?, cost));
            let (toward, cost) = straight.or_else(in_sight).unwrap_or((toward, cost));
            Preferred { toward, cost, ..walking }
        }
        Guide::AtGoal { cost } => {
            let straight = into_shapes(input, at, shapes, near);
            let (toward, cost) = straight.unwrap_or_else(|| (toward_anchor(at, shapes), cost));
            Preferred { toward, cost, ..walking }
        }
        Guide::Unreachable => match way_out(input, row, field) {
            Some((toward, cost)) => Preferred { toward, cost, ..walking },
            None => nowhere(State::Unreachable),
        },
        Guide::NotSolved | Guide::NoDescent => nowhere(State::NoDescent),
    }
}

/// From within a closed door, or an obstacle that was put there: straight out of it, on the side from which the goal is
/// cheapest to reach.
fn way_out(input: &PreferInput<'_>, row: usize, field: &Field) -> Option<(Vec2, f32)> {
    let at = input.rows.position[row];
    let solid = input.site.terrain().solids().iter().find(|s| s.closed && s.shape.contains(at))?;
    let beyond = metres_f32(input.rows.core_radius[row] + input.scenario.grid.cell);
    let leads_out = |(a, b): (Point, Point)| {
        let way = -Wall { a, b, solid: None }.offset_to(at);
        let toward = way.try_normalize()?;
        let outside = at.plus(Offset::nearest(way + toward * beyond));
        let is_walkable = input.site.terrain().contains(outside);
        let rest = field.remaining_cost(outside).filter(|_| is_walkable)?;
        Some((toward, way.length() + beyond + rest))
    };
    let ways = solid.shape.edges().into_iter().filter_map(leads_out);
    ways.reduce(|best, way| if way.1 < best.1 { way } else { best })
}

/// The straight way to the goal where the scenario asks for it, the goal is in sight, and no place on the way costs more
/// than its length: then the field has nothing shorter. The field's cost stays, so that rights of way stay comparable.
fn straight_to_goal(
    input: &PreferInput<'_>,
    row: usize,
    field: &Field,
    shapes: &[Shape],
    cost: f32,
) -> Option<Vec2> {
    if !input.scenario.guidance.line_of_sight {
        return None;
    }
    let rows = input.rows;
    let body = Body { at: rows.position[row], radius: rows.core_radius[row] };
    let places = shapes.iter().filter_map(|s| s.nearest_place(body.at));
    let to = places.min_by_key(|p| (p.minus(body.at).length_squared(), *p))?;
    let way = to.minus(body.at).metres();
    let transition = field.transition();
    // A field that is published late may still lead to where the goal was.
    let beside_goal = 2.0 * transition.cell_m();
    let leads_there =
        || field.distance(transition.moves.frame().nearest_cell(to)).is_some_and(|d| d < beside_goal);
    let is_straight = way.length() <= cost
        && leads_there()
        && transition.is_even_between(body.at, to)
        && input.site.is_open_straight(rows.class[row], body, to);
    way.try_normalize().filter(|_| is_straight)
}

/// From the middle of a tile to that of the next one.
fn by_tile(input: &PreferInput<'_>, row: usize, field: &Field, walking: Preferred) -> Preferred {
    let at = input.rows.position[row];
    let cell = field.nearest_cell(at);
    let Some(cost) = field.distance(cell) else {
        return Preferred { trouble: Some(State::Unreachable), ..Preferred::default() };
    };
    let (Some(step), Some(next)) = (field.next_step(cell), field.next_cell(cell)) else {
        return Preferred { cost: cost as f32, ..walking };
    };
    let way = input.scenario.area.topology.displacement(at, field.centre(next));
    let metres = way.metres();
    // Who has been on the way to the next tile for longer is closer to it.
    let done = (input.rows.remainder[row].length() * 1.0e-5 / metres.length().max(1.0e-5)).min(1.0);
    let gain = (cost - field.distance(next).unwrap_or(0.0)) as f32;
    Preferred {
        tile: Some(NextTile { way, may_pass: field.transition().moves.has_room_beside(cell, step) }),
        cost: (cost as f32 - done * gain).max(0.0),
        toward: metres.normalize_or_zero(),
        ..walking
    }
}

/// Next to a shape of the goal and not in it: straight to its nearest place, if that is in sight; along a wall where one is
/// in the body's way. Cells are too coarse to lead there and to tell who is closer: the cost grows with the way, and stays
/// below `near`, at which the field's begins.
fn into_shapes(input: &PreferInput<'_>, at: Point, shapes: &[Shape], near: f32) -> Option<(Vec2, f32)> {
    if shapes.iter().any(|s| s.contains(at)) {
        return None;
    }
    let eye = Body { at, radius: 0 };
    let in_sight = |way: &Vec2| input.site.terrain().sees(eye, at.plus(Offset::nearest(*way)));
    let ways = shapes.iter().filter_map(|s| s.way_from(at)).filter(in_sight);
    let way = ways.reduce(|a, b| if b.length_squared() < a.length_squared() { b } else { a })?;
    Some((way.try_normalize()?, near * way.length() / (way.length() + near)))
}

/// In a cell of the goal, and no straight way in: to the nearest anchor.
fn toward_anchor(at: Point, shapes: &[Shape]) -> Vec2 {
    let anchors = shapes.iter().filter_map(Shape::anchor);
    let nearest = anchors.min_by_key(|a| (a.minus(at).length_squared(), *a));
    nearest.map_or(Vec2::ZERO, |a| a.minus(at).metres().normalize_or_zero())
}
