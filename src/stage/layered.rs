//! The layered model: separation, headway, right of way and sidesteps over guidance.
//!
//! Right of way goes by remaining cost: among agents with the same goal one yields only to those closer to it, so the
//! closest of any cluster yields to nobody and somebody can always move. Pushes and sidesteps do not depend on forward
//! speed, so they act at standstill too. Falloffs are polynomials and rationals; the time-gap and free-speed relation
//! is of the kind of Seyfried (2005), the relaxation that of Helbing and Molnar (1995, eq. 2).

use super::steer::{Stance, SteerInput, Steering};
use crate::base::{metres_f32, relaxation_factor};
use crate::rows::Rows;
use crate::scenario::Steering as Parameters;
use crate::space::Body;
use glam::Vec2;

/// The layered model with its parameters.
#[derive(Clone, Debug)]
pub struct Layered {
    parameters: Parameters,
    /// Units; how far neighbours count.
    reach: i32,
    /// The share of a velocity difference that one tick closes.
    relaxation: f32,
}

/// Directions whose cosine is below this are the same way: less than 60 degrees apart.
const SAME_WAY: f32 = -0.5;
/// Directions whose negative cosine is above this are head-on: more than 135 degrees apart.
const HEAD_ON: f32 = 0.7;
/// Metres; a sidestep that is due but has no side goes to the right.
const ON_MY_LINE_M: f32 = 0.1;
/// Metres; nearer to the line of a slower person than this, the side goes by parity of the row.
const OVERTAKE_LINE_M: f32 = 0.05;
/// Share of free speed at which crossing people are expected to meet.
const MEETING_SPEED: f32 = 0.7;
/// Seconds; meetings farther ahead do not count.
const MEETING_HORIZON_S: f32 = 2.0;
/// Metres per second; overtaking needs this much more free speed for its full size.
const OVERTAKE_GAIN_MPS: f32 = 0.5;
/// Metres per second; overtaking begins where the one ahead moves this fast, and is full 0.3 m/s above.
const OVERTAKE_FROM_MPS: f32 = 0.6;
/// Metres per second; see [`OVERTAKE_FROM_MPS`].
const OVERTAKE_RISE_MPS: f32 = 0.3;
/// Metres; overtaking begins at this gap between cores, and is full 0.5 m above.
const OVERTAKE_ROOM_M: f32 = 0.3;
/// Metres; see [`OVERTAKE_ROOM_M`].
const OVERTAKE_ROOM_RISE_M: f32 = 0.5;
/// Metres; width beyond the two cores over which an overtaking sidestep acts.
const OVERTAKE_MARGIN_M: f32 = 0.1;
/// Metres; closer than this, two centres have no direction between them.
const TOUCHING_M: f32 = 1.0e-6;

/// A neighbour as one agent sees it.
#[derive(Clone, Copy, Debug)]
struct Other {
    row: usize,
    /// Metres; from the neighbour to the agent.
    away: Vec2,
    /// Metres between centres.
    distance: f32,
    /// Of length 1; from the neighbour to the agent.
    normal: Vec2,
    /// Metres; sum of core radii.
    cores: f32,
    /// Metres; sum of comfort radii.
    comforts: f32,
    /// Whether the agent yields to it.
    is_ahead: bool,
    /// Whether both walk to the same goal.
    is_fellow: bool,
    /// 1 where it comes straight towards the agent's way, -1 where it goes the same way.
    facing: f32,
}

/// The agent's own values.
#[derive(Clone, Copy, Debug)]
struct Own {
    toward: Vec2,
    left: Vec2,
    speed: f32,
    velocity: Vec2,
    impatience: f32,
}

/// What the pass over the neighbours adds up.
#[derive(Clone, Debug, Default)]
struct Influence {
    push: Vec2,
    heading: Vec2,
    sidestep: f32,
    overtake: f32,
    /// Whether somebody with another goal is about, so that nobody overtakes.
    meets_others: bool,
    /// Those the agent yields to: offset to them and sum of cores, in metres.
    ahead: Vec<(Vec2, f32)>,
}

impl Layered {
    /// The model for ticks of `tick_s` seconds.
    pub fn new(parameters: &Parameters, tick_s: f64) -> Self {
        Self {
            reach: (parameters.reach_m * 1.0e5) as i32,
            relaxation: relaxation_factor(tick_s, parameters.relaxation_s),
            parameters: parameters.clone(),
        }
    }

