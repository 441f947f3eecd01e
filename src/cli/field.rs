//! `throng path`, `throng distance` and `throng inspect`: what guidance says before anybody moves.

use super::driver::{Progress, on_threads, thread_count};
use super::failure::Failure;
use super::output::{Output, shell_word, thousands};
use super::run::threads;
use crate::base::{ClassId, GoalId, Point, Workers};
use crate::field::{Field, Guide};
use crate::scenario::Scenario;
use crate::survey::{FieldReport, PlaceReport, Route, Survey, costs_to};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Print one complete route from the shared field of a goal
///
/// The route goes from cell to cell, each time to the neighbour by which the goal is cheapest to reach.
#[derive(Debug, Args)]
#[command(after_help = PATH_EXAMPLES)]
pub(super) struct PathArguments {
    /// The scenario file
    scenario: PathBuf,
    /// Where the route starts, in metres
    #[arg(long, value_name = "X,Y", value_parser = place, allow_hyphen_values = true)]
    from: [f64; 2],
    /// The goal [default: the only one]
    #[arg(long, value_name = "NAME")]
    goal: Option<String>,
    /// The movement class
    #[arg(long, value_name = "NAME", default_value = "adult")]
    class: String,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const PATH_EXAMPLES: &str = "\
Examples:
  throng path scenarios/rimea-06.toml --from 1,1
  throng path scenarios/rimea-10.toml --from 2,2 --goal 'main exit' --json";

/// Print what remains to a goal, for each query of a file
///
/// A query is a line `x y gx gy` in metres, or a line of a MovingAI .scen file, whose rows count from the top. The cost is
/// to the middle of the cell that holds gx, gy. Where no way leads there, the answer is `unreachable`, in JSON null.
#[derive(Debug, Args)]
#[command(after_help = DISTANCE_EXAMPLES)]
pub(super) struct DistanceArguments {
    /// The scenario file
    scenario: PathBuf,
    /// The file of queries
    #[arg(long, value_name = "FILE")]
    query: PathBuf,
    /// The movement class
    #[arg(long, value_name = "NAME", default_value = "adult")]
    class: String,
    /// Threads to use; the results are the same with any number [default: one a processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const DISTANCE_EXAMPLES: &str = "\
Examples:
  throng distance hall.toml --query places.txt
  throng distance maze.toml --query maze512-32-9.map.scen --json | jq .costs

The distance solver is the scenario's: set [guidance] distance = \"dijkstra\" for octile lengths.";

/// Show the fields of a scenario: statistics, drawings of small ones, and single cells
#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(super) struct InspectArguments {
    /// The scenario file
    scenario: PathBuf,
    /// Show this goal alone [default: all]
    #[arg(long, value_name = "NAME")]
    goal: Option<String>,
    /// The movement class
    #[arg(long, value_name = "NAME", default_value = "adult")]
    class: String,
    /// Show what guidance says at this place, in metres
    #[arg(long, value_name = "X,Y", value_parser = place, allow_hyphen_values = true)]
    at: Option<[f64; 2]>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const INSPECT_EXAMPLES: &str = "\
Examples:
  throng inspect scenarios/tiles.toml
  throng inspect scenarios/strip.toml --at 3.5,2.5
  throng inspect scenarios/rimea-10.toml --goal 'main exit' --json";

fn place(text: &str) -> Result<[f64; 2], String> {
    let wanted = || "write X,Y in metres, for example 2.5,1".to_owned();
    let (x, y) = text.split_once(',').ok_or_else(wanted)?;
    let number = |part: &str| part.trim().parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(wanted);
    Ok([number(x)?, number(y)?])
}

/// The class of that name.
fn class_named(scenario: &Scenario, name: &str) -> Result<ClassId, Failure> {
    scenario.class_named(name).ok_or_else(|| {
        let known: Vec<&str> = scenario.classes.iter().map(|c| c.name.as_str()).collect();
        Failure::input(format!("there is no class \"{name}\"; known: {}", known.join(", ")))
    })
}

/// The goals of that name, or all.
fn goals_named(scenario: &Scenario, name: Option<&str>) -> Result<Vec<GoalId>, Failure> {
    let known = || scenario.goals.iter().map(|g| g.name.as_str()).collect::<Vec<_>>().join(", ");
    match name {
        None if scenario.goals.is_empty() => Err(Failure::input("the scenario has no goals")),
        None => Ok((0..scenario.goals.len()).map(GoalId::from_index).collect()),
        Some(name) => match scenario.goal_named(name) {
            Some(goal) => Ok(vec![goal]),
            None => Err(Failure::input(format!("there is no goal \"{name}\"; known: {}", known()))),
        },
    }
}

/// A place of the walkable area.
fn walkable(scenario: &Scenario, at_m: [f64; 2]) -> Result<Point, Failure> {
    let found = scenario.place(at_m).filter(|&p| scenario.area.contains(p));
    found.ok_or_else(|| Failure::input(format!("({}, {}) is off the walkable area", at_m[0], at_m[1])))
}

fn field_of(
    survey: &mut Survey,
    scenario: &Scenario,
    goal: GoalId,
    class: ClassId,
) -> Result<Arc<Field>, Failure> {
    survey.field(goal, class).ok_or_else(|| {
        let name = &scenario.goal(goal).name;
        Failure::input(format!("goal \"{name}\" is a heading: it has no end that a route could reach"))
    })
}

#[derive(Serialize)]
struct PathReport<'a> {
    scenario: &'a str,
    goal: &'a str,
    class: &'a str,
    from_m: [f64; 2],
    reachable: bool,
    /// Null where no way leads to the goal.
    cost: Option<f64>,
    length_m: Option<f64>,
    cells: Vec<[u32; 2]>,
    points_m: Vec<[f64; 2]>,
}

/// Runs `throng path`.
pub(super) fn path(arguments: &PathArguments, output: &mut Output) -> Result<(), Failure> {
    let scenario = Arc::new(Scenario::from_path(&arguments.scenario)?);
    let class = class_named(&scenario, &arguments.class)?;
    let goals = goals_named(&scenario, arguments.goal.as_deref())?;
    let &[goal] = goals.as_slice() else {
        let known: Vec<String> = scenario.goals.iter().map(|g| shell_word(&g.name)).collect();
        return Err(Failure::input(format!("say which goal: --goal {}", known.join(" or --goal "))));
    };
    let from = walkable(&scenario, arguments.from)?;
    let mut survey = Survey::new(&scenario, thread_count(None));
    let field = field_of(&mut survey, &scenario, goal, class)?;
    let route = survey.route(&field, from);
    let (goal, from_m) = (scenario.goal(goal).name.as_str(), arguments.from);
    if arguments.json {
        return output.json(&PathReport {
            scenario: &scenario.name,
            goal,
            class: &arguments.class,
            from_m,
            reachable: route.is_some(),
            cost: route.as_ref().map(|r| r.cost),
            length_m: route.as_ref().map(|r| r.length_m),
            cells: route.as_ref().map_or_else(Vec::new, |r| r.cells.clone()),
            points_m: route.map_or_else(Vec::new, |r| r.points_m),
        });
    }
    let [x, y] = from_m;
    let Some(route) = route else {
        return output
            .line(format!("no way leads from ({x}, {y}) to \"{goal}\" for class \"{}\"", arguments.class));
    };
    let Route { cost, length_m, cells, .. } = &route;
    output.line(format!(
        "from ({x}, {y}) to \"{goal}\": cost {}, {} m along {} cells",
        short(*cost),
        short(*length_m),
        cells.len()
    ))?;
    output.line("")?;
    let heading = ["column", "row", "x_m", "y_m"].map(str::to_owned).to_vec();
    let rows = route.cells.iter().zip(&route.points_m).map(|(cell, point)| {
        vec![cell[0].to_string(), cell[1].to_string(), short(point[0]), short(point[1])]
    });
    output.table(&[heading].into_iter().chain(rows).collect::<Vec<_>>(), 0..4)
}

/// One query: from a place to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Query {
    from_m: [f64; 2],
    to_m: [f64; 2],
}

