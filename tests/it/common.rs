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
pub(crate) const EVERYTHING: &str = r##"
format = 1
name = "everything"
seed = 11
duration_s = 40.0
[area]
walkable = """GEOMETRYCOLLECTION (
  POLYGON ((0 0, 12 0, 12 8, 0 8, 0 0)), POLYGON ((12 3, 16 3, 16 4.2, 12 4.2, 12 3)),
  POLYGON ((12 6, 16 6, 16 7.5, 12 7.5, 12 6)), POLYGON ((16 0, 22 0, 22 8, 16 8, 16 0)))"""
[[obstacle]]
circle = [8.0, 4.0, 0.5]
[[region]]
name = "west"
rect = [0.3, 0.3, 7.0, 7.7]
[[region]]
name = "east"
rect = [18.0, 0.3, 21.7, 7.7]
[[region]]
name = "west end"
rect = [0.0, 0.0, 0.8, 8.0]
[[region]]
name = "east end"
rect = [21.2, 0.0, 22.0, 8.0]
[[region]]
name = "upper way"
rect = [13.0, 6.0, 15.0, 7.5]
[[region]]
name = "mud"
rect = [16.0, 0.0, 18.0, 3.0]
[[region]]
name = "bench"
rect = [18.0, 0.5, 20.0, 2.0]
[[door]]
name = "upper"
region = "upper way"
[[ground]]
region = "mud"
price = 2.0
speed = 0.6
[[class]]
name = "cart"
core_radius_m = 0.35
comfort_radius_m = 0.4
speed_mps = 0.9
[[goal]]
name = "to the east"
region = "east end"
[[goal]]
name = "to the west"
region = "west end"
[[goal]]
name = "rest"
region = "bench"
arrival = "wait"
wait_s = 3.0
[[journey]]
name = "with a rest"
stages = ["rest", "to the east"]
[[source]]
name = "crowd"
region = "west"
classes = { adult = 0.8, cart = 0.2 }
goal = "to the east"
count = 50
[[source]]
name = "against"
region = "east"
goal = "to the west"
count = 15
[[source]]
name = "stream"
region = "west"
journey = "with a rest"
rate_per_s = 0.5
arrivals = "poisson"
until_s = 20.0
[[event]]
at_s = 6.0
close = "upper"
[[event]]
at_s = 20.0
open = "upper"
[[line]]
name = "door"
from = [14.0, 3.0]
to = [14.0, 4.2]
"##;
