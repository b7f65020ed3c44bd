use std::fmt::{self, Display, Formatter};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::{Lock, OutputError, RECORD, Result, RunRecord, RunState};

/// State of a run as seen from outside: by its record and its lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStatus {
    /// The folder holds no run.
    Absent,
    /// Its bodies are packed.
    Packing,
    /// Running: its process is alive.
    Running,
    /// Ended at its last frame, or by a condition of `until`.
    Finished,
    /// Stopped by a signal, with a checkpoint.
    Stopped,
    /// Ended by an error, which is in the record.
    Failed,
    /// Ended without a word: killed, or its machine went down.
    Dead,
}

impl RunStatus {
    /// Status of the run at `folder`, and its record if it has one. Processes of other hosts are dead when their heartbeat
    /// is older than `dead_after`.
    ///
    /// # Errors
    /// When there is a record that cannot be read.
    pub fn read(folder: &Path, dead_after: Duration) -> Result<(Self, Option<RunRecord>)> {
        // the lock first: a run that ends meanwhile writes its record before it gives up the lock
        let is_alive = Lock::is_alive(folder, dead_after);
        let record = match RunRecord::read(&folder.join(RECORD)) {
            Ok(record) => Some(record),
            Err(OutputError::File { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok((Self::of(record.as_ref().map(|record| record.state), is_alive), record))
    }

    /// Status by the state in the record, if there is one, and by the lock: whether its process lives, if it is there.
    fn of(state: Option<RunState>, is_alive: Option<bool>) -> Self {
        match (state, is_alive) {
            (Some(RunState::Done), _) => Self::Finished,
            (Some(RunState::Packing), Some(true)) => Self::Packing,
            (_, Some(true)) => Self::Running,
            (_, Some(false)) | (Some(RunState::Packing | RunState::Running), None) => Self::Dead,
            (Some(RunState::Interrupted), None) => Self::Stopped,
            (Some(RunState::Failed), None) => Self::Failed,
            (None, None) => Self::Absent,
        }
    }
}

impl Display for RunStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "absent",
            Self::Packing => "packing",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Dead => "dead",
        })
    }
}
