use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use bdem_core::simulate::Seconds;
use serde::{Deserialize, Serialize};

use super::{OutputError, Result, TestResults, write_whole};
use crate::files;
use crate::scene::{Filling, Until};

/// Parameters and progress of a run: `run.json`, rewritten at every frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Version of the program.
    pub version: String,
    /// Commit and features of the program, and its instruction set. No result depends on them.
    #[serde(default)]
    pub build: String,
    /// Name of the host.
    #[serde(default)]
    pub host: String,
    /// Words of the command line.
    pub command_line: Vec<String>,
    /// Name of the scene, a part of file names.
    pub scene: String,
    /// SHA-256 of the scene's text, its overrides and the files that it names, in hexadecimal.
    pub digest: String,
    /// Digest of all that frames depend on: [`Scene::physics_digest`](crate::scene::Scene::physics_digest).
    #[serde(default)]
    pub physics_digest: String,
    /// Values that replaced the scene's own (`--set`), by their keys.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
    /// SHA-256 of the initial particles and bonds. Another version of the program may build others from the same
    /// scene.
    #[serde(default)]
    pub world_digest: String,
    /// Progress of the run.
    pub state: RunState,
    /// Time at which this was written, seconds since 1970 (UTC) by the host's clock. A running process writes it at every
    /// frame, and every ten seconds between its steps and while it packs.
    #[serde(default)]
    pub heartbeat: u64,
    /// Reason of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Conditions that may end the run before its last frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Condition that ended the run before its last frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Results of the scene's material test, when the run has ended or stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specimen: Option<TestResults>,
    /// Number of times that the run resumed from a checkpoint.
    #[serde(default)]
    pub resumed: u32,
    /// Name of the integrator.
    pub integrator: String,
    /// Device that takes the steps, if it is not this machine's processors. Bits depend on it and on its driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Number of threads.
    pub threads: usize,
    /// Number of particles.
    pub particles: usize,
    /// Densities of the bodies with random packings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packings: Vec<Filling>,
    /// Whole bonds.
    pub bonds: usize,
    /// Bonds broken since the start.
    pub bonds_broken: usize,
    /// Number of pieces.
    pub pieces: usize,
    /// Particles of the largest piece.
    pub largest_piece: usize,
    /// Rows of `forces.csv`.
    #[serde(default)]
    pub force_rows: usize,
    /// Frames simulated, without the initial state.
    pub frames: u32,
    /// Frames of the scene.
    #[serde(default)]
    pub frames_wanted: u32,
    /// Number of steps.
    pub steps: u64,
    /// Number of explicit steps among all steps.
    #[serde(default)]
    pub explicit_steps: u64,
    /// Number of steps with sleeping pieces among all steps.
    #[serde(default, alias = "rigid_steps")]
    pub asleep_steps: u64,
    /// Steps that were repeated at half their length.
    pub step_cuts: u64,
    /// Number of Newton iterations.
    pub newton_iterations: u64,
    /// Number of conjugate gradient iterations.
    pub cg_iterations: u64,
    /// Nominal step, s.
    pub step: f64,
    /// Nominal step in periods T, regardless of cuts.
    pub step_in_periods: f64,
    /// Period T of the scene, s.
    pub period: f64,
    /// Simulated time, s.
    pub time: f64,
    /// Wall-clock time by phase, s.
    pub seconds: Seconds,
}

/// Progress of a run: still packed, still running, or how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Its bodies are packed, or it was killed meanwhile: there is no frame yet.
    Packing,
    /// Still running, or killed.
    #[default]
    Running,
    /// Ended at its last frame, or by a condition of `until`.
    Done,
    /// Failed; [`RunRecord::error`] has the reason.
    Failed,
    /// Stopped by the user or the farm.
    Interrupted,
}

impl RunRecord {
    /// Whether the run has reached its last of `frames`, or the condition `until` has ended it.
    pub fn is_done(&self, frames: u32, until: Option<&Until>) -> bool {
        let has_ended = self.ended.is_some() && self.until.as_ref() == until;
        self.state == RunState::Done && (self.frames >= frames || has_ended)
    }

    /// Name of what takes the steps.
    pub fn device(&self) -> &str {
        self.device.as_deref().unwrap_or("the processors")
    }

    /// Record of this run as it resumes, by the command of `now`.
    pub fn resumed(self, now: &Self) -> Self {
        let Self { command_line, build, host, set, digest, device, threads, frames_wanted, .. } = now.clone();
        let seconds = Seconds { setup: self.seconds.setup + now.seconds.setup, ..self.seconds };
        Self {
            command_line,
            build,
            host,
            set,
            digest,
            device,
            threads,
            frames_wanted,
            seconds,
            until: now.until.clone(),
            ended: None,
            specimen: None,
            resumed: self.resumed + 1,
            ..self
        }
    }

    /// Write the record at `path` in full, or leave the old one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
    }

    /// Record in the file at `path`.
    ///
    /// # Errors
    /// When there is none, or the file is no record.
    pub fn read(path: &Path) -> Result<Self> {
        files::open(path).and_then(Self::read_from).map_err(OutputError::file("read the record of a run in", path))
    }

    /// Record read from `source`.
    ///
    /// # Errors
    /// When the text is no record.
    pub fn read_from(source: impl Read) -> io::Result<Self> {
        /// Limit on the bytes that are read.
        const MAX_BYTES: u64 = 1 << 24;
        Ok(serde_json::from_reader(BufReader::new(source.take(MAX_BYTES)))?)
    }
}

impl Display for RunState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Packing => "packing",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        })
    }
}
