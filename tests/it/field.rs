//! Fields through the public interface: published cases, laws of the solvers, and arrows that arrive.

use crate::square::Square;
use std::sync::Arc;
use throng::base::{Draws, Frame, Point, Purpose, Workers};
use throng::field::{
    Derivation, Diagonal, Field, Guidance, Guide, Moves, MovesInput, Neighbourhood, Solver, Step, Transition,
    Weight,
};
use throng::space::{Area, Grid, GridFrame, Terrain, clearance_grid};

/// A world of unit cells from a drawing: `#` wall, `G` goal, `A` start; the top line is the highest row.
struct World {
    frame: GridFrame,
    terrain: Terrain,
    goals: Vec<u32>,
    start: Option<u32>,
}

const CELL: i32 = 100_000;

impl World {
    fn new(drawing: &[&str]) -> Self {
        let frame = GridFrame {
            columns: drawing[0].len() as u32,
            rows: drawing.len() as u32,
            cell: CELL,
            ring: false,
        };
        let chars: Vec<char> = drawing.iter().rev().flat_map(|line| line.chars()).collect();
        let open = Grid { frame, values: chars.iter().map(|&c| c != '#').collect() };
        let area = Area::from_cells(Frame::default(), &open, vec![], false).expect("something is open");
        let terrain = Terrain::new(Arc::new(area), vec![], 3 * CELL);
        let cells_of = |wanted: char| {
            (0..chars.len() as u32).filter(|&c| chars[c as usize] == wanted).collect::<Vec<_>>()
        };
        Self { frame, terrain, goals: cells_of('G'), start: cells_of('A').first().copied() }
    }

    /// Column and row counted from the top left.
    fn cell(&self, column: u32, from_top: u32) -> u32 {
        (self.frame.rows - 1 - from_top) * self.frame.columns + column
    }

    fn field(&self, radius: i32, price: Option<Grid<f32>>, guidance: &Guidance) -> Field {
        let clearance = clearance_grid(&self.terrain, self.frame, radius + 2 * CELL);
        let closed = Grid::filled(self.frame, false);
        let moves = Moves::new(&MovesInput {
            terrain: &self.terrain,
            clearance: &clearance,
            radius,
            closed: &closed,
            one_way: &[],
            guidance,
        });
        let price = price.unwrap_or_else(|| Grid::filled(self.frame, 1.0));
        let transition = Transition { moves: Arc::new(moves), price: Arc::new(price) };
        Field::build(transition, &self.goals, guidance, &Workers::new(1))
    }
}

fn dijkstra() -> Guidance {
    Guidance { solver: Solver::Dijkstra, derivation: Derivation::Parent, ..Guidance::default() }
}

/// B1: no diagonal squeezes through the corner of two walls.
#[test]
fn a_diagonal_gap_is_closed() {
    let world = World::new(&["A#", "#G"]);
    assert_eq!(world.field(0, None, &dijkstra()).distance(world.start.unwrap()), None);
    let world = World::new(&["A.", "#G"]);
    assert_eq!(world.field(0, None, &dijkstra()).distance(world.start.unwrap()), Some(2.0));
    let bodies = world.field(30_000, None, &dijkstra());
    assert_eq!(bodies.distance(world.start.unwrap()), Some(2.0));
}

/// B2: diagonals cost more than straights, and the way east is exactly east.
#[test]
fn diagonals_are_longer_than_straights() {
    let mut lines = vec!["......."; 7];
    lines[3] = "A.....G";
    let world = World::new(&lines);
    let field = world.field(0, None, &dijkstra());
    let at = |column, row| field.distance(world.cell(column, row)).unwrap();
    assert_eq!((at(0, 3), at(1, 3)), (6.0, 5.0));
    assert!((at(1, 2) - 5.414_213).abs() < 1e-5);
    assert_eq!(field.direction(world.cell(0, 3)), Some(glam::Vec2::X));
}

/// B3: with four-way distances and eight-way moves, no wall is cut.
#[test]
fn the_smallest_label_does_not_cut_a_wall() {
    let world = World::new(&["..G", "A#."]);
    let guidance = Guidance { solver: Solver::Labels, neighbours: Neighbourhood::Four, ..dijkstra() };
    let field = world.field(0, None, &guidance);
    assert_eq!(field.next_cell(world.start.unwrap()), Some(world.cell(0, 0)));
}