#[derive(Serialize)]
struct DistanceReport {
    costs: Vec<Option<f64>>,
}

/// Runs `throng distance`.
pub(super) fn distance(arguments: &DistanceArguments, output: &mut Output) -> Result<(), Failure> {
    let scenario = Arc::new(Scenario::from_path(&arguments.scenario)?);
    let class = class_named(&scenario, &arguments.class)?;
    let queries = read_queries(&arguments.query, &scenario)?;
    let costs = answers(&scenario, class, &queries, thread_count(arguments.threads));
    if arguments.json {
        return output.json(&DistanceReport { costs });
    }
    for cost in costs {
        output.line(cost.map_or_else(|| "unreachable".to_owned(), |cost| cost.to_string()))?;
    }
    Ok(())
}

/// What remains for each query; each goal's field is built once, and dropped when its queries are answered.
fn answers(scenario: &Arc<Scenario>, class: ClassId, queries: &[Query], threads: usize) -> Vec<Option<f64>> {
    let frame = scenario.grid;
    let mut by_goal: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, query) in queries.iter().enumerate() {
        if let Some(goal) = scenario.place(query.to_m).and_then(|to| frame.cell_at(to)) {
            by_goal.entry(goal).or_default().push(i);
        }
    }
    let transition = Survey::new(scenario, threads).transition(class);
    let groups: Vec<(u32, Vec<usize>)> = by_goal.into_iter().collect();
    let progress = Progress::of_items("goals", groups.len());
    let found = on_threads(&groups, threads, |(goal, asked)| {
        let places: Vec<Option<Point>> = asked.iter().map(|&i| scenario.place(queries[i].from_m)).collect();
        let known: Vec<Point> = places.iter().copied().flatten().collect();
        let workers = Workers::new(1);
        let mut costs = costs_to(scenario, &transition, frame.centre(*goal), &known, &workers).into_iter();
        progress.one_more();
        places.iter().map(|place| place.and_then(|_| costs.next().flatten())).collect::<Vec<_>>()
    });
    let mut costs = vec![None; queries.len()];
    for ((_, asked), found) in groups.iter().zip(found) {
        asked.iter().zip(found).for_each(|(&i, cost)| costs[i] = cost);
    }
    costs
}

