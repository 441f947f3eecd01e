//! The cells of a goal: where distances begin.

use super::transition::Moves;
use crate::base::{Offset, Point, metres_f32};
use crate::space::{Body, CellIndex, GridFrame, Shape, Terrain};
use glam::Vec2;

/// What the cells of a goal are found from.
#[derive(Clone, Copy, Debug)]
pub struct GoalInput<'a> {
    /// Walls and closed doors.
    pub terrain: &'a Terrain,
    /// Units; the hard core of the bodies.
    pub radius: i32,
    /// The goal's shapes, each with the units within which a centre has arrived: 0 where it must be inside.
    pub shapes: &'a [(&'a Shape, i32)],
    /// Which cells are open.
    pub moves: &'a Moves,
}

/// Cells around a shape's anchor that are searched for an open one.
const NEAREST_WITHIN: i32 = 8;
/// Metres by which a way into a shape goes on behind its rim.
const BEHIND_THE_RIM_M: f32 = 3.0e-5;
/// Half a cell, and what rounding may add.
const HALF_AND_A_BIT: f32 = 0.500_1;

/// The open cells of a goal: those whose centre lies in a shape, and where a shape holds none, those beside it from which
/// the straight way to its nearest place arrives. If all that gives none, the nearest ones to the anchors of shapes that
/// bodies have room in.
pub fn goal_cells(input: &GoalInput<'_>) -> Vec<CellIndex> {
    let (frame, moves) = (input.moves.frame(), input.moves);
    let nearest = |shape: &Shape, within: i32| nearest_open(frame, shape.anchor()?, moves, within);
    let cells_of = |&(shape, within): &(&Shape, i32)| {
        let cells: Vec<CellIndex> = shape.cells(frame).filter(|&c| moves.is_open(c)).collect();
        if cells.is_empty() { cells_beside(input, shape, within) } else { cells }
    };
    let mut cells: Vec<CellIndex> = input.shapes.iter().flat_map(cells_of).collect();
    if cells.is_empty() {
        let with_room = input.shapes.iter().filter(|(_, within)| *within == 0);
        cells = with_room.filter_map(|(shape, _)| nearest(shape, NEAREST_WITHIN)).collect();
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// The open cells beside a shape from whose centres a body arrives on the straight way: those that the shape cuts or that
/// bodies arrive in, else those next to them.
fn cells_beside(input: &GoalInput<'_>, shape: &Shape, within: i32) -> Vec<CellIndex> {
    let frame = input.moves.frame();
    let Some(bounds) = shape.bounds() else { return Vec::new() };
    let reach = within + frame.cell + frame.cell / 2;
    let span =
        |low: i32, high: i32| (low - reach).div_euclid(frame.cell)..=(high + reach).div_euclid(frame.cell);
    let square = span(bounds.min.y, bounds.max.y)
        .flat_map(|row| span(bounds.min.x, bounds.max.x).map(move |column| (column, row)));
    let cells = square.filter_map(|(column, row)| frame.index(i64::from(column), i64::from(row)));
    let arriving = cells.filter(|&cell| input.moves.is_open(cell)).filter_map(|cell| {
        let body = Body { at: frame.centre(cell), radius: input.radius };
        Some((cell, straight_in(input.terrain, body, shape, within)?))
    });
    let arriving: Vec<(CellIndex, Vec2)> = arriving.collect();
    let kept_within = |farthest: &dyn Fn(Vec2) -> bool| -> Vec<CellIndex> {
        arriving.iter().filter(|(_, way)| farthest(*way)).map(|(cell, _)| *cell).collect()
    };
    let half = metres_f32(frame.cell) * HALF_AND_A_BIT;
    let is_there = |way: Vec2| way.length() < metres_f32(within) || way.abs().max_element() <= half;
    let there = kept_within(&is_there);
    if there.is_empty() { kept_within(&|way| way.length() <= metres_f32(reach)) } else { there }
}

/// The straight way in metres from a body to the nearest place of a shape, if the body arrives on it: inside the shape, or
/// with its centre less than `within` units from it where that is not 0. `None` where a wall is in between.
fn straight_in(terrain: &Terrain, body: Body, shape: &Shape, within: i32) -> Option<Vec2> {
    let way = shape.way_from(body.at)?;
    let length = way.length();
    let wanted = (length - metres_f32(within) + BEHIND_THE_RIM_M).max(0.0);
    let target = body.at.plus(Offset::nearest(way.normalize_or_zero() * wanted));
    let has_arrived = if within == 0 { shape.contains(target) } else { shape.is_touched_by(target, within) };
    (has_arrived && terrain.sees(body, target)).then_some(way)
}

fn nearest_open(frame: GridFrame, at: Point, moves: &Moves, within: i32) -> Option<CellIndex> {
    let home = frame.nearest_cell(at);
    let square = (-within..=within).flat_map(|dy| (-within..=within).map(move |dx| (dx, dy)));
    let cells = square.filter_map(|(dx, dy)| frame.neighbour(home, dx, dy)).filter(|&c| moves.is_open(c));
    cells.min_by_key(|&c| (frame.centre(c).minus(at).length_squared(), c))
}
