//! Distance solvers: the cheapest remaining cost from every cell.
//!
//! Graph solvers give the unique minimum in `f64`: rounding is monotone and every move strictly raises the sum.
//! Those of the eikonal equation are in a file of their own.

use super::accurate;
use super::eikonal::{self, iterating, marching, sweeping};
use super::hops::{Hops, back};
use super::repair::{Equation, repair};
use super::settings::{Guidance, Solver};
use super::transition::{Moves, Step, Transition};
use crate::base::Workers;
use crate::space::CellIndex;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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
        let legal = self.moves.legal_steps(cell);
        let through = |step: usize| {
            let next = self.graph.hops.to(cell, step);
            Some(self.distance[next as usize] + self.graph.lengths[step]? * self.graph.price(next))
        };
        (0..8).filter(|step| legal & (1 << step) != 0).filter_map(through).fold(f64::INFINITY, f64::min)
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
    /// Length of each step; `None` where the solver knows no such step.
    lengths: [Option<f64>; 8],
    price: Option<&'a [f32]>,
}

impl<'a> Graph<'a> {
    fn new(transition: &'a Transition, solver: &Solver) -> Self {
        let price = (*solver != Solver::Labels).then_some(&transition.price.values[..]);
        let lengths = Step::ALL.map(|step| transition.length(solver, step));
        Self { hops: Hops::new(&transition.moves), lengths, price }
    }

    /// The price of a metre in a cell.
    #[inline]
    fn price(&self, cell: CellIndex) -> f64 {
        self.price.map_or(1.0, |p| f64::from(p[cell as usize]))
    }

    /// The cells from which a step leads into `cell`, and what that step costs.
    #[inline]
    fn entering(&self, cell: CellIndex) -> impl Iterator<Item = (CellIndex, f64)> {
        let (from, price) = (self.hops.entering(cell), self.price(cell));
        let lead_here = (0..8).filter(move |step| from & (1 << step) != 0);
        lead_here.filter_map(move |step| Some((self.hops.to(cell, step), self.lengths[back(step)]? * price)))
    }
}

/// Breadth-first labels (Lee 1961): every move costs 1.
fn labels(transition: &Transition, goals: &[CellIndex]) -> Vec<f64> {
    let graph = Graph::new(transition, &Solver::Labels);
    let mut distance = vec![f64::INFINITY; transition.moves.frame().len()];
    let mut queue: VecDeque<CellIndex> = goals.iter().copied().collect();
    for &goal in goals {
        distance[goal as usize] = 0.0;
    }
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
    let graph = Graph::new(transition, solver);
    let mut distance = vec![f64::INFINITY; transition.moves.frame().len()];
    // Costs are finite and not negative, so their bits sort like their values.
    let mut heap: BinaryHeap<Reverse<(u64, CellIndex)>> = goals.iter().map(|&g| Reverse((0, g))).collect();
    for &goal in goals {
        distance[goal as usize] = 0.0;
    }
    while let Some(Reverse((bits, cell))) = heap.pop() {
        if bits != distance[cell as usize].to_bits() {
            continue;
        }
        for (from, cost) in graph.entering(cell) {
            let through = distance[cell as usize] + cost;
            if through < distance[from as usize] {
                distance[from as usize] = through;
                heap.push(Reverse((through.to_bits(), from)));
            }
        }
    }
    distance
}

/// Dijkstra with buckets as wide as the cheapest step (Dial 1969 for whole numbers), label-correcting within a bucket.
fn bucket_dijkstra(transition: &Transition, goals: &[CellIndex], solver: &Solver) -> Vec<f64> {
    let graph = Graph::new(transition, solver);
    let mut distance = vec![f64::INFINITY; transition.moves.frame().len()];
    // The price is at least 1, so no step is cheaper than the side of a cell.
    let width = transition.cell_m();
    let mut buckets: VecDeque<Vec<CellIndex>> = VecDeque::from([goals.to_vec()]);
    let mut first = 0_usize;
    for &goal in goals {
        distance[goal as usize] = 0.0;
    }
    while let Some(mut bucket) = buckets.pop_front() {
        while let Some(cell) = bucket.pop() {
            if (distance[cell as usize] / width) as usize != first {
                continue;
            }
            for (from, cost) in graph.entering(cell) {
                let through = distance[cell as usize] + cost;
                if through < distance[from as usize] {
                    distance[from as usize] = through;
                    let ahead = ((through / width) as usize).saturating_sub(first);
                    if ahead == 0 {
                        bucket.push(from);
                        continue;
                    }
                    while buckets.len() < ahead {
                        buckets.push_back(Vec::new());
                    }
                    buckets[ahead - 1].push(from);
                }
            }
        }
        first += 1;
    }
    distance
}
