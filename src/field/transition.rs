//! The transition model: which moves are legal from a cell and what each costs. Distances, directions, the validator and
//! pictures all ask this one object.

use super::hops::{back, entering};
use super::settings::{Compass, Diagonal, Guidance, Neighbourhood, Solver, TieOrder};
use crate::base::Point;
use crate::space::{CellIndex, Grid, GridFrame, Rect, Shape, Terrain, Wall};
use std::sync::Arc;

/// One of the eight moves to a neighbouring cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step(u8);

/// Columns and rows of each step: north, east, south, west, then north-east, south-east, south-west, north-west.
const DELTAS: [(i32, i32); 8] = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];

impl Step {
    /// All eight, straight ones first.
    pub const ALL: [Self; 8] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// Columns and rows it leads on by.
    pub fn delta(self) -> (i32, i32) {
        DELTAS[usize::from(self.0)]
    }

    /// The step with these columns and rows, if there is one.
    pub fn of(delta: (i32, i32)) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.delta() == delta)
    }

    /// Whether it goes along both axes.
    pub fn is_diagonal(self) -> bool {
        self.0 >= 4
    }

    /// The step that leads back.
    fn back(self) -> Self {
        Self(back(usize::from(self.0)) as u8)
    }

    fn bit(self) -> u8 {
        1 << self.0
    }

    fn of_compass(compass: Compass) -> Self {
        Self(match compass {
            Compass::North => 0,
            Compass::East => 1,
            Compass::South => 2,
            Compass::West => 3,
        })
    }
}

impl TieOrder {
    /// All steps in the order in which equals are tried: the four straight ones as given, then the diagonals between each
    /// and its successor, then what diagonals are left.
    pub fn steps(self) -> [Step; 8] {
        let straight = self.0.map(Step::of_compass);
        let between = |i: usize| {
            let (a, b) = (straight[i].delta(), straight[(i + 1) % 4].delta());
            Step::of((a.0 + b.0, a.1 + b.1)).filter(|s| s.is_diagonal())
        };
        let mut steps = straight.to_vec();
        for step in (0..4).filter_map(between).chain(Step::ALL) {
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
        let mut order = Step::ALL;
        order.copy_from_slice(&steps);
        order
    }
}

/// What the moves of one body size are made from.
#[derive(Clone, Copy, Debug)]
pub struct MovesInput<'a> {
    /// Walls and closed doors.
    pub terrain: &'a Terrain,
    /// Units; distance from each cell's centre to the nearest wall, capped above the radius; 0 where nobody may stand.
    pub clearance: &'a Grid<u32>,
    /// Units; the hard core of the bodies.
    pub radius: i32,
    /// Cells that ground closes.
    pub closed: &'a Grid<bool>,
    /// Regions in which no move goes against a direction.
    pub one_way: &'a [(Shape, [f64; 2])],
    /// Neighbourhood and diagonals.
    pub guidance: &'a Guidance,
}

/// Which moves are legal, for one body size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    frame: GridFrame,
    /// A bit per legal step; cells without any bit may still be open.
    legal: Vec<u8>,
    /// A bit per neighbour that lies in sight of the cell's centre, for cells where a centre may stand.
    linked: Vec<u8>,
    /// A bit per step back, from whose end a legal step leads here.
    entering: Vec<u8>,
    open: Vec<bool>,
}

impl Moves {
    /// Finds the legal moves: both cells open, diagonals by their flanks, and no wall in the disc swept from centre to
    /// centre (tested exactly, where a wall is near at all).
    pub fn new(input: &MovesInput<'_>) -> Self {
        let frame = input.clearance.frame;
        let cells = frame.len();
        let mut moves = Self {
            frame,
            legal: vec![0; cells],
            linked: vec![0; cells],
            entering: Vec::new(),
            open: vec![false; cells],
        };
        moves.find(input, 0..cells as u32);
        moves.entering = entering(frame, &moves.legal);
        moves
    }

