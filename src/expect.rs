//! Tests a run's numbers against what its scenario expects.

use crate::scenario::{Expect, ExpectExit, ExpectFlow, ExpectMeasure, Scenario};
use crate::summary::RunReport;
use serde::Serialize;

/// One expectation and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What is tested, as its key in the scenario.
    pub what: String,
    /// What is expected.
    pub expected: String,
    /// What was measured.
    pub measured: String,
    /// Whether the two agree.
    pub met: bool,
    /// Where it stands in the scenario.
    #[serde(skip)]
    pub place: Place,
    /// What would be met; `None` where nothing was measured.
    #[serde(skip)]
    pub meets: Option<Expected>,
}

/// Where an expectation stands: a key of `[expect]`, or of the entry of a list that names something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The list, the key by which its entries name something, and the name: `("flow", "line", "door")`.
    pub list: Option<(&'static str, &'static str, String)>,
    /// The key.
    pub key: &'static str,
}

/// A value as a scenario file writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// A number with a point.
    Number(f64),
    /// A whole number.
    Count(u32),
    /// A text.
    Text(String),
}

/// Every expectation of `scenario` against `report`, in the order of DESIGN's keys.
pub fn findings(scenario: &Scenario, report: &RunReport) -> Vec<Finding> {
    let mut list = Findings(Vec::new());
    let expect = &scenario.expect;
    list.totals(expect, report);
    expect.flows.iter().for_each(|flow| list.flow(flow, scenario, report));
    expect.measures.iter().for_each(|measure| list.measure(measure, scenario, report));
    expect.exits.iter().for_each(|exit| list.exit(exit, scenario, report));
    if let Some(expected) = expect.digest {
        list.push(
            Place::key("digest"),
            expected.to_string(),
            report.digest.to_string(),
            expected == report.digest,
        );
        list.meets(Expected::Text(report.digest.to_string()));
    }
    list.0
}

impl Place {
    fn key(key: &'static str) -> Self {
        Self { list: None, key }
    }

    fn what(&self) -> String {
        match &self.list {
            Some((list, _, name)) => format!("{list} {name}: {}", self.key),
            None => self.key.to_owned(),
        }
    }
}

struct Findings(Vec<Finding>);

/// A bound that a number keeps.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn is_kept(self, v: f64) -> bool {
        match self {
            Self::AtLeast(least) => v >= least,
            Self::AtMost(most) => v <= most,
        }
    }

    /// The bound with at most four decimals that `v` just keeps.
    fn just_kept(self, v: f64) -> f64 {
        match self {
            Self::AtLeast(_) => (v * 1.0e4).floor() / 1.0e4,
            Self::AtMost(_) => (v * 1.0e4).ceil() / 1.0e4,
        }
    }
}

impl Findings {
    fn push(&mut self, place: Place, expected: String, measured: String, met: bool) {
        self.0.push(Finding { what: place.what(), expected, measured, met, place, meets: None });
    }

    /// What would meet the last expectation.
    fn meets(&mut self, value: Expected) {
        if let Some(last) = self.0.last_mut() {
            last.meets = Some(value);
        }
    }

    /// A number that was not measured keeps no bound.
    fn bounded(&mut self, place: Place, measured: Option<f64>, bound: Bound, unit: &str) {
        let expected = match bound {
            Bound::AtLeast(least) => format!("at least {least}{unit}"),
            Bound::AtMost(most) => format!("at most {most}{unit}"),
        };
        let met = measured.is_some_and(|v| bound.is_kept(v));
        let is_count = place.key.starts_with("count");
        let shown = measured.map_or_else(|| "none".to_owned(), |v| format!("{}{unit}", short(v)));
        self.push(place, expected, shown, met);
        if let Some(v) = measured {
            let number = bound.just_kept(v);
            self.meets(if is_count { Expected::Count(number as u32) } else { Expected::Number(number) });
        }
    }

    fn exact(&mut self, key: &'static str, expected: Option<u32>, measured: u32) {
        if let Some(expected) = expected {
            self.push(Place::key(key), expected.to_string(), measured.to_string(), expected == measured);
            self.meets(Expected::Count(measured));
        }
    }

