//! What a user sees of walking: speeds, queues, ways in and ways round.

use crate::common::{digests, scenario};
use std::fmt::Write as _;
use throng::base::Offset;
use throng::scenario::Action;
use throng::simulation::Simulation;

/// Positions are whole units of 10 micrometres, but over many ticks everybody walks at their own speed: slow or fast, in
/// long ticks or short ones, guided or told to.
#[test]
fn everybody_walks_at_their_own_speed() {
    const SPEEDS: [f64; 7] = [0.01, 0.0134, 0.1, 0.5, 1.33, 1.34, 10.0];
    let mut text = r#"
format = 1
name = "speeds"
duration_s = 20.0
[area]
cell_m = 1.0
walkable = "POLYGON ((0 0, 220 0, 220 140, 0 140, 0 0))"
[[region]]
name = "end"
rect = [218, 0, 220, 140]
[[goal]]
name = "out"
region = "end"
"#
    .to_owned();
    for (i, speed) in SPEEDS.iter().enumerate() {
        let y = 5 + 20 * i;
        let _ = write!(text, "[[agent]]\nat = [5, {y}]\ngoal = \"out\"\nspeed_mps = {speed}\n");
        let _ = write!(text, "[[agent]]\nat = [5, {}]\nspeed_mps = {speed}\n", y + 10);
    }
    for tick_ms in [10, 15, 25, 50, 70, 100] {
        let mut simulation =
            Simulation::new(scenario(&text.replace("[area]", &format!("tick_ms = {tick_ms}\n[area]"))));
        digests(&mut simulation, 1);
        for row in 0..simulation.agents().len() {
            if simulation.agents().goal[row].is_none() {
                let speed = simulation.agents().free_speed[row];
                let velocity_mps = Some([0.8 * speed, -0.6 * speed]);
                let agent = simulation.agents().id[row];
                simulation
                    .command(Action::SetPreferredVelocity { agent, velocity_mps })
                    .expect("it is inside");
            }
        }
        // Ten times the relaxation time until free speed is reached.
        digests(&mut simulation, 4000 / tick_ms);
        let (from, since) = (simulation.agents().clone(), simulation.tick());
        digests(&mut simulation, 14_000 / tick_ms);
        let rows = simulation.agents();
        let seconds = f64::from(simulation.tick().0 - since.0) * f64::from(tick_ms) / 1000.0;
        assert_eq!(rows.len(), 2 * SPEEDS.len());
        for row in 0..rows.len() {
            let Offset { x, y } = rows.position[row].minus(from.position[row]);
            let (x, y) = (f64::from(x), f64::from(y));
            let walked = (x * x + y * y).sqrt() * 1e-5 / seconds;
            let free = f64::from(rows.free_speed[row]);
            assert!((walked / free - 1.0).abs() < 1e-3, "{walked} m/s instead of {free} at {tick_ms} ms");
        }
    }
}

/// Six places of a queue, the head first, `spacing` metres apart.
fn queue(layout: &str, spacing: f64) -> String {
    let place = |i: u32| {
        let (column, row) = match layout {
            "line" => (i, 0),
            "bent" => (i.min(2), i.max(2) - 2),
            "block" => (i % 3, i / 3),
            _ if (i / 3).is_multiple_of(2) => (i % 3, i / 3),
            _ => (2 - i % 3, i / 3),
        };
        format!("[{}, {}]", 15.0 - f64::from(column) * spacing, 6.0 + f64::from(row) * spacing)
    };
    (0..6).map(place).collect::<Vec<_>>().join(", ")
}

