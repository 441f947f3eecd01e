//! The eikonal equation beyond plain first order: second-order upwind differences where the way is smooth, and distances
//! factored by those of an open plane (Fomel, Luo and Zhao 2009; Treister and Haber 2016).
//!
//! Both march (Sethian 1996), whichever eikonal solver is named: a cell is settled once, nearest first, ties by cell. They
//! promise an error, and no equation that a repair could restore.

use super::hops::{Ground, Layout, Rows, STRAIGHT, steps_in, to};
use super::settings::Guidance;
use super::transition::{Step, Transition};
use crate::space::{CellIndex, GridFrame};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Whether an eikonal solver is asked for more than plain first order. Only the distance to a single cell can be factored.
pub(super) fn is_wanted(guidance: &Guidance, goals: &[CellIndex]) -> bool {
    guidance.order == 2 || (guidance.factored && goals.len() == 1)
}

/// Solves for the distances to `goals`.
pub(super) fn march(transition: &Transition, goals: &[CellIndex], guidance: &Guidance) -> Vec<f32> {
    let mut accurate = Accurate::new(transition, goals, guidance);
    accurate.march(goals);
    accurate.distance.into_iter().map(|d| d as f32).collect()
}

/// What one upwind neighbour says about the derivative along its axis, times the side of a cell: `a d - b` for a
/// distance `d` of the cell itself.
#[derive(Clone, Copy, Debug)]
struct Difference {
    a: f64,
    b: f64,
}

/// The upwind neighbour along one axis.
#[derive(Clone, Copy, Debug)]
struct Upwind {
    /// Its distance.
    value: f64,
    first: Difference,
    /// Of second order where that may be used, else again `first`.
    best: Difference,
}

impl Upwind {
    /// The distance of a cell to which only this neighbour leads, across ground that costs `f` a cell.
    fn alone(&self, f: f64) -> f64 {
        let way = |d: Difference| Some((d.b + f) / d.a).filter(|&t| d.a > 0.0 && t > self.value);
        way(self.best).or_else(|| way(self.first)).unwrap_or(self.value + f)
    }
}

/// The larger root of `(a d - b)^2` summed over both axes `= f^2`, where the way comes from both neighbours.
fn from_both(x: Difference, y: Difference, f: f64, least: f64) -> Option<f64> {
    let (a, b) = (x.a * x.a + y.a * y.a, x.a * x.b + y.a * y.b);
    let c = x.b * x.b + y.b * y.b - f * f;
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    let root = (b + discriminant.sqrt()) / a;
    let descends = |d: Difference| d.a * root - d.b >= 0.0;
    (root > least && descends(x) && descends(y)).then_some(root)
}

/// Distances are factored where the plane's own distance rises along the way by no more than this part a cell.
const LEAST_FALL: f64 = -0.5;

/// The equation on the legal straight moves of a grid, and the values so far.
struct Accurate<'a> {
    transition: &'a Transition,
    ground: Ground<'a, Rows>,
    frame: GridFrame,
    cell_m: f64,
    second_order: bool,
    /// The goal, where distances are factored.
    point: Option<CellIndex>,
    distance: Vec<f64>,
}

impl<'a> Accurate<'a> {
    fn new(transition: &'a Transition, goals: &[CellIndex], guidance: &Guidance) -> Self {
        let mut distance = vec![f64::INFINITY; transition.moves.frame().len()];
        goals.iter().for_each(|&goal| distance[goal as usize] = 0.0);
        let point = match goals {
            &[goal] if guidance.factored => Some(goal),
            _ => None,
        };
        Self {
            transition,
            ground: Ground::in_rows(transition),
            frame: transition.moves.frame(),
            cell_m: transition.cell_m(),
            second_order: guidance.order == 2,
            point,
            distance,
        }
    }

    /// Columns and rows from a point to a cell, the shorter way round a ring.
    fn offset(&self, point: CellIndex, cell: CellIndex) -> (f64, f64) {
        let ((x0, y0), (x, y)) = (self.frame.column_row(point), self.frame.column_row(cell));
        let (mut dx, dy) = (f64::from(x) - f64::from(x0), f64::from(y) - f64::from(y0));
        let around = f64::from(self.frame.columns);
        if self.frame.ring && dx.abs() * 2.0 > around {
            dx -= if dx > 0.0 { around } else { -around };
        }
        (dx, dy)
    }

