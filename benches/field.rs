//! What a field costs, layer by layer: on open ground, 30 % random obstacles and a maze, at 256, 1024 and 4096 cells a side,
//! next to plain textbook solvers of the same equations.
//!
//! `cargo bench --bench field`; divan prints medians and cells per second. Compare within one run: machines are noisy.

mod textbook;

use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;
use throng::base::{Frame, Point, Workers};
use throng::field::{Derivation, Field, Guidance, Moves, MovesInput, Solver, Transition};
use throng::space::{Area, Grid, GridFrame, Rect, Terrain, clearance_grid};

fn main() {
    divan::main();
}

/// Units; the side of a cell.
const CELL: i32 = 10_000;

const fn square(side: u32) -> GridFrame {
    GridFrame { columns: side, rows: side, cell: CELL, ring: false }
}

const FRAME: GridFrame = square(1024);

/// What stands on a map.
#[derive(Clone, Copy, Debug)]
enum Ground {
    Open,
    /// Three cells in ten are solid.
    Random,
    /// Corridors one cell wide without loops.
    Maze,
}

const GROUNDS: [Ground; 3] = [Ground::Open, Ground::Random, Ground::Maze];

/// Numbers that look random and are the same everywhere.
fn hash(i: u64) -> u64 {
    let x = (i ^ (i >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)) >> 33
}

/// Which cells are open.
fn map(ground: Ground, frame: GridFrame) -> Grid<bool> {
    match ground {
        Ground::Open => Grid::filled(frame, true),
        Ground::Random => {
            let is_open = |i: u64| i == 0 || hash(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)) % 100 >= 30;
            Grid { frame, values: (0..frame.len() as u64).map(is_open).collect() }
        }
        Ground::Maze => maze(frame),
    }
}

/// A maze on the even cells, dug depth first.
fn maze(frame: GridFrame) -> Grid<bool> {
    let mut open = Grid::filled(frame, false);
    let mut way = vec![(0_i64, 0_i64)];
    open[0] = true;
    let mut turn = 0;
    while let Some(&(x, y)) = way.last() {
        turn += 1;
        let sides = [(2, 0), (0, 2), (-2, 0), (0, -2)].map(|(dx, dy)| (x + dx, y + dy));
        let solid = |&(x, y): &(i64, i64)| frame.index(x, y).is_some_and(|cell| !open[cell]);
        let ahead: Vec<(i64, i64)> = sides.into_iter().filter(solid).collect();
        if ahead.is_empty() {
            way.pop();
            continue;
        }
        let next = ahead[hash(turn) as usize % ahead.len()];
        for (x, y) in [next, (i64::midpoint(x, next.0), i64::midpoint(y, next.1))] {
            open[frame.index(x, y).expect("it lies between two cells of the map")] = true;
        }
        way.push(next);
    }
    open
}

fn transition(open: &Grid<bool>) -> Transition {
    Transition {
        moves: Arc::new(Moves::between_cells(open, &Guidance::default())),
        price: Arc::new(Grid::filled(open.frame, 1.0)),
    }
}

fn fields(bencher: Bencher<'_, '_>, (ground, side): (Ground, u32), guidance: &Guidance) {
    let transition = transition(&map(ground, square(side)));
    bencher
        .counter(ItemsCount::new(square(side).len()))
        .bench_local(|| Field::build(transition.clone(), &[0], guidance, &Workers::new(1)));
}

/// Every ground at every size.
const MAPS: [(Ground, u32); 9] = {
    let mut maps = [(Ground::Open, 0); 9];
    let mut i = 0;
    while i < 9 {
        maps[i] = (GROUNDS[i % 3], [256, 1024, 4096][i / 3]);
        i += 1;
    }
    maps
};

fn distances(bencher: Bencher<'_, '_>, map: (Ground, u32), solver: Solver) {
    fields(bencher, map, &Guidance { solver, derivation: Derivation::OnDemand, ..Guidance::default() });
}

/// The eikonal equation; also what lends guidance to closed cells, which are none here.
#[divan::bench(args = MAPS, sample_count = 5)]
fn eikonal_marching(bencher: Bencher<'_, '_>, map: (Ground, u32)) {
    distances(bencher, map, Solver::FastMarching);
}

/// Octile distances.
#[divan::bench(args = MAPS, sample_count = 5)]
fn octile_buckets(bencher: Bencher<'_, '_>, map: (Ground, u32)) {
    distances(bencher, map, Solver::BucketDijkstra);
}

/// The same with a binary heap.
#[divan::bench(args = MAPS, sample_count = 5)]
fn octile_heap(bencher: Bencher<'_, '_>, map: (Ground, u32)) {
    distances(bencher, map, Solver::Dijkstra);
}

/// Distances and directions by the gradient; what is above `eikonal_marching` is the directions'.
#[divan::bench(args = MAPS, sample_count = 5)]
fn eikonal_and_gradient(bencher: Bencher<'_, '_>, map: (Ground, u32)) {
    fields(bencher, map, &Guidance::default());
}

