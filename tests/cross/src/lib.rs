//! Runs the scenes and gives their digests as text, natively and in WebAssembly.

use std::path::Path;
use std::sync::Arc;
use throng::base::{Digester, Draws, Purpose};
use throng::scenario::Scenario;
use throng::simulation::Simulation;

/// Scenes and how many ticks of each are run.
const SCENES: &[(&str, &str, u32)] = &[
    ("everything", include_str!("../../scenes/everything.toml"), 800),
    ("bottleneck", include_str!("../../../scenarios/bottleneck.toml"), 300),
    ("ring", include_str!("../../../scenarios/ring.toml"), 200),
    ("tiles", include_str!("../../../scenarios/tiles.toml"), 200),
];

/// One line a scene: its name, its ticks and its digest; then one of draws.
///
/// # Panics
/// If a scene is not valid or fails: then there is nothing to compare.
pub fn digests() -> String {
    let mut lines = String::new();
    for (name, text, ticks) in SCENES {
        let scenario = Scenario::from_text(text, name, Path::new(".")).expect("the scene is valid");
        let mut simulation = Simulation::new(Arc::new(scenario));
        while !simulation.is_over() && simulation.tick().0 < *ticks {
            simulation.step().expect("the scene runs");
        }
        let record = simulation.record();
        lines += &format!("{name} {} {}\n", record.tick, record.run_digest);
    }
    lines + &format!("draws 20000 {}\n", draws())
}

fn draws() -> throng::base::Digest {
    let mut digester = Digester::new();
    for index in 0..5000 {
        let mut draws = Draws::at(7, Purpose::Speed, 42, index, index % 7);
        for value in [draws.unit(), draws.normal(), draws.exponential(), draws.between(-1.0, 3.0)] {
            digester.u64(value.to_bits());
        }
    }
    digester.finish()
}

/// Runs the scenes and returns where the text lies: its address in the upper, its length in the lower 32 bits.
#[unsafe(no_mangle)]
pub extern "C" fn digests_text() -> u64 {
    let text: &'static str = Box::leak(digests().into_boxed_str());
    (text.as_ptr() as u64) << 32 | text.len() as u64
}
