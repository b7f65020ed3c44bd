use std::path::PathBuf;

use crate::integrate::StepError;
use crate::interrupt;
use crate::output::OutputError;
use crate::scene::SceneError;
use crate::simulate::{Cause, GaveUp};

/// Reason why a run ended before its last frame.
#[derive(Debug)]
pub enum RunError {
    /// The scene cannot be built.
    Scene(SceneError),
    /// A file cannot be written or read.
    Output(OutputError),
    /// The solver gave up. Files are kept.
    GaveUp(GaveUp),
    /// A stop was requested by this signal. Files are kept.
    Interrupted(i32),
    /// The run cannot resume from this file.
    CheckpointMismatch { path: PathBuf, why: String },
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Scene(e) => e.fmt(f),
            Self::Output(e) => e.fmt(f),
            Self::GaveUp(e) => e.fmt(f),
            Self::CheckpointMismatch { path, why } => write!(
                f,
                "the run cannot resume from {}: {why}; --overwrite starts a new run, --output names another folder",
                path.display()
            ),
            Self::Interrupted(signal) => write!(f, "stopped by signal {signal}; the frames written so far are whole"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<SceneError> for RunError {
    fn from(e: SceneError) -> Self {
        Self::Scene(e)
    }
}

impl From<OutputError> for RunError {
    fn from(e: OutputError) -> Self {
        Self::Output(e)
    }
}

impl From<GaveUp> for RunError {
    fn from(e: GaveUp) -> Self {
        match (&e.cause, interrupt::signal()) {
            (Cause::Step(StepError::Interrupted), Some(signal)) => Self::Interrupted(signal),
            _ => Self::GaveUp(e),
        }
    }
}
