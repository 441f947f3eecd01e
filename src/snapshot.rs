//! The text by which a person reviews a run: counts, arrivals over time, the densest place, flows, and three maps.

use crate::base::{AgentId, Point, Tick};
use crate::record::TickRecord;
use crate::rows::Rows;
use crate::scenario::Scenario;
use crate::space::NeighbourIndex;
use crate::summary::{RunReport, Summary};
use std::fmt::Write;
use std::sync::Arc;

/// Characters; the widest map.
const MAP_COLUMNS: i64 = 100;
/// Characters; the highest map.
const MAP_ROWS: i64 = 30;
/// Maps kept while the length of the run is unknown; of more, every other one is dropped.
const MAPS: usize = 40;
/// Seconds; the first width of a bin of arrivals.
const BIN_S: u64 = 10;
/// Bins of arrivals; of more, pairs are joined.
const BINS: usize = 24;
/// Units; how far around an agent density is counted.
const CROWD_REACH: i32 = 100_000;

/// Watches a run for its snapshot. Its memory does not grow with the run, travel times apart.
pub struct Snapshot {
    scenario: Arc<Scenario>,
    summary: Summary,
    arrivals: Arrivals,
    crowd: Crowd,
    maps: Maps,
    arrived_s: Option<(f64, f64)>,
}

impl Snapshot {
    /// A snapshot of a run of `scenario` that has not begun.
    pub fn new(scenario: &Arc<Scenario>) -> Self {
        Self {
            scenario: Arc::clone(scenario),
            summary: Summary::new(scenario),
            arrivals: Arrivals { width_s: BIN_S, counts: Vec::new() },
            crowd: Crowd::default(),
            maps: Maps::new(scenario),
            arrived_s: None,
        }
    }

    /// Adds a tick; ticks come in order.
    pub fn observe(&mut self, record: &TickRecord) {
        self.summary.observe(record);
        let t_s = self.scenario.clock.seconds(record.tick);
        let arrived = record.events.arrived.len() as u32;
        if arrived > 0 {
            let first = self.arrived_s.map_or(t_s, |(first, _)| first);
            self.arrived_s = Some((first, t_s));
            self.arrivals.add(self.scenario.clock.ms(record.tick), arrived);
        }
        self.crowd.observe(record.tick, record.rows, &self.scenario);
        self.maps.observe(record.tick, record.rows, &self.scenario);
    }

    /// The text. The same run gives the same text everywhere.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing into a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let report = self.summary.report();
        self.write_counts(out, &report)?;
        self.arrivals.write(out)?;
        write_flows(out, &report)?;
        self.maps.write(out, &report, &self.scenario)
    }

    fn write_counts(&self, out: &mut String, report: &RunReport) -> std::fmt::Result {
        writeln!(out, "{}, seed {}", report.name, report.seed)?;
        writeln!(
            out,
            "{} ticks of {} ms, {:.2} s",
            report.ticks, self.scenario.clock.tick_ms, report.sim_seconds
        )?;
        writeln!(
            out,
            "admitted {}, arrived {}, inside {}, outside {}, removed {}",
            report.admitted, report.arrived, report.inside, report.outside, report.removed
        )?;
        writeln!(
            out,
            "at the end: settled {}, waiting {}, unreachable {}, blocked {}, stuck {}",
            report.settled, report.waiting, report.unreachable, report.blocked, report.stuck
        )?;
        match self.arrived_s {
            Some((first, last)) => writeln!(out, "first arrival {first:.2} s, last {last:.2} s")?,
            None => writeln!(out, "nobody arrived")?,
        }
        for (exit, left) in &report.exits {
            writeln!(out, "  by {exit}: {left}")?;
        }
        writeln!(out, "deepest overlap {:.5} m", report.max_overlap_m)?;
        match self.crowd.worst {
            Some((count, tick, agent)) => {
                let density = f64::from(count) / std::f64::consts::PI;
                let t_s = self.scenario.clock.seconds(tick);
                writeln!(out, "densest: {density:.2} /m2 ({count} within 1 m of agent {agent} at {t_s:.2} s)")
            }
            None => writeln!(out, "densest: nobody"),
        }
    }
}

