//! What the shipped scenarios give: a text that a person reviews, a digest in one table, and traces that name the first
//! tick, column and agent that changed.
//!
//! `THRONG_BLESS=1 INSTA_UPDATE=always cargo test golden` writes them anew. A changed digest is a changed result: raise
//! `RESULTS_VERSION` and say why under "Results" in CHANGELOG.md.

use crate::common::{root, shipped};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use throng::scenario::Scenario;
use throng::simulation::{RESULTS_VERSION, Simulation};
use throng::snapshot::Snapshot;
use throng::trace::{TraceOptions, TraceReader, TraceWriter, compare_frames};

/// Ticks between those whose agents are kept, at least; longer runs keep about as many. Digests are kept of every tick.
const EVERY: u32 = 50;
/// Ticks whose agents are kept of a long run.
const KEPT: u32 = 24;

fn golden() -> PathBuf {
    root().join("tests/golden")
}

fn name_of(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// Runs a scenario to its end; writes its trace, returns its text and its line of the table.
fn run(path: &Path, folder: &Path) -> (String, String) {
    let scenario = Arc::new(Scenario::from_path(path).expect("shipped scenarios are valid"));
    let mut simulation = Simulation::new(scenario.clone());
    let mut snapshot = Snapshot::new(&scenario);
    let every = EVERY.max(scenario.last_tick.0 / KEPT);
    let options = TraceOptions { every, results_version: RESULTS_VERSION };
    let mut trace = TraceWriter::create(folder, &scenario, options).expect("the folder can be written");
    while !simulation.is_over() {
        let record = simulation.step().expect("the run goes on");
        snapshot.observe(&record);
        trace.record(&record).expect("the trace can be written");
    }
    trace.finish().expect("the trace can be written");
    let record = simulation.record();
    (snapshot.text(), format!("{} {}", record.tick, record.run_digest))
}

/// Runs all of them, several at a time.
fn run_all(paths: &[PathBuf], folder: &(dyn Fn(&str) -> PathBuf + Sync)) -> Vec<(String, String)> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<(String, String)>> = paths.iter().map(|_| Mutex::default()).collect();
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(i) else { break };
            *results[i].lock().expect("no run panics") = run(path, &folder(&name_of(path)));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    results.into_iter().map(|result| result.into_inner().expect("no run panicked")).collect()
}

/// The first tick whose digest differs, and the first recorded agent and column that do.
fn explain(old: &Path, new: &Path) -> String {
    let open = |folder: &Path| TraceReader::open(folder).and_then(|t| t.frames());
    let (Ok(mut old), Ok(mut new)) = (open(old), open(new)) else {
        return "there is no golden trace".to_owned();
    };
    let mut first = None;
    while let (Ok(Some(a)), Ok(Some(b))) = (old.next_frame(), new.next_frame()) {
        if let Some(difference) = compare_frames(&a, &b) {
            let text = first.get_or_insert_with(|| difference.to_string());
            if difference.agent.is_some() {
                return format!("first {text}; then {difference}");
            }
        }
    }
    first.unwrap_or_else(|| "the runs are not equally long".to_owned())
}

#[test]
fn shipped_scenarios_give_what_they_gave() {
    let bless = std::env::var_os("THRONG_BLESS").is_some();
    let table_file = golden().join("digests.txt");
    let table: BTreeMap<String, String> = std::fs::read_to_string(&table_file)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once(' ').map(|(name, rest)| (name.to_owned(), rest.to_owned())))
        .collect();
    let scratch = tempfile::tempdir().expect("there is room for scratch files");
    let mut found = BTreeMap::from([("results".to_owned(), RESULTS_VERSION.to_string())]);
    let mut changed = String::new();
    let folder_of = |name: &str| if bless { golden().join(name) } else { scratch.path().join(name) };
    let paths = shipped();
    if bless {
        paths.iter().for_each(|path| drop(std::fs::remove_dir_all(folder_of(&name_of(path)))));
    }
    for (path, (text, line)) in paths.iter().zip(run_all(&paths, &|name| folder_of(name))) {
        let name = name_of(path);
        let folder = folder_of(&name);
        if !bless && table.get(&name) != Some(&line) {
            let _ = writeln!(changed, "{name}: {}", explain(&golden().join(&name), &folder));
        }
        found.insert(name.clone(), line);
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../golden", omit_expression => true }, {
            insta::assert_snapshot!(name, text);
        });
    }
    if bless {
        let lines: Vec<String> = found.iter().map(|(name, rest)| format!("{name} {rest}")).collect();
        std::fs::write(&table_file, lines.join("\n") + "\n").expect("the table can be written");
    } else {
        assert!(changed.is_empty(), "results changed:\n{changed}");
        assert_eq!(found, table, "the table of digests names other scenarios or another results version");
    }
}

#[test]
fn a_changed_result_is_explained() {
    let scratch = tempfile::tempdir().expect("there is room for scratch files");
    let path = root().join("scenarios/rimea-06.toml");
    let text = std::fs::read_to_string(&path).expect("readable").replace("seed = 1", "seed = 2");
    let other = scratch.path().join("rimea-06.toml");
    std::fs::write(&other, text).expect("written");
    run(&other, &scratch.path().join("new"));
    let told = explain(&golden().join("rimea-06"), &scratch.path().join("new"));
    assert!(
        told.starts_with("first tick 1, ") && told.contains("column") && told.contains("agent"),
        "{told}"
    );
}
