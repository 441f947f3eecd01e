//! Inputs on which other programs failed.

use std::fmt::Write as _;

use crate::common::{digests, scenario};
use throng::rows::State;
use throng::simulation::Simulation;

/// B12: three agents and three waiting points; each takes its own, and with capacity 2 the third waits outside.
#[test]
fn waiting_points_have_one_holder_each() {
    let text = |capacity: u32| {
        format!(
            r#"
format = 1
name = "waiting points"
duration_s = 60.0
[area]
walkable = "POLYGON ((0 0, 18 0, 18 10, 0 10, 0 0))"
[[goal]]
name = "points"
slots = [[10, 5], [10, 7], [14, 5]]
arrival = "stay"
capacity = {capacity}
[[agent]]
at = [2, 4.5]
goal = "points"
[[agent]]
at = [2, 5.0]
goal = "points"
[[agent]]
at = [2, 5.5]
goal = "points"
"#
        )
    };
    let mut simulation = Simulation::new(scenario(&text(3)));
    digests(&mut simulation, 800);
    assert_eq!(simulation.agents().state, [State::Settled; 3]);
    let mut slots: Vec<_> =
        simulation.agents().slot.iter().map(|s| s.expect("settled agents hold a slot").0).collect();
    slots.sort_unstable();
    assert_eq!(slots, [0, 1, 2]);

    let mut simulation = Simulation::new(scenario(&text(2)));
    digests(&mut simulation, 800);
    let count = |state| simulation.agents().state.iter().filter(|s| **s == state).count();
    assert_eq!((count(State::Settled), count(State::Waiting)), (2, 1), "{:?}", simulation.agents().state);
}

/// B14: fifty bodies sent to one point to stay settle around it and stop shoving.
#[test]
fn fifty_settle_around_one_point() {
    let text = r#"
format = 1
name = "one point"
seed = 3
duration_s = 70.0
[area]
walkable = "POLYGON ((0 0, 20 0, 20 20, 0 20, 0 0))"
[[region]]
name = "around"
circle = [10, 10, 8]
[[class]]
name = "unit"
core_radius_m = 0.3
comfort_radius_m = 0.32
[[goal]]
name = "point"
at = [10, 10]
arrival = "stay"
[[source]]
name = "units"
class = "unit"
region = "around"
goal = "point"
count = 50
"#;
    for seed in 1..=3 {
        let text = text.replace("seed = 3", &format!("seed = {seed}"));
        let mut simulation = Simulation::new(scenario(&text));
        digests(&mut simulation, 1100);
        let at_55_s: Vec<_> = simulation.agents().position.clone();
        digests(&mut simulation, 1200);
        let rows = simulation.agents();
        assert_eq!(rows.state, [State::Settled; 50], "seed {seed}");
        for (before, after) in at_55_s.iter().zip(&rows.position) {
            assert!(after.minus(*before).metres().length() < 0.1, "seed {seed}");
            let from_point = after.minus(throng::base::Point::new(1_000_000, 1_000_000)).metres().length();
            assert!(from_point < 3.0, "seed {seed}: {from_point} m from the point");
        }
    }
}

/// S2: two abreast at a door; both get through, and the symmetry is broken by id.
#[test]
fn two_abreast_pass_a_door() {
    let text = |door: f64| {
        let (low, high) = (3.0 - door / 2.0, 3.0 + door / 2.0);
        format!(
            r#"
format = 1
name = "two abreast"
duration_s = 40.0
[area]
walkable = "GEOMETRYCOLLECTION (POLYGON ((0 0, 5 0, 5 6, 0 6, 0 0)), POLYGON ((5 {low}, 5.3 {low}, 5.3 {high}, 5 {high}, 5 {low})), POLYGON ((5.3 0, 9 0, 9 6, 5.3 6, 5.3 0)))"
[[class]]
name = "body"
core_radius_m = 0.25
comfort_radius_m = 0.27
speed_mps = 1.3
[[region]]
name = "exit"
rect = [8, 0, 9, 6]
[[goal]]
name = "out"
region = "exit"
[[agent]]
class = "body"
at = [3, 2.6]
goal = "out"
[[agent]]
class = "body"
at = [3, 3.4]
goal = "out"
"#
        )
    };
    for (door, within_s) in [(1.2, 10.0), (0.7, 20.0)] {
        let mut simulation = Simulation::new(scenario(&text(door)));
        digests(&mut simulation, u32::MAX);
        let took = simulation.scenario().clock.seconds(simulation.tick());
        assert_eq!(simulation.record().counts.arrived, 2, "door of {door} m");
        assert!(took <= within_s, "door of {door} m: {took} s");
    }
}

