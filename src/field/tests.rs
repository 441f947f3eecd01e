//! Fields over real geometry: walkers that follow them alone, ridges, and laws on random maps.

use super::*;
use crate::base::{Frame, Offset, Point, Workers};
use crate::space::{Area, Body, Grid, GridFrame, Rect, Ring, Shape, Terrain, clearance_grid};
use glam::Vec2;
use std::sync::Arc;

fn at(x: f64, y: f64) -> Point {
    Point::new((x * 1e5).round() as i32, (y * 1e5).round() as i32)
}

fn ring(x0: f64, y0: f64, x1: f64, y1: f64) -> Ring {
    Rect { min: at(x0, y0), max: at(x1, y1) }.ring()
}

fn rect(x0: f64, y0: f64, x1: f64, y1: f64) -> Shape {
    Shape::Polygon(vec![ring(x0, y0, x1, y1)])
}

/// Walkable ground with one goal, and the field for one body.
struct Hall {
    terrain: Terrain,
    goals: Vec<Shape>,
    radius: i32,
    field: Field,
}

struct Plan<'a> {
    walkable: &'a [Vec<Ring>],
    obstacles: Vec<Shape>,
    goals: Vec<Shape>,
    cell_m: f64,
    radius_m: f64,
    guidance: Guidance,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Self {
            walkable: &[],
            obstacles: vec![],
            goals: vec![],
            cell_m: 0.1,
            radius_m: 0.18,
            guidance: Guidance::default(),
        }
    }
}

impl Plan<'_> {
    fn hall(self, is_ring: bool) -> Hall {
        let area = Area::from_polygons(Frame::default(), self.walkable, self.obstacles, is_ring).unwrap();
        let (cell, radius) = ((self.cell_m * 1e5).round() as i32, (self.radius_m * 1e5).round() as i32);
        let max = area.bounds().max;
        let up = |v: i32| ((v + cell - 1) / cell) as u32;
        let frame = GridFrame { columns: up(max.x), rows: up(max.y), cell, ring: is_ring };
        let terrain = Terrain::new(Arc::new(area), vec![], radius + 3 * cell);
        let clearance = clearance_grid(&terrain, frame, radius + 2 * cell);
        let moves = Moves::new(&MovesInput {
            terrain: &terrain,
            clearance: &clearance,
            radius,
            closed: &Grid::filled(frame, false),
            one_way: &[],
            guidance: &self.guidance,
        });
        let cells = goal_cells(&GoalInput {
            terrain: &terrain,
            radius,
            shapes: &self.goals.iter().map(|shape| (shape, 0)).collect::<Vec<_>>(),
            moves: &moves,
        });
        let transition = Transition { moves: Arc::new(moves), price: Arc::new(Grid::filled(frame, 1.0)) };
        let field = Field::build(transition, &cells, &self.guidance, &Workers::new(1));
        Hall { terrain, goals: self.goals, radius, field }
    }
}

/// How a walker came through.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    length_m: f64,
    /// Steps that a wall shortened or turned.
    slides: u32,
    /// The smallest cosine between a step and the one before.
    sharpest: f32,
}

const STEP_M: f32 = 0.067;

impl Hall {
    fn may_stand(&self, p: Point) -> bool {
        self.terrain.is_free(Body { at: p, radius: self.radius })
    }

    /// A step along the field, slid along walls or shortened where one is in the way.
    fn step(&self, p: Point, toward: Vec2) -> Option<(Point, bool)> {
        let clear = |v: Vec2| {
            let to = p.plus(Offset::nearest(v));
            (to != p && self.terrain.is_clear(Body { at: p, radius: self.radius }, to)).then_some(to)
        };
        let whole = toward * STEP_M;
        if let Some(to) = clear(whole) {
            return Some((to, false));
        }
        let axes = [Vec2::new(whole.x, 0.0), Vec2::new(0.0, whole.y)];
        let turned = if toward.x.abs() >= toward.y.abs() { axes } else { [axes[1], axes[0]] };
        // Along the nearest wall, a hair away from it: round a corner the straight way would cut it.
        let walls = self.terrain.walls_near(p).map(|w| w.offset_to(p));
        let nearest = walls.min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        let normal = nearest.map_or(Vec2::ZERO, Vec2::normalize_or_zero);
        let along = whole - normal * whole.dot(normal).min(0.0);
        let aside = [1.0, 0.5, 0.25].map(|part| along * part + normal * (STEP_M * 0.01));
        let shorter = [whole * 0.5, whole * 0.25, turned[0] * 0.25, turned[1] * 0.25];
        let tries = aside.into_iter().chain(turned).chain(shorter);
        tries.into_iter().find_map(clear).map(|to| (to, true))
    }