/// Everybody in a queue is served: those who were get out through those who wait, those in the queue move up, and the rest
/// wait outside.
#[test]
fn everybody_in_a_queue_is_served() {
    for layout in ["line", "bent", "block", "winding block"] {
        for seed in 1..=20_usize {
            let spacing = [0.5, 0.7, 0.5, 1.0][seed % 4];
            let people = [60, 20, 40][seed % 3];
            let starts = ["[1, 2, 9, 10]", "[8, 1, 19, 11]"][seed % 2];
            let (stages, exit) = [
                ("[\"desk\"]", "[19, 0, 20, 12]"),
                ("[\"desk\", \"out\"]", "[0, 0, 1, 12]"),
                ("[\"desk\", \"out\"]", "[19, 0, 20, 12]"),
            ][seed / 2 % 3];
            let slots = queue(layout, spacing);
            let text = format!(
                r#"
format = 1
name = "queue"
seed = {seed}
tick_ms = 100
duration_s = 600.0
[area]
cell_m = 0.2
walkable = "POLYGON ((0 0, 20 0, 20 12, 0 12, 0 0))"
[[region]]
name = "start"
rect = {starts}
[[region]]
name = "exit"
rect = {exit}
[[goal]]
name = "desk"
slots = [{slots}]
order = "fifo"
arrival = "wait"
wait_s = 1.0
[[goal]]
name = "out"
region = "exit"
[[journey]]
name = "errand"
stages = {stages}
[[source]]
name = "people"
region = "start"
journey = "errand"
count = {people}
"#
            );
            let mut simulation = Simulation::new(scenario(&text));
            digests(&mut simulation, u32::MAX);
            let counts = simulation.record().counts;
            let what = format!("{layout}, {spacing} m apart, stages {stages}, seed {seed}");
            assert_eq!(counts.arrived, people, "{what}: {counts:?} after {} ticks", simulation.tick());
        }
    }
}

/// What becomes of twelve people sent to a goal: so many arrived, so many told that there is no way.
fn sent_to(walls: &str, goal: &str, cell_m: f64, speed_mps: f64) -> (u32, u32) {
    let text = format!(
        r#"
format = 1
name = "shallow exits"
tick_ms = 100
duration_s = 90.0
[area]
cell_m = {cell_m}
walkable = "POLYGON ((0 0, 12 0, 12 8, 0 8, 0 0))"
{walls}
[[region]]
name = "start"
rect = [5, 1, 8, 7]
[[goal]]
name = "out"
{goal}
[[source]]
name = "people"
region = "start"
goal = "out"
count = 12
[[class]]
name = "adult"
speed_mps = {speed_mps}
"#
    );
    let mut simulation = Simulation::new(scenario(&text));
    digests(&mut simulation, 20);
    let unreachable = simulation.record().counts.unreachable;
    if unreachable == 0 {
        digests(&mut simulation, u32::MAX);
    }
    (simulation.record().counts.arrived, unreachable)
}

/// A region that walls keep every centre out of is reached by touching it, and one that no body can touch is told to be
/// unreachable at once.
#[test]
fn a_shallow_exit_is_reached_by_touching_it() {
    let region = |shape: &str| (format!("[[region]]\nname = \"exit\"\n{shape}"), "region = \"exit\"");
    let niche = "[[obstacle]]\nrect = [11, 0, 12, 3.9]\n[[obstacle]]\nrect = [11, 4.1, 12, 8]\n";
    let cases = [
        (region("rect = [4, 7.9, 10, 8]"), true),
        (region("rect = [11.98, 1, 12, 7]"), true),
        (region("rect = [11.82, 1, 12, 7]"), true),
        (region("rect = [11.8, 1, 12, 7]"), true),
        (region("rect = [11.75, 1, 12, 7]"), true),
        (region("rect = [9, 1, 9.02, 7]"), true),
        (region("rect = [11.9, 7.9, 12, 8]"), true),
        ((String::new(), "at = [11.95, 4]\narrive_within_m = 0.05"), true),
        (region("rect = [11.95, 7.95, 12, 8]"), false),
        (region(&format!("rect = [11.5, 3.9, 12, 4.1]\n{niche}")), false),
    ];
    for ((walls, goal), is_reached) in cases {
        for (cell_m, speed_mps) in [(0.1, 1.34), (0.3, 0.3)] {
            let found = sent_to(&walls, goal, cell_m, speed_mps);
            let expected = if is_reached { (12, 0) } else { (0, 12) };
            assert_eq!(found, expected, "{walls} {goal}, cells of {cell_m} m, {speed_mps} m/s");
        }
    }
    // A door that closes in front of an exit does not bring it closer.
    let door = "[[region]]\nname = \"gap\"\nrect = [11.5, 0, 12, 8]\n[[door]]\nname = \"d\"\nregion = \"gap\"\nopen = false";
    let (arrived, _) = sent_to(door, "region = \"gap\"", 0.1, 1.34);
    assert_eq!(arrived, 0);
}

