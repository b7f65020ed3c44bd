use super::local_global::LocalGlobal;
use super::objective::norm;
use super::{SpringSystem, StepObjective, StepSettings, newton};
use crate::geometry::Vec3;

/// Way to minimise the objective of an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// The paper's alternation of eqs 4-7: rest-length directions of the springs, then positions by the constant matrix
    /// `M + h^2 L`, factored once. Both together are `x -= (M + h^2 L)^-1 grad g(x)`, which is computed here.
    LocalGlobal,
    /// Newton's method with a line search, its systems solved by conjugate gradients. Where compressed springs leave the
    /// Hessian indefinite, an alternation takes the place of its step.
    #[default]
    Newton,
}

/// Minimum of an objective.
pub(super) struct Minimum {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Number of iterations of the solver.
    pub iterations: usize,
    /// Gradient over the size of its terms.
    pub residual: f64,
}

/// Alternations after a first indefinite Hessian, before Newton's method is tried again. They double each time.
const FIRST_ALTERNATIONS: usize = 4;

/// Solver of implicit steps, with the matrix that it keeps from step to step.
pub(super) struct Minimizer {
    solver: Solver,
    tolerance: f64,
    max_iterations: usize,
    local_global: LocalGlobal,
}

impl Minimizer {
    pub(super) fn new(system: &SpringSystem, x: &[Vec3], settings: &StepSettings) -> Self {
        let StepSettings { solver, tolerance, max_iterations, .. } = *settings;
        Self { solver, tolerance, max_iterations, local_global: LocalGlobal::new(system, x) }
    }

    /// Minimum of `objective`, from its ballistic positions on, until the gradient is below the tolerance times its terms or
    /// after the most iterations.
    pub(super) fn minimize(&mut self, system: &SpringSystem, objective: &StepObjective) -> Minimum {
        let scale = objective.scale();
        let mut x = objective.ballistic.clone();
        let mut iterations = 0;
        let (mut next_newton, mut alternations) = (0, FIRST_ALTERNATIONS);
        loop {
            let gradient = objective.gradient(&x);
            let size = norm(&gradient);
            let residual = if size > 0.0 { size / scale } else { 0.0 };
            if residual <= self.tolerance || iterations == self.max_iterations || !residual.is_finite() {
                return Minimum { x, iterations, residual };
            }
            let newton = if self.solver == Solver::Newton && iterations >= next_newton {
                newton::step(system, objective, &x, &gradient, residual)
            } else {
                None
            };
            if newton.is_none() && iterations >= next_newton {
                next_newton = iterations + alternations;
                alternations *= 2;
            }
            x = newton.unwrap_or_else(|| self.local_global.step(system, objective, &x, gradient));
            iterations += 1;
        }
    }
}