    /// The same as [`Moves::new`] where `input` differs from what these moves were made of only within the boxes `changed`
    /// (walls, doors, clearance, closed ground); on a plane.
    ///
    /// **Cost:** a copy, and work for the cells around the boxes.
    #[must_use]
    pub fn repaired(&self, input: &MovesInput<'_>, changed: &[Rect]) -> Self {
        let mut moves = self.clone();
        // A step is no longer than a cell's diagonal, and asks for both ends and flanks.
        let reach = input.radius.max(1) + 3 * self.frame.cell;
        let within = |reach: i32| {
            let mut cells: Vec<CellIndex> =
                changed.iter().flat_map(|rect| self.frame.cells_within(rect.grown(reach))).collect();
            cells.sort_unstable();
            cells.dedup();
            cells
        };
        moves.find(input, within(reach).iter().copied());
        for cell in within(reach + 2 * self.frame.cell) {
            let leads_here = |step: &Step| {
                let from = moves.neighbour(cell, *step);
                from.is_some_and(|from| moves.is_legal(from, step.back()))
            };
            moves.entering[cell as usize] = Step::ALL.iter().filter(|s| leads_here(s)).map(|s| s.bit()).sum();
        }
        moves
    }

    /// Finds out which of some cells are open, and the steps from them.
    fn find(&mut self, input: &MovesInput<'_>, cells: impl Iterator<Item = CellIndex> + Clone) {
        let may_stand = |cell: CellIndex| input.clearance[cell] > 0 && !input.closed[cell];
        for cell in cells.clone() {
            let fits = input.clearance[cell] >= input.radius.unsigned_abs();
            self.open[cell as usize] = may_stand(cell) && fits;
        }
        let mut walls = Vec::new();
        for cell in cells {
            self.legal[cell as usize] = 0;
            self.linked[cell as usize] = 0;
            if !may_stand(cell) {
                continue;
            }
            walls.clear();
            self.gather_walls(input, cell, &mut walls);
            let near = NearWalls { walls: &walls, from: self.frame.centre(cell), cell: self.frame.cell };
            for step in Step::ALL {
                let Some(next) = self.neighbour(cell, step).filter(|&next| may_stand(next)) else { continue };
                if self.is_open(cell) && self.may_step(input, cell, step, &near) {
                    self.legal[cell as usize] |= step.bit();
                    self.linked[cell as usize] |= step.bit();
                } else if !(self.is_open(cell) && self.is_open(next))
                    && near.is_clear((0, 0), step.delta(), 1)
                {
                    self.linked[cell as usize] |= step.bit();
                }
            }
        }
    }

    /// The moves of a body without extent where nothing but closed cells is solid: for grids that come without walls.
    pub fn between_cells(open: &Grid<bool>, guidance: &Guidance) -> Self {
        let frame = open.frame;
        let is_open = |cell: CellIndex, (dx, dy)| frame.neighbour(cell, dx, dy).is_some_and(|to| open[to]);
        let is_legal = |cell: CellIndex, step: &Step| {
            let (dx, dy) = step.delta();
            let flanks = [(dx, 0), (0, dy)].map(|flank| is_open(cell, flank));
            let may_turn = match guidance.diagonal {
                _ if !step.is_diagonal() => true,
                _ if guidance.neighbours == Neighbourhood::Four => false,
                Diagonal::Strict => flanks == [true; 2],
                Diagonal::OneFlank => flanks.contains(&true),
                Diagonal::Free => true,
            };
            open[cell] && is_open(cell, (dx, dy)) && may_turn
        };
        let steps = |cell: CellIndex| Step::ALL.iter().filter(|s| is_legal(cell, s)).map(|s| s.bit()).sum();
        let legal: Vec<u8> = (0..frame.len() as u32).map(steps).collect();
        let (linked, entering) = (legal.clone(), entering(frame, &legal));
        Self { frame, legal, linked, entering, open: open.values.clone() }
    }

