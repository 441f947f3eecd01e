//! Distance solvers: the cheapest remaining cost from every cell.
//!
//! Graph solvers give the unique minimum in `f64`: rounding is monotone and every move strictly raises the sum.
//! Those of the eikonal equation are in a file of their own.

use super::accurate;
use super::eikonal::{self, iterating, marching, sweeping};
use super::front::{BucketFront, Front, HeapFront};
use super::hops::{Hops, back, bits};
use super::repair::{Equation, repair};
use super::settings::{Guidance, Solver};
use super::transition::{Moves, Step, Transition};
use crate::base::Workers;
use crate::space::CellIndex;
use std::collections::VecDeque;

/// Remaining costs, infinite where no way leads to the goal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Distances {
    /// Of a graph solver.
    Graph(Vec<f64>),
    /// Of an eikonal solver.
    Eikonal(Vec<f32>),
}

impl Distances {
    pub(super) fn at(&self, cell: CellIndex) -> f64 {
        match self {
            Self::Graph(values) => values[cell as usize],
            Self::Eikonal(values) => f64::from(values[cell as usize]),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Graph(values) => 8 * values.len() as u64,
            Self::Eikonal(values) => 4 * values.len() as u64,
        }
    }
}

/// Solves for the distances to `goals` with the solver that the guidance names.
pub(super) fn solve(
    transition: &Transition,
    goals: &[CellIndex],
    guidance: &Guidance,
    workers: &Workers,
) -> Distances {
    match &guidance.solver {
        Solver::Labels => Distances::Graph(labels(transition, goals)),
        solver @ (Solver::Dijkstra | Solver::Kernel(_)) => {
            Distances::Graph(dijkstra(transition, goals, solver))
        }
        solver @ Solver::BucketDijkstra => Distances::Graph(bucket_dijkstra(transition, goals, solver)),
        Solver::FastMarching | Solver::FastSweeping | Solver::FastIterative
            if accurate::is_wanted(guidance, goals) =>
        {
            Distances::Eikonal(accurate::march(transition, goals, guidance))
        }
        Solver::FastMarching => Distances::Eikonal(marching(transition, goals)),
        Solver::FastSweeping => Distances::Eikonal(sweeping(transition, goals)),
        Solver::FastIterative => Distances::Eikonal(iterating(transition, goals, workers)),
    }
}

/// Where more than one cell in so many has changed or would, a repair is not worth the while.
const REPAIRED_PART: usize = 8;

/// Brings distances to the same goals up to date after the moves or prices of some cells have changed: the same bits as
/// [`solve`]. Returns the cells touched; `None` where only a full solution will do or costs less.
pub(super) fn repaired(
    transition: &Transition,
    goals: &[CellIndex],
    guidance: &Guidance,
    distances: &mut Distances,
    changed: &[CellIndex],
) -> Option<Vec<CellIndex>> {
    let most = transition.moves.frame().len() / REPAIRED_PART;
    if changed.len() > most {
        return None;
    }
    match distances {
        Distances::Eikonal(_) if accurate::is_wanted(guidance, goals) => None,
        Distances::Eikonal(values) => eikonal::repaired(transition, values, changed, most),
        Distances::Graph(values) => {
            let graph = Graph::new(transition, &guidance.solver);
            let mut bellman = Bellman { moves: &transition.moves, graph, distance: std::mem::take(values) };
            let touched = repair(&mut bellman, changed, most);
            *values = bellman.distance;
            touched
        }
    }
}

/// `D = min over legal steps of cost + D(next)`.
struct Bellman<'a> {
    moves: &'a Moves,
    graph: Graph<'a>,
    distance: Vec<f64>,
}

impl Equation for Bellman<'_> {
    fn value(&self, cell: CellIndex) -> f64 {
        self.distance[cell as usize]
    }

    fn update(&self, cell: CellIndex) -> f64 {
        // Steps cost something, so only a goal can be 0.
        if self.distance[cell as usize] == 0.0 {
            return 0.0;
        }
        let legal = self.moves.legal_steps()[cell as usize];
        let through = |step: usize| {
            let next = self.graph.hops.to(cell, step);
            self.distance[next as usize] + self.graph.lengths[step] * self.graph.price(next)
        };
        bits(legal & self.graph.known).map(through).fold(f64::INFINITY, f64::min)
    }

    fn set(&mut self, cell: CellIndex, value: f64) {
        self.distance[cell as usize] = value;
    }

    fn push_around(&self, cell: CellIndex, cells: &mut Vec<CellIndex>) {
        cells.extend(self.graph.entering(cell).map(|(from, _)| from));
    }
}

