//! What a field costs, layer by layer, on an open and a random map of 1024 x 1024 cells.
//!
//! `cargo bench --bench field`; divan prints medians and cells per second. Compare within one run: machines are noisy.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;
use throng::base::{Frame, Point, Workers};
use throng::field::{Derivation, Field, Guidance, Moves, MovesInput, Solver, Transition};
use throng::space::{Area, Grid, GridFrame, Rect, Terrain, clearance_grid};

fn main() {
    divan::main();
}

const FRAME: GridFrame = GridFrame { columns: 1024, rows: 1024, cell: 10_000, ring: false };

/// A map with so many cells in a hundred solid.
fn terrain(solid: u64) -> Terrain {
    let is_open = |i: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) % 100 >= solid;
    let open = Grid { frame: FRAME, values: (0..FRAME.len() as u64).map(is_open).collect() };
    let area = Area::from_cells(Frame::default(), &open, vec![], false).expect("something is open");
    Terrain::new(Arc::new(area), vec![], 3 * FRAME.cell)
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

#[divan::bench(args = [0, 30], sample_count = 5)]
fn legal_moves(bencher: Bencher<'_, '_>, solid: u64) {
    let terrain = terrain(solid);
    let clearance = clearance_grid(&terrain, FRAME, 2 * FRAME.cell);
    bencher.counter(ItemsCount::new(FRAME.len())).bench_local(|| moves(&terrain, &clearance));
}

fn fields(bencher: Bencher<'_, '_>, solid: u64, guidance: &Guidance) {
    let terrain = terrain(solid);
    let moves = Arc::new(moves(&terrain, &clearance_grid(&terrain, FRAME, 2 * FRAME.cell)));
    let goal = (0..FRAME.len() as u32).find(|&c| moves.is_open(c)).expect("something is open");
    let transition = Transition { moves, price: Arc::new(Grid::filled(FRAME, 1.0)) };
    let workers = Workers::new(1);
    bencher
        .counter(ItemsCount::new(FRAME.len()))
        .bench_local(|| Field::build(transition.clone(), &[goal], guidance, &workers));
}

/// Distances, and what lends guidance to closed cells, without directions.
#[divan::bench(args = [0, 30], consts = [0, 1, 2, 3], sample_count = 5)]
fn distances<const SOLVER: usize>(bencher: Bencher<'_, '_>, solid: u64) {
    let solver =
        [Solver::FastMarching, Solver::Dijkstra, Solver::BucketDijkstra, Solver::Labels][SOLVER].clone();
    fields(bencher, solid, &Guidance { solver, derivation: Derivation::OnDemand, ..Guidance::default() });
}

#[divan::bench(args = [0, 30], sample_count = 5)]
fn distances_and_gradient(bencher: Bencher<'_, '_>, solid: u64) {
    fields(bencher, solid, &Guidance::default());
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
    let terrain = terrain(30);
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
