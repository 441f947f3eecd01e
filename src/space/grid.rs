//! Square cells over the plane, and values on them.

use super::rect::Rect;
use crate::base::Point;
use serde::{Deserialize, Serialize};

/// The index of a cell: `row * columns + column`, row 0 at the bottom.
pub type CellIndex = u32;

/// Where the cells of a grid lie: the lower left corner of cell 0 is the frame's origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridFrame {
    /// Cells in x.
    pub columns: u32,
    /// Cells in y.
    pub rows: u32,
    /// Units; the side of a cell.
    pub cell: i32,
    /// Whether column 0 follows the last column.
    pub ring: bool,
}

impl GridFrame {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Whether there is no cell at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Column and row of a cell.
    pub fn column_row(&self, index: CellIndex) -> (u32, u32) {
        (index % self.columns, index / self.columns)
    }

    /// The cell in `column` and `row`; on a ring, columns wrap.
    pub fn index(&self, column: i64, row: i64) -> Option<CellIndex> {
        let column = if self.ring { column.rem_euclid(i64::from(self.columns)) } else { column };
        let inside =
            (0..i64::from(self.columns)).contains(&column) && (0..i64::from(self.rows)).contains(&row);
        inside.then(|| row as u32 * self.columns + column as u32)
    }

    /// The neighbour of `index` by `dx` columns and `dy` rows.
    pub fn neighbour(&self, index: CellIndex, dx: i32, dy: i32) -> Option<CellIndex> {
        let (column, row) = self.column_row(index);
        self.index(i64::from(column) + i64::from(dx), i64::from(row) + i64::from(dy))
    }

    /// The centre of a cell (rounded down where the side is an odd number of units).
    pub fn centre(&self, index: CellIndex) -> Point {
        let (column, row) = self.column_row(index);
        Point::new(column as i32 * self.cell + self.cell / 2, row as i32 * self.cell + self.cell / 2)
    }

    /// The cell that holds `point`; lower and left edges belong to a cell. `None` off the grid.
    pub fn cell_at(&self, point: Point) -> Option<CellIndex> {
        self.index(i64::from(point.x.div_euclid(self.cell)), i64::from(point.y.div_euclid(self.cell)))
    }

    /// The cells that share a place with a box, in order; where it lies off the grid, the nearest on the edge.
    pub fn cells_within(self, bounds: Rect) -> impl Iterator<Item = CellIndex> {
        let span = move |low: i32, high: i32, cells: u32| {
            let clamp = |v: i32| v.div_euclid(self.cell).clamp(0, cells as i32 - 1) as u32;
            clamp(low)..=clamp(high)
        };
        span(bounds.min.y, bounds.max.y, self.rows).flat_map(move |row| {
            span(bounds.min.x, bounds.max.x, self.columns).map(move |column| row * self.columns + column)
        })
    }

    /// The cell that holds `point`, or the nearest one on the grid's edge.
    ///
    /// # Panics
    /// On a grid without cells.
    pub fn nearest_cell(&self, point: Point) -> CellIndex {
        let column = i64::from(point.x.div_euclid(self.cell));
        let column = if self.ring { column } else { column.clamp(0, i64::from(self.columns) - 1) };
        let row = i64::from(point.y.div_euclid(self.cell)).clamp(0, i64::from(self.rows) - 1);
        self.index(column, row).expect("column and row were clamped onto the grid")
    }
}

/// A value for each cell, row by row from the bottom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid<T> {
    /// Where the cells lie.
    pub frame: GridFrame,
    /// One value a cell.
    pub values: Vec<T>,
}

impl<T: Clone> Grid<T> {
    /// The same value everywhere.
    pub fn filled(frame: GridFrame, value: T) -> Self {
        Self { frame, values: vec![value; frame.len()] }
    }

    /// The values of a ring cut open and laid out, so many turns one after the other in x.
    #[must_use]
    pub fn unrolled(&self, turns: u32) -> Self {
        let rows = self.values.chunks(self.frame.columns.max(1) as usize);
        Self {
            frame: GridFrame { columns: self.frame.columns * turns, ring: false, ..self.frame },
            values: rows
                .flat_map(|row| std::iter::repeat_n(row, turns as usize).flatten().cloned())
                .collect(),
        }
    }
}

impl<T> std::ops::Index<CellIndex> for Grid<T> {
    type Output = T;

    fn index(&self, index: CellIndex) -> &T {
        &self.values[index as usize]
    }
}

impl<T> std::ops::IndexMut<CellIndex> for Grid<T> {
    fn index_mut(&mut self, index: CellIndex) -> &mut T {
        &mut self.values[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_their_lower_and_left_edges() {
        let frame = GridFrame { columns: 4, rows: 3, cell: 10, ring: false };
        assert_eq!(frame.cell_at(Point::new(10, 20)), Some(9));
        assert_eq!(frame.cell_at(Point::new(40, 0)), None);
        assert_eq!(frame.nearest_cell(Point::new(-5, 999)), 8);
        assert_eq!(frame.centre(9), Point::new(15, 25));
        let ring = GridFrame { ring: true, ..frame };
        assert_eq!(ring.neighbour(3, 1, 0), Some(0));
        assert_eq!(frame.neighbour(3, 1, 0), None);
    }
}
