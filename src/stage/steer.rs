//! `steer`: what each agent would like to do next, from its preferred velocity and everybody around.
//!
//! Models are replaceable: whatever a model proposes, clearance and reservations are layers below it.

use crate::base::{Offset, Point, Workers};
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
    /// Whether those in front are ahead, instead of those with less remaining cost: on a ring nobody is closer.
    pub ahead_by_place: bool,
    /// Where it goes in one move, for tile steps.
    pub target: Option<Point>,
    /// Why it cannot go where it wants, if so.
    pub trouble: Option<State>,
}

/// How an agent takes part in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stance {
    /// It does not move at all.
    #[default]
    Fixed,
    /// It has nowhere to go but makes room.
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

/// Asks the model for every row; a proposal is never longer than the agent's free speed allows.
///
/// # Errors
/// The first row whose proposal is not finite.
pub fn run(
    input: SteerInput<'_>,
    model: &dyn Steering,
    workers: &Workers,
    proposals: &mut Vec<Offset>,
) -> Result<(), usize> {
    let step = |row: usize| {
        let velocity = model.velocity(&input, row);
        let longest = input.rows.free_speed[row] * input.tick_s;
        if velocity.is_finite() { step_of(velocity * input.tick_s, longest) } else { NOT_FINITE }
    };
    let propose = |row: usize| match input.preferred[row].stance {
        Stance::Fixed => Offset::default(),
        _ => step(row),
    };
    workers.fill(proposals, input.rows.len(), propose);
    proposals.iter().position(|&p| p == NOT_FINITE).map_or(Ok(()), Err)
}

/// Longer than any step can be: marks a proposal that is no number.
const NOT_FINITE: Offset = Offset::new(i32::MAX, i32::MAX);

/// One tile a step: the move that leads to the target tile.
pub fn run_tiles(rows: &Rows, preferred: &[Preferred], workers: &Workers, proposals: &mut Vec<Offset>) {
    let step = |row: usize| preferred[row].target.map(|t| t.minus(rows.position[row])).unwrap_or_default();
    workers.fill(proposals, rows.len(), step);
}

/// The way `metres` as an offset, rounded once, cut to `longest` metres.
pub fn step_of(metres: Vec2, longest: f32) -> Offset {
    let metres = metres.clamp_length_max(longest);
    let nearest = Offset::nearest(metres);
    if nearest.length_squared() > square_units(longest) { Offset::towards_zero(metres) } else { nearest }
}

/// The square of a length in metres, in square units rounded down: what an exact length is compared with.
pub fn square_units(metres: f32) -> u64 {
    let units = f64::from(metres) * f64::from(crate::base::UNITS_PER_METRE);
    (units * units) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_never_too_long() {
        for i in 0..1000 {
            let way = Vec2::new(i as f32 * 0.001 - 0.5, 0.3);
            let step = step_of(way, 0.067);
            assert!(step.length_squared() <= square_units(0.067));
            assert!(step.metres().length() > 0.066_98);
        }
    }
}
