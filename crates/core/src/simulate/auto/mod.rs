//! `integrator = "auto"`: explicit steps while waves and cracks decide, BDF2 steps elsewhere, and pieces that sleep.
//!
//! ```text
//! machine   kind and length of the next step, by counted work
//! steps     the steps of each kind, each continuing from the last
//! bounces   bounces, which an implicit step would dissipate
//! ```

mod bounces;
mod machine;
mod steps;

use serde::{Deserialize, Serialize};

use crate::integrate::Step;

pub(super) use bounces::loose;
pub(super) use machine::BLOCK_PERIODS;
pub use machine::Machine;
pub use steps::{SavedSteps, Steps};

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepKind {
    /// A minimisation.
    Implicit,
    /// Explicit, with lightly loaded pieces asleep as rigid bodies.
    Asleep,
    /// Explicit step of a block. The last one reports the deviation of the block.
    Explicit {
        /// Whether it is the first of its block.
        first: bool,
        /// Whether it is the last of its block.
        last: bool,
    },
}

impl StepKind {
    /// Whether it is in a block of explicit steps.
    pub(super) fn is_explicit(self) -> bool {
        matches!(self, Self::Explicit { .. })
    }

    /// Whether pieces sleep in it.
    pub(super) fn is_asleep(self) -> bool {
        self == Self::Asleep
    }
}

/// Next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextStep {
    /// Kind.
    pub kind: StepKind,
    /// Length, and how it follows the last trial.
    pub step: Step,
    /// Stable length of an explicit step for all possible contacts, s.
    pub explicit_dt: f64,
}

/// Report of a step on sleeping pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SleepReport {
    /// Work of steps with sleeping pieces over explicit steps of the whole world: of the step itself, or an estimate for the
    /// steps that may follow. None if unknown or not possible.
    pub work: Option<f64>,
    /// Whether contacts woke a piece.
    pub woken: bool,
}