/// For comparison.
#[divan::bench(args = MAPS, sample_count = 5)]
fn textbook_eikonal(bencher: Bencher<'_, '_>, (ground, side): (Ground, u32)) {
    let open = map(ground, square(side)).values;
    let items = ItemsCount::new(open.len());
    bencher.counter(items).bench_local(|| textbook::fast_marching(&open, side as usize, 0));
}

/// For comparison.
#[divan::bench(args = MAPS, sample_count = 5)]
fn textbook_octile(bencher: Bencher<'_, '_>, (ground, side): (Ground, u32)) {
    let open = map(ground, square(side)).values;
    let items = ItemsCount::new(open.len());
    bencher.counter(items).bench_local(|| textbook::dijkstra(&open, side as usize, 0));
}

/// A terrain with so many cells in a hundred solid.
fn terrain(ground: Ground) -> Terrain {
    let area = Area::from_cells(Frame::default(), &map(ground, FRAME), vec![], false);
    Terrain::new(Arc::new(area.expect("something is open")), vec![], 3 * FRAME.cell)
}

fn moves(terrain: &Terrain, clearance: &Grid<u32>) -> Moves {
    Moves::new(&MovesInput {
        terrain,
        clearance,
        radius: 0,
        closed: &Grid::filled(FRAME, false),
        one_way: &[],
        guidance: &Guidance::default(),
    })
}

/// From walls.
#[divan::bench(args = GROUNDS, sample_count = 5)]
fn clearance(bencher: Bencher<'_, '_>, ground: Ground) {
    let terrain = terrain(ground);
    let items = ItemsCount::new(FRAME.len());
    bencher.counter(items).bench_local(|| clearance_grid(&terrain, FRAME, 2 * FRAME.cell));
}

/// From walls and clearance.
#[divan::bench(args = GROUNDS, sample_count = 5)]
fn legal_moves(bencher: Bencher<'_, '_>, ground: Ground) {
    let terrain = terrain(ground);
    let clearance = clearance_grid(&terrain, FRAME, 2 * FRAME.cell);
    bencher.counter(ItemsCount::new(FRAME.len())).bench_local(|| moves(&terrain, &clearance));
}

/// How much of a field depends on what changes.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A door in the corner farthest from the goal: next to nothing.
    Far,
    /// A door in the middle: what lies in its shadow, which to the eikonal equation is a quarter of the map, too much.
    Middle,
}

/// A field after a door 3 m wide has closed, repaired if that is worth it; see [`rebuilds`] for what that saves.
#[divan::bench(args = [Place::Far, Place::Middle], consts = [0, 1], sample_count = 5)]
fn repairs<const SOLVER: usize>(bencher: Bencher<'_, '_>, place: Place) {
    let (before, after, goals, guidance) = door(place, SOLVER);
    bencher.bench_local(|| {
        let rebuild = || Field::build(after.clone(), &goals, &guidance, &Workers::new(1));
        before.repaired(&after, &goals).unwrap_or_else(rebuild)
    });
}

/// The same from scratch.
#[divan::bench(args = [Place::Far, Place::Middle], consts = [0, 1], sample_count = 5)]
fn rebuilds<const SOLVER: usize>(bencher: Bencher<'_, '_>, place: Place) {
    let (_, after, goals, guidance) = door(place, SOLVER);
    bencher.bench_local(|| Field::build(after.clone(), &goals, &guidance, &Workers::new(1)));
}

fn door(place: Place, solver: usize) -> (Field, Transition, [u32; 1], Guidance) {
    let solver = [Solver::FastMarching, Solver::Dijkstra][solver].clone();
    let guidance = Guidance { solver, ..Guidance::default() };
    let mut speed = Grid::filled(FRAME, 1.0);
    let goals = [0];
    let open = Transition::from_speeds(&speed, &guidance);
    let before = Field::build(open, &goals, &guidance, &Workers::new(1));
    let at = match place {
        Place::Far => 1000,
        Place::Middle => 512,
    };
    (0..30).for_each(|i| speed[(at + i / 2) * FRAME.columns + at - i / 2] = 0.0);
    (before, Transition::from_speeds(&speed, &guidance), goals, guidance)
}

/// Legal moves after a door has closed, repaired: compare `legal_moves`.
#[divan::bench(sample_count = 5)]
fn legal_moves_repaired(bencher: Bencher<'_, '_>) {
    let terrain = terrain(Ground::Random);
    let clearance = clearance_grid(&terrain, FRAME, 2 * FRAME.cell);
    let before = moves(&terrain, &clearance);
    let at = FRAME.centre(512 * FRAME.columns + 512);
    let changed = Rect { min: at, max: Point::new(at.x + 300_000, at.y) };
    let closed = Grid::filled(FRAME, false);
    let input = MovesInput {
        terrain: &terrain,
        clearance: &clearance,
        radius: 0,
        closed: &closed,
        one_way: &[],
        guidance: &Guidance::default(),
    };
    bencher.bench_local(|| before.repaired(&input, &[changed]));
}
