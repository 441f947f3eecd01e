//! Fixed-point positions: `i32` in units of 10 micrometres.
//!
//! Decimal lengths of a scenario with up to five digits are exact, differences are exact integers, and overlap of
//! two bodies is decided in integers. Precision is the same everywhere on a map, and a scenario shifted by whole
//! metres gives the same run, because a [`Frame`] takes a whole-metre origin off before anything is stored.

use glam::Vec2;
use serde::{Deserialize, Serialize};

/// Units per metre: one unit is 10 micrometres.
pub const UNITS_PER_METRE: i32 = 100_000;

const METRES_PER_UNIT: f32 = 1.0e-5;

/// A length of `units` in metres; exact to the nearest `f64`.
pub fn metres(units: i32) -> f64 {
    f64::from(units) / f64::from(UNITS_PER_METRE)
}

/// A length of `units` in `f32` metres, as the tick computes.
pub fn metres_f32(units: i32) -> f32 {
    units as f32 * METRES_PER_UNIT
}

/// A length of `metres` in units, rounded to the nearest; `None` where it is not finite or does not fit.
pub fn units(metres: f64) -> Option<i32> {
    let scaled = (metres * f64::from(UNITS_PER_METRE)).round();
    (scaled.abs() <= f64::from(i32::MAX)).then_some(scaled as i32)
}

/// A place, in units from the frame's origin; x to the right, y up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: i32,
    /// Up.
    pub y: i32,
}

impl Point {
    /// A place from units.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// The exact difference `self - other`.
    ///
    /// Places lie within [`limit::EXTENT_M`](super::limit::EXTENT_M) of each other, so it always fits.
    #[must_use]
    pub fn minus(self, other: Self) -> Offset {
        Offset { x: self.x - other.x, y: self.y - other.y }
    }

    /// The place reached from here by `offset`.
    #[must_use]
    pub fn plus(self, offset: Offset) -> Self {
        Self { x: self.x + offset.x, y: self.y + offset.y }
    }
}

/// An exact difference of two places, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Offset {
    /// To the right.
    pub x: i32,
    /// Up.
    pub y: i32,
}

impl Offset {
    /// An offset from units.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    /// The same offset in `f32` metres.
    pub fn metres(self) -> Vec2 {
        Vec2::new(metres_f32(self.x), metres_f32(self.y))
    }

    /// The offset nearest to `v` metres, each coordinate rounded once.
    pub fn nearest(v: Vec2) -> Self {
        let scale = f64::from(UNITS_PER_METRE);
        Self { x: (f64::from(v.x) * scale).round() as i32, y: (f64::from(v.y) * scale).round() as i32 }
    }

    /// The offset of `v` metres with each coordinate cut towards zero: never longer than `v`.
    pub fn towards_zero(v: Vec2) -> Self {
        let scale = f64::from(UNITS_PER_METRE);
        Self { x: (f64::from(v.x) * scale) as i32, y: (f64::from(v.y) * scale) as i32 }
    }

    /// The squared length in square units; exact.
    pub fn length_squared(self) -> u64 {
        let (x, y) = (u64::from(self.x.unsigned_abs()), u64::from(self.y.unsigned_abs()));
        x * x + y * y
    }

    /// Whether the offset is shorter than `length` units; exact.
    pub fn is_shorter_than(self, length: i32) -> bool {
        let length = length.max(0).unsigned_abs();
        // Most pairs part on one axis; the products are needed only near contact.
        self.x.unsigned_abs() < length
            && self.y.unsigned_abs() < length
            && self.length_squared() < u64::from(length) * u64::from(length)
    }

    /// Whether the offset is at most `length` units long; exact.
    pub fn is_within(self, length: i32) -> bool {
        let length = length.max(0).unsigned_abs();
        self.x.unsigned_abs() <= length
            && self.y.unsigned_abs() <= length
            && self.length_squared() <= u64::from(length) * u64::from(length)
    }

    /// The cross product `self x other`, in square units; exact.
    pub fn cross(self, other: Self) -> i128 {
        i128::from(self.x) * i128::from(other.y) - i128::from(self.y) * i128::from(other.x)
    }

