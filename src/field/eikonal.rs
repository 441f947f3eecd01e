//! Solvers of the eikonal equation, first order: marching, sweeping, iterating.
//!
//! They replace values until `D = F(D)` holds exactly in every cell. That fixed point is unique, so the order of work
//! leaves no trace.

use super::hops::Hops;
use super::repair::{Equation, repair};
use super::transition::Transition;
use crate::base::Workers;
use crate::space::CellIndex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The equation on the legal straight moves of a grid, and the values so far.
struct Eikonal<'a> {
    transition: &'a Transition,
    hops: Hops<'a>,
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
        let hops = Hops::new(&transition.moves);
        Self { transition, hops, cell_m: transition.cell_m() as f32, distance }
    }

    /// `F(D)` of one cell: with upwind values `a <= b` and `f` the local price times the cell, `a + f` where that is at
    /// most `b`, else the two-sided root, kept above `b` and at most `a + f` (Rouy and Tourin 1992, eq. 3.1).
    #[inline]
    fn update(&self, cell: CellIndex) -> f32 {
        // Prices are positive, so only a goal can be 0.
        if self.distance[cell as usize] == 0.0 {
            return 0.0;
        }
        let legal = self.transition.moves.legal_steps(cell);
        let value = |step: usize| {
            if legal & (1 << step) == 0 {
                return f32::INFINITY;
            }
            self.distance[self.hops.to(cell, step) as usize]
        };
        let (x, y) = (value(1).min(value(3)), value(0).min(value(2)));
        let (a, b) = if x <= y { (x, y) } else { (y, x) };
        let f = self.transition.price.values[cell as usize] * self.cell_m;
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
        let (hops, from) = (self.hops.table(), self.hops.entering(cell));
        (0..4).filter(move |step| from & (1 << step) != 0).map(move |step| hops.to(cell, step))
    }

    /// Gives every cell whose value is not its own update that update, and names them.
    fn unsettled(&mut self) -> Vec<CellIndex> {
        (0..self.distance.len() as u32).filter(|&cell| self.replace(cell)).collect()
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

/// What to march on from: values not yet passed on, roughly the smallest first.
trait Front {
    fn push(&mut self, value: f32, cell: CellIndex);
    fn pop(&mut self) -> Option<(u32, CellIndex)>;
}

/// A binary heap: the smallest first, whatever the prices.
#[derive(Default)]
struct HeapFront(BinaryHeap<Reverse<(u32, CellIndex)>>);

impl Front for HeapFront {
    fn push(&mut self, value: f32, cell: CellIndex) {
        self.0.push(Reverse((value.to_bits(), cell)));
    }

    fn pop(&mut self) -> Option<(u32, CellIndex)> {
        self.0.pop().map(|Reverse(entry)| entry)
    }
}

/// Buckets that a front passes through in turn; as many as a power of two.
const BUCKETS: u64 = 64;
/// The width of a bucket in cells: just below the 1 / sqrt 2 that a two-sided update adds at least.
const BUCKET_CELLS: f64 = 0.7;

/// Buckets: constant time, in order up to the width of a bucket. Marching corrects what comes out of order.
struct BucketFront {
    buckets: Vec<Vec<(u32, CellIndex)>>,
    per_bucket: f64,
    /// The bucket being emptied, counted from value 0.
    current: u64,
    held: u64,
}

impl BucketFront {
    /// Whether there are enough buckets for values that lie at most `spread` apart.
    fn can_hold(cell_m: f64, spread: f64) -> bool {
        // A value may lie `spread` above the current bucket's upper edge.
        spread < BUCKET_CELLS * cell_m * (BUCKETS - 2) as f64
    }

    fn new(cell_m: f64) -> Self {
        let per_bucket = 1.0 / (BUCKET_CELLS * cell_m);
        Self { buckets: vec![Vec::new(); BUCKETS as usize], per_bucket, current: 0, held: 0 }
    }
}

impl Front for BucketFront {
    #[inline]
    fn push(&mut self, value: f32, cell: CellIndex) {
        let bucket =
            ((f64::from(value) * self.per_bucket) as u64).clamp(self.current, self.current + BUCKETS - 1);
        self.buckets[(bucket % BUCKETS) as usize].push((value.to_bits(), cell));
        self.held += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, CellIndex)> {
        if self.held == 0 {
            return None;
        }
        loop {
            if let Some(entry) = self.buckets[(self.current % BUCKETS) as usize].pop() {
                self.held -= 1;
                return Some(entry);
            }
            self.current += 1;
        }
    }
}

/// Fast marching (Sethian 1996), label-correcting: the smallest value first, and whatever a change unsettles again.
pub(super) fn marching(transition: &Transition, goals: &[CellIndex]) -> Vec<f32> {
    let dearest = transition.price.values.iter().copied().fold(1.0, f32::max);
    let spread = f64::from(dearest) * transition.cell_m();
    if BucketFront::can_hold(transition.cell_m(), spread) {
        march(transition, goals, || BucketFront::new(transition.cell_m()))
    } else {
        march(transition, goals, HeapFront::default)
    }
}

fn march<F: Front>(transition: &Transition, goals: &[CellIndex], front: impl Fn() -> F) -> Vec<f32> {
    let mut eikonal = Eikonal::new(transition, goals);
    let mut changed = goals.to_vec();
    // One round does it but for a value that rose again: what depended on it may not have been asked.
    while !changed.is_empty() {
        let mut front = front();
        changed.sort_by(|&a, &b| eikonal.distance[a as usize].total_cmp(&eikonal.distance[b as usize]));
        for &cell in &changed {
            front.push(eikonal.distance[cell as usize], cell);
        }
        advance(&mut eikonal, &mut front);
        changed = eikonal.unsettled();
    }
    eikonal.distance
}

fn advance(eikonal: &mut Eikonal<'_>, front: &mut impl Front) {
    while let Some((bits, cell)) = front.pop() {
        let here = eikonal.distance[cell as usize];
        if bits != here.to_bits() {
            continue;
        }
        for next in eikonal.around(cell) {
            // What is smaller does not depend on what has come down to here.
            if eikonal.distance[next as usize] > here && eikonal.replace(next) {
                front.push(eikonal.distance[next as usize], next);
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