fn write_flows(out: &mut String, report: &RunReport) -> std::fmt::Result {
    let decimals = |v: Option<f64>| v.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
    for (name, line) in &report.lines {
        let (right, left, flow) = (line.rightwards, line.leftwards, decimals(line.flow_per_s));
        writeln!(out, "line {name}: {right} rightwards, {left} leftwards, {flow} /s")?;
    }
    for (name, measure) in &report.measures {
        let (mean, max) = (decimals(measure.density_per_m2), decimals(measure.density_max_per_m2));
        let (speed, flow) = (decimals(measure.speed_mps), decimals(measure.flow_per_ms));
        writeln!(out, "measure {name}: {mean} /m2 (at most {max}), {speed} m/s, {flow} /(m s)")?;
    }
    Ok(())
}

/// Arrivals over time, in at most [`BINS`] bins.
struct Arrivals {
    width_s: u64,
    counts: Vec<u32>,
}

impl Arrivals {
    /// The bin of a time holds its end: an arrival at 10 s is in the bin "to 10 s".
    fn add(&mut self, ms: u64, arrived: u32) {
        while self.bin(ms) >= BINS {
            self.counts = self.counts.chunks(2).map(|pair| pair.iter().sum()).collect();
            self.width_s *= 2;
        }
        let bin = self.bin(ms);
        self.counts.resize(self.counts.len().max(bin + 1), 0);
        self.counts[bin] += arrived;
    }

    fn bin(&self, ms: u64) -> usize {
        (ms.saturating_sub(1) / (self.width_s * 1000)) as usize
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        for (bin, &count) in self.counts.iter().enumerate() {
            let bar = "=".repeat((u64::from(count) * 40).div_ceil(u64::from(most)) as usize);
            writeln!(out, "  to {:>6} s {count:>6} {bar}", (bin as u64 + 1) * self.width_s)?;
        }
        Ok(())
    }
}

/// Where most people stood within a metre of one.
#[derive(Default)]
struct Crowd {
    index: NeighbourIndex,
    worst: Option<(u32, Tick, AgentId)>,
}

impl Crowd {
    fn observe(&mut self, tick: Tick, rows: &Rows, scenario: &Scenario) {
        let topology = scenario.area.topology;
        let positions: Vec<Point> = rows.position.iter().map(|&p| topology.wrap(p)).collect();
        self.index.rebuild(&positions, scenario.area.bounds(), CROWD_REACH, topology);
        for (i, &position) in positions.iter().enumerate() {
            let mut count = 0;
            self.index.visit(position, CROWD_REACH, |_, _| count += 1);
            if self.worst.is_none_or(|(most, _, _)| count > most) {
                self.worst = Some((count, tick, rows.id[i]));
            }
        }
    }
}

/// Maps of the run at ticks evenly apart, more and more so as it gets longer.
struct Maps {
    columns: usize,
    /// Units; the width of a character. It is twice as high.
    width: i32,
    ground: Vec<u8>,
    stride: u32,
    kept: Vec<(Tick, Vec<u8>)>,
}

impl Maps {
    fn new(scenario: &Scenario) -> Self {
        let bounds = scenario.area.bounds();
        let span = |low: i32, high: i32| i64::from(high) - i64::from(low);
        let (wide, high) = (span(bounds.min.x, bounds.max.x), span(bounds.min.y, bounds.max.y));
        // No finer than a quarter of a metre: a small room stays a small map.
        let ceil = |length: i64, part: i64| (length + part - 1) / part;
        let width = ceil(wide, MAP_COLUMNS).max(ceil(high, 2 * MAP_ROWS)).max(25_000);
        let (columns, rows) = (ceil(wide, width).max(1), ceil(high, 2 * width).max(1));
        let middle = |column: i64, row: i64| {
            let (x, y) = (column * width + width / 2, row * 2 * width + width);
            Point::new(bounds.min.x + x.min(wide - 1) as i32, bounds.min.y + y.min(high - 1) as i32)
        };
        let cells = (0..rows).rev().flat_map(|row| (0..columns).map(move |column| (column, row)));
        let ground =
            cells.map(|(column, row)| if scenario.area.contains(middle(column, row)) { b' ' } else { b'#' });
        Self {
            columns: columns as usize,
            width: width as i32,
            ground: ground.collect(),
            stride: 1,
            kept: Vec::new(),
        }
    }

