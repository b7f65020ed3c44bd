use crate::energy::account::Balance;
use crate::geometry::Vec3;
use crate::integrate::StepError;

/// Reason why a simulation cannot continue.
#[derive(Clone, Debug, PartialEq)]
pub struct GaveUp {
    /// Simulated time, s.
    pub time: f64,
    /// Length of the last trial, s.
    pub step: f64,
    pub cause: Cause,
    pub explicit: bool,
    /// Particle concerned, and its position, m. For the account, the fastest one.
    pub particle: Option<(usize, Vec3)>,
}

/// Failure of the solver.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// A step failed and cannot be cut any more.
    Step(StepError),
    /// The imbalance of the energy account exceeds this bound.
    Account(Balance, f64),
}

impl std::fmt::Display for GaveUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { time, step, cause, explicit, .. } = self;
        write!(f, "the solver gave up at {time:.6} s: ")?;
        match cause {
            Cause::Step(StepError::BeyondLimit(limit)) => write!(
                f,
                "the explicit step {step:.3e} s is beyond the stable limit {limit:.3e} s; try time.step = {{ limit = 0.9 }} \
                 or shorter"
            ),
            Cause::Step(cause) => {
                write!(f, "{cause}, at a step of {step:.3e} s")?;
                if let Some((_, at)) = self.particle {
                    write!(f, " from ({:.4}, {:.4}, {:.4}) m", at.x, at.y, at.z)?;
                }
                if *explicit {
                    write!(f, "; a step below the stability limit (`bdem check` prints it) should hold")
                } else {
                    write!(f, "; a shorter time.step, a higher time.control.halvings, or some damping may help")
                }
            }
            Cause::Account(balance, bound) => {
                write_account(f, balance, *bound)?;
                if let Some((particle, at)) = self.particle {
                    write!(f, "; particle {particle}, at ({:.4}, {:.4}, {:.4}) m, is the fastest", at.x, at.y, at.z)?;
                }
                if *explicit {
                    write!(
                        f,
                        "; a shorter step than {step:.3e} s should hold, at most time.step = {{ limit = 0.5 }}, or some damping"
                    )
                } else {
                    write!(
                        f,
                        "; a shorter time.step, a smaller time.control.deviation or solver.newton_tolerance, or some damping \
                         may help"
                    )
                }
            }
        }
    }
}

impl std::error::Error for GaveUp {}

fn write_account(f: &mut std::fmt::Formatter<'_>, balance: &Balance, bound: f64) -> std::fmt::Result {
    let Balance { unaccounted, scale, .. } = balance;
    write!(
        f,
        "the energy account is off by {:.3} %: the time steps gained {:.3e} J, and {unaccounted:.3e} J are not \
         accounted for, where {scale:.3e} J are at play; time.control.energy_bound allows {:.3} %",
        100.0 * balance.imbalance(),
        balance.gain() * scale,
        100.0 * bound
    )
}
