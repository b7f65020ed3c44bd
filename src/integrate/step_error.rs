use crate::model::State;
use crate::optimize::{Newton, NewtonFailure};

/// Reason why a step failed, with the particle concerned.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// A position or velocity of this particle is infinite or not a number.
    NotFinite { particle: usize },
    /// This particle moves so far in one step that only an instability can be the cause.
    Unstable { particle: usize },
    /// A contact is possible in a step that requires free flight.
    MayMeet,
    /// A stop is requested: see [`interrupt`](crate::interrupt). The integrator and contacts are bitwise as before the trial.
    Interrupted,
    /// This particle spins too fast for the integrator's rotation map.
    SpinsTooFast { particle: usize },
    /// The step is beyond the longest stable one, s.
    BeyondLimit(f64),
    /// Newton's iterations did not converge. Last decrement as a strain, and particle of the largest last displacement.
    NotConverged { iterations: u32, decrement: f64, particle: usize },
    /// No step along the search direction lowered the objective. Decrement and particle as above.
    LineSearch { decrement: f64, particle: usize },
    /// These two bonded particles turned too far against each other.
    TurnedTooFar { ends: [usize; 2] },
    /// The torque on this bonded particle is too strong for its inertia at this step.
    TorqueTooStrong { particle: usize },
    /// This particle moved so far that it may have passed through another piece or a wall.
    MayPass { particle: usize },
    /// Contacts still changed after this number of minimisations: near pairs, or friction limits by this share.
    ContactsUnsettled { rounds: u32, change: f64 },
}

impl StepError {
    /// Error if `end` is not finite.
    pub fn of_infinite(end: &State) -> Result<(), Self> {
        end.first_not_finite().map_or(Ok(()), |particle| Err(Self::NotFinite { particle }))
    }

    /// Error for a failed minimisation by `newton`.
    pub fn of_newton(newton: &Newton, failure: NewtonFailure) -> Self {
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
            Self::MayMeet | Self::Interrupted | Self::BeyondLimit(_) | Self::ContactsUnsettled { .. } => None,
        }
    }
}

impl std::fmt::Display for StepError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFinite { particle } => {
                write!(f, "the position or velocity of particle {particle} is no longer finite")
            }
            Self::Unstable { particle } => write!(f, "particle {particle} moves by a hundred radii in one step"),
            Self::MayMeet => write!(f, "a contact is possible in a step of free flight"),
            Self::Interrupted => write!(f, "a stop is requested"),
            Self::SpinsTooFast { particle } => {
                write!(f, "particle {particle} turns by more than a right angle in one step")
            }
            Self::BeyondLimit(limit) => write!(f, "the explicit step is beyond the stable limit {limit:.3e} s"),
            Self::NotConverged { iterations, decrement, particle } => write!(
                f,
                "Newton did not converge in {iterations} iterations (a strain of {decrement:.1e} is left, most at particle \
                 {particle})"
            ),
            Self::LineSearch { decrement, particle } => write!(
                f,
                "no step along Newton's direction lowers the energy (a strain of {decrement:.1e} is left, most at particle \
                 {particle})"
            ),
            Self::TorqueTooStrong { particle } => {
                write!(f, "the torque on particle {particle} would turn it by more than half a radian in one step")
            }
            Self::MayPass { particle } => write!(
                f,
                "particle {particle} moves so far in one step that it may pass through another piece or a wall"
            ),
            Self::ContactsUnsettled { rounds, change } => write!(
                f,
                "contacts do not settle in {rounds} rounds (friction's limits still change by {:.1} %)",
                100.0 * change
            ),
            Self::TurnedTooFar { ends: [i, j] } => {
                write!(f, "the bonded particles {i} and {j} turn too far against each other in one step")
            }
        }
    }
}

impl std::error::Error for StepError {}
