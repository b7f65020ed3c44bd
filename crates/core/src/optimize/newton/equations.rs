use crate::energy::Workspace;
use crate::model::{Gradient, State};
use crate::optimize::Objective;

use super::{FLOOR, Newton, NewtonFailure, NewtonReport, Progress, ROUNDING};

impl Newton {
    /// Root of `residual` (N and N m of each particle, with respect to positions and world rotation vectors), into `x`.
    /// Velocities are unchanged.
    ///
    /// The Jacobian is approximated by the Hessian of `objective`, which may differ from it by a small part, symmetric
    /// or not. So minimisation's solvers apply, and convergence is linear, with the ratio of that part.
    ///
    /// # Errors
    /// When there is no convergence; `x` is the last iterate then.
    pub(crate) fn solve(
        &mut self,
        objective: &Objective,
        x: &mut State,
        residual: &mut dyn FnMut(&State, &mut Workspace, &mut [Gradient]),
    ) -> Result<NewtonReport, NewtonFailure> {
        let mut at = self.begin(objective, x);
        residual(x, &mut self.work, &mut self.gradient);
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
            let length = match self.reduce_residual(objective, x, residual, &at) {
                Err(NewtonFailure::LineSearch { .. }) if self.is_unresolved(decrement, &at) => return Ok(at.report),
                length => length?,
            };
            if self.is_converged(objective, x, decrement, length, &mut at) {
                return Ok(at.report);
            }
            at.previous = decrement;
        }
        Err(NewtonFailure::NotConverged { iterations: at.report.iterations, decrement: at.previous })
    }

    /// Backtracking line search on block Jacobi's decrement: the largest of 1, 1/2, 1/4, ... that does not raise it.
    /// Moves `x` along the step and leaves the residual there. Returns the step length.
    fn reduce_residual(
        &mut self,
        objective: &Objective,
        x: &mut State,
        residual: &mut dyn FnMut(&State, &mut Workspace, &mut [Gradient]),
        at: &Progress,
    ) -> Result<f64, NewtonFailure> {
        let before = self.system.local_decrement(objective, &self.gradient);
        let mut length = 1.0;
        for _ in 0..=self.settings.line_search_halvings {
            if objective.potential.world.interrupt.is_requested() {
                return Err(NewtonFailure::Interrupted);
            }
            self.move_trial(objective.potential.world, x, length);
            residual(&self.trial, &mut self.work, &mut self.gradient);
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
