//! Summaries of ticks made by hand.

use super::*;
use crate::base::SourceId;
use crate::sample::{self, HandRun};

/// Rows as text.
#[derive(Default)]
struct Rows(Vec<String>);

impl Outcomes for Rows {
    fn agent(&mut self, o: &AgentOutcome<'_>) {
        let (exit, arrived) = (o.exit.unwrap_or("-"), o.arrived_s.map_or("-".to_owned(), |t| t.to_string()));
        self.0.push(format!(
            "{} {} {} {} {} {} {:.5} {} {}",
            o.id, o.source, o.class, o.admitted_s, arrived, exit, o.path_m, o.waited_s, o.state
        ));
    }

    fn crossing(&mut self, t_s: f64, line: &str, rightwards: bool, agent: AgentId) {
        self.0.push(format!("{t_s} {line} {rightwards} {agent}"));
    }

    fn measured(&mut self, t_s: f64, measure: &str, density: f32, speed: f32) {
        self.0.push(format!("{t_s} {measure} {density} {speed}"));
    }
}

#[test]
fn lines_give_counts_times_and_flow() {
    let scenario = Arc::new(sample::scenario());
    let mut summary = Summary::new(&scenario);
    let mut run = HandRun::new();
    for t in 1..=100 {
        run.begin();
        if [20, 40, 60].contains(&t) {
            run.cross(t, true);
        }
        if t == 60 {
            run.cross(9, false);
        }
        summary.observe(&run.end());
    }
    let line = summary.report().lines["door"];
    let expected = LineReport {
        rightwards: 3,
        leftwards: 1,
        first_s: Some(1.0),
        last_s: Some(3.0),
        flow_per_s: Some(1.5),
    };
    assert_eq!(line, expected);
    assert_eq!(summary.curve(LineId(0)), [(1000, 1), (2000, 2), (3000, 4)]);
}

#[test]
fn measures_count_within_their_window() {
    let mut scenario = sample::scenario();
    scenario.measures[0].window = (Tick(1), Tick(3));
    let scenario = Arc::new(scenario);
    let mut summary = Summary::with_outcomes(&scenario, Rows::default());
    let mut run = HandRun::new();
    for (agents, density, speed) in [(99, 9.0, 9.0), (1, 1.0, 1.0), (3, 3.0, 0.5), (99, 9.0, 9.0)] {
        run.begin();
        run.measure(agents, density, speed);
        summary.observe(&run.end());
    }
    let expected = MeasureReport {
        ticks: 2,
        density_per_m2: Some(2.0),
        density_max_per_m2: Some(3.0),
        speed_mps: Some(0.625),
        flow_per_ms: Some(1.25),
    };
    assert_eq!(summary.report().measures["mid"], expected);
    assert_eq!(summary.finish().0, ["0.1 mid 1 1", "0.15 mid 3 0.5"]);
}

#[test]
fn the_deepest_overlap_is_found_and_touching_is_none() {
    let summary_of = |x: i32| {
        let mut summary = Summary::new(&Arc::new(sample::scenario()));
        let mut run = HandRun::new();
        run.begin();
        run.admit(sample::row(0, 100_000, 100_000));
        run.admit(sample::row(1, 100_000 + x, 100_000));
        run.admit(sample::row(2, 500_000, 100_000));
        summary.observe(&run.end());
        summary.report().max_overlap_m
    };
    assert!(summary_of(36_000).abs() < f64::EPSILON);
    assert!((summary_of(35_999) - 1e-5).abs() < 1e-12);
    assert!((summary_of(0) - 0.36).abs() < 1e-12);
}

#[test]
fn outcomes_tell_path_and_waiting_and_how_it_ended() {
    let scenario = Arc::new(sample::scenario());
    let mut summary = Summary::with_outcomes(&scenario, Rows::default());
    let mut run = HandRun::new();
    for t in 1..=4 {
        run.begin();
        match t {
            1 => (0..3).for_each(|id| run.admit(sample::row(id, 100_000 * (id as i32 + 1), 100_000))),
            2 => run.shift(0, 3_000, 4_000),
            3 => (0..3).for_each(|i| run.shift(i, 0, 0)),
            _ => {
                run.arrive(0);
                run.rows.remove(&[true, false]);
                run.rows.state[0] = State::Stuck;
            }
        }
        assert!(run.rows.origin.iter().all(|o| *o == Origin::Source(SourceId(0))));
        summary.observe(&run.end());
    }
    let report = summary.report();
    assert_eq!((report.admitted, report.arrived, report.inside, report.agent_ticks), (3, 1, 1, 10));
    assert_eq!(report.evacuation_s, Evacuation { p50: Some(0.2), p95: Some(0.2), last: Some(0.2) });
    assert_eq!(report.exits, [("east".to_owned(), 1)].into());
    let rows = summary.finish().0;
    assert_eq!(rows[0], "0 crowd adult 0 0.2 east 0.05000 0.1 arrived");
    assert!(rows[1].starts_with("1 crowd adult 0 - - ") && rows[1].ends_with(" removed"));
    assert!(rows[2].ends_with(" stuck"));
}

#[test]
fn percentiles_are_of_the_nearest_rank() {
    let values: Vec<u64> = (1..=20).collect();
    assert_eq!([50, 95, 100].map(|share| percentile(&values, share)), [Some(10), Some(19), Some(20)]);
    assert_eq!(percentile(&[], 50), None);
    assert_eq!(percentile(&[3], 50), Some(3));
}
