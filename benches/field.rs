//! What a field costs, layer by layer, on an open and a random map of 1024 x 1024 cells.
//!
//! `cargo bench --bench field`; divan prints medians and cells per second. Compare within one run: machines are noisy.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::sync::Arc;
use throng::base::{Frame, Workers};
use throng::field::{Derivation, Field, Guidance, Moves, MovesInput, Solver, Transition};
use throng::space::{Area, Grid, GridFrame, Terrain, clearance_grid};

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
