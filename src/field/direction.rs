//! Direction derivations: pure functions of final distances. Each direction leads into a cell that is legal and strictly
//! closer; where a smooth one would not, the best legal neighbour's stands in, and is counted.

use super::distance::Distances;
use super::settings::{Derivation, Guidance, Solver, WallFallback, Weight};
use super::transition::{Step, Transition};
use crate::space::CellIndex;
use glam::Vec2;

/// A direction in four bytes: a vector of length 1 times 32767, or zero for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Packed([i16; 2]);

const SCALE: f32 = 32767.0;

impl Packed {
    pub(super) fn new(v: Vec2) -> Self {
        Self([(v.x * SCALE).round() as i16, (v.y * SCALE).round() as i16])
    }

    pub(super) fn vector(self) -> Vec2 {
        Vec2::new(f32::from(self.0[0]) / SCALE, f32::from(self.0[1]) / SCALE)
    }
}

/// Derives directions cell by cell.
pub(super) struct Deriver<'a> {
    pub(super) transition: &'a Transition,
    pub(super) distances: &'a Distances,
    pub(super) guidance: &'a Guidance,
    pub(super) steps: [Step; 8],
}

impl Deriver<'_> {
    /// The direction of a cell, and whether the best legal neighbour had to stand in. Zero at goals and where no way is.
    pub(super) fn direction(&self, cell: CellIndex) -> (Vec2, bool) {
        let here = self.distances.at(cell);
        if here.is_infinite() || here <= 0.0 {
            return (Vec2::ZERO, false);
        }
        let fallback = || self.best(cell).map_or(Vec2::ZERO, unit);
        let missing = |step: &Step| self.value(cell, *step).is_none();
        let at_wall =
            self.guidance.wall_fallback == WallFallback::BestNeighbour && Step::ALL.iter().any(missing);
        let smooth = match self.guidance.derivation {
            Derivation::Parent | Derivation::OnDemand => {
                return (self.parent(cell).map_or_else(fallback, unit), false);
            }
            Derivation::BestNeighbour => return (fallback(), false),
            Derivation::Sobel => self.sobel(cell),
            Derivation::Weighted(weight) => self.weighted(cell, weight),
            Derivation::Gradient => self.gradient(cell),
        };
        match smooth.filter(|&v| !at_wall && self.leads_closer(cell, v)) {
            Some(v) => (v, false),
            None => (fallback(), true),
        }
    }

    fn value(&self, cell: CellIndex, step: Step) -> Option<f64> {
        if !self.transition.moves.is_legal(cell, step) {
            return None;
        }
        let next = self.transition.moves.neighbour(cell, step)?;
        Some(self.distances.at(next)).filter(|d| d.is_finite())
    }

    /// The first legal neighbour in the tie order that attains the minimum of move cost plus distance.
    pub(super) fn parent(&self, cell: CellIndex) -> Option<Step> {
        let here = self.distances.at(cell);
        if here.is_infinite() || here <= 0.0 {
            return None;
        }
        let solver = match self.guidance.solver {
            Solver::FastMarching | Solver::FastSweeping | Solver::FastIterative => &Solver::Dijkstra,
            ref solver => solver,
        };
        let through = |&step: &Step| {
            let rest = self.value(cell, step).filter(|&d| d < here)?;
            Some((self.transition.cost(solver, cell, step)? + rest, step))
        };
        let ways = self.steps.iter().filter_map(through);
        ways.reduce(|a, b| if b.0 < a.0 { b } else { a }).map(|(_, step)| step)
    }

    /// The legal neighbour with the steepest descent per length.
    fn best(&self, cell: CellIndex) -> Option<Step> {
        let here = self.distances.at(cell);
        let slope = |&step: &Step| {
            let drop = here - self.value(cell, step)?;
            let length = if step.is_diagonal() { std::f64::consts::SQRT_2 } else { 1.0 };
            (drop > 0.0).then_some((drop / length, step))
        };
        self.steps.iter().filter_map(slope).reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, step)| step)
    }

    fn leads_closer(&self, cell: CellIndex, v: Vec2) -> bool {
        let here = self.distances.at(cell);
        nearest_step(v).is_some_and(|step| self.value(cell, step).is_some_and(|d| d < here))
    }

    /// Against the upwind differences of the eikonal equation, on either axis.
    fn gradient(&self, cell: CellIndex) -> Option<Vec2> {
        let here = self.distances.at(cell);
        let drop = |step: Step| self.value(cell, step).map_or(0.0, |d| (here - d).max(0.0)) as f32;
        let [north, east, south, west, ..] = Step::ALL;
        let axis = |plus: f32, minus: f32| if plus >= minus { plus } else { -minus };
        let v = Vec2::new(axis(drop(east), drop(west)), axis(drop(north), drop(south)));
        v.try_normalize()
    }

    /// The 3x3 Sobel operator; a missing neighbour counts as the centre.
    fn sobel(&self, cell: CellIndex) -> Option<Vec2> {
        let here = self.distances.at(cell);
        let mut sum = Vec2::ZERO;
        for step in Step::ALL {
            let (dx, dy) = step.delta();
            let weight = if step.is_diagonal() { 1.0 } else { 2.0 };
            let drop = (here - self.value(cell, step).unwrap_or(here)) as f32;
            sum += Vec2::new(dx as f32, dy as f32) * (weight * drop);
        }
        sum.try_normalize()
    }

    /// The closer neighbours' directions, each with the weight of its remaining cost.
    fn weighted(&self, cell: CellIndex, weight: Weight) -> Option<Vec2> {
        let here = self.distances.at(cell);
        let closer: Vec<(Step, f64)> = Step::ALL
            .iter()
            .filter_map(|&step| Some((step, self.value(cell, step).filter(|&d| d < here)?)))
            .collect();
        let least = closer.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
        let cell_m = self.transition.cell_m();
        let size = |d: f64| match weight {
            Weight::Inverse => cell_m / (d + cell_m),
            Weight::InverseSquare => (cell_m / (d + cell_m)) * (cell_m / (d + cell_m)),
            Weight::Exponential => libm::exp(-d),
            Weight::Softmin => libm::exp(-(d - least) / cell_m),
        };
        let sum: Vec2 = closer.iter().map(|&(step, d)| unit(step) * size(d) as f32).sum();
        sum.try_normalize()
    }
}

/// The direction of a step, of length 1.
pub(super) fn unit(step: Step) -> Vec2 {
    let (dx, dy) = step.delta();
    Vec2::new(dx as f32, dy as f32).normalize()
}

/// The step nearest to a direction: sectors of 45 degrees around the eight.
pub(super) fn nearest_step(v: Vec2) -> Option<Step> {
    // tan(22.5 degrees): where a straight sector ends.
    const STRAIGHT: f32 = 0.414_213_57;
    let (x, y) = (v.x.abs(), v.y.abs());
    let sign = |v: f32| if v > 0.0 { 1 } else { -1 };
    let dx = if x <= STRAIGHT * y { 0 } else { sign(v.x) };
    let dy = if y <= STRAIGHT * x { 0 } else { sign(v.y) };
    Step::of((dx, dy))
}
