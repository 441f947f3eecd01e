//! What several tests need.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use throng::base::Digest;
use throng::scenario::Scenario;
use throng::simulation::Simulation;

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The shipped scenario files, sorted.
pub(crate) fn shipped() -> Vec<PathBuf> {
    let folder = root().join("scenarios");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("scenarios/ is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    files
}

/// A scenario from its text.
pub(crate) fn scenario(text: &str) -> Arc<Scenario> {
    Arc::new(
        Scenario::from_text(text, "test.toml", root()).unwrap_or_else(|e| panic!("{e}\n{:#?}", e.problems())),
    )
}

/// A shipped scenario by the name of its file.
pub(crate) fn shipped_scenario(name: &str) -> Arc<Scenario> {
    let path = root().join("scenarios").join(name);
    Arc::new(Scenario::from_path(path).unwrap_or_else(|e| panic!("{e}\n{:#?}", e.problems())))
}

/// The state digest of every tick of a run, at most `ticks`.
pub(crate) fn digests(simulation: &mut Simulation, ticks: u32) -> Vec<Digest> {
    let mut digests = Vec::new();
    while !simulation.is_over() && simulation.tick().0 < ticks {
        digests.push(simulation.step().expect("the run goes on").state_digest);
    }
    digests
}

/// Panics with the first tick in which two runs differ.
pub(crate) fn assert_same(what: &str, expected: &[Digest], found: &[Digest]) {
    assert_eq!(expected.len(), found.len(), "{what}: the runs are not equally long");
    if let Some(i) = expected.iter().zip(found).position(|(a, b)| a != b) {
        panic!("{what}: tick {} is the first that differs: {} and {}", i + 1, expected[i], found[i]);
    }
}

/// A scene that exercises every stage: a jam at a door, counterflow, a corner, a door event, congestion, costly ground,
/// removal, a stream, waiting and two body sizes.
pub(crate) const EVERYTHING: &str = include_str!("../scenes/everything.toml");
