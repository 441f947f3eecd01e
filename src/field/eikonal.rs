//! Solvers of the eikonal equation, first order: marching, sweeping, iterating.
//!
//! They replace values until `D = F(D)` holds exactly in every cell. That fixed point is unique, so the order of work
//! leaves no trace.

use super::front::{BucketFront, Front, HeapFront};
use super::hops::{BlockGround, Ground, Layout, Place, Rows, STRAIGHT, steps_in, to};
use super::repair::{Equation, repair};
use super::transition::Transition;
use crate::base::Workers;
use crate::space::CellIndex;

/// The equation on the legal straight moves of a grid, and the values so far.
struct Eikonal<'a, L> {
    ground: Ground<'a, L>,
    cell_m: f32,
    distance: Vec<f32>,
}

impl<'a> Eikonal<'a, Rows> {
    fn in_rows(transition: &'a Transition, distance: Vec<f32>) -> Self {
        Self { ground: Ground::in_rows(transition), cell_m: transition.cell_m() as f32, distance }
    }
}

/// Zero at the goals, infinite elsewhere.
fn unsolved(places: usize, goals: &[Place]) -> Vec<f32> {
    let mut distance = vec![f32::INFINITY; places];
    goals.iter().for_each(|&goal| distance[goal as usize] = 0.0);
    distance
}

impl<L: Layout> Eikonal<'_, L> {
    /// `F(D)` of one cell.
    #[inline]
    fn update(&self, cell: Place) -> f32 {
        // Prices are positive, so only a goal can be 0.
        if self.distance[cell as usize] == 0.0 { 0.0 } else { self.solved(cell) }
    }

    /// `F(D)` of a cell that is no goal: with upwind values `a <= b` and `f` the local price times the cell, `a + f` where
    /// that is at most `b`, else the two-sided root, kept above `b` and at most `a + f` (Rouy and Tourin 1992, eq. 3.1).
    #[inline]
    fn solved(&self, cell: Place) -> f32 {
        let (legal, hops) = (self.ground.legal[cell as usize], self.ground.layout.hops(cell));
        let value = |step: usize| {
            let may_go = legal & (1 << step) != 0;
            // Read in any case: a branch that cannot be foretold costs more.
            let next = if may_go { to(hops, cell, step) } else { cell };
            let value = self.distance[next as usize];
            if may_go { value } else { f32::INFINITY }
        };
        let smaller = |a: f32, b: f32| if b < a { b } else { a };
        let (x, y) = (smaller(value(1), value(3)), smaller(value(0), value(2)));
        let (a, b) = if x <= y { (x, y) } else { (y, x) };
        let f = self.ground.price(cell) * self.cell_m;
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
    fn replace(&mut self, cell: Place) -> bool {
        let value = self.update(cell);
        let changed = value.to_bits() != self.distance[cell as usize].to_bits();
        self.distance[cell as usize] = value;
        changed
    }

    /// The cells whose value may depend on `cell`.
    #[inline]
    fn around(&self, cell: Place) -> impl Iterator<Item = Place> + use<L> {
        let hops = *self.ground.layout.hops(cell);
        steps_in(self.ground.entering[cell as usize] & STRAIGHT).map(move |step| to(&hops, cell, step))
    }
}

impl Equation for Eikonal<'_, Rows> {
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
    let mut eikonal = Eikonal::in_rows(transition, std::mem::take(distance));
    let touched = repair(&mut eikonal, changed, most);
    *distance = eikonal.distance;
    touched
}

/// The width of a bucket in cells: just below the 1 / sqrt 2 that a two-sided update adds at least.
const BUCKET_CELLS: f64 = 0.7;

/// Fast marching (Sethian 1996), label-correcting: the smallest value first, and whatever a change unsettles again.
pub(super) fn marching(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let laid_out = BlockGround::new(transition);
    let blocks = &laid_out.blocks;
    let goals: Vec<Place> = goals.iter().map(|&goal| blocks.place(goal)).collect();
    let mut eikonal = Eikonal {
        ground: laid_out.ground(),
        cell_m: transition.cell_m() as f32,
        distance: unsolved(blocks.places(), &goals),
    };
    let spread = f64::from(laid_out.dearest()) * transition.cell_m();
    match BucketFront::new(BUCKET_CELLS * transition.cell_m(), spread) {
        Some(front) => eikonal.march(&goals, front),
        None => eikonal.march(&goals, HeapFront::default()),
    }
    blocks.gather(&eikonal.distance)
}

impl<L: Layout> Eikonal<'_, L> {
    fn march(&mut self, goals: &[Place], mut front: impl Front) {
        goals.iter().for_each(|&goal| front.push(0.0, goal));
        let suspects = self.advance(&mut front);
        self.settle(suspects);
    }

    /// Marches until no value is left to pass on. Returns the cells that a smaller neighbour would raise: rounding may do
    /// that; all others are settled.
    fn advance(&mut self, front: &mut impl Front) -> Vec<Place> {
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
    fn settle(&mut self, mut suspects: Vec<Place>) {
        while let Some(cell) = suspects.pop() {
            if self.replace(cell) {
                suspects.extend(self.around(cell));
            }
        }
    }
}

/// Fast sweeping (Zhao 2005): in four orders in turn, until a full round changes nothing.
pub(super) fn sweeping(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let frame = transition.moves.frame();
    let mut eikonal = Eikonal::in_rows(transition, unsolved(frame.len(), goals));
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
    let cells = transition.moves.frame().len();
    let mut eikonal = Eikonal::in_rows(transition, unsolved(cells, goals));
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
