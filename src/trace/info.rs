//! `run.json`: what a trace says about its run.

use super::error::TraceError;
use super::{COMMANDS_FILE, RUN_FILE, SCENARIO_FILE};
use crate::base::{Digest, Digester};
use crate::record::Counts;
use crate::rows::{HeldBy, State};
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{Read, Write};
use std::path::{Component, Path};

/// What `run.json` says it is.
const FORMAT: &str = "throng-trace";
/// The version of the folder's layout.
const FORMAT_VERSION: u32 = 1;
/// Bytes; `run.json` is never larger.
const RUN_BYTES: u64 = 64 << 20;

/// The description of a run, as it stands in `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// Always `throng-trace`.
    pub format: String,
    /// The version of the folder's layout.
    pub format_version: u32,
    /// The version of the program that wrote it.
    pub throng: String,
    /// The version of the results: the same scenario and seed give the same bits at the same version.
    pub results_version: u32,
    /// The scenario's name.
    pub name: String,
    /// What made the run, whatever the scenario's text says.
    pub seed: u64,
    /// Milliseconds per tick.
    pub tick_ms: u32,
    /// The last tick of the run, whatever the scenario's text says.
    pub last_tick: u32,
    /// Agents are recorded in every tick that this divides.
    pub every: u32,
    /// Recorded ticks per simulated second.
    pub frame_rate_hz: f64,
    /// Metres; the whole-metre origin that positions inside the program are relative to. Added back in every file.
    pub origin_m: [i64; 2],
    /// The goals by number, as of the start.
    pub goals: Vec<String>,
    /// The states by number.
    pub states: Vec<String>,
    /// The reasons for being held back, by number.
    pub held_by: Vec<String>,
    /// The files that the scenario names, kept under the same names.
    pub side_files: Vec<FileSeal>,
    /// The scenario's text.
    pub scenario: FileSeal,
    /// How the run ended; absent while it goes on, or where it was killed.
    pub end: Option<RunEnd>,
    /// Vouches for everything above.
    pub seal: Digest,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEnd {
    /// The last tick.
    pub tick: u32,
    /// Vouches for all ticks.
    pub digest: Digest,
    /// Totals.
    pub counts: Counts,
    /// Vouches for the bytes of the files.
    pub files: Vec<FileSeal>,
}

/// Vouches for the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSeal {
    /// Its name in the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The 64-bit xxh3 of its bytes.
    pub xxh3: Digest,
}

impl FileSeal {
    /// The seal of `bytes` under `name`.
    pub(super) fn of(name: &str, bytes: &[u8]) -> Self {
        Self { name: name.to_owned(), bytes: bytes.len() as u64, xxh3: Digester::new().bytes(bytes).finish() }
    }

    /// Whether the file in `folder` still has these bytes.
    fn holds(&self, folder: &Path) -> Result<bool, TraceError> {
        let path = folder.join(&self.name);
        let mut file = fs::File::open(&path).map_err(TraceError::io("read", &path))?;
        let mut digester = Digester::new();
        let (mut buffer, mut length) = (vec![0; 1 << 16], 0);
        loop {
            match file.read(&mut buffer).map_err(TraceError::io("read", &path))? {
                0 => break,
                n => {
                    digester.bytes(&buffer[..n]);
                    length += n as u64;
                }
            }
        }
        Ok(length == self.bytes && digester.finish() == self.xxh3)
    }
}

impl RunInfo {
    /// The description of a run of `scenario` that begins.
    ///
    /// # Errors
    /// If the scenario reads a file that the folder cannot hold under its name.
    pub(super) fn begin(scenario: &Scenario, every: u32, results_version: u32) -> Result<Self, TraceError> {
        let frame = scenario.area.frame;
        let tick_ms = scenario.clock.tick_ms;
        let mut side_files: Vec<FileSeal> = Vec::new();
        for (name, text) in &scenario.side_files {
            if !is_plain_name(name) {
                return Err(TraceError::SideFile(name.clone()));
            }
            if side_files.iter().all(|seal| seal.name != *name) {
                side_files.push(FileSeal::of(name, text.as_bytes()));
            }
        }
        Ok(Self {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            throng: env!("CARGO_PKG_VERSION").to_owned(),
            results_version,
            name: scenario.name.clone(),
            seed: scenario.seed,
            tick_ms,
            last_tick: scenario.last_tick.0,
            every,
            frame_rate_hz: 1000.0 / (f64::from(tick_ms) * f64::from(every)),
            origin_m: [frame.origin_x_m, frame.origin_y_m],
            goals: scenario.goals.iter().map(|goal| goal.name.clone()).collect(),
            states: State::ALL.iter().map(|state| state.name().to_owned()).collect(),
            held_by: HeldBy::ALL.iter().map(|held| held.name().to_owned()).collect(),
            side_files,
            scenario: FileSeal::of(SCENARIO_FILE, scenario.text.as_bytes()),
            end: None,
            seal: Digest(0),
        })
    }

