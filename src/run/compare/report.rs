use serde::{Deserialize, Serialize};

use crate::output::Seconds;

/// What a comparison found: the table on the terminal, and `compare --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The program's version.
    pub version: String,
    /// The scene's name.
    pub scene: String,
    /// SHA-256 of the scene's text and overrides, in hexadecimal.
    pub digest: String,
    pub threads: usize,
    pub particles: usize,
    /// Unbroken bonds when the runs start.
    pub bonds: usize,
    /// The scene's period T, s.
    pub period: f64,
    /// Frames per second of simulated time.
    pub frame_rate: f64,
    /// The frame that all runs start from.
    pub from_frame: u32,
    /// The integrator that brought the scene to that frame, if it is not the initial state.
    pub brought_by: Option<String>,
    /// Share of the computed limit of stability that `@stable` takes.
    pub stable_share: f64,
    /// Nominal steps that each run made before its clock started.
    pub warm_up: u32,
    /// Seconds on the wall after which a run was ended, whatever its frames.
    pub most_seconds: Option<f64>,
    pub runs: Vec<RunRow>,
    /// Every two runs, in their order.
    pub pairs: Vec<PairRow>,
}

/// A run of a comparison. Counts and seconds are those after the warm-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// Integrator and step, as they are named on the command line.
    pub name: String,
    pub integrator: String,
    /// Nominal step, s.
    pub step: f64,
    /// Nominal step in periods T, whatever cuts came.
    pub step_in_periods: f64,
    /// Frames that were to be simulated, from the frame that all runs start from.
    pub frames_wanted: u32,
    /// Frames that were timed: not a whole number where the run was cut short.
    pub frames: f64,
    pub steps: u64,
    /// Steps that were done again at half their length.
    pub step_cuts: u64,
    /// On the wall, without setup and output.
    pub seconds_per_frame: Option<f64>,
    pub seconds: Seconds,
    /// Nanoseconds of the phase `integrate` per step and unbroken bond.
    pub nanoseconds_per_bond_step: Option<f64>,
    pub newton_iterations: u64,
    pub cg_iterations: u64,
    /// Unbroken bonds at the end.
    pub bonds: usize,
    /// Bonds that broke from the common start on.
    pub bonds_broken: usize,
    pub pieces: usize,
    /// Particles of the largest piece.
    pub largest_piece: usize,
    /// Kinetic and potential at the end, J.
    pub energy: Option<f64>,
    /// Turns that the run took: the runs are interleaved.
    pub turns: u32,
    /// Why the solver gave up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Two runs beside each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    pub run: String,
    pub against: String,
    /// Seconds per frame of `against` over those of `run`.
    pub speedup: Option<f64>,
    /// At the last frame that both reached, if both were to end at a frame and did.
    pub differences: Option<Differences>,
}

/// How far two runs are apart: `run` less `against`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Differences {
    /// Where they are compared.
    pub frame: u32,
    /// Mean distance between the two places of a particle, in its radii.
    pub displacement_mean: f64,
    /// Greatest distance between the two places of a particle, in its radii.
    pub displacement_greatest: f64,
    pub bonds_broken: i64,
    /// J.
    pub energy: f64,
}

impl Comparison {
    /// The first run that the solver gave up on, and why.
    pub fn failure(&self) -> Option<(&str, &str)> {
        self.runs.iter().find_map(|run| Some((run.name.as_str(), run.error.as_deref()?)))
    }
}
