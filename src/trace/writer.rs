//! Writes a trace as the run goes: blocks of rows, all files brought up to the same tick together.

use super::error::TraceError;
use super::frame::FrameSource;
use super::info::{FileSeal, RunEnd, RunInfo};
use super::table::{AgentRow, RosterRow, Table, TickRow};
use super::{COMMANDS_FILE, SCENARIO_FILE};
use crate::base::{Digest, Digester, Tick};
use crate::record::{Counts, TickRecord};
use crate::scenario::{Command, Scenario};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_schema::ArrowError;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a block; a block that is due is written at the end of its tick.
pub(super) const BLOCK_ROWS: usize = 1 << 16;
/// Ticks of a block: what a killed run loses at most.
const BLOCK_TICKS: usize = 200;

/// How a trace is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// Agents are recorded in every tick that this divides; digests and totals in every tick.
    pub every: u32,
    /// The version of the results, [`RESULTS_VERSION`](crate::simulation::RESULTS_VERSION).
    pub results_version: u32,
}

/// Writes one trace. Its memory does not grow with the run.
pub struct TraceWriter {
    folder: PathBuf,
    scenario: Arc<Scenario>,
    info: RunInfo,
    agents: Stream<AgentRow>,
    roster: Stream<RosterRow>,
    ticks: Stream<TickRow>,
    commands: BufWriter<SealedFile>,
    last: Option<(Tick, Digest, Counts)>,
    /// Ticks of a block; tests take fewer.
    pub(super) block_ticks: usize,
}

impl TraceWriter {
    /// Begins a trace of `scenario` in `folder`, which is made where it does not exist.
    /// A trace that stands there already is replaced; files that are no part of it stay as they are.
    ///
    /// # Errors
    /// If the folder holds something else, cannot be written, or the scenario reads files from outside its folder.
    ///
    /// # Panics
    /// If `options.every` is 0.
    pub fn create(
        folder: &Path,
        scenario: &Arc<Scenario>,
        options: TraceOptions,
    ) -> Result<Self, TraceError> {
        assert!(options.every > 0, "agents are recorded every 1 or more ticks");
        let mut info = RunInfo::begin(scenario, options.every, options.results_version)?;
        fs::create_dir_all(folder).map_err(TraceError::io("make the folder", folder))?;
        check_vacancy(folder, &info)?;
        info.write(folder)?;
        write_whole(&folder.join(SCENARIO_FILE), &scenario.text)?;
        for (name, text) in &scenario.side_files {
            write_whole(&folder.join(name), text)?;
        }
        Ok(Self {
            agents: Stream::create(folder)?,
            roster: Stream::create(folder)?,
            ticks: Stream::create(folder)?,
            commands: BufWriter::new(SealedFile::create(folder, COMMANDS_FILE)?),
            folder: folder.to_owned(),
            scenario: Arc::clone(scenario),
            info,
            last: None,
            block_ticks: BLOCK_TICKS,
        })
    }

    /// Adds a tick.
    ///
    /// # Errors
    /// If the disk is full or the like; the trace then ends at the last whole block.
    pub fn record(&mut self, record: &TickRecord) -> Result<(), TraceError> {
        let source = FrameSource { scenario: &self.scenario, every: self.info.every };
        let tick = source.tick_row(record);
        if tick.agent_rows.is_some() {
            for row in source.agents(record) {
                self.agents.pending.push(row?);
            }
        }
        self.roster.pending.extend(record.events.admitted.iter().map(|agent| source.roster_row(agent)));
        self.ticks.pending.push(tick);
        self.last = Some((record.tick, record.run_digest, record.counts));
        if self.agents.pending.len() >= BLOCK_ROWS || self.ticks.pending.len() >= self.block_ticks {
            self.write_block()?;
        }
        Ok(())
    }

    /// Adds a command that came from outside the scenario.
    ///
    /// # Errors
    /// As for [`TraceWriter::record`].
    pub fn command(&mut self, command: &Command) -> Result<(), TraceError> {
        let written = serde_json::to_string(command)
            .map_err(std::io::Error::from)
            .and_then(|line| writeln!(self.commands, "{line}"));
        written.map_err(TraceError::io("write", &self.folder.join(COMMANDS_FILE)))
    }