fn read_queries(path: &Path, scenario: &Scenario) -> Result<Vec<Query>, Failure> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|e| Failure::input(format!("cannot read {name}: {e}")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_scen = text.lines().next().is_some_and(|line| line.trim_start().starts_with("version"));
    let mut queries = Vec::new();
    for (i, line) in text.lines().enumerate().skip(usize::from(is_scen)) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let query = if is_scen { scen_query(line, scenario) } else { plain_query(line) };
        queries.push(query.map_err(|message| Failure::input(format!("{name}, line {}: {message}", i + 1)))?);
    }
    Ok(queries)
}

fn plain_query(line: &str) -> Result<Query, String> {
    let numbers: Option<Vec<f64>> = line
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().ok().filter(|v: &f64| v.is_finite()))
        .collect();
    match numbers.as_deref() {
        Some(&[x, y, gx, gy]) => Ok(Query { from_m: [x, y], to_m: [gx, gy] }),
        _ => Err(format!("\"{line}\" is not x y gx gy, four numbers in metres")),
    }
}

/// A line of a MovingAI .scen file: bucket, map, width, height, start and goal as column and row from the top, length.
fn scen_query(line: &str, scenario: &Scenario) -> Result<Query, String> {
    let words: Vec<&str> = line.split('\t').map(str::trim).collect();
    let words = if words.len() < 9 { line.split_whitespace().collect() } else { words };
    let number = |i: usize| words.get(i).and_then(|word| word.parse::<u32>().ok());
    let numbers: Option<Vec<u32>> = (2..8).map(number).collect();
    let Some(&[width, height, x, y, gx, gy]) = numbers.as_deref() else {
        return Err(format!("\"{line}\" is not a query: bucket, map, width, height, x, y, gx, gy, length"));
    };
    let frame = scenario.grid;
    if (width, height) != (frame.columns, frame.rows) {
        let (columns, rows) = (frame.columns, frame.rows);
        return Err(format!(
            "the query is for a map of {width} x {height} cells, the scenario has {columns} x {rows}"
        ));
    }
    let centre = |column: u32, row: u32| {
        let cell = frame.index(i64::from(column), i64::from(height) - 1 - i64::from(row));
        let cell = cell.ok_or_else(|| format!("cell {column}, {row} is off the map"))?;
        Ok::<_, String>(scenario.area.frame.metres(frame.centre(cell)))
    };
    Ok(Query { from_m: centre(x, y)?, to_m: centre(gx, gy)? })
}

