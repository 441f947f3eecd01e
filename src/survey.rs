//! What guidance says in a scenario before anybody moves: fields, routes, remaining costs and single cells, for
//! inspecting and comparing.

use crate::base::{ClassId, GoalId, Point, Tick, Workers, metres};
use crate::field::{Derivation, Field, Guidance, Guide, Step, Transition};
use crate::scenario::{GoalPlace, Scenario};
use crate::site::Site;
use crate::space::CellIndex;
use crate::stage::density::{Congested, density_frame};
use crate::stage::refresh::{Guides, RefreshInput};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The guidance of a scenario at its start: doors and ground as the file has them, nobody inside.
///
/// **Determinism:** the same bits as the fields of a run's first tick.
#[derive(Debug)]
pub struct Survey {
    scenario: Arc<Scenario>,
    site: Site,
    congested: Congested,
    guides: Guides,
    workers: Workers,
}

/// A complete route down a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// What remains from the start, in metres times price.
    pub cost: f64,
    /// Metres along the cells.
    pub length_m: f64,
    /// Column and row of each cell, from the start's to the goal's, row 0 lowest.
    pub cells: Vec<[u32; 2]>,
    /// The cells' centres, in metres of the scenario's coordinates.
    pub points_m: Vec<[f64; 2]>,
}

/// A move that the transition model allows from a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegalMove {
    /// Where to: "N", "NE", ...
    pub to: String,
    /// Metres times price.
    pub cost: f64,
}

/// What guidance says at one place, for one goal and class. Lengths in metres, costs in metres times price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceReport {
    /// Column and row of its cell, row 0 lowest.
    pub cell: [u32; 2],
    /// The cell's centre.
    pub centre_m: [f64; 2],
    /// Whether the place is walkable.
    pub walkable: bool,
    /// Whether a centre of the class may stand in the middle of the cell.
    pub open: bool,
    /// Cost per metre on entering the cell.
    pub price: f64,
    /// Factor on walking speed.
    pub speed: f64,
    /// The remaining cost of the cell; `None` where no way leads to the goal.
    pub distance: Option<f64>,
    /// The remaining cost at the place itself.
    pub remaining_cost: Option<f64>,
    /// The direction at the place itself, of length 1.
    pub direction: Option<[f64; 2]>,
    /// The next cell of the cheapest way.
    pub next_cell: Option<[u32; 2]>,
    /// "way", "at goal", "unreachable" or "no descent".
    pub guide: String,
    /// The moves that are legal from the cell.
    pub moves: Vec<LegalMove>,
}

/// A field in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldReport {
    /// Cells of the grid.
    pub cells: u64,
    /// Cells in which a centre may stand.
    pub open: u64,
    /// Open cells from which a way leads to the goal.
    pub reachable: u64,
    /// Cells of the goal.
    pub goal: u64,
    /// Connected pockets of open cells without a way.
    pub pockets: u64,
    /// The largest remaining cost, in metres times price.
    pub distance_max: f64,
    /// Cells whose smooth direction would have led astray.
    pub fallbacks: u64,
    /// Reachable cells from which following the arrows arrives; all of them, if all is well.
    pub arrows_arrive: u64,
    /// Bytes held, the shared transition model apart.
    pub bytes: u64,
}

impl Survey {
    /// A survey of `scenario`, with so many threads.
    pub fn new(scenario: &Arc<Scenario>, threads: usize) -> Self {
        Self {
            site: Site::new(scenario),
            congested: Congested::new(density_frame(scenario.grid)),
            guides: Guides::new(scenario),
            workers: Workers::new(threads),
            scenario: Arc::clone(scenario),
        }
    }

    /// The field of a goal for a class; `None` for headings, whose field goes round the ring without an end.
    pub fn field(&mut self, goal: GoalId, class: ClassId) -> Option<Arc<Field>> {
        let is_place = matches!(self.site.goal(goal).place, GoalPlace::Shapes(_));
        is_place.then(|| self.ask(|guides, input| guides.field(input, goal, class)))
    }

    /// What legality and cost are asked of, for a class.
    pub fn transition(&mut self, class: ClassId) -> Transition {
        self.ask(|guides, input| guides.transition(input, class))
    }