/// The legal steps of a grid, backwards, with their costs.
struct Graph<'a> {
    hops: Hops<'a>,
    /// Length of each step; 0 where the solver knows no such step.
    lengths: [f64; 8],
    /// A bit per step that the solver knows.
    known: u8,
    /// A bit per step that leads back over one that it knows.
    known_back: u8,
    price: Option<&'a [f32]>,
}

impl<'a> Graph<'a> {
    fn new(transition: &'a Transition, solver: &Solver) -> Self {
        let lengths = Step::ALL.map(|step| transition.length(solver, step));
        let known = |step: &usize| lengths[*step].is_some();
        Self {
            hops: Hops::new(&transition.moves),
            lengths: lengths.map(Option::unwrap_or_default),
            known: (0..8).filter(known).fold(0, |bits, step| bits | 1 << step),
            known_back: (0..8).filter(known).fold(0, |bits, step| bits | 1 << back(step)),
            price: (*solver != Solver::Labels).then_some(&transition.price.values[..]),
        }
    }

    /// Zero at the goals, infinite elsewhere.
    fn unsolved(&self, goals: &[CellIndex]) -> Vec<f64> {
        let mut distance = vec![f64::INFINITY; self.hops.cells()];
        goals.iter().for_each(|&goal| distance[goal as usize] = 0.0);
        distance
    }

    /// The price of a metre in a cell.
    #[inline]
    fn price(&self, cell: CellIndex) -> f64 {
        self.price.map_or(1.0, |p| f64::from(p[cell as usize]))
    }

    /// The cells from which a step leads into `cell`, and what that step costs.
    #[inline]
    fn entering(&self, cell: CellIndex) -> impl Iterator<Item = (CellIndex, f64)> {
        let price = self.price(cell);
        let lead_here = bits(self.hops.entering(cell) & self.known_back);
        lead_here.map(move |step| (self.hops.to(cell, step), self.lengths[back(step)] * price))
    }

    fn costliest_step(&self) -> f64 {
        let dearest = self.price.map_or(1.0, |p| p.iter().copied().fold(1.0, f32::max));
        self.lengths.into_iter().fold(0.0, f64::max) * f64::from(dearest)
    }
}

/// Breadth-first labels (Lee 1961): every move costs 1.
fn labels(transition: &Transition, goals: &[CellIndex]) -> Vec<f64> {
    let graph = Graph::new(transition, &Solver::Labels);
    let mut distance = graph.unsolved(goals);
    let mut queue: VecDeque<CellIndex> = goals.iter().copied().collect();
    while let Some(cell) = queue.pop_front() {
        for (from, _) in graph.entering(cell) {
            if distance[from as usize].is_infinite() {
                distance[from as usize] = distance[cell as usize] + 1.0;
                queue.push_back(from);
            }
        }
    }
    distance
}

/// Dijkstra (1959) with a binary heap, from the goals backwards.
fn dijkstra(transition: &Transition, goals: &[CellIndex], solver: &Solver) -> Vec<f64> {
    march(&Graph::new(transition, solver), goals, HeapFront::default())
}

/// Dijkstra with buckets as wide as the side of a cell.
fn bucket_dijkstra(transition: &Transition, goals: &[CellIndex], solver: &Solver) -> Vec<f64> {
    let graph = Graph::new(transition, solver);
    match BucketFront::new(transition.cell_m(), graph.costliest_step()) {
        Some(front) => march(&graph, goals, front),
        None => march(&graph, goals, HeapFront::default()),
    }
}

/// Passes values on until none is left; the front orders them by their rounded values, and what comes out of order is
/// corrected.
fn march(graph: &Graph<'_>, goals: &[CellIndex], mut front: impl Front) -> Vec<f64> {
    let mut distance = graph.unsolved(goals);
    goals.iter().for_each(|&goal| front.push(0.0, goal));
    while let Some((bits, cell)) = front.pop() {
        let here = distance[cell as usize];
        if bits != (here as f32).to_bits() {
            continue;
        }
        for (from, cost) in graph.entering(cell) {
            let through = here + cost;
            if through < distance[from as usize] {
                distance[from as usize] = through;
                front.push(through as f32, from);
            }
        }
    }
    distance
}
