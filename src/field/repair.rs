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
/// whose values were touched, some of them more than once; `None` where that would be more than `most`, so that a full
/// solution is cheaper.
pub(super) fn repair(
    equation: &mut impl Equation,
    changed: &[CellIndex],
    most: usize,
) -> Option<Vec<CellIndex>> {
    let mut suspects = changed.to_vec();
    changed.iter().for_each(|&cell| equation.push_around(cell, &mut suspects));
    let mut touched = forget(equation, suspects.clone(), most)?;
    suspects.extend(&touched);
    loop {
        suspects.sort_unstable();
        suspects.dedup();
        let mut front = BinaryHeap::new();
        for &cell in &suspects {
            replace(equation, cell, &mut front);
        }
        if front.is_empty() {
            return Some(touched);
        }
        let from = touched.len();
        touched.extend(front.iter().map(|Reverse((_, cell))| *cell));
        // Cells are touched when they are forgotten and when they are found again.
        if !march(equation, front, &mut touched, 2 * most) {
            return None;
        }
        // One round does it but for a value that rose again: what depended on it may not have been asked.
        suspects = touched[from..].to_vec();
        touched[from..].iter().for_each(|&cell| equation.push_around(cell, &mut suspects));
    }
}

/// Forgets every value among the suspects that is too small now, and whatever depended on it; returns those cells, if there
/// are at most so many.
fn forget(equation: &mut impl Equation, mut suspects: Vec<CellIndex>, most: usize) -> Option<Vec<CellIndex>> {
    let mut forgotten = Vec::new();
    while let Some(cell) = suspects.pop() {
        let value = equation.value(cell);
        if value.is_finite() && equation.update(cell) > value {
            equation.set(cell, f64::INFINITY);
            forgotten.push(cell);
            if forgotten.len() > most {
                return None;
            }
            equation.push_around(cell, &mut suspects);
        }
    }
    Some(forgotten)
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

/// Passes values on, smallest first, and lists the cells that changed, as long as the list holds at most so many.
fn march(equation: &mut impl Equation, mut front: Front, touched: &mut Vec<CellIndex>, most: usize) -> bool {
    let mut around = Vec::new();
    while let Some(Reverse((bits, cell))) = front.pop() {
        let here = equation.value(cell);
        if bits != here.to_bits() {
            continue;
        }
        if touched.len() > most {
            return false;
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
    true
}
