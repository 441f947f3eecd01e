//! The walkable area as it always is: without doors and without what commands add.

use super::grid::Grid;
use super::rect::{Rect, Ring};
use super::shape::Shape;
use super::topology::Topology;
use super::wall::Wall;
use crate::base::{Frame, Point};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::core::simplify::Simplify;
use i_overlay::i_float::int::point::IntPoint;

/// The walkable area: where bodies may stand, and the walls around it.
#[derive(Clone, Debug)]
pub struct Area {
    /// Where the scenario's own coordinates lie.
    pub frame: Frame,
    /// Plane or ring.
    pub topology: Topology,
    walkable: Shape,
    obstacles: Vec<Shape>,
    walls: Vec<Wall>,
    bounds: Rect,
}

/// Why an area cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AreaError {
    /// There is no walkable place.
    #[error("the walkable area is empty")]
    Empty,
    /// A ring's left edge is not on a whole metre.
    #[error("a periodic area must begin at a whole metre in x")]
    RingStart,
}

impl Area {
    /// The union of `polygons` (each an outer ring and its holes, by the even-odd rule), less `obstacles`.
    /// On a `ring`, x is periodic over the width of the area, and its left and right ends are joined.
    ///
    /// # Errors
    /// If nothing is walkable, or a ring does not begin at x = 0 of the frame.
    ///
    /// **Determinism:** the union is computed in integers.
    pub fn from_polygons(
        frame: Frame,
        polygons: &[Vec<Ring>],
        obstacles: Vec<Shape>,
        ring: bool,
    ) -> Result<Self, AreaError> {
        let walkable = Shape::Polygon(union_of(polygons));
        let outline = walkable.edges();
        Self::build(frame, walkable, outline, obstacles, ring)
    }

    /// The open cells of a drawn map, less `obstacles`; everything beyond the map is solid.
    ///
    /// # Errors
    /// As for [`Area::from_polygons`].
    pub fn from_cells(
        frame: Frame,
        open: &Grid<bool>,
        obstacles: Vec<Shape>,
        ring: bool,
    ) -> Result<Self, AreaError> {
        let outline = cell_outline(open);
        Self::build(frame, Shape::Boxes(row_runs(open, |&o| o)), outline, obstacles, ring)
    }

    fn build(
        frame: Frame,
        walkable: Shape,
        outline: Vec<(Point, Point)>,
        obstacles: Vec<Shape>,
        ring: bool,
    ) -> Result<Self, AreaError> {
        let bounds = walkable.bounds().ok_or(AreaError::Empty)?;
        if ring && bounds.min.x != 0 {
            return Err(AreaError::RingStart);
        }
        let topology = Topology { period_x: ring.then_some(bounds.max.x) };
        let outline = if ring { without_seam(&outline, bounds.max.x) } else { outline };
        let obstacle_edges = obstacles.iter().flat_map(Shape::edges);
        let walls = outline.into_iter().chain(obstacle_edges).filter(|(a, b)| a != b);
        let walls = walls.map(|(a, b)| Wall { a, b, solid: None }).collect();
        Ok(Self { frame, topology, walkable, obstacles, walls, bounds })
    }

    /// Whether a centre may stand at `point`.
    pub fn contains(&self, point: Point) -> bool {
        let point = self.topology.wrap(point);
        self.walkable.contains(point) && !self.obstacles.iter().any(|o| o.contains(point))
    }

    /// The box around the area.
    pub fn bounds(&self) -> Rect {
        self.bounds
    }

    /// The walls that always stand.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// The outline before obstacles.
    pub fn walkable(&self) -> &Shape {
        &self.walkable
    }

    /// What stands in it.
    pub fn obstacles(&self) -> &[Shape] {
        &self.obstacles
    }
}

/// The rings of the union of polygons, each by the even-odd rule; overlaps and shared edges vanish.
pub(crate) fn union_of(polygons: &[Vec<Ring>]) -> Vec<Ring> {
    let to_int = |ring: &Ring| -> Vec<IntPoint<i64>> {
        ring.iter().map(|p| IntPoint::new(i64::from(p.x), i64::from(p.y))).collect()
    };
    let simple: Vec<_> = polygons
        .iter()
        .flat_map(|rings| {
            let shape: Vec<_> = rings.iter().map(to_int).collect();
            shape.simplify(FillRule::EvenOdd, IntOverlayOptions::default())
        })
        .collect();
    let mut overlay = Overlay::from_subj(&simple);
    let shapes = overlay.overlay(OverlayRule::Subject, FillRule::NonZero);
    let to_ring =
        |contour: &Vec<IntPoint<i64>>| contour.iter().map(|p| Point::new(p.x as i32, p.y as i32)).collect();
    shapes.iter().flatten().map(to_ring).collect()
}

