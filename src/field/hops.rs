//! What solvers walk along: the legal steps between places, as differences of indices.
//!
//! A place is a cell's index in memory. In rows it is the cell itself. A front that marches over a large map touches every
//! row, each on a page of its own, so marching lays the cells out in blocks first.

use super::transition::{Moves, Step, Transition};
use crate::space::{CellIndex, GridFrame};

/// A cell's index in memory.
pub(super) type Place = u32;

/// The bits of the straight steps.
pub(super) const STRAIGHT: u8 = 0b1111;

/// The numbers of the bits that are set, in order.
#[inline]
pub(super) fn steps_in(mut set: u8) -> impl Iterator<Item = usize> {
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
    let rows = Rows::new(frame);
    let mut entering = vec![0; legal.len()];
    for (cell, &legal) in legal.iter().enumerate() {
        let hops = rows.hops(cell as u32);
        for step in steps_in(legal) {
            entering[to(hops, cell as u32, step) as usize] |= 1 << back(step);
        }
    }
    entering
}

/// How far on in memory each step leads, for steps that stay on the grid.
pub(super) type HopTable = [i32; 8];

/// Where `Step::ALL[step]` leads.
#[inline]
pub(super) fn to(hops: &HopTable, place: Place, step: usize) -> Place {
    place.wrapping_add_signed(hops[step])
}

/// How cells lie in memory.
pub(super) trait Layout {
    /// The hops from a place.
    fn hops(&self, place: Place) -> &HopTable;
}

/// Hops for steps that lead on by so much to the west, to the east, to the south and to the north.
fn hop_table([west, east, south, north]: [i32; 4]) -> HopTable {
    let along = |v: i32, back: i32, on: i32| [back, 0, on][(v + 1) as usize];
    Step::ALL.map(Step::delta).map(|(dx, dy)| along(dx, west, east) + along(dy, south, north))
}

/// Row by row: places are cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// Hops from cells inside, and on a ring from the first and from the last column.
    tables: [HopTable; 3],
    frame: GridFrame,
}

impl Rows {
    pub(super) fn new(frame: GridFrame) -> Self {
        let columns = frame.columns as i32;
        let table = |west, east| hop_table([west, east, -columns, columns]);
        Self { tables: [table(-1, 1), table(columns - 1, 1), table(-1, 1 - columns)], frame }
    }
}

impl Layout for Rows {
    #[inline]
    fn hops(&self, place: Place) -> &HopTable {
        if !self.frame.ring {
            return &self.tables[0];
        }
        match place % self.frame.columns {
            0 => &self.tables[1],
            column if column + 1 == self.frame.columns => &self.tables[2],
            _ => &self.tables[0],
        }
    }
}

/// Cells along the side of a block: the distances of one fill a page of memory.
const SIDE: u32 = 32;
const BLOCK: u32 = SIDE * SIDE;
/// Where a column lies: inside its block, in the first or the last one of it, or at the seam of a ring.
const COLUMN_KINDS: usize = 5;
const ROW_KINDS: usize = 3;

/// Block by block of 32 x 32 cells, row by row in each; filled up with places that no step leads to.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    tables: [[HopTable; COLUMN_KINDS]; ROW_KINDS],
    frame: GridFrame,
    /// Blocks from west to east.
    across: u32,
}

impl Blocks {
    pub(super) fn new(frame: GridFrame) -> Self {
        let across = frame.columns.div_ceil(SIDE);
        let (side, block, band) = (SIDE as i32, BLOCK as i32, (across * BLOCK) as i32);
        let (over_east, over_north) = (block - (side - 1), band - (side - 1) * side);
        let last = frame.columns - 1;
        let round = (last / SIDE * BLOCK + last % SIDE) as i32;
        let east_of_last = if last.is_multiple_of(SIDE) { -over_east } else { -1 };
        let to_sides = [(-1, 1), (-over_east, 1), (-1, over_east), (round, 1), (east_of_last, -round)];
        let to_ends = [(-side, side), (-over_north, side), (-side, over_north)];
        let tables =
            to_ends.map(|(south, north)| to_sides.map(|(west, east)| hop_table([west, east, south, north])));
        Self { tables, frame, across }
    }

    /// The place of a cell.
    pub(super) fn place(&self, cell: CellIndex) -> Place {
        let (x, y) = self.frame.column_row(cell);
        (y / SIDE * self.across + x / SIDE) * BLOCK + y % SIDE * SIDE + x % SIDE
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        (self.frame.rows.div_ceil(SIDE) * self.across * BLOCK) as usize
    }

    /// Pieces of rows that lie together in rows and in blocks: the first cell, its place, and how many.
    fn pieces(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let columns = self.frame.columns;
        let row = move |y: u32| (0..columns).step_by(SIDE as usize).map(move |x| (x, y));
        (0..self.frame.rows).flat_map(row).map(move |(x, y)| {
            let cell = y * columns + x;
            (cell as usize, self.place(cell) as usize, SIDE.min(columns - x) as usize)
        })
    }