/// B4: the smallest label is not the cheapest way.
#[test]
fn a_costly_cell_is_walked_round() {
    let world = World::new(&[".G.", "A#.", "..."]);
    let mut price = Grid::filled(world.frame, 1.0);
    price[world.cell(0, 0)] = 8.0;
    let guidance = Guidance { neighbours: Neighbourhood::Four, ..dijkstra() };
    let field = world.field(0, Some(price), &guidance);
    let at = |column, row| field.distance(world.cell(column, row)).unwrap();
    assert_eq!((at(0, 0), at(0, 2), at(0, 1)), (1.0, 5.0, 6.0));
    assert_eq!(field.next_cell(world.start.unwrap()), Some(world.cell(0, 2)));
}

fn random_map(seed: u64, columns: usize, rows: usize, walls: f64) -> Vec<String> {
    let mut draws = Draws::at(seed, Purpose::Choice, 1, 0, 0);
    let mut lines: Vec<String> = (0..rows)
        .map(|_| (0..columns).map(|_| if draws.unit() < walls { '#' } else { '.' }).collect())
        .collect();
    lines[rows / 2].replace_range(0..1, "G");
    lines
}

fn random_price(world: &World, seed: u64) -> Grid<f32> {
    let mut draws = Draws::at(seed, Purpose::Choice, 2, 0, 0);
    Grid {
        frame: world.frame,
        values: (0..world.frame.len()).map(|_| draws.between(1.0, 9.0) as f32).collect(),
    }
}

/// Bellman: in every cell the distance is exactly the cheapest legal step and what remains from there.
#[test]
fn graph_distances_satisfy_bellman_exactly() {
    let kernel = Solver::Kernel([[4.0, 3.0, 4.0], [3.0, 0.0, 3.0], [4.0, 3.0, 4.0]]);
    for seed in 0..12 {
        let map = random_map(seed, 23, 17, 0.25);
        let world = World::new(&map.iter().map(String::as_str).collect::<Vec<_>>());
        for solver in [Solver::Dijkstra, Solver::BucketDijkstra, kernel.clone()] {
            for diagonal in [Diagonal::Strict, Diagonal::OneFlank, Diagonal::Free] {
                let guidance = Guidance { solver: solver.clone(), diagonal, ..dijkstra() };
                let field = world.field(0, Some(random_price(&world, seed)), &guidance);
                let transition = field.transition();
                for cell in 0..world.frame.len() as u32 {
                    let through = |step: Step| {
                        let rest = field.distance(transition.moves.neighbour(cell, step)?)?;
                        Some(transition.cost(&solver, cell, step)? + rest)
                    };
                    let best = Step::ALL.into_iter().filter_map(through).min_by(f64::total_cmp);
                    let expected = if world.goals.contains(&cell) { Some(0.0) } else { best };
                    assert_eq!(
                        field.distance(cell).map(f64::to_bits),
                        expected.map(f64::to_bits),
                        "seed {seed}, cell {cell}"
                    );
                }
            }
        }
    }
}

/// Marching, sweeping and iterating end in the same bits, whatever the order and the number of threads.
#[test]
fn eikonal_solvers_agree_bit_for_bit() {
    for (seed, order, factored) in (0..12).map(|seed| (seed, 1 + (seed % 2) as u8, seed % 3 == 0)) {
        let map = random_map(seed, 41, 29, 0.2);
        let world = World::new(&map.iter().map(String::as_str).collect::<Vec<_>>());
        let distances = |solver: Solver| -> Vec<Option<u64>> {
            let guidance = Guidance { solver, order, factored, ..Guidance::default() };
            let field = world.field(0, Some(random_price(&world, seed)), &guidance);
            (0..world.frame.len() as u32).map(|c| field.distance(c).map(f64::to_bits)).collect()
        };
        let marching = distances(Solver::FastMarching);
        assert_eq!(marching, distances(Solver::FastSweeping), "seed {seed}");
        assert_eq!(marching, distances(Solver::FastIterative), "seed {seed}");
    }
}

