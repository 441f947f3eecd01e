//! Where two traces differ first: tick, column, agent, and by how much.

use super::error::TraceError;
use super::frame::Frame;
use super::reader::TraceReader;
use super::table::{AgentRow, RosterRow, Table, TickRow, Unequal};

/// The first difference of two traces.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Difference {
    /// Which tick.
    pub tick: u32,
    /// Which file of the trace.
    pub file: &'static str,
    /// Which column.
    pub column: &'static str,
    /// Which agent, where the column is one of an agent.
    pub agent: Option<u32>,
    /// The value in the first trace.
    pub a: String,
    /// The value in the second trace.
    pub b: String,
    /// `b - a`, for numbers.
    pub by: Option<f64>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tick {}, {}, column {}", self.tick, self.file, self.column)?;
        if let Some(agent) = self.agent {
            write!(f, ", agent {agent}")?;
        }
        write!(f, ": {} against {}", self.a, self.b)?;
        self.by.map_or(Ok(()), |by| write!(f, " (by {by:e})"))
    }
}

/// The first tick, column and agent in which two traces differ; `None` where all they record is the same.
/// Where they record agents at different intervals, the ticks that both recorded are compared. Seeds, versions and
/// the scenarios' texts are not compared.
///
/// # Errors
/// If one of them is damaged before the first difference.
pub fn compare(a: &TraceReader, b: &TraceReader) -> Result<Option<Difference>, TraceError> {
    let (mut frames_a, mut frames_b) = (a.frames()?, b.frames()?);
    let mut last = 0;
    loop {
        match (frames_a.next_frame()?, frames_b.next_frame()?) {
            (Some(frame_a), Some(frame_b)) => {
                last = frame_a.tick.tick.min(frame_b.tick.tick);
                if let Some(difference) = compare_frames(&frame_a, &frame_b) {
                    return Ok(Some(difference));
                }
            }
            (None, None) => return Ok(None),
            (here, there) => {
                let text = |frame: Option<Frame>| frame.map_or("ended", |_| "goes on").to_owned();
                let column = Unequal { column: "tick", a: text(here), b: text(there), by: None };
                return Ok(Some(at(last + 1, TickRow::FILE, None, column)));
            }
        }
    }
}

/// The first column and agent in which two frames differ: first agents, then who was admitted, then totals and
/// digests.
pub fn compare_frames(a: &Frame, b: &Frame) -> Option<Difference> {
    let tick = a.tick.tick;
    if tick != b.tick.tick {
        return a.tick.difference(&b.tick).map(|unequal| at(tick, TickRow::FILE, None, unequal));
    }
    if let (Some(agents_a), Some(agents_b)) = (&a.agents, &b.agents) {
        let difference = compare_rows(agents_a, agents_b, |row: &AgentRow| row.id);
        if let Some((agent, unequal)) = difference {
            return Some(at(tick, AgentRow::FILE, Some(agent), unequal));
        }
    }
    if let Some((agent, unequal)) = compare_rows(&a.admitted, &b.admitted, |row: &RosterRow| row.id) {
        return Some(at(tick, RosterRow::FILE, Some(agent), unequal));
    }
    // Whether agents were recorded depends on the interval, not on the run.
    let tick_b = match (a.tick.agent_rows, b.tick.agent_rows) {
        (Some(_), Some(_)) => b.tick.clone(),
        (rows, _) => TickRow { agent_rows: rows, ..b.tick.clone() },
    };
    a.tick.difference(&tick_b).map(|unequal| at(tick, TickRow::FILE, None, unequal))
}

fn at(tick: u32, file: &'static str, agent: Option<u32>, unequal: Unequal) -> Difference {
    let Unequal { column, a, b, by } = unequal;
    Difference { tick, file, column, agent, a, b, by }
}

/// The first row, in order of id, in which two lists differ.
fn compare_rows<T: Table>(a: &[T], b: &[T], id: impl Fn(&T) -> u32) -> Option<(u32, Unequal)> {
    let presence = |a: &str, b: &str| Unequal { column: "id", a: a.to_owned(), b: b.to_owned(), by: None };
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (None, None) => return None,
            (Some(row_a), Some(row_b)) if id(row_a) == id(row_b) => {
                if let Some(unequal) = row_a.difference(row_b) {
                    return Some((id(row_a), unequal));
                }
                a.next();
                b.next();
            }
            (Some(row_a), row_b) if row_b.is_none_or(|row_b| id(row_a) < id(row_b)) => {
                return Some((id(row_a), presence("present", "absent")));
            }
            (_, Some(row_b)) => return Some((id(row_b), presence("absent", "present"))),
            (Some(row_a), None) => return Some((id(row_a), presence("present", "absent"))),
        }
    }
}
