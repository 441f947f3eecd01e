//! Tests a run's numbers against what its scenario expects.

use crate::scenario::{Expect, ExpectExit, ExpectFlow, ExpectMeasure, Scenario};
use crate::summary::RunReport;
use serde::Serialize;

/// One expectation and what was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is tested, as its key in the scenario.
    pub what: String,
    /// What is expected.
    pub expected: String,
    /// What was measured.
    pub measured: String,
    /// Whether the two agree.
    pub met: bool,
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
        let met = expected == report.digest;
        list.push("digest", expected.to_string(), report.digest.to_string(), met);
    }
    list.0
}

struct Findings(Vec<Finding>);

/// A bound that a number keeps.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Findings {
    fn push(&mut self, what: impl Into<String>, expected: String, measured: String, met: bool) {
        self.0.push(Finding { what: what.into(), expected, measured, met });
    }

    /// A number that was not measured keeps no bound.
    fn bounded(&mut self, what: impl Into<String>, measured: Option<f64>, bound: Bound, unit: &str) {
        let (expected, met) = match bound {
            Bound::AtLeast(least) => {
                (format!("at least {least}{unit}"), measured.is_some_and(|v| v >= least))
            }
            Bound::AtMost(most) => (format!("at most {most}{unit}"), measured.is_some_and(|v| v <= most)),
        };
        let measured = measured.map_or_else(|| "none".to_owned(), |v| format!("{}{unit}", short(v)));
        self.push(what, expected, measured, met);
    }

    fn exact(&mut self, what: &str, expected: Option<u32>, measured: u32) {
        if let Some(expected) = expected {
            self.push(what, expected.to_string(), measured.to_string(), expected == measured);
        }
    }

    fn totals(&mut self, expect: &Expect, report: &RunReport) {
        if let Some(by) = expect.all_arrived_by_s {
            let all = report.inside == 0 && report.admitted > 0;
            let measured = match report.evacuation_s.last {
                _ if !all => format!("{} of {} still inside", report.inside, report.admitted),
                Some(last) => format!("{} s", short(last)),
                None => "nobody arrived".to_owned(),
            };
            let met = all && report.evacuation_s.last.is_some_and(|last| last <= by);
            self.push("all_arrived_by_s", format!("at most {by} s"), measured, met);
        }
        if let Some(most) = expect.max_overlap_m {
            self.bounded("max_overlap_m", Some(report.max_overlap_m), Bound::AtMost(most), " m");
        }
        self.exact("unreachable", expect.unreachable, report.unreachable);
        self.exact("stuck", expect.stuck, report.stuck);
        self.exact("blocked", expect.blocked, report.blocked);
        if let Some(most) = expect.travel_p95_s {
            self.bounded("travel_p95_s", report.travel_s.p95, Bound::AtMost(most), " s");
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
                self.bounded(format!("flow {name}: {key}"), measured, bound, unit);
            }
        }
    }

    fn measure(&mut self, expect: &ExpectMeasure, scenario: &Scenario, report: &RunReport) {
        let measure = report.measure(scenario, expect.measure);
        let name = &scenario.measure(expect.measure).name;
        if let Some(most) = expect.density_max {
            let what = format!("measure {name}: density_max");
            self.bounded(what, measure.density_max_per_m2, Bound::AtMost(most), "/m2");
        }
        if let Some(least) = expect.speed_min {
            self.bounded(
                format!("measure {name}: speed_min"),
                measure.speed_mps,
                Bound::AtLeast(least),
                " m/s",
            );
        }
    }

    fn exit(&mut self, expect: &ExpectExit, scenario: &Scenario, report: &RunReport) {
        let name = &scenario.goal(expect.goal).name;
        let left = report.left_by(scenario, expect.goal);
        let share = (report.arrived > 0).then(|| f64::from(left) / f64::from(report.arrived));
        if let Some(least) = expect.share_min {
            self.bounded(format!("exit {name}: share_min"), share, Bound::AtLeast(least), "");
        }
        if let Some(most) = expect.share_max {
            self.bounded(format!("exit {name}: share_max"), share, Bound::AtMost(most), "");
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
        (report.unreachable, report.stuck, report.blocked) = (1, 2, 3);
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
        report.evacuation_s.last = None;
        assert!(!findings(&scenario, &report)[0].met);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 1.5, 0.123_456_7, 1e-5, 100.0].map(short),
            ["0", "1.5", "0.1235", "1.000e-5", "100"]
        );
    }
}