/// S4: walls never outweigh guidance: a corridor 0.8 m wide is passed at free speed.
#[test]
fn a_narrow_corridor_is_passed_at_free_speed() {
    let text = r#"
format = 1
name = "narrow"
duration_s = 30.0
[area]
walkable = "POLYGON ((0 0, 12 0, 12 0.8, 0 0.8, 0 0))"
[[class]]
name = "body"
core_radius_m = 0.2
comfort_radius_m = 0.22
speed_mps = 1.2
[[region]]
name = "exit"
rect = [11, 0, 12, 0.8]
[[goal]]
name = "out"
region = "exit"
[[agent]]
class = "body"
at = [1, 0.4]
goal = "out"
"#;
    let mut simulation = Simulation::new(scenario(text));
    digests(&mut simulation, u32::MAX);
    let took = simulation.scenario().clock.seconds(simulation.tick());
    assert_eq!(simulation.record().counts.arrived, 1);
    assert!(took < 10.0 / 1.2 + 0.7, "{took} s");
}

/// `RiMEA` 5: nobody moves before their time.
#[test]
fn nobody_moves_before_their_time() {
    let mut text = String::from(
        r#"
format = 1
name = "rimea-05"
duration_s = 150.0
[area]
walkable = "POLYGON ((0 0, 8 0, 8 5, 0 5, 0 0))"
[[region]]
name = "exit"
rect = [7.5, 2.0, 8.0, 3.0]
[[goal]]
name = "out"
region = "exit"
"#,
    );
    for i in 0..10 {
        let (x, y) = (1.0 + f64::from(i % 5), 1.5 + 2.0 * f64::from(i / 5));
        let _ = write!(
            text,
            "[[agent]]\nname = \"p{i}\"\nat = [{x}, {y}]\ngoal = \"out\"\npremovement_s = {}\n",
            10 * (i + 1)
        );
    }
    let mut simulation = Simulation::new(scenario(&text));
    let mut begun = Vec::new();
    while !simulation.is_over() {
        let record = simulation.step().unwrap();
        for row in 0..record.rows.len() {
            let moves = record.rows.velocity[row] != glam::Vec2::ZERO;
            if moves && !begun.contains(&record.rows.id[row]) {
                begun.push(record.rows.id[row]);
                assert_eq!(record.tick, record.rows.starts[row].next(), "agent {}", record.rows.id[row]);
            }
        }
    }
    assert_eq!((begun.len(), simulation.record().counts.arrived), (10, 10));
}

/// B15: a waypoint a hair to either side of the inner corner's line gives the same outcome.
#[test]
fn a_waypoint_at_a_corner_is_no_matter_of_hairs() {
    let arrived = |x: f64| {
        let text = format!(
            r#"
format = 1
name = "corner"
duration_s = 60.0
[area]
walkable = "POLYGON ((0 0, 12 0, 12 12, 10 12, 10 2, 0 2, 0 0))"
[[region]]
name = "end"
rect = [10, 11, 12, 12]
[[goal]]
name = "waypoint"
at = [{x}, 1.9]
[[goal]]
name = "out"
region = "end"
[[journey]]
name = "round"
stages = ["waypoint", "out"]
[[agent]]
at = [1, 1]
journey = "round"
speed_mps = 1.3
"#
        );
        let mut simulation = Simulation::new(scenario(&text));
        digests(&mut simulation, u32::MAX);
        assert_eq!(simulation.record().counts.arrived, 1);
        simulation.tick().0
    };
    let (left, right) = (arrived(9.9999), arrived(10.0001));
    assert!(left.abs_diff(right) <= 1, "{left} and {right}");
}

/// A capped door lets in no more than its flow, and a one-way door nobody against its way.
#[test]
fn doors_hold_back_what_they_must() {
    let text = |door: &str| {
        format!(
            r#"
format = 1
name = "door"
duration_s = 60.0
[area]
walkable = "POLYGON ((0 0, 20 0, 20 3, 0 3, 0 0))"
[[region]]
name = "start"
rect = [0.5, 0.3, 7, 2.7]
[[region]]
name = "sill"
rect = [10, 0, 11, 3]
[[region]]
name = "exit"
rect = [19, 0, 20, 3]
[[door]]
name = "door"
region = "sill"
{door}
[[goal]]
name = "out"
region = "exit"
[[source]]
name = "people"
region = "start"
goal = "out"
count = 30
[[line]]
name = "sill"
from = [10, 0]
to = [10, 3]
"#
        )
    };
    let mut simulation = Simulation::new(scenario(&text("max_flow_per_s = 0.8")));
    let mut crossings = Vec::new();
    while !simulation.is_over() {
        let record = simulation.step().unwrap();
        crossings.extend(record.events.crossings.iter().map(|_| record.tick.0));
    }
    assert_eq!(crossings.len(), 30);
    let took = f64::from(crossings[29] - crossings[0]) * 0.05;
    assert!((29.0 / took - 0.8).abs() < 0.03, "{} per second", 29.0 / took);

    let mut simulation = Simulation::new(scenario(&text("one_way = [-1, 0]")));
    digests(&mut simulation, 600);
    assert_eq!(simulation.agents().state, [State::Unreachable; 30]);
    let mut simulation = Simulation::new(scenario(&text("one_way = [1, 0]")));
    digests(&mut simulation, u32::MAX);
    assert_eq!(simulation.record().counts.arrived, 30);
}
