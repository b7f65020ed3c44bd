//! Reasons why a job ended without its result.

use bdem_run::output::OutputError;
use bdem_run::run::RunError;
use bdem_run::run::memory::TooLarge;
use bdem_run::scene::SceneError;
use thiserror::Error;

/// Reason why a job ended without its result. Its kind says who can help: see each variant.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JobError {
    /// The scene, or the file of the job, is wrong; a file cannot be written; the solver gave up; or a stop was requested.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The runs need more memory than there is, or than is allowed.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// An option or the output folder has to be another: the same call fails again.
    #[error("{0}")]
    Usage(String),
    /// The output folder holds a job of other inputs, which cannot resume with these.
    #[error("{0}")]
    OtherInputs(String),
    /// The search for the answer failed.
    #[error("{0}")]
    Unsolved(String),
    /// Memory or disk were not enough, or a chart could not be drawn: the same call may succeed with more.
    #[error("{0}")]
    Resources(String),
}

impl From<SceneError> for JobError {
    fn from(error: SceneError) -> Self {
        Self::Run(error.into())
    }
}

impl From<OutputError> for JobError {
    fn from(error: OutputError) -> Self {
        Self::Run(error.into())
    }
}