    fn influence_of_others(&self, input: &SteerInput<'_>, row: usize, own: &Own) -> Influence {
        let mut influence = Influence { heading: own.toward, ..Influence::default() };
        input.index.visit(input.rows.position[row], self.reach, |other, offset| {
            let other = other as usize;
            if other != row {
                let seen = see(input, row, own, other, -offset.metres());
                self.add(input, row, own, &seen, &mut influence);
            }
        });
        influence
    }

    fn add(&self, input: &SteerInput<'_>, row: usize, own: &Own, other: &Other, influence: &mut Influence) {
        influence.push += self.push(other, input.rows.standing_ms[other.row]);
        if !other.is_ahead {
            return;
        }
        influence.heading += other.normal
            * bend(other.distance - other.comforts, self.parameters.bend_reach_m, self.parameters.bend);
        influence.ahead.push((-other.away, other.cores));
        if other.facing <= SAME_WAY {
            influence.overtake += self.overtake(input.rows, row, own, other);
        } else if !other.is_fellow {
            influence.meets_others = true;
            influence.sidestep += self.sidestep(
                own,
                other,
                input.preferred[other.row].toward * input.preferred[other.row].speed,
            );
        }
    }

    /// Separation: overlap of comfort discs as a velocity, in metres per second. A leader that has been standing asks
    /// for more room than its disc, so that it wedges open what locks it.
    fn push(&self, other: &Other, standing_ms: u32) -> Vec2 {
        let p = &self.parameters;
        let (wedge, weight) = if other.is_ahead {
            ((standing_ms as f32 * 0.001 * p.wedge_mps).min(p.wedge_max_m), 1.0)
        } else {
            (0.0, p.push_from_behind)
        };
        let overlap = (other.comforts + wedge - other.distance).max(0.0);
        other.normal * (p.push_per_s * overlap * weight)
    }

    /// The sidestep for somebody with another goal, in metres per second to the left. Its side is that of the present
    /// offset for those head-on, else that of the offset at closest approach.
    fn sidestep(&self, own: &Own, other: &Other, other_velocity: Vec2) -> f32 {
        let p = &self.parameters;
        let offset = if other.facing < HEAD_ON {
            let relative = (own.toward * own.speed - other_velocity) * MEETING_SPEED;
            let until = -other.away.dot(relative) / relative.length_squared().max(1.0e-3);
            (other.away + relative * until.clamp(0.0, MEETING_HORIZON_S)).dot(own.left)
        } else {
            other.away.dot(own.left)
        };
        let side = if offset.abs() < ON_MY_LINE_M { -1.0 } else { offset.signum() };
        let size = overlap(offset, other.cores + p.sidestep_margin_m) * fade(other.distance, p.reach_m);
        side * size * p.sidestep_mps * (0.5 + 0.5 * other.facing).max(0.0)
    }

    /// The sidestep for slower people ahead, in metres per second to the left: only where the stream moves and there
    /// is room.
    fn overtake(&self, rows: &Rows, row: usize, own: &Own, other: &Other) -> f32 {
        let p = &self.parameters;
        let offset = other.away.dot(own.left);
        let parity = if row.is_multiple_of(2) { 1.0 } else { -1.0 };
        let side = if offset.abs() < OVERTAKE_LINE_M { parity } else { offset.signum() };
        let their_speed = rows.velocity[other.row].dot(own.toward);
        let gain = ((own.speed - their_speed) / OVERTAKE_GAIN_MPS).clamp(0.0, 1.0);
        let moving = ((their_speed - OVERTAKE_FROM_MPS) / OVERTAKE_RISE_MPS).clamp(0.0, 1.0);
        let room = ((other.distance - other.cores - OVERTAKE_ROOM_M) / OVERTAKE_ROOM_RISE_M).clamp(0.0, 1.0);
        let size = overlap(offset, other.cores + OVERTAKE_MARGIN_M) * fade(other.distance, p.reach_m);
        side * size * p.overtake_mps * gain * moving * room
    }

    /// Walls push and bend like people ahead.
    fn add_walls(&self, input: &SteerInput<'_>, row: usize, influence: &mut Influence) {
        let p = &self.parameters;
        let at = input.rows.position[row];
        let comfort = metres_f32(input.rows.comfort_radius[row]);
        let body = Body { at, radius: input.rows.core_radius[row] };
        for wall in input.terrain.walls_for(body) {
            let away = wall.offset_to(at);
            let distance = away.length();
            let gap = distance - comfort;
            if gap < p.wall_bend_reach_m {
                let normal = away / distance.max(TOUCHING_M);
                influence.push += normal * (p.push_per_s * (-gap).max(0.0));
                influence.heading += normal * bend(gap, p.wall_bend_reach_m, p.bend);
            }
        }
    }

