//! Axis-parallel boxes, and rings of corners.

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

    /// The corners, counter-clockwise.
    pub fn ring(&self) -> Ring {
        vec![self.min, Point::new(self.max.x, self.min.y), self.max, Point::new(self.min.x, self.max.y)]
    }
}
