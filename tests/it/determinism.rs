//! Same scenario, same seed: same bits.

use crate::common::{EVERYTHING, assert_same, digests, root, scenario, shipped, shipped_scenario};
use std::sync::Arc;
use throng::base::AgentId;
use throng::scenario::{Action, Scenario, ShapeSpec};
use throng::simulation::Simulation;

#[test]
fn twice_in_one_process() {
    for path in shipped() {
        let scenario = Arc::new(Scenario::from_path(&path).expect("shipped scenarios are valid"));
        let first = digests(&mut Simulation::new(scenario.clone()), 400);
        // Another run in between must leave no trace.
        let (mut second, mut other) =
            (Simulation::new(scenario), Simulation::new(self::scenario(EVERYTHING)));
        let mut found = Vec::new();
        while !second.is_over() && second.tick().0 < 400 {
            found.push(second.step().expect("the run goes on").state_digest);
            if !other.is_over() {
                other.step().expect("the run goes on");
            }
        }
        assert_same(&path.display().to_string(), &first, &found);
    }
}

#[test]
fn at_any_number_of_threads() {
    let big = EVERYTHING.replace("count = 50", "count = 100").replace("rate_per_s = 0.5", "rate_per_s = 4.0");
    let crowded = shipped_scenario("bottleneck.toml");
    for scenario in [scenario(EVERYTHING), scenario(&big), crowded] {
        let one = digests(&mut Simulation::new(scenario.clone()), 500);
        for threads in [2, 3, 8] {
            let mut simulation = Simulation::new(scenario.clone());
            simulation.set_threads(threads);
            assert_same(
                &format!("{} on {threads} threads", scenario.name),
                &one,
                &digests(&mut simulation, 500),
            );
        }
    }
}

#[test]
fn a_large_crowd_at_any_number_of_threads() {
    // Above the number of rows from which work is split at all.
    let text = r#"
format = 1
name = "large"
seed = 5
duration_s = 4.0
[area]
cell_m = 0.2
walkable = "POLYGON ((0 0, 40 0, 40 30, 0 30, 0 0))"
[[region]]
name = "all"
rect = [0.5, 0.5, 39.5, 29.5]
[[region]]
name = "exit"
rect = [39.0, 10.0, 40.0, 20.0]
[[goal]]
name = "out"
region = "exit"
[[source]]
name = "crowd"
region = "all"
goal = "out"
placement = "grid"
count = 1200
"#;
    let scenario = scenario(text);
    let one = digests(&mut Simulation::new(scenario.clone()), 80);
    for threads in [2, 3, 8] {
        let mut simulation = Simulation::new(scenario.clone());
        simulation.set_threads(threads);
        assert_same(&format!("{threads} threads"), &one, &digests(&mut simulation, 80));
    }
}

#[test]
fn stopped_at_any_tick_and_continued() {
    let scenario = scenario(EVERYTHING);
    let mut straight = Simulation::new(scenario.clone());
    let mut expected = Vec::new();
    let mut checkpoints = Vec::new();
    while !straight.is_over() {
        if straight.tick().0.is_multiple_of(37) {
            let text = serde_json::to_string(&straight.checkpoint()).expect("a checkpoint is plain data");
            checkpoints.push((expected.len(), text));
        }
        expected.push(straight.step().expect("the run goes on").state_digest);
    }
    let last = straight.record().run_digest;
    assert!(checkpoints.len() > 15);
    for (at, text) in checkpoints {
        let checkpoint = serde_json::from_str(&text).expect("what was written is read");
        let mut resumed = Simulation::resume(scenario.clone(), checkpoint).expect("it is of this scenario");
        let found = digests(&mut resumed, u32::MAX);
        assert_same(&format!("continued at tick {at}"), &expected[at..], &found);
        assert_eq!(resumed.record().run_digest, last);
    }
}

#[test]
fn stopped_after_commands_and_continued() {
    let scenario = scenario(EVERYTHING);
    let mut straight = Simulation::new(scenario.clone());
    digests(&mut straight, 50);
    for action in [
        Action::AddObstacle { shape: ShapeSpec::Rect([9.0, 1.0, 9.5, 3.0]) },
        Action::AddGoal { name: "new".to_owned(), shape: ShapeSpec::Circle([3.0, 3.0, 0.5]), leave: false },
        Action::SetSpeed { agent: AgentId(3), speed_mps: 0.4 },
        Action::SetPreferredVelocity { agent: AgentId(4), velocity_mps: Some([0.3, -0.1]) },
    ] {
        straight.command(action).expect("the command is right");
    }
    digests(&mut straight, 60);
    let goal = throng::base::GoalId(3);
    straight.command(Action::SetGoal { agent: AgentId(5), goal: Some(goal) }).expect("the goal was added");
    digests(&mut straight, 61);
    straight
        .command(Action::MoveGoal { goal, shape: ShapeSpec::Circle([5.0, 6.0, 0.5]) })
        .expect("it is there");
    let checkpoint = straight.checkpoint();
    let mut resumed = Simulation::resume(scenario, checkpoint).expect("it is of this scenario");
    assert_same("after commands", &digests(&mut straight, 400), &digests(&mut resumed, 400));
}