    /// The dot product, in square units; exact.
    pub fn dot(self, other: Self) -> i128 {
        i128::from(self.x) * i128::from(other.x) + i128::from(self.y) * i128::from(other.y)
    }

    /// Whether the offset has a part against `direction` (of any length).
    pub fn goes_against(self, direction: [f64; 2]) -> bool {
        direction[0] * f64::from(self.x) + direction[1] * f64::from(self.y) < 0.0
    }

    /// The opposite offset.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}

/// Where a scenario's own coordinates lie: a whole-metre origin, taken off at load and added back by every output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Metres; the scenario's x of the frame's origin.
    pub origin_x_m: i64,
    /// Metres; the scenario's y of the frame's origin.
    pub origin_y_m: i64,
}

impl Frame {
    /// The frame whose origin is the whole-metre corner at or below `(x, y)` metres.
    pub fn below(x: f64, y: f64) -> Self {
        Self { origin_x_m: x.floor() as i64, origin_y_m: y.floor() as i64 }
    }

    /// The place at `(x, y)` metres of the scenario's own coordinates, rounded once to the nearest unit; `None` where
    /// it is not finite or farther from the origin than a place can be.
    pub fn place(self, x: f64, y: f64) -> Option<Point> {
        Some(Point { x: local(x, self.origin_x_m)?, y: local(y, self.origin_y_m)? })
    }

    /// The scenario's own coordinates of `point`, in metres; [`Frame::place`] gives the same point back.
    pub fn metres(self, point: Point) -> [f64; 2] {
        [outer(point.x, self.origin_x_m), outer(point.y, self.origin_y_m)]
    }
}

/// Rounds before the origin is taken off, so that a shift by whole metres rounds the same way.
fn local(metres: f64, origin_m: i64) -> Option<i32> {
    let scaled = (metres * f64::from(UNITS_PER_METRE)).round();
    if scaled.is_nan() || scaled.abs() > 9.0e15 {
        return None;
    }
    let local = scaled as i64 - origin_m * i64::from(UNITS_PER_METRE);
    let units = |metres: i32| i64::from(metres) * i64::from(UNITS_PER_METRE);
    let allowed = -units(super::limit::MARGIN_M)..=units(super::limit::EXTENT_M);
    allowed.contains(&local).then_some(local as i32)
}

fn outer(units: i32, origin_m: i64) -> f64 {
    (origin_m * i64::from(UNITS_PER_METRE) + i64::from(units)) as f64 / f64::from(UNITS_PER_METRE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimal_lengths_are_exact() {
        assert_eq!(units(0.18), Some(18_000));
        assert_eq!(metres(18_000).to_string(), "0.18");
        assert_eq!(units(f64::NAN), None);
        assert_eq!(units(30_000.0), None);
    }

    #[test]
    fn shorter_is_strict_and_exact() {
        assert!(!Offset::new(30, 40).is_shorter_than(50));
        assert!(Offset::new(30, 40).is_shorter_than(51));
        assert!(!Offset::new(0, 0).is_shorter_than(0));
        assert!(Offset::new(30, 40).is_within(50) && !Offset::new(31, 40).is_within(50));
        assert!(!Offset::new(i32::MAX, i32::MIN + 1).is_shorter_than(1));
    }

    proptest! {
        #[test]
        fn outer_metres_round_trip(x in 0..2_000_000_000_i32, y in 0..2_000_000_000_i32, ox in -40_000_000..40_000_000_i64) {
            let frame = Frame { origin_x_m: ox, origin_y_m: 5_600_000 };
            let [mx, my] = frame.metres(Point::new(x, y));
            prop_assert_eq!(frame.place(mx, my), Some(Point::new(x, y)));
        }

        #[test]
        fn cutting_never_lengthens(x in -1.0_f32..1.0, y in -1.0_f32..1.0) {
            let cut = Offset::towards_zero(Vec2::new(x, y));
            prop_assert!(f64::from(cut.x).abs() <= f64::from(x).abs() * 1.0e5);
            prop_assert!(f64::from(cut.y).abs() <= f64::from(y).abs() * 1.0e5);
        }
    }
}
