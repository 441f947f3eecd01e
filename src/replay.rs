//! Runs again what a trace recorded, and tells the first place where the two part.

use crate::base::{Digest, SimulationError, Tick};
use crate::record::TickRecord;
use crate::scenario::{Command, Scenario, ScenarioError};
use crate::simulation::{RESULTS_VERSION, Simulation};
use crate::trace::{
    Difference, FrameSource, Frames, SCENARIO_FILE, TraceEnd, TraceError, TraceReader, compare_frames,
};
use std::sync::Arc;

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Ticks that are the same in the trace and in the new run.
    pub ticks: u32,
    /// Agents' rows compared.
    pub agent_rows: u64,
    /// Where the trace ends; `None` where it was not read so far.
    pub end: Option<TraceEnd>,
    /// Files whose bytes are not those that the trace vouches for.
    pub altered: Vec<String>,
    /// Where the new run (the second value) first differs from the trace.
    pub difference: Option<Difference>,
    /// What else keeps the trace from being replayed to its end.
    pub problem: Option<String>,
    /// The results version that the trace was written with, where it is another one than this program's.
    pub other_results_version: Option<u32>,
}

impl Replay {
    /// Whether the trace is what its scenario and commands give.
    pub fn is_same(&self) -> bool {
        self.altered.is_empty() && self.difference.is_none() && self.problem.is_none()
    }
}

/// A trace that cannot be replayed at all.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Its scenario is not valid, though its bytes are as they were written.
    #[error("the trace's own scenario is not valid for this program")]
    Scenario(#[source] ScenarioError),
}

/// Runs the trace's own scenario and commands again and compares every tick: the state digest, the recorded agents,
/// who was admitted, and the totals. Calls `progress` after every tick.
///
/// # Errors
/// If the trace cannot be opened, or its scenario is not valid though it is unaltered. Whatever else is wrong with the
/// trace is part of the answer.
pub fn replay(
    trace: &TraceReader,
    threads: usize,
    progress: impl FnMut(Tick),
) -> Result<Replay, ReplayError> {
    replay_scenario(trace, load(trace), threads, progress)
}

fn replay_scenario(
    trace: &TraceReader,
    scenario: Result<Scenario, ReplayError>,
    threads: usize,
    mut progress: impl FnMut(Tick),
) -> Result<Replay, ReplayError> {
    let version = trace.info().results_version;
    let mut found = Replay {
        ticks: 0,
        agent_rows: 0,
        end: None,
        altered: trace.info().altered_files(trace.folder())?,
        difference: None,
        problem: None,
        other_results_version: (version != RESULTS_VERSION).then_some(version),
    };
    let scenario = match scenario {
        Ok(scenario) => scenario,
        Err(error) if found.altered.is_empty() => return Err(error),
        Err(error) => {
            found.problem = Some(error.to_string());
            return Ok(found);
        }
    };
    let mut simulation = Simulation::new(Arc::new(scenario));
    simulation.set_threads(threads);
    if let Err(problem) = run_along(trace, &mut simulation, &mut found, &mut progress) {
        found.problem = Some(problem);
    }
    Ok(found)
}

fn load(trace: &TraceReader) -> Result<Scenario, ReplayError> {
    let text = trace.scenario_text()?;
    let mut scenario =
        Scenario::from_text(&text, SCENARIO_FILE, trace.folder()).map_err(ReplayError::Scenario)?;
    scenario.seed = trace.info().seed;
    scenario.last_tick = Tick(trace.info().last_tick);
    Ok(scenario)
}

/// Steps the simulation from frame to frame until the two part; an error is a sentence on what is wrong.
fn run_along(
    trace: &TraceReader,
    simulation: &mut Simulation,
    found: &mut Replay,
    progress: &mut impl FnMut(Tick),
) -> Result<(), String> {
    let scenario = Arc::clone(simulation.scenario());
    let source = FrameSource { scenario: &scenario, every: trace.info().every };
    let mut frames = trace.frames().map_err(|e| e.to_string())?;
    let mut commands = trace.commands().map_err(|e| e.to_string())?.peekable();
    let mut last = Digest(0);
    while let Some(recorded) = frames.next_frame().map_err(|e| e.to_string())? {
        while simulation.tick().0 < recorded.tick.tick {
            give_due(simulation, &mut commands)?;
            if simulation.is_over() {
                let tick = simulation.tick();
                return Err(format!("the run is over at tick {tick}, and the trace goes on"));
            }
            simulation.step().map_err(|e| e.to_string())?;
            progress(simulation.tick());
        }
        let again = source.frame(&simulation.record()).map_err(|e| e.to_string())?;
        found.difference = compare_frames(&recorded, &again);
        if found.difference.is_some() {
            return Ok(());
        }
        found.ticks += 1;
        found.agent_rows += recorded.agents.as_ref().map_or(0, |agents| agents.len() as u64);
        last = recorded.tick.run_digest;
    }
    found.end = frames.end();
    check_end(trace, &frames, last)
}

