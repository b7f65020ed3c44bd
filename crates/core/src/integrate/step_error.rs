use thiserror::Error;

use crate::charge::FieldError;
use crate::contact::LimitChange;
use crate::model::State;
use crate::optimize::{Newton, NewtonFailure};

/// Reason why a step failed, with the particle, bond or pair concerned.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum StepError {
    /// A number of a particle's state overflowed.
    #[error("the position or velocity of particle {particle} is no longer finite")]
    NotFinite { particle: usize },
    /// Only an instability can be the cause.
    #[error("particle {particle} moves by a hundred radii in one step")]
    Unstable { particle: usize },
    /// See [`interrupt`](crate::interrupt). The integrator and contacts are bitwise as before the trial.
    #[error("a stop is requested")]
    Interrupted,
    /// Spin beyond the integrator's rotation map.
    #[error("particle {particle} turns by more than a right angle in one step")]
    SpinsTooFast { particle: usize },
    /// The longest stable step, s.
    #[error("the explicit step is beyond the stable limit {0:.3e} s")]
    BeyondLimit(f64),
    /// Last decrement as a strain, and particle of the largest last displacement.
    #[error(
        "Newton did not converge in {iterations} iterations (a strain of {decrement:.1e} is left, most at particle \
         {particle})"
    )]
    NotConverged { iterations: u32, decrement: f64, particle: usize },
    /// Decrement and particle as above.
    #[error(
        "no step along Newton's direction lowers the energy (a strain of {decrement:.1e} is left, most at particle \
         {particle})"
    )]
    LineSearch { decrement: f64, particle: usize },
    /// A bond law or a contact is not defined there.
    #[error("the bonded particles {} and {} turn too far against each other in one step", ends[0], ends[1])]
    TurnedTooFar { ends: [usize; 2] },
    /// Inertia too small for the torque at this step, of a bonded particle.
    #[error("the torque on particle {particle} would turn it by more than half a radian in one step")]
    TorqueTooStrong { particle: usize },
    /// Contacts are searched at the ends of steps only.
    #[error("particle {particle} moves so far in one step that it may pass through another piece or a wall")]
    MayPass { particle: usize },
    /// Limit on positions on a device, m.
    #[error(
        "positions go beyond {0:.1e} m, up to which a device holds particles of this size: move the scene to the origin, or take \
         --device cpu"
    )]
    TooFar(f64),
    /// Reason that a device cannot go on, such as too little memory.
    #[error("{0}, and --device cpu runs on the processors")]
    Device(String),
    /// Points and charges are particles.
    #[error("{0}")]
    Field(FieldError),
    /// Near pairs changed, or friction limits.
    #[error(
        "contacts do not settle in {rounds} rounds (friction's limits still change by {:.1} %{})",
        100.0 * change.share(),
        change.particle().map(|particle| format!(", most at particle {particle}")).unwrap_or_default()
    )]
    ContactsUnsettled { rounds: u32, change: LimitChange },
}

impl StepError {
    /// Error if `end` is not finite.
    pub(crate) fn of_infinite(end: &State) -> Result<(), Self> {
        end.first_not_finite().map_or(Ok(()), |particle| Err(Self::NotFinite { particle }))
    }

    /// Error for a failed minimisation by `newton`.
    pub(crate) fn of_newton(newton: &Newton, failure: NewtonFailure) -> Self {
        let particle = newton.farthest();
        match failure {
            NewtonFailure::NotFinite => Self::NotFinite { particle },
            NewtonFailure::Interrupted => Self::Interrupted,
            NewtonFailure::NotConverged { iterations, decrement } => {
                Self::NotConverged { iterations, decrement, particle }
            }
            NewtonFailure::LineSearch { decrement } => Self::LineSearch { decrement, particle },
        }
    }

    /// Particle concerned, the first end of a bond; `None` if all are.
    pub fn particle(&self) -> Option<usize> {
        match *self {
            Self::NotFinite { particle }
            | Self::Unstable { particle }
            | Self::SpinsTooFast { particle }
            | Self::NotConverged { particle, .. }
            | Self::LineSearch { particle, .. }
            | Self::TurnedTooFar { ends: [particle, _] }
            | Self::TorqueTooStrong { particle }
            | Self::MayPass { particle } => Some(particle),
            Self::ContactsUnsettled { change, .. } => change.particle(),
            Self::Field(
                FieldError::Position { index, .. }
                | FieldError::Singular { index, .. }
                | FieldError::Overflow { index, .. }
                | FieldError::External { index, .. },
            ) => Some(index),
            Self::Field(_) | Self::Interrupted | Self::BeyondLimit(_) | Self::TooFar(_) | Self::Device(_) => None,
        }
    }
}