    /// The distance of `near`, stretched to `cell` as it would be on an open plane around the point.
    fn stretched(&self, point: CellIndex, cell: CellIndex, near: CellIndex) -> f64 {
        let cells = |to: CellIndex| {
            let (dx, dy) = self.offset(point, to);
            (dx * dx + dy * dy).sqrt()
        };
        if near == point {
            return f64::from(self.transition.price[point]) * self.cell_m * cells(cell);
        }
        self.distance[near as usize] * (cells(cell) / cells(near))
    }

    /// The difference between a cell and its neighbour by `step`, or with the one behind that, second order.
    fn difference(
        &self,
        cell: CellIndex,
        step: usize,
        near: CellIndex,
        behind: Option<CellIndex>,
    ) -> Difference {
        let (value, fall) = match self.point.map(|point| (point, self.fall(point, cell, step))) {
            // Behind a wall the way may lead back towards the point; the plane says nothing about it.
            Some((point, fall)) if fall > LEAST_FALL => {
                let value = |c| self.stretched(point, cell, c);
                ([value(near), behind.map_or(0.0, value)], fall)
            }
            _ => ([near, behind.unwrap_or(near)].map(|c| self.distance[c as usize]), 0.0),
        };
        match behind {
            None => Difference { a: 1.0 + fall, b: value[0] },
            Some(_) => Difference { a: 1.5 + fall, b: 2.0 * value[0] - 0.5 * value[1] },
        }
    }

    /// How much the plane's own distance falls along a step, by its part a cell.
    fn fall(&self, point: CellIndex, cell: CellIndex, step: usize) -> f64 {
        let ((dx, dy), (ex, ey)) = (self.offset(point, cell), Step::ALL[step].delta());
        -(dx * f64::from(ex) + dy * f64::from(ey)) / (dx * dx + dy * dy)
    }

    /// The nearer of the two neighbours along an axis, among those that are known.
    fn upwind(
        &self,
        cell: CellIndex,
        steps: [usize; 2],
        known: &impl Fn(CellIndex) -> bool,
    ) -> Option<Upwind> {
        let next = |from: CellIndex, step: usize| {
            let is_legal = self.ground.legal[from as usize] & (1 << step) != 0;
            is_legal.then(|| to(self.ground.layout.hops(from), from, step)).filter(|&to| known(to))
        };
        let value = |c: CellIndex| self.distance[c as usize];
        let neighbours = steps.into_iter().filter_map(|step| Some((step, next(cell, step)?)));
        let (step, near) = neighbours.reduce(|a, b| if value(b.1) < value(a.1) { b } else { a })?;
        let first = self.difference(cell, step, near, None);
        // Where values do not fall on, two ways meet, and the second difference would reach across.
        let behind = next(near, step).filter(|&b| self.second_order && value(b) <= value(near));
        let best = behind.map_or(first, |b| self.difference(cell, step, near, Some(b)));
        Some(Upwind { value: value(near), first, best })
    }

    /// The distance that a cell's known neighbours give it; infinite where none leads on.
    fn update(&self, cell: CellIndex, known: impl Fn(CellIndex) -> bool) -> f64 {
        // Prices are positive, so only a goal can be 0.
        if self.distance[cell as usize] == 0.0 {
            return 0.0;
        }
        let f = f64::from(self.transition.price[cell]) * self.cell_m;
        match (self.upwind(cell, [1, 3], &known), self.upwind(cell, [0, 2], &known)) {
            (Some(x), Some(y)) => {
                let least = x.value.max(y.value);
                from_both(x.best, y.best, f, least)
                    .or_else(|| from_both(x.first, y.first, f, least))
                    .unwrap_or_else(|| x.alone(f).min(y.alone(f)))
            }
            (Some(upwind), None) | (None, Some(upwind)) => upwind.alone(f),
            (None, None) => f64::INFINITY,
        }
    }

    fn march(&mut self, goals: &[CellIndex]) {
        let mut settled = vec![false; self.distance.len()];
        // Distances are not negative, so their bits sort like their values.
        let mut front: BinaryHeap<Reverse<(u64, CellIndex)>> =
            goals.iter().map(|&goal| Reverse((0, goal))).collect();
        while let Some(Reverse((bits, cell))) = front.pop() {
            if settled[cell as usize] || bits != self.distance[cell as usize].to_bits() {
                continue;
            }
            settled[cell as usize] = true;
            let hops = *self.ground.layout.hops(cell);
            for step in steps_in(self.ground.entering[cell as usize] & STRAIGHT) {
                let next = to(&hops, cell, step);
                if settled[next as usize] {
                    continue;
                }
                let value = self.update(next, |c| settled[c as usize]);
                if value.to_bits() != self.distance[next as usize].to_bits() {
                    self.distance[next as usize] = value;
                    front.push(Reverse((value.to_bits(), next)));
                }
            }
        }
    }
}
