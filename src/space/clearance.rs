//! Clearance: the true distance from a cell's centre to the nearest wall.

use super::grid::{Grid, GridFrame};
use super::rect::Rect;
use super::terrain::Terrain;
use std::ops::Range;

/// The clearance of every cell in units, rounded down, and at most `cap`; 0 where a centre may not stand.
///
/// Each wall is drawn into the cells around it, so the cost grows with wall length times `cap`, not with the area.
pub fn clearance_grid(terrain: &Terrain, frame: GridFrame, cap: i32) -> Grid<u32> {
    let mut grid = Grid::filled(frame, cap.unsigned_abs());
    let whole = (0..frame.columns, 0..frame.rows);
    draw_walls(terrain, cap, &whole, &mut grid);
    close_solid_cells(terrain, &whole, &mut grid);
    grid
}

/// Brings a clearance grid up to date where walls have changed only within the box `changed`; on a plane. The values are
/// those of [`clearance_grid`], at a cost that grows with the box and the number of walls.
pub fn repair_clearance(terrain: &Terrain, cap: i32, changed: Rect, grid: &mut Grid<u32>) {
    let frame = grid.frame;
    let near = changed.grown(cap);
    let span = |low: i32, high: i32, cells: u32| {
        let bound = |v: i32| v.div_euclid(frame.cell).clamp(0, cells as i32) as u32;
        bound(low)..bound(high.saturating_add(frame.cell))
    };
    let part = (span(near.min.x, near.max.x, frame.columns), span(near.min.y, near.max.y, frame.rows));
    for row in part.1.clone() {
        for column in part.0.clone() {
            grid[row * frame.columns + column] = cap.unsigned_abs();
        }
    }
    draw_walls(terrain, cap, &part, grid);
    close_solid_cells(terrain, &part, grid);
}

/// Columns and rows of a part of a grid.
type Part = (Range<u32>, Range<u32>);

fn draw_walls(terrain: &Terrain, cap: i32, part: &Part, grid: &mut Grid<u32>) {
    let frame = grid.frame;
    let span = |low: i32, high: i32, part: &Range<u32>| {
        let first = i64::from(low - cap).div_euclid(i64::from(frame.cell));
        let last = i64::from(high + cap).div_euclid(i64::from(frame.cell));
        first.max(i64::from(part.start))..(last + 1).min(i64::from(part.end))
    };
    for wall in terrain.walls().walls() {
        let bounds = wall.bounds();
        // Walls of a ring are there three times over, so columns need not wrap here.
        for row in span(bounds.min.y, bounds.max.y, &part.1) {
            for column in span(bounds.min.x, bounds.max.x, &part.0) {
                let cell = row as u32 * frame.columns + column as u32;
                grid[cell] = grid[cell].min(wall.distance(frame.centre(cell)));
            }
        }
    }
}

fn close_solid_cells(terrain: &Terrain, part: &Part, grid: &mut Grid<u32>) {
    let frame = grid.frame;
    for row in part.1.clone() {
        let mut known = None;
        for column in part.0.clone() {
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
