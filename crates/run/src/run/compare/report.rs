use bdem_core::simulate::Seconds;
use serde::{Deserialize, Serialize};

/// Result of a comparison: the table on the terminal, and `compare --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Version of the program.
    pub version: String,
    /// Name of the scene.
    pub scene: String,
    /// SHA-256 of the scene's text and overrides, in hexadecimal.
    pub digest: String,
    /// Number of threads.
    pub threads: usize,
    /// Number of times that the runs were repeated. Times are medians.
    #[serde(default = "once")]
    pub repeats: u32,
    /// Number of particles.
    pub particles: usize,
    /// Whole bonds at the start.
    pub bonds: usize,
    /// Period T of the scene, s.
    pub period: f64,
    /// Frames per second of simulated time.
    pub frame_rate: f64,
    /// First frame of all runs.
    pub from_frame: u32,
    /// Integrator that advanced the scene to that frame, if it is not the initial state.
    pub brought_by: Option<String>,
    /// Share of the computed stability limit for `@stable`.
    pub stable_share: f64,
    /// Nominal steps of each run before its clock started.
    pub warm_up: u32,
    /// Limit on the wall-clock time of a run, s.
    pub most_seconds: Option<f64>,
    /// Runs, in the order of the contenders.
    pub runs: Vec<RunRow>,
    /// All pairs of runs, in their order.
    pub pairs: Vec<PairRow>,
}

/// Run of a comparison. Counts and times exclude the warm-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// Integrator and step, as on the command line.
    pub name: String,
    /// Name of the integrator.
    pub integrator: String,
    /// Name of the device that took the steps, if it is not this machine's processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Nominal step, s.
    pub step: f64,
    /// Nominal step in periods T, without cuts.
    pub step_in_periods: f64,
    /// Requested number of frames after the first.
    pub frames_wanted: u32,
    /// Number of timed frames; fractional if the run was cut short.
    pub frames: f64,
    /// Number of steps.
    pub steps: u64,
    /// Steps that were repeated at a shorter length.
    pub step_cuts: u64,
    /// Wall-clock time without setup and output.
    pub seconds_per_frame: Option<f64>,
    /// Least and greatest of the repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_per_frame_range: Option<[f64; 2]>,
    /// Wall-clock time by phase, s.
    pub seconds: Seconds,
    /// Time of the phase `integrate` per step and whole bond, ns.
    pub nanoseconds_per_bond_step: Option<f64>,
    /// Number of Newton iterations.
    pub newton_iterations: u64,
    /// Number of conjugate gradient iterations.
    pub cg_iterations: u64,
    /// Whole bonds at the end.
    pub bonds: usize,
    /// Bonds that broke since the common start.
    pub bonds_broken: usize,
    /// Number of pieces at the end.
    pub pieces: usize,
    /// Particles of the largest piece.
    pub largest_piece: usize,
    /// Kinetic and potential energy at the end, J.
    pub energy: Option<f64>,
    /// Imbalance of the energy account at the end of the last whole frame, over the energy at play.
    #[serde(default)]
    pub energy_off: Option<f64>,
    /// Linear momentum at the end, kg m/s.
    #[serde(default)]
    pub momentum: [f64; 3],
    /// Turns of the run.
    pub turns: u32,
    /// Error if the solver gave up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Pair of runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// Name of the run whose speedup it is.
    pub run: String,
    /// Name of the run that it is compared with.
    pub against: String,
    /// Seconds per frame of `against` over those of `run`.
    pub speedup: Option<f64>,
    /// Least and greatest of the repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup_range: Option<[f64; 2]>,
    /// At the last common frame, if both ran to the end of a frame.
    pub differences: Option<Differences>,
}

/// Difference between two runs: `run` less `against`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Differences {
    /// Frame of the comparison.
    pub frame: u32,
    /// Mean distance between the positions of a particle in both runs, in its radii.
    pub displacement_mean: f64,
    /// Maximum distance between the positions of a particle in both runs, in its radii.
    pub displacement_greatest: f64,
    /// Difference in the number of broken bonds.
    pub bonds_broken: i64,
    /// J.
    pub energy: f64,
}

fn once() -> u32 {
    1
}

impl Comparison {
    /// First run whose solver gave up, and the error.
    pub fn failure(&self) -> Option<(&str, &str)> {
        self.runs.iter().find_map(|run| Some((run.name.as_str(), run.error.as_deref()?)))
    }
}
