//! A field: distances and directions to one goal for one class, and how they are read between cell centres.

use super::analysis::Arrows;
use super::direction::{Deriver, Packed, nearest_step};
use super::distance::{Distances, repaired, solve};
use super::settings::{Derivation, Guidance, Sampling};
use super::transition::{Step, Transition};
use crate::base::{Point, Workers};
use crate::space::{CellIndex, Grid};
use glam::Vec2;
use std::sync::Arc;

/// What a field says about a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guide {
    /// A way.
    Way {
        /// Where to go, of length 1.
        toward: Vec2,
        /// Remaining cost, in metres times price.
        cost: f32,
    },
    /// A cell of the goal.
    AtGoal {
        /// Remaining cost: 0, or less than a cell's.
        cost: f32,
    },
    /// No way leads to the goal.
    Unreachable,
    /// The field is not known here yet.
    NotSolved,
    /// The field is known, but shows no way down from here.
    NoDescent,
}

/// Distances and directions to one goal for one class.
#[derive(Clone, Debug)]
pub struct Field {
    transition: Transition,
    guidance: Guidance,
    steps: [Step; 8],
    /// Units; where x = 0 lies on the field's own grid.
    origin_x: i32,
    goals: Vec<CellIndex>,
    distances: Distances,
    /// Empty where directions are made on demand.
    directions: Vec<Packed>,
    /// For closed cells in which a centre may still stand: the open cell whose guidance they take.
    borrowed: Vec<(CellIndex, CellIndex)>,
    fallbacks: u32,
}

/// Turns of a ring that a heading's field lays out.
const TURNS: u32 = 3;
/// Length of a blended direction below which two ways part: a ridge.
const RIDGE: f32 = 0.7;
/// Cells within which the steepest descent is looked for on a ridge.
const RIDGE_REACH: i32 = 2;
/// Rounds in which guidance is lent to closed cells next to open ones.
const BORROW_ROUNDS: usize = 4;
/// Cells around a place that are searched for guidance where its own cell has none.
const STRAY_REACH: i32 = 6;

impl Field {
    /// Solves for the distances to `goals` and derives the directions.
    ///
    /// **Determinism:** a pure function of its arguments; threads leave no trace.
    pub fn build(
        transition: Transition,
        goals: &[CellIndex],
        guidance: &Guidance,
        workers: &Workers,
    ) -> Self {
        let distances = solve(&transition, goals, guidance, workers);
        let mut field = Self {
            steps: guidance.tie_order.steps(),
            origin_x: 0,
            guidance: guidance.clone(),
            goals: goals.to_vec(),
            transition,
            distances,
            directions: Vec::new(),
            borrowed: Vec::new(),
            fallbacks: 0,
        };
        if guidance.derivation != Derivation::OnDemand {
            let mut derived = Vec::new();
            let deriver = field.deriver();
            let cells = field.transition.moves.frame().len();
            workers.fill(&mut derived, cells, |cell| deriver.direction(cell as u32));
            field.fallbacks = derived.iter().filter(|d| d.1).count() as u32;
            field.directions = derived.into_iter().map(|(v, _)| Packed::new(v)).collect();
        }
        field.lend_to_closed_cells();
        field
    }

    /// The field of those who walk round a ring for ever: `transition` is the ring's. The ring is cut open and laid out three
    /// times, and the way leads to one end; the turn in the middle is read, which has a whole turn before it and behind it,
    /// so that the cut is nowhere.
    ///
    /// **Determinism:** as for [`Field::build`].
    pub fn build_heading(
        transition: &Transition,
        rightwards: bool,
        guidance: &Guidance,
        workers: &Workers,
    ) -> Self {
        let ring = transition.moves.frame();
        let moves = transition.moves.unrolled(TURNS);
        let frame = moves.frame();
        let end = if rightwards { frame.columns - 1 } else { 0 };
        let goals: Vec<CellIndex> =
            (0..frame.rows).map(|row| row * frame.columns + end).filter(|&c| moves.is_open(c)).collect();
        let price = Arc::new(transition.price.unrolled(TURNS));
        let transition = Transition { moves: Arc::new(moves), price };
        let mut field = Self::build(transition, &goals, guidance, workers);
        field.origin_x = ring.columns as i32 * ring.cell;
        field
    }

