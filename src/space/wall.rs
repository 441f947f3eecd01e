//! Walls: segments that no hard core may cross, tested exactly in integers.

use super::rect::{Rect, nearest_on};
use super::topology::Topology;
use crate::base::{Offset, Point};
use glam::Vec2;
use rstar::{AABB, PointDistance, RTree, RTreeObject};

/// A straight piece of wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wall {
    /// One end.
    pub a: Point,
    /// The other end.
    pub b: Point,
    /// The solid of the terrain whose outline this is; `None` for what always stands.
    pub solid: Option<u32>,
}

impl Wall {
    /// Whether a body of `radius` units moved straight from `p` to `q` keeps clear of the wall. Exact: a body that
    /// touches the wall is clear, one that is a unit deeper is not. Even a body without extent cannot pass through.
    pub fn is_clear_of(&self, p: Point, q: Point, radius: i32) -> bool {
        let r = radius.max(1);
        let apart = |p0: i32, p1: i32, a: i32, b: i32| {
            i64::from(p0.max(p1)) + i64::from(r) <= i64::from(a.min(b))
                || i64::from(a.max(b)) + i64::from(r) <= i64::from(p0.min(p1))
        };
        if apart(p.x, q.x, self.a.x, self.b.x) || apart(p.y, q.y, self.a.y, self.b.y) {
            return true;
        }
        is_apart(p, self.a, self.b, r)
            && is_apart(q, self.a, self.b, r)
            && (p == q
                || (is_apart(self.a, p, q, r)
                    && is_apart(self.b, p, q, r)
                    && !is_crossed(p, q, self.a, self.b)))
    }

    /// Whether the straight way from `p` to `q` crosses the wall in a place inside both; touching is not crossing. Exact.
    pub fn is_crossed_by(&self, p: Point, q: Point) -> bool {
        is_crossed(p, q, self.a, self.b)
    }

