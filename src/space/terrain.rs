//! The area as it is now: with doors open or closed and with what commands have put there.

use super::area::Area;
use super::shape::Shape;
use super::wall::{Wall, WallIndex};
use crate::base::Point;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that is solid while it is closed: a door, or an obstacle added by a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solid {
    /// Where it is.
    pub shape: Shape,
    /// Whether it stands in the way now.
    pub closed: bool,
}

/// A body as walls see it: where its centre is and how large its hard core is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// The centre.
    pub at: Point,
    /// Units; the radius of the hard core.
    pub radius: i32,
}

/// The area with its movable solids.
///
/// A body that a solid closed upon is never trapped: that solid is no wall to it until it has left, while nobody
/// else may enter.
#[derive(Clone, Debug)]
pub struct Terrain {
    area: Arc<Area>,
    solids: Vec<Solid>,
    walls: WallIndex,
}

impl Terrain {
    /// The area with `solids`; [`Terrain::walls_near`] finds all walls within `reach` units.
    pub fn new(area: Arc<Area>, solids: Vec<Solid>, reach: i32) -> Self {
        let walls = index_walls(&area, &solids, reach);
        Self { area, solids, walls }
    }

    /// The area without solids.
    pub fn area(&self) -> &Arc<Area> {
        &self.area
    }

    /// The solids, doors first.
    pub fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// Replaces the solids and indexes the walls anew.
    pub fn change_solids(&mut self, change: impl FnOnce(&mut Vec<Solid>)) {
        change(&mut self.solids);
        self.walls = index_walls(&self.area, &self.solids, self.walls.reach());
    }

    /// Whether a centre may stand at `point` now.
    pub fn contains(&self, point: Point) -> bool {
        self.area.contains(point) && !self.solids.iter().any(|s| s.closed && s.shape.contains(point))
    }

    /// All walls within reach of `point`, in a fixed order.
    pub fn walls_near(&self, point: Point) -> impl Iterator<Item = &Wall> + Clone {
        self.walls.near(point)
    }

    /// The walls that bind a body at `body`: all near it but the outlines of solids that it overlaps already.
    pub fn walls_for(&self, body: Body) -> impl Iterator<Item = &Wall> + Clone {
        let overlapped = self.overlapped_solids(body);
        self.walls.near(body.at).filter(move |w| w.solid.is_none_or(|s| !overlapped.contains(&s)))
    }

    /// Whether a body may move straight from where it is to `to`: no wall that binds it cuts the way.
    pub fn is_clear(&self, body: Body, to: Point) -> bool {
        let cutting = |w: &&Wall| !w.is_clear_of(body.at, to, body.radius);
        // Solids that a body overlaps are looked up only where a solid cuts at all.
        match self.walls.near(body.at).find(cutting) {
            None => true,
            Some(Wall { solid: None, .. }) => false,
            Some(_) => !self.walls_for(body).any(|w| cutting(&w)),
        }
    }

    /// Whether a body could walk straight to `to`, however far: no wall cuts the way.
    pub fn sees(&self, body: Body, to: Point) -> bool {
        let way = to.minus(body.at);
        let length = (way.length_squared() as f64).sqrt();
        let stretch = f64::from((self.walls.reach() - body.radius).max(1_000));
        let stretches = (length / stretch).ceil().max(1.0) as i64;
        let along = |i: i64| {
            let part = |v: i32| (i64::from(v) * i / stretches) as i32;
            Point::new(body.at.x + part(way.x), body.at.y + part(way.y))
        };
        (0..stretches).all(|i| self.is_clear(Body { at: along(i), ..body }, along(i + 1)))
    }

    /// Whether a body may stand at `body`: on walkable ground, and no wall in its core.
    pub fn is_free(&self, body: Body) -> bool {
        self.contains(body.at)
            && self.walls.near(body.at).all(|w| w.is_clear_of(body.at, body.at, body.radius))
    }

    /// The index of all walls.
    pub fn walls(&self) -> &WallIndex {
        &self.walls
    }

    fn overlapped_solids(&self, body: Body) -> Vec<u32> {
        let closed = self.solids.iter().enumerate().filter(|(_, s)| s.closed);
        let near: Vec<&Wall> = self.walls.near(body.at).filter(|w| w.solid.is_some()).collect();
        let touches =
            |i: u32| near.iter().any(|w| w.solid == Some(i) && !w.is_clear_of(body.at, body.at, body.radius));
        closed
            .filter(|(i, s)| touches(*i as u32) || s.shape.contains(self.area.topology.wrap(body.at)))
            .map(|(i, _)| i as u32)
            .collect()
    }
}

fn index_walls(area: &Area, solids: &[Solid], reach: i32) -> WallIndex {
    let outline = |(i, solid): (usize, &Solid)| {
        let edges = if solid.closed { solid.shape.edges() } else { Vec::new() };
        edges.into_iter().filter(|(a, b)| a != b).map(move |(a, b)| Wall { a, b, solid: Some(i as u32) })
    };
    let walls = area.walls().iter().copied().chain(solids.iter().enumerate().flat_map(outline));
    WallIndex::new(walls.collect(), reach, area.topology)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Frame;
    use crate::space::Rect;

    fn rect(x0: i32, y0: i32, x1: i32, y1: i32) -> Shape {
        Shape::Polygon(vec![Rect { min: Point::new(x0, y0), max: Point::new(x1, y1) }.ring()])
    }

    #[test]
    fn a_door_that_closes_on_a_body_lets_it_out_and_nobody_in() {
        let hall = vec![Rect { min: Point::new(0, 0), max: Point::new(100_000, 10_000) }.ring()];
        let area = Area::from_polygons(Frame::default(), &[hall], vec![], false).unwrap();
        let door = Solid { shape: rect(40_000, 0, 60_000, 10_000), closed: false };
        let mut terrain = Terrain::new(Arc::new(area), vec![door], 50_000);
        let outside = Body { at: Point::new(30_000, 5_000), radius: 2_000 };
        let on_the_sill = Body { at: Point::new(39_000, 5_000), radius: 2_000 };
        let inside = Body { at: Point::new(50_000, 5_000), radius: 2_000 };
        assert!(terrain.is_clear(outside, Point::new(45_000, 5_000)));
        terrain.change_solids(|s| s[0].closed = true);
        assert!(!terrain.is_clear(outside, Point::new(45_000, 5_000)));
        assert!(!terrain.contains(inside.at));
        for body in [inside, on_the_sill] {
            assert!(terrain.is_clear(body, Point::new(body.at.x - 1_500, 5_000)));
            assert!(!terrain.is_clear(body, Point::new(body.at.x, 500)), "static walls still bind");
        }
    }
}
