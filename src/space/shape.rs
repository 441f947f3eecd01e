//! Shapes in the plane: polygons with holes, circles, unions of boxes. Membership is decided exactly, in integers.

use super::grid::{CellIndex, GridFrame};
use crate::base::{Offset, Point};
use serde::{Deserialize, Serialize};

/// A closed chain of corners; the last joins the first. Its corners are not repeated.
pub type Ring = Vec<Point>;

/// An axis-parallel box; it holds its lower and left edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rect {
    /// Lower left corner.
    pub min: Point,
    /// Upper right corner.
    pub max: Point,
}

impl Rect {
    /// Whether the box holds `point`.
    pub fn contains(&self, point: Point) -> bool {
        (self.min.x..self.max.x).contains(&point.x) && (self.min.y..self.max.y).contains(&point.y)
    }

    /// The place in the box that is nearest to `point`.
    pub fn nearest_place(&self, point: Point) -> Point {
        Point::new(point.x.clamp(self.min.x, self.max.x - 1), point.y.clamp(self.min.y, self.max.y - 1))
    }

    /// The box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: Point::new(self.min.x.min(other.min.x), self.min.y.min(other.min.y)),
            max: Point::new(self.max.x.max(other.max.x), self.max.y.max(other.max.y)),
        }
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x < other.max.x
            && other.min.x < self.max.x
            && self.min.y < other.max.y
            && other.min.y < self.max.y
    }

    /// The box with `by` units more on every side.
    #[must_use]
    pub fn grown(&self, by: i32) -> Self {
        let (low, high) = (|v: i32| v.saturating_sub(by), |v: i32| v.saturating_add(by));
        Self {
            min: Point::new(low(self.min.x), low(self.min.y)),
            max: Point::new(high(self.max.x), high(self.max.y)),
        }
    }

    /// The corners, counter-clockwise.
    pub fn ring(&self) -> Ring {
        vec![self.min, Point::new(self.max.x, self.min.y), self.max, Point::new(self.min.x, self.max.y)]
    }
}

/// A set of places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// Rings by the even-odd rule: outer boundaries and holes alike, in any orientation.
    Polygon(Vec<Ring>),
    /// A disc; it holds its rim.
    Circle {
        /// The middle.
        centre: Point,
        /// Units.
        radius: i32,
    },
    /// Boxes that do not overlap, in order of lower edge, then left edge, all of a row equally high: cells of a map.
    Boxes(Vec<Rect>),
}

impl Shape {
    /// Whether the shape holds `point`. Exact; shapes that share an edge hold each place of it once.
    pub fn contains(&self, point: Point) -> bool {
        match self {
            Self::Polygon(rings) => rings.iter().filter(|ring| crosses_odd(ring, point)).count() % 2 == 1,
            Self::Circle { centre, radius } => !Offset::length_squared_exceeds(point.minus(*centre), *radius),
            Self::Boxes(boxes) => {
                let after = boxes.partition_point(|b| b.max.y <= point.y);
                boxes[after..].iter().take_while(|b| b.min.y <= point.y).any(|b| b.contains(point))
            }
        }
    }

    /// The box around the shape; `None` where it is empty.
    pub fn bounds(&self) -> Option<Rect> {
        match self {
            Self::Polygon(rings) => {
                rings.iter().flatten().map(|&p| Rect { min: p, max: p }).reduce(Rect::union)
            }
            Self::Circle { centre: c, radius: r } => {
                Some(Rect { min: Point::new(c.x - r, c.y - r), max: Point::new(c.x + r, c.y + r) })
            }
            Self::Boxes(boxes) => boxes.iter().copied().reduce(Rect::union),
        }
    }

    /// The area in square metres.
    pub fn area_m2(&self) -> f64 {
        let per_square_unit = 1.0e-10;
        match self {
            // Even-odd: a ring inside an odd number of others is a hole.
            Self::Polygon(rings) => {
                rings.iter().enumerate().map(|(i, ring)| ring_area_m2(ring) * depth_sign(rings, i)).sum()
            }
            Self::Circle { radius, .. } => {
                std::f64::consts::PI * f64::from(*radius) * f64::from(*radius) * per_square_unit
            }
            Self::Boxes(boxes) => {
                let side = |a: i32, b: i32| (i64::from(b) - i64::from(a)) as f64;
                boxes.iter().map(|b| side(b.min.x, b.max.x) * side(b.min.y, b.max.y) * per_square_unit).sum()
            }
        }
    }