/// On a ring with `walls`: the mean speed over the last 20 of 60 s, and how many are blocked or told that there is no way.
fn round_a_ring(walls: &str, heading: &str, density: f64, seed: u64) -> (f32, u32, u32) {
    let text = format!(
        r#"
format = 1
name = "ring"
seed = {seed}
tick_ms = 100
duration_s = 60.0
[area]
cell_m = 0.1
walkable = "POLYGON ((0 0, 26 0, 26 3, 0 3, 0 0))"
{walls}
[periodic]
x = true
[[region]]
name = "corridor"
rect = [0, 0, 26, 3]
[[goal]]
name = "round"
heading = "{heading}"
[[source]]
name = "walkers"
region = "corridor"
goal = "round"
density_per_m2 = {density}
"#
    );
    let mut simulation = Simulation::new(scenario(&text));
    digests(&mut simulation, 400);
    let (mut sum, mut count) = (0.0, 0.0);
    while !simulation.is_over() {
        let record = simulation.step().expect("the run goes on");
        let rightwards = if heading == "+x" { 1.0 } else { -1.0 };
        sum += record.rows.velocity.iter().map(|v| v.x * rightwards).sum::<f32>();
        count += record.rows.len() as f32;
    }
    let counts = simulation.record().counts;
    (sum / count, counts.blocked + counts.stuck, counts.unreachable)
}

/// Who walks round a ring goes round what stands on it, wherever the ring's seam is.
#[test]
fn a_heading_leads_round_obstacles() {
    let boxes = |list: &[[f64; 4]]| -> String {
        let table = |[a, b, c, d]: &[f64; 4]| format!("[[obstacle]]\nrect = [{a}, {b}, {c}, {d}]\n");
        list.iter().map(table).collect::<Vec<_>>().concat()
    };
    let cases = [
        ("a pillar", boxes(&[[12.0, 1.0, 13.0, 2.2]])),
        ("two thirds of the width", boxes(&[[12.0, 0.0, 12.5, 2.0]])),
        ("across the seam", boxes(&[[0.0, 0.0, 0.5, 1.8], [25.5, 0.0, 26.0, 1.8]])),
        ("a dead end", boxes(&[[12.0, 0.0, 12.2, 2.0], [10.0, 1.8, 12.0, 2.0]])),
        ("one side, then the other", boxes(&[[8.0, 0.0, 8.3, 1.9], [16.0, 1.1, 16.3, 3.0]])),
    ];
    for (name, walls) in cases {
        for heading in ["+x", "-x"] {
            for (density, seed) in [(0.3, 1), (0.3, 2), (1.0, 3)] {
                let (speed, blocked, unreachable) = round_a_ring(&walls, heading, density, seed);
                let what = format!("{name}, {heading}, {density} per m2, seed {seed}");
                assert_eq!((blocked, unreachable), (0, 0), "{what}");
                let bar = if density < 0.5 { 0.6 } else { 0.3 };
                assert!(speed > bar, "{what}: {speed} m/s");
            }
        }
    }
    let (speed, blocked, unreachable) = round_a_ring(&boxes(&[[12.0, 0.0, 12.5, 3.0]]), "+x", 0.3, 1);
    assert_eq!((speed, blocked, unreachable), (0.0, 0, 23), "a wall across the ring leaves no way");
}

