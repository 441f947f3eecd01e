//! The neighbour index: bodies by cell, made anew each tick by a counting sort.

use super::rect::Rect;
use super::topology::Topology;
use crate::base::{Offset, Point};

/// Who is near whom. Answers come by cell, bottom row first, and within a cell by row number: an order that depends
/// on the positions alone.
#[derive(Clone, Debug, Default)]
pub struct NeighbourIndex {
    topology: Topology,
    origin: Point,
    cell_width: i32,
    cell_height: i32,
    columns: i32,
    rows: i32,
    starts: Vec<u32>,
    order: Vec<u32>,
    positions: Vec<Point>,
    cell_of: Vec<u32>,
}

impl NeighbourIndex {
    /// Indexes `positions`, which lie in `bounds`, with cells of `cell` units. Keeps its buffers from tick to tick.
    pub fn rebuild(&mut self, positions: &[Point], bounds: Rect, cell: i32, topology: Topology) {
        self.lay_out(positions.len(), bounds, cell, topology);
        let cells = self.columns as usize * self.rows as usize;
        self.starts.clear();
        self.starts.resize(cells + 1, 0);
        let mut cell_of = std::mem::take(&mut self.cell_of);
        cell_of.clear();
        cell_of.extend(positions.iter().map(|&p| (self.row(p.y) * self.columns + self.column(p.x)) as u32));
        self.cell_of = cell_of;
        for &c in &self.cell_of {
            self.starts[c as usize + 1] += 1;
        }
        for c in 1..=cells {
            self.starts[c] += self.starts[c - 1];
        }
        self.order.clear();
        self.order.resize(positions.len(), 0);
        self.positions.clear();
        self.positions.resize(positions.len(), Point::default());
        for (i, &c) in self.cell_of.iter().enumerate() {
            let place = self.starts[c as usize] as usize;
            self.order[place] = i as u32;
            self.positions[place] = positions[i];
            self.starts[c as usize] += 1;
        }
        // Filling moved every start to the next cell's; move them back.
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// Chooses the cells; more of them than a few per body would cost more to clear than they save.
    fn lay_out(&mut self, bodies: usize, bounds: Rect, cell: i32, topology: Topology) {
        let width = i64::from(bounds.max.x) - i64::from(bounds.min.x) + 1;
        let height = i64::from(bounds.max.y) - i64::from(bounds.min.y) + 1;
        let mut cell = i64::from(cell.max(1));
        while (width / cell + 1) * (height / cell + 1) > 8 * bodies as i64 + 4096 {
            cell *= 2;
        }
        self.topology = topology;
        self.origin = bounds.min;
        (self.columns, self.cell_width) = match topology.period_x {
            Some(period) => {
                let columns = (i64::from(period) / cell).max(1) as i32;
                self.origin.x = 0;
                (columns, (period + columns - 1) / columns)
            }
            None => ((width / cell + 1) as i32, cell as i32),
        };
        (self.rows, self.cell_height) = ((height / cell + 1) as i32, cell as i32);
    }

    fn column(&self, x: i32) -> i32 {
        (x - self.origin.x).div_euclid(self.cell_width).clamp(0, self.columns - 1)
    }

    fn row(&self, y: i32) -> i32 {
        (y - self.origin.y).div_euclid(self.cell_height).clamp(0, self.rows - 1)
    }

    /// Calls `visit(row, offset)` for every body within `radius` units of `point` (at most, inclusive), where
    /// `offset` leads from `point` to the body. The body at `point` itself is among them.
    pub fn visit(&self, point: Point, radius: i32, mut visit: impl FnMut(u32, Offset)) {
        if self.order.is_empty() {
            return;
        }
        let (bottom, top) = (self.row(point.y - radius), self.row(point.y + radius));
        let mut stretches = [(0, -1); 2];
        let count = self.column_stretches(point.x, radius, &mut stretches);
        for row in bottom..=top {
            for &(from, to) in &stretches[..count] {
                let begin = self.starts[(row * self.columns + from) as usize] as usize;
                let end = self.starts[(row * self.columns + to) as usize + 1] as usize;
                for k in begin..end {
                    let offset = self.topology.displacement(point, self.positions[k]);
                    if offset.is_within(radius) {
                        visit(self.order[k], offset);
                    }
                }
            }
        }
    }

    /// The columns within `radius` of `x`, as one stretch, or two where they run over the seam of a ring.
    fn column_stretches(&self, x: i32, radius: i32, stretches: &mut [(i32, i32); 2]) -> usize {
        let Some(period) = self.topology.period_x else {
            stretches[0] = (self.column(x - radius), self.column(x + radius));
            return 1;
        };
        if i64::from(radius) * 2 + 2 * i64::from(self.cell_width) >= i64::from(period) {
            stretches[0] = (0, self.columns - 1);
            return 1;
        }
        let (left, right) = (x - radius, x + radius);
        if left < 0 {
            *stretches = [(0, self.column(right)), (self.column(left + period), self.columns - 1)];
            2
        } else if right >= period {
            *stretches = [(0, self.column(right - period)), (self.column(left), self.columns - 1)];
            2
        } else {
            stretches[0] = (self.column(left), self.column(right));
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_radius_is_exact() {
        let mut index = NeighbourIndex::default();
        let bounds = Rect { min: Point::new(0, 0), max: Point::new(1000, 1000) };
        // One at exactly 500 units, one less than a unit beyond.
        index.rebuild(&[Point::new(300, 400), Point::new(301, 400)], bounds, 100, Topology::default());
        let mut found = Vec::new();
        index.visit(Point::new(0, 0), 500, |i, _| found.push(i));
        assert_eq!(found, [0]);
    }

    proptest! {
        #[test]
        fn finds_exactly_those_within_the_radius(
            bodies in prop::collection::vec((0..1_000_000, 0..300_000), 0..80),
            centre in (0..1_000_000, 0..300_000),
            radius in 0..400_000,
            ring in any::<bool>(),
        ) {
            let topology = Topology { period_x: ring.then_some(1_000_000) };
            let positions: Vec<Point> = bodies.iter().map(|&(x, y)| Point::new(x, y)).collect();
            let bounds = Rect { min: Point::new(0, 0), max: Point::new(1_000_000, 300_000) };
            let mut index = NeighbourIndex::default();
            index.rebuild(&positions, bounds, 90_000, topology);
            let centre = Point::new(centre.0, centre.1);
            let mut found = Vec::new();
            index.visit(centre, radius, |i, _| found.push(i));
            found.sort_unstable();
            let expected: Vec<u32> = (0..positions.len() as u32)
                .filter(|&i| {
                    let o = topology.displacement(centre, positions[i as usize]);
                    o.length_squared() <= u64::from(radius as u32) * u64::from(radius as u32)
                })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
