//! Problems with exact solutions, for tests and for `examples/convergence.rs`.

use throng::base::Workers;
use throng::field::{Field, Guidance, Transition};
use throng::space::{Grid, GridFrame};

/// A square of `n` + 1 points a side with a speed that grows linearly, and one goal among them.
pub(crate) struct Square {
    pub(crate) n: u32,
    /// Metres.
    pub(crate) side: f64,
    /// Its column and row.
    pub(crate) goal: (u32, u32),
    /// How fast the speed grows in x and y.
    pub(crate) slope: (f64, f64),
}

const CELL: i32 = 1000;

impl Square {
    fn place(&self, column: u32, row: u32) -> (f64, f64) {
        let h = self.side / f64::from(self.n);
        (f64::from(column) * h, f64::from(row) * h)
    }

    fn speed(&self, (x, y): (f64, f64)) -> f64 {
        1.0 + self.slope.0 * x + self.slope.1 * y
    }

    /// Travel time to the goal where speed is linear: rays are arcs of circles (Slotnick 1959).
    fn exact(&self, at: (f64, f64)) -> f64 {
        let goal = self.place(self.goal.0, self.goal.1);
        let squared = (at.0 - goal.0) * (at.0 - goal.0) + (at.1 - goal.1) * (at.1 - goal.1);
        let growth = self.slope.0 * self.slope.0 + self.slope.1 * self.slope.1;
        if growth == 0.0 {
            return squared.sqrt();
        }
        let bend = growth * squared / (2.0 * self.speed(at) * self.speed(goal));
        libm::acosh(1.0 + bend) / growth.sqrt()
    }

    /// Of all points, for distances to the goal solved as the guidance says.
    pub(crate) fn largest_error(&self, guidance: &Guidance) -> f64 {
        let frame = GridFrame { columns: self.n + 1, rows: self.n + 1, cell: CELL, ring: false };
        let cells = 0..frame.len() as u32;
        let place = |cell: u32| {
            let (column, row) = frame.column_row(cell);
            self.place(column, row)
        };
        let speed = Grid { frame, values: cells.clone().map(|c| self.speed(place(c)) as f32).collect() };
        let goal = self.goal.1 * frame.columns + self.goal.0;
        let transition = Transition::from_speeds(&speed, guidance);
        let field = Field::build(transition, &[goal], guidance, &Workers::new(1));
        let scale = self.side / f64::from(self.n) / 0.01;
        let error =
            |c: u32| (field.distance(c).expect("every cell is open") * scale - self.exact(place(c))).abs();
        cells.map(error).fold(0.0, f64::max)
    }
}
