//! What can go wrong with a trace.

use std::path::{Path, PathBuf};

/// A trace that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The system refused.
    #[error("cannot {doing} {}: {cause}", path.display())]
    Io {
        /// "write", "read", ...
        doing: &'static str,
        /// Which file or folder.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The folder holds something that is no trace.
    #[error("{} holds something else than a trace: name a new or an empty folder ({found} stands in it)", path.display())]
    Occupied {
        /// Which folder.
        path: PathBuf,
        /// A file in it.
        found: String,
    },
    /// The scenario reads a file that a trace folder cannot hold under its name.
    #[error(
        "the scenario reads \"{0}\", which a trace cannot keep under that name: put the file beside the scenario and name it by a plain relative path"
    )]
    SideFile(String),
    /// More goals than a trace can number.
    #[error("a trace can number 65,535 goals, and an agent walks to goal {0}")]
    GoalNumber(u32),
    /// The folder is no trace.
    #[error("{} is not a trace: {what}", path.display())]
    NotATrace {
        /// Which folder.
        path: PathBuf,
        /// What is missing.
        what: String,
    },
    /// A file's bytes are not what was written.
    #[error("{file} is damaged{}: {what}", after(*tick))]
    Damaged {
        /// Which file of the trace.
        file: String,
        /// The last tick that could be read.
        tick: Option<u32>,
        /// What is wrong.
        what: String,
    },
    /// Arrow refused to encode.
    #[error("cannot encode {file}: {cause}")]
    Encode {
        /// Which file of the trace.
        file: &'static str,
        /// What Arrow says.
        cause: arrow_schema::ArrowError,
    },
}

fn after(tick: Option<u32>) -> String {
    tick.map_or_else(|| " before its first tick".to_owned(), |tick| format!(" after tick {tick}"))
}

impl TraceError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io { doing, path, cause }
    }

    pub(super) fn damaged(file: &str, what: impl Into<String>) -> Self {
        Self::Damaged { file: file.to_owned(), tick: None, what: what.into() }
    }

    /// Says up to which tick the trace could be read.
    #[must_use]
    pub(super) fn after(self, last: Option<u32>) -> Self {
        match self {
            Self::Damaged { file, tick: None, what } => Self::Damaged { file, tick: last, what },
            other => other,
        }
    }
}