#[test]
fn shifted_by_whole_metres() {
    let (dx, dy) = (32_500_000.0, 5_600_000.0);
    let text = |x: f64, y: f64| {
        format!(
            r#"
format = 1
name = "shift"
seed = 2
duration_s = 20.0
[area]
walkable = "POLYGON (({} {}, {} {}, {} {}, {} {}))"
[[obstacle]]
rect = [{}, {}, {}, {}]
[[region]]
name = "start"
rect = [{}, {}, {}, {}]
[[goal]]
name = "out"
at = [{}, {}]
[[source]]
name = "crowd"
region = "start"
goal = "out"
count = 20
"#,
            x + 0.5,
            y + 0.25,
            x + 10.0,
            y + 0.25,
            x + 10.0,
            y + 6.0,
            x + 0.5,
            y + 6.0,
            x + 5.1,
            y + 2.3,
            x + 5.4,
            y + 4.0,
            x + 1.0,
            y + 1.0,
            x + 4.0,
            y + 5.0,
            x + 9.3,
            y + 3.3
        )
    };
    let here = digests(&mut Simulation::new(scenario(&text(0.0, 0.0))), 400);
    let mut far = Simulation::new(scenario(&text(dx, dy)));
    let there = digests(&mut far, 100);
    let [x, y] = far.position_m(far.agents().id[0], 1.0).expect("somebody is inside");
    assert!((x - dx - 5.0).abs() < 5.0 && (y - dy - 3.0).abs() < 3.0, "outputs add the origin back: {x} {y}");
    assert_same("shifted", &here, &[there, digests(&mut far, 400)].concat());
}

#[test]
fn whatever_the_order_in_the_file() {
    let blocks: Vec<&str> = EVERYTHING.split("\n[").collect();
    let (head, tables) = blocks.split_first().expect("there is a head");
    let turned: Vec<&str> = tables.iter().rev().copied().collect();
    let turned = format!("{head}\n[{}", turned.join("\n["));
    let expected = digests(&mut Simulation::new(scenario(EVERYTHING)), 300);
    assert_same("turned round", &expected, &digests(&mut Simulation::new(scenario(&turned)), 300));
}

#[test]
fn one_more_agent_shifts_nobody_elses_draws() {
    let speeds = |count: &str| {
        let text = EVERYTHING.replace("count = 15", count);
        let mut simulation = Simulation::new(scenario(&text));
        let record = simulation.step().expect("the run goes on");
        let crowd = simulation_source(&scenario(&text), "crowd");
        let admitted: Vec<(u32, u32)> = record
            .events
            .admitted
            .iter()
            .filter(|a| a.origin == crowd)
            .map(|a| (a.index, a.free_speed.to_bits()))
            .collect();
        admitted
    };
    let (few, more) = (speeds("count = 15"), speeds("count = 16"));
    assert_eq!(few.len(), 50);
    assert_eq!(few, more);
}

fn simulation_source(scenario: &Scenario, name: &str) -> throng::rows::Origin {
    let index = scenario.sources.iter().position(|s| s.name == name).expect("the source is there");
    throng::rows::Origin::Source(throng::base::SourceId(index as u32))
}

#[test]
fn observing_stages_changes_nothing_and_names_each() {
    let scenario = scenario(EVERYTHING);
    let expected = digests(&mut Simulation::new(scenario.clone()), 100);
    let mut observed = Simulation::new(scenario);
    let (mut found, mut stages) = (Vec::new(), Vec::new());
    while observed.tick().0 < 100 {
        stages.clear();
        let record = observed.step_observed(&mut |stage, _| stages.push(stage)).expect("the run goes on");
        found.push(record.state_digest);
    }
    assert_same("observed", &expected, &found);
    assert_eq!(stages, ["prefer", "steer", "clear", "reserve", "patience", "record"]);
}

#[test]
fn another_seed_is_another_run() {
    let other = EVERYTHING.replace("seed = 11", "seed = 12");
    let (a, b) = (
        digests(&mut Simulation::new(scenario(EVERYTHING)), 5),
        digests(&mut Simulation::new(scenario(&other)), 5),
    );
    assert_ne!(a, b);
}

#[test]
#[cfg(feature = "cli")]
fn in_two_processes() {
    let digest = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_throng"));
        let path = root().join("scenarios/strip.toml");
        let output = command.arg("run").arg(path).arg("--json").output().expect("the program starts");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        value["digest"].as_str().expect("a digest").to_owned()
    };
    let here = {
        let mut simulation = Simulation::new(shipped_scenario("strip.toml"));
        digests(&mut simulation, u32::MAX);
        simulation.record().run_digest.to_string()
    };
    assert_eq!([digest(), digest()], [here.clone(), here]);
}