/// Gives the simulation the commands of its present tick.
fn give_due(
    simulation: &mut Simulation,
    commands: &mut std::iter::Peekable<impl Iterator<Item = Result<Command, TraceError>>>,
) -> Result<(), String> {
    let now = simulation.tick();
    while let Some(due) =
        commands.next_if(|command| command.as_ref().is_ok_and(|c| c.tick <= now) || command.is_err())
    {
        let command = due.map_err(|e| e.to_string())?;
        let refused = |e| format!("the command of tick {} is refused now: {e}", command.tick);
        simulation.command(command.action).map_err(refused)?;
    }
    Ok(())
}

/// A run that says it ended properly must be whole.
fn check_end(trace: &TraceReader, frames: &Frames, last: Digest) -> Result<(), String> {
    let (Some(said), Some(end)) = (&trace.info().end, frames.end()) else { return Ok(()) };
    if !end.finished {
        return Err(format!(
            "the trace {end}, though its run.json says that the run ended at tick {}",
            said.tick
        ));
    }
    if end.tick.is_some() && said.digest != last {
        return Err(format!("run.json says digest {}, and the last tick says {last}", said.digest));
    }
    Ok(())
}

/// The first tick whose state digest is not `expected` (that of tick 1 first); a run that ends early differs in the
/// tick it does not reach.
///
/// # Errors
/// If the run fails.
pub fn first_differing_tick(
    simulation: &mut Simulation,
    expected: &[Digest],
) -> Result<Option<Tick>, SimulationError> {
    for digest in expected {
        let next = simulation.tick().next();
        if simulation.is_over() || simulation.step().map(|record: TickRecord| record.state_digest)? != *digest
        {
            return Ok(Some(next));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::trace::{TraceOptions, TraceWriter};
    use std::fs;
    use std::path::Path;

    /// Runs the sample for so many ticks; returns the state digests.
    fn write(folder: &Path, ticks: u32, finish: bool) -> Vec<Digest> {
        let mut scenario = sample::scenario();
        scenario.last_tick = Tick(ticks);
        let scenario = Arc::new(scenario);
        let options = TraceOptions { every: 1, results_version: RESULTS_VERSION };
        let mut writer = TraceWriter::create(folder, &scenario, options).unwrap();
        let mut simulation = Simulation::new(scenario);
        let mut digests = Vec::new();
        while !simulation.is_over() {
            let record = simulation.step().unwrap();
            writer.record(&record).unwrap();
            digests.push(record.state_digest);
        }
        writer.flush().unwrap();
        if finish {
            writer.finish().unwrap();
        }
        digests
    }

    fn replay_again(folder: &Path) -> Result<Replay, ReplayError> {
        let trace = TraceReader::open(folder)?;
        let mut scenario = sample::scenario();
        scenario.last_tick = Tick(trace.info().last_tick);
        replay_scenario(&trace, Ok(scenario), 2, |_| ())
    }

    #[test]
    fn a_trace_is_the_same_again() {
        let folder = tempfile::tempdir().unwrap();
        let ticks = write(folder.path(), 60, true).len() as u32;
        let found = replay_again(folder.path()).unwrap();
        assert!(found.is_same(), "{found:?}");
        assert_eq!((found.ticks, found.end), (ticks, Some(TraceEnd { tick: Some(ticks), finished: true })));
    }

    #[test]
    fn a_killed_run_is_the_same_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        let ticks = write(folder.path(), 60, false).len() as u32;
        let found = replay_again(folder.path()).unwrap();
        assert!(found.is_same(), "{found:?}");
        assert_eq!(found.end, Some(TraceEnd { tick: Some(ticks), finished: false }));
    }

    #[test]
    fn any_changed_byte_is_told() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 12, true);
        for name in ["agents.arrows", "ticks.arrows", "roster.arrows", "run.json", "scenario.toml"] {
            let path = folder.path().join(name);
            let bytes = fs::read(&path).unwrap();
            for place in (0..bytes.len()).step_by(7) {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << (place % 8);
                fs::remove_file(&path).unwrap();
                fs::write(&path, changed).unwrap();
                let is_told = replay_again(folder.path()).map_or(true, |found| !found.is_same());
                assert!(is_told, "{name}, byte {place}");
            }
            fs::write(&path, bytes).unwrap();
        }
    }

    #[test]
    fn the_first_tick_that_differs_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut digests = write(folder.path(), 20, true);
        let first = |digests: &[Digest]| {
            let mut scenario = sample::scenario();
            scenario.last_tick = Tick(20);
            first_differing_tick(&mut Simulation::new(Arc::new(scenario)), digests).unwrap()
        };
        assert_eq!(first(&digests), None);
        digests.push(Digest(1));
        assert_eq!(first(&digests), Some(Tick(21)));
        digests[4] = Digest(1);
        assert_eq!(first(&digests), Some(Tick(5)));
    }
}
