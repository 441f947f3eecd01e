//! Shapes in the plane: polygons with holes, circles, unions of boxes. Membership is decided exactly, in integers.

use super::grid::{CellIndex, GridFrame};
use super::rect::{Rect, Ring, nearest_on};
use super::wall::Wall;
use crate::base::{Offset, Point, metres_f32};
use glam::Vec2;
use serde::{Deserialize, Serialize};

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

    /// Whether a disc around `point` reaches into the shape or holds a place of it nearer to its middle than its rim. Exact.
    pub fn is_touched_by(&self, point: Point, radius: i32) -> bool {
        let reach = i64::from(radius);
        let is_far = |b: Rect| {
            let off = |low: i32, v: i32, high: i32| {
                i64::from(low) - i64::from(v) > reach || i64::from(v) - i64::from(high) > reach
            };
            off(b.min.x, point.x, b.max.x) || off(b.min.y, point.y, b.max.y)
        };
        if self.bounds().is_none_or(is_far) {
            return false;
        }
        match self {
            Self::Circle { centre, radius: own } => point.minus(*centre).is_shorter_than(radius + own),
            _ => {
                let is_near = |(a, b)| !Wall { a, b, solid: None }.is_clear_of(point, point, radius);
                self.contains(point) || self.edges().into_iter().any(is_near)
            }
        }
    }

    /// The way in metres from `point` to the nearest place of the outline; `None` where the shape is empty.
    pub fn way_from(&self, point: Point) -> Option<Vec2> {
        if let Self::Circle { centre, radius } = self {
            let way = centre.minus(point).metres();
            return Some(way - way.clamp_length_max(metres_f32(*radius)));
        }
        let ways = self.edges().into_iter().map(|(a, b)| -Wall { a, b, solid: None }.offset_to(point));
        ways.reduce(|a, b| if b.length_squared() < a.length_squared() { b } else { a })
    }

    /// A place of the shape for which `fits` holds: its anchor, or the first on a lattice fine enough for bodies of `radius`.
    pub fn find_place(&self, radius: i32, fits: impl Fn(Point) -> bool) -> Option<Point> {
        let fits = |at: &Point| self.contains(*at) && fits(*at);
        if let Some(anchor) = self.anchor().filter(fits) {
            return Some(anchor);
        }
        let bounds = self.bounds()?;
        let (width, height) = (bounds.max.x - bounds.min.x, bounds.max.y - bounds.min.y);
        let step = (radius / 4).max(1_000).max(width.max(height) / 1000);
        let along = |low: i32, length: i32| (0..=length / step).map(move |i| low + i * step);
        let places = along(bounds.min.y, height)
            .flat_map(|y| along(bounds.min.x, width).map(move |x| Point::new(x, y)));
        places.into_iter().find(fits)
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
    fn what_a_disc_touches_is_told_exactly() {
        let strip = Shape::Polygon(vec![Rect { min: Point::new(0, 0), max: Point::new(100, 10) }.ring()]);
        assert!(strip.is_touched_by(Point::new(50, 27), 18) && !strip.is_touched_by(Point::new(50, 28), 18));
        assert!(strip.is_touched_by(Point::new(50, 5), 1) && !strip.is_touched_by(Point::new(-40, 5), 18));
        assert_eq!(strip.way_from(Point::new(50, 30)), Some(Vec2::new(0.0, -20.0e-5)));
        let circle = Shape::Circle { centre: Point::new(0, 0), radius: 10 };
        assert!(circle.is_touched_by(Point::new(27, 0), 18) && !circle.is_touched_by(Point::new(28, 0), 18));
        assert!((circle.way_from(Point::new(0, 30)).unwrap().y + 20.0e-5).abs() < 1e-9);
        let wide =
            Shape::Polygon(vec![Rect { min: Point::new(0, 0), max: Point::new(90_000, 9_000) }.ring()]);
        assert_eq!(wide.find_place(8_000, |p| p.x > 60_500), Some(Point::new(62_000, 0)));
        assert_eq!(wide.find_place(8_000, |p| p.y > 9_000), None);
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