    fn walk(&self, start: Point, most_m: f64) -> Result<Walk, String> {
        let (mut p, mut walk) = (start, Walk { sharpest: 1.0, ..Walk::default() });
        let mut before: Option<Vec2> = None;
        while !self.goals.iter().any(|g| g.contains(p)) {
            let toward = match self.field.guide(p) {
                Guide::Way { toward, .. } => toward,
                Guide::AtGoal { .. } => {
                    let anchors = self.goals.iter().filter_map(Shape::anchor);
                    let nearest = anchors.min_by_key(|a| a.minus(p).length_squared()).unwrap();
                    nearest.minus(p).metres().normalize()
                }
                other => return Err(format!("{other:?} at {p:?}, from {start:?}")),
            };
            let (to, slid) =
                self.step(p, toward).ok_or(format!("stuck at {p:?} to {toward}, from {start:?}"))?;
            walk.slides += u32::from(slid);
            walk.length_m += f64::from(to.minus(p).metres().length());
            walk.sharpest = walk.sharpest.min(before.map_or(1.0, |b| b.dot(toward)));
            before = Some(toward);
            p = to;
            if walk.length_m > most_m {
                return Err(format!("still under way after {most_m} m at {p:?}, from {start:?}"));
            }
        }
        Ok(walk)
    }
}

#[test]
fn a_straight_corridor_is_walked_straight() {
    let plan = Plan {
        walkable: &[vec![ring(0.0, 0.0, 40.0, 2.0)]],
        goals: vec![rect(39.0, 0.0, 40.0, 2.0)],
        ..Plan::default()
    };
    let hall = plan.hall(false);
    for y in [0.18, 0.181, 0.25, 0.5, 1.0, 1.37, 1.75, 1.82] {
        let walk = hall.walk(at(0.3, y), 60.0).unwrap();
        assert!(walk.slides == 0 && walk.length_m < 38.7 * 1.002 + 0.07, "y = {y}: {walk:?}");
    }
}

#[test]
fn a_corridor_hardly_wider_than_the_body_is_passed() {
    for (low, high, starts) in [(0.97, 1.33, false), (0.965, 1.335, true)] {
        pass_a_slit(low, high, starts);
    }
}

fn pass_a_slit(low: f64, high: f64, from_anywhere: bool) {
    let plan = Plan {
        walkable: &[
            vec![ring(0.0, 0.0, 3.0, 2.0)],
            vec![ring(3.0, low, 8.0, high)],
            vec![ring(8.0, 0.0, 11.0, 2.0)],
        ],
        goals: vec![rect(10.0, 0.0, 11.0, 2.0)],
        ..Plan::default()
    };
    let hall = plan.hall(false);
    let mut starts = vec![at(1.0, 1.15), at(5.0, 1.15)];
    for i in 0..if from_anywhere { 27 } else { 0 } {
        starts.extend((0..17).map(|j| at(0.18 + 0.1 * f64::from(i), 0.18 + 0.1 * f64::from(j))));
    }
    for start in starts.into_iter().filter(|&s| hall.may_stand(s)) {
        hall.walk(start, 20.0).unwrap();
    }
}

/// From anywhere a body can stand, and nearly as short as can be.
#[test]
fn a_bottleneck_is_passed_from_anywhere() {
    let plan = Plan {
        walkable: &[
            vec![ring(0.0, 0.0, 8.0, 7.0)],
            vec![ring(8.0, 3.1, 12.0, 3.9)],
            vec![ring(12.0, 0.0, 15.0, 7.0)],
        ],
        goals: vec![rect(14.0, 0.0, 15.0, 7.0)],
        ..Plan::default()
    };
    let hall = plan.hall(false);
    let (mut walked, mut shortest) = (0.0, 0.0);
    for i in 0..30 {
        for j in 0..40 {
            let (x, y) = (0.18 + 0.26 * f64::from(i), 0.18 + 0.1703 * f64::from(j));
            let start = at(x, y);
            if !hall.may_stand(start) {
                continue;
            }
            let walk = hall.walk(start, 40.0).unwrap();
            // To the nearest place in the mouth where a centre fits, then straight on: no way is shorter.
            let mouth = y.clamp(3.28, 3.72);
            walked += walk.length_m;
            shortest += ((8.0 - x) * (8.0 - x) + (y - mouth) * (y - mouth)).sqrt() + 6.0;
        }
    }
    assert!(walked <= 1.02 * shortest, "{walked} against {shortest}");
}

