//! `steer`: what each agent would like to do next, from its preferred velocity and everybody around.
//!
//! Models are replaceable: whatever a model proposes, clearance and reservations are layers below it.

use crate::base::{Offset, UNITS_PER_METRE, Workers, positive_zero};
use crate::rows::{Rows, State};
use crate::space::{NeighbourIndex, Terrain};
use glam::Vec2;

/// What guidance asks of an agent in this tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preferred {
    /// The way to go, of length 1, or zero.
    pub toward: Vec2,
    /// Metres per second; how fast it would walk alone here.
    pub speed: f32,
    /// Remaining cost to its goal; who has less has the right of way. Finite, at least 0.
    pub cost: f32,
    /// How it takes part in the tick.
    pub stance: Stance,
    /// Whether those in front are ahead, instead of those with less remaining cost: on a ring nobody is closer, and where
    /// people stand around a point their costs do not compare.
    pub ahead_by_place: bool,
    /// Where it goes next, for tile steps.
    pub tile: Option<NextTile>,
    /// Why it cannot go where it wants, if so.
    pub trouble: Option<State>,
}

/// The next tile on an agent's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextTile {
    /// From where it is to the middle of the tile.
    pub way: Offset,
    /// Whether there is room beside, so that two who come from either side may pass each other.
    pub may_pass: bool,
}

/// How an agent takes part in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stance {
    /// It does not move at all.
    #[default]
    Fixed,
    /// It has nowhere to go but back to its place, and makes room for those who have.
    Yielding,
    /// It walks.
    Walking,
}

/// What steering reads: everything is of the frozen tick.
#[derive(Clone, Copy, Debug)]
pub struct SteerInput<'a> {
    /// Everybody.
    pub rows: &'a Rows,
    /// What guidance asks, one a row.
    pub preferred: &'a [Preferred],
    /// Who is near whom.
    pub index: &'a NeighbourIndex,
    /// Walls.
    pub terrain: &'a Terrain,
    /// Seconds per tick.
    pub tick_s: f32,
}

/// A model of local motion.
///
/// **Determinism:** the answer for a row may depend only on the input; rows are computed in any order on any thread.
pub trait Steering: Send + Sync + std::fmt::Debug {
    /// The velocity that the agent of `row` proposes, in metres per second.
    fn velocity(&self, input: &SteerInput<'_>, row: usize) -> Vec2;
}

/// Without local motion: everybody proposes the preferred velocity.
#[derive(Clone, Copy, Debug)]
pub struct FieldOnly;

impl Steering for FieldOnly {
    fn velocity(&self, input: &SteerInput<'_>, row: usize) -> Vec2 {
        let preferred = input.preferred[row];
        preferred.toward * preferred.speed
    }
}

/// A move that an agent would like to make.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Proposal {
    /// The move, in whole units.
    pub step: Offset,
    /// Metres per second; what the move was rounded from.
    pub velocity: Vec2,
    /// Units; what rounding took off, to be made up for by later moves: at most half a unit along each axis.
    pub remainder: Vec2,
}

/// Asks the model for every row; a proposed velocity is never above the agent's free speed.
///
/// # Errors
/// The first row whose proposal is not finite.
pub fn run(
    input: SteerInput<'_>,
    model: &dyn Steering,
    workers: &Workers,
    proposals: &mut Vec<Proposal>,
) -> Result<(), usize> {
    let walk = |row: usize| {
        let velocity = model.velocity(&input, row).clamp_length_max(input.rows.free_speed[row]);
        propose(velocity, input.tick_s, input.rows.remainder[row])
    };
    let proposal = |row: usize| match input.preferred[row].stance {
        Stance::Fixed => Proposal::default(),
        _ => walk(row),
    };
    workers.fill(proposals, input.rows.len(), proposal);
    proposals.iter().position(|p| !p.velocity.is_finite()).map_or(Ok(()), Err)
}

/// One tile a step, as often as the speed allows: what is missing to a whole step, or left after it, is the remainder.
pub fn run_tiles(
    rows: &Rows,
    preferred: &[Preferred],
    tick_s: f32,
    workers: &Workers,
    proposals: &mut Vec<Proposal>,
) {
    let proposal = |row: usize| {
        let Some(tile) = preferred[row].tile else { return Proposal::default() };
        let Preferred { toward, speed, .. } = preferred[row];
        let velocity = toward * speed;
        let due = rows.remainder[row].length() + speed * tick_s * UNITS_PER_METRE as f32;
        let length = tile.way.metres().length() * UNITS_PER_METRE as f32;
        if due < length - HALF_A_UNIT {
            return Proposal { step: Offset::default(), velocity, remainder: toward * due };
        }
        // No more than one tile a tick.
        let left = (due - length).clamp(0.0, length);
        Proposal { step: tile.way, velocity, remainder: toward * left }
    };
    workers.fill(proposals, rows.len(), proposal);
}

/// What rounding may take off a way of whole units.
const HALF_A_UNIT: f32 = 0.5;

/// One tick's move at `velocity`, rounded to whole units together with what earlier roundings left over, so that many
/// moves lead as far as the velocity does.
fn propose(velocity: Vec2, tick_s: f32, remainder: Vec2) -> Proposal {
    let due = |v: f32, left: f32| f64::from(v * tick_s) * f64::from(UNITS_PER_METRE) + f64::from(left);
    let (x, y) = (due(velocity.x, remainder.x), due(velocity.y, remainder.y));
    let left = |v: f64| positive_zero((v - v.round()) as f32);
    Proposal {
        step: Offset::new(x.round() as i32, y.round() as i32),
        velocity,
        remainder: Vec2::new(left(x), left(y)),
    }
}

/// The square of the longest step at a top speed, in square units: the way of one tick, and a unit along each axis by which
/// rounding may lengthen it for once.
pub fn longest_squared(speed: f32, tick_s: f32) -> u64 {
    let units = f64::from(speed * tick_s) * f64::from(UNITS_PER_METRE) + std::f64::consts::SQRT_2;
    (units * units) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_lead_as_far_as_the_velocity() {
        for tick_s in [0.01, 0.015, 0.05, 0.1] {
            for speed in [0.0007, 0.01, 0.0134, 0.5, 1.33, 10.0] {
                for way in [Vec2::X, Vec2::new(-0.6, 0.8), Vec2::new(0.28, -0.96)] {
                    let (mut sum, mut remainder) = (Offset::default(), Vec2::ZERO);
                    for ticks in 1..=2000 {
                        let Proposal { step, remainder: left, .. } = propose(way * speed, tick_s, remainder);
                        assert!(step.length_squared() <= longest_squared(speed, tick_s));
                        remainder = left;
                        sum = Offset::new(sum.x + step.x, sum.y + step.y);
                        let due = way * (speed * tick_s * ticks as f32);
                        let off = (sum.metres() - due).abs().max_element();
                        assert!(
                            off < 0.6e-5 + 3e-7 * due.length(),
                            "{off} m off after {ticks} ticks of {tick_s} s"
                        );
                    }
                }
            }
        }
    }
}