    /// Writes `run.json` whole or not at all.
    pub(super) fn write(&mut self, folder: &Path) -> Result<(), TraceError> {
        self.seal = self.computed_seal();
        let (path, fresh) = (folder.join(RUN_FILE), folder.join(".run.json.new"));
        let write = |path: &Path| -> std::io::Result<()> {
            let mut file = fs::File::create(path)?;
            file.write_all(self.text().as_bytes())?;
            file.sync_all()
        };
        write(&fresh).and_then(|()| fs::rename(&fresh, &path)).map_err(TraceError::io("write", &path))
    }

    /// Reads and checks the `run.json` of `folder`.
    pub(super) fn read(folder: &Path) -> Result<Self, TraceError> {
        let not_a_trace = |what: String| TraceError::NotATrace { path: folder.to_owned(), what };
        let path = folder.join(RUN_FILE);
        let file =
            fs::File::open(&path).map_err(|e| not_a_trace(format!("it has no readable {RUN_FILE} ({e})")))?;
        let mut bytes = Vec::new();
        file.take(RUN_BYTES).read_to_end(&mut bytes).map_err(TraceError::io("read", &path))?;
        let version = serde_json::from_slice::<Version>(&bytes)
            .map_err(|e| not_a_trace(format!("its {RUN_FILE} is damaged ({e})")))?;
        if version.format != FORMAT {
            return Err(not_a_trace(format!("its {RUN_FILE} says \"{}\"", version.format)));
        }
        if version.format_version != FORMAT_VERSION {
            let found = version.format_version;
            return Err(not_a_trace(format!(
                "layout {found} is unknown; this program reads {FORMAT_VERSION}"
            )));
        }
        let info: Self =
            serde_json::from_slice(&bytes).map_err(|e| TraceError::damaged(RUN_FILE, e.to_string()))?;
        if info.seal != info.computed_seal() || info.text().as_bytes() != bytes {
            return Err(TraceError::damaged(RUN_FILE, "its bytes are not those that were written"));
        }
        if info.every == 0
            || info.tick_ms == 0
            || !info.side_files.iter().all(|seal| is_plain_name(&seal.name))
        {
            return Err(TraceError::damaged(RUN_FILE, "it names impossible values"));
        }
        Ok(info)
    }

    /// The names of the files whose bytes are not those that this description vouches for. Of an unfinished run only
    /// the scenario and its side files are vouched for.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn altered_files(&self, folder: &Path) -> Result<Vec<String>, TraceError> {
        let streams = self.end.iter().flat_map(|end| &end.files);
        let mut altered = Vec::new();
        for seal in [&self.scenario].into_iter().chain(&self.side_files).chain(streams) {
            if !seal.holds(folder)? {
                altered.push(seal.name.clone());
            }
        }
        Ok(altered)
    }

    fn text(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("a description has only names and finite numbers");
        text.push('\n');
        text
    }

    fn computed_seal(&self) -> Digest {
        let unsealed = Self { seal: Digest(0), ..self.clone() };
        Digester::new().bytes(unsealed.text().as_bytes()).finish()
    }
}

/// The part of `run.json` that no version changes.
#[derive(Deserialize)]
struct Version {
    format: String,
    format_version: u32,
}

/// Whether a file of that name stays within a trace's folder and out of the way of the trace's own files.
fn is_plain_name(name: &str) -> bool {
    let own = [RUN_FILE, SCENARIO_FILE, COMMANDS_FILE, "agents.arrows", "ticks.arrows", "roster.arrows"];
    let mut parts = Path::new(name).components().peekable();
    let plain = parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
    plain
        && !name.contains(['\\', ':', '\0'])
        && !name.starts_with(".run.json")
        && !own.iter().any(|own| name.split('/').next().is_some_and(|first| first.eq_ignore_ascii_case(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_files_stay_in_the_folder() {
        for good in ["arena.map", "maps/arena.map"] {
            assert!(is_plain_name(good), "{good}");
        }
        for bad in
            ["", "/etc/passwd", "../a.map", "maps/../../a", "RUN.json", "scenario.toml", "c:\\a", "./a"]
        {
            assert!(!is_plain_name(bad), "{bad}");
        }
    }
}