#[derive(Serialize)]
struct Inspected<'a> {
    goal: &'a str,
    class: &'a str,
    #[serde(flatten)]
    report: FieldReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<PlaceReport>,
}

#[derive(Serialize)]
struct InspectReport<'a> {
    scenario: &'a str,
    fields: Vec<Inspected<'a>>,
}

/// Columns and rows of the largest field that is drawn as text.
const DRAWN: (u32, u32) = (40, 40);

/// Runs `throng inspect`.
pub(super) fn inspect(arguments: &InspectArguments, output: &mut Output) -> Result<(), Failure> {
    let scenario = Arc::new(Scenario::from_path(&arguments.scenario)?);
    let class = class_named(&scenario, &arguments.class)?;
    let goals = goals_named(&scenario, arguments.goal.as_deref())?;
    let at = arguments.at.map(|at_m| walkable(&scenario, at_m)).transpose()?;
    let mut survey = Survey::new(&scenario, thread_count(None));
    let mut fields = Vec::new();
    for goal in goals {
        let name = scenario.goal(goal).name.as_str();
        let Some(field) = survey.field(goal, class) else {
            if !arguments.json {
                output
                    .line(format!("goal \"{name}\" is a heading: it has no end, and no costs to show\n"))?;
            }
            continue;
        };
        if arguments.json {
            let at = at.map(|at| survey.place(&field, at));
            fields.push(Inspected { goal: name, class: &arguments.class, report: survey.report(&field), at });
            continue;
        }
        output.line(format!("goal \"{name}\", class \"{}\"", arguments.class))?;
        match at {
            Some(at) => print_place(&survey.place(&field, at), output)?,
            None => print_field(&scenario, &survey.report(&field), &field, output)?,
        }
        output.line("")?;
    }
    if arguments.json { output.json(&InspectReport { scenario: &scenario.name, fields }) } else { Ok(()) }
}

fn print_place(place: &PlaceReport, output: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut row = |what: &str, value: String| rows.push(vec![format!("  {what}"), value]);
    let [x, y] = place.centre_m.map(short);
    row("cell", format!("column {}, row {}, centre ({x}, {y})", place.cell[0], place.cell[1]));
    row("open", if place.open { "yes" } else { "no: a body does not fit into its middle" }.to_owned());
    row("cost", format!("{} per metre, walking speed times {}", short(place.price), short(place.speed)));
    let none = || "none: no way leads to the goal".to_owned();
    row("distance", place.distance.map_or_else(none, short));
    row("remaining cost here", place.remaining_cost.map_or_else(none, short));
    let direction = |[x, y]: [f64; 2]| {
        let degrees = libm::atan2(y, x).to_degrees();
        format!("({}, {}), {} degrees from +x", short(x), short(y), short(degrees))
    };
    row("direction here", place.direction.map_or_else(|| place.guide.clone(), direction));
    let next = place.next_cell.map(|[column, row]| format!("column {column}, row {row}"));
    row("next cell", next.unwrap_or_else(|| "none".to_owned()));
    let moves: Vec<String> = place.moves.iter().map(|m| format!("{} {}", m.to, short(m.cost))).collect();
    row("legal moves", if moves.is_empty() { "none".to_owned() } else { moves.join(", ") });
    output.table(&rows, 0..0)
}

fn print_field(
    scenario: &Scenario,
    report: &FieldReport,
    field: &Field,
    output: &mut Output,
) -> Result<(), Failure> {
    let row = |what: &str, value: String| vec![format!("  {what}"), value];
    let FieldReport { cells, open, reachable, goal, pockets, .. } = *report;
    let unreachable = open - reachable;
    let mut rows = vec![
        row("cells", format!("{} in all, {} open, {} of the goal", thousands(cells), thousands(open), goal)),
        row(
            "reachable",
            format!("{}; {} are not, in {pockets} pockets", thousands(reachable), thousands(unreachable)),
        ),
        row("distance", format!("at most {} (metres times price)", short(report.distance_max))),
    ];
    let astray = reachable - report.arrows_arrive;
    rows.push(row(
        "arrows",
        match astray {
            0 => format!("arrive from every reachable cell; {} fell back to a neighbour", report.fallbacks),
            _ => format!("lead astray from {astray} cells"),
        },
    ));
    rows.push(row("bytes", thousands(report.bytes)));
    output.table(&rows, 0..0)?;
    let frame = scenario.grid;
    if frame.columns <= DRAWN.0 && frame.rows <= DRAWN.1 {
        return draw(field, output);
    }
    let (columns, rows) = DRAWN;
    output.line(format!(
        "  grids of at most {columns} x {rows} cells are drawn here; --at X,Y tells of one cell"
    ))
}

