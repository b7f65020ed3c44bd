//! How long a run will take, told beforehand: a little of it is made, at the start and from the first impact on, and the rest
//! is taken to go on like that, as nearly as scenes of its kind do.

mod flight;
mod kind;
mod span;
mod trial_run;

use crate::model::State;
use crate::scene::Scene;

use super::{GaveUp, Simulation};

use kind::Kind;

pub use flight::{Flight, ImpactOutcome, Strike};
pub use span::{Span, duration};
pub use trial_run::TrialRun;

/// How long a run will take.
#[derive(Clone, Debug, PartialEq)]
pub struct RuntimeEstimate {
    /// Before the first step, s.
    pub setup: f64,
    /// Until the first impact, or to the end without one; none where something touches at the start.
    pub start: Option<Phase>,
    /// From the first impact on.
    pub impact: Option<Phase>,
    /// Files, s.
    pub writing: f64,
}

/// A stretch of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// How long it is, in frames.
    pub frames: f64,
    /// How many of them were tried.
    pub tried: f64,
    /// What these took, s.
    pub seconds: f64,
    /// What each of the others takes.
    pub a_frame: Span,
}

/// Seconds on the wall that a trial of the flight before an impact may take, and one of what goes on to the end.
const TRIAL_SECONDS: [f64; 2] = [0.5, 1.5];

/// Seconds that a particle in a frame takes to be written.
const WRITING: f64 = 1.5e-6;

impl RuntimeEstimate {
    /// Of a run of `scene`, of which `simulation` is the start that took `setup` seconds to make. Takes about two seconds, or
    /// a few steps if those are longer.
    ///
    /// # Errors
    /// When the solver gives up on the way.
    pub fn new(scene: &Scene, mut simulation: Simulation, setup: f64) -> Result<Self, GaveUp> {
        let rate = scene.time.frame_rate;
        let end = f64::from(scene.time.frames) / rate;
        let kind = Kind::of(&simulation, scene.time.integrator.is_explicit());
        let writing = WRITING * simulation.state.len() as f64 * f64::from(scene.time.frames);
        let there = first_impact(&simulation, end);

        let before = there.as_ref().map_or(end, |state| state.time);
        let mut estimate = Self { setup, start: None, impact: None, writing };
        if before > 0.0 {
            let seconds = if there.is_some() { TRIAL_SECONDS[0] } else { TRIAL_SECONDS[1] };
            let trial = TrialRun::run(&mut simulation, before, seconds)?;
            estimate.start = Some(Phase::new(&trial, before, rate, kind.spread_at_start()));
        }
        let Some(there) = there else { return Ok(estimate) };
        if simulation.state.time < before {
            simulation = moved(scene, simulation, there);
        }
        let left = end - simulation.state.time;
        if left > 0.0 {
            let trial = TrialRun::run(&mut simulation, end, TRIAL_SECONDS[1])?;
            estimate.impact = Some(Phase::new(&trial, left, rate, kind.spread_after_impact()));
        }
        Ok(estimate)
    }

    /// The whole run.
    pub fn whole(&self) -> Span {
        let phases = self.start.iter().chain(&self.impact).map(Phase::whole);
        phases.fold(Span::of(self.setup + self.writing), |sum, phase| sum + phase)
    }
}

impl Phase {
    /// A stretch of so many simulated seconds, at `rate` frames a second, of which `trial` was made. Frames after the trial
    /// take between so many times what its own take.
    pub fn new(trial: &TrialRun, length: f64, rate: f64, spread: Span) -> Self {
        let tried = trial.simulated.min(length);
        Self {
            frames: length * rate,
            tried: tried * rate,
            seconds: trial.seconds,
            a_frame: spread * (trial.seconds_per_second / rate),
        }
    }

    /// All of it.
    pub fn whole(&self) -> Span {
        Span::of(self.seconds) + self.a_frame * (self.frames - self.tried).max(0.0)
    }
}

/// Where everything is at the first impact, if there is one before `end`, s.
fn first_impact(simulation: &Simulation, end: f64) -> Option<State> {
    let flight = Flight::new(&simulation.world, &simulation.state);
    flight.end(end).map(|time| flight.at(time))
}

/// The same simulation at another moment of its flight.
fn moved(scene: &Scene, simulation: Simulation, state: State) -> Simulation {
    Simulation::with_plan(scene, simulation.plan, simulation.world, state)
}
