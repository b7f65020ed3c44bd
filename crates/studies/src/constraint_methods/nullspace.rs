use bdem_core::geometry::{Mat3, rotation};
use bdem_core::model::State;
use nalgebra::{SMatrix, SVector};

use super::Problem;
use super::blocks::{SymmetricBlocks, mapped, mapped_back};
use super::newton::Formulation;
use super::problem::with_identity;

/// Coordinates of the tangent space (\[IBDEM\] eq 29).
pub(super) struct Reduced<'a>(pub &'a Problem<'a>);

/// Operator diag(I, G_l(q)) of each particle.
fn operators(x: &State) -> Vec<SMatrix<f64, 6, 7>> {
    x.q.iter().map(|q| with_identity(&rotation::nullspace_left(q))).collect()
}

impl Formulation<6> for Reduced<'_> {
    type Point = State;

    fn state<'x>(&self, x: &'x State) -> &'x State {
        x
    }

    fn residual(&self, x: &State) -> Vec<SVector<f64, 6>> {
        mapped(&operators(x), &self.0.gradient(x))
    }

    fn matrix(&self, x: &State) -> SymmetricBlocks<6> {
        let mut matrix = self.0.hessian(x).mapped(&operators(x));
        for (block, along) in matrix.diagonal.iter_mut().zip(self.0.along(x, &self.0.gradient(x))) {
            let mut on_q = block.fixed_view_mut::<3, 3>(3, 3);
            on_q -= Mat3::identity() * along;
        }
        matrix
    }

    fn moved(&self, x: &State, step: &[SVector<f64, 6>], length: f64) -> State {
        self.0.along_geodesic(x, &mapped_back(&operators(x), step), length)
    }

    fn energy(&self, x: &State) -> Option<f64> {
        Some(self.0.value(x))
    }
}