    fn observe(&mut self, tick: Tick, rows: &Rows, scenario: &Scenario) {
        if !tick.0.is_multiple_of(self.stride) {
            return;
        }
        self.kept.push((tick, self.draw(rows, scenario)));
        if self.kept.len() > MAPS {
            self.stride *= 2;
            let stride = self.stride;
            self.kept.retain(|(tick, _)| tick.0.is_multiple_of(stride));
        }
    }

    fn draw(&self, rows: &Rows, scenario: &Scenario) -> Vec<u8> {
        let low = scenario.area.bounds().min;
        let height = self.ground.len() / self.columns;
        let mut counts = vec![0_u32; self.ground.len()];
        for &position in &rows.position {
            let place = scenario.area.topology.wrap(position).minus(low);
            let column = (place.x / self.width).clamp(0, self.columns as i32 - 1) as usize;
            let row = (place.y / 2 / self.width).clamp(0, height as i32 - 1) as usize;
            counts[(height - 1 - row) * self.columns + column] += 1;
        }
        let glyphs = b"0123456789abcdefghijklmnopqrstuvwxyz+";
        let glyph = |count: u32| glyphs[(count as usize).min(glyphs.len() - 1)];
        let cells = self.ground.iter().zip(counts);
        cells.map(|(&ground, count)| if count == 0 { ground } else { glyph(count) }).collect()
    }

    /// Those nearest below 1/10, 1/2 and 9/10 of the run.
    fn write(&self, out: &mut String, report: &RunReport, scenario: &Scenario) -> std::fmt::Result {
        let mut chosen: Vec<&(Tick, Vec<u8>)> = [1, 5, 9]
            .iter()
            .filter_map(|&tenths| {
                let due = (u64::from(report.ticks) * tenths / 10) as u32;
                let after = self.kept.partition_point(|(tick, _)| tick.0 <= due);
                self.kept.get(after.saturating_sub(1))
            })
            .collect();
        chosen.dedup_by_key(|(tick, _)| *tick);
        for (tick, map) in chosen {
            let metres = crate::base::metres(self.width);
            writeln!(out, "\nat {:.2} s ({metres:.2} m a column):", scenario.clock.seconds(*tick))?;
            for line in map.chunks(self.columns) {
                writeln!(out, "|{}|", String::from_utf8_lossy(line))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn snapshot(ticks: u32) -> Snapshot {
        let mut snapshot = Snapshot::new(&Arc::new(sample::scenario()));
        sample::walk(ticks, |record| snapshot.observe(record));
        snapshot
    }

    #[test]
    fn a_person_can_review_it() {
        insta::assert_snapshot!(snapshot(200).text());
    }

    #[test]
    fn three_maps_of_any_run() {
        for (ticks, at) in
            [(1, vec!["0.05 s"]), (10, vec!["0.05", "0.25", "0.45"]), (1000, vec!["4.80", "24.00", "44.80"])]
        {
            let text = snapshot(ticks).text();
            let found: Vec<&str> =
                text.lines().filter(|line| line.starts_with("at ") && line.ends_with("column):")).collect();
            assert_eq!(found.len(), at.len(), "{found:?}");
            assert!(found.iter().zip(&at).all(|(line, at)| line.contains(at)), "{found:?}");
            assert!(snapshot(ticks).maps.kept.len() <= MAPS);
        }
    }

    #[test]
    fn arrivals_are_joined_when_a_run_is_long() {
        let mut arrivals = Arrivals { width_s: BIN_S, counts: Vec::new() };
        for s in 1..=1000 {
            arrivals.add(s * 1000, 1);
        }
        assert_eq!(arrivals.width_s, 80);
        assert_eq!(arrivals.counts.iter().sum::<u32>(), 1000);
        assert_eq!(arrivals.counts[..2], [80, 80]);
    }

    #[test]
    fn many_people_in_one_place_are_a_letter() {
        let scenario = sample::scenario();
        let maps = Maps::new(&scenario);
        let mut rows = Rows::default();
        for id in 0..12 {
            rows.push(sample::row(id, 10, 10));
        }
        let drawn = maps.draw(&rows, &scenario);
        assert_eq!(drawn[drawn.len() - maps.columns], b'c');
        assert!(drawn.contains(&b'#') && maps.columns <= 100);
    }
}
