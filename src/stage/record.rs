//! `record`: what a tick leaves behind - digests, counts, crossings and measures.

use crate::base::{Digest, Digester, LineId, MeasureId, Point, Tick};

use super::clear::Cleared;
use super::reserve::Granted;
use super::steer::{Preferred, Proposal};
use crate::record::{Counts, Crossing, Measured};
use crate::rows::{Rows, State};
use crate::scenario::{Line, Scenario};
use crate::space::Topology;

/// Vouches for all rows of a tick: the tick number, then each agent in order of id, with everything that a later tick
/// depends on.
pub fn state_digest(tick: Tick, rows: &Rows) -> Digest {
    let mut digester = Digester::new();
    digester.u32(tick.0);
    for row in 0..rows.len() {
        let optional = |id: Option<u32>| id.map_or(0, |id| u64::from(id) + 1);
        digester
            .u32(rows.id[row].0)
            .i32(rows.position[row].x)
            .i32(rows.position[row].y)
            .f32(rows.velocity[row].x)
            .f32(rows.velocity[row].y)
            .f32(rows.remainder[row].x)
            .f32(rows.remainder[row].y)
            .u64(optional(rows.goal[row].map(|g| g.0)))
            .u32(rows.stage[row])
            .u32(u32::from(rows.state[row] as u8) << 8 | u32::from(rows.held_by[row] as u8))
            .u32(rows.standing_ms[row])
            .f32(rows.impatience[row])
            .u32(rows.waiting_ticks[row])
            .u64(optional(rows.slot[row].map(|s| s.0)))
            .u64(optional(rows.journey[row].map(|j| j.0)))
            .u64(optional(rows.waiting_since[row].map(|t| t.0)))
            .f32(rows.best_cost[row])
            .u32(rows.best_tick[row].0)
            .f32(rows.free_speed[row]);
        let commanded = rows.commanded[row].map(|v| [v.x.to_bits(), v.y.to_bits()]);
        for bits in commanded.into_iter().flatten() {
            digester.u32(bits);
        }
    }
    digester.finish()
}

/// Vouches for what `prefer` wrote.
pub fn preferred_digest(preferred: &[Preferred]) -> Digest {
    column_digest(preferred, |digester, p| {
        digester.f32(p.toward.x).f32(p.toward.y).f32(p.speed).f32(p.cost);
    })
}

/// Vouches for what `steer` wrote.
pub fn proposals_digest(proposals: &[Proposal]) -> Digest {
    column_digest(proposals, |digester, p| {
        digester.i32(p.step.x).i32(p.step.y).f32(p.velocity.x).f32(p.velocity.y);
    })
}

/// Vouches for what `clear` wrote.
pub fn cleared_digest(cleared: &[Cleared]) -> Digest {
    column_digest(cleared, |digester, c| {
        digester.i32(c.step.x).i32(c.step.y).u32(u32::from(c.by_wall));
    })
}

/// Vouches for what `reserve` wrote.
pub fn granted_digest(granted: &[Granted]) -> Digest {
    column_digest(granted, |digester, g| {
        digester.i32(g.at.x).i32(g.at.y).u32(u32::from(g.held_by as u8));
    })
}

fn column_digest<T>(values: &[T], add: impl Fn(&mut Digester, &T)) -> Digest {
    let mut digester = Digester::new();
    for value in values {
        add(&mut digester, value);
    }
    digester.finish()
}

/// Counts by state over the rows inside; totals are carried over.
pub fn count(rows: &Rows, totals: Counts) -> Counts {
    let of = |state: State| rows.state.iter().filter(|&&s| s == state).count() as u32;
    Counts {
        inside: rows.len() as u32,
        unreachable: of(State::Unreachable),
        blocked: of(State::Blocked),
        stuck: of(State::Stuck),
        settled: of(State::Settled),
        waiting: of(State::Waiting),
        ..totals
    }
}

/// Crossings of measuring lines in this tick, by line, then agent. A centre that ends on a line has not crossed it yet
/// when it comes from the left, and has when it comes from the right: each passage counts once.
pub fn crossings(scenario: &Scenario, rows: &Rows, crossings: &mut Vec<Crossing>) {
    for (i, line) in scenario.lines.iter().enumerate() {
        for row in 0..rows.len() {
            let passed = passes(line, scenario.area.topology, rows.previous[row], rows.position[row]);
            if let Some(rightwards) = passed {
                crossings.push(Crossing { line: LineId::from_index(i), agent: rows.id[row], rightwards });
            }
        }
    }
}

fn passes(line: &Line, topology: Topology, from: Point, to: Point) -> Option<bool> {
    let step = topology.displacement(from, to);
    let turns = topology.period_x.map_or([0; 3], |period| [0, period, -period]);
    let tried = if topology.period_x.is_some() { 3 } else { 1 };
    turns[..tried].iter().find_map(|turn| {
        let a = Point::new(line.from.x + turn, line.from.y);
        let along = line.to.minus(line.from);
        let to = from.plus(step);
        let left = |p: Point| along.cross(p.minus(a)) >= 0;
        let (before, after) = (left(from), left(to));
        let within = |p: Point| step.cross(p.minus(from)) >= 0;
        (before != after && within(a) != within(a.plus(along))).then_some(before)
    })
}

/// Density and speed in every measuring area whose window is open.
pub fn measure(scenario: &Scenario, tick: Tick, rows: &Rows, measured: &mut Vec<Measured>) {
    for (i, measure) in scenario.measures.iter().enumerate() {
        let (after, until) = measure.window;
        if tick <= after || tick > until {
            continue;
        }
        let shape = &scenario.region(measure.region).shape;
        let (mut agents, mut speed) = (0_u32, 0.0_f32);
        for row in (0..rows.len()).filter(|&row| shape.contains(rows.position[row])) {
            agents += 1;
            speed += rows.velocity[row].length();
        }
        measured.push(Measured {
            measure: MeasureId::from_index(i),
            agents,
            density_per_m2: (f64::from(agents) / shape.area_m2()) as f32,
            speed_mps: if agents == 0 { 0.0 } else { speed / agents as f32 },
        });
    }
}