    /// The way from the wall's nearest place to `point`, in metres.
    pub fn offset_to(&self, point: Point) -> Vec2 {
        let a = self.a.minus(point).metres();
        let along = self.b.minus(self.a).metres();
        let length_squared = along.length_squared();
        let t = if length_squared > 0.0 { (-a.dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
        -(a + along * t)
    }

    /// The place on the wall that is nearest to `point`, to the unit.
    pub fn nearest_place(&self, point: Point) -> Point {
        nearest_on(self.a, self.b, point)
    }

    /// The distance from `point` in units, rounded down.
    pub fn distance(&self, point: Point) -> u32 {
        self.distance_squared(point).sqrt() as u32
    }

    /// The squared distance from `point` in square units.
    fn distance_squared(&self, point: Point) -> f64 {
        let (ap, ab) = (point.minus(self.a), self.b.minus(self.a));
        let (t, length_squared) = (ap.dot(ab), ab.dot(ab));
        if t <= 0 {
            ap.length_squared() as f64
        } else if t >= length_squared {
            point.minus(self.b).length_squared() as f64
        } else {
            let cross = ab.cross(ap) as f64;
            cross / length_squared as f64 * cross
        }
    }

    /// The box around the wall.
    pub fn bounds(&self) -> Rect {
        Rect {
            min: Point::new(self.a.x.min(self.b.x), self.a.y.min(self.b.y)),
            max: Point::new(self.a.x.max(self.b.x), self.a.y.max(self.b.y)),
        }
    }
}

/// Whether `p` is at least `r` units from the segment `ab`; exact.
fn is_apart(p: Point, a: Point, b: Point, r: i32) -> bool {
    let (ap, ab) = (p.minus(a), b.minus(a));
    let r_squared = i128::from(r) * i128::from(r);
    let (t, length_squared) = (ap.dot(ab), ab.dot(ab));
    if t <= 0 {
        ap.dot(ap) >= r_squared
    } else if t >= length_squared {
        let bp = p.minus(b);
        bp.dot(bp) >= r_squared
    } else {
        let cross = ab.cross(ap);
        cross * cross >= r_squared * length_squared
    }
}

/// Whether the segments `pq` and `ab` cross in a place inside both.
fn is_crossed(p: Point, q: Point, a: Point, b: Point) -> bool {
    let (pq, ab) = (q.minus(p), b.minus(a));
    let side = |d: Offset, o: Offset| d.cross(o).signum();
    side(pq, a.minus(p)) * side(pq, b.minus(p)) < 0 && side(ab, p.minus(a)) * side(ab, q.minus(a)) < 0
}

impl RTreeObject for Wall {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        let p = |p: Point| [f64::from(p.x), f64::from(p.y)];
        AABB::from_corners(p(self.a), p(self.b))
    }
}

impl PointDistance for Wall {
    fn distance_2(&self, point: &[f64; 2]) -> f64 {
        self.distance_squared(Point::new(point[0] as i32, point[1] as i32))
    }
}

/// Walls by place: short lists per coarse cell for the tick, and an `rstar` tree for the nearest wall anywhere.
#[derive(Clone, Debug)]
pub struct WallIndex {
    walls: Vec<Wall>,
    tree: RTree<Wall>,
    reach: i32,
    origin: Point,
    cell: i32,
    columns: u32,
    rows: u32,
    starts: Vec<u32>,
    entries: Vec<u32>,
}

/// Coarse cells at most; larger areas get larger cells.
const CELLS_MAX: i64 = 1 << 20;

impl WallIndex {
    /// Indexes `walls`, so that [`WallIndex::near`] finds all within `reach` units. On a ring, walls are repeated one
    /// turn to either side.
    pub fn new(mut walls: Vec<Wall>, reach: i32, topology: Topology) -> Self {
        if let Some(period) = topology.period_x {
            let shift = |w: &Wall, by: i32| {
                let p = |p: Point| Point::new(p.x + by, p.y);
                Wall { a: p(w.a), b: p(w.b), solid: w.solid }
            };
            walls = walls.iter().flat_map(|w| [*w, shift(w, period), shift(w, -period)]).collect();
        }
        walls.sort_unstable();
        walls.dedup();
        let bounds = walls.iter().map(Wall::bounds).reduce(Rect::union);
        let bounds = bounds.unwrap_or(Rect { min: Point::new(0, 0), max: Point::new(0, 0) });
        let origin = Point::new(bounds.min.x - reach, bounds.min.y - reach);
        let span = |low: i32, high: i32| i64::from(high) - i64::from(low) + 2 * i64::from(reach) + 1;
        let (width, height) = (span(bounds.min.x, bounds.max.x), span(bounds.min.y, bounds.max.y));
        let cells = |length: i64, cell: i64| (length + cell - 1) / cell;
        let mut cell: i64 = 100_000;
        while cells(width, cell) * cells(height, cell) > CELLS_MAX {
            cell *= 2;
        }
        let mut index = Self {
            tree: RTree::bulk_load(walls.clone()),
            walls,
            reach,
            origin,
            cell: cell as i32,
            columns: cells(width, cell) as u32,
            rows: cells(height, cell) as u32,
            starts: Vec::new(),
            entries: Vec::new(),
        };
        index.fill_cells();
        index
    }