/// A point in the middle of [-1, 1]^2 at speed 1, or of [0, 1]^2 at speed 1 + 0.5 x + 0.3 y.
fn square(n: u32, grows: bool) -> Square {
    let (side, slope) = if grows { (1.0, (0.5, 0.3)) } else { (2.0, (0.0, 0.0)) };
    Square { n, side, goal: (n / 2, n / 2), slope }
}

/// First order from a point in the middle of [-1, 1]^2: the largest error is c h ln(1/h) with c in [0.33, 0.35].
#[test]
fn the_first_order_error_is_the_published_one() {
    for n in [40_u32, 80, 160, 320, 640] {
        let h = 2.0 / f64::from(n);
        let error = square(n, false).largest_error(&Guidance::default());
        let c = error / (h * libm::log(1.0 / h));
        assert!((0.33..=0.35).contains(&c), "N = {n}: error {error:.3e}, c = {c:.3}");
    }
}

/// Second order away from the point itself, around which its first cells leave an error of 0.66 / N; with the distance
/// factored it falls faster than 1 / N.
#[test]
fn second_order_keeps_its_error_bars() {
    let plain = Guidance { order: 2, ..Guidance::default() };
    let factored = Guidance { factored: true, ..plain.clone() };
    for n in [20, 40, 80, 160, 320] {
        let error = square(n, false).largest_error(&plain) * f64::from(n);
        assert!(error < 0.66, "N = {n}: {error} / N");
        let (error, bar) =
            (square(n, true).largest_error(&factored), 0.02 * f64::from(n).sqrt().recip() / f64::from(n));
        assert!(error < bar, "N = {n}: {error:.2e}, not below {bar:.2e}");
    }
}

/// Factored first order: 2.7e-4 at N = 40, falling as 1 / N; exact where the speed is 1.
#[test]
fn a_factored_distance_keeps_its_error_bars() {
    let guidance = Guidance { factored: true, ..Guidance::default() };
    for n in [20, 40, 80, 160, 320] {
        let even = square(n, false).largest_error(&guidance);
        assert!(even < 1e-6, "N = {n}: {even:.2e}");
        let grows = square(n, true).largest_error(&guidance) * f64::from(n);
        assert!(grows < 40.0 * 2.75e-4, "N = {n}: {grows} / N");
    }
}

/// Whatever changes, a repaired field has the bits of one made anew: distances, directions and what falls back.
#[test]
fn repaired_fields_are_those_made_anew() {
    let kernel = Solver::Kernel([[4.0, 3.0, 4.0], [3.0, 0.0, 3.0], [4.0, 3.0, 0.0]]);
    let solvers = [
        (Solver::FastMarching, Derivation::Gradient),
        (Solver::FastIterative, Derivation::Sobel),
        (Solver::Dijkstra, Derivation::Parent),
        (Solver::BucketDijkstra, Derivation::Weighted(Weight::Softmin)),
        (kernel, Derivation::BestNeighbour),
        (Solver::Labels, Derivation::OnDemand),
    ];
    let frame = GridFrame { columns: 47, rows: 35, cell: CELL, ring: false };
    let mut repaired_count = 0;
    for seed in 0..24_u64 {
        let (solver, derivation) = solvers[seed as usize % solvers.len()].clone();
        let guidance = Guidance { solver, derivation, ..Guidance::default() };
        let mut draws = Draws::at(seed, Purpose::Choice, 3, 0, 0);
        let speed_of = |draws: &mut Draws, walls: f64| {
            let (is_wall, speed) = (draws.unit() < walls, draws.between(0.1, 1.0) as f32);
            if is_wall { 0.0 } else { speed }
        };
        let mut speed =
            Grid { frame, values: (0..frame.len()).map(|_| speed_of(&mut draws, 0.25)).collect() };
        let goals = [3, 900];
        let build = |speed: &Grid<f32>| {
            Field::build(Transition::from_speeds(speed, &guidance), &goals, &guidance, &Workers::new(1))
        };
        let mut field = build(&speed);
        for edit in 0..12 {
            // A block becomes solid, open, or another ground; now and then a whole wall with a gap.
            let size = |most: f64, draws: &mut Draws| draws.between(1.0, most) as i64;
            let (x, y) = (size(46.0, &mut draws), size(34.0, &mut draws));
            let (w, h) = if edit % 4 == 3 { (1, 30) } else { (size(6.0, &mut draws), size(6.0, &mut draws)) };
            let walls = [0.0, 1.0, 0.3][edit % 3];
            for cell in (0..h).flat_map(|j| (0..w).filter_map(move |i| frame.index(x + i, y + j))) {
                speed[cell] = speed_of(&mut draws, walls);
            }
            let anew = build(&speed);
            let transition = Transition::from_speeds(&speed, &guidance);
            // Where much depends on the edit, there is none.
            let Some(repaired) = field.repaired(&transition, &goals) else {
                field = anew;
                continue;
            };
            for cell in 0..frame.len() as u32 {
                let of =
                    |f: &Field| (f.distance(cell).map(f64::to_bits), f.direction(cell), f.next_cell(cell));
                assert_eq!(of(&repaired), of(&anew), "seed {seed}, edit {edit}, cell {cell}");
            }
            assert_eq!(repaired.fallbacks(), anew.fallbacks(), "seed {seed}, edit {edit}");
            repaired_count += 1;
            field = repaired;
        }
    }
    assert!(repaired_count > 24 * 6, "{repaired_count} of {} edits", 24 * 12);
}

