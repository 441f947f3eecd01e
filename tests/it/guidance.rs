//! What `[guidance]` changes about a run: late publication, line of sight.

use crate::common::{EVERYTHING, assert_same, digests, scenario};
use throng::base::{ClassId, GoalId, Point};
use throng::field::Guide;
use throng::simulation::Simulation;

/// A hall of two rooms with a near way that a door closes after 2 s, and a far way; two goals behind them. Somebody walks
/// to the first goal from the start, somebody to the second from 3 s on.
const ROOMS: &str = r#"
format = 1
name = "two ways"
duration_s = 20.0
[area]
walkable = """GEOMETRYCOLLECTION (POLYGON ((0 0, 6 0, 6 8, 0 8, 0 0)), POLYGON ((6 1, 8 1, 8 3, 6 3, 6 1)),
  POLYGON ((6 6, 8 6, 8 7, 6 7, 6 6)), POLYGON ((8 0, 14 0, 14 8, 8 8, 8 0)))"""
[[region]]
name = "near way"
rect = [6.5, 1.0, 7.5, 3.0]
[[region]]
name = "low"
rect = [13.0, 0.0, 14.0, 4.0]
[[region]]
name = "high"
rect = [13.0, 4.0, 14.0, 8.0]
[[door]]
name = "gate"
region = "near way"
[[goal]]
name = "a"
region = "low"
[[goal]]
name = "b"
region = "high"
[[agent]]
at = [1.0, 1.0]
goal = "a"
[[agent]]
at = [1.0, 2.0]
goal = "b"
at_s = 3.0
[[event]]
at_s = 2.0
close = "gate"
[guidance]
publish = { after_ticks = 30 }
"#;

/// The tick's remaining costs of both goals from a place in front of the near way; `None` before publication.
fn costs(simulation: &mut Simulation) -> [Option<f32>; 2] {
    [0, 1].map(|goal| match simulation.guide_at(GoalId(goal), ClassId(0), [5.0, 2.0]) {
        Some(Guide::Way { cost, .. }) => Some(cost),
        Some(Guide::NotSolved) => None,
        other => panic!("{other:?}"),
    })
}

#[test]
fn fields_are_published_so_many_ticks_after_they_are_due() {
    let mut simulation = Simulation::new(scenario(ROOMS));
    let mut changes: Vec<(u32, [Option<f32>; 2])> = Vec::new();
    while simulation.tick().0 < 120 {
        simulation.step().expect("the run goes on");
        let now = costs(&mut simulation);
        if changes.last().is_none_or(|(_, before)| *before != now) {
            changes.push((simulation.tick().0, now));
        }
    }
    // The step that leaves tick 30 is the first that sees what was due at tick 0; the door closes at tick 40. Both goals
    // change in the same tick, never one before the other.
    let ticks: Vec<u32> = changes.iter().map(|c| c.0).collect();
    assert_eq!(ticks, [1, 30, 70], "{changes:?}");
    assert_eq!(changes[0].1, [None, None]);
    let [before, after] = [changes[1].1, changes[2].1].map(|c| c.map(Option::unwrap));
    assert!(before[0] < 9.0 && after.iter().zip(before).all(|(a, b)| *a > b + 1.0), "{changes:?}");
}

#[test]
fn an_agent_without_a_field_holds() {
    let mut simulation = Simulation::new(scenario(ROOMS));
    let mut moved = [None; 2];
    let starts = [Point::new(100_000, 100_000), Point::new(100_000, 200_000)];
    while simulation.tick().0 < 120 {
        simulation.step().expect("the run goes on");
        for (agent, moved) in moved.iter_mut().enumerate() {
            let at = simulation.agents().position.get(agent);
            if moved.is_none() && at.is_some_and(|at| *at != starts[agent]) {
                *moved = Some(simulation.tick().0);
            }
        }
    }
    // The second comes at tick 60; until then nobody had asked for its field.
    assert_eq!(moved, [Some(31), Some(91)]);
}

