//! `clear`: proposals that no wall cuts.

use super::steer::Proposal;
use crate::base::{Offset, Point, Workers, metres_f32};
use crate::rows::Rows;
use crate::site::Site;
use crate::space::Body;
use glam::Vec2;

/// What clearing reads.
#[derive(Clone, Copy, Debug)]
pub struct ClearInput<'a> {
    /// Everybody.
    pub rows: &'a Rows,
    /// Proposed moves, one a row.
    pub proposals: &'a [Proposal],
    /// Walls, doors and ground.
    pub site: &'a Site,
}

/// A move that walls allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// The move.
    pub step: Offset,
    /// Whether a wall changed it.
    pub by_wall: bool,
}

/// Times a move is brought out of the deepest wall before it is shortened.
const SLIDES: usize = 4;
/// Shares of the way that are tried when sliding fails.
const SHORTER: [f32; 2] = [0.5, 0.25];
/// A little more than the depth, so that rounding does not leave a body a unit inside.
const CLEAR_BY: f32 = 1.000_1;
/// Metres; see [`CLEAR_BY`].
const CLEAR_BY_M: f32 = 2.0e-5;

/// For each row the proposal itself where it is clear, else along the wall, else shortened, else nothing.
pub fn run(input: ClearInput<'_>, workers: &Workers, cleared: &mut Vec<Cleared>) {
    workers.fill(cleared, input.rows.len(), |row| clear(&input, row));
}

fn clear(input: &ClearInput<'_>, row: usize) -> Cleared {
    let step = input.proposals[row].step;
    let body = Body { at: input.rows.position[row], radius: input.rows.core_radius[row] };
    let class = input.rows.class[row];
    let allows = |step: Offset| input.site.admits(class, body, body.at.plus(step));
    if step == Offset::default() || allows(step) {
        return Cleared { step, by_wall: false };
    }
    let longest = step.length_squared();
    let fits = |s: &Offset| s.length_squared() <= longest && allows(*s);
    let slid = Some(slide(input.site, body, step)).filter(fits);
    let shorter =
        || SHORTER.iter().map(|&share| Offset::towards_zero(step.metres() * share)).find(|s| fits(s));
    Cleared { step: slid.or_else(shorter).unwrap_or_default(), by_wall: true }
}

/// The move brought out of walls, deepest first.
fn slide(site: &Site, body: Body, step: Offset) -> Offset {
    let mut to = body.at.plus(step);
    for _ in 0..SLIDES {
        match deepest_wall(site, body, to) {
            Some((normal, depth)) => to = to.plus(Offset::nearest(normal * (depth * CLEAR_BY + CLEAR_BY_M))),
            None => break,
        }
    }
    to.minus(body.at)
}

/// The way out of the wall that a body at `to` would be deepest in, and how deep, in metres.
pub fn deepest_wall(site: &Site, body: Body, to: Point) -> Option<(Vec2, f32)> {
    let radius = metres_f32(body.radius);
    let mut deepest: Option<(Vec2, f32)> = None;
    for wall in site.terrain().walls_for(body) {
        if wall.is_clear_of(to, to, body.radius) {
            continue;
        }
        let away = wall.offset_to(to);
        let distance = away.length();
        let depth = (radius - distance).max(0.0);
        if deepest.is_none_or(|(_, d)| depth > d) {
            deepest = Some((away / distance.max(1.0e-6), depth));
        }
    }
    deepest
}