#[test]
fn an_inner_corner_is_taken_smoothly() {
    let plan = Plan {
        walkable: &[vec![ring(0.0, 0.0, 12.0, 2.0)], vec![ring(10.0, 0.0, 12.0, 12.0)]],
        goals: vec![rect(10.0, 11.0, 12.0, 12.0)],
        ..Plan::default()
    };
    let hall = plan.hall(false);
    for y in [0.18, 0.4, 1.0, 1.6, 1.82] {
        let walk = hall.walk(at(0.3, y), 40.0).unwrap();
        // Straight to the corner, about 0.25 m round it, then up.
        let shortest =
            ((9.82_f64 - 0.3 + 0.18) * (9.82 - 0.3 + 0.18) + (1.82 - y) * (1.82 - y)).sqrt() + 9.25;
        assert!(walk.length_m < 1.02 * shortest, "y = {y}: {walk:?}, shortest about {shortest}");
        // Along the wall and round the bare corner, a body's radius takes four steps.
        assert!(walk.sharpest > 0.55, "y = {y}: {walk:?}");
    }
}

/// A room with obstacles of all slants: whoever can stand anywhere arrives.
#[test]
fn every_place_to_stand_leads_to_the_goal() {
    let slanted = Shape::Polygon(vec![vec![at(2.0, 1.0), at(4.03, 2.21), at(3.7, 2.6), at(1.8, 1.4)]]);
    let spike = Shape::Polygon(vec![vec![at(5.0, 4.0), at(5.6, 0.0), at(6.2, 0.0)]]);
    let pillar = Shape::Circle { centre: at(3.0, 4.1), radius: 60_000 };
    let plan = Plan {
        walkable: &[vec![ring(0.0, 0.0, 8.0, 5.0)]],
        obstacles: vec![slanted, spike, pillar],
        goals: vec![rect(7.5, 0.0, 8.0, 1.0)],
        ..Plan::default()
    };
    let hall = plan.hall(false);
    let mut count = 0;
    for x in (18_000..782_000).step_by(4_973) {
        for y in (18_000..482_000).step_by(5_009) {
            let start = Point::new(x, y);
            if hall.may_stand(start) {
                hall.walk(start, 30.0).unwrap();
                count += 1;
            }
        }
    }
    assert!(count > 8_000, "only {count} places");
}

/// A square room of 10 m whose exits lie symmetrically.
fn room_with_exits(exits: Vec<Shape>) -> Hall {
    Plan { walkable: &[vec![ring(0.0, 0.0, 10.0, 10.0)]], goals: exits, ..Plan::default() }.hall(false)
}

/// On ridges between 2, 4 and 8 exits, and a unit beside them, nobody swings for ever.
#[test]
fn nobody_swings_between_symmetric_exits() {
    let walls = |from: f64, to: f64| {
        vec![
            rect(0.0, from, 0.3, to),
            rect(9.7, from, 10.0, to),
            rect(from, 0.0, to, 0.3),
            rect(from, 9.7, to, 10.0),
        ]
    };
    let two = walls(4.5, 5.5)[..2].to_vec();
    let mut eight = walls(2.0, 3.0);
    eight.extend(walls(7.0, 8.0));
    for (name, exits) in [("two", two), ("four", walls(4.5, 5.5)), ("eight", eight)] {
        let hall = room_with_exits(exits);
        for i in 0..=48 {
            let t = 20_000 + i * 20_000;
            let lines = [(t, 500_000), (500_000, t), (t, t), (t, 1_000_000 - t)];
            for (x, y) in lines {
                for (dx, dy) in [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)] {
                    let start = Point::new(x + dx, y + dy);
                    hall.walk(start, 16.0).unwrap_or_else(|e| panic!("{name} exits: {e}"));
                }
            }
        }
    }
}

