//! Clearance: the true distance from a cell's centre to the nearest wall.

use super::grid::{Grid, GridFrame};
use super::terrain::Terrain;

/// The clearance of every cell in units, rounded down, and at most `cap`; 0 where a centre may not stand.
///
/// Each wall is drawn into the cells around it, so the cost grows with wall length times `cap`, not with the area.
pub fn clearance_grid(terrain: &Terrain, frame: GridFrame, cap: i32) -> Grid<u32> {
    let mut grid = Grid::filled(frame, cap.unsigned_abs());
    for wall in terrain.walls().walls() {
        let bounds = wall.bounds();
        let first = |low: i32| i64::from(low - cap).div_euclid(i64::from(frame.cell));
        let last = |high: i32| i64::from(high + cap).div_euclid(i64::from(frame.cell));
        // Walls of a ring are there three times over, so columns need not wrap here.
        for row in first(bounds.min.y).max(0)..=last(bounds.max.y).min(i64::from(frame.rows) - 1) {
            for column in first(bounds.min.x).max(0)..=last(bounds.max.x).min(i64::from(frame.columns) - 1) {
                let cell = row as u32 * frame.columns + column as u32;
                grid[cell] = grid[cell].min(wall.distance(frame.centre(cell)));
            }
        }
    }
    close_solid_cells(terrain, &mut grid);
    grid
}

fn close_solid_cells(terrain: &Terrain, grid: &mut Grid<u32>) {
    let frame = grid.frame;
    for row in 0..frame.rows {
        let mut known = None;
        for column in 0..frame.columns {
            let cell = row * frame.columns + column;
            // Far from every wall a cell is like its neighbour; only next to walls does membership change.
            let like_before = known.filter(|_| grid[cell] as i32 > frame.cell);
            let open = like_before.unwrap_or_else(|| terrain.contains(frame.centre(cell)));
            known = Some(open);
            if !open {
                grid[cell] = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Frame, Point};
    use crate::space::{Area, Rect, Shape};
    use std::sync::Arc;

    #[test]
    fn clearance_is_the_distance_to_the_nearest_wall() {
        let ring = |x0, y0, x1, y1| Rect { min: Point::new(x0, y0), max: Point::new(x1, y1) }.ring();
        let pillar = Shape::Polygon(vec![ring(400, 400, 600, 600)]);
        let area =
            Area::from_polygons(Frame::default(), &[vec![ring(0, 0, 1000, 1000)]], vec![pillar], false)
                .unwrap();
        let terrain = Terrain::new(Arc::new(area), vec![], 500);
        let frame = GridFrame { columns: 11, rows: 10, cell: 100, ring: false };
        let grid = clearance_grid(&terrain, frame, 300);
        for cell in 0..frame.len() as u32 {
            let centre = frame.centre(cell);
            let expected = terrain.walls().clearance(centre).unwrap().min(300);
            let expected = if terrain.contains(centre) { expected } else { 0 };
            assert_eq!(grid[cell], expected, "{centre:?}");
        }
    }
}
