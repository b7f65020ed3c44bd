use super::{Hessian, SpringSystem, StepObjective};
use crate::geometry::Vec3;
use crate::linalg::ldl::{Elimination, Factor};

/// The paper's local-global iteration, \[MSC\] eqs 4-7, with its constant matrix.
pub(super) struct LocalGlobal {
    elimination: Elimination,
    /// Weight b (s) and the factor of the constant matrix, kept from step to step.
    constant: Option<(f64, Factor<f64>)>,
}

impl LocalGlobal {
    /// Iteration of `system`; the positions `x` (m) determine the order of elimination.
    pub(super) fn new(system: &SpringSystem, x: &[Vec3]) -> Self {
        Self { elimination: Elimination::new(x, &system.springs.edges()), constant: None }
    }

    /// One alternation from `x`, as a step along the gradient by the constant matrix.
    pub(super) fn step(
        &mut self,
        system: &SpringSystem,
        objective: &StepObjective,
        x: &[Vec3],
        mut gradient: Vec<Vec3>,
    ) -> Vec<Vec3> {
        let weight = objective.weight;
        let Self { elimination, constant } = self;
        let factor = || {
            let Hessian { diagonal, off } = Hessian::constant(system, weight);
            (weight, Factor::new(elimination, &diagonal, &off).expect("masses are positive"))
        };
        let kept = constant.take().filter(|(of, _)| *of == weight);
        let (_, factor) = constant.insert(kept.unwrap_or_else(factor));
        factor.solve(elimination, &mut gradient);
        x.iter().zip(gradient).map(|(x, step)| x - step).collect()
    }
}
