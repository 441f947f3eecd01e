//! What holds after every tick of every scenario, checked by brute force and not by the code under test.

use std::fmt::Write as _;

use crate::common::{EVERYTHING, scenario, shipped};
use std::sync::Arc;
use throng::base::{Draws, Purpose};
use throng::rows::Rows;
use throng::scenario::Scenario;
use throng::simulation::Simulation;

/// A checker that knows only the geometry as written and the rows.
struct Checker {
    walls: Vec<([f64; 2], [f64; 2])>,
    period_m: Option<f64>,
    tick_s: f64,
}

impl Checker {
    fn new(scenario: &Scenario) -> Self {
        let metres = |p: throng::base::Point| [f64::from(p.x) * 1e-5, f64::from(p.y) * 1e-5];
        Self {
            walls: scenario.area.walls().iter().map(|w| (metres(w.a), metres(w.b))).collect(),
            period_m: scenario.area.topology.period_x.map(|p| f64::from(p) * 1e-5),
            tick_s: f64::from(scenario.clock.tick_ms) / 1000.0,
        }
    }

    fn check(&self, rows: &Rows, reservations: bool) -> Result<(), String> {
        let at =
            |row: usize| [f64::from(rows.position[row].x) * 1e-5, f64::from(rows.position[row].y) * 1e-5];
        let was =
            |row: usize| [f64::from(rows.previous[row].x) * 1e-5, f64::from(rows.previous[row].y) * 1e-5];
        for i in 0..rows.len() {
            for j in 0..i {
                let mut dx = i64::from(rows.position[i].x) - i64::from(rows.position[j].x);
                if let Some(period) = self.period_m {
                    let period = (period * 1e5).round() as i64;
                    dx = dx.rem_euclid(period).min((-dx).rem_euclid(period));
                }
                let dy = i64::from(rows.position[i].y) - i64::from(rows.position[j].y);
                let reach = i64::from(rows.core_radius[i]) + i64::from(rows.core_radius[j]);
                if reservations && dx * dx + dy * dy < reach * reach {
                    return Err(format!("agents {} and {} overlap", rows.id[i], rows.id[j]));
                }
            }
            let radius = f64::from(rows.core_radius[i]) * 1e-5;
            for wall in &self.walls {
                let depth = radius - distance(at(i), *wall);
                if depth > 1e-9 {
                    return Err(format!("agent {} is {depth} m deep in a wall", rows.id[i]));
                }
                let moved = [at(i)[0] - was(i)[0], at(i)[1] - was(i)[1]];
                if self.period_m.is_none_or(|p| moved[0].abs() < p / 2.0) && crosses(was(i), at(i), *wall) {
                    return Err(format!("agent {} crossed a wall", rows.id[i]));
                }
            }
            let speed = f64::from(rows.velocity[i].length());
            let top = f64::from(rows.free_speed[i]);
            let mut moved = (at(i)[0] - was(i)[0]).abs();
            if let Some(period) = self.period_m {
                moved = moved.min(period - moved);
            }
            let length = (moved * moved + (at(i)[1] - was(i)[1]) * (at(i)[1] - was(i)[1])).sqrt();
            // Positions are whole units, and what rounding takes off a move a later one makes up for: a single move may
            // be a unit (10 micrometres) longer along each axis, and the velocity may not be higher at all.
            let longest = top * self.tick_s + std::f64::consts::SQRT_2 * 1e-5;
            if speed > top * 1.000_001 || length > longest * 1.000_001 {
                return Err(format!("agent {} moves at {speed} m/s, above {top}", rows.id[i]));
            }
            if rows.position[i].x < 0 || !rows.impatience[i].is_finite() {
                return Err(format!("agent {} has a wrong value", rows.id[i]));
            }
        }
        let mut held: Vec<_> = (0..rows.len()).filter_map(|i| Some((rows.goal[i]?, rows.slot[i]?))).collect();
        held.sort_unstable();
        if held.windows(2).any(|w| w[0] == w[1]) {
            return Err("a slot has two holders".to_owned());
        }
        Ok(())
    }
}

fn distance(p: [f64; 2], (a, b): ([f64; 2], [f64; 2])) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let t = (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    let (x, y) = (p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
    (x * x + y * y).sqrt()
}

fn crosses(p: [f64; 2], q: [f64; 2], (a, b): ([f64; 2], [f64; 2])) -> bool {
    let side =
        |u: [f64; 2], v: [f64; 2], w: [f64; 2]| (v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0]);
    side(p, q, a) * side(p, q, b) < -1e-12 && side(a, b, p) * side(a, b, q) < -1e-12
}