    fn totals(&mut self, expect: &Expect, report: &RunReport) {
        if let Some(by) = expect.all_arrived_by_s {
            let all = report.inside == 0 && report.outside == 0;
            let (measured, met) = match report.evacuation_s.last {
                _ if report.outside > 0 => (format!("{} still outside, without room", report.outside), false),
                _ if !all => (format!("{} of {} still inside", report.inside, report.admitted), false),
                Some(last) => (format!("{} s", short(last)), last <= by),
                // Whom commands took out has not arrived.
                None if report.admitted > 0 => ("nobody arrived".to_owned(), false),
                None => ("nobody was to come".to_owned(), true),
            };
            self.push(Place::key("all_arrived_by_s"), format!("at most {by} s"), measured, met);
            if let Some(last) = report.evacuation_s.last.filter(|_| all) {
                self.meets(Expected::Number(Bound::AtMost(by).just_kept(last)));
            }
        }
        if let Some(most) = expect.max_overlap_m {
            self.bounded(Place::key("max_overlap_m"), Some(report.max_overlap_m), Bound::AtMost(most), " m");
        }
        self.exact("unreachable", expect.unreachable, report.unreachable);
        self.exact("stuck", expect.stuck, report.stuck);
        self.exact("blocked", expect.blocked, report.blocked);
        self.exact("settled", expect.settled, report.settled);
        self.exact("waiting", expect.waiting, report.waiting);
        if let Some(most) = expect.travel_p95_s {
            self.bounded(Place::key("travel_p95_s"), report.travel_s.p95, Bound::AtMost(most), " s");
        }
    }

    fn flow(&mut self, flow: &ExpectFlow, scenario: &Scenario, report: &RunReport) {
        let line = report.line(scenario, flow.line);
        let name = &scenario.line(flow.line).name;
        let count = Some(f64::from(line.rightwards + line.leftwards));
        let bounds = [
            ("min_per_s", flow.min_per_s.map(Bound::AtLeast), line.flow_per_s, "/s"),
            ("max_per_s", flow.max_per_s.map(Bound::AtMost), line.flow_per_s, "/s"),
            ("count_min", flow.count_min.map(|v| Bound::AtLeast(v.into())), count, ""),
            ("count_max", flow.count_max.map(|v| Bound::AtMost(v.into())), count, ""),
        ];
        for (key, bound, measured, unit) in bounds {
            if let Some(bound) = bound {
                self.bounded(
                    Place { list: Some(("flow", "line", name.clone())), key },
                    measured,
                    bound,
                    unit,
                );
            }
        }
    }

    fn measure(&mut self, expect: &ExpectMeasure, scenario: &Scenario, report: &RunReport) {
        let measure = report.measure(scenario, expect.measure);
        let name = &scenario.measure(expect.measure).name;
        let place = |key| Place { list: Some(("measure", "measure", name.clone())), key };
        if let Some(most) = expect.density_max {
            self.bounded(place("density_max"), measure.density_max_per_m2, Bound::AtMost(most), "/m2");
        }
        if let Some(least) = expect.speed_min {
            self.bounded(place("speed_min"), measure.speed_mps, Bound::AtLeast(least), " m/s");
        }
    }

    fn exit(&mut self, expect: &ExpectExit, scenario: &Scenario, report: &RunReport) {
        let name = &scenario.goal(expect.goal).name;
        let left = report.left_by(scenario, expect.goal);
        let share = (report.arrived > 0).then(|| f64::from(left) / f64::from(report.arrived));
        let place = |key| Place { list: Some(("exit", "goal", name.clone())), key };
        if let Some(least) = expect.share_min {
            self.bounded(place("share_min"), share, Bound::AtLeast(least), "");
        }
        if let Some(most) = expect.share_max {
            self.bounded(place("share_max"), share, Bound::AtMost(most), "");
        }
    }
}