const MAPS: &[&[&str]] = &[
    &["#########", "#A......#", "#######.#", "#.......#", "#.#######", "#......G#", "#########"],
    &[
        "..........",
        ".########.",
        ".#......#.",
        ".#.####.#.",
        ".#.#G.#.#.",
        ".#.##.#.#.",
        ".#....#.#.",
        ".######.#.",
        "........#.",
    ],
    &["....#....", "....#....", ".........", "....#....", "##.###.##", "....#....", "........G", "....#...."],
    &["G.......G", ".........", ".........", ".........", "G.......G"],
];

/// Following arrows arrives from every reachable cell, never repeats a cell and never takes an illegal step.
#[test]
fn arrows_arrive_from_everywhere() {
    let derivations = [
        Derivation::Parent,
        Derivation::BestNeighbour,
        Derivation::Sobel,
        Derivation::Gradient,
        Derivation::OnDemand,
        Derivation::Weighted(Weight::Inverse),
        Derivation::Weighted(Weight::Softmin),
    ];
    let random: Vec<Vec<String>> = (0..6).map(|seed| random_map(seed, 25, 19, 0.3)).collect();
    let mut maps: Vec<Vec<&str>> = MAPS.iter().map(|m| m.to_vec()).collect();
    maps.extend(random.iter().map(|m| m.iter().map(String::as_str).collect()));
    for (i, map) in maps.iter().enumerate() {
        let world = World::new(map);
        let solvers = [(Solver::FastMarching, 1, false), (Solver::Dijkstra, 1, false)];
        let accurate = [(1, true), (2, false), (2, true)].map(|(o, f)| (Solver::FastMarching, o, f));
        for (solver, order, factored) in solvers.into_iter().chain(accurate) {
            for derivation in derivations {
                let guidance =
                    Guidance { solver: solver.clone(), derivation, order, factored, ..Guidance::default() };
                let field = world.field(0, None, &guidance);
                for start in (0..world.frame.len() as u32).filter(|&c| field.is_reachable(c)) {
                    follow(&world, &field, start).unwrap_or_else(|e| {
                        panic!("map {i}, {solver:?} {order}, {derivation:?}, from {start}: {e}")
                    });
                }
            }
        }
    }
}

fn follow(world: &World, field: &Field, start: u32) -> Result<(), String> {
    let mut cell = start;
    while !world.goals.contains(&cell) {
        let v = field.direction(cell).ok_or(format!("no direction in cell {cell}"))?;
        let part =
            |c: f32, other: f32| if c.abs() <= 0.414_213_57 * other.abs() { 0 } else { c.signum() as i32 };
        let step = Step::of((part(v.x, v.y), part(v.y, v.x))).ok_or("no step")?;
        if !field.transition().moves.is_legal(cell, step) {
            return Err(format!("illegal step from cell {cell}"));
        }
        let next = field.transition().moves.neighbour(cell, step).ok_or("off the grid")?;
        if field.distance(next) >= field.distance(cell) {
            return Err(format!("no closer after cell {cell}"));
        }
        cell = next;
    }
    Ok(())
}

