//! Reads a trace tick by tick; its memory is one block of each file.

use super::block::{BlockReader, StreamEnd};
use super::error::TraceError;
use super::frame::Frame;
use super::info::RunInfo;
use super::table::{AgentRow, RosterRow, Table, TickRow};
use super::{COMMANDS_FILE, SCENARIO_FILE};
use crate::base::{Tick, limit};
use crate::scenario::Command;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes of one line of `commands.jsonl`.
const COMMAND_BYTES: u64 = 64 << 20;

/// A trace on disk.
#[derive(Clone, Debug)]
pub struct TraceReader {
    folder: PathBuf,
    info: RunInfo,
}

/// Where a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEnd {
    /// The last tick that can be read; `None` where there is none.
    pub tick: Option<u32>,
    /// Whether the run ended properly and every file is whole.
    pub finished: bool,
}

impl std::fmt::Display for TraceEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = if self.finished { "" } else { ", not finished" };
        match self.tick {
            Some(tick) => write!(f, "ends at tick {tick}{how}"),
            None => write!(f, "holds no tick{how}"),
        }
    }
}

impl TraceReader {
    /// Opens the trace in `folder`.
    ///
    /// # Errors
    /// If it is no trace, or its `run.json` is damaged.
    pub fn open(folder: &Path) -> Result<Self, TraceError> {
        Ok(Self { folder: folder.to_owned(), info: RunInfo::read(folder)? })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it says about its run.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// The exact text of the scenario.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn scenario_text(&self) -> Result<String, TraceError> {
        let path = self.folder.join(SCENARIO_FILE);
        fs::read_to_string(&path).map_err(TraceError::io("read", &path))
    }

    /// The ticks in order.
    ///
    /// # Errors
    /// If a file cannot be read, or does not begin like a file of a trace.
    pub fn frames(&self) -> Result<Frames, TraceError> {
        Ok(Frames {
            agents: BlockReader::open(&self.folder)?,
            roster: BlockReader::open(&self.folder)?,
            ticks: BlockReader::open(&self.folder)?,
            every: self.info.every,
            expected_end: self.info.end.as_ref().map(|end| end.tick),
            last: None,
            admitted: 0,
            end: None,
        })
    }

    /// The agents in order of admission, of the whole trace.
    ///
    /// # Errors
    /// If the file cannot be read, or does not begin like a file of a trace.
    pub fn roster(&self) -> Result<impl Iterator<Item = Result<RosterRow, TraceError>> + use<>, TraceError> {
        let mut rows = BlockReader::<RosterRow>::open(&self.folder)?;
        let mut failed = false;
        Ok(std::iter::from_fn(move || {
            let row = if failed { None } else { rows.next_row().transpose() };
            failed = row.as_ref().is_some_and(Result::is_err);
            row
        }))
    }

    /// The commands that came from outside the scenario, in order. The last line of a run that was killed may be cut
    /// off; it is left out.
    ///
    /// # Errors
    /// If the file cannot be read, or a whole line is no command.
    pub fn commands(&self) -> Result<impl Iterator<Item = Result<Command, TraceError>> + use<>, TraceError> {
        let path = self.folder.join(COMMANDS_FILE);
        let mut input = BufReader::new(File::open(&path).map_err(TraceError::io("read", &path))?);
        let (mut number, mut last, mut failed) = (0_u32, Tick(0), false);
        Ok(std::iter::from_fn(move || {
            if failed {
                return None;
            }
            number += 1;
            let command = next_command(&mut input, &path).and_then(|command| match command {
                Some(command) if command.tick < last => {
                    Err(TraceError::damaged(COMMANDS_FILE, format!("line {number} goes back in time")))
                }
                command => Ok(command),
            });
            failed = command.is_err();
            last = command.as_ref().ok().and_then(|c| c.as_ref()).map_or(last, |c| c.tick);
            command.transpose()
        }))
    }
}

fn next_command(input: &mut BufReader<File>, path: &Path) -> Result<Option<Command>, TraceError> {
    let mut line = Vec::new();
    input.take(COMMAND_BYTES).read_until(b'\n', &mut line).map_err(TraceError::io("read", path))?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(|e| TraceError::damaged(COMMANDS_FILE, e.to_string()))
}

