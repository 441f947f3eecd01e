//! Why a command ends with another exit code than 0.

use crate::base::SimulationError;
use crate::replay::ReplayError;
use crate::scenario::ScenarioError;
use crate::trace::TraceError;
use miette::{IntoDiagnostic, Report};

/// A command that did not go well.
#[derive(Debug)]
pub(super) enum Failure {
    /// An expectation or comparison failed; the output says which.
    Missed,
    /// Bad input or usage; without a report where it has been printed.
    Input(Option<Report>),
    /// The run itself failed; without a report where it has been printed.
    Run(Option<Report>),
    /// Whoever reads the output has closed it: no failure of ours.
    Closed,
}

impl Failure {
    /// A sentence about bad input.
    pub(super) fn input(what: impl Into<String>) -> Self {
        Self::Input(Some(Report::msg(what.into())))
    }

    /// A sentence about a failed run.
    pub(super) fn run(what: impl Into<String>) -> Self {
        Self::Run(Some(Report::msg(what.into())))
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::Missed => 1,
            Self::Input(_) => 2,
            Self::Run(_) => 3,
        }
    }

    pub(super) fn report(&self) -> Option<&Report> {
        match self {
            Self::Input(report) | Self::Run(report) => report.as_ref(),
            Self::Missed | Self::Closed => None,
        }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        Self::Input(Some(error.into()))
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        Self::run(format!("the run failed: {error}"))
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        let is_run = match &error {
            TraceError::Io { doing, .. } => *doing == "write",
            TraceError::Encode { .. } | TraceError::GoalNumber(_) => true,
            _ => false,
        };
        let report = Err::<(), _>(error).into_diagnostic().err();
        if is_run { Self::Run(report) } else { Self::Input(report) }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Trace(error) => error.into(),
            ReplayError::Scenario(error) => {
                let report = Report::from(error);
                Self::Input(Some(report.wrap_err("the trace's own scenario is not valid for this program")))
            }
        }
    }
}