/// A corridor of tiles of half a metre, `width` of them wide and 30 long, with so many people from either end to the other.
fn tile_corridor(width: usize, people: u32, neighbours: u32) -> String {
    let wall = "#".repeat(32);
    let row = format!("#{}{}{}#\n", "A".repeat(5), ".".repeat(20), "B".repeat(5));
    format!(
        r#"
format = 1
name = "tiles"
tick_ms = 100
duration_s = 100.0
[area]
map_cell_m = 0.5
map = """
{wall}
{}{wall}
"""
legend = {{ A = "west", B = "east" }}
[guidance]
neighbours = {neighbours}
distance = "dijkstra"
direction = "on-demand"
sampling = "nearest"
[motion]
model = "tile-steps"
[[goal]]
name = "eastwards"
region = "east"
[[goal]]
name = "westwards"
region = "west"
[[source]]
name = "a"
region = "west"
goal = "eastwards"
count = {people}
[[source]]
name = "b"
region = "east"
goal = "westwards"
count = {people}
"#,
        row.repeat(width)
    )
}

/// From tile to tile, people of opposite ways pass each other wherever two tiles lie side by side; nobody shares a tile.
#[test]
fn people_on_tiles_pass_each_other() {
    for (width, people) in [(2, 1), (2, 10), (3, 10), (4, 20), (6, 30)] {
        for (neighbours, seed) in [(4, 1), (8, 2), (4, 3), (8, 4)] {
            let text = tile_corridor(width, people, neighbours);
            let text = text.replace("tick_ms", &format!("seed = {seed}\ntick_ms"));
            let mut simulation = Simulation::new(scenario(&text));
            while !simulation.is_over() {
                let rows = simulation.step().expect("the run goes on").rows;
                let mut tiles: Vec<_> = rows.position.iter().map(|p| (p.x / 50_000, p.y / 50_000)).collect();
                tiles.sort_unstable();
                assert!(tiles.windows(2).all(|w| w[0] != w[1]), "two share a tile");
                assert!(
                    rows.velocity.iter().zip(&rows.free_speed).all(|(v, top)| v.length() <= top * 1.000_001)
                );
            }
            let counts = simulation.record().counts;
            assert_eq!(counts.arrived, 2 * people, "{width} wide, {neighbours} neighbours: {counts:?}");
        }
    }
    // One tile is too narrow for two.
    let mut simulation = Simulation::new(scenario(&tile_corridor(1, 2, 4)));
    digests(&mut simulation, u32::MAX);
    assert_eq!((simulation.record().counts.arrived, simulation.record().counts.blocked), (0, 4));
}

/// A step from tile to tile takes as long as its way at one's own speed, on this ground.
#[test]
fn people_on_tiles_walk_at_their_own_speed() {
    // 21 steps of half a metre, all but the first of them from the ground in the middle.
    for (speed, ground) in [(1.3, 1.0), (0.13, 1.0), (1.3, 0.5), (5.0, 1.0), (0.7, 0.37)] {
        let text = tile_corridor(1, 1, 4);
        let people = text.find("[[source]]").expect("there are two sources");
        let text = format!(
            r#"{}
[[agent]]
at = [2.75, 0.75]
goal = "eastwards"
speed_mps = {speed}
[[region]]
name = "middle"
rect = [3, 0, 13, 2]
[[ground]]
region = "middle"
speed = {ground}
"#,
            &text[..people]
        );
        let mut simulation = Simulation::new(scenario(&text));
        digests(&mut simulation, u32::MAX);
        assert_eq!(simulation.record().counts.arrived, 1);
        let took = simulation.scenario().clock.seconds(simulation.tick());
        let expected = 0.5 / speed + 10.0 / (speed * ground);
        // A tick's way at most is walked at the speed of the ground before.
        let early = if ground < 1.0 { 0.1 / ground } else { 0.0 };
        let late = 0.1;
        assert!(took > expected - early - 1e-3 && took < expected + late + 1e-3, "{took} s, not {expected}");
    }
}
