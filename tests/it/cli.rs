//! The command: exit codes, what it prints, and traces that survive being killed.

use crate::common::root;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub(crate) fn throng(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("the program starts")
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn run_prints_a_report_or_json() {
    let output = throng(&["run", "scenarios/rimea-06.toml"]);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("20 admitted, 20 arrived"), "{}", text(&output.stdout));
    assert!(output.stderr.is_empty(), "quiet where it is no terminal");
    let output = throng(&["run", "scenarios/rimea-06.toml", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    for key in [
        "name",
        "seed",
        "ticks",
        "sim_seconds",
        "wall_seconds",
        "admitted",
        "arrived",
        "inside",
        "unreachable",
        "blocked",
        "stuck",
        "max_overlap_m",
        "evacuation_s",
        "digest",
        "agent_ticks_per_second",
        "lines",
        "measures",
    ] {
        assert!(json.get(key).is_some(), "{key} is missing: {json}");
    }
    assert_eq!(json["arrived"], 20);
    assert_eq!(json["max_overlap_m"], 0.0);
}

#[test]
fn wrong_input_is_told_with_its_place_and_exits_2() {
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let bad = folder.path().join("bad.toml");
    std::fs::write(&bad, "format = 1\nname = \"x\"\ncolour = 3\n").expect("written");
    let output = throng(&["run", bad.to_str().expect("UTF-8")]);
    assert_eq!(code(&output), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("unknown key \"colour\"") && told.contains("no area") && told.contains("bad.toml:3"),
        "{told}"
    );
    assert!(output.stdout.is_empty());
    for arguments in
        [&["run", "none.toml"][..], &["run"], &["fly"], &["replay", "nowhere"], &["diff", "a", "b"]]
    {
        let output = throng(arguments);
        assert_eq!(code(&output), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn check_tells_hits_and_misses() {
    let output = throng(&["check", "scenarios/rimea-0[16].toml", "scenarios/strip.toml"]);
    assert_eq!(code(&output), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).ends_with("3 scenarios: 3 as expected, 0 missed, 0 failed\n"));
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let missed = folder.path().join("missed.toml");
    let scenario = std::fs::read_to_string(root().join("scenarios/rimea-06.toml")).expect("readable");
    std::fs::write(&missed, scenario.replace("all_arrived_by_s = 60.0", "all_arrived_by_s = 6.0"))
        .expect("written");
    let output = throng(&["check", missed.to_str().expect("UTF-8")]);
    assert_eq!(code(&output), Some(1), "{}", text(&output.stdout));
    let output = throng(&["check", missed.to_str().expect("UTF-8"), "--json"]);
    assert_eq!(code(&output), Some(1));
    serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON");
}

fn keep_trace(folder: &Path, seed: &str) {
    let out = folder.to_str().expect("UTF-8");
    let output = throng(&["run", "scenarios/rimea-06.toml", "--seed", seed, "--out", out]);
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_trace_is_replayed_and_compared() {
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let (a, b, c) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
    keep_trace(&a, "1");
    keep_trace(&b, "1");
    keep_trace(&c, "2");
    let run =
        |arguments: [&str; 3]| throng(&arguments.into_iter().filter(|a| !a.is_empty()).collect::<Vec<_>>());
    let path = |p: &Path| p.to_str().expect("UTF-8").to_owned();
    let (a_path, b_path, c_path) = (path(&a), path(&b), path(&c));
    assert_eq!(code(&run(["replay", &a_path, ""])), Some(0));
    assert_eq!(code(&run(["replay", &c_path, ""])), Some(0), "a seed of one's own is kept");
    assert_eq!(code(&run(["diff", &a_path, &b_path])), Some(0));
    let output = run(["diff", &a_path, &c_path]);
    assert_eq!(code(&output), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("tick 1") && told.contains("agent"), "{told}");

    // One changed bit anywhere is told.
    for file in ["agents.arrows", "ticks.arrows", "roster.arrows", "scenario.toml", "run.json"] {
        let bytes = std::fs::read(a.join(file)).expect("it is there");
        let mut wrong = bytes.clone();
        let middle = wrong.len() / 2;
        wrong[middle] ^= 4;
        std::fs::write(a.join(file), &wrong).expect("written");
        let output = run(["replay", &a_path, ""]);
        assert!(matches!(code(&output), Some(1 | 2)), "{file}: {}", text(&output.stdout));
        std::fs::write(a.join(file), &bytes).expect("written");
    }
    assert_eq!(code(&run(["replay", &a_path, ""])), Some(0));
}

#[test]
fn a_killed_run_leaves_a_readable_trace() {
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let out = folder.path().join("killed");
    let long = folder.path().join("long.toml");
    let ring = std::fs::read_to_string(root().join("scenarios/ring.toml")).expect("readable");
    std::fs::write(&long, ring.replace("duration_s = 90.0", "duration_s = 90000.0")).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(["run", long.to_str().expect("UTF-8"), "--out", out.to_str().expect("UTF-8")])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let ticks = out.join("ticks.arrows");
    let grown = |bytes: u64| std::fs::metadata(&ticks).is_ok_and(|m| m.len() > bytes);
    while !grown(8_000) {
        assert!(child.try_wait().expect("it can be asked").is_none(), "the run ended by itself");
        std::thread::yield_now();
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let output = throng(&["replay", out.to_str().expect("UTF-8")]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(matches!(code(&output), Some(0 | 1)), "{told}");
    assert!(told.contains("200") || told.contains("tick"), "{told}");
    let frames = throng::trace::TraceReader::open(&out).and_then(|t| t.frames());
    let mut frames = frames.expect("a killed trace opens");
    let mut whole = 0;
    while frames.next_frame().expect("up to the last whole block").is_some() {
        whole += 1;
    }
    assert!(whole >= 200, "{whole} ticks");
}

#[test]
fn help_teaches() {
    let commands = [
        "run",
        "check",
        "replay",
        "diff",
        "path",
        "distance",
        "inspect",
        "new",
        "schema",
        "completions",
        "man",
    ];
    let output = throng(&["--help"]);
    assert!(commands.iter().all(|command| text(&output.stdout).contains(&format!("\n  {command} "))));
    for command in commands {
        let arguments = [command, "--help"];
        let output = throng(&arguments);
        assert_eq!(code(&output), Some(0));
        assert!(text(&output.stdout).contains("throng "), "{arguments:?}");
    }
}
