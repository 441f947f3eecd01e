//! Distance solvers: the cheapest remaining cost from every cell.
//!
//! Graph solvers give the unique minimum in `f64`: rounding is monotone and every move strictly raises the sum.
//! Eikonal solvers replace values until `D = F(D)` holds exactly in every cell, so that the order of work leaves no trace.

use super::settings::{Guidance, Solver};
use super::transition::{Step, Transition};
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
pub(super) fn solve(transition: &Transition, goals: &[CellIndex], guidance: &Guidance) -> Distances {
    match &guidance.solver {
        Solver::Labels => Distances::Graph(labels(transition, goals)),
        solver @ (Solver::Dijkstra | Solver::Kernel(_)) => {
            Distances::Graph(dijkstra(transition, goals, solver))
        }
        solver @ Solver::BucketDijkstra => Distances::Graph(bucket_dijkstra(transition, goals, solver)),
        Solver::FastMarching => Distances::Eikonal(marching(transition, goals)),
        Solver::FastSweeping => Distances::Eikonal(sweeping(transition, goals)),
        Solver::FastIterative => Distances::Eikonal(iterating(transition, goals)),
    }
}

/// The steps that lead into `cell`: its neighbours and their step to it.
fn entering(transition: &Transition, cell: CellIndex) -> impl Iterator<Item = (CellIndex, Step)> {
    Step::ALL.into_iter().filter_map(move |back| {
        let from = transition.moves.neighbour(cell, back)?;
        let (dx, dy) = back.delta();
        Some((from, Step::of((-dx, -dy))?))
    })
}

/// Breadth-first labels (Lee 1961): every move costs 1.
fn labels(transition: &Transition, goals: &[CellIndex]) -> Vec<f64> {
    let mut distance = vec![f64::INFINITY; transition.moves.frame().len()];
    let mut queue: VecDeque<CellIndex> = goals.iter().copied().collect();
    for &goal in goals {
        distance[goal as usize] = 0.0;
    }
    while let Some(cell) = queue.pop_front() {
        for (from, step) in entering(transition, cell) {
            if distance[from as usize].is_infinite() && transition.cost(&Solver::Labels, from, step).is_some()
            {
                distance[from as usize] = distance[cell as usize] + 1.0;
                queue.push_back(from);
            }
        }
    }
    distance
}

