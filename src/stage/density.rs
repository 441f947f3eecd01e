//! `density`: people per square metre on coarse cells, and the congestion price that follows from it.

use crate::base::Point;
use crate::space::{Grid, GridFrame};
use serde::{Deserialize, Serialize};

/// Units; the side of a density cell.
pub const DENSITY_CELL: i32 = 100_000;

/// Congestion levels per cell: level `k` stands for a density of `k / 2` per square metre.
///
/// A level changes only where the density has left its band by a quarter of a level, so that routes do not flap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Congested {
    /// Levels, row by row.
    pub levels: Grid<u8>,
    /// Raised whenever a level changes.
    pub version: u32,
}

/// Levels per person and square metre.
const LEVELS_PER_DENSITY: f32 = 2.0;
/// The highest level: 5 per square metre.
const LEVEL_MAX: f32 = 10.0;
/// Levels by which a density must leave its band before the level follows.
const HYSTERESIS: f32 = 0.75;

impl Congested {
    /// Nobody anywhere.
    pub fn new(cells: GridFrame) -> Self {
        Self { levels: Grid::filled(cells, 0), version: 0 }
    }

    /// The factor on travel time at `point`, at least 1.
    pub fn price(&self, table: &[f32], point: Point) -> f32 {
        self.levels.frame.cell_at(point).map_or(1.0, |cell| table[usize::from(self.levels[cell])])
    }

    /// Lets levels follow the density; raises the version where one changed.
    pub fn update(&mut self, density: &Grid<f32>) {
        let mut changed = false;
        for (level, &d) in self.levels.values.iter_mut().zip(&density.values) {
            let wanted = (d * LEVELS_PER_DENSITY).min(LEVEL_MAX);
            if (wanted - f32::from(*level)).abs() > HYSTERESIS {
                let followed = (wanted + 0.5) as u8;
                changed |= followed != *level;
                *level = followed;
            }
        }
        self.version += u32::from(changed);
    }
}

/// The factor on travel time for each level: free speed over the speed at that density by Weidmann (1993),
/// `v = v0 (1 - exp(-1.913 (1/rho - 1/5.4)))`. Uses `libm`; made once at load.
pub fn price_table() -> Vec<f32> {
    (0..=LEVEL_MAX as u32)
        .map(|level| {
            let density = f64::from(level) / f64::from(LEVELS_PER_DENSITY);
            if level == 0 {
                return 1.0;
            }
            let share = 1.0 - libm::exp(-1.913 * (1.0 / density - 1.0 / 5.4));
            (1.0 / share.max(0.1)) as f32
        })
        .collect()
}

/// The frame of density cells that covers a guidance grid.
pub fn density_frame(guidance: GridFrame) -> GridFrame {
    let cells = |n: u32| {
        let length = i64::from(n) * i64::from(guidance.cell);
        (length / i64::from(DENSITY_CELL) + 1) as u32
    };
    GridFrame {
        columns: cells(guidance.columns),
        rows: cells(guidance.rows),
        cell: DENSITY_CELL,
        ring: false,
    }
}

/// People per square metre: each counts in the cells around it with bilinear weights, in row order.
pub fn run(positions: &[Point], density: &mut Grid<f32>) {
    let frame = density.frame;
    density.values.fill(0.0);
    let side = frame.cell as f32;
    for &point in positions {
        let (x, y) = (point.x - frame.cell / 2, point.y - frame.cell / 2);
        let (column, row) = (x.div_euclid(frame.cell), y.div_euclid(frame.cell));
        let (u, v) = (x.rem_euclid(frame.cell) as f32 / side, y.rem_euclid(frame.cell) as f32 / side);
        let corners =
            [(0, 0, (1.0 - u) * (1.0 - v)), (1, 0, u * (1.0 - v)), (0, 1, (1.0 - u) * v), (1, 1, u * v)];
        for (dx, dy, weight) in corners {
            if let Some(cell) = frame.index(i64::from(column + dx), i64::from(row + dy)) {
                density[cell] += weight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_counts_once_away_from_the_rim() {
        let frame = GridFrame { columns: 5, rows: 5, cell: DENSITY_CELL, ring: false };
        let mut density = Grid::filled(frame, 0.0);
        run(&[Point::new(230_000, 210_000), Point::new(250_000, 250_000)], &mut density);
        assert!((density.values.iter().sum::<f32>() - 2.0).abs() < 1e-6);
        assert!(density[12] > 1.0);
    }

    #[test]
    fn levels_follow_with_hysteresis() {
        let frame = GridFrame { columns: 1, rows: 1, cell: DENSITY_CELL, ring: false };
        let mut congested = Congested::new(frame);
        let mut at = |d: f32| {
            congested.update(&Grid { frame, values: vec![d] });
            (congested.levels.values[0], congested.version)
        };
        assert_eq!(at(0.3), (0, 0));
        assert_eq!(at(1.0), (2, 1));
        assert_eq!(at(1.3), (2, 1));
        assert_eq!(at(1.5), (3, 2));
        assert_eq!(at(99.0), (10, 3));
    }

    #[test]
    fn prices_rise_with_density() {
        let table = price_table();
        assert_eq!(table[0].to_bits(), 1.0_f32.to_bits());
        assert!(table.windows(2).all(|w| w[0] < w[1] || w[1] >= 9.9));
        assert!((table[4] - 1.34 / 0.61).abs() < 0.05, "{table:?}");
    }
}
