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

/// Alternations after a first indefinite Hessian, before Newton's method is tried again. They double each time.
const FIRST_ALTERNATIONS: usize = 4;

/// Minimum of `objective`, m, from its ballistic positions on, until the gradient is below the tolerance times its terms or
/// after the most iterations. Then the number of iterations, and the gradient over the size of its terms.
pub(super) fn minimize(
    system: &SpringSystem,
    objective: &StepObjective,
    settings: &StepSettings,
    local_global: &mut LocalGlobal,
) -> (Vec<Vec3>, usize, f64) {
    let scale = objective.scale();
    let mut x = objective.ballistic.clone();
    let mut iterations = 0;
    let (mut next_newton, mut alternations) = (0, FIRST_ALTERNATIONS);
    loop {
        let gradient = objective.gradient(&x);
        let size = norm(&gradient);
        let residual = if size > 0.0 { size / scale } else { 0.0 };
        if residual <= settings.tolerance || iterations == settings.max_iterations || !residual.is_finite() {
            return (x, iterations, residual);
        }
        let newton = if settings.solver == Solver::Newton && iterations >= next_newton {
            newton::step(system, objective, &x, &gradient, residual)
        } else {
            None
        };
        if newton.is_none() && iterations >= next_newton {
            next_newton = iterations + alternations;
            alternations *= 2;
        }
        x = newton.unwrap_or_else(|| local_global.step(system, objective, &x, gradient));
        iterations += 1;
    }
}
