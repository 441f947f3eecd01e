//! Axis-parallel boxes, rings of corners, and segments.

use crate::base::Point;
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