    /// The edges of the outline, as pairs of corners. A circle gives a polygon of 64 corners around it, so that what
    /// is kept out of the edges is kept out of the circle.
    pub fn edges(&self) -> Vec<(Point, Point)> {
        match self {
            Self::Polygon(rings) => rings.iter().flat_map(|ring| ring_edges(ring)).collect(),
            Self::Circle { centre, radius } => ring_edges(&around_circle(*centre, *radius)).collect(),
            Self::Boxes(boxes) => {
                boxes.iter().flat_map(|b| ring_edges(&b.ring()).collect::<Vec<_>>()).collect()
            }
        }
    }

    /// The cells whose centres lie in the shape, in order.
    pub fn cells(&self, frame: GridFrame) -> impl Iterator<Item = CellIndex> {
        let cells = self.bounds().into_iter().flat_map(move |bounds| frame.cells_within(bounds));
        cells.filter(move |&cell| self.contains(frame.centre(cell)))
    }

    /// The place in the shape that is nearest to `point`, to the unit: itself where the shape holds it, else on the outline.
    pub fn nearest_place(&self, point: Point) -> Option<Point> {
        if self.contains(point) {
            return Some(point);
        }
        let places: Vec<Point> = match self {
            Self::Polygon(_) => self.edges().into_iter().map(|(a, b)| nearest_on(a, b, point)).collect(),
            Self::Circle { centre, radius } => vec![toward(*centre, point, f64::from(*radius))],
            Self::Boxes(boxes) => boxes.iter().map(|b| b.nearest_place(point)).collect(),
        };
        places.into_iter().min_by_key(|p| (p.minus(point).length_squared(), *p))
    }

    /// A place inside the shape to name it by: the middle of its box where the shape holds it, else the first corner.
    pub fn anchor(&self) -> Option<Point> {
        let bounds = self.bounds()?;
        let middle = Point::new(
            bounds.min.x + (bounds.max.x - bounds.min.x) / 2,
            bounds.min.y + (bounds.max.y - bounds.min.y) / 2,
        );
        if self.contains(middle) {
            return Some(middle);
        }
        match self {
            Self::Polygon(rings) => rings.first().and_then(|r| r.first()).copied(),
            Self::Circle { centre, .. } => Some(*centre),
            Self::Boxes(boxes) => boxes
                .first()
                .map(|b| Point::new(b.min.x + (b.max.x - b.min.x) / 2, b.min.y + (b.max.y - b.min.y) / 2)),
        }
    }
}

impl Offset {
    fn length_squared_exceeds(offset: Self, length: i32) -> bool {
        let length = u64::from(length.unsigned_abs());
        offset.length_squared() > length * length
    }
}

/// The place on the segment `ab` that is nearest to `point`, to the unit.
pub(super) fn nearest_on(a: Point, b: Point, point: Point) -> Point {
    let along = b.minus(a);
    let (t, length_squared) = (point.minus(a).dot(along), along.dot(along));
    if t <= 0 || length_squared == 0 {
        return a;
    }
    let share = (t as f64 / length_squared as f64).min(1.0);
    let part = |v: i32| (f64::from(v) * share).round() as i32;
    Point::new(a.x + part(along.x), a.y + part(along.y))
}

/// The place `length` units from `from` towards `to`, towards `from` to the unit.
fn toward(from: Point, to: Point, length: f64) -> Point {
    let way = to.minus(from);
    let share = length / (way.length_squared() as f64).sqrt();
    Point::new(from.x + (f64::from(way.x) * share) as i32, from.y + (f64::from(way.y) * share) as i32)
}

/// The edges of one ring.
pub(super) fn ring_edges(ring: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    let corners = ring.to_vec();
    (0..corners.len()).map(move |i| (corners[i], corners[(i + 1) % corners.len()]))
}

/// Whether a ray from `point` to the right crosses the ring an odd number of times; half-open, exact.
fn crosses_odd(ring: &[Point], point: Point) -> bool {
    let mut inside = false;
    for i in 0..ring.len() {
        let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
        if (a.y > point.y) != (b.y > point.y) {
            let (low, high) = if a.y < b.y { (a, b) } else { (b, a) };
            if high.minus(low).cross(point.minus(low)) > 0 {
                inside = !inside;
            }
        }
    }
    inside
}