    /// Ends the trace properly: with the final digest, totals, and what vouches for the bytes of the files.
    ///
    /// # Errors
    /// As for [`TraceWriter::record`].
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.write_block()?;
        let commands = self.commands.into_inner().map_err(|e| TraceError::Io {
            doing: "write",
            path: self.folder.join(COMMANDS_FILE),
            cause: e.into_error(),
        })?;
        let files = vec![
            self.agents.finish()?,
            self.roster.finish()?,
            commands.seal(COMMANDS_FILE)?,
            self.ticks.finish()?,
        ];
        let (tick, digest, counts) = self.last.unwrap_or((Tick(0), Digest(0), Counts::default()));
        self.info.end = Some(RunEnd { tick: tick.0, digest, counts, files });
        self.info.write(&self.folder)
    }

    /// Brings all files up to the last tick. Blocks are written by themselves when they are due; this one is for a run
    /// that fails and whose last ticks somebody will want to see.
    ///
    /// # Errors
    /// As for [`TraceWriter::record`].
    pub fn flush(&mut self) -> Result<(), TraceError> {
        self.write_block()
    }

    /// The ticks come last: whatever a tick needs is on its way to the disk before it.
    fn write_block(&mut self) -> Result<(), TraceError> {
        self.agents.write_pending()?;
        self.roster.write_pending()?;
        self.commands.flush().map_err(TraceError::io("write", &self.folder.join(COMMANDS_FILE)))?;
        self.ticks.write_pending()
    }
}

/// One table on its way to its file.
struct Stream<T> {
    path: PathBuf,
    pending: Vec<T>,
    writer: StreamWriter<BufWriter<SealedFile>>,
}

impl<T: Table> Stream<T> {
    fn create(folder: &Path) -> Result<Self, TraceError> {
        let path = folder.join(T::FILE);
        let file = BufWriter::new(SealedFile::create(folder, T::FILE)?);
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD));
        let writer = options
            .and_then(|options| StreamWriter::try_new_with_options(file, &T::schema(), options))
            .map_err(|e| encode_error::<T>(&path, e))?;
        Ok(Self { path, pending: Vec::new(), writer })
    }

    fn write_pending(&mut self) -> Result<(), TraceError> {
        for rows in self.pending.chunks(BLOCK_ROWS) {
            let written = T::to_batch(rows).and_then(|batch| self.writer.write(&batch));
            written.map_err(|e| encode_error::<T>(&self.path, e))?;
        }
        self.pending.clear();
        self.writer.flush().map_err(|e| encode_error::<T>(&self.path, e))
    }

    fn finish(self) -> Result<FileSeal, TraceError> {
        let file = self.writer.into_inner().map_err(|e| encode_error::<T>(&self.path, e))?;
        let file = file.into_inner().map_err(|e| TraceError::io("write", &self.path)(e.into_error()))?;
        file.seal(T::FILE)
    }
}

fn encode_error<T: Table>(path: &Path, cause: ArrowError) -> TraceError {
    match cause {
        ArrowError::IoError(_, cause) => TraceError::io("write", path)(cause),
        cause => TraceError::Encode { file: T::FILE, cause },
    }
}

/// A file that keeps the digest of what went into it.
struct SealedFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    digester: Digester,
}

impl SealedFile {
    fn create(folder: &Path, name: &str) -> Result<Self, TraceError> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(TraceError::io("write", &path))?;
        Ok(Self { path, file, bytes: 0, digester: Digester::new() })
    }

    fn seal(mut self, name: &str) -> Result<FileSeal, TraceError> {
        self.flush().map_err(TraceError::io("write", &self.path))?;
        Ok(FileSeal { name: name.to_owned(), bytes: self.bytes, xxh3: self.digester.finish() })
    }
}

impl Write for SealedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digester.bytes(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

fn write_whole(path: &Path, text: &str) -> Result<(), TraceError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(TraceError::io("make the folder", folder))?;
    }
    fs::write(path, text).map_err(TraceError::io("write", path))
}

/// Refuses a folder that holds something else than a trace, and files that the new trace would overwrite though they
/// are no part of the old one.
fn check_vacancy(folder: &Path, new: &RunInfo) -> Result<(), TraceError> {
    let occupied = |found: String| Err(TraceError::Occupied { path: folder.to_owned(), found });
    let mut entries = fs::read_dir(folder).map_err(TraceError::io("read", folder))?;
    let Some(first) = entries.next() else { return Ok(()) };
    let first = first.map_err(TraceError::io("read", folder))?.file_name();
    let Ok(old) = RunInfo::read(folder) else {
        // A run killed while it wrote its very first file leaves nothing else.
        let alone = first == *".run.json.new" && entries.next().is_none();
        return if alone { Ok(()) } else { occupied(first.to_string_lossy().into_owned()) };
    };
    let is_old = |name: &str| old.side_files.iter().any(|seal| seal.name == name);
    match new.side_files.iter().find(|seal| !is_old(&seal.name) && folder.join(&seal.name).exists()) {
        Some(seal) => occupied(seal.name.clone()),
        None => Ok(()),
    }
}
