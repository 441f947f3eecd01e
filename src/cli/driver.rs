//! Runs a simulation to its end for a command: with a clock, threads, and a progress bar on a terminal.

use super::failure::Failure;
use crate::base::Tick;
use crate::record::TickRecord;
use crate::scenario::Scenario;
use crate::simulation::Simulation;
use crate::summary::{Outcomes, RunReport, Summary};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Measures how long something takes.
#[expect(clippy::disallowed_types, reason = "the command, and nothing below it, may read a clock")]
pub(super) struct Stopwatch(std::time::Instant);

#[expect(clippy::disallowed_types, reason = "the command, and nothing below it, may read a clock")]
impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    pub(super) fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// How far a run is, shown where standard error is a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Of the ticks of one run.
    pub(super) fn of_ticks(name: &str, last: Tick) -> Self {
        Self::new(name, "tick {pos} of {len}", u64::from(last.0))
    }

    /// Of so many things, several of which may be under way at once.
    pub(super) fn of_items(name: &str, count: usize) -> Self {
        Self::new(name, "{pos} of {len}", count as u64)
    }

    fn new(name: &str, count: &str, length: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template(&format!("{{prefix}} [{{bar:30}}] {count}, {{eta}} left"))
            .expect("the template is valid");
        bar.set_style(style.progress_chars("=> "));
        bar.set_prefix(name.to_owned());
        Self(bar)
    }

    pub(super) fn one_more(&self) {
        self.0.inc(1);
    }

    pub(super) fn at(&self, tick: Tick) {
        self.0.set_position(u64::from(tick.0));
    }

    /// Says a sentence without tearing the bar.
    pub(super) fn say(&self, sentence: &str) {
        self.0.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{sentence}");
        });
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// As many threads as asked for, or as the machine has.
pub(super) fn thread_count(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// What `task` makes of each item, in the items' order; so many at a time.
pub(super) fn on_threads<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    task: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { return done };
            done.push((i, task(item)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

/// As [`on_threads`] for whole runs, under one progress bar. `task` is told how many threads a run may have: more than one
/// only where there are more threads than runs.
pub(super) fn runs_on_threads<T: Sync, R: Send>(
    what: &str,
    items: &[T],
    threads: usize,
    task: impl Fn(&T, usize, &Progress) -> R + Sync,
) -> Vec<R> {
    let progress = Progress::of_items(what, items.len());
    let each = (threads / items.len().max(1)).max(1);
    on_threads(items, threads, |item| {
        let result = task(item, each, &progress);
        progress.one_more();
        result
    })
}

/// Runs `scenario` to its end, with a progress bar; `observe` sees every tick, single outcomes go to `outcomes`.
pub(super) fn drive<O: Outcomes>(
    scenario: &Arc<Scenario>,
    threads: usize,
    outcomes: O,
    mut observe: impl FnMut(&TickRecord) -> Result<(), Failure>,
) -> Result<(RunReport, O), Failure> {
    let progress = Progress::of_ticks(&scenario.name, scenario.last_tick);
    drive_under(&progress, scenario, threads, outcomes, |record| {
        progress.at(record.tick);
        observe(record)
    })
}

/// As [`drive`], under the progress bar of what the run is a part of.
pub(super) fn drive_under<O: Outcomes>(
    progress: &Progress,
    scenario: &Arc<Scenario>,
    threads: usize,
    outcomes: O,
    mut observe: impl FnMut(&TickRecord) -> Result<(), Failure>,
) -> Result<(RunReport, O), Failure> {
    let stopwatch = Stopwatch::start();
    let mut simulation = Simulation::new(Arc::clone(scenario));
    simulation.set_threads(threads);
    let mut summary = Summary::with_outcomes(scenario, outcomes);
    while !simulation.is_over() {
        let record = simulation.step()?;
        summary.observe(&record);
        for refused in &record.events.refused {
            progress.say(&format!("tick {}: {refused}", record.tick));
        }
        observe(&record)?;
    }
    let mut report = summary.report();
    report.wall_seconds = stopwatch.seconds();
    if report.wall_seconds > 0.0 {
        report.agent_ticks_per_second = report.agent_ticks as f64 / report.wall_seconds;
    }
    Ok((report, summary.finish()))
}
