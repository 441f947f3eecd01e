//! Solvers of the eikonal equation, first order: marching, sweeping, iterating.
//!
//! They replace values until `D = F(D)` holds exactly in every cell. That fixed point is unique, so the order of work
//! leaves no trace.

use super::front::{BucketFront, Front, HeapFront};
use super::hops::{Hops, STRAIGHT, bits};
use super::repair::{Equation, repair};
use super::transition::Transition;
use crate::base::Workers;
use crate::space::CellIndex;

/// The equation on the legal straight moves of a grid, and the values so far.
struct Eikonal<'a> {
    hops: Hops<'a>,
    legal: &'a [u8],
    price: &'a [f32],
    cell_m: f32,
    distance: Vec<f32>,
}

impl<'a> Eikonal<'a> {
    fn new(transition: &'a Transition, goals: &[CellIndex]) -> Self {
        let mut distance = vec![f32::INFINITY; transition.moves.frame().len()];
        goals.iter().for_each(|&goal| distance[goal as usize] = 0.0);
        Self::from(transition, distance)
    }

    fn from(transition: &'a Transition, distance: Vec<f32>) -> Self {
        Self {
            hops: Hops::new(&transition.moves),
            legal: transition.moves.legal_steps(),
            price: &transition.price.values,
            cell_m: transition.cell_m() as f32,
            distance,
        }
    }

    /// `F(D)` of one cell.
    #[inline]
    fn update(&self, cell: CellIndex) -> f32 {
        // Prices are positive, so only a goal can be 0.
        if self.distance[cell as usize] == 0.0 { 0.0 } else { self.solved(cell) }
    }

    /// `F(D)` of a cell that is no goal: with upwind values `a <= b` and `f` the local price times the cell, `a + f` where
    /// that is at most `b`, else the two-sided root, kept above `b` and at most `a + f` (Rouy and Tourin 1992, eq. 3.1).
    #[inline]
    fn solved(&self, cell: CellIndex) -> f32 {
        let legal = self.legal[cell as usize];
        let value = |step: usize| {
            let may_go = legal & (1 << step) != 0;
            // Read in any case: a branch that cannot be foretold costs more.
            let next = if may_go { self.hops.to(cell, step) } else { cell };
            let value = self.distance[next as usize];
            if may_go { value } else { f32::INFINITY }
        };
        let smaller = |a: f32, b: f32| if b < a { b } else { a };
        let (x, y) = (smaller(value(1), value(3)), smaller(value(0), value(2)));
        let (a, b) = if x <= y { (x, y) } else { (y, x) };
        let f = self.price[cell as usize] * self.cell_m;
        let one_sided = a + f;
        if one_sided <= b {
            return one_sided;
        }
        let apart = b - a;
        let root = a + (apart + (2.0 * f * f - apart * apart).max(0.0).sqrt()) * 0.5;
        root.max(b.next_up()).min(one_sided)
    }

    /// Gives the cell its update; whether that changed its bits.
    #[inline]
    fn replace(&mut self, cell: CellIndex) -> bool {
        let value = self.update(cell);
        let changed = value.to_bits() != self.distance[cell as usize].to_bits();
        self.distance[cell as usize] = value;
        changed
    }

    /// The cells whose value may depend on `cell`.
    #[inline]
    fn around(&self, cell: CellIndex) -> impl Iterator<Item = CellIndex> + use<> {
        let hops = self.hops.table();
        bits(self.hops.entering(cell) & STRAIGHT).map(move |step| hops.to(cell, step))
    }
}

impl Equation for Eikonal<'_> {
    fn value(&self, cell: CellIndex) -> f64 {
        f64::from(self.distance[cell as usize])
    }

    fn update(&self, cell: CellIndex) -> f64 {
        f64::from(Eikonal::update(self, cell))
    }

    fn set(&mut self, cell: CellIndex, value: f64) {
        // It came from an update, so nothing is lost.
        self.distance[cell as usize] = value as f32;
    }

    fn push_around(&self, cell: CellIndex, cells: &mut Vec<CellIndex>) {
        cells.extend(self.around(cell));
    }
}