/// Runs a scenario and checks every tick.
fn obey(scenario: Arc<Scenario>, ticks: u32) {
    let checker = Checker::new(&scenario);
    let (name, seed) = (scenario.name.clone(), scenario.seed);
    let reservations = scenario.reservation.enabled;
    let tiles = scenario.motion == throng::scenario::Motion::TileSteps;
    let mut simulation = Simulation::new(scenario);
    while !simulation.is_over() && simulation.tick().0 < ticks {
        let record = simulation.step().unwrap_or_else(|e| panic!("{name}, seed {seed}: {e}"));
        let counts = record.counts;
        assert_eq!(counts.admitted, counts.inside + counts.arrived + counts.removed, "{name}, seed {seed}");
        if !tiles {
            checker
                .check(record.rows, reservations)
                .unwrap_or_else(|e| panic!("{name}, seed {seed}, tick {}: {e}", record.tick));
        }
    }
}

#[test]
fn shipped_scenarios_obey() {
    for path in shipped() {
        obey(Arc::new(Scenario::from_path(path).expect("shipped scenarios are valid")), 900);
    }
    obey(scenario(EVERYTHING), u32::MAX);
}

/// A random scenario: rooms with doors and pillars, bodies of mixed sizes, sources, counterflow, a door that closes.
fn random_scenario(seed: u64) -> String {
    let mut draws = Draws::at(seed, Purpose::Choice, 77, 0, 0);
    let mut pick = |low: f64, high: f64| (draws.between(low, high) * 1000.0).round() / 1000.0;
    let (width, height, door) = (pick(6.0, 14.0), pick(4.0, 9.0), pick(0.5, 2.5));
    let y = pick(0.2, height - door - 0.2);
    let (big, tick) = (pick(0.1, 0.9), pick(10.0, 100.0).round());
    let (wall, end) = (width + pick(0.1, 2.0), width * 2.0 + 2.0);
    let mut text = format!(
        r#"
format = 1
name = "random"
seed = {seed}
tick_ms = {tick}
duration_s = 20.0
[area]
cell_m = {cell}
walkable = "GEOMETRYCOLLECTION (POLYGON ((0 0, {width} 0, {width} {height}, 0 {height}, 0 0)), POLYGON (({width} {y}, {wall} {y}, {wall} {y1}, {width} {y1}, {width} {y})), POLYGON (({wall} 0, {end} 0, {end} {height}, {wall} {height}, {wall} 0)))"
[[region]]
name = "left"
rect = [0, 0, {width}, {height}]
[[region]]
name = "right"
rect = [{wall}, 0, {end}, {height}]
[[region]]
name = "far left"
rect = [0, 0, 1, {height}]
[[region]]
name = "far right"
rect = [{far}, 0, {end}, {height}]
[[region]]
name = "sill"
rect = [{width}, {y}, {wall}, {y1}]
[[door]]
name = "door"
region = "sill"
[[event]]
at_s = 5.0
close = "door"
[[event]]
at_s = 8.0
open = "door"
[[goal]]
name = "east"
region = "far right"
[[goal]]
name = "west"
region = "far left"
[[class]]
name = "big"
core_radius_m = {big}
comfort_radius_m = {comfort}
speed_mps = {{ uniform = [0.3, 2.5] }}
[[source]]
name = "a"
region = "left"
goal = "east"
classes = {{ adult = 0.7, big = 0.3 }}
density_per_m2 = {density}
[[source]]
name = "b"
region = "right"
goal = "west"
rate_per_s = {rate}
"#,
        cell = [0.1, 0.15, 0.25][seed as usize % 3],
        y1 = ((y + door) * 1000.0).round() / 1000.0,
        far = end - 1.0,
        comfort = big + 0.05,
        density = pick(0.3, 4.0),
        rate = pick(0.2, 6.0),
    );
    for _ in 0..pick(0.0, 4.0) as u32 {
        let (x, y) = (pick(1.0, width - 1.0), pick(0.5, height - 0.5));
        let _ = write!(text, "[[obstacle]]\ncircle = [{x}, {y}, {}]\n", pick(0.05, 0.6));
    }
    text
}

#[test]
fn random_scenarios_obey() {
    let mut ran = 0;
    for seed in 0..24 {
        let text = random_scenario(seed);
        // Some of them hold bodies that fit nowhere: that is told, and another is tried.
        match Scenario::from_text(&text, "random.toml", ".".as_ref()) {
            Ok(scenario) => {
                ran += 1;
                obey(Arc::new(scenario), 400);
            }
            Err(error) => {
                let message = &error.problems()[0].message;
                assert!(
                    message.contains("fits into region") || message.contains("no walkable place"),
                    "{error:?}"
                );
            }
        }
    }
    assert!(ran >= 16, "only {ran} random scenarios ran");
}