/// B6: what is read between centres lies within the corners' hull, so no component exceeds theirs.
#[test]
fn a_reading_lies_between_its_corners() {
    let hall = room_with_exits(vec![rect(9.7, 2.0, 10.0, 3.0)]);
    let frame = hall.field.transition().moves.frame();
    for x in (150_003..850_000).step_by(7_919) {
        for y in (150_007..850_000).step_by(8_101) {
            let Guide::Way { toward, .. } = hall.field.guide(Point::new(x, y)) else { panic!("no way") };
            let low = frame.cell_at(Point::new(x - frame.cell / 2, y - frame.cell / 2)).unwrap();
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .map(|(dx, dy)| hall.field.direction(frame.neighbour(low, dx, dy).unwrap()).unwrap());
            // A cone from the origin: within the extreme corners on either side.
            let sides = corners.map(|c| c.perp_dot(toward));
            assert!(
                sides.iter().any(|&s| s >= -1e-3) && sides.iter().any(|&s| s <= 1e-3),
                "{toward} in {corners:?}"
            );
        }
    }
}

/// From one place to the next the direction changes little, across the edges of cells too, and by walls.
#[test]
fn directions_are_continuous() {
    let hall = Plan {
        walkable: &[vec![ring(0.0, 0.0, 12.0, 2.0)], vec![ring(10.0, 0.0, 12.0, 12.0)]],
        goals: vec![rect(10.0, 11.0, 12.0, 12.0)],
        ..Plan::default()
    }
    .hall(false);
    let mut worst = (1.0_f32, Point::new(0, 0));
    for i in 2..120 {
        for y in (18_000..182_000).step_by(1_009) {
            // An edge between two columns, from just left of it to just right of it.
            let (left, right) = (Point::new(i * 10_000 - 1, y), Point::new(i * 10_000, y));
            if !hall.may_stand(left) || !hall.may_stand(right) {
                continue;
            }
            let toward = |p: Point| match hall.field.guide(p) {
                Guide::Way { toward, .. } => Some(toward),
                _ => None,
            };
            let likeness = toward(left).zip(toward(right)).map_or(1.0, |(a, b)| a.dot(b));
            if likeness < worst.0 {
                worst = (likeness, left);
            }
        }
    }
    assert!(worst.0 > 0.9, "a jump across an edge: {worst:?}");
}

/// On a ring, moves and readings go on across the seam.
#[test]
fn a_seam_is_no_wall() {
    let plan = Plan {
        walkable: &[vec![ring(0.0, 0.0, 10.0, 1.0)]],
        goals: vec![rect(1.0, 0.0, 2.0, 1.0)],
        ..Plan::default()
    };
    let hall = plan.hall(true);
    for x in [9.0, 9.95, 9.999_99, 0.0, 0.05] {
        match hall.field.guide(at(x, 0.5)) {
            Guide::Way { toward, .. } => assert!(toward.x > 0.99, "x = {x}: {toward}"),
            other => panic!("x = {x}: {other:?}"),
        }
    }
    assert!((hall.field.remaining_cost(at(9.0, 0.5)).unwrap() - 2.05).abs() < 0.06);
}

/// A goal smaller than a cell, and a small one beside a large one, are goals all the same.
#[test]
fn small_goals_are_goals() {
    let corridor = [vec![ring(0.0, 0.0, 20.0, 2.0)]];
    let small = rect(15.01, 1.01, 15.03, 1.03);
    for goals in [vec![small.clone()], vec![rect(0.0, 0.0, 1.0, 2.0), small]] {
        let hall = Plan { walkable: &corridor, goals, ..Plan::default() }.hall(false);
        let cost = hall.field.remaining_cost(at(14.0, 1.0)).unwrap();
        assert!(cost < 1.2, "{cost}");
    }
}

fn moves_of(frame: GridFrame, terrain: &Terrain, radius: i32, diagonal: Diagonal) -> Moves {
    let clearance = clearance_grid(terrain, frame, radius + 2 * frame.cell);
    Moves::new(&MovesInput {
        terrain,
        clearance: &clearance,
        radius,
        closed: &Grid::filled(frame, false),
        one_way: &[],
        guidance: &Guidance { diagonal, ..Guidance::default() },
    })
}