/// Brings distances up to date after the moves or prices of some cells have changed; returns the cells touched, if there
/// are at most so many.
pub(super) fn repaired(
    transition: &Transition,
    distance: &mut Vec<f32>,
    changed: &[CellIndex],
    most: usize,
) -> Option<Vec<CellIndex>> {
    let mut eikonal = Eikonal::from(transition, std::mem::take(distance));
    let touched = repair(&mut eikonal, changed, most);
    *distance = eikonal.distance;
    touched
}

/// The width of a bucket in cells: just below the 1 / sqrt 2 that a two-sided update adds at least.
const BUCKET_CELLS: f64 = 0.7;

/// Fast marching (Sethian 1996), label-correcting: the smallest value first, and whatever a change unsettles again.
pub(super) fn marching(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let dearest = transition.price.values.iter().copied().fold(1.0, f32::max);
    let spread = f64::from(dearest) * transition.cell_m();
    match BucketFront::new(BUCKET_CELLS * transition.cell_m(), spread) {
        Some(front) => eikonal.march(goals, front),
        None => eikonal.march(goals, HeapFront::default()),
    }
    eikonal.distance
}

impl Eikonal<'_> {
    fn march(&mut self, goals: &[CellIndex], mut front: impl Front) {
        goals.iter().for_each(|&goal| front.push(0.0, goal));
        let suspects = self.advance(&mut front);
        self.settle(suspects);
    }

    /// Marches until no value is left to pass on. Returns the cells that a smaller neighbour would raise: rounding may do
    /// that; all others are settled.
    fn advance(&mut self, front: &mut impl Front) -> Vec<CellIndex> {
        let mut suspects = Vec::new();
        while let Some((bits, cell)) = front.pop() {
            let here = self.distance[cell as usize];
            if bits != here.to_bits() {
                continue;
            }
            for next in self.around(cell) {
                let before = self.distance[next as usize];
                // What is smaller does not depend on what has come down to here.
                if before <= here {
                    continue;
                }
                let value = self.solved(next);
                if value < before {
                    self.distance[next as usize] = value;
                    front.push(value, next);
                } else if value > before {
                    suspects.push(next);
                }
            }
        }
        suspects
    }

    /// Replaces values until all are settled, where all but the suspects are. It ends: a value hangs on smaller ones alone.
    fn settle(&mut self, mut suspects: Vec<CellIndex>) {
        while let Some(cell) = suspects.pop() {
            if self.replace(cell) {
                suspects.extend(self.around(cell));
            }
        }
    }
}

/// Fast sweeping (Zhao 2005): in four orders in turn, until a full round changes nothing.
pub(super) fn sweeping(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let frame = transition.moves.frame();
    loop {
        let mut changed = false;
        for (up, right) in [(true, true), (true, false), (false, true), (false, false)] {
            for i in 0..frame.rows {
                let row = if up { i } else { frame.rows - 1 - i };
                for j in 0..frame.columns {
                    let column = if right { j } else { frame.columns - 1 - j };
                    changed |= eikonal.replace(row * frame.columns + column);
                }
            }
        }
        if !changed {
            return eikonal.distance;
        }
    }
}

/// The fast iterative method (Jeong and Whitaker 2008) as Jacobi rounds over an active list, until nothing changes.
pub(super) fn iterating(transition: &Transition, goals: &[CellIndex], workers: &Workers) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let mut active: Vec<CellIndex> = goals.iter().flat_map(|&g| eikonal.around(g)).collect();
    let mut updates = Vec::new();
    while !active.is_empty() {
        active.sort_unstable();
        active.dedup();
        workers.fill(&mut updates, active.len(), |i| eikonal.update(active[i]));
        let mut next = Vec::new();
        for (&cell, &value) in active.iter().zip(&updates) {
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
