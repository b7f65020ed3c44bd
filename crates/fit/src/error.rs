//! Reasons why there is no gradient.

use std::io;

use bdem_core::integrate::StepError;
use thiserror::Error;

/// Reason why a run has no gradient.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum FitError {
    /// The integrator has no adjoint.
    #[error(
        "the integrator {name} has no gradient: set implicit-euler, implicit-bdf2 or explicit-verlet, or choose a method \
         without gradients"
    )]
    Integrator { name: String },
    /// The length of steps is not constant.
    #[error("the length of steps is not constant: set time.step to seconds, such as {suggested:e}")]
    Step { suggested: f64 },
    /// There are more steps than can be counted.
    #[error(
        "{frames} frames of {per_frame} steps are more than {} steps: take fewer frames, a longer time.step, or a method without \
         gradients",
        u32::MAX
    )]
    TooManySteps { frames: u32, per_frame: u32 },
    /// A bond's law has no energy.
    #[error("bonds of the model {model} have no energy, and no gradient: set quaternion or cosserat")]
    Model { model: &'static str },
    /// The world has something that the sweep does not follow.
    #[error("gradients do not follow {what}: {remedy}")]
    Unfollowed { what: &'static str, remedy: &'static str },
    /// A bond broke.
    #[error(
        "bond {bond} between particles {} and {} breaks at {time:e} s, and the loss jumps there: raise the strength, or choose a \
         method without gradients",
        ends[0], ends[1]
    )]
    Breaks { bond: u32, ends: [u32; 2], time: f64 },
    /// A step failed.
    #[error("the step at {time:e} s failed: {why}; set a shorter time.step, or narrower bounds")]
    Failed { time: f64, why: StepError },
    /// The linear system of a step's adjoint was not solved.
    #[error(
        "the adjoint of the step at {time:e} s was not solved: a residual of {residual:.1e} is left after {iterations} \
         iterations; set a shorter time.step"
    )]
    Adjoint { time: f64, residual: f64, iterations: usize },
    /// The loss is not finite.
    #[error("the loss is {loss} at the parameters {parameters:?}: set narrower bounds")]
    NotFinite { loss: f64, parameters: Vec<f64> },
    /// Stored states do not fit.
    #[error("the stored states take {needed} bytes of {allowed} allowed: allow more memory, or store them on disk")]
    Memory { needed: u64, allowed: u64 },
    /// A file of stored states could not be used.
    #[error("stored states: {0}")]
    Storage(#[from] io::Error),
    /// An evaluation of another program failed.
    #[error("{0}")]
    Evaluation(Box<dyn std::error::Error + Send + Sync>),
    /// A stop is requested.
    #[error("a stop is requested")]
    Interrupted,
    /// The optimiser gave up.
    #[error("the optimiser gave up: {0}")]
    Optimizer(String),
}
