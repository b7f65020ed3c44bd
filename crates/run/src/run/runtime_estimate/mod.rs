//! Estimate of a run's processor time, which other programs on the machine do not lengthen: a short part of the run itself,
//! extrapolated with the typical spread of scenes of the same kind.

mod body_motion;
mod first_contacts;
mod impact;
mod predicted_contacts;
mod span;
mod trial_run;

use bdem_core::simulate::{GaveUp, Simulation};

use crate::scene::Scene;

pub use impact::{Impact, ImpactOutcome, Striker};
pub use span::{Span, duration};
pub use trial_run::TrialRun;

/// Estimated processor time of a run, by all threads.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeEstimate {
    /// Setup before the first step, s.
    pub setup: f64,
    /// Number of frames of the run, and of its trial.
    pub frames: f64,
    /// Trial from the start.
    pub trial: TrialRun,
    /// Length of the trial, in frames.
    pub tried: f64,
    /// Estimated time of each other frame.
    pub a_frame: Span,
    /// Output, s.
    pub writing: f64,
}

/// Limit on the processor time of the trial, s.
const TRIAL_SECONDS: f64 = 1.5;

/// Time to write a particle of a frame, s.
const WRITING: f64 = 1.5e-6;

impl RuntimeEstimate {
    /// Estimate for a run of `scene`. `simulation` is its start, which took `setup` seconds to build. Takes a second and a half, or a few steps if these are longer.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn new(scene: &Scene, mut simulation: Simulation, setup: f64) -> Result<Self, GaveUp> {
        let (rate, frames) = (scene.time.frame_rate, f64::from(scene.time.frames));
        let is_explicit = scene.time.integrator.is_explicit();
        let writing = WRITING * simulation.state.len() as f64 * frames;
        let trial = TrialRun::run(&mut simulation, frames / rate, TRIAL_SECONDS)?;
        let spread = spread(&simulation, is_explicit, trial.breaks);
        Ok(Self { setup, writing, ..Self::of(trial, frames, rate, spread) })
    }

    /// Estimate from a `trial` for a run of `frames` at a `rate` (1/s). `spread` is the range of a later frame's time over that of
    /// the trial.
    pub fn of(trial: TrialRun, frames: f64, rate: f64, spread: Span) -> Self {
        let (tried, a_frame) = ((trial.simulated * rate).min(frames), spread * (trial.seconds_per_second / rate));
        Self { setup: 0.0, frames, trial, tried, a_frame, writing: 0.0 }
    }

    /// Total time.
    pub fn whole(&self) -> Span {
        Span::of(self.setup + self.writing + self.trial.seconds) + self.a_frame * (self.frames - self.tried)
    }
}

/// Range of the mean time of later frames over that of the end of the trial. Measured on scenes of all kinds.
///
/// The work of explicit steps grows with contacts of debris. Implicit steps of equal length have different work to solve. Adapted
/// steps are shortest during breakage, which has begun in the trial where bonds `broke`, or most likely where bodies are free. Those that
/// are held, moved or loaded strain slowly before it.
fn spread(simulation: &Simulation, is_explicit: bool, broke: bool) -> Span {
    let world = &simulation.world;
    let breaks = world.bonds().iter().any(|b| b.strength.iter().any(|s| s.is_finite()));
    let is_adapted = simulation.plan.finest > 0;
    let [low, high] = match (is_explicit, is_adapted) {
        (true, _) => [0.8, 2.2],
        (false, true) if broke || world.constraints.is_empty() => [0.18, 1.5],
        (false, true) => [0.8, 4.0],
        (false, false) if breaks => [0.7, 2.8],
        (false, false) => [0.7, 1.8],
    };
    Span { low, high }
}

/// Processor time of this process so far, s: of all its threads.
#[cfg(unix)]
pub fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Time since the first call, s, where the system's library for processor time is missing.
#[cfg(not(unix))]
pub fn processor_time() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}