/// Walkers on and next to every line of symmetry arrive: nobody swings between two exits for ever.
#[test]
fn nobody_swings_on_a_ridge() {
    let world = World::new(&[
        "GGG......GGG",
        "............",
        "............",
        "............",
        "............",
        "GGG......GGG",
    ]);
    let field = world.field(20_000, None, &Guidance::default());
    for (x, y) in [
        (6.0, 3.0),
        (6.0, 2.0),
        (6.0, 0.5),
        (3.0, 3.0),
        (9.5, 3.0),
        (6.0, 3.000_01),
        (5.999_99, 3.0),
        (0.3, 3.0),
    ] {
        let mut at = Point::new((x * 1e5) as i32, (y * 1e5) as i32);
        let mut steps = 0;
        while let Guide::Way { toward, .. } = field.guide(at) {
            at = at.plus(throng::base::Offset::nearest(toward * 0.067));
            steps += 1;
            assert!(steps < 200, "a walker from ({x}, {y}) is still at {at:?}");
        }
        assert!(matches!(field.guide(at), Guide::AtGoal { .. }), "({x}, {y}) ended as {:?}", field.guide(at));
    }
}

/// Off the beaten track there is an answer, never a panic.
#[test]
fn every_place_has_an_answer() {
    let world = World::new(MAPS[1]);
    for sampling in [throng::field::Sampling::Nearest, throng::field::Sampling::Bilinear] {
        let guidance = Guidance { sampling, ..Guidance::default() };
        for radius in [0, 20_000, 49_999] {
            let field = world.field(radius, None, &guidance);
            for x in (-150_000..1_200_000).step_by(9_973) {
                for y in (-150_000..1_100_000).step_by(11_003) {
                    if let Guide::Way { toward, cost } = field.guide(Point::new(x, y)) {
                        assert!((toward.length() - 1.0).abs() < 1e-4 && cost.is_finite() && cost >= 0.0);
                    }
                }
            }
        }
    }
}

/// Octile distances on maps of the `MovingAI` collection agree with its published lengths (Sturtevant 2012).
#[test]
fn published_octile_lengths_are_met() {
    let shared =
        std::env::var_os("THRONG_SHARED").map_or_else(|| crate::common::root().join("../shared"), Into::into);
    let folder: std::path::PathBuf = shared.join("data/movingai");
    if !folder.is_dir() {
        eprintln!("SKIPPED: no MovingAI files; set THRONG_SHARED to the folder that holds data/movingai");
        return;
    }
    for (map, every) in [("arena", 1), ("maze512-32-9", 800)] {
        let name = format!("{map}.map");
        let text = std::fs::read_to_string(folder.join(&name)).expect("the map is there");
        let queries =
            std::fs::read_to_string(folder.join(format!("{name}.scen"))).expect("its queries are there");
        let rows: Vec<&str> = text.lines().skip(4).collect();
        let drawn: Vec<String> = rows
            .iter()
            .map(|row| row.chars().map(|c| if matches!(c, '.' | 'G' | 'S') { '.' } else { '#' }).collect())
            .collect();
        let mut world = World::new(&drawn.iter().map(String::as_str).collect::<Vec<_>>());
        for (i, query) in queries.lines().skip(1).step_by(every).enumerate() {
            let numbers: Vec<f64> = query.split('\t').skip(4).map(|n| n.parse().expect("a number")).collect();
            let [x, y, gx, gy, length] = numbers[..] else { panic!("{name}, query {i}: {query}") };
            world.goals = vec![world.cell(gx as u32, gy as u32)];
            let found = world.field(0, None, &dijkstra()).distance(world.cell(x as u32, y as u32));
            let found = found.unwrap_or(f64::INFINITY);
            assert!(
                (found - length).abs() <= 1e-3 + 5e-6 * length,
                "{name}, query {i}: {found}, not {length}"
            );
        }
    }
}