/// The chosen cells as one box per run in a row, bottom row first.
pub(crate) fn row_runs<T>(cells: &Grid<T>, chosen: impl Fn(&T) -> bool) -> Vec<Rect> {
    let frame = cells.frame;
    let mut runs = Vec::new();
    for row in 0..frame.rows {
        let values = &cells.values[row as usize * frame.columns as usize..][..frame.columns as usize];
        let mut from = 0;
        for stretch in values.chunk_by(|a, b| chosen(a) == chosen(b)) {
            let to = from + stretch.len() as i32;
            if chosen(&stretch[0]) {
                let corner = |column: i32, row: i32| Point::new(column * frame.cell, row * frame.cell);
                runs.push(Rect { min: corner(from, row as i32), max: corner(to, row as i32 + 1) });
            }
            from = to;
        }
    }
    runs
}

/// The edges between open cells and anything else, joined into straight pieces.
fn cell_outline(open: &Grid<bool>) -> Vec<(Point, Point)> {
    let frame = open.frame;
    let is_open = |column: i64, row: i64| {
        let inside =
            (0..i64::from(frame.columns)).contains(&column) && (0..i64::from(frame.rows)).contains(&row);
        inside && open.values[row as usize * frame.columns as usize + column as usize]
    };
    let (columns, rows) = (i64::from(frame.columns), i64::from(frame.rows));
    let mut edges = Vec::new();
    // Along each grid line, an edge runs as long as the two sides differ.
    let mut trace =
        |lines: i64, steps: i64, differs: &dyn Fn(i64, i64) -> bool, corner: &dyn Fn(i64, i64) -> Point| {
            for line in 0..=lines {
                let mut from = None;
                for step in 0..=steps {
                    let edge = step < steps && differs(line, step);
                    match (edge, from) {
                        (true, None) => from = Some(step),
                        (false, Some(start)) => {
                            edges.push((corner(line, start), corner(line, step)));
                            from = None;
                        }
                        _ => {}
                    }
                }
            }
        };
    let corner = |column: i64, row: i64| Point::new(column as i32 * frame.cell, row as i32 * frame.cell);
    trace(columns, rows, &|x, y| is_open(x - 1, y) != is_open(x, y), &|x, y| corner(x, y));
    trace(rows, columns, &|y, x| is_open(x, y - 1) != is_open(x, y), &|y, x| corner(x, y));
    edges
}

/// Joins the ends of a ring: of the edges on x = 0 and x = `period`, only what has no partner on the other side stays.
fn without_seam(edges: &[(Point, Point)], period: i32) -> Vec<(Point, Point)> {
    let on = |x: i32| move |e: &&(Point, Point)| e.0.x == x && e.1.x == x;
    let spans = |x: i32| -> Vec<(i32, i32)> {
        edges.iter().filter(on(x)).map(|(a, b)| (a.y.min(b.y), a.y.max(b.y))).collect()
    };
    let (left, right) = (spans(0), spans(period));
    let mut kept: Vec<_> = edges.iter().filter(|e| !on(0)(e) && !on(period)(e)).copied().collect();
    let mut cuts: Vec<i32> = left.iter().chain(&right).flat_map(|&(low, high)| [low, high]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    for cut in cuts.windows(2) {
        let holds = |spans: &[(i32, i32)]| spans.iter().any(|&(low, high)| low <= cut[0] && cut[1] <= high);
        if holds(&left) != holds(&right) {
            let x = if holds(&left) { 0 } else { period };
            kept.push((Point::new(x, cut[0]), Point::new(x, cut[1])));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::grid::GridFrame;

    fn rect(x0: i32, y0: i32, x1: i32, y1: i32) -> Ring {
        Rect { min: Point::new(x0, y0), max: Point::new(x1, y1) }.ring()
    }

    #[test]
    fn a_shared_edge_is_no_wall() {
        let polygons = [vec![rect(0, 0, 1000, 1000)], vec![rect(1000, 200, 2000, 800)]];
        let area = Area::from_polygons(Frame::default(), &polygons, vec![], false).unwrap();
        assert!(area.contains(Point::new(1000, 500)));
        let blocks =
            area.walls().iter().any(|w| !w.is_clear_of(Point::new(900, 500), Point::new(1100, 500), 10));
        assert!(!blocks);
    }

    #[test]
    fn a_drawn_map_gives_joined_walls_and_a_solid_rim() {
        let frame = GridFrame { columns: 3, rows: 2, cell: 100, ring: false };
        let open = Grid { frame, values: vec![true, true, true, true, false, true] };
        let area = Area::from_cells(Frame::default(), &open, vec![], false).unwrap();
        assert!(area.contains(Point::new(150, 50)) && !area.contains(Point::new(150, 150)));
        assert_eq!(area.walls().len(), 8);
    }

    #[test]
    fn a_ring_has_no_wall_at_its_seam() {
        let area =
            Area::from_polygons(Frame::default(), &[vec![rect(0, 0, 1000, 300)]], vec![], true).unwrap();
        assert_eq!(area.topology.period_x, Some(1000));
        assert_eq!(area.walls().len(), 2);
        assert!(area.contains(Point::new(-10, 100)));
        let late = Area::from_polygons(Frame::default(), &[vec![rect(10, 0, 1000, 300)]], vec![], true);
        assert_eq!(late.unwrap_err(), AreaError::RingStart);
    }

    #[test]
    fn nothing_is_an_error() {
        assert_eq!(Area::from_polygons(Frame::default(), &[], vec![], false).unwrap_err(), AreaError::Empty);
    }
}