/// Dijkstra (1959) with a binary heap, from the goals backwards.
fn dijkstra(transition: &Transition, goals: &[CellIndex], solver: &Solver) -> Vec<f64> {
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
        for (from, step) in entering(transition, cell) {
            let Some(cost) = transition.cost(solver, from, step) else { continue };
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
            for (from, step) in entering(transition, cell) {
                let Some(cost) = transition.cost(solver, from, step) else { continue };
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

/// The eikonal equation on the legal straight moves of a grid, first order.
struct Eikonal<'a> {
    transition: &'a Transition,
    cell_m: f32,
    distance: Vec<f32>,
    is_goal: Vec<bool>,
}

impl<'a> Eikonal<'a> {
    fn new(transition: &'a Transition, goals: &[CellIndex]) -> Self {
        let cells = transition.moves.frame().len();
        let mut solver = Self {
            transition,
            cell_m: transition.cell_m() as f32,
            distance: vec![f32::INFINITY; cells],
            is_goal: vec![false; cells],
        };
        for &goal in goals {
            solver.distance[goal as usize] = 0.0;
            solver.is_goal[goal as usize] = true;
        }
        solver
    }

    /// `F(D)` of one cell: with upwind values `a <= b` and `f` the local price times the cell, `a + f` where that is at
    /// most `b`, else the two-sided root, kept above `b` and at most `a + f` (Rouy and Tourin 1992, eq. 3.1).
    fn update(&self, cell: CellIndex) -> f32 {
        if self.is_goal[cell as usize] {
            return 0.0;
        }
        let value = |step: Step| {
            if !self.transition.moves.is_legal(cell, step) {
                return f32::INFINITY;
            }
            let next = self.transition.moves.neighbour(cell, step);
            next.map_or(f32::INFINITY, |n| self.distance[n as usize])
        };
        let [north, east, south, west, ..] = Step::ALL;
        let (x, y) = (value(east).min(value(west)), value(north).min(value(south)));
        let (a, b) = if x <= y { (x, y) } else { (y, x) };
        let f = self.transition.price[cell] * self.cell_m;
        let one_sided = a + f;
        if one_sided <= b {
            return one_sided;
        }
        let apart = b - a;
        let root = a + (apart + (2.0 * f * f - apart * apart).max(0.0).sqrt()) * 0.5;
        root.max(b.next_up()).min(one_sided)
    }

    /// The straight neighbours whose value may depend on `cell`.
    fn around(&self, cell: CellIndex) -> impl Iterator<Item = CellIndex> + use<'_> {
        Step::ALL[..4].iter().filter_map(move |&step| self.transition.moves.neighbour(cell, step))
    }

    /// Cells whose value is not yet its own update.
    fn unsettled(&self) -> Vec<CellIndex> {
        let cells = 0..self.distance.len() as u32;
        let differs = |&c: &CellIndex| {
            self.transition.moves.is_open(c)
                && self.update(c).to_bits() != self.distance[c as usize].to_bits()
        };
        cells.filter(differs).collect()
    }
}

/// Fast marching (Sethian 1996), label-correcting: the smallest value first, and whatever a change unsettles again.
fn marching(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let mut heap: BinaryHeap<Reverse<(u32, CellIndex)>> = goals.iter().map(|&g| Reverse((0, g))).collect();
    loop {
        while let Some(Reverse((bits, cell))) = heap.pop() {
            if bits != eikonal.distance[cell as usize].to_bits() {
                continue;
            }
            let around: [Option<CellIndex>; 4] = {
                let mut cells = eikonal.around(cell);
                [cells.next(), cells.next(), cells.next(), cells.next()]
            };
            for next in around.into_iter().flatten() {
                if !transition.moves.is_open(next) {
                    continue;
                }
                let value = eikonal.update(next);
                if value.to_bits() != eikonal.distance[next as usize].to_bits() {
                    eikonal.distance[next as usize] = value;
                    heap.push(Reverse((value.to_bits(), next)));
                }
            }
        }
        let unsettled = eikonal.unsettled();
        if unsettled.is_empty() {
            return eikonal.distance;
        }
        for cell in unsettled {
            let value = eikonal.update(cell);
            eikonal.distance[cell as usize] = value;
            heap.push(Reverse((value.to_bits(), cell)));
        }
    }
}

/// Fast sweeping (Zhao 2005): in four orders in turn, until a full round changes nothing.
fn sweeping(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let frame = transition.moves.frame();
    loop {
        let mut changed = false;
        for (up, right) in [(true, true), (true, false), (false, true), (false, false)] {
            for i in 0..frame.rows {
                let row = if up { i } else { frame.rows - 1 - i };
                for j in 0..frame.columns {
                    let column = if right { j } else { frame.columns - 1 - j };
                    let cell = row * frame.columns + column;
                    if !transition.moves.is_open(cell) {
                        continue;
                    }
                    let value = eikonal.update(cell);
                    changed |= value.to_bits() != eikonal.distance[cell as usize].to_bits();
                    eikonal.distance[cell as usize] = value;
                }
            }
        }
        if !changed {
            return eikonal.distance;
        }
    }
}

/// The fast iterative method (Jeong and Whitaker 2008) as Jacobi rounds over an active list, until nothing changes.
fn iterating(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let mut active: Vec<CellIndex> =
        goals.iter().flat_map(|&g| eikonal.around(g).collect::<Vec<_>>()).collect();
    while !active.is_empty() {
        active.sort_unstable();
        active.dedup();
        active.retain(|&c| transition.moves.is_open(c));
        let updates: Vec<f32> = active.iter().map(|&cell| eikonal.update(cell)).collect();
        let mut next = Vec::new();
        for (&cell, value) in active.iter().zip(updates) {
            if value.to_bits() != eikonal.distance[cell as usize].to_bits() {
                eikonal.distance[cell as usize] = value;
                next.push(cell);
                next.extend(eikonal.around(cell));
            }
        }
        active = next;
    }
    eikonal.distance
}