    /// The walls that a disc may meet on any step from a cell.
    fn gather_walls<'a>(&self, input: &MovesInput<'a>, cell: CellIndex, walls: &mut Vec<&'a Wall>) {
        // A disc that keeps its radius from every wall at one end and moves by less than the rest is clear.
        let near = i64::from(input.radius) + i64::from(self.frame.cell) * 3 / 2;
        if i64::from(input.clearance[cell]) > near {
            return;
        }
        let from = self.frame.centre(cell);
        let reach = self.frame.cell + input.radius.max(1);
        let meets = |w: &&Wall| {
            let bounds = w.bounds();
            bounds.min.x < from.x + reach
                && from.x - reach < bounds.max.x
                && bounds.min.y < from.y + reach
                && from.y - reach < bounds.max.y
        };
        walls.extend(input.terrain.walls_near(from).filter(meets));
    }

    fn may_step(&self, input: &MovesInput<'_>, cell: CellIndex, step: Step, near: &NearWalls<'_>) -> bool {
        let Some(next) = self.neighbour(cell, step).filter(|&c| self.is_open(c)) else { return false };
        if step.is_diagonal() && input.guidance.neighbours == Neighbourhood::Four {
            return false;
        }
        let (from, to) = ends(self.frame, cell, step);
        // Regions lie within one turn of a ring, so they are asked about the cell itself.
        let places = [from, self.frame.centre(next)];
        let against = |(shape, d): &(Shape, [f64; 2])| {
            to.minus(from).goes_against(*d) && places.iter().any(|&p| shape.contains(p))
        };
        if input.one_way.iter().any(against) {
            return false;
        }
        let is_clear = || near.is_clear((0, 0), step.delta(), input.radius);
        if !step.is_diagonal() {
            return is_clear();
        }
        let (dx, dy) = step.delta();
        let flanks = [(dx, 0), (0, dy)].map(|flank| self.is_flank(input, cell, [flank, (dx, dy)], near));
        match input.guidance.diagonal {
            Diagonal::Strict => flanks == [true; 2] && is_clear(),
            // A point may turn round a corner; a body would cut it.
            Diagonal::OneFlank if input.radius == 0 => flanks.contains(&true),
            Diagonal::OneFlank => flanks.contains(&true) && is_clear(),
            Diagonal::Free => near.is_between_corners((dx, dy)),
        }
    }

    /// Whether the first cell on the way is open, and for one-flank diagonals, whether the way over it is clear too.
    fn is_flank(
        &self,
        input: &MovesInput<'_>,
        cell: CellIndex,
        [flank, end]: [(i32, i32); 2],
        near: &NearWalls<'_>,
    ) -> bool {
        let is_clear = || {
            near.is_clear((0, 0), flank, input.radius)
                && near.is_clear(flank, (end.0 - flank.0, end.1 - flank.1), input.radius)
        };
        self.frame.neighbour(cell, flank.0, flank.1).is_some_and(|c| self.is_open(c))
            && (input.guidance.diagonal != Diagonal::OneFlank || is_clear())
    }

    /// The moves of a ring cut open and laid out, so many turns one after the other in x. No move leads over the ends.
    #[must_use]
    pub fn unrolled(&self, turns: u32) -> Self {
        let frame = GridFrame { columns: self.frame.columns * turns, ring: false, ..self.frame };
        let inside = |bits: &Grid<u8>| {
            let mut bits = bits.clone();
            for cell in 0..frame.len() as u32 {
                let leads_out = |step: &Step| frame.neighbour(cell, step.delta().0, step.delta().1).is_none();
                let out = Step::ALL.into_iter().filter(leads_out).fold(0, |out, step| out | step.bit());
                bits[cell] &= !out;
            }
            bits.values
        };
        let of = |bits: &[u8]| Grid { frame: self.frame, values: bits.to_vec() }.unrolled(turns);
        let open = Grid { frame: self.frame, values: self.open.clone() }.unrolled(turns).values;
        let (legal, linked) = (inside(&of(&self.legal)), inside(&of(&self.linked)));
        let entering = entering(frame, &legal);
        Self { frame, legal, linked, entering, open }
    }

    /// Where the cells lie.
    pub fn frame(&self) -> GridFrame {
        self.frame
    }

    /// Whether the centre of a body may stand in the middle of the cell.
    pub fn is_open(&self, cell: CellIndex) -> bool {
        self.open[cell as usize]
    }

    /// Whether a step from a cell is legal.
    pub fn is_legal(&self, cell: CellIndex, step: Step) -> bool {
        self.legal[cell as usize] & step.bit() != 0
    }

    /// For every cell a bit per legal step, in the order of [`Step::ALL`].
    pub(super) fn legal_steps(&self) -> &[u8] {
        &self.legal
    }

    /// For every cell a bit per step back, from whose end a legal step leads to it.
    pub(super) fn entering(&self) -> &[u8] {
        &self.entering
    }

    /// Whether the neighbour is in sight of the cell's centre: it may be read there, though no body may stand in it.
    pub fn is_linked(&self, cell: CellIndex, step: Step) -> bool {
        self.linked[cell as usize] & step.bit() != 0
    }

    /// Whether two bodies may pass each other on a step: there is open ground beside both of its cells.
    pub fn has_room_beside(&self, cell: CellIndex, step: Step) -> bool {
        let Some(next) = self.neighbour(cell, step) else { return false };
        let (dx, dy) = step.delta();
        let may_go = |from: CellIndex, delta| Step::of(delta).is_some_and(|s| self.is_legal(from, s));
        if step.is_diagonal() {
            return may_go(cell, (dx, 0)) && may_go(cell, (0, dy));
        }
        [(-dy, dx), (dy, -dx)].into_iter().any(|side| may_go(cell, side) && may_go(next, side))
    }

    /// Whether any neighbour is in sight.
    pub(super) fn has_links(&self, cell: CellIndex) -> bool {
        self.linked[cell as usize] != 0
    }

    /// The cell that a step leads to.
    pub fn neighbour(&self, cell: CellIndex, step: Step) -> Option<CellIndex> {
        let (dx, dy) = step.delta();
        self.frame.neighbour(cell, dx, dy)
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        4 * self.legal.len() as u64
    }
}

