//! Estimate of a run's processor time, which other programs on the machine do not lengthen. Short trial runs from the start and from the first impact are extrapolated, with the typical
//! spread of scenes of the same kind.

mod flight;
mod kind;
mod span;
mod trial_run;

use crate::scene::Scene;

use bdem_core::model::State;
use bdem_core::simulate::{GaveUp, Simulation};
use kind::spreads;

pub use flight::{Flight, ImpactOutcome, Strike};
pub use span::{Span, duration};
pub use trial_run::TrialRun;

/// Estimated processor time of a run, by all threads.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeEstimate {
    /// Setup before the first step, s.
    pub setup: f64,
    /// Until the first impact, or to the end without one. None if there is a contact at the start.
    pub start: Option<Phase>,
    /// From the first impact on.
    pub impact: Option<Phase>,
    /// Output, s.
    pub writing: f64,
}

/// Phase of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// Length, in frames.
    pub frames: f64,
    /// Length of its trial run, in frames.
    pub tried: f64,
    /// Processor time of the trial run, s.
    pub seconds: f64,
    /// Estimated time of each other frame.
    pub a_frame: Span,
}

/// Limits on the processor time of a trial run, s: before an impact, and of the last phase.
const TRIAL_SECONDS: [f64; 2] = [0.5, 1.0];

/// Time to write a particle of a frame, s.
const WRITING: f64 = 1.5e-6;

impl RuntimeEstimate {
    /// Estimate for a run of `scene`. `simulation` is its start with its [stability limit](Simulation::stability_limit), which
    /// took `setup` seconds to build. Takes about a second and a half, or a few steps if these are longer.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn new(scene: &Scene, mut simulation: Simulation, setup: f64) -> Result<Self, GaveUp> {
        let rate = scene.time.frame_rate;
        let end = f64::from(scene.time.frames) / rate;
        let [at_start, after_impact] = spreads(&simulation, scene.time.integrator.is_explicit());
        let writing = WRITING * simulation.state.len() as f64 * f64::from(scene.time.frames);
        let there = first_impact(&simulation, end);

        let before = there.as_ref().map_or(end, |state| state.time);
        let mut estimate = Self { setup, start: None, impact: None, writing };
        if before > 0.0 {
            let seconds = if there.is_some() { TRIAL_SECONDS[0] } else { TRIAL_SECONDS[1] };
            let trial = TrialRun::run(&mut simulation, before, seconds)?;
            estimate.start = Some(Phase::new(&trial, before, rate, at_start));
        }
        let Some(there) = there else { return Ok(estimate) };
        if simulation.state.time < before {
            simulation = simulation.restart(there, &scene.simulation_settings());
        }
        let left = end - simulation.state.time;
        if left > 0.0 {
            let trial = TrialRun::run(&mut simulation, end, TRIAL_SECONDS[1])?;
            estimate.impact = Some(Phase::new(&trial, left, rate, after_impact));
        }
        Ok(estimate)
    }

    /// Total time.
    pub fn whole(&self) -> Span {
        let phases = self.start.iter().chain(&self.impact).map(Phase::whole);
        phases.fold(Span::of(self.setup + self.writing), |sum, phase| sum + phase)
    }
}

impl Phase {
    /// Phase of this simulated `length` (s) at `rate` frames a second, with the result of `trial`. `spread` is the range of a
    /// later frame's time over that of the trial.
    pub fn new(trial: &TrialRun, length: f64, rate: f64, spread: Span) -> Self {
        let tried = trial.simulated.min(length);
        Self {
            frames: length * rate,
            tried: tried * rate,
            seconds: trial.seconds,
            a_frame: spread * (trial.seconds_per_second / rate),
        }
    }

    /// Total time of the phase.
    pub fn whole(&self) -> Span {
        Span::of(self.seconds) + self.a_frame * (self.frames - self.tried).max(0.0)
    }
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

/// State at the first impact, if there is one before `end`, s.
fn first_impact(simulation: &Simulation, end: f64) -> Option<State> {
    let flight = Flight::new(&simulation.world, &simulation.state);
    flight.end(end).map(|time| flight.at(time))
}
