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
            return self.round_ring(cell, step);
        }
        cell.wrapping_add_signed(self.offsets[step])
    }

    /// Apart, so that the way over a plane stays short.
    #[cold]
    #[inline(never)]
    fn round_ring(&self, cell: CellIndex, step: usize) -> CellIndex {
        let (dx, dy) = Step::ALL[step].delta();
        self.frame.neighbour(cell, dx, dy).expect("the step stays on the grid")
    }
}

/// The steps that lead into every cell.
#[derive(Debug)]
pub(super) struct Hops<'a> {
    table: HopTable,
    entering: &'a [u8],
}

/// The bits of the straight steps.
pub(super) const STRAIGHT: u8 = 0b1111;

/// The numbers of the bits that are set, in order.
#[inline]
pub(super) fn bits(mut set: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then_some(set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        bit
    })
}

/// The number of the step back.
#[inline]
pub(super) fn back(step: usize) -> usize {
    (step & 4) | ((step + 2) & 3)
}

/// For every cell a bit per step back, from whose end a legal step leads to it.
pub(super) fn entering(frame: GridFrame, legal: &[u8]) -> Vec<u8> {
    let table = HopTable::new(frame);
    let mut entering = vec![0; legal.len()];
    for (cell, &legal) in legal.iter().enumerate() {
        for step in (0..8).filter(|step| legal & (1 << step) != 0) {
            entering[table.to(cell as u32, step) as usize] |= 1 << back(step);
        }
    }
    entering
}

impl<'a> Hops<'a> {
    pub(super) fn new(moves: &'a Moves) -> Self {
        Self { table: HopTable::new(moves.frame()), entering: moves.entering() }
    }

    /// How many cells there are.
    pub(super) fn cells(&self) -> usize {
        self.entering.len()
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
