//! Distance solvers: the cheapest remaining cost from every cell.
//!
//! Graph solvers give the unique minimum in `f64`: rounding is monotone and every move strictly raises the sum.
//! Those of the eikonal equation are in a file of their own.

use super::accurate;
use super::eikonal::{self, iterating, marching, sweeping};
use super::front::{BucketFront, Front, HeapFront};
use super::hops::{BlockGround, Ground, Layout, Place, Rows, back, steps_in, to};
use super::repair::{Equation, repair};
use super::settings::{Guidance, Solver};
use super::transition::{Step, Transition};
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
        solver @ (Solver::Labels | Solver::Dijkstra | Solver::BucketDijkstra | Solver::Kernel(_)) => {
            Distances::Graph(solve_graph(transition, goals, solver))
        }
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
            let graph = Graph::new(Ground::in_rows(transition), transition, &guidance.solver);
            let mut bellman = Bellman { graph, distance: std::mem::take(values) };
            let touched = repair(&mut bellman, changed, most);
            *values = bellman.distance;
            touched
        }
    }
}

/// `D = min over legal steps of cost + D(next)`.
struct Bellman<'a> {
    graph: Graph<'a, Rows>,
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
        let (ground, graph) = (&self.graph.ground, &self.graph);
        let hops = ground.layout.hops(cell);
        let through = |step: usize| {
            let next = to(hops, cell, step);
            self.distance[next as usize] + graph.lengths[step] * f64::from(ground.price(next))
        };
        steps_in(ground.legal[cell as usize] & graph.known).map(through).fold(f64::INFINITY, f64::min)
    }

    fn set(&mut self, cell: CellIndex, value: f64) {
        self.distance[cell as usize] = value;
    }

    fn push_around(&self, cell: CellIndex, cells: &mut Vec<CellIndex>) {
        cells.extend(self.graph.entering(cell).map(|(from, _)| from));
    }
}

/// The legal steps of a grid with their costs.
struct Graph<'a, L> {
    ground: Ground<'a, L>,
    /// Length of each step; 0 where the solver knows no such step.
    lengths: [f64; 8],
    /// A bit per step that the solver knows.
    known: u8,
    /// A bit per step that leads back over one that it knows.
    known_back: u8,
}

impl<'a, L: Layout> Graph<'a, L> {
    fn new(ground: Ground<'a, L>, transition: &Transition, solver: &Solver) -> Self {
        let lengths = Step::ALL.map(|step| transition.length(solver, step));
        let known = |step: &usize| lengths[*step].is_some();
        let price = ground.price.filter(|_| *solver != Solver::Labels);
        Self {
            ground: Ground { price, ..ground },
            lengths: lengths.map(Option::unwrap_or_default),
            known: (0..8).filter(known).fold(0, |bits, step| bits | 1 << step),
            known_back: (0..8).filter(known).fold(0, |bits, step| bits | 1 << back(step)),
        }
    }

    /// Zero at the goals, infinite elsewhere.
    fn unsolved(&self, goals: &[Place]) -> Vec<f64> {
        let mut distance = vec![f64::INFINITY; self.ground.legal.len()];
        goals.iter().for_each(|&goal| distance[goal as usize] = 0.0);
        distance
    }

    /// The places from which a step leads to `place`, and what that step costs.
    #[inline]
    fn entering(&self, place: Place) -> impl Iterator<Item = (Place, f64)> {
        let hops = self.ground.layout.hops(place);
        let price = f64::from(self.ground.price(place));
        let lead_here = steps_in(self.ground.entering[place as usize] & self.known_back);
        lead_here.map(move |step| (to(hops, place, step), self.lengths[back(step)] * price))
    }

    /// Breadth-first labels (Lee 1961).
    fn label(&self, goals: &[Place]) -> Vec<f64> {
        let mut distance = self.unsolved(goals);
        let mut queue: VecDeque<Place> = goals.iter().copied().collect();
        while let Some(place) = queue.pop_front() {
            let label = distance[place as usize] + 1.0;
            for (from, _) in self.entering(place) {
                if distance[from as usize].is_infinite() {
                    distance[from as usize] = label;
                    queue.push_back(from);
                }
            }
        }
        distance
    }

    /// Passes values on from the goals backwards until none is left (Dijkstra 1959). The front orders them by their rounded
    /// values; what comes out of order is corrected.
    fn march(&self, goals: &[Place], mut front: impl Front) -> Vec<f64> {
        let mut distance = self.unsolved(goals);
        goals.iter().for_each(|&goal| front.push(0.0, goal));
        while let Some((bits, place)) = front.pop() {
            let here = distance[place as usize];
            if bits != (here as f32).to_bits() {
                continue;
            }
            for (from, cost) in self.entering(place) {
                let through = here + cost;
                if through < distance[from as usize] {
                    distance[from as usize] = through;
                    front.push(through as f32, from);
                }
            }
        }
        distance
    }
}

/// Solves for the distances over a graph, laid out in blocks.
fn solve_graph(transition: &Transition, goals: &[CellIndex], solver: &Solver) -> Vec<f64> {
    let laid_out = BlockGround::new(transition);
    let blocks = &laid_out.blocks;
    let graph = Graph::new(laid_out.ground(), transition, solver);
    let goals: Vec<Place> = goals.iter().map(|&goal| blocks.place(goal)).collect();
    // Buckets as wide as the side of a cell.
    let costliest = graph.lengths.into_iter().fold(0.0, f64::max) * f64::from(laid_out.dearest());
    let buckets = || BucketFront::new(transition.cell_m(), costliest);
    let distance = match solver {
        Solver::Labels => graph.label(&goals),
        Solver::BucketDijkstra => match buckets() {
            Some(front) => graph.march(&goals, front),
            None => graph.march(&goals, HeapFront::default()),
        },
        _ => graph.march(&goals, HeapFront::default()),
    };
    blocks.gather(&distance)
}