/// Past one corner: strict never, one-flank for a body without extent, free always.
#[test]
fn diagonals_ask_for_their_flanks() {
    let frame = GridFrame { columns: 2, rows: 2, cell: 100_000, ring: false };
    let walls = |open: [bool; 4]| {
        let open = Grid { frame, values: open.to_vec() };
        Terrain::new(
            Arc::new(Area::from_cells(Frame::default(), &open, vec![], false).unwrap()),
            vec![],
            300_000,
        )
    };
    let north_east = Step::of((1, 1)).unwrap();
    let legal = |terrain: &Terrain, radius, diagonal| {
        moves_of(frame, terrain, radius, diagonal).is_legal(0, north_east)
    };
    let one_corner = walls([true, false, true, true]);
    assert!(!legal(&one_corner, 0, Diagonal::Strict));
    assert!(legal(&one_corner, 0, Diagonal::OneFlank));
    assert!(!legal(&one_corner, 18_000, Diagonal::OneFlank), "a body would cut the corner");
    assert!(legal(&one_corner, 0, Diagonal::Free));
    let gap = walls([true, false, false, true]);
    assert!(!legal(&gap, 0, Diagonal::OneFlank));
    assert!(legal(&gap, 0, Diagonal::Free));
}

/// Free diagonals are no leave to go through walls that are thinner than a cell.
#[test]
fn straight_moves_never_cross_a_thin_wall() {
    for diagonal in [Diagonal::Strict, Diagonal::OneFlank, Diagonal::Free] {
        let hall = Plan {
            walkable: &[vec![ring(0.0, 0.0, 4.0, 2.0)]],
            obstacles: vec![rect(1.99, 0.0, 2.01, 2.0)],
            goals: vec![rect(3.0, 0.0, 4.0, 2.0)],
            cell_m: 0.5,
            guidance: Guidance { diagonal, solver: Solver::Dijkstra, ..Guidance::default() },
            ..Plan::default()
        }
        .hall(false);
        assert_eq!(hall.field.remaining_cost(at(1.0, 1.0)), None, "{diagonal:?}");
    }
}

/// A body in a pocket behind a thin wall is never sent through that wall.
#[test]
fn nobody_is_sent_through_a_thin_wall() {
    // The pocket is 0.37 m wide, and no cell of it is open; the hall beyond the thin wall is.
    let hall = Plan {
        walkable: &[vec![ring(0.0, 0.0, 6.0, 3.0)], vec![ring(1.0, 3.02, 5.0, 3.39)]],
        goals: vec![rect(5.5, 0.0, 6.0, 3.0)],
        ..Plan::default()
    }
    .hall(false);
    for i in 0..36 {
        let p = at(1.2 + 0.1 * f64::from(i), 3.205);
        assert!(hall.may_stand(p));
        let guide = hall.field.guide(p);
        assert!(!matches!(guide, Guide::Way { .. } | Guide::AtGoal { .. }), "{guide:?} at {p:?}");
    }
}

/// The discrete equation holds exactly, with prices beyond what buckets hold too.
#[test]
fn dear_ground_gives_the_same_bits_with_every_solver() {
    let frame = GridFrame { columns: 31, rows: 23, cell: 10_000, ring: false };
    let open: Vec<bool> = (0..frame.len()).map(|i| (i * 7919 + i / 13) % 5 != 0 || i == 0).collect();
    let area = Area::from_cells(Frame::default(), &Grid { frame, values: open }, vec![], false).unwrap();
    let terrain = Terrain::new(Arc::new(area), vec![], 30_000);
    for dearest in [1.0, 8.0, 300.0, 1e6] {
        let price = (0..frame.len()).map(|i| 1.0 + dearest * ((i * 31) % 17) as f32 / 17.0).collect();
        let price = Arc::new(Grid { frame, values: price });
        let bits = |solver: Solver, threads: usize| -> Vec<Option<u64>> {
            let guidance = Guidance { solver, ..Guidance::default() };
            let moves = Arc::new(moves_of(frame, &terrain, 0, Diagonal::Strict));
            let transition = Transition { moves, price: price.clone() };
            let field = Field::build(transition, &[0, 200], &guidance, &Workers::new(threads));
            (0..frame.len() as u32).map(|c| field.distance(c).map(f64::to_bits)).collect()
        };
        let marching = bits(Solver::FastMarching, 1);
        assert!(marching.iter().flatten().count() > 300);
        assert_eq!(marching, bits(Solver::FastSweeping, 1), "{dearest}");
        assert_eq!(marching, bits(Solver::FastIterative, 1), "{dearest}");
        assert_eq!(marching, bits(Solver::FastIterative, 3), "{dearest}");
        assert_eq!(bits(Solver::Dijkstra, 1), bits(Solver::BucketDijkstra, 1), "{dearest}");
    }
}