/// At most four decimals, and none that say nothing; tiny numbers keep their size.
fn short(v: f64) -> String {
    if v != 0.0 && v.abs() < 1e-3 {
        return format!("{v:.3e}");
    }
    let text = format!("{v:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Digest, GoalId, LineId, MeasureId};
    use crate::sample;
    use crate::summary::{LineReport, MeasureReport, Summary};
    use std::sync::Arc;

    fn report(scenario: &Scenario) -> RunReport {
        let mut report = Summary::new(&Arc::new(scenario.clone())).report();
        report.admitted = 10;
        report.arrived = 10;
        report.evacuation_s.last = Some(50.0);
        report.max_overlap_m = 1e-5;
        report.travel_s.p95 = Some(40.0);
        report.digest = Digest(5);
        (report.unreachable, report.stuck, report.blocked, report.settled) = (1, 2, 3, 4);
        report.waiting = 6;
        let line = LineReport { rightwards: 6, leftwards: 2, flow_per_s: Some(1.5), ..LineReport::default() };
        report.lines.insert("door".to_owned(), line);
        let measure =
            MeasureReport { density_max_per_m2: Some(4.0), speed_mps: Some(0.8), ..MeasureReport::default() };
        report.measures.insert("mid".to_owned(), measure);
        report.exits = [("east".to_owned(), 7), ("north".to_owned(), 3)].into();
        report
    }

    /// Tests one expectation: it is the only finding, and says whether it is met.
    fn met(change: impl Fn(&mut Expect)) -> bool {
        let mut scenario = sample::scenario();
        change(&mut scenario.expect);
        let found = findings(&scenario, &report(&scenario));
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].met
    }

    fn flow(min_per_s: Option<f64>, max_per_s: Option<f64>, count: [Option<u32>; 2]) -> bool {
        let [count_min, count_max] = count;
        let flow = ExpectFlow { line: LineId(0), min_per_s, max_per_s, count_min, count_max };
        met(|e| e.flows = vec![flow.clone()])
    }

    fn measure(density_max: Option<f64>, speed_min: Option<f64>) -> bool {
        let expect = ExpectMeasure { measure: MeasureId(0), density_max, speed_min };
        met(|e| e.measures = vec![expect.clone()])
    }

    fn exit(share_min: Option<f64>, share_max: Option<f64>) -> bool {
        met(|e| e.exits = vec![ExpectExit { goal: GoalId(0), share_min, share_max }])
    }

    #[test]
    fn each_expectation_can_be_met_and_missed() {
        let pairs = [
            [50.0, 49.9].map(|v| met(|e| e.all_arrived_by_s = Some(v))),
            [1e-5, 9e-6].map(|v| met(|e| e.max_overlap_m = Some(v))),
            [5, 6].map(|v| met(|e| e.digest = Some(Digest(v)))),
            [1, 0].map(|v| met(|e| e.unreachable = Some(v))),
            [2, 3].map(|v| met(|e| e.stuck = Some(v))),
            [3, 2].map(|v| met(|e| e.blocked = Some(v))),
            [4, 5].map(|v| met(|e| e.settled = Some(v))),
            [6, 7].map(|v| met(|e| e.waiting = Some(v))),
            [40.0, 39.0].map(|v| met(|e| e.travel_p95_s = Some(v))),
            [1.5, 1.6].map(|v| flow(Some(v), None, [None; 2])),
            [1.5, 1.4].map(|v| flow(None, Some(v), [None; 2])),
            [8, 9].map(|v| flow(None, None, [Some(v), None])),
            [8, 7].map(|v| flow(None, None, [None, Some(v)])),
            [4.0, 3.9].map(|v| measure(Some(v), None)),
            [0.8, 0.9].map(|v| measure(None, Some(v))),
            [0.7, 0.71].map(|v| exit(Some(v), None)),
            [0.7, 0.69].map(|v| exit(None, Some(v))),
        ];
        for (i, pair) in pairs.into_iter().enumerate() {
            assert_eq!(pair, [true, false], "expectation {i}");
        }
    }

    #[test]
    fn what_was_not_measured_is_missed() {
        let mut scenario = sample::scenario();
        scenario.expect.all_arrived_by_s = Some(100.0);
        scenario.expect.travel_p95_s = Some(100.0);
        let mut report = report(&scenario);
        report.inside = 1;
        report.travel_s.p95 = None;
        let found = findings(&scenario, &report);
        assert!(found.iter().all(|finding| !finding.met));
        assert_eq!(found[0].measured, "1 of 10 still inside");
        report.inside = 0;
        report.outside = 2;
        assert_eq!(findings(&scenario, &report)[0].measured, "2 still outside, without room");
        report.outside = 0;
        report.evacuation_s.last = None;
        assert!(!findings(&scenario, &report)[0].met);
        report.admitted = 0;
        assert!(findings(&scenario, &report)[0].met, "nobody was to come");
    }

    #[test]
    fn each_finding_knows_its_place_and_what_would_meet_it() {
        let mut scenario = sample::scenario();
        let flow = |min_per_s, count_max| ExpectFlow {
            line: LineId(0),
            min_per_s,
            max_per_s: None,
            count_min: None,
            count_max,
        };
        scenario.expect.flows = vec![flow(Some(9.0), Some(3))];
        scenario.expect.stuck = Some(0);
        let found = findings(&scenario, &report(&scenario));
        let meets: Vec<_> = found.iter().map(|f| (f.what.as_str(), f.meets.clone().unwrap())).collect();
        assert_eq!(
            meets,
            [
                ("stuck", Expected::Count(2)),
                ("flow door: min_per_s", Expected::Number(1.5)),
                ("flow door: count_max", Expected::Count(8))
            ]
        );
        assert_eq!(found[1].place.list, Some(("flow", "line", "door".to_owned())));
        assert_eq!(Bound::AtMost(0.0).just_kept(0.123_45), 0.1235);
        assert_eq!(Bound::AtLeast(0.0).just_kept(0.123_45), 0.1234);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 1.5, 0.123_456_7, 1e-5, 100.0].map(short),
            ["0", "1.5", "0.1235", "1.000e-5", "100"]
        );
    }
}
