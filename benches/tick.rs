//! What a tick costs on shipped scenarios, and what a field costs to build.
//!
//! `cargo bench --bench tick`; divan prints medians. Compare within one run: machines are noisy.

use divan::Bencher;
use std::sync::Arc;
use throng::scenario::Scenario;
use throng::simulation::Simulation;

fn main() {
    divan::main();
}

fn shipped(name: &str) -> Arc<Scenario> {
    let path = format!("{}/scenarios/{name}", env!("CARGO_MANIFEST_DIR"));
    Arc::new(Scenario::from_path(path).expect("shipped scenarios are valid"))
}

/// A hundred ticks after ten seconds.
#[divan::bench(args = ["bottleneck.toml", "ring.toml", "bridge.toml"], sample_count = 10)]
fn hundred_ticks(bencher: Bencher<'_, '_>, name: &str) {
    let scenario = shipped(name);
    let mut warm = Simulation::new(scenario.clone());
    while warm.tick().0 < 200 {
        warm.step().expect("the run goes on");
    }
    let checkpoint = warm.checkpoint();
    bencher
        .with_inputs(|| {
            Simulation::resume(scenario.clone(), checkpoint.clone()).expect("it is of this scenario")
        })
        .bench_local_values(|mut simulation| {
            for _ in 0..100 {
                simulation.step().expect("the run goes on");
            }
        });
}

/// From a scenario to the first tick: walls, clearance, moves, distances, directions.
#[divan::bench(args = ["bottleneck.toml", "bridge.toml"], sample_count = 10)]
fn first_tick(bencher: Bencher<'_, '_>, name: &str) {
    let scenario = shipped(name);
    bencher.with_inputs(|| scenario.clone()).bench_local_values(|scenario| {
        Simulation::new(scenario).step().expect("the run begins").state_digest
    });
}
