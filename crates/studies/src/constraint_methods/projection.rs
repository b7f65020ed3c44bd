use bdem_core::model::State;

use super::Problem;
use super::blocks::{SymmetricBlocks, mapped};
use super::euclidean::Vector7;
use super::newton::Formulation;

/// Derivatives projected onto the tangent space (\[IBDEM\] eqs 18-27). Its matrix is singular along q, where gradients and
/// steps are zero.
pub(super) struct Projected<'a>(pub &'a Problem<'a>);

impl Formulation<7> for Projected<'_> {
    type Point = State;

    fn state<'x>(&self, x: &'x State) -> &'x State {
        x
    }

    fn residual(&self, x: &State) -> Vec<Vector7> {
        mapped(&self.0.projectors(x), &self.0.gradient(x))
    }

    fn matrix(&self, x: &State) -> SymmetricBlocks<7> {
        let projectors = self.0.projectors(x);
        let mut matrix = self.0.hessian(x).mapped(&projectors);
        let along = self.0.along(x, &self.0.gradient(x));
        for ((block, projector), along) in matrix.diagonal.iter_mut().zip(&projectors).zip(along) {
            let mut on_q = block.fixed_view_mut::<4, 4>(3, 3);
            on_q -= projector.fixed_view::<4, 4>(3, 3) * along;
        }
        matrix
    }

    fn moved(&self, x: &State, step: &[Vector7], length: f64) -> State {
        self.0.along_geodesic(x, step, length)
    }

    fn energy(&self, x: &State) -> Option<f64> {
        Some(self.0.value(x))
    }
}