    /// The speed that those ahead leave, in metres per second: a time gap in a narrow lane, and a bound by contact for
    /// those ahead within a whole body.
    fn headway(&self, own: &Own, heading: Vec2, ahead: &[(Vec2, f32)]) -> f32 {
        let p = &self.parameters;
        let mix = |calm: f32, impatient: f32| calm + (impatient - calm) * own.impatience;
        let (lane, time_gap) = (mix(p.lane, p.lane_impatient), mix(p.time_gap_s, p.time_gap_impatient_s));
        let mut speed = own.speed;
        for &(offset, cores) in ahead {
            let along = offset.dot(heading);
            let across = offset.perp_dot(heading).abs();
            if along <= 0.0 {
                continue;
            }
            if across < lane * cores {
                speed = speed.min((offset.length() - cores) / time_gap);
            }
            if across < cores {
                let contact = along - (cores * cores - across * across).sqrt();
                speed = speed.min(contact.max(0.0) / p.contact_s);
            }
        }
        speed.max(0.0)
    }
}

impl Steering for Layered {
    fn velocity(&self, input: &SteerInput<'_>, row: usize) -> Vec2 {
        let p = &self.parameters;
        let preferred = input.preferred[row];
        let velocity = input.rows.velocity[row];
        let own = Own {
            toward: preferred.toward,
            left: preferred.toward.perp(),
            speed: preferred.speed,
            velocity,
            impatience: input.rows.impatience[row],
        };
        let mut influence = self.influence_of_others(input, row, &own);
        self.add_walls(input, row, &mut influence);
        let walk = if preferred.toward == Vec2::ZERO {
            Vec2::ZERO
        } else {
            let heading = influence.heading.normalize_or_zero();
            heading * self.headway(&own, heading, &influence.ahead)
        };
        let sidestep = influence.sidestep + if influence.meets_others { 0.0 } else { influence.overtake };
        let sidestep = own.left * sidestep.clamp(-p.sidestep_max_mps, p.sidestep_max_mps);
        let target = walk + influence.push.clamp_length_max(p.push_max_mps) + sidestep;
        let target = target.clamp_length_max(input.rows.free_speed[row]);
        own.velocity + (target - own.velocity) * self.relaxation
    }
}

/// What `row` sees of `other`, whose centre lies `away` behind it.
fn see(input: &SteerInput<'_>, row: usize, own: &Own, other: usize, away: Vec2) -> Other {
    let rows = input.rows;
    let distance = away.length().max(TOUCHING_M);
    let theirs = &input.preferred[other];
    let has_same_goal = rows.goal[other] == rows.goal[row];
    let is_fellow = has_same_goal && theirs.stance == Stance::Walking;
    let is_ahead = if has_same_goal && theirs.stance != Stance::Fixed && !theirs.ahead_by_place {
        (theirs.cost, other) < (input.preferred[row].cost, row)
    } else {
        let makes_way = input.preferred[row].stance == Stance::Yielding && theirs.stance == Stance::Walking;
        makes_way || away.dot(own.toward) < 0.0
    };
    let sum = |radii: &[i32]| metres_f32(radii[row] + radii[other]);
    Other {
        row: other,
        away,
        distance,
        normal: away / distance,
        cores: sum(&rows.core_radius),
        comforts: sum(&rows.comfort_radius),
        is_ahead,
        is_fellow,
        facing: -theirs.toward.dot(own.toward),
    }
}

/// How much a gap bends a heading: `weight (1 - gap/reach)^2`, compact.
fn bend(gap: f32, reach: f32, weight: f32) -> f32 {
    if gap >= reach {
        return 0.0;
    }
    let share = 1.0 - gap.max(0.0) / reach;
    weight * share * share
}

/// 1 at no lateral offset, falling to 0 at `width`.
fn overlap(offset: f32, width: f32) -> f32 {
    (1.0 - offset.abs() / width).max(0.0)
}

/// 1 at no distance, falling to 0 at `reach`.
fn fade(distance: f32, reach: f32) -> f32 {
    (1.0 - distance / reach).max(0.0)
}