#[test]
fn the_store_keeps_to_its_budget_in_a_fixed_order() {
    use crate::base::{ClassId, GoalId, Tick};
    let hall = room_with_exits(vec![rect(9.7, 2.0, 10.0, 3.0)]);
    let field = Arc::new(hall.field);
    let key =
        |goal| FieldKey { goal: GoalId(goal), class: ClassId(0), ground_version: 0, congestion_version: 0 };
    let mut store = FieldStore::new(3 * field.bytes());
    for goal in [2, 0, 1] {
        store.insert(key(goal), field.clone(), Tick(1));
    }
    assert!(store.get(key(0), Tick(2)).is_some() && store.get(key(7), Tick(2)).is_none());
    store.insert(key(3), field.clone(), Tick(2));
    assert_eq!(store.keys(), [key(0), key(2), key(3)], "of equally old ones the smaller key goes");
    let counters = store.counters();
    assert_eq!((counters.hits, counters.misses, counters.builds, counters.evictions), (1, 1, 4, 1));
    assert_eq!(counters.bytes, 3 * field.bytes());
    store.retain(|k| k.goal == GoalId(2));
    assert_eq!((store.keys(), store.counters().bytes), (vec![key(2)], field.bytes()));
}

/// Beside a wide exit, along the wall, one is at the goal no sooner than in the middle.
#[test]
fn a_closed_cell_beside_the_goal_is_not_the_goal() {
    let plan = Plan {
        walkable: &[vec![ring(0.0, 0.0, 10.0, 8.0)]],
        goals: vec![rect(9.0, 0.0, 10.0, 8.0)],
        ..Plan::default()
    };
    let hall = plan.hall(false);
    for y in [0.18, 0.19, 4.0, 7.81, 7.82] {
        for x in [8.7, 8.81, 8.85, 8.93, 8.99] {
            match hall.field.guide(at(x, y)) {
                Guide::Way { toward, cost } => {
                    assert!(toward.x > 0.6 && cost < 0.5, "({x}, {y}): {toward}, {cost}");
                }
                other => panic!("({x}, {y}): {other:?}"),
            }
        }
    }
}

/// A slit between two halls, straight or slanted; the passage through it is lost with cells that are too large, and kept
/// with those that the report asks for, wherever the grid lies.
#[test]
fn lost_passages_are_told_with_the_cell_that_keeps_them() {
    let walkable = [vec![ring(0.0, 0.0, 9.0, 6.0)]];
    let straight = [rect(4.0, 0.0, 5.0, 2.3), rect(4.0, 2.8, 5.0, 6.0)];
    let slanted = [
        Shape::Polygon(vec![vec![at(3.0, 0.0), at(4.0, 0.0), at(5.0, 2.3), at(4.0, 2.3)]]),
        Shape::Polygon(vec![vec![at(4.2, 2.85), at(5.2, 2.8), at(6.5, 6.0), at(5.5, 6.0)]]),
    ];
    let posts = [rect(4.0, 0.0, 4.2, 2.3), rect(4.35, 2.7, 4.5, 6.0)];
    for obstacles in [straight, slanted, posts] {
        let plan = |cell_m: f64| Plan {
            walkable: &walkable,
            obstacles: obstacles.to_vec(),
            goals: vec![rect(8.0, 0.0, 9.0, 6.0)],
            cell_m,
            ..Plan::default()
        };
        let lost = |cell_m: f64| {
            let hall = plan(cell_m).hall(false);
            let reached = hall.field.remaining_cost(at(1.0, 1.0)).is_some();
            (lost_passages(&hall.terrain, hall.radius, &hall.field.transition().moves), reached)
        };
        let (passages, reached) = lost(0.37);
        assert!(!reached && passages.len() == 1, "{passages:?}");
        let passage = passages[0];
        assert!((36_000..=51_000).contains(&passage.width), "{passage:?}");
        assert!((at(4.6, 2.5).minus(passage.at).length_squared() as f64).sqrt() < 70_000.0, "{passage:?}");
        let keeping = f64::from(passage.keeping_cell.unwrap()) / 1e5;
        assert!((0.02..0.16).contains(&keeping), "{passage:?}");
        for part in [1.0, 0.93, 0.81, 0.67] {
            let (passages, reached) = lost((keeping * part * 1e5).floor() / 1e5);
            assert!(passages.is_empty() && reached, "{keeping} m times {part}: {passages:?}");
        }
    }
}