    /// Values of cells, laid out in blocks; `filler` where no cell is.
    pub(super) fn lay_out<T: Copy>(&self, cells: &[T], filler: T) -> Vec<T> {
        let mut places = vec![filler; self.places()];
        for (cell, place, len) in self.pieces() {
            places[place..place + len].copy_from_slice(&cells[cell..cell + len]);
        }
        places
    }

    /// Values of places, back in rows.
    pub(super) fn gather<T: Copy + Default>(&self, places: &[T]) -> Vec<T> {
        let mut cells = vec![T::default(); self.frame.len()];
        for (cell, place, len) in self.pieces() {
            cells[cell..cell + len].copy_from_slice(&places[place..place + len]);
        }
        cells
    }

    /// At the seam of a ring.
    fn seam_kind(&self, place: Place) -> Option<usize> {
        let column = place / BLOCK % self.across * SIDE + place % SIDE;
        match column {
            0 => Some(3),
            column if column + 1 == self.frame.columns => Some(4),
            _ => None,
        }
    }
}

impl Layout for Blocks {
    #[inline]
    fn hops(&self, place: Place) -> &HopTable {
        let kind = |v: u32| usize::from(v == 0) + 2 * usize::from(v == SIDE - 1);
        let (mut column, row) = (kind(place % SIDE), kind(place / SIDE % SIDE));
        if self.frame.ring {
            column = self.seam_kind(place).unwrap_or(column);
        }
        &self.tables[row][column]
    }
}

/// The legal steps between places, and what a metre costs in each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground<'a, L> {
    pub(super) layout: L,
    /// A bit per legal step from a place.
    pub(super) legal: &'a [u8],
    /// A bit per step back from a place, from whose end a legal step leads to it.
    pub(super) entering: &'a [u8],
    /// `None` where a metre costs 1 everywhere.
    pub(super) price: Option<&'a [f32]>,
}

impl<L> Ground<'_, L> {
    #[inline]
    pub(super) fn price(&self, place: Place) -> f32 {
        self.price.map_or(1.0, |price| price[place as usize])
    }
}

impl<'a> Ground<'a, Rows> {
    pub(super) fn in_rows(transition: &'a Transition) -> Self {
        let moves: &Moves = &transition.moves;
        Self {
            layout: Rows::new(moves.frame()),
            legal: moves.legal_steps(),
            entering: moves.entering(),
            price: Some(&transition.price.values),
        }
    }
}

/// A ground laid out in blocks.
#[derive(Debug)]
pub(super) struct BlockGround {
    pub(super) blocks: Blocks,
    legal: Vec<u8>,
    entering: Vec<u8>,
    price: Option<Vec<f32>>,
}

impl BlockGround {
    pub(super) fn new(transition: &Transition) -> Self {
        let blocks = Blocks::new(transition.moves.frame());
        let price = &transition.price.values;
        let is_even = price.iter().all(|p| p.to_bits() == 1.0_f32.to_bits());
        Self {
            legal: blocks.lay_out(transition.moves.legal_steps(), 0),
            entering: blocks.lay_out(transition.moves.entering(), 0),
            price: (!is_even).then(|| blocks.lay_out(price, 1.0)),
            blocks,
        }
    }

    /// The highest price, at least 1.
    pub(super) fn dearest(&self) -> f32 {
        self.price.iter().flatten().copied().fold(1.0, f32::max)
    }

    pub(super) fn ground(&self) -> Ground<'_, &Blocks> {
        Ground {
            layout: &self.blocks,
            legal: &self.legal,
            entering: &self.entering,
            price: self.price.as_deref(),
        }
    }
}

impl Layout for &Blocks {
    #[inline]
    fn hops(&self, place: Place) -> &HopTable {
        (*self).hops(place)
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

    #[test]
    fn hops_lead_to_the_neighbour_in_rows_and_in_blocks() {
        for (columns, rows) in [(1, 1), (3, 2), (31, 33), (32, 32), (33, 65), (64, 31), (97, 40)] {
            for ring in [false, columns > 2] {
                let frame = GridFrame { columns, rows, cell: 1000, ring };
                let (in_rows, blocks) = (Rows::new(frame), Blocks::new(frame));
                for cell in 0..frame.len() as u32 {
                    for (step, (dx, dy)) in Step::ALL.map(Step::delta).into_iter().enumerate() {
                        let Some(next) = frame.neighbour(cell, dx, dy) else { continue };
                        assert_eq!(to(in_rows.hops(cell), cell, step), next, "{frame:?} {cell} {step}");
                        let place = blocks.place(cell);
                        assert_eq!(to(blocks.hops(place), place, step), blocks.place(next), "{frame:?}");
                    }
                }
                let cells: Vec<u32> = (0..frame.len() as u32).collect();
                assert_eq!(blocks.gather(&blocks.lay_out(&cells, u32::MAX)), cells);
            }
        }
    }
}