    /// The field on changed ground, with the same bits as [`Field::build`] for the same guidance, solved only where it
    /// depends on what changed. `None` where a full solution is due: for other goals or another grid, where a large part
    /// changes, and for distances of second order or factored, which no equation fixes.
    ///
    /// **Cost:** copies, a comparison of both grounds, and work for the cells whose distance changes.
    pub fn repaired(&self, transition: &Transition, goals: &[CellIndex]) -> Option<Self> {
        let frame = transition.moves.frame();
        if frame != self.transition.moves.frame() || goals != self.goals {
            return None;
        }
        let changed = transition.differing_cells(&self.transition);
        let mut field = Self { transition: transition.clone(), borrowed: Vec::new(), ..self.clone() };
        let touched = repaired(transition, goals, &self.guidance, &mut field.distances, &changed)?;
        if !self.directions.is_empty() {
            field.derive_around(self, changed.into_iter().chain(touched));
        }
        field.lend_to_closed_cells();
        Some(field)
    }

    /// Derives directions anew in and next to some cells; `before` is the field that they came from.
    fn derive_around(&mut self, before: &Self, cells: impl Iterator<Item = CellIndex>) {
        let frame = self.transition.moves.frame();
        let mut is_stale = vec![false; frame.len()];
        for cell in cells {
            for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
                frame.neighbour(cell, dx, dy).into_iter().for_each(|c| is_stale[c as usize] = true);
            }
        }
        for cell in (0..frame.len() as u32).filter(|&c| is_stale[c as usize]) {
            let (direction, fell_back) = self.deriver().direction(cell);
            let (_, had_fallen_back) = before.deriver().direction(cell);
            self.fallbacks = self.fallbacks + u32::from(fell_back) - u32::from(had_fallen_back);
            self.directions[cell as usize] = Packed::new(direction);
        }
    }

    fn deriver(&self) -> Deriver<'_> {
        Deriver {
            transition: &self.transition,
            distances: &self.distances,
            guidance: &self.guidance,
            steps: self.steps,
        }
    }

    /// A closed cell in which a centre may still stand takes the guidance of the best cell in sight.
    fn lend_to_closed_cells(&mut self) {
        let moves = self.transition.moves.clone();
        let may_borrow = |&cell: &CellIndex| !moves.is_open(cell) && moves.has_links(cell);
        let mut closed: Vec<CellIndex> = (0..moves.frame().len() as u32).filter(may_borrow).collect();
        for _ in 0..BORROW_ROUNDS {
            let best = |cell: CellIndex| {
                let linked = Step::ALL.into_iter().filter(|&s| moves.is_linked(cell, s));
                let owners = linked.filter_map(|s| self.owner(moves.neighbour(cell, s)?));
                owners.min_by(|&a, &b| self.distances.at(a).total_cmp(&self.distances.at(b)).then(a.cmp(&b)))
            };
            let lent: Vec<_> = closed.iter().filter_map(|&cell| Some((cell, best(cell)?))).collect();
            if lent.is_empty() {
                break;
            }
            self.borrowed.extend(lent);
            self.borrowed.sort_unstable();
            closed.retain(|&cell| self.lender(cell).is_none());
        }
    }

    fn lender(&self, cell: CellIndex) -> Option<CellIndex> {
        let i = self.borrowed.binary_search_by_key(&cell, |b| b.0).ok()?;
        Some(self.borrowed[i].1)
    }

    /// The cell whose guidance serves `cell`: itself, or the one it borrows from. `None` where there is no way.
    fn owner(&self, cell: CellIndex) -> Option<CellIndex> {
        let owner = if self.transition.moves.is_open(cell) { Some(cell) } else { self.lender(cell) };
        owner.filter(|&o| self.distances.at(o).is_finite())
    }

    /// Where to go from a place, and what remains.
    ///
    /// **Determinism:** a pure function of the field and the place.
    pub fn guide(&self, at: Point) -> Guide {
        let frame = self.transition.moves.frame();
        let at = Point::new(at.x + self.origin_x, at.y);
        let Some(home) = frame.cell_at(at) else { return self.guide_stray(frame.nearest_cell(at), at) };
        let Some(owner) = self.owner(home) else { return self.guide_stray(home, at) };
        if self.distances.at(owner) <= 0.0 {
            return if home == owner { Guide::AtGoal { cost: 0.0 } } else { self.guide_into(owner, at) };
        }
        let (toward, cost) = match self.guidance.sampling {
            Sampling::Nearest => (self.vector(owner), self.distances.at(owner) as f32),
            Sampling::Bilinear => self.blend(home, owner, at),
        };
        let toward =
            if toward.length() < RIDGE { self.steepest_nearby(owner) } else { toward.try_normalize() };
        toward.map_or(Guide::NoDescent, |toward| Guide::Way { toward, cost })
    }

    /// From a closed cell into the goal's cell beside it.
    fn guide_into(&self, goal: CellIndex, at: Point) -> Guide {
        let moves = &self.transition.moves;
        let home = moves.frame().nearest_cell(at);
        // By steps, so that a ring's seam is no detour.
        let step = Step::ALL.into_iter().find(|&s| moves.neighbour(home, s) == Some(goal));
        let (dx, dy) = step.map_or((0, 0), Step::delta);
        let frame = moves.frame();
        let centre = frame.centre(home);
        let way = Point::new(centre.x + dx * frame.cell, centre.y + dy * frame.cell).minus(at).metres();
        let toward = way.try_normalize().filter(|_| step.is_some());
        toward.map_or(Guide::AtGoal { cost: 0.0 }, |toward| Guide::Way { toward, cost: way.length() })
    }

    /// What remains from a place; `None` where no way leads to the goal.
    pub fn remaining_cost(&self, at: Point) -> Option<f32> {
        match self.guide(at) {
            Guide::Way { cost, .. } | Guide::AtGoal { cost } => Some(cost),
            Guide::Unreachable | Guide::NotSolved | Guide::NoDescent => None,
        }
    }

    fn vector(&self, cell: CellIndex) -> Vec2 {
        match self.directions.get(cell as usize) {
            Some(packed) => packed.vector(),
            None => self.deriver().direction(cell).0,
        }
    }

    /// Blends directions and costs of the four centres around; one that is not in sight counts as the home cell.
    fn blend(&self, home: CellIndex, owner: CellIndex, at: Point) -> (Vec2, f32) {
        let frame = self.transition.moves.frame();
        let offset = at.minus(frame.centre(home));
        let (dx, dy) = (if offset.x < 0 { -1 } else { 1 }, if offset.y < 0 { -1 } else { 1 });
        let share = |v: i32| (v.unsigned_abs() as f32 / frame.cell as f32).min(1.0);
        let (u, v) = (share(offset.x), share(offset.y));
        let own = (self.vector(owner), self.distances.at(owner) as f32);
        let corners = [((dx, 0), u * (1.0 - v)), ((0, dy), (1.0 - u) * v), ((dx, dy), u * v)];
        let mut sum = (own.0 * ((1.0 - u) * (1.0 - v)), own.1 * ((1.0 - u) * (1.0 - v)));
        for (delta, weight) in corners {
            let (vector, cost) = self.corner(home, delta).unwrap_or(own);
            // A goal has no direction of its own: what leads to it goes on.
            let vector = if vector == Vec2::ZERO { own.0 } else { vector };
            sum = (sum.0 + vector * weight, sum.1 + cost * weight);
        }
        sum
    }

    fn corner(&self, home: CellIndex, delta: (i32, i32)) -> Option<(Vec2, f32)> {
        let step = Step::of(delta).filter(|&s| self.transition.moves.is_linked(home, s))?;
        let owner = self.owner(self.transition.moves.neighbour(home, step)?)?;
        Some((self.vector(owner), self.distances.at(owner) as f32))
    }

    /// On a ridge between two ways: to the steepest cell that two legal steps reach, ties in the order of steps.
    fn steepest_nearby(&self, cell: CellIndex) -> Option<Vec2> {
        let moves = &self.transition.moves;
        let here = self.distances.at(cell);
        let mut best: Option<(f64, Vec2)> = None;
        let mut consider = |to: CellIndex, dx: i32, dy: i32| {
            let way = Vec2::new(dx as f32, dy as f32);
            let slope = (here - self.distances.at(to)) / f64::from(way.length());
            if slope > 0.0 && best.is_none_or(|(s, _)| slope > s) {
                best = Some((slope, way.normalize()));
            }
        };
        for first in self.steps.into_iter().filter(|&s| moves.is_legal(cell, s)) {
            let Some(middle) = moves.neighbour(cell, first) else { continue };
            let (dx, dy) = first.delta();
            consider(middle, dx, dy);
            for second in self.steps.into_iter().filter(|&s| moves.is_legal(middle, s)) {
                let (ex, ey) = second.delta();
                let straight_on = (dx + ex).abs().max((dy + ey).abs()) == RIDGE_REACH;
                if let Some(to) = moves.neighbour(middle, second).filter(|_| straight_on) {
                    consider(to, dx + ex, dy + ey);
                }
            }
        }
        best.map(|(_, way)| way)
    }

    /// From a cell without guidance of its own: back to the nearest cell that has some, if one is close.
    fn guide_stray(&self, home: CellIndex, at: Point) -> Guide {
        let frame = self.transition.moves.frame();
        let is_off = frame.cell_at(at).is_none();
        let far = i64::from(STRAY_REACH) * i64::from(frame.cell);
        let too_far = frame.centre(home).minus(at).length_squared() > (far * far) as u64;
        if too_far || (self.transition.moves.is_open(home) && !is_off) {
            return Guide::Unreachable;
        }
        if !is_off && self.transition.moves.has_links(home) {
            return self.guide_along_links(home, at);
        }
        let square =
            (-STRAY_REACH..=STRAY_REACH).flat_map(|dy| (-STRAY_REACH..=STRAY_REACH).map(move |dx| (dx, dy)));
        let known =
            square.filter_map(|(dx, dy)| frame.neighbour(home, dx, dy)).filter(|&c| self.owner(c) == Some(c));
        let nearest = known.min_by_key(|&c| (frame.centre(c).minus(at).length_squared(), c));
        let back = |cell: CellIndex| {
            let toward = frame.centre(cell).minus(at).metres().try_normalize()?;
            Some(Guide::Way { toward, cost: self.distances.at(cell) as f32 })
        };
        nearest.and_then(back).unwrap_or(Guide::Unreachable)
    }

    /// From a closed cell to the nearest cell with guidance, from cell to cell in sight: never through a wall.
    fn guide_along_links(&self, home: CellIndex, at: Point) -> Guide {
        let moves = &self.transition.moves;
        let frame = moves.frame();
        // Cells of a round, each with the first cell on the way to it.
        let mut seen = vec![home];
        let mut round = vec![(home, None)];
        for _ in 0..STRAY_REACH {
            let mut next_round = Vec::new();
            for &(cell, first) in &round {
                for step in self.steps.into_iter().filter(|&s| moves.is_linked(cell, s)) {
                    let Some(next) = moves.neighbour(cell, step).filter(|c| !seen.contains(c)) else {
                        continue;
                    };
                    seen.push(next);
                    next_round.push((next, first.or(Some(next))));
                }
            }
            round = next_round;
            let known = round.iter().filter(|(c, _)| self.owner(*c) == Some(*c));
            let nearest = known.min_by_key(|(c, _)| (frame.centre(*c).minus(at).length_squared(), *c));
            if let Some(&(cell, Some(first))) = nearest {
                let toward = frame.centre(first).minus(at).metres().try_normalize();
                let cost = self.distances.at(cell) as f32;
                return toward.map_or(Guide::NoDescent, |toward| Guide::Way { toward, cost });
            }
        }
        Guide::Unreachable
    }

    /// The next cell on the cheapest way, ties in the tie order. `None` at goals and where no way is.
    pub fn next_cell(&self, cell: CellIndex) -> Option<CellIndex> {
        self.transition.moves.neighbour(cell, self.next_step(cell)?)
    }

    /// The step to [`Field::next_cell`].
    pub fn next_step(&self, cell: CellIndex) -> Option<Step> {
        self.deriver().parent(cell)
    }

    /// The cell of the field that holds `at`, or the nearest one to it.
    pub fn nearest_cell(&self, at: Point) -> CellIndex {
        self.transition.moves.frame().nearest_cell(Point::new(at.x + self.origin_x, at.y))
    }

    /// The centre of a cell of the field; on a ring perhaps a turn too far.
    pub fn centre(&self, cell: CellIndex) -> Point {
        let centre = self.transition.moves.frame().centre(cell);
        Point::new(centre.x - self.origin_x, centre.y)
    }

    /// The remaining cost of a cell; `None` where no way leads to the goal.
    pub fn distance(&self, cell: CellIndex) -> Option<f64> {
        Some(self.distances.at(cell)).filter(|d| d.is_finite())
    }

    /// The direction of an open cell, of length 1; `None` at goals and where no way is.
    pub fn direction(&self, cell: CellIndex) -> Option<Vec2> {
        let vector = self.vector(cell);
        (vector != Vec2::ZERO).then(|| vector.normalize())
    }

    /// The directions of all open cells.
    pub fn arrows(&self) -> Arrows {
        let frame = self.transition.moves.frame();
        let open = |cell| Some(cell).filter(|&c| self.transition.moves.is_open(c));
        Grid { frame, values: (0..frame.len() as u32).map(|c| self.direction(open(c)?)).collect() }
    }

    /// The step that the direction of an open cell points along; `None` where it has none.
    pub fn arrow(&self, cell: CellIndex) -> Option<Step> {
        nearest_step(self.direction(cell)?)
    }

    /// Whether the cell's centre may stand there and has a way to the goal.
    pub fn is_reachable(&self, cell: CellIndex) -> bool {
        self.transition.moves.is_open(cell) && self.distances.at(cell).is_finite()
    }

    /// What legality and cost were asked of.
    pub fn transition(&self) -> &Transition {
        &self.transition
    }

    /// Cells whose smooth direction would have led astray.
    pub fn fallbacks(&self) -> u32 {
        self.fallbacks
    }

    /// Bytes held, apart from the transition model that fields share.
    pub fn bytes(&self) -> u64 {
        let cells = self.directions.len() + self.goals.len() + 2 * self.borrowed.len();
        self.distances.bytes() + 4 * cells as u64
    }
}