/// Walls that leave no body through, niches and wide openings are no lost passages.
#[test]
fn what_is_no_passage_is_not_told() {
    let walkable = [vec![ring(0.0, 0.0, 9.0, 6.0)]];
    let plan = |gap_m: f64| Plan {
        walkable: &walkable,
        obstacles: vec![
            rect(4.0, 0.0, 5.0, 2.3),
            rect(4.0, 2.3 + gap_m, 5.0, 6.0),
            // A niche as deep as a hand.
            rect(1.0, 0.0, 1.3, 0.1),
            rect(1.7, 0.0, 2.0, 0.1),
        ],
        goals: vec![rect(8.0, 0.0, 9.0, 6.0)],
        ..Plan::default()
    };
    for gap_m in [0.2, 0.359, 0.5, 0.8, 2.0] {
        let hall = plan(gap_m).hall(false);
        let lost = lost_passages(&hall.terrain, hall.radius, &hall.field.transition().moves);
        assert!(lost.is_empty(), "{gap_m}: {lost:?}");
    }
}

/// Doors that open and close anywhere: repaired clearance and moves are those made anew.
#[test]
fn repaired_moves_are_those_made_anew() {
    use crate::base::{Draws, Purpose};
    use crate::space::{Solid, repair_clearance};
    let slanted = Shape::Polygon(vec![vec![at(2.0, 1.0), at(4.03, 2.21), at(3.7, 2.6), at(1.8, 1.4)]]);
    let walkable = [vec![ring(0.0, 0.0, 8.0, 5.0)]];
    let area = Area::from_polygons(Frame::default(), &walkable, vec![slanted], false).unwrap();
    let frame = GridFrame { columns: 80, rows: 50, cell: 10_000, ring: false };
    let mut draws = Draws::at(5, Purpose::Choice, 1, 0, 0);
    let mut solid = || {
        let (x, y) = (draws.between(-0.5, 7.9), draws.between(-0.5, 4.9));
        let shape = rect(x, y, x + draws.between(0.05, 1.5), y + draws.between(0.05, 1.5));
        Solid { shape, closed: draws.unit() < 0.5 }
    };
    let solids: Vec<Solid> = (0..12).map(|_| solid()).collect();
    let mut terrain = Terrain::new(Arc::new(area), solids.clone(), 80_000);
    let (radius, cap) = (18_000, 38_000);
    let closed = Grid::filled(frame, false);
    let one_way = [(rect(5.0, 0.0, 5.5, 5.0), [1.0, 0.0])];
    let guidance = Guidance::default();
    let mut clearance = clearance_grid(&terrain, frame, cap);
    let mut moves: Option<Moves> = None;
    for i in 0..60 {
        let door = (i * 7 + i / 12) % solids.len();
        terrain.change_solids(|s| s[door].closed = !s[door].closed);
        let changed = solids[door].shape.bounds().unwrap();
        repair_clearance(&terrain, cap, changed, &mut clearance);
        assert_eq!(clearance, clearance_grid(&terrain, frame, cap), "edit {i}");
        let input = MovesInput {
            terrain: &terrain,
            clearance: &clearance,
            radius,
            closed: &closed,
            one_way: &one_way,
            guidance: &guidance,
        };
        let anew = Moves::new(&input);
        let repaired = moves.take().map_or_else(|| anew.clone(), |m| m.repaired(&input, &[changed]));
        assert!(repaired == anew, "edit {i}");
        moves = Some(repaired);
    }
}
