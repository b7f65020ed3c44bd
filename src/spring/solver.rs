use super::objective::norm;
use super::{Hessian, SpringSystem, StepObjective};
use crate::geometry::{Mat3, Vec3};
use crate::linalg::ldl::{Elimination, Factor};

/// Way to minimise the objective of an implicit step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// The paper's alternation of eqs 4-7: rest-length directions of the springs, then positions by the constant matrix
    /// `M + h^2 L`, factored once. Both together are `x -= (M + h^2 L)^-1 grad g(x)`, which is computed here.
    LocalGlobal,
    /// Newton's method with a line search. Compressed springs have no negative stiffness in its matrix.
    #[default]
    Newton,
}

/// Minimum of an objective.
pub(super) struct Minimum {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Number of linear solutions.
    pub iterations: usize,
    /// Gradient over the size of its terms.
    pub residual: f64,
}

/// Share of the decrease that the gradient predicts, below which a step of Newton's method is halved (Armijo).
const SUFFICIENT_DECREASE: f64 = 1e-4;

/// Most halvings of a step: below them rounding decides.
const MAX_HALVINGS: usize = 30;

/// Matrices of a solver, kept from step to step.
pub(super) struct Matrices {
    elimination: Elimination,
    /// Weight b (s) and the constant matrix.
    constant: Option<(f64, Factor<f64>)>,
}

impl Matrices {
    pub(super) fn new(system: &SpringSystem, x: &[Vec3]) -> Self {
        Self { elimination: Elimination::new(x, &system.springs.edges()), constant: None }
    }

    /// Minimum of `objective`, from its ballistic positions on, until the gradient is below `tolerance` times its terms or
    /// after `max_iterations`.
    pub(super) fn minimize(
        &mut self,
        system: &SpringSystem,
        objective: &StepObjective,
        solver: Solver,
        (tolerance, max_iterations): (f64, usize),
    ) -> Minimum {
        let scale = objective.scale();
        let mut x = objective.ballistic.clone();
        let mut iterations = 0;
        loop {
            let gradient = objective.gradient(&x);
            let size = norm(gradient.iter().copied());
            let residual = if size > 0.0 { size / scale } else { 0.0 };
            if residual <= tolerance || iterations == max_iterations || !residual.is_finite() {
                return Minimum { x, iterations, residual };
            }
            let moved = match solver {
                Solver::LocalGlobal => Some(self.local_global(system, objective, &x, gradient)),
                Solver::Newton => self.newton(objective, &x, gradient),
            };
            let Some(moved) = moved else { return Minimum { x, iterations, residual } };
            x = moved;
            iterations += 1;
        }
    }

    /// One alternation of eqs 4-7.
    fn local_global(
        &mut self,
        system: &SpringSystem,
        objective: &StepObjective,
        x: &[Vec3],
        mut gradient: Vec<Vec3>,
    ) -> Vec<Vec3> {
        let weight = objective.weight;
        let elimination = &self.elimination;
        if self.constant.as_ref().is_none_or(|(of, _)| *of != weight) {
            let Hessian { diagonal, off } = Hessian::constant(system, weight);
            let factor = Factor::new(elimination, &diagonal, &off).expect("masses are positive");
            self.constant = Some((weight, factor));
        }
        let (_, factor) = self.constant.as_ref().expect("factored above");
        factor.solve(elimination, &mut gradient);
        x.iter().zip(gradient).map(|(x, step)| x - step).collect()
    }

    /// One step of Newton's method. None where rounding leaves no decrease.
    fn newton(&self, objective: &StepObjective, x: &[Vec3], gradient: Vec<Vec3>) -> Option<Vec<Vec3>> {
        let Hessian { diagonal, off } = objective.hessian(x, true);
        let factor: Factor<Mat3> = Factor::new(&self.elimination, &diagonal, &off)?;
        let mut step = gradient.clone();
        factor.solve(&self.elimination, &mut step);
        let slope: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step.dot(gradient)).sum();
        let (value, size) = (objective.value(x), norm(gradient.into_iter()));
        let mut share = 1.0;
        for _ in 0..MAX_HALVINGS {
            let moved: Vec<Vec3> = x.iter().zip(&step).map(|(x, step)| x - step * share).collect();
            let decrease = value - objective.value(&moved);
            // near the minimum the decrease is below rounding, and the gradient tells
            if decrease >= SUFFICIENT_DECREASE * share * slope
                || norm(objective.gradient(&moved).into_iter()) < 0.5 * size
            {
                return Some(moved);
            }
            share *= 0.5;
        }
        None
    }
}