/// The ends of a step, unwrapped on a ring.
fn ends(frame: GridFrame, cell: CellIndex, step: Step) -> (Point, Point) {
    let from = frame.centre(cell);
    let (dx, dy) = step.delta();
    (from, Point::new(from.x + dx * frame.cell, from.y + dy * frame.cell))
}

/// The walls around the centre of a cell.
struct NearWalls<'a> {
    walls: &'a [&'a Wall],
    from: Point,
    /// Units; the side of a cell.
    cell: i32,
}

impl NearWalls<'_> {
    /// The centre so many cells away, unwrapped on a ring.
    fn centre(&self, (dx, dy): (i32, i32)) -> Point {
        Point::new(self.from.x + dx * self.cell, self.from.y + dy * self.cell)
    }

    /// Whether a disc moved by `delta` cells from `start` meets no wall.
    fn is_clear(&self, start: (i32, i32), delta: (i32, i32), radius: i32) -> bool {
        let (p, q) = (self.centre(start), self.centre((start.0 + delta.0, start.1 + delta.1)));
        self.walls.iter().all(|w| w.is_clear_of(p, q, radius))
    }

    /// Whether the way crosses walls at most in its middle, where the corners of two solid cells may meet.
    fn is_between_corners(&self, delta: (i32, i32)) -> bool {
        let (p, q) = (self.from, self.centre(delta));
        let middle = Point::new(p.x + (q.x - p.x) / 2, p.y + (q.y - p.y) / 2);
        self.walls.iter().all(|w| !w.is_crossed_by(p, middle) && !w.is_crossed_by(middle, q))
    }
}

/// Legality and price together: the one object that everything about moves is asked of.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Which moves are legal.
    pub moves: Arc<Moves>,
    /// Cost per metre in each cell, at least 1; eikonal solvers take any price above 0.
    pub price: Arc<Grid<f32>>,
}

impl Transition {
    /// A grid with a speed per cell in metres per second, without walls: remaining costs are then travel times in
    /// seconds. Cells whose speed is not above 0 are closed.
    ///
    /// ```
    /// use throng::base::Workers;
    /// use throng::field::{Field, Guidance, Transition};
    /// use throng::space::{Grid, GridFrame};
    ///
    /// let frame = GridFrame { columns: 5, rows: 1, cell: 100_000, ring: false };
    /// let speed = Grid { frame, values: vec![1.0, 2.0, 2.0, 0.0, 1.0] };
    /// let guidance = Guidance::default();
    /// let transition = Transition::from_speeds(&speed, &guidance);
    /// let field = Field::build(transition, &[0], &guidance, &Workers::new(1));
    /// assert_eq!((field.distance(2), field.distance(4)), (Some(1.0), None));
    /// ```
    pub fn from_speeds(speed: &Grid<f32>, guidance: &Guidance) -> Self {
        let open = Grid { frame: speed.frame, values: speed.values.iter().map(|&v| v > 0.0).collect() };
        let price = speed.values.iter().map(|&v| if v > 0.0 { 1.0 / v } else { 1.0 }).collect();
        Self {
            moves: Arc::new(Moves::between_cells(&open, guidance)),
            price: Arc::new(Grid { frame: speed.frame, values: price }),
        }
    }

