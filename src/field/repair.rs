//! Repair of distances: after a change of moves or prices, only what depends on it is solved again.
//!
//! A distance is the one solution of `D = F(D)`, in which a cell depends only on smaller values. So first all is forgotten
//! that has become too small or depends on what was forgotten (as in the raise waves of D*, Stentz 1995); what remains is
//! nowhere too small, and marching on from its rim ends in the same bits as a full solution.

use crate::space::CellIndex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// `D = F(D)` with the values so far; 0 is kept for goals.
pub(super) trait Equation {
    /// The value so far.
    fn value(&self, cell: CellIndex) -> f64;
    /// `F(D)` of a cell.
    fn update(&self, cell: CellIndex) -> f64;
    /// Gives a cell a value.
    fn set(&mut self, cell: CellIndex, value: f64);
    /// Appends the cells whose update may depend on `cell`.
    fn push_around(&self, cell: CellIndex, cells: &mut Vec<CellIndex>);
}

/// Solves the equation again where it was solved but for `changed`, the cells whose moves or price differ. Returns the cells
/// whose values were touched, in order.
pub(super) fn repair(equation: &mut impl Equation, changed: &[CellIndex]) -> Vec<CellIndex> {
    let mut suspects = changed.to_vec();
    changed.iter().for_each(|&cell| equation.push_around(cell, &mut suspects));
    let mut touched = forget(equation, suspects.clone());
    suspects.extend(&touched);
    loop {
        suspects.sort_unstable();
        suspects.dedup();
        let mut front = BinaryHeap::new();
        for &cell in &suspects {
            replace(equation, cell, &mut front);
        }
        if front.is_empty() {
            break;
        }
        let from = touched.len();
        touched.extend(front.iter().map(|Reverse((_, cell))| *cell));
        march(equation, front, &mut touched);
        // One round does it but for a value that rose again: what depended on it may not have been asked.
        suspects = touched[from..].to_vec();
        touched[from..].iter().for_each(|&cell| equation.push_around(cell, &mut suspects));
    }
    touched.sort_unstable();
    touched.dedup();
    touched
}

/// Forgets every value among the suspects that is too small now, and whatever depended on it; returns those cells.
fn forget(equation: &mut impl Equation, mut suspects: Vec<CellIndex>) -> Vec<CellIndex> {
    let mut forgotten = Vec::new();
    while let Some(cell) = suspects.pop() {
        let value = equation.value(cell);
        if value.is_finite() && equation.update(cell) > value {
            equation.set(cell, f64::INFINITY);
            forgotten.push(cell);
            equation.push_around(cell, &mut suspects);
        }
    }
    forgotten
}

/// Values not yet passed on. They are not negative, so their bits sort like them.
type Front = BinaryHeap<Reverse<(u64, CellIndex)>>;

fn replace(equation: &mut impl Equation, cell: CellIndex, front: &mut Front) {
    let value = equation.update(cell);
    if value.to_bits() != equation.value(cell).to_bits() {
        equation.set(cell, value);
        front.push(Reverse((value.to_bits(), cell)));
    }
}

/// Passes values on, smallest first, and lists the cells that changed.
fn march(equation: &mut impl Equation, mut front: Front, touched: &mut Vec<CellIndex>) {
    let mut around = Vec::new();
    while let Some(Reverse((bits, cell))) = front.pop() {
        let here = equation.value(cell);
        if bits != here.to_bits() {
            continue;
        }
        around.clear();
        equation.push_around(cell, &mut around);
        for &next in &around {
            // What is smaller does not depend on what has come down to here.
            let before = front.len();
            if equation.value(next) > here {
                replace(equation, next, &mut front);
            }
            if front.len() > before {
                touched.push(next);
            }
        }
    }
}