/// Costs, distances and directions as characters, the upper row first.
fn draw(field: &Field, output: &mut Output) -> Result<(), Failure> {
    let frame = field.transition().moves.frame();
    let layer = |glyph: &dyn Fn(u32) -> String| -> Vec<String> {
        (0..frame.rows)
            .rev()
            .map(|row| (0..frame.columns).map(|column| glyph(row * frame.columns + column)).collect())
            .collect()
    };
    let is_open = |cell: u32| field.transition().moves.is_open(cell);
    let prices = &field.transition().price.values;
    let cost = |cell: u32| match prices[cell as usize] {
        _ if !is_open(cell) => "  #".to_owned(),
        price if price < 100.0 => format!("{price:>3.0}"),
        _ => " **".to_owned(),
    };
    let distance = |cell: u32| match field.distance(cell).filter(|_| is_open(cell)) {
        None if is_open(cell) => "    ?".to_owned(),
        None => "    #".to_owned(),
        Some(d) => format!("{d:>5.1}"),
    };
    let arrow = |cell: u32| {
        let glyph = match field.guide(frame.centre(cell)) {
            _ if !is_open(cell) => '#',
            Guide::AtGoal { .. } => 'G',
            Guide::Way { .. } => field.arrow(cell).map_or('.', |step| match step.delta() {
                (0, 1) => '↑',
                (1, 1) => '↗',
                (1, 0) => '→',
                (1, -1) => '↘',
                (0, -1) => '↓',
                (-1, -1) => '↙',
                (-1, 0) => '←',
                _ => '↖',
            }),
            _ => '?',
        };
        format!(" {glyph}")
    };
    for (title, lines) in [
        ("cost per metre (# closed)", layer(&cost)),
        ("distance (? no way)", layer(&distance)),
        ("direction (G goal)", layer(&arrow)),
    ] {
        output.line(format!("\n  {title}"))?;
        lines.iter().try_for_each(|line| output.line(format!("  {line}")))?;
    }
    Ok(())
}

/// At most four decimals, and none that say nothing.
fn short(v: f64) -> String {
    let text = format!("{v:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_read_or_told() {
        let query = Query { from_m: [1.0, 2.5], to_m: [3.0, 4.0] };
        assert_eq!(plain_query("1 2.5 3\t4"), Ok(query));
        assert_eq!(plain_query("1, 2.5, 3, 4"), Ok(query));
        for wrong in ["1 2 3", "1 2 3 4 5", "1 2 3 x", "1 2 3 nan"] {
            assert!(plain_query(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_of_a_scen_file_count_from_the_top() {
        let text = "format = 1\nname = \"m\"\n[area]\nmap = \"...\\n...\"\n";
        let scenario = Scenario::from_parts(text, "m.toml", &|_| Err(String::new())).unwrap();
        let query = scen_query("0\tm.map\t3\t2\t0\t0\t2\t1\t2.4", &scenario).unwrap();
        assert_eq!(query, Query { from_m: [0.5, 1.5], to_m: [2.5, 0.5] });
        assert!(scen_query("0\tm.map\t3\t3\t0\t0\t2\t1\t2.4", &scenario).unwrap_err().contains("3 x 3"));
        assert!(
            scen_query("0\tm.map\t3\t2\t0\t0\t3\t1\t2.4", &scenario).unwrap_err().contains("off the map")
        );
        assert!(scen_query("0 m.map 3", &scenario).is_err());
    }

    #[test]
    fn places_are_read_or_told() {
        assert_eq!(place("2.5,-1"), Ok([2.5, -1.0]));
        assert!(["2.5", "a,b", "1,inf", ""].iter().all(|text| place(text).is_err()));
    }
}