    /// Metres; the side of a cell.
    pub fn cell_m(&self) -> f64 {
        crate::base::metres(self.moves.frame.cell)
    }

    /// The cells whose legal steps or price differ from those of another model of the same grid, in order.
    pub(super) fn differing_cells(&self, other: &Self) -> Vec<CellIndex> {
        let columns = self.moves.frame.columns as usize;
        let mut cells = Vec::new();
        let mut differ = |row: usize, i: usize| cells.push((row * columns + i) as CellIndex);
        // Whole rows first: most of them are equal.
        let rows = self.moves.legal.chunks(columns).zip(other.moves.legal.chunks(columns));
        for (row, (a, b)) in rows.enumerate().filter(|(_, (a, b))| a != b) {
            (0..columns).filter(|&i| a[i] != b[i]).for_each(|i| differ(row, i));
        }
        if !Arc::ptr_eq(&self.price, &other.price) {
            let rows = self.price.values.chunks(columns).zip(other.price.values.chunks(columns));
            for (row, (a, b)) in rows.enumerate().filter(|(_, (a, b))| a != b) {
                (0..columns).filter(|&i| a[i].to_bits() != b[i].to_bits()).for_each(|i| differ(row, i));
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Whether a metre costs exactly 1 in every cell that the straight way between two places touches. Exact; on a ring, the
    /// way that does not cross the seam.
    pub fn is_even_between(&self, from: Point, to: Point) -> bool {
        let frame = self.moves.frame;
        let (low, high) = if from.y <= to.y { (from, to) } else { (to, from) };
        let way = high.minus(low);
        // Where the way is at a height, rounded down.
        let x_at = |y: i64| match way.y {
            0 => None,
            rise => {
                let along = (y - i64::from(low.y)).clamp(0, i64::from(rise));
                Some(i64::from(low.x) + (i64::from(way.x) * along).div_euclid(i64::from(rise)))
            }
        };
        let cell = i64::from(frame.cell);
        let is_even_row = |row: i64| {
            let ends = match (x_at(row * cell), x_at((row + 1) * cell)) {
                (Some(a), Some(b)) => [a, b],
                _ => [i64::from(low.x), i64::from(high.x)],
            };
            let (left, right) = (ends[0].min(ends[1]), ends[0].max(ends[1]) + 1);
            (left.div_euclid(cell)..=right.div_euclid(cell))
                .filter_map(|column| frame.index(column, row))
                .all(|c| self.price[c].to_bits() == 1.0_f32.to_bits())
        };
        (i64::from(low.y).div_euclid(cell)..=i64::from(high.y).div_euclid(cell)).all(is_even_row)
    }

    /// The length of a step for a solver, in metres (moves for labels); `None` where the solver knows no such step.
    pub fn length(&self, solver: &Solver, step: Step) -> Option<f64> {
        match solver {
            Solver::Labels => (!step.is_diagonal()).then_some(1.0),
            Solver::Kernel(kernel) => {
                let (dx, dy) = step.delta();
                let weight = kernel[(1 - dy) as usize][(1 + dx) as usize];
                (weight > 0.0).then_some(weight * self.cell_m())
            }
            _ if step.is_diagonal() => Some(std::f64::consts::SQRT_2 * self.cell_m()),
            _ => Some(self.cell_m()),
        }
    }

    /// What a legal step costs: its length times the price of the cell entered (labels: 1); `None` where it is illegal.
    pub fn cost(&self, solver: &Solver, cell: CellIndex, step: Step) -> Option<f64> {
        if !self.moves.is_legal(cell, step) {
            return None;
        }
        let length = self.length(solver, step)?;
        let price = match solver {
            Solver::Labels => 1.0,
            _ => f64::from(self.price[self.moves.neighbour(cell, step)?]),
        };
        Some(length * price)
    }
}
