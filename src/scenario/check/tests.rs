//! Wrong files: each names the place and says what is allowed; and right ones in all their keys.

use super::*;
use crate::scenario::{Arrival, GoalPlace, Placement, Supply};
use crate::space::Shape;
use std::fmt::Write as _;

/// The least that runs; tests put something wrong into it.
const GOOD: &str = r#"format = 1
name = "good"
duration_s = 30.0
[area]
walkable = "POLYGON ((0 0, 10 0, 10 4, 0 4, 0 0))"
[[region]]
name = "start"
rect = [0.5, 0.5, 3.0, 3.5]
[[region]]
name = "exit"
rect = [9.0, 0.0, 10.0, 4.0]
[[goal]]
name = "out"
region = "exit"
[[source]]
name = "crowd"
region = "start"
goal = "out"
count = 5
"#;

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::from_parts(text, "test.toml", &|name| match name {
        "maze.map" => Ok("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n".to_owned()),
        "broken.map" => Ok("type octile\nheight 2\nwidth 3\nmap\n..\n".to_owned()),
        "hall.wkt" => Ok("POLYGON ((0 0, 10 0, 10 4, 0 4, 0 0))".to_owned()),
        "plan.csv" => Ok("t_s,count\n0,3\n12.5,4\n".to_owned()),
        "bad.csv" => Ok("0,3\nsoon,4\n".to_owned()),
        _ => Err(format!("cannot read {name}: not found")),
    })
}

