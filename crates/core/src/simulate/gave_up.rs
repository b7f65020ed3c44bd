use thiserror::Error;

use crate::energy::account::Balance;
use crate::geometry::Vec3;
use crate::integrate::StepError;

/// Reason why a simulation cannot continue.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("the solver gave up at {time:.6} s: {}", self.reason())]
#[non_exhaustive]
pub struct GaveUp {
    /// Simulated time, s.
    pub time: f64,
    /// Length of the last trial, s.
    pub step: f64,
    /// Failure of the last trial.
    pub cause: Cause,
    /// Whether that step was explicit.
    pub explicit: bool,
    /// Particle concerned, and its position, m. For the account, the fastest one.
    pub particle: Option<(usize, Vec3)>,
}

/// Failure of the solver.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// A step failed and cannot be cut any more.
    Step(StepError),
    /// The imbalance of the energy account exceeds this bound.
    Account(Balance, f64),
}

impl GaveUp {
    /// Cause, object, and remedy.
    fn reason(&self) -> String {
        match &self.cause {
            Cause::Step(cause) => self.of_step(cause),
            Cause::Account(balance, bound) => self.of_account(balance, *bound),
        }
    }

    fn of_step(&self, cause: &StepError) -> String {
        let step = self.step;
        if let StepError::BeyondLimit(limit) = cause {
            return format!(
                "the explicit step {step:.3e} s is beyond the stable limit {limit:.3e} s; try time.step = {{ limit = 0.9 }} \
                 or shorter"
            );
        }
        // no shorter step helps
        if matches!(cause, StepError::TooFar(_) | StepError::Device(_)) {
            return cause.to_string();
        }
        let at = self.particle.map(|(_, at)| format!(" from {}", place(&at))).unwrap_or_default();
        let remedy = if self.explicit {
            "a step below the stability limit (`bdem check` prints it) should hold"
        } else {
            "a shorter time.step, a higher time.control.halvings, or some damping may help"
        };
        format!("{cause}, at a step of {step:.3e} s{at}; {remedy}")
    }

    fn of_account(&self, balance: &Balance, bound: f64) -> String {
        let Balance { unaccounted, scale, .. } = balance;
        let (imbalance, gain) = (100.0 * balance.imbalance(), balance.gain() * scale);
        let fastest = |(particle, at)| format!("; particle {particle}, at {}, is the fastest", place(&at));
        let fastest = self.particle.map(fastest).unwrap_or_default();
        let remedy = if self.explicit {
            let step = self.step;
            format!(
                "a shorter step than {step:.3e} s should hold, at most time.step = {{ limit = 0.5 }}, or some damping"
            )
        } else {
            "a shorter time.step, a smaller time.control.deviation or solver.newton_tolerance, or some damping may help"
                .to_owned()
        };
        format!(
            "the energy account is off by {imbalance:.3} %: the time steps gained {gain:.3e} J, and {unaccounted:.3e} J are \
             not accounted for, where {scale:.3e} J are at play; time.control.energy_bound allows {:.3} %{fastest}; {remedy}",
            100.0 * bound
        )
    }
}

fn place(at: &Vec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", at.x, at.y, at.z)
}
