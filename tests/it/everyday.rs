//! Everyday commands: routes, distances, fields as text, new scenarios, schema, completions, manual, blessing.

use crate::cli::{code, text, throng};
use crate::common::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a command prints, which must go well.
fn good(arguments: &[&str]) -> String {
    let output = throng(arguments);
    assert_eq!(code(&output), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&good(arguments)).expect("one JSON object")
}

/// What a command says on standard error, which must end with this exit code.
fn bad(arguments: &[&str], expected: i32) -> String {
    let output = throng(arguments);
    assert_eq!(
        code(&output),
        Some(expected),
        "{arguments:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stderr)
}

fn written(folder: &Path, name: &str, content: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, content).expect("written");
    file.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_route_is_printed_and_compared() {
    let told = good(&["path", "scenarios/rimea-06.toml", "--from", "1,1"]);
    assert!(told.starts_with("from (1, 1) to ") && told.contains("column"), "{told}");
    let route = json(&["path", "scenarios/rimea-06.toml", "--from", "1,1", "--json"]);
    let cells = route["cells"].as_array().expect("cells");
    assert_eq!(cells.len(), route["points_m"].as_array().expect("points").len());
    let (cost, length) =
        (route["cost"].as_f64().expect("a cost"), route["length_m"].as_f64().expect("a length"));
    assert!(cost > 10.0 && length >= cost && length < 1.2 * cost, "{cost} {length}");
    let whole: throng::survey::Route = serde_json::from_value(route.clone()).expect("a route");
    assert_eq!(whole.cells.len(), cells.len());
    let pocket = json(&["path", "scenarios/strip.toml", "--from", "11.5,2.8", "--json"]);
    assert_eq!((&pocket["reachable"], &pocket["cost"]), (&false.into(), &serde_json::Value::Null));
}

#[test]
fn distances_are_answered_in_the_order_of_the_file() {
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let map = "type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n";
    written(folder.path(), "m.map", map);
    let scenario = written(
        folder.path(),
        "m.toml",
        "format = 1\nname = \"m\"\n[area]\nmap_file = \"m.map\"\n[guidance]\ndistance = \"dijkstra\"\n",
    );
    let plain =
        written(folder.path(), "q.txt", "# from, to\n0.5 2.5 3.5 2.5\n\n0.5 0.5 0.5 2.5\n1.5 1.5 0.5 0.5\n");
    assert_eq!(good(&["distance", &scenario, "--query", &plain]), "3\n2\nunreachable\n");
    let scen = written(
        folder.path(),
        "m.map.scen",
        "version 1\n0\tm.map\t4\t3\t0\t0\t3\t0\t3\n0\tm.map\t4\t3\t0\t0\t3\t2\t5\n0\tm.map\t4\t3\t1\t1\t0\t0\t0\n",
    );
    let answer = json(&["distance", &scenario, "--query", &scen, "--json"]);
    assert_eq!(answer, serde_json::json!({ "costs": [3.0, 5.0, null] }));
    let alone = good(&["distance", &scenario, "--query", &scen, "--threads", "1"]);
    assert_eq!(alone, good(&["distance", &scenario, "--query", &scen, "--threads", "3"]));

    let wrong = written(folder.path(), "wrong.txt", "0.5 0.5 1.5 0.5\n0.5 0.5 west\n");
    assert!(bad(&["distance", &scenario, "--query", &wrong], 2).contains("wrong.txt, line 2"));
    let other = written(folder.path(), "other.scen", "version 1\n0\tm.map\t9\t9\t0\t0\t3\t0\t3\n");
    let told = bad(&["distance", &scenario, "--query", &other], 2);
    assert!(told.contains("line 2") && told.contains("9 x 9"), "{told}");
}

#[test]
fn fields_are_drawn_and_cells_told() {
    let told = good(&["inspect", "scenarios/tiles.toml"]);
    for part in
        ["reachable", "cost per metre", "distance (? no way)", "direction (G goal)", "→", "arrive from every"]
    {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
    let told = good(&["inspect", "scenarios/rimea-06.toml", "--at", "1,1"]);
    assert!(told.contains("legal moves") && told.contains("remaining cost here"), "{told}");
    let told = json(&["inspect", "scenarios/rimea-10.toml", "--json"]);
    let fields = told["fields"].as_array().expect("fields");
    assert!(fields.len() > 1 && fields.iter().all(|f| f["arrows_arrive"] == f["reachable"]), "{told}");
}

#[test]
fn the_examples_that_help_shows_run() {
    let mut run = 0;
    for command in ["path", "inspect"] {
        let help = good(&[command, "--help"]);
        for example in help.lines().filter_map(|line| line.trim().strip_prefix("throng ")) {
            let line = format!("\"{}\" {example}", env!("CARGO_BIN_EXE_throng"));
            let output =
                Command::new("sh").args(["-c", &line]).current_dir(root()).output().expect("a shell");
            assert_eq!(code(&output), Some(0), "{example}: {}", text(&output.stderr));
            run += 1;
        }
    }
    assert!(run >= 5, "{run} examples");
}

#[test]
fn wrong_questions_are_told_what_to_ask() {
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let none = written(folder.path(), "none.toml", "format = 1\nname = \"n\"\n[area]\nmap = \"...\"\n");
    let ring = "scenarios/ring.toml";
    let cases: &[(&[&str], &str)] = &[
        (&["path", "scenarios/strip.toml", "--from", "99,99"], "(99, 99) is off the walkable area"),
        (&["path", "scenarios/rimea-06.toml", "--from", "1"], "write X,Y in metres"),
        (
            &["path", "scenarios/rimea-06.toml", "--from", "1,1", "--goal", "moon"],
            "there is no goal \"moon\"; known",
        ),
        (
            &["path", "scenarios/rimea-06.toml", "--from", "1,1", "--class", "dog"],
            "there is no class \"dog\"; known",
        ),
        (&["path", "scenarios/rimea-10.toml", "--from", "1,1"], "say which goal: --goal"),
        (&["path", ring, "--from", "1,1"], "is a heading: it has no end"),
        (&["path", &none, "--from", "1,0.5"], "the scenario has no goals"),
        (&["distance", "scenarios/strip.toml", "--query", "none.txt"], "cannot read none.txt"),
        (&["inspect", "scenarios/strip.toml", "--at", "a,b"], "write X,Y in metres"),
        (&["inspect", "scenarios/none.toml"], "cannot read scenarios/none.toml"),
        (&["new", "/"], "cannot be the name"),
        (&["new", "x", "--from", "opera"], "possible values: bottleneck, crossing, rts"),
        (&["completions", "cmd"], "possible values"),
        (&["check", "scenarios/none-*.toml"], "no file matches"),
        (&["run", "scenarios/ring.toml", "--seeds", "5..1"], "the last seed comes before the first"),
    ];
    for (arguments, expected) in cases {
        let told = bad(arguments, 2);
        let flat = told.split_whitespace().collect::<Vec<_>>().join(" ").replace(" │ ", " ");
        assert!(flat.contains(expected), "{arguments:?} was told {told}");
    }
}

#[test]
fn a_new_scenario_runs_and_is_blessed() {
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    let in_folder = |arguments: &[&str]| -> Output {
        let program =
            Command::new(env!("CARGO_BIN_EXE_throng")).args(arguments).current_dir(folder.path()).output();
        program.expect("the program starts")
    };
    let made = in_folder(&["new", "hall"]);
    assert_eq!(code(&made), Some(0), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains("throng run hall.toml"), "{}", text(&made.stdout));
    assert_eq!(code(&in_folder(&["new", "hall.toml"])), Some(2), "it is there already");
    let hall = folder.path().join("hall.toml");
    let short = std::fs::read_to_string(&hall).expect("made");
    let short =
        short.replace("count = 180", "count = 12 # few").replace("\n[expect]", "\n[expect]\nstuck = 3");
    let short =
        short.lines().filter(|l| !l.contains("min_per_s") && !l.contains("max_per_s")).collect::<Vec<_>>();
    let short = short.join("\n") + "\n";
    std::fs::write(&hall, &short).expect("written");

    let missed = in_folder(&["check", "hall.toml"]);
    assert_eq!(code(&missed), Some(1), "{}", text(&missed.stdout));
    let blessed = in_folder(&["check", "hall.toml", "--bless"]);
    assert_eq!(code(&blessed), Some(0), "{}{}", text(&blessed.stdout), text(&blessed.stderr));
    assert!(text(&blessed.stdout).contains("new"), "{}", text(&blessed.stdout));
    let now = std::fs::read_to_string(&hall).expect("there");
    assert!(now.contains("# few") && now.contains("digest = \"") && now.contains("stuck = 0"), "{now}");
    assert!(folder.path().join("hall.baseline").exists());
    assert_eq!(code(&in_folder(&["check", "hall.toml"])), Some(0));
    assert_eq!(std::fs::read_to_string(&hall).expect("there"), now, "a check writes nothing");

    // Another seed is another run from the first tick on.
    std::fs::write(&hall, now.replacen("seed = ", "seed = 1", 1)).expect("written");
    let changed = in_folder(&["check", "hall.toml"]);
    assert_eq!(code(&changed), Some(1));
    assert!(text(&changed.stdout).contains("the first tick that differs: 1\n"), "{}", text(&changed.stdout));
    let seen = in_folder(&["check", "hall.toml", "--json"]);
    let seen: serde_json::Value = serde_json::from_slice(&seen.stdout).expect("JSON");
    assert_eq!(seen["scenarios"][0]["change"]["first_tick"], 1);
    assert_eq!(code(&in_folder(&["check", "hall.toml", "--bless"])), Some(0));
    assert_eq!(code(&in_folder(&["check", "hall.toml"])), Some(0));
}

#[test]
fn schema_completions_and_manual_are_printed() {
    let schema = json(&["schema"]);
    assert_eq!(schema["properties"]["tick_ms"]["maximum"], 100);
    let page = std::fs::read_to_string(root().join("docs/scenario.md")).expect("there");
    assert!(good(&["schema", "--markdown"]) == page, "docs/scenario.md is old");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(good(&["completions", shell]).contains("inspect"), "{shell}");
    }
    assert!(good(&["man"]).contains(".TH throng 1"));
    let folder = tempfile::tempdir().expect("there is room for scratch files");
    good(&["man", "--out", folder.path().to_str().expect("UTF-8")]);
    let pages: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).expect("made").map(|e| e.expect("listed").path()).collect();
    assert!(pages.len() > 10 && pages.iter().any(|p| p.ends_with("throng-check.1")), "{pages:?}");
}
