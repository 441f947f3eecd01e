//! The one place that knows whether the world is a ring.

use crate::base::{Offset, Point};
use serde::{Deserialize, Serialize};

/// How places hang together: a plane, or a ring in x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Units; where given, x runs from 0 to here and begins again.
    pub period_x: Option<i32>,
}

impl Topology {
    /// The shortest way `to - from`; on a ring, of two equally long ways the one to the right.
    pub fn displacement(self, from: Point, to: Point) -> Offset {
        let mut offset = to.minus(from);
        if let Some(period) = self.period_x {
            if 2 * i64::from(offset.x) > i64::from(period) {
                offset.x -= period;
            } else if 2 * i64::from(offset.x) <= -i64::from(period) {
                offset.x += period;
            }
        }
        offset
    }

    /// `point` with x brought into one turn of the ring.
    pub fn wrap(self, point: Point) -> Point {
        match self.period_x {
            Some(period) => Point::new(point.x.rem_euclid(period), point.y),
            None => point,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_takes_the_shorter_way_round() {
        let ring = Topology { period_x: Some(100) };
        let x = |from, to| ring.displacement(Point::new(from, 0), Point::new(to, 0)).x;
        assert_eq!([x(10, 40), x(90, 10), x(10, 90), x(0, 50), x(50, 0)], [30, 20, -20, 50, 50]);
        assert_eq!(ring.wrap(Point::new(-1, 7)), Point::new(99, 7));
        assert_eq!(Topology::default().displacement(Point::new(90, 0), Point::new(10, 0)).x, -80);
    }
}
