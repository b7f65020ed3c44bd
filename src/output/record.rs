use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{OutputError, Result, write_whole};
use crate::scene::Filling;

/// What ran and how far it has come: `run.json`, written anew at every frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The program's version.
    pub version: String,
    /// The words of the command line.
    pub command_line: Vec<String>,
    /// The scene's name, which its files bear.
    pub scene: String,
    /// SHA-256 of the scene's text, its overrides and the files that it names, in hexadecimal.
    pub digest: String,
    /// [`Scene::physics_digest`](crate::scene::Scene::physics_digest).
    #[serde(default)]
    pub physics_digest: String,
    /// SHA-256 of the particles and bonds that it begins with: the same scene may become others under another version of the
    /// program.
    #[serde(default)]
    pub world_digest: String,
    pub state: RunState,
    /// Why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How often the run was taken up again from a checkpoint.
    #[serde(default)]
    pub resumed: u32,
    pub integrator: String,
    pub threads: usize,
    pub particles: usize,
    /// Of the bodies with random packings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packings: Vec<Filling>,
    /// Unbroken bonds.
    pub bonds: usize,
    /// Bonds broken since the start.
    pub bonds_broken: usize,
    pub pieces: usize,
    /// Particles of the largest piece.
    pub largest_piece: usize,
    /// Frames simulated, the initial state not counted.
    pub frames: u32,
    pub steps: u64,
    /// Those of the steps that were explicit.
    #[serde(default)]
    pub explicit_steps: u64,
    /// Those of the steps in which pieces moved as rigid bodies.
    #[serde(default)]
    pub rigid_steps: u64,
    /// Steps that were done again at half their length.
    pub step_cuts: u64,
    pub newton_iterations: u64,
    pub cg_iterations: u64,
    /// Nominal step, s.
    pub step: f64,
    /// Nominal step in periods T, whatever cuts came.
    pub step_in_periods: f64,
    /// The scene's period T, s.
    pub period: f64,
    /// Simulated time, s.
    pub time: f64,
    pub seconds: Seconds,
}

/// Whether a run still goes on, or how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Still going on, or killed.
    #[default]
    Running,
    Done,
    /// Gave up; [`RunRecord::error`] says why.
    Failed,
    /// Stopped by the user or the farm.
    Interrupted,
}

/// Seconds on the wall that a run spent, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// All of them.
    pub total: f64,
    /// From the scene to a world.
    pub setup: f64,
    pub integrate: f64,
    /// Loads of bonds, breaking, pieces.
    pub fracture: f64,
    /// Neighbour search and friction.
    pub contact: f64,
    /// Frames, tables and checkpoints.
    pub output: f64,
}

impl RunRecord {
    /// Whether the run has come to its end, of so many frames.
    pub fn is_done(&self, frames: u32) -> bool {
        self.state == RunState::Done && self.frames >= frames
    }

    /// The record of this run as it goes on, by the command that `now` is of.
    pub fn resumed(self, now: &Self) -> Self {
        let (command_line, threads) = (now.command_line.clone(), now.threads);
        let seconds = Seconds { setup: self.seconds.setup + now.seconds.setup, ..self.seconds };
        Self { command_line, threads, seconds, resumed: self.resumed + 1, ..self }
    }

    /// Writes the record to `path`, whole or not at all.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, |out| {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
    }

    /// Reads the record at `path`.
    ///
    /// # Errors
    /// When there is none, or something else.
    pub fn read(path: &Path) -> Result<Self> {
        File::open(path).and_then(Self::read_from).map_err(OutputError::file("read the record of a run in", path))
    }

    /// Reads a record.
    ///
    /// # Errors
    /// When it is something else.
    pub fn read_from(source: impl Read) -> io::Result<Self> {
        /// Of longer ones the rest is not read.
        const MOST_BYTES: u64 = 1 << 24;
        Ok(serde_json::from_reader(BufReader::new(source.take(MOST_BYTES)))?)
    }
}

impl Display for RunState {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        })
    }
}