/// What is to be published survives a checkpoint, and threads leave no trace.
#[test]
fn late_fields_are_the_same_bits_continued_and_at_any_number_of_threads() {
    let late = EVERYTHING.replace("seed = 11", "seed = 11\nguidance.publish = { after_ticks = 17 }");
    for text in [ROOMS, &late] {
        let scenario = scenario(text);
        let mut straight = Simulation::new(scenario.clone());
        let mut checkpoints = Vec::new();
        let mut expected = Vec::new();
        while !straight.is_over() && straight.tick().0 < 400 {
            if straight.tick().0 % 21 == 5 {
                let text = serde_json::to_string(&straight.checkpoint()).expect("a checkpoint is plain data");
                checkpoints.push((expected.len(), text));
            }
            expected.push(straight.step().expect("the run goes on").state_digest);
        }
        assert!(checkpoints.len() > 10);
        for (at, text) in checkpoints {
            let checkpoint = serde_json::from_str(&text).expect("what was written is read");
            let mut resumed =
                Simulation::resume(scenario.clone(), checkpoint).expect("it is of this scenario");
            assert_same(&format!("continued at tick {at}"), &expected[at..], &digests(&mut resumed, 400));
        }
        let mut threaded = Simulation::new(scenario);
        threaded.set_threads(3);
        assert_same("3 threads", &expected, &digests(&mut threaded, 400));
    }
}

#[test]
fn publishing_late_is_not_publishing_at_once() {
    let at_once = ROOMS.replace("publish", "# publish");
    let first_move = |text: &str| {
        let mut simulation = Simulation::new(scenario(text));
        simulation.step().expect("the run goes on");
        simulation.agents().velocity[0].length()
    };
    assert!(first_move(&at_once) > 0.0);
    assert!(first_move(ROOMS) == 0.0);
}

/// A hall with a goal in the far corner, so that the straight way is on no line of the grid.
const HALL: &str = r#"
format = 1
name = "hall"
duration_s = 20.0
[area]
walkable = "POLYGON ((0 0, 12 0, 12 8, 0 8, 0 0))"
[[region]]
name = "corner"
rect = [10.5, 6.2, 11.5, 7.2]
[[region]]
name = "across"
rect = [5.0, 0.0, 6.0, 8.0]
[[goal]]
name = "out"
region = "corner"
[[agent]]
at = [1.0, 1.0]
goal = "out"
[guidance]
line_of_sight = true
"#;

fn path(text: &str) -> Vec<Point> {
    let mut simulation = Simulation::new(scenario(text));
    let mut path = Vec::new();
    while !simulation.agents().position.is_empty() || path.is_empty() {
        path.extend(simulation.agents().position.first());
        simulation.step().expect("the run goes on");
        assert!(simulation.tick().0 < 400, "it arrives");
    }
    path
}

/// Metres from the line between the first place and the nearest one of the goal.
fn largest_deviation_m(path: &[Point]) -> f64 {
    let line = Point::new(1_050_000, 620_000).minus(Point::new(100_000, 100_000));
    let length = (line.length_squared() as f64).sqrt();
    let off =
        |p: &Point| line.cross(p.minus(Point::new(100_000, 100_000))).unsigned_abs() as f64 / length / 1e5;
    path.iter().map(off).fold(0.0, f64::max)
}

#[test]
fn a_goal_in_sight_is_walked_to_straight() {
    let by_field = largest_deviation_m(&path(&HALL.replace("= true", "= false")));
    let straight = largest_deviation_m(&path(HALL));
    assert!(straight < 1e-3 && by_field > 10.0 * straight, "{straight} m, by field {by_field} m");
}

/// As long as the straight way would lead over costly or closed ground, through a wall or a closed door, the field leads.
#[test]
fn what_costs_more_or_is_closed_is_no_straight_way() {
    let before = |path: &[Point]| path.iter().copied().take_while(|p| p.x < 450_000).collect::<Vec<_>>();
    for hindrance in [
        "[[ground]]\nregion = \"across\"\nprice = 1.5",
        "[[obstacle]]\nrect = [5.0, 2.5, 6.0, 8.0]",
        "[[obstacle]]\nrect = [5.7, 0.0, 5.9, 3.70]\n[[obstacle]]\nrect = [5.7, 4.05, 5.9, 7.0]",
        "[[region]]\nname = \"part\"\nrect = [5.0, 2.0, 6.0, 8.0]\n[[door]]\nname = \"d\"\nregion = \"part\"\nopen = false",
        "[[region]]\nname = \"part\"\nrect = [5.0, 2.0, 6.0, 8.0]\n[[ground]]\nregion = \"part\"\nclosed_to = [\"adult\"]",
        "[[door]]\nname = \"d\"\nregion = \"across\"\none_way = [0, -1]",
    ] {
        let text = HALL.replace("[[goal]]", &format!("{hindrance}\n[[goal]]"));
        let (sighted, by_field) = (path(&text), path(&text.replace("sight = true", "sight = false")));
        assert_eq!(before(&sighted), before(&by_field), "{hindrance}");
        assert!(before(&sighted).len() > 20);
    }
}
