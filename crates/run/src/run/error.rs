use std::path::PathBuf;

use bdem_core::integrate::StepError;
use bdem_core::interrupt::Interrupt;
use bdem_core::simulate::{Cause, GaveUp};
use thiserror::Error;

use crate::output::OutputError;
use crate::scene::SceneError;

/// Reason why a run ended before its last frame.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
pub enum RunError {
    /// The scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A file cannot be written or read.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The solver gave up. Files are kept.
    #[error(transparent)]
    GaveUp(#[from] GaveUp),
    /// A stop was requested by this signal. Files are kept.
    #[error("stopped by signal {0}; the frames written so far are whole")]
    Interrupted(i32),
    /// The device cannot take the scene's steps.
    #[error("{name} cannot run this scene: {why}; --device cpu runs it on the processors")]
    Device { name: String, why: String },
    /// The run cannot resume from this file.
    #[error(
        "the run cannot resume from {}: {why}; --overwrite starts a new run, --output names another folder",
        path.display()
    )]
    CheckpointMismatch { path: PathBuf, why: String },
}

impl RunError {
    /// Error of a run with this request to stop.
    pub(super) fn of(why: GaveUp, interrupt: &Interrupt) -> Self {
        match (&why.cause, interrupt.signal()) {
            (Cause::Step(StepError::Interrupted), Some(signal)) => Self::Interrupted(signal),
            _ => Self::GaveUp(why),
        }
    }
}