    fn ask<T>(&mut self, question: impl FnOnce(&mut Guides, &RefreshInput<'_>) -> T) -> T {
        let input = RefreshInput {
            scenario: &self.scenario,
            site: &self.site,
            congested: &self.congested,
            tick: Tick(0),
            workers: &self.workers,
        };
        question(&mut self.guides, &input)
    }

    /// A complete route down the field from a place; `None` where no way leads to the goal.
    pub fn route(&self, field: &Field, from: Point) -> Option<Route> {
        let frame = self.scenario.grid;
        let mut cell =
            frame.cell_at(from).filter(|&c| field.is_reachable(c)).or_else(|| step_out(field, from))?;
        let cost = field.distance(cell)?;
        let mut cells = vec![cell];
        while let Some(next) = field.next_cell(cell) {
            cell = next;
            cells.push(cell);
        }
        let side = metres(frame.cell);
        let length = |pair: &[CellIndex]| {
            let [(ax, ay), (bx, by)] = [frame.column_row(pair[0]), frame.column_row(pair[1])];
            if ax != bx && ay != by { side * std::f64::consts::SQRT_2 } else { side }
        };
        Some(Route {
            cost,
            length_m: cells.windows(2).map(length).sum(),
            cells: cells.iter().map(|&c| frame.column_row(c).into()).collect(),
            points_m: cells.iter().map(|&c| self.scenario.area.frame.metres(frame.centre(c))).collect(),
        })
    }

    /// What guidance says at a place.
    pub fn place(&self, field: &Field, at: Point) -> PlaceReport {
        let frame = self.scenario.grid;
        let cell = frame.nearest_cell(at);
        let transition = field.transition();
        let guide = field.guide(at);
        let (guide_word, remaining_cost, direction) = match guide {
            Guide::Way { toward, cost } => ("way", Some(cost), Some(toward)),
            Guide::AtGoal { cost } => ("at goal", Some(cost), None),
            Guide::Unreachable => ("unreachable", None, None),
            Guide::NotSolved | Guide::NoDescent => ("no descent", None, None),
        };
        let moves = Step::ALL.into_iter().filter_map(|step| {
            let cost = transition.cost(&self.scenario.guidance.solver, cell, step)?;
            Some(LegalMove { to: compass(step).to_owned(), cost })
        });
        PlaceReport {
            cell: frame.column_row(cell).into(),
            centre_m: self.scenario.area.frame.metres(frame.centre(cell)),
            walkable: self.site.terrain().contains(at),
            open: transition.moves.is_open(cell),
            price: transition.price.values[cell as usize].into(),
            speed: self.site.speed_factor(at).into(),
            distance: field.distance(cell).filter(|_| transition.moves.is_open(cell)),
            remaining_cost: remaining_cost.map(f64::from),
            direction: direction.map(|d| [d.x.into(), d.y.into()]),
            next_cell: field.next_cell(cell).map(|c| frame.column_row(c).into()),
            guide: guide_word.to_owned(),
            moves: moves.collect(),
        }
    }

    /// A field in numbers, its arrows followed from every cell.
    pub fn report(&self, field: &Field) -> FieldReport {
        let frame = self.scenario.grid;
        let moves = &field.transition().moves;
        let cells = || 0..frame.len() as CellIndex;
        let is_reachable: Vec<bool> = cells().map(|c| field.is_reachable(c)).collect();
        let distances = || cells().filter(|&c| is_reachable[c as usize]).filter_map(|c| field.distance(c));
        FieldReport {
            cells: frame.len() as u64,
            open: cells().filter(|&c| moves.is_open(c)).count() as u64,
            reachable: distances().count() as u64,
            goal: distances().filter(|d| *d <= 0.0).count() as u64,
            pockets: pockets(
                frame.len(),
                |c| moves.is_open(c) && !is_reachable[c as usize],
                |c, step| moves.neighbour(c, step).filter(|_| moves.is_legal(c, step)),
            ),
            distance_max: distances().fold(0.0, f64::max),
            fallbacks: field.fallbacks().into(),
            arrows_arrive: arrows_arrive(field, frame.len()),
            bytes: field.bytes(),
        }
    }
}

/// The remaining cost from each place to the cell that holds `to`, whose centre counts; `None` where no way is.
pub fn costs_to(
    scenario: &Scenario,
    transition: &Transition,
    to: Point,
    from: &[Point],
    workers: &Workers,
) -> Vec<Option<f64>> {
    let frame = scenario.grid;
    let Some(goal) = frame.cell_at(to).filter(|&c| transition.moves.is_open(c)) else {
        return vec![None; from.len()];
    };
    // Costs alone: no directions are kept.
    let guidance = Guidance { derivation: Derivation::OnDemand, ..scenario.guidance.clone() };
    let field = Field::build(transition.clone(), &[goal], &guidance, workers);
    let cost = |&at: &Point| match frame.cell_at(at) {
        _ if !scenario.area.contains(at) => None,
        Some(cell) if frame.centre(cell) == at => field.distance(cell).filter(|_| field.is_reachable(cell)),
        _ => field.remaining_cost(at).map(f64::from),
    };
    from.iter().map(cost).collect()
}

/// From a closed cell: the reachable cell that guidance leads to first.
fn step_out(field: &Field, from: Point) -> Option<CellIndex> {
    let Guide::Way { toward, .. } = field.guide(from) else { return None };
    let frame = field.transition().moves.frame();
    let reach =
        |cells: f32| from.plus(crate::base::Offset::nearest(toward * cells * metres(frame.cell) as f32));
    (1..=16).filter_map(|half| frame.cell_at(reach(half as f32 / 2.0))).find(|&c| field.is_reachable(c))
}

fn compass(step: Step) -> &'static str {
    match step.delta() {
        (0, 1) => "N",
        (1, 1) => "NE",
        (1, 0) => "E",
        (1, -1) => "SE",
        (0, -1) => "S",
        (-1, -1) => "SW",
        (-1, 0) => "W",
        _ => "NW",
    }
}

