use crate::interrupt;
use crate::model::{State, Wrench};
use crate::optimize::Objective;

use super::{FLOOR, Newton, NewtonFailure, NewtonReport, Progress, ROUNDING};

impl Newton {
    /// Moves `x` to where `residual` is zero: N and N m of each particle, by places and world rotation vectors. Velocities
    /// stay as they are.
    ///
    /// The Jacobian is to be the Hessian of `objective` but for a small part, symmetric or not, which is left out: the
    /// solvers of minimisation serve, and each iteration gains as many digits as that part is small.
    ///
    /// # Errors
    /// When there is no convergence; `x` is the last iterate then.
    pub fn solve(
        &mut self,
        objective: &Objective,
        x: &mut State,
        residual: &mut dyn FnMut(&State, &mut [Wrench]),
    ) -> Result<NewtonReport, NewtonFailure> {
        let mut at = self.begin(objective, x);
        residual(x, &mut self.gradient);
        while at.report.iterations < self.settings.newton_iterations {
            let slope = self.direction(objective, x, &mut at)?;
            if !slope.is_finite() {
                return Err(NewtonFailure::NotFinite);
            }
            let decrement = at.strain_of(slope);
            at.report.iterations += 1;
            if at.report.iterations == 1 {
                at.first = decrement;
            }
            if decrement <= ROUNDING.max(FLOOR * at.tolerance) {
                return Ok(at.report);
            }
            let length = match self.approach(objective, x, residual, &at) {
                Err(NewtonFailure::LineSearch { .. }) if self.is_lost(decrement, &at) => return Ok(at.report),
                length => length?,
            };
            if self.is_converged(objective, x, decrement, length, &mut at) {
                return Ok(at.report);
            }
            at.previous = decrement;
        }
        Err(NewtonFailure::NotConverged { iterations: at.report.iterations, decrement: at.previous })
    }

    /// Moves `x` along the step by the longest of 1, 1/2, 1/4, ... that leaves the particles no more to win on their own;
    /// the residual there is left behind. Returns the length.
    fn approach(
        &mut self,
        objective: &Objective,
        x: &mut State,
        residual: &mut dyn FnMut(&State, &mut [Wrench]),
        at: &Progress,
    ) -> Result<f64, NewtonFailure> {
        let before = self.system.local_decrement(objective, &self.gradient);
        let mut length = 1.0;
        for _ in 0..=self.settings.line_search_halvings {
            if interrupt::is_requested() {
                return Err(NewtonFailure::Interrupted);
            }
            self.move_trial(objective.potential.world, x, length);
            residual(&self.trial, &mut self.gradient);
            if self.system.local_decrement(objective, &self.gradient) <= before {
                std::mem::swap(&mut x.p, &mut self.trial.p);
                std::mem::swap(&mut x.q, &mut self.trial.q);
                return Ok(length);
            }
            length *= 0.5;
        }
        Err(NewtonFailure::LineSearch { decrement: at.strain_of(before) })
    }
}
