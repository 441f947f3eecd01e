//! What Python's readers make of our files: traces in pyarrow and polars, scenarios under the schema.
//!
//! Needs a Python with pyarrow, polars and jsonschema: `THRONG_PYTHON`, else `python3`. Without it the tests say that they
//! were skipped.

use crate::common::{root, shipped};
use std::path::{Path, PathBuf};
use std::process::Command;
use throng::trace::TraceReader;

/// The interpreter, if it has the packages.
fn python(packages: &str) -> Option<String> {
    let python = std::env::var("THRONG_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", &format!("import {packages}")]).output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("SKIPPED: no Python with {packages}; set THRONG_PYTHON to one");
    }
    is_there.then_some(python)
}

fn ask(python: &str, script: &str, arguments: &[&Path]) -> serde_json::Value {
    let script = root().join("tests/python").join(script);
    let output = Command::new(python).arg(script).args(arguments).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the script prints JSON")
}

#[test]
fn pyarrow_and_polars_read_a_trace_as_it_is() {
    let Some(python) = python("pyarrow, polars") else { return };
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let trace = folder.path().join("trace");
    let run = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(["run", "scenarios/bridge.toml", "--until", "20", "--every", "3", "--out"])
        .arg(&trace)
        .current_dir(root())
        .output()
        .expect("the program starts");
    assert!(run.status.success());
    let told = ask(&python, "read_trace.py", &[&trace]);

    let reader = TraceReader::open(&trace).expect("our own trace");
    let mut frames = reader.frames().expect("readable");
    let (mut ticks, mut rows, mut sum_x, mut goals) = (0_u64, 0_u64, 0.0, 0_u64);
    let mut last_digest = 0;
    while let Some(frame) = frames.next_frame().expect("whole") {
        ticks += 1;
        last_digest = frame.tick.run_digest.0;
        for agent in frame.agents.iter().flatten() {
            rows += 1;
            sum_x += agent.x_m;
            goals += u64::from(agent.goal.is_some());
        }
    }
    let roster = reader.roster().expect("readable").count() as u64;
    for library in ["pyarrow", "polars"] {
        let told = &told[library];
        assert_eq!(
            told["types"]["agents"],
            serde_json::json!({
                "tick": "uint32", "id": "uint32", "x_m": "float64", "y_m": "float64", "vx_mps": "float32",
                "vy_mps": "float32", "goal": "uint16", "state": "uint8", "held_by": "uint8",
            }),
            "{library}"
        );
        assert_eq!(told["rows"]["agents"], rows, "{library}");
        assert_eq!(told["rows"]["ticks"], ticks, "{library}");
        assert_eq!(told["rows"]["roster"], roster, "{library}");
        assert_eq!(told["goals"], goals, "{library}");
        assert_eq!(
            told["last_run_digest"].as_str(),
            Some(format!("{last_digest:016x}").as_str()),
            "{library}"
        );
        let found = told["sum_x_m"].as_f64().expect("a sum");
        assert!((found - sum_x).abs() < 1e-6, "{library}: {found}, not {sum_x}");
    }
}

#[test]
fn shipped_scenarios_fit_the_schema_and_wrong_ones_do_not() {
    let Some(python) = python("jsonschema") else { return };
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let schema = folder.path().join("schema.json");
    let text = serde_json::to_string(&throng::scenario::schema::schema()).expect("it is JSON");
    std::fs::write(&schema, text).expect("written");
    let mut files = shipped();
    for (i, wrong) in
        ["colour = 3", "tick_ms = 7", "seed = \"a\"", "[[goal]]\nregion = \"x\""].iter().enumerate()
    {
        let file = folder.path().join(format!("wrong-{i}.toml"));
        let map = "[area]\nmap = \"..\"";
        let (first, last) = if wrong.starts_with('[') { (map, *wrong) } else { (*wrong, map) };
        let text = format!("format = 1\nname = \"w\"\n{first}\n{last}\n");
        std::fs::write(&file, text).expect("written");
        files.push(file);
    }
    let arguments: Vec<&Path> =
        std::iter::once(schema.as_path()).chain(files.iter().map(PathBuf::as_path)).collect();
    let told = ask(&python, "fits_schema.py", &arguments);
    for file in &files {
        let errors = told[file.display().to_string()].as_array().expect("a list");
        let is_wrong = file.starts_with(folder.path());
        assert_eq!(errors.is_empty(), !is_wrong, "{}: {errors:?}", file.display());
    }
}
