//! Passages that the geometry has and the grid loses.

use super::transition::{Moves, Step};
use crate::base::Point;
use crate::space::{Body, CellIndex, Terrain, Wall};

/// A gap between two walls through which a body fits, but no legal move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostPassage {
    /// The middle of the gap.
    pub at: Point,
    /// Units; how wide the gap is.
    pub width: i32,
    /// Units; with cells of at most this side, whatever their offset, some row of centres leads through. `None` where the
    /// body fits to the unit, so that no cell size promises it.
    pub keeping_cell: Option<i32>,
}

/// The gaps between walls that a body of `radius` units can pass straight, and that no legal move of `moves` crosses: by
/// place.
///
/// A gap is where two walls are nearest to each other, and nothing else is nearer. Gaps so wide that any grid of this cell
/// size keeps them are not looked at, so the cost grows with the number of walls. Exact: the body's way is swept.
pub fn lost_passages(terrain: &Terrain, radius: i32, moves: &Moves) -> Vec<LostPassage> {
    let walls = terrain.walls().walls();
    let frame = moves.frame();
    // A row of centres needs at most the diagonal of a cell, whatever the slant.
    let widest = 2 * i64::from(radius) + i64::from(frame.cell) * 3 / 2;
    let mut lost = Vec::new();
    for (i, wall) in walls.iter().enumerate() {
        let bounds = wall.bounds();
        let is_near = |other: &&Wall| {
            let b = other.bounds();
            i64::from(b.min.x) <= i64::from(bounds.max.x) + widest
                && i64::from(b.max.x) >= i64::from(bounds.min.x) - widest
                && i64::from(b.min.y) <= i64::from(bounds.max.y) + widest
                && i64::from(b.max.y) >= i64::from(bounds.min.y) - widest
        };
        for other in walls[i + 1..].iter().filter(is_near) {
            let Some(gap) = gap_between(wall, other) else { continue };
            if gap.width <= widest && gap.is_passable(terrain, radius, frame.cell) && !gap.is_kept(moves) {
                lost.push(gap.lost(radius));
            }
        }
    }
    lost.retain(|passage| frame.cell_at(passage.at).is_some());
    narrowest_of_each(terrain, radius, lost)
}

/// Corners on both sides of a passage give several gaps in a row: of those with a straight way between them the narrowest,
/// ties by place.
fn narrowest_of_each(terrain: &Terrain, radius: i32, mut gaps: Vec<LostPassage>) -> Vec<LostPassage> {
    gaps.sort_unstable_by_key(|gap| (gap.width, gap.at));
    let mut passages: Vec<LostPassage> = Vec::new();
    for gap in gaps {
        let is_the_same = |other: &LostPassage| {
            let near = 2 * u64::from(gap.width.unsigned_abs());
            gap.at.minus(other.at).length_squared() <= near * near
                && terrain.sees(Body { at: gap.at, radius }, other.at)
        };
        if !passages.iter().any(is_the_same) {
            passages.push(gap);
        }
    }
    passages.sort_unstable();
    passages
}

/// The shortest way between two walls.
#[derive(Clone, Copy, Debug)]
struct Gap {
    from: Point,
    to: Point,
    /// Units, rounded down.
    width: i64,
}

/// `None` for walls that touch or cross.
fn gap_between(a: &Wall, b: &Wall) -> Option<Gap> {
    // Nearest places include an end of one of them. Where they run side by side, all ends are as near: then the middle of
    // the stretch that both have.
    let mut ways: Vec<(Point, Point)> = Vec::new();
    ways.extend([a.a, a.b].map(|end| (end, b.nearest_place(end))));
    ways.extend([b.a, b.b].map(|end| (a.nearest_place(end), end)));
    let squared = |&(p, q): &(Point, Point)| q.minus(p).length_squared();
    let least = ways.iter().map(squared).min()?;
    let width = (least as f64).sqrt() as i64;
    // Ends are rounded to the unit.
    let near = |way: &(Point, Point)| (squared(way) as f64).sqrt() <= width as f64 + 2.0;
    let shortest: Vec<(Point, Point)> = ways.into_iter().filter(near).collect();
    let mean = |point: fn(&(Point, Point)) -> Point| {
        let sum = |part: fn(Point) -> i32| {
            let total: i64 = shortest.iter().map(|w| i64::from(part(point(w)))).sum();
            total.div_euclid(shortest.len() as i64) as i32
        };
        Point::new(sum(|p| p.x), sum(|p| p.y))
    };
    (width > 0).then(|| Gap { from: mean(|w| w.0), to: mean(|w| w.1), width })
}

impl Gap {
    fn middle(&self) -> Point {
        let half = |a: i32, b: i32| (i64::from(a) + i64::from(b)).div_euclid(2) as i32;
        Point::new(half(self.from.x, self.to.x), half(self.from.y, self.to.y))
    }

    /// Whether a body can go straight through, a cell's side from the middle to either side.
    fn is_passable(&self, terrain: &Terrain, radius: i32, cell: i32) -> bool {
        let body = Body { at: self.middle(), radius };
        let across = self.to.minus(self.from);
        let length = (across.length_squared() as f64).sqrt();
        let part = |v: i32| (f64::from(v) / length * f64::from(cell)).round() as i32;
        let (x, y) = (part(-across.y), part(across.x));
        let ends = [(x, y), (-x, -y)].map(|(x, y)| Point::new(body.at.x + x, body.at.y + y));
        terrain.is_free(body) && ends.iter().all(|&end| terrain.contains(end) && terrain.sees(body, end))
    }

    /// Whether some legal move crosses the gap.
    fn is_kept(&self, moves: &Moves) -> bool {
        let frame = moves.frame();
        let wall = Wall { a: self.from, b: self.to, solid: None };
        let bounds = wall.bounds();
        let cells = |low: i32, high: i32| {
            let cell = i64::from(frame.cell);
            (i64::from(low).div_euclid(cell) - 1)..=(i64::from(high).div_euclid(cell) + 1)
        };
        let crosses = |cell: CellIndex, step: Step| {
            let centre = frame.centre(cell);
            let (dx, dy) = step.delta();
            let end = Point::new(centre.x + dx * frame.cell, centre.y + dy * frame.cell);
            // A move may begin or end right on the gap.
            moves.is_legal(cell, step) && !wall.is_clear_of(centre, end, 1)
        };
        cells(bounds.min.y, bounds.max.y).any(|row| {
            cells(bounds.min.x, bounds.max.x)
                .filter_map(|column| frame.index(column, row))
                .any(|cell| Step::ALL.into_iter().any(|step| crosses(cell, step)))
        })
    }

    fn lost(&self, radius: i32) -> LostPassage {
        let across = self.to.minus(self.from);
        let length = (across.length_squared() as f64).sqrt();
        // The room that a centre has, and the thickness of the thinnest line of cells that hang together by their sides
        // (Reveilles 1991).
        let room = length - 2.0 * f64::from(radius) - 1.0;
        let thickness = (f64::from(across.x).abs() + f64::from(across.y).abs()) / length;
        let cell = (room / thickness) as i32;
        LostPassage { at: self.middle(), width: self.width as i32, keeping_cell: (cell > 0).then_some(cell) }
    }
}