/// The good file with one line replaced, or with lines added at the end.
fn changed(from: &str, to: &str) -> String {
    if from.is_empty() {
        return format!("{GOOD}{to}\n");
    }
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

/// The problems of a wrong file as `line:column message`.
fn problems(text: &str) -> Vec<String> {
    match read(text) {
        Ok(_) => Vec::new(),
        Err(error) => {
            error.problems().iter().map(|p| format!("{}:{} {}", p.line, p.column, p.message)).collect()
        }
    }
}

#[test]
fn the_good_file_is_good() {
    assert_eq!(problems(GOOD), Vec::<String>::new());
}

#[test]
fn each_wrong_line_is_named_with_its_place() {
    let cases: &[(&str, &str, &str)] = &[
        ("format = 1", "format = 2", "1:10 format 2 is not known"),
        ("format = 1\n", "", "1:1 the file does not say its format"),
        ("name = \"good\"\n", "", "1:1 the scenario has no name"),
        ("name = \"good\"", "name = 7", "2:8 the whole number 7 stands where a string belongs"),
        ("duration_s = 30.0", "duration_s = nan", "3:14 nan is not a finite number"),
        ("duration_s = 30.0", "duration_s = -inf", "3:14 -inf is not a finite number"),
        ("duration_s = 30.0", "duration_s = -1", "3:14 -1 is out of range for duration_s"),
        ("duration_s = 30.0", "tick_ms = 9", "3:11 9 is out of range for tick_ms"),
        ("duration_s = 30.0", "tick_ms = 101", "3:11 101 is out of range for tick_ms"),
        (
            "duration_s = 30.0",
            "seed = -3",
            "3:8 the whole number -3 stands where a whole number of at least 0 belongs",
        ),
        ("duration_s = 30.0", "duratoin_s = 30.0", "3:1 unknown key \"duratoin_s\""),
        ("duration_s = 30.0", "duration_s = ", "3:14 string values must be quoted, expected literal string"),
        ("walkable = \"POLYGON ((0 0, 10 0, 10 4, 0 4, 0 0))\"", "", "4:1 the area has no shape"),
        (
            "(0 0, 10 0, 10 4, 0 4, 0 0)",
            "(0 0, 10 0, 0 0)",
            "5:12 a ring needs at least 3 corners, this one has 2",
        ),
        ("(0 0, 10 0, 10 4, 0 4, 0 0)", "(0 0, 10 0, 20 0, 0 0)", "5:12 the walkable area is empty"),
        ("(0 0, 10 0, 10 4, 0 4, 0 0)", "(0 0, 90000 0, 10 4, 0 0)", "5:12 a corner is too far away"),
        ("walkable = ", "map_file = \"x.map\"\nwalkable = ", "6:12 the area has more than one shape"),
        ("walkable = \"POLYGON", "walkable = \"PLYGON", "5:12 this is not WKT"),
        (
            "rect = [0.5, 0.5, 3.0, 3.5]",
            "rect = [0.5, 0.5, 3.0]",
            "8:8 a list stands where a list of 4 numbers belongs",
        ),
        ("rect = [0.5, 0.5, 3.0, 3.5]", "rect = [1, 1, 1, 3]", "8:8 this shape has no area"),
        ("rect = [0.5, 0.5, 3.0, 3.5]", "circle = [50, 50, 1]", "6:1 region \"start\" has no walkable place"),
        ("rect = [0.5, 0.5, 3.0, 3.5]", "", "6:1 exactly one shape belongs here"),
        ("name = \"exit\"", "name = \"start\"", "10:8 region \"start\" is defined twice"),
        ("region = \"exit\"", "region = \"exti\"", "14:10 there is no region \"exti\""),
        ("region = \"exit\"", "heading = \"+x\"", "14:11 a heading needs a ring"),
        ("region = \"exit\"", "at = [20, 20]", "14:6 (20, 20) is off the walkable area"),
        ("region = \"exit\"", "", "12:1 a goal needs exactly one place"),
        (
            "region = \"exit\"",
            "slots = [[1, 9]]\nregion = \"exit\"",
            "14:10 slot (1, 9) is off the walkable area",
        ),
        (
            "region = \"exit\"",
            "region = \"exit\"\narrival = \"vanish\"",
            "15:11 \"vanish\" is not known here",
        ),
        (
            "region = \"exit\"",
            "region = \"exit\"\nwait_s = 3",
            "15:10 wait_s without arrival = \"wait\" has no effect",
        ),
        ("region = \"exit\"", "region = \"exit\"\ncapacity = 0", "15:12 0 is out of range for capacity"),
        (
            "region = \"exit\"",
            "region = \"exit\"\norder = \"fifo\"",
            "12:1 goal \"out\" is a queue without slots",
        ),
        ("goal = \"out\"", "goal = \"in\"", "18:8 there is no goal \"in\""),
        ("goal = \"out\"", "goal = \"out\"\njourney = \"trip\"", "19:11 a goal and a journey are given"),
        ("count = 5", "", "15:1 the source does not say how many"),
        ("count = 5", "count = 99999999", "19:9 99999999 is out of range for count"),
        ("count = 5", "count = 5\nrate_per_s = 1\ninside = 3", "15:1 a source gives agents in one way"),
        ("count = 5", "count = 5\nfrom_s = 3", "20:10 from_s without rate_per_s has no effect"),
        ("count = 5", "count = 5\nplacement = \"points\"", "15:1 placement = \"points\" without points"),
        ("count = 5", "schedule = [[1, 2.5]]", "19:13 [1, 2.5] is no entry of a schedule"),
        ("count = 5", "schedule_file = \"none.csv\"", "19:17 cannot read none.csv: not found"),
        (
            "count = 5",
            "schedule_file = \"bad.csv\"",
            "19:17 bad.csv: line 2: \"soon,4\" is not seconds,count",
        ),
        ("count = 5", "count = 5\nclass = \"cart\"", "20:9 there is no class \"cart\""),
        ("count = 5", "count = 5\nclasses = { adult = 0 }", "20:21 0 is out of range for classes"),
        (
            "",
            "[[class]]\nname = \"wide\"\ncore_radius_m = 0.4\ncomfort_radius_m = 0.3",
            "23:20 the comfort radius is smaller",
        ),
        ("", "[[class]]\nname = \"huge\"\ncore_radius_m = 9", "22:17 9 is out of range for core_radius_m"),
        ("", "[[class]]\nname = \"still\"\nspeed_mps = 0", "22:13 0 is out of range for speed_mps"),
        (
            "",
            "[[class]]\nname = \"odd\"\nspeed_mps = { mean = 1, uniform = [1, 2] }",
            "22:13 exactly one distribution",
        ),
        (
            "",
            "[[class]]\nname = \"odd\"\nspeed_mps = { uniform = [2, 1] }",
            "22:13 no value lies between 2 and 1",
        ),
        ("", "[[agent]]\nat = [0.1, 2]", "21:6 an agent at (0.1, 2) stands in a wall"),
        ("", "[[agent]]\nat = [11, 2]", "21:6 an agent at (11, 2) is off the walkable area"),
        ("", "[[agent]]\nat = [5, 2]\n[[agent]]\nat = [5.1, 2]", "23:6 two agents start in one place"),
        ("", "[[agent]]\ngoal = \"out\"", "20:1 an agent has no place"),
        ("", "[[journey]]\nname = \"trip\"\nstages = []", "20:1 journey \"trip\" has no stages"),
        (
            "",
            "[[journey]]\nname = \"trip\"\nstages = [\"out\", { by = \"cost\" }]",
            "22:18 this stage names no goal",
        ),
        (
            "",
            "[[journey]]\nname = \"t\"\nstages = [{ one_of = [\"out\"], by = \"share\" }]",
            "22:11 shares must be",
        ),
        (
            "",
            "[[door]]\nname = \"gate\"\nregion = \"start\"\none_way = [0, 0]",
            "23:11 [0, 0] is no direction",
        ),
        ("", "[[door]]\nname = \"gate\"", "20:1 a region is missing here"),
        ("", "[[ground]]\nregion = \"start\"\nprice = 0.5", "22:9 0.5 is out of range for price"),
        ("", "[[ground]]\nregion = \"start\"\nspeed = 0", "22:9 0 is out of range for speed"),
        ("", "[[event]]\nclose = \"gate\"", "20:1 an event has no time"),
        ("", "[[event]]\nat_s = 3\nclose = \"gate\"", "22:9 there is no door \"gate\""),
        ("", "[[event]]\nat_s = 3\nmove_goal = \"out\"", "20:1 a goal moves to a region"),
        ("", "[[event]]\nat_s = 3\nmove_goal = \"out\"\nto = \"exi\"", "23:6 there is no region \"exi\""),
        (
            "",
            "[[event]]\nat_s = 3\nrelease = \"out\"\nto = \"exit\"",
            "23:6 this belongs to a goal that moves",
        ),
        ("", "[[line]]\nname = \"l\"\nfrom = [1, 1]\nto = [1, 1]", "23:6 line \"l\" has no length"),
        (
            "",
            "[[measure]]\nname = \"m\"\nregion = \"start\"\nfrom_s = 40",
            "20:1 measure \"m\" ends before it begins",
        ),
        ("", "[[expect.flow]]\nline = \"l\"", "21:8 there is no line \"l\""),
        ("", "[expect]\ndigest = \"xyz\"", "21:10 \"xyz\" is not a digest of 16 hexadecimal digits"),
        (
            "region = \"exit\"",
            "region = \"exit\"\narrival = \"stay\"\n[[obstacle]]\nrect = [0, 0, 10, 0.01]\n[[region]]\nname = \"strip\"\nrect = [4, 0, 6, 0.1]\n[[goal]]\nname = \"edge\"\nregion = \"strip\"\narrival = \"wait\"",
            "21:1 nobody can stay in goal \"edge\": no body fits into its region",
        ),
        ("region = \"exit\"", "regions = []", "14:11 a goal needs at least one region"),
        ("", "[[agent]]\nat = [5, 2]\nat_s = 31", "22:8 31 s is after the end of the run"),
        ("count = 5", "rate_per_s = 1\nfrom_s = 9\nuntil_s = 3", "21:11 the stream ends before it begins"),
        ("", "[[class]]\nname = \"odd\"\nspeed_mps = { list = [] }", "22:22 this list is empty"),
        ("", "[guidance]\nweight = \"inverse\"", "21:10 a weight without direction"),
        ("", "[guidance]\nneighbours = 6", "21:14 6 neighbours are not known"),
        ("", "[guidance]\ndistance = \"labels\"\nneighbours = 8", "22:14 labels know four neighbours"),
        ("", "[guidance]\ndistance = \"kernel\"", "20:1 distance = \"kernel\" needs a kernel"),
        ("", "[guidance]\ntie_order = \"NNES\"", "21:13 \"NNES\" is no tie order"),
        ("", "[guidance]\ntile_cells = 16", "21:14 solving by tiles is not supported yet"),
        ("", "[guidance]\norder = 3", "21:9 3 is out of range for order"),
        ("", "[guidance]\ndistance = \"dijkstra\"\norder = 2", "22:9 this distance has no second order"),
        ("", "[guidance]\ndistance = \"labels\"\nfactored = true", "22:12 this distance cannot be factored"),
        ("", "[guidance]\npublish = { after_ticks = 4000000000000 }", "21:27 4000000000000 is out of range"),
        ("", "[motion]\nmodel = \"social-force\"", "21:9 \"social-force\" is not known here"),
        (
            "region = \"exit\"",
            "region = \"exit\"\narrival = \"stay\"\n[motion]\nmodel = \"tile-steps\"",
            "16:1 tile-steps know no places to stay or wait",
        ),
        ("", "[motion]\nmodel = \"tile-steps\"", "20:1 a body is wider than a tile"),
        ("", "[motion]\nmodel = \"tile-steps\"", "20:1 at 2.2 m/s a body moves more than a tile a tick"),
        (
            "",
            "[motion]\nmodel = \"tile-steps\"\n[[agent]]\nat = [1.5, 1.52]",
            "23:6 (1.5, 1.52) is not the middle of a tile",
        ),
        ("", "[steering]\nlane = 7", "21:8 7 is out of range for lane"),
        ("", "[periodic]\nx = \"yes\"", "21:5 the string \"yes\" stands where true or false belongs"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .map(|(from, to, expected)| (to, expected, problems(&changed(from, to))))
        .filter(|(_, expected, found)| !found.iter().any(|p| p.starts_with(**expected)))
        .map(|(to, expected, found)| format!("{to:?} gave {found:#?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // All of them once more, as a person reads them: each says what to do.
    let mut told = String::new();
    for (from, to, _) in cases {
        let error = read(&changed(from, to)).expect_err(to);
        let _ = writeln!(told, "{}", to.replace('\n', " | "));
        for p in error.problems() {
            let is_syntax = p.help.is_none() && p.message.contains("expected");
            assert!(p.help.is_some() || is_syntax, "{to:?}: {} does not say what to do", p.message);
            let help = p.help.as_deref().unwrap_or("-");
            let _ = writeln!(told, "  {}:{} {}\n      {help}", p.line, p.column, p.message);
        }
    }
    insta::assert_snapshot!("what_wrong_lines_are_told", told);
}

#[test]
fn many_problems_are_told_at_once_and_in_order_of_place() {
    let text = changed("format = 1", "format = 3").replace("\"exit\"\n[[source]]", "\"exot\"\n[[source]]");
    let text = text.replace("count = 5", "count = \"five\"\ncolour = 3");
    let found = problems(&text);
    let starts =
        ["1:10 format 3", "14:10 there is no region \"exot\"", "19:9 the string", "20:1 unknown key"];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (problem, start) in found.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem} is not {start}");
    }
}

#[test]
fn a_wrong_area_hides_nothing_else() {
    let text = changed("POLYGON ((0 0", "POLYGON ((0 O").replace("count = 5", "count = \"five\"");
    let text = text.replace("goal = \"out\"", "goal = \"oot\"");
    let found = problems(&text);
    for start in ["5:12 this is not WKT", "18:8 there is no goal \"oot\"", "19:9 the string \"five\""] {
        assert!(found.iter().any(|p| p.starts_with(start)), "{found:#?}");
    }
    assert!(found.len() <= 4, "and nothing that is right: {found:#?}");
}

#[test]
fn a_shape_that_crosses_itself_has_the_area_it_covers() {
    let bow_tie = changed("rect = [0.5, 0.5, 3.0, 3.5]", "polygon = \"POLYGON ((1 1, 3 3, 3 1, 1 3, 1 1))\"");
    let scenario = read(&bow_tie).unwrap();
    assert!((scenario.regions[1].shape.area_m2() - 2.0).abs() < 1e-9);
}

proptest::proptest! {
    /// Whatever is done to a file, it is read or told, never a panic.
    #[test]
    fn no_text_makes_it_panic(cut in 0..FULL.len(), length in 0..30_usize, put in "[ -~\n]{0,12}") {
        let from = (0..=cut).rev().find(|i| FULL.is_char_boundary(*i)).unwrap_or(0);
        let to = (from + length..FULL.len()).find(|i| FULL.is_char_boundary(*i)).unwrap_or(FULL.len());
        let _ = read(&format!("{}{put}{}", &FULL[..from], &FULL[to..]));
    }
}

#[test]
fn a_circle_stays_within_reach() {
    let huge = changed("rect = [0.5, 0.5, 3.0, 3.5]", "circle = [5, 2, 19999]");
    assert!(problems(&huge)[0].contains("is too far from the area"), "{:?}", problems(&huge));
}

#[test]
fn several_syntax_errors_are_told_at_once() {
    let found = problems("format = 1\nname = \nseed = = 3\n[area\n");
    assert!(found.len() >= 3, "{found:#?}");
}

#[test]
fn bodies_that_do_not_fit_are_told() {
    let tight = changed("rect = [0.5, 0.5, 3.0, 3.5]", "rect = [0.0, 0.0, 0.1, 0.1]");
    let found = problems(&tight);
    assert!(
        found[0].contains("not one body of source \"crowd\" (class \"adult\") fits into region \"start\""),
        "{found:?}"
    );
}

#[test]
fn maps_are_checked() {
    assert_eq!(problems(&map_text("..#\n...", "")), Vec::<String>::new());
    for (map, legend, expected) in [
        ("", "", "the map is empty"),
        ("###\n###", "", "the walkable area is empty"),
        ("..x", "", "the map holds 'x'"),
        ("...", "Q = \"nowhere\"", "region \"nowhere\" is not drawn"),
        ("..Q", "QQ = \"two\", Q = \"one\"", "\"QQ\" cannot be a map character"),
    ] {
        let found = problems(&map_text(map, legend));
        assert!(found.iter().any(|p| p.contains(expected)), "{map:?} gave {found:?}");
    }
    let file = |name: &str| problems(&format!("format = 1\nname = \"m\"\n[area]\nmap_file = \"{name}\"\n"));
    assert_eq!(file("maze.map"), Vec::<String>::new());
    assert!(file("broken.map")[0].starts_with("4:12 broken.map: line 5: 2 cells where 3 belong"));
    assert!(file("none.map")[0].starts_with("4:12 cannot read none.map"));
    let huge =
        format!("format = 1\nname = \"m\"\n[area]\nmap_cell_m = 50.0\nmap = \"{}\"\n", ".".repeat(1000));
    assert!(problems(&huge)[0].contains("a map of 1000 x 1 cells is too large"));
    let fine = changed("[area]", "[area]\ncell_m = 0.001");
    assert!(problems(&fine)[0].contains("0.001 is out of range for cell_m"));
}

fn map_text(map: &str, legend: &str) -> String {
    format!("format = 1\nname = \"m\"\n[area]\nmap = \"\"\"\n{map}\n\"\"\"\nlegend = {{ {legend} }}\n")
}

#[test]
fn unreadable_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Scenario::from_path(folder.path().join("none.toml")).unwrap_err();
    assert!(missing.problems()[0].message.contains("cannot read"), "{missing:?}");
    let latin = folder.path().join("latin.toml");
    std::fs::write(&latin, b"format = 1\nname = \"caf\xe9\"\n").unwrap();
    let error = Scenario::from_path(&latin).unwrap_err();
    assert!(error.problems()[0].message.ends_with("is not UTF-8 text: byte 22 is wrong"), "{error:?}");
    let error = Scenario::from_path(folder.path()).unwrap_err();
    assert!(error.problems()[0].message.ends_with("is a folder"), "{error:?}");
    let empty = problems("");
    assert!(empty.iter().any(|p| p.contains("does not say its format")) && empty.len() >= 3, "{empty:?}");
}

/// Every key of the format, used once.
const FULL: &str = r#"
format = 1
name = "two-rooms"
seed = 7
tick_ms = 50
duration_s = 120.0
[area]
cell_m = 0.25
map = """
##########
#SSS..~.G#
#SSS#.~.G#
##########
"""
map_cell_m = 1.0
legend = { S = "start", G = "exit", "~" = "mud" }
[[region]]
name = "gate"
rect = [4.0, 2.0, 5.0, 3.0]
[[region]]
name = "disc"
circle = [7.5, 1.5, 0.4]
[[region]]
name = "patch"
polygon = "POLYGON ((5 1, 6 1, 6 2, 5 1))"
[[obstacle]]
rect = [5.5, 1.2, 5.8, 1.5]
[[door]]
name = "bridge"
region = "gate"
open = true
one_way = [1, 0]
max_flow_per_s = 1.33
[[ground]]
region = "mud"
price = 3.0
speed = 0.5
prices = { cart = 6.0 }
closed_to = ["pram"]
[[class]]
name = "adult"
core_radius_m = 0.18
comfort_radius_m = 0.20
speed_mps = { mean = 1.34, sd = 0.26, min = 0.5, max = 2.2 }
premovement_s = { uniform = [0, 2] }
[[class]]
name = "cart"
core_radius_m = 0.35
comfort_radius_m = 0.4
speed_mps = 0.8
[[class]]
name = "pram"
speed_mps = { list = [0.5, 0.9] }
premovement_s = { lognormal = [0, 1], min = 0.1, max = 5 }
[[goal]]
name = "out"
region = "exit"
arrival = "leave"
[[goal]]
name = "rest"
at = [7.5, 1.5]
arrival = "wait"
wait_s = 5
arrive_within_m = 0.3
capacity = 3
[[goal]]
name = "queue"
slots = [[5.5, 2.5], [7.5, 2.5]]
order = "fifo"
arrival = "stay"
[[journey]]
name = "home"
stages = ["rest", { one_of = ["out", "queue"], by = "share", shares = [3, 1] }]
[[source]]
name = "crowd"
region = "start"
classes = { adult = 0.8, cart = 0.2 }
journey = "home"
count = 3
placement = "hex"
spacing_m = 0.9
gap_m = 0.02
[[source]]
name = "stream"
region = "start"
goal = "out"
rate_per_s = 0.5
from_s = 10
until_s = 30
arrivals = "poisson"
[[source]]
name = "plan"
region = "start"
goal = "out"
schedule_file = "plan.csv"
placement = "points"
points = [[1.5, 1.5], [2.5, 1.5]]
[[source]]
name = "steady"
region = "start"
goal = "out"
inside = 1
at_s = 2.0
[[agent]]
name = "guide"
at = [5.5, 2.5]
goal = "out"
class = "adult"
speed_mps = 1.1
premovement_s = 1
at_s = 3
[[event]]
at_s = 30.0
close = "bridge"
[[event]]
at_s = 31.0
ground = "mud"
price = 2.0
open_to = ["pram"]
[[event]]
at_s = 32.0
release = "rest"
[[event]]
at_s = 33.0
move_goal = "rest"
to = "mud"
[guidance]
neighbours = 8
diagonal = "strict"
distance = "kernel"
kernel = [[4, 3, 4], [3, 0, 3], [4, 3, 4]]
direction = "weighted"
weight = "softmin"
sampling = "bilinear"
tile_cells = 0
order = 1
factored = false
wall_fallback = "best-neighbour"
tie_order = "NESW"
line_of_sight = false
cache_mb = 64
publish = "same-tick"
[congestion]
enabled = true
update_s = 1.0
[motion]
model = "layered"
[steering]
enabled = true
relaxation_s = 0.3
[reservation]
enabled = true
[[line]]
name = "door"
from = [5.0, 1.0]
to = [5.0, 3.0]
[[measure]]
name = "mid"
region = "gate"
[expect]
all_arrived_by_s = 100.0
max_overlap_m = 1e-4
digest = "0123456789abcdef"
unreachable = 0
stuck = 0
blocked = 0
travel_p95_s = 60
[[expect.measure]]
measure = "mid"
density_max = 4
speed_min = 0.1
[[expect.exit]]
goal = "out"
share_min = 0.5
share_max = 1.0
[[expect.flow]]
line = "door"
min_per_s = 0.1
max_per_s = 3.0
count_min = 1
count_max = 99
"#;

#[test]
fn every_key_is_read() {
    let s = read(FULL).unwrap_or_else(|e| panic!("{:#?}", e.problems()));
    assert_eq!(s.classes.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["adult", "cart", "pram"]);
    assert_eq!(s.goals.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["out", "queue", "rest"]);
    assert_eq!(s.grounds[0].prices, [3.0, 6.0, 3.0]);
    assert_eq!(s.grounds[0].closed_to, [false, false, true]);
    assert_eq!(s.goals[2].arrival, Arrival::Wait { wait_ms: Some(5000) });
    assert!(
        matches!(&s.goals[2].place, GoalPlace::Shapes(shapes) if matches!(shapes[0], Shape::Circle { radius: 30_000, .. }))
    );
    assert!(s.goals[1].fifo && s.goals[1].slots.len() == 2);
    assert_eq!(s.journeys[0].stages[1].choice, crate::scenario::Choice::Share(vec![0.75, 0.25]));
    let source = |name: &str| s.sources.iter().find(|source| source.name == name).unwrap();
    assert_eq!(source("crowd").placement, Placement::Hex { spacing: 90_000 });
    assert_eq!(source("plan").supply, Supply::Schedule(vec![(Tick(0), 3), (Tick(250), 4)]));
    assert_eq!(source("steady").supply, Supply::Keep { inside: 1, from: Tick(40) });
    assert!(matches!(source("stream").supply, Supply::Rate { poisson: true, from_ms: 10_000, .. }));
    assert_eq!(s.side_files, [("plan.csv".to_owned(), "t_s,count\n0,3\n12.5,4\n".to_owned())]);
    assert_eq!((s.events.len(), s.events[0].tick), (4, Tick(600)));
    assert_eq!((s.grid.columns, s.grid.rows, s.grid.cell), (40, 16, 25_000));
    assert_eq!(s.expect.flows[0].count_max, Some(99));
}

#[test]
fn the_order_in_the_file_leaves_no_trace() {
    let blocks: Vec<&str> = FULL.split("\n[").collect();
    let (head, tables) = blocks.split_first().unwrap();
    // `[[expect.x]]` must follow `[expect]`; everything else may stand anywhere.
    let mut turned: Vec<&str> = tables.iter().rev().copied().collect();
    turned.sort_by_key(|t| t.starts_with("[expect."));
    let turned = format!("{head}\n[{}", turned.join("\n["));
    let (mut a, mut b) =
        (read(FULL).unwrap(), read(&turned).unwrap_or_else(|e| panic!("{:#?}", e.problems())));
    (a.text, b.text) = (String::new(), String::new());
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn a_shift_by_whole_metres_gives_the_same_places() {
    let text = |x: f64, y: f64| {
        format!(
            "format = 1\nname = \"s\"\n[area]\nwalkable = \"POLYGON (({} {}, {} {}, {} {}))\"\n[[agent]]\nat = [{}, {}]\n",
            x + 0.25,
            y + 0.5,
            x + 10.125,
            y + 0.5,
            x + 5.0,
            y + 9.001,
            x + 5.0,
            y + 3.0
        )
    };
    let (here, there) = (read(&text(0.0, 0.0)).unwrap(), read(&text(32_500_000.0, 5_600_000.0)).unwrap());
    assert_eq!(here.agents, there.agents);
    assert_eq!(here.area.walls(), there.area.walls());
    assert_eq!(there.area.frame.metres(there.agents[0].at), [32_500_005.0, 5_600_003.0]);
}

#[test]
fn reports_read_like_a_compilers() {
    let render = |text: &str| {
        let error = read(text).unwrap_err();
        let mut out = String::new();
        let handler = miette::NarratableReportHandler::new();
        handler.render_report(&mut out, &error).unwrap();
        out
    };
    insta::assert_snapshot!(
        "misspelt_names",
        render(
            &changed("region = \"exit\"", "regoin = \"exit\"").replace("goal = \"out\"", "goal = \"uot\"")
        )
    );
    insta::assert_snapshot!(
        "wrong_values",
        render(
            &changed("duration_s = 30.0", "tick_ms = 500\nduration_s = inf")
                .replace("count = 5", "count = -5")
        )
    );
    insta::assert_snapshot!(
        "a_wall_and_a_twin",
        render(&changed("", "[[agent]]\nat = [0.1, 2]\n[[agent]]\nat = [5, 2]\n[[agent]]\nat = [5, 2.1]"))
    );
    insta::assert_snapshot!("nothing_at_all", render(""));
}
