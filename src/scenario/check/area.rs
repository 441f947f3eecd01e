//! `[area]`, `[periodic]` and obstacles: where people may walk, and the cells of guidance over it.

use super::super::file::value::{At, Table};
use super::super::file::{AreaFile, File, PeriodicFile};
use super::super::map::CharMap;
use super::super::wkt;
use super::places::Regions;
use super::{Check, number};
use crate::base::{Frame, Point, UNITS_PER_METRE, limit, metres, units};
use crate::space::{Area, AreaError, Grid, GridFrame, Rect, Shape, row_runs, union_of};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Metres; the side of a guidance cell where the file does not say.
const CELL_M: f64 = 0.1;
impl Check<'_> {
    pub(super) fn area(&mut self, file: &File) -> Option<(Arc<Area>, GridFrame, Regions)> {
        let Some(table) = &file.area else {
            let help = "add an [area] with map, map_file, walkable or walkable_file";
            self.missing(file, "the file has no area", help);
            return None;
        };
        let ring = file.periodic.as_deref().is_some_and(PeriodicFile::x);
        let ways: Vec<&Range<usize>> = [&table.map, &table.map_file, &table.walkable, &table.walkable_file]
            .into_iter()
            .flatten()
            .map(|way| &way.span)
            .collect();
        if ways.len() != 1 {
            let help = "give exactly one of map, map_file, walkable and walkable_file";
            match ways.get(1) {
                Some(second) => self.add(second, "the area has more than one shape", help),
                None => self.missing(&table.value, "the area has no shape", help),
            }
            return None;
        }
        if table.map.is_some() || table.map_file.is_some() {
            self.map_area(file, table, ring)
        } else {
            self.wkt_area(file, table, ring)
        }
    }

    /// Stands in for an area that is wrong: regions of its legend are known by name, and no place is judged.
    pub(super) fn stand_in_area(&mut self, file: &File) -> (Arc<Area>, GridFrame, Regions) {
        self.knows_area = false;
        let side = UNITS_PER_METRE;
        let everywhere = Rect { min: Point::new(0, 0), max: Point::new(side, side) };
        let area = Area::from_polygons(Frame::default(), &[vec![everywhere.ring()]], Vec::new(), false);
        let area = Arc::new(area.expect("a square has an area"));
        let mut regions = Regions::default();
        let legend = file.area.as_ref().and_then(|a| a.legend.as_ref());
        for name in legend.iter().flat_map(|l| l.value.values()) {
            regions.insert(name.value.clone(), Shape::Boxes(vec![everywhere]));
        }
        (area, GridFrame { columns: 1, rows: 1, cell: side, ring: false }, regions)
    }

    fn wkt_area(
        &mut self,
        file: &File,
        table: &AreaFile,
        ring: bool,
    ) -> Option<(Arc<Area>, GridFrame, Regions)> {
        let (text, span) = match (&table.walkable, &table.walkable_file) {
            (Some(text), _) => (text.value.clone(), text.span.clone()),
            (None, Some(name)) => (self.side_file(name)?, name.span.clone()),
            (None, None) => return None,
        };
        if let Some(legend) = &table.legend {
            self.add(&legend.span, "a legend belongs to a map", "give regions as [[region]]");
        }
        let polygons = match wkt::polygons(&text) {
            Ok(polygons) => polygons,
            Err(message) => {
                self.add(&span, message, "for example: POLYGON ((0 0, 10 0, 10 4, 0 4, 0 0))");
                return None;
            }
        };
        let corners = polygons.iter().flatten().flatten();
        let low = corners.fold([f64::INFINITY; 2], |low, c| [low[0].min(c[0]), low[1].min(c[1])]);
        let frame = Frame::below(low[0], low[1]);
        let polygons = self.rings(&polygons, frame, &span)?;
        let cell = cell(table, CELL_M);
        let obstacles = self.obstacles(file, frame);
        let area = Area::from_polygons(frame, &polygons, obstacles, ring);
        let area = self.whole_area(area, &span)?;
        let grid = self.grid(area.bounds().max, cell, table, ring)?;
        Some((area, grid, Regions::default()))
    }

    /// Rings in metres as rings of places.
    pub(super) fn rings(
        &mut self,
        polygons: &[wkt::Polygon2],
        frame: Frame,
        span: &Range<usize>,
    ) -> Option<Vec<Vec<Vec<Point>>>> {
        self.corners += polygons.iter().flatten().map(Vec::len).sum::<usize>();
        if self.corners > limit::CORNERS {
            let message = format!("the shapes have {} corners so far, too many", self.corners);
            self.add(span, message, format!("at most {} together", limit::CORNERS));
            return None;
        }
        let place = |c: &[f64; 2]| frame.place(c[0], c[1]);
        let rings = |polygon: &wkt::Polygon2| {
            polygon
                .iter()
                .map(|ring| ring.iter().map(place).collect::<Option<Vec<_>>>())
                .collect::<Option<Vec<_>>>()
        };
        let placed = polygons.iter().map(rings).collect::<Option<Vec<_>>>();
        if placed.is_none() {
            self.add(
                span,
                "a corner is too far away",
                format!("an area is at most {} m wide and high", limit::EXTENT_M),
            );
        }
        placed
    }

    fn map_area(
        &mut self,
        file: &File,
        table: &AreaFile,
        ring: bool,
    ) -> Option<(Arc<Area>, GridFrame, Regions)> {
        let (map, span) = self.char_map(table)?;
        let side = units(table.map_cell_m()).unwrap_or(UNITS_PER_METRE);
        let (columns, rows) = (map.columns, map.lines.len());
        if columns == 0 || rows == 0 {
            self.add(&span, "the map is empty", "draw at least one open cell: '.'");
            return None;
        }
        let longest = columns.max(rows) as u64 * side as u64;
        if columns as u64 * rows as u64 > limit::CELLS
            || longest > limit::EXTENT_M as u64 * UNITS_PER_METRE as u64
        {
            let help = format!("at most {} cells and {} m along a side", limit::CELLS, limit::EXTENT_M);
            self.add(&span, format!("a map of {columns} x {rows} cells is too large"), help);
            return None;
        }
        let cells = GridFrame { columns: columns as u32, rows: rows as u32, cell: side, ring: false };
        let chars = Grid { frame: cells, values: map.lines.iter().rev().flatten().copied().collect() };
        let regions = self.legend(table, &chars, &span);
        let open = Grid { frame: cells, values: chars.values.iter().map(|&c| c != '#').collect() };
        let frame = Frame::default();
        let obstacles = self.obstacles(file, frame);
        let area = Area::from_cells(frame, &open, obstacles, ring);
        let area = self.whole_area(area, &span)?;
        let cell = cell(table, table.map_cell_m());
        // The grid is the map's, walls at its upper and right edge included; a ring ends where it closes.
        let whole = Point::new(columns as i32 * side, rows as i32 * side);
        let grid = self.grid(if ring { area.bounds().max } else { whole }, cell, table, ring)?;
        Some((area, grid, regions))
    }

    fn char_map(&mut self, table: &AreaFile) -> Option<(CharMap, Range<usize>)> {
        if let Some(map) = &table.map {
            return Some((CharMap::drawn(&map.value), map.span.clone()));
        }
        let name = table.map_file.as_ref()?;
        let text = self.side_file(name)?;
        match CharMap::moving_ai(&text) {
            Ok(map) => Some((map, name.span.clone())),
            Err(message) => {
                self.add(&name.span, format!("{}: {message}", name.value), "this is read as a MovingAI map");
                None
            }
        }
    }

    /// Regions drawn into the map.
    fn legend(&mut self, table: &AreaFile, chars: &Grid<char>, map: &Range<usize>) -> Regions {
        let mut regions = Regions::default();
        let empty = BTreeMap::new();
        let legend: &BTreeMap<String, At<String>> = table.legend.as_ref().map_or(&empty, |l| &l.value);
        let mut known = vec!['#', '.'];
        let mut by_name: BTreeMap<&str, (Vec<char>, Range<usize>)> = BTreeMap::new();
        for (key, name) in legend {
            let mut letters = key.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) if letter != '#' && letter != '.' => {
                    known.push(letter);
                    let entry = by_name.entry(name.as_str()).or_insert((Vec::new(), name.span.clone()));
                    entry.0.push(letter);
                }
                _ => self.add(
                    &name.span,
                    format!("\"{key}\" cannot be a map character"),
                    "one character other than # and .",
                ),
            }
        }
        for (name, (letters, span)) in by_name {
            let boxes = row_runs(chars, |c| letters.contains(c));
            if boxes.is_empty() {
                self.add(
                    &span,
                    format!("region \"{name}\" is not drawn in the map"),
                    "draw it, or leave it out of the legend",
                );
            } else {
                regions.insert(name.to_owned(), Shape::Boxes(boxes));
            }
        }
        if let Some(stranger) = chars.values.iter().find(|c| !known.contains(c)) {
            let message = format!("the map holds '{stranger}', which the legend does not explain");
            self.add(map, message, "'#' is solid, '.' is open, others need a legend = { X = \"name\" }");
        }
        regions
    }

    fn whole_area(&mut self, area: Result<Area, AreaError>, span: &Range<usize>) -> Option<Arc<Area>> {
        match area {
            Ok(area) => Some(Arc::new(area)),
            Err(error) => {
                let help = match error {
                    AreaError::Empty => "it needs some place to walk on",
                    AreaError::RingStart => "move it so that its smallest x is a whole number",
                };
                self.add(span, error.to_string(), help);
                None
            }
        }
    }

    /// The cells from the frame's origin to `end`.
    fn grid(&mut self, end: Point, cell: i32, table: &AreaFile, ring: bool) -> Option<GridFrame> {
        let span = table.cell_m.as_ref().map_or(table.span.clone(), |c| c.span.clone());
        if ring && end.x % cell != 0 {
            self.add(&span, "a ring must be a whole number of cells long", "choose another cell_m");
            return None;
        }
        if ring && end.x > limit::RING_M * UNITS_PER_METRE {
            let message = format!("a ring of {} m is too long", metres(end.x));
            self.add(&span, message, format!("at most {} m", limit::RING_M));
            return None;
        }
        // A heading's field lays a ring out three times.
        let turns = if ring { 3 } else { 1 };
        let count = |length: i32| (length as u32).div_ceil(cell as u32).max(1);
        let grid = GridFrame { columns: count(end.x), rows: count(end.y), cell, ring };
        if turns * grid.len() as u64 > limit::CELLS {
            let message = format!("{} x {} cells are too many", grid.columns, grid.rows);
            self.add(&span, message, format!("at most {}: choose a larger cell_m", limit::CELLS / turns));
            return None;
        }
        Some(grid)
    }

    fn obstacles(&mut self, file: &File, frame: Frame) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for entry in file.obstacle.iter().flat_map(|list| &list.value) {
            let shape = self.shape(
                (entry.rect.as_ref(), entry.polygon.as_ref(), entry.circle.as_ref()),
                &entry.value,
                frame,
            );
            shapes.extend(shape);
        }
        // The order in the file must leave no trace.
        shapes.sort_by_cached_key(|shape| format!("{shape:?}"));
        shapes
    }

    /// The one shape of a table.
    pub(super) fn shape(
        &mut self,
        (rect, polygon, circle): (Option<&At<[f64; 4]>>, Option<&At<String>>, Option<&At<[f64; 3]>>),
        table: &impl Table,
        frame: Frame,
    ) -> Option<Shape> {
        if usize::from(rect.is_some()) + usize::from(polygon.is_some()) + usize::from(circle.is_some()) != 1 {
            let help = "rect = [x0, y0, x1, y1], polygon = \"POLYGON (...)\" or circle = [x, y, r]";
            self.missing(table, "exactly one shape belongs here", help);
            return None;
        }
        let (shape, span) = if let Some(rect) = rect {
            let [x0, y0, x1, y1] = rect.value;
            let low = self.place(&At { value: [x0.min(x1), y0.min(y1)], span: rect.span.clone() }, frame)?;
            let high = self.place(&At { value: [x0.max(x1), y0.max(y1)], span: rect.span.clone() }, frame)?;
            (Shape::Polygon(vec![Rect { min: low, max: high }.ring()]), &rect.span)
        } else if let Some(circle) = circle {
            let [x, y, radius] = circle.value;
            let centre = self.place(&At { value: [x, y], span: circle.span.clone() }, frame)?;
            for corner in [[x - radius, y - radius], [x + radius, y + radius]] {
                self.place(&At { value: corner, span: circle.span.clone() }, frame)?;
            }
            let radius = units(radius).filter(|&r| r > 0).unwrap_or(0);
            (Shape::Circle { centre, radius }, &circle.span)
        } else {
            let polygon = polygon?;
            let polygons = match wkt::polygons(&polygon.value) {
                Ok(polygons) => polygons,
                Err(message) => {
                    self.add(&polygon.span, message, "for example: POLYGON ((0 0, 2 0, 2 1, 0 0))");
                    return None;
                }
            };
            if !self.knows_area {
                return None;
            }
            let rings = self.rings(&polygons, frame, &polygon.span)?;
            (Shape::Polygon(union_of(&rings)), &polygon.span)
        };
        if shape.area_m2() <= 0.0 {
            self.add(span, "this shape has no area", "its corners must not lie on one line");
            return None;
        }
        Some(shape)
    }
}

/// Units; the side of a guidance cell.
fn cell(table: &AreaFile, default_m: f64) -> i32 {
    units(number(table.cell_m.as_ref()).unwrap_or(default_m)).unwrap_or(10_000)
}