    /// Counting sort: for each coarse cell the walls within reach of it, in order of wall.
    fn fill_cells(&mut self) {
        let mut starts = vec![0_u32; self.columns as usize * self.rows as usize + 1];
        for wall in &self.walls {
            self.cells_in_reach(wall, |c| starts[c + 1] += 1);
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut entries = vec![0_u32; starts[starts.len() - 1] as usize];
        let mut next = starts.clone();
        for (i, wall) in self.walls.iter().enumerate() {
            self.cells_in_reach(wall, |c| {
                entries[next[c] as usize] = i as u32;
                next[c] += 1;
            });
        }
        self.starts = starts;
        self.entries = entries;
    }

    fn cells_in_reach(&self, wall: &Wall, mut visit: impl FnMut(usize)) {
        let bounds = wall.bounds();
        let column = |x: i32| (x - self.origin.x).div_euclid(self.cell).clamp(0, self.columns as i32 - 1);
        let row = |y: i32| (y - self.origin.y).div_euclid(self.cell).clamp(0, self.rows as i32 - 1);
        // A place in the cell is at most half a diagonal from its centre.
        let far = f64::from(self.reach) + f64::from(self.cell) * 0.708;
        for y in row(bounds.min.y - self.reach)..=row(bounds.max.y + self.reach) {
            for x in column(bounds.min.x - self.reach)..=column(bounds.max.x + self.reach) {
                let half = self.cell / 2;
                let centre =
                    Point::new(self.origin.x + x * self.cell + half, self.origin.y + y * self.cell + half);
                if f64::from(wall.distance(centre)) <= far {
                    visit(y as usize * self.columns as usize + x as usize);
                }
            }
        }
    }

    /// All walls within reach of `point`, and some beyond, in a fixed order.
    pub fn near(&self, point: Point) -> impl Iterator<Item = &Wall> + Clone {
        let x = (i64::from(point.x) - i64::from(self.origin.x)).div_euclid(i64::from(self.cell));
        let y = (i64::from(point.y) - i64::from(self.origin.y)).div_euclid(i64::from(self.cell));
        let inside = (0..i64::from(self.columns)).contains(&x) && (0..i64::from(self.rows)).contains(&y);
        let entries = if inside {
            let c = y as usize * self.columns as usize + x as usize;
            &self.entries[self.starts[c] as usize..self.starts[c + 1] as usize]
        } else {
            &[]
        };
        entries.iter().map(|&i| &self.walls[i as usize])
    }

    /// The distance from `point` to the nearest wall, in units rounded down; `None` where there is no wall.
    pub fn clearance(&self, point: Point) -> Option<u32> {
        self.tree.nearest_neighbor([f64::from(point.x), f64::from(point.y)]).map(|wall| wall.distance(point))
    }

    /// Every wall, sorted.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Units; how far [`WallIndex::near`] is complete.
    pub fn reach(&self) -> i32 {
        self.reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wall(ax: i32, ay: i32, bx: i32, by: i32) -> Wall {
        Wall { a: Point::new(ax, ay), b: Point::new(bx, by), solid: None }
    }

    #[test]
    fn touching_is_clear_and_one_unit_deeper_is_not() {
        let w = wall(0, 0, 1000, 0);
        let p = Point::new;
        assert!(w.is_clear_of(p(500, 100), p(600, 100), 100));
        assert!(!w.is_clear_of(p(500, 100), p(600, 99), 100));
        assert!(w.is_clear_of(p(1060, 80), p(1060, 80), 100));
        assert!(!w.is_clear_of(p(1060, 79), p(1060, 79), 100));
    }

    #[test]
    fn nothing_jumps_through_a_wall_and_not_through_a_corner() {
        let p = Point::new;
        assert!(!wall(0, 0, 1000, 0).is_clear_of(p(500, 5000), p(500, -5000), 10));
        assert!(!wall(0, 0, 1000, 0).is_clear_of(p(500, 50), p(500, -50), 0));
        // Two walls that meet in a corner: even a body without extent does not slip through the corner itself.
        assert!(!wall(-10, 0, 0, 0).is_clear_of(p(-5, 5), p(5, -5), 0));
    }

    proptest! {
        #[test]
        fn the_exact_test_agrees_with_real_distance(
            a in (-500..500, -500..500), b in (-500..500, -500..500), p in (-500..500, -500..500), r in 1..400
        ) {
            let w = wall(a.0, a.1, b.0, b.1);
            let p = Point::new(p.0, p.1);
            let distance = {
                let (ap, ab) = (p.minus(w.a), w.b.minus(w.a));
                let l2 = ab.length_squared() as f64;
                let t = if l2 > 0.0 { (ap.dot(ab) as f64 / l2).clamp(0.0, 1.0) } else { 0.0 };
                ((f64::from(ap.x) - t * f64::from(ab.x)).powi_2() + (f64::from(ap.y) - t * f64::from(ab.y)).powi_2()).sqrt()
            };
            prop_assume!((distance - f64::from(r)).abs() > 1e-6);
            prop_assert_eq!(w.is_clear_of(p, p, r), distance > f64::from(r));
            prop_assert!((f64::from(w.distance(p)) - distance).abs() <= 1.0);
            prop_assert!((f64::from(w.offset_to(p).length()) * 1e5 - distance).abs() < 0.1);
        }

        #[test]
        fn near_misses_no_wall_within_reach(
            walls in prop::collection::vec((0..3_000_000, 0..3_000_000, -400_000..400_000, -400_000..400_000), 1..40),
            p in (0..3_000_000, 0..3_000_000)
        ) {
            let walls: Vec<Wall> = walls.iter().map(|w| wall(w.0, w.1, w.0 + w.2, w.1 + w.3)).collect();
            let index = WallIndex::new(walls.clone(), 120_000, Topology::default());
            let p = Point::new(p.0, p.1);
            let found: Vec<Wall> = index.near(p).copied().collect();
            for w in walls.iter().filter(|w| w.distance(p) <= 120_000) {
                prop_assert!(found.contains(w));
            }
            prop_assert_eq!(index.clearance(p), walls.iter().map(|w| w.distance(p)).min());
        }
    }

    trait Square {
        fn powi_2(self) -> f64;
    }

    impl Square for f64 {
        fn powi_2(self) -> f64 {
            self * self
        }
    }
}
