use bdem_jobs::error::JobError;
use bdem_pictures::pieces::CutError;
use bdem_run::output::OutputError as RunOutputError;
use bdem_run::run::RunError;
use bdem_run::scene::SceneError as RunSceneError;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(bdem, BdemError, PyException, "Error of bdem.");
pyo3::create_exception!(
    bdem,
    SceneError,
    BdemError,
    "A scene is wrong: the message names file, line, key, value and remedy."
);
pyo3::create_exception!(bdem, SolverError, BdemError, "The solver gave up. Files written so far are kept.");
pyo3::create_exception!(bdem, OutputError, BdemError, "A file cannot be read or written, or a folder is in use.");

/// Exception of an error.
pub(crate) trait AsException {
    fn exception(self) -> PyErr;
}

impl AsException for RunSceneError {
    fn exception(self) -> PyErr {
        SceneError::new_err(self.to_string())
    }
}

impl AsException for RunOutputError {
    fn exception(self) -> PyErr {
        OutputError::new_err(self.to_string())
    }
}

impl AsException for RunError {
    fn exception(self) -> PyErr {
        match self {
            Self::Scene(error) => error.exception(),
            Self::Output(error) => error.exception(),
            Self::GaveUp(why) => SolverError::new_err(why.to_string()),
            Self::Interrupted(_) => PyKeyboardInterrupt::new_err(self.to_string()),
            Self::Device { .. } => PyValueError::new_err(self.to_string()),
            Self::CheckpointMismatch { .. } => OutputError::new_err(self.to_string()),
        }
    }
}

impl AsException for JobError {
    fn exception(self) -> PyErr {
        match self {
            Self::Run(error) => error.exception(),
            Self::TooLarge(_) => PyMemoryError::new_err(self.to_string()),
            Self::Usage(message) => PyValueError::new_err(message),
            other => BdemError::new_err(other.to_string()),
        }
    }
}

impl AsException for CutError {
    fn exception(self) -> PyErr {
        match self {
            Self::Scene(error) => error.exception(),
            Self::Output(error) => error.exception(),
            other => BdemError::new_err(other.to_string()),
        }
    }
}