/// The ticks of a trace in order.
pub struct Frames {
    agents: BlockReader<AgentRow>,
    roster: BlockReader<RosterRow>,
    ticks: BlockReader<TickRow>,
    every: u32,
    expected_end: Option<u32>,
    last: Option<u32>,
    admitted: u32,
    end: Option<TraceEnd>,
}

impl Frames {
    /// The next tick; `None` at the end of what can be read.
    ///
    /// # Errors
    /// If a file is damaged; the error names the file and the last tick that could be read.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, TraceError> {
        if self.end.is_some() {
            return Ok(None);
        }
        let frame = self.read_frame().map_err(|e| e.after(self.last))?;
        if let Some(frame) = &frame {
            self.last = Some(frame.tick.tick);
        } else {
            self.end = Some(self.find_end().map_err(|e| e.after(self.last))?);
        }
        Ok(frame)
    }

    /// Where the trace ends, once [`Frames::next_frame`] has said so.
    pub fn end(&self) -> Option<TraceEnd> {
        self.end
    }

    /// `None` where a file ends before the tick is whole.
    fn read_frame(&mut self) -> Result<Option<Frame>, TraceError> {
        let Some(tick) = self.ticks.next_row()? else { return Ok(None) };
        self.check_tick(&tick)?;
        let agents = match tick.agent_rows {
            None => None,
            Some(count) => match take_rows(&mut self.agents, count)? {
                None => return Ok(None),
                rows => rows,
            },
        };
        let Some(admitted) = take_rows(&mut self.roster, tick.admitted - self.admitted)? else {
            return Ok(None);
        };
        check_agents(tick.tick, agents.as_deref().unwrap_or_default())?;
        if !admitted.is_sorted_by(|a, b| a.id < b.id) {
            return Err(TraceError::damaged(RosterRow::FILE, "its agents are not in order of id"));
        }
        self.admitted = tick.admitted;
        Ok(Some(Frame { tick, agents, admitted }))
    }

    fn check_tick(&self, tick: &TickRow) -> Result<(), TraceError> {
        let number = tick.tick;
        let damaged = |what: String| Err(TraceError::damaged(TickRow::FILE, what));
        if self.last.is_some_and(|last| number.checked_sub(1) != Some(last)) {
            return damaged(format!("tick {number} follows"));
        }
        if u64::from(tick.admitted) > limit::AGENTS || tick.admitted < self.admitted {
            return damaged(format!("tick {number} says that {} agents were admitted", tick.admitted));
        }
        if tick.agent_rows.is_some() != number.is_multiple_of(self.every)
            || tick.agent_rows.is_some_and(|rows| rows > tick.admitted)
        {
            return damaged(format!("tick {number} has an impossible number of rows"));
        }
        Ok(())
    }

    /// Of an unfinished trace, other files may be ahead of the ticks; of a finished one nothing may be left.
    fn find_end(&mut self) -> Result<TraceEnd, TraceError> {
        let mut finished = self.expected_end.is_some() && self.expected_end == self.last.or(Some(0));
        if finished {
            finished = self.agents.next_row()?.is_none() && self.roster.next_row()?.is_none();
        }
        let ends = [self.ticks.end(), self.agents.end(), self.roster.end()];
        finished &= ends.iter().all(|end| *end == Some(StreamEnd::Finished));
        Ok(TraceEnd { tick: self.last, finished })
    }
}

fn take_rows<T: Table>(rows: &mut BlockReader<T>, count: u32) -> Result<Option<Vec<T>>, TraceError> {
    let mut taken = Vec::new();
    for _ in 0..count {
        match rows.next_row()? {
            Some(row) => taken.push(row),
            None => return Ok(None),
        }
    }
    Ok(Some(taken))
}

fn check_agents(tick: u32, agents: &[AgentRow]) -> Result<(), TraceError> {
    if let Some(row) = agents.iter().find(|row| row.tick != tick) {
        let what = format!("a row of tick {} stands among those of tick {tick}", row.tick);
        return Err(TraceError::damaged(AgentRow::FILE, what));
    }
    if !agents.is_sorted_by(|a, b| a.id < b.id) {
        let what = format!("the agents of tick {tick} are not in order of id");
        return Err(TraceError::damaged(AgentRow::FILE, what));
    }
    Ok(())
}