/// Connected groups of cells.
fn pockets(
    cells: usize,
    belongs: impl Fn(CellIndex) -> bool,
    to: impl Fn(CellIndex, Step) -> Option<CellIndex>,
) -> u64 {
    let mut seen = vec![false; cells];
    let mut count = 0;
    for start in 0..cells as CellIndex {
        if seen[start as usize] || !belongs(start) {
            continue;
        }
        count += 1;
        seen[start as usize] = true;
        let mut open = vec![start];
        while let Some(cell) = open.pop() {
            for next in Step::ALL.into_iter().filter_map(|step| to(cell, step)) {
                if !seen[next as usize] && belongs(next) {
                    seen[next as usize] = true;
                    open.push(next);
                }
            }
        }
    }
    count
}

/// Cells from which following the arrows, each to the cell it points into, arrives. In order of distance: a cell
/// arrives where its arrow is legal and leads to a closer cell that does.
fn arrows_arrive(field: &Field, cells: usize) -> u64 {
    let moves = &field.transition().moves;
    let mut order: Vec<(f64, CellIndex)> = (0..cells as CellIndex)
        .filter(|&c| field.is_reachable(c))
        .filter_map(|c| Some((field.distance(c)?, c)))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut arrives = vec![false; cells];
    for &(distance, cell) in &order {
        let next = || {
            let step = field.arrow(cell).filter(|&s| moves.is_legal(cell, s))?;
            moves.neighbour(cell, step).filter(|&n| field.distance(n).is_some_and(|d| d < distance))
        };
        arrives[cell as usize] = distance <= 0.0 || next().is_some_and(|n| arrives[n as usize]);
    }
    arrives.iter().filter(|a| **a).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = r#"
format = 1
name = "strip"
[area]
map = """
#######
#A....#
#.###.#
#.#P#G#
#.###.#
#.....#
#######
"""
legend = { A = "start", G = "exit", P = "pocket" }
[[goal]]
name = "out"
region = "exit"
[guidance]
distance = "dijkstra"
direction = "parent"
"#;

    fn survey() -> (Survey, Arc<Field>) {
        let scenario = Arc::new(Scenario::from_parts(MAP, "map.toml", &|_| Err(String::new())).unwrap());
        let mut survey = Survey::new(&scenario, 1);
        let field = survey.field(GoalId(0), ClassId(0)).unwrap();
        (survey, field)
    }

    #[test]
    fn a_route_is_complete_and_costs_what_the_field_says() {
        let (survey, field) = survey();
        let from = survey.scenario.place([1.5, 5.5]).unwrap();
        let route = survey.route(&field, from).unwrap();
        assert_eq!(route.cells, [[1, 5], [2, 5], [3, 5], [4, 5], [5, 5], [5, 4], [5, 3]]);
        assert_eq!((route.cost, route.length_m), (6.0, 6.0));
        assert_eq!(route.points_m[0], [1.5, 5.5]);
        let text = serde_json::to_string(&route).unwrap();
        assert_eq!(serde_json::from_str::<Route>(&text).unwrap(), route);
        let pocket = survey.scenario.place([3.5, 3.5]).unwrap();
        assert_eq!(survey.route(&field, pocket), None);
        let at_wall = survey.scenario.place([1.01, 5.5]).unwrap();
        assert_eq!(survey.route(&field, at_wall).unwrap().cost, 6.0);
    }

    #[test]
    fn a_field_is_told_in_numbers() {
        let (survey, field) = survey();
        let report = survey.report(&field);
        assert_eq!((report.cells, report.open, report.reachable, report.goal), (49, 17, 16, 1));
        assert_eq!((report.pockets, report.arrows_arrive, report.distance_max), (1, 16, 8.0));
    }

    #[test]
    fn a_place_is_told_with_its_moves() {
        let (survey, field) = survey();
        let place = survey.place(&field, survey.scenario.place([1.5, 5.5]).unwrap());
        assert_eq!((place.cell, place.distance, place.next_cell), ([1, 5], Some(6.0), Some([2, 5])));
        assert_eq!(place.direction, Some([1.0, 0.0]));
        let moves: Vec<&str> = place.moves.iter().map(|m| m.to.as_str()).collect();
        assert_eq!(moves, ["E", "S"]);
        let pocket = survey.place(&field, survey.scenario.place([3.5, 3.5]).unwrap());
        assert_eq!((pocket.guide.as_str(), pocket.distance, pocket.moves.len()), ("unreachable", None, 0));
    }

    #[test]
    fn costs_to_a_place_are_told_in_the_order_asked() {
        let (mut survey, _) = survey();
        let place = |x, y| Point::new(x * 50_000, y * 50_000);
        let transition = survey.transition(ClassId(0));
        let from = [place(3, 11), place(7, 7), place(0, 0), place(11, 7)];
        let costs = |to| costs_to(&survey.scenario, &transition, to, &from, &Workers::new(1));
        assert_eq!(costs(place(11, 7)), [Some(6.0), None, None, Some(0.0)]);
        assert_eq!(costs(place(7, 5)), [None; 4]);
    }
}
