//! Steps as differences of cell indices, and the steps that lead into a cell: what solvers walk along.

use super::transition::{Moves, Step};
use crate::space::{CellIndex, GridFrame};

/// The cell that a step leads to, for steps that are known to stay on the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct HopTable {
    offsets: [i32; 8],
    frame: GridFrame,
}

impl HopTable {
    pub(super) fn new(frame: GridFrame) -> Self {
        let offset = |step: Step| step.delta().1 * frame.columns as i32 + step.delta().0;
        Self { offsets: Step::ALL.map(offset), frame }
    }

    /// Where `Step::ALL[step]` leads.
    #[inline]
    pub(super) fn to(&self, cell: CellIndex, step: usize) -> CellIndex {
        if self.frame.ring {
            let (dx, dy) = Step::ALL[step].delta();
            return self.frame.neighbour(cell, dx, dy).expect("the step stays on the grid");
        }
        cell.wrapping_add_signed(self.offsets[step])
    }
}

/// The steps that lead into every cell.
#[derive(Debug)]
pub(super) struct Hops {
    table: HopTable,
    /// A bit per step back, from whose end a legal step leads here.
    entering: Vec<u8>,
}

/// The number of the step back.
#[inline]
pub(super) fn back(step: usize) -> usize {
    (step & 4) | ((step + 2) & 3)
}

impl Hops {
    pub(super) fn new(moves: &Moves) -> Self {
        let table = HopTable::new(moves.frame());
        let mut entering = vec![0; moves.frame().len()];
        for cell in 0..moves.frame().len() as u32 {
            let legal = moves.legal_steps(cell);
            for step in (0..8).filter(|step| legal & (1 << step) != 0) {
                entering[table.to(cell, step) as usize] |= 1 << back(step);
            }
        }
        Self { table, entering }
    }

    pub(super) fn table(&self) -> HopTable {
        self.table
    }

    /// Where a legal step leads.
    #[inline]
    pub(super) fn to(&self, cell: CellIndex, step: usize) -> CellIndex {
        self.table.to(cell, step)
    }

    /// A bit per step back from `cell`, from whose end a legal step leads to it.
    #[inline]
    pub(super) fn entering(&self, cell: CellIndex) -> u8 {
        self.entering[cell as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_and_its_step_back_cancel() {
        for (i, step) in Step::ALL.into_iter().enumerate() {
            let (dx, dy) = step.delta();
            assert_eq!(Step::ALL[back(i)].delta(), (-dx, -dy));
        }
    }
}