fn ring_area_m2(ring: &[Point]) -> f64 {
    let Some(&first) = ring.first() else {
        return 0.0;
    };
    let twice: i128 = ring.windows(2).map(|w| w[0].minus(first).cross(w[1].minus(first))).sum();
    twice.unsigned_abs() as f64 / 2.0 * 1.0e-10
}

fn depth_sign(rings: &[Ring], i: usize) -> f64 {
    let Some(&corner) = rings[i].first() else {
        return 0.0;
    };
    let depth = rings.iter().enumerate().filter(|&(j, other)| j != i && crosses_odd(other, corner)).count();
    if depth % 2 == 0 { 1.0 } else { -1.0 }
}

fn around_circle(centre: Point, radius: i32) -> Ring {
    const CORNERS: u32 = 64;
    let outside = f64::from(radius) / libm::cos(std::f64::consts::PI / f64::from(CORNERS));
    (0..CORNERS)
        .map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(CORNERS);
            let (x, y) = (outside * libm::cos(angle), outside * libm::sin(angle));
            Point::new(centre.x + x.round() as i32, centre.y + y.round() as i32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: i32, y: i32, side: i32) -> Ring {
        Rect { min: Point::new(x, y), max: Point::new(x + side, y + side) }.ring()
    }

    #[test]
    fn holes_are_outside_and_edges_belong_to_one_side() {
        let shape = Shape::Polygon(vec![square(0, 0, 100), square(40, 40, 20)]);
        assert!(shape.contains(Point::new(10, 10)) && !shape.contains(Point::new(50, 50)));
        assert!(shape.contains(Point::new(0, 0)) && !shape.contains(Point::new(100, 50)));
        assert!((shape.area_m2() - (10_000.0 - 400.0) * 1e-10).abs() < 1e-16);
    }

    #[test]
    fn boxes_are_searched_by_row() {
        let boxes = |list: &[[i32; 4]]| {
            Shape::Boxes(
                list.iter()
                    .map(|b| Rect { min: Point::new(b[0], b[1]), max: Point::new(b[2], b[3]) })
                    .collect(),
            )
        };
        let shape = boxes(&[[0, 0, 10, 10], [20, 0, 30, 10], [0, 10, 10, 20]]);
        for (p, inside) in [
            ((5, 5), true),
            ((15, 5), false),
            ((25, 9), true),
            ((25, 10), false),
            ((9, 19), true),
            ((5, 20), false),
        ] {
            assert_eq!(shape.contains(Point::new(p.0, p.1)), inside, "{p:?}");
        }
    }

    #[test]
    fn the_nearest_place_is_on_the_outline() {
        let p = Point::new;
        let hole = Shape::Polygon(vec![square(0, 0, 100), square(40, 40, 20)]);
        let nearest = |shape: &Shape, x, y| shape.nearest_place(p(x, y)).unwrap();
        assert_eq!(nearest(&hole, 10, 20), p(10, 20));
        assert_eq!(nearest(&hole, 150, 20), p(100, 20));
        assert_eq!(nearest(&hole, -30, -40), p(0, 0));
        assert_eq!(nearest(&hole, 42, 50), p(40, 50));
        let circle = Shape::Circle { centre: p(0, 0), radius: 50 };
        assert_eq!(nearest(&circle, 300, 400), p(30, 40));
        let boxes = Shape::Boxes(vec![Rect { min: p(0, 0), max: p(10, 10) }]);
        assert_eq!(nearest(&boxes, 20, 5), p(9, 5));
    }

    #[test]
    fn a_circle_lies_inside_its_edges() {
        let circle = Shape::Circle { centre: Point::new(0, 0), radius: 100_000 };
        assert!(circle.contains(Point::new(100_000, 0)) && !circle.contains(Point::new(100_001, 0)));
        for (a, b) in circle.edges() {
            let middle = Point::new(i32::midpoint(a.x, b.x), i32::midpoint(a.y, b.y));
            assert!(middle.minus(Point::new(0, 0)).length_squared() as f64 >= 0.9999 * 1e10);
        }
    }
}
