use bdem_core::model::State;
use nalgebra::{SMatrix, SVector};

use super::Problem;
use super::blocks::{SymmetricBlocks, mapped};
use super::newton::Formulation;

/// Conditions of a constrained minimum (\[IBDEM\] eq 37): dPhi + lambda dC = 0 and C = 0.
pub(super) struct Conditions<'a>(pub &'a Problem<'a>);

type Vector8 = SVector<f64, 8>;

impl Conditions<'_> {
    /// Start, with the multipliers (J) that solve dPhi + lambda dC = 0 in the sense of least squares.
    pub(super) fn start(&self) -> (State, Vec<f64>) {
        let x = self.0.start.clone();
        let along = self.0.along(&x, &self.0.gradient(&x));
        let multipliers = along.iter().enumerate().map(|(i, along)| -along * self.0.size(i).powi(2)).collect();
        (x, multipliers)
    }

    /// Scale of the constraints, N. It makes forces of them, and lengths of the multipliers.
    fn force(&self, i: usize) -> f64 {
        self.0.stiffness(i) * self.0.size(i)
    }
}

impl Formulation<8> for Conditions<'_> {
    /// State, and multiplier lambda of each particle, J.
    type Point = (State, Vec<f64>);

    fn state<'x>(&self, (x, _): &'x Self::Point) -> &'x State {
        x
    }

    fn residual(&self, (x, multipliers): &Self::Point) -> Vec<Vector8> {
        let mut residual: Vec<Vector8> = mapped(&vec![SMatrix::identity(); x.len()], &self.0.gradient(x));
        for (i, residual) in residual.iter_mut().enumerate().filter(|(i, _)| !self.0.is_held(*i)) {
            let mut by_x = residual.fixed_rows_mut::<7>(0);
            by_x += self.0.constraint_gradient(x, i) * multipliers[i];
            residual[7] = self.0.constraint(x, i) * self.force(i);
        }
        residual
    }

    fn matrix(&self, (x, multipliers): &Self::Point) -> SymmetricBlocks<8> {
        let mut matrix: SymmetricBlocks<8> = self.0.hessian(x).mapped(&vec![SMatrix::identity(); x.len()]);
        for (i, block) in matrix.diagonal.iter_mut().enumerate() {
            let gradient = self.0.constraint_gradient(x, i) * self.force(i);
            for (k, entry) in gradient.iter().enumerate() {
                (block[(k, 7)], block[(7, k)]) = (*entry, *entry);
            }
            let mut on_q = block.fixed_view_mut::<4, 4>(3, 3);
            on_q += SMatrix::identity() * (multipliers[i] / self.0.size(i).powi(2));
        }
        matrix
    }

    fn moved(&self, (x, multipliers): &Self::Point, step: &[Vector8], length: f64) -> Self::Point {
        let by_x: Vec<_> = step.iter().map(|step| step.fixed_rows::<7>(0).into_owned()).collect();
        let by_lambda = step.iter().enumerate().map(|(i, step)| multipliers[i] + length * step[7] * self.force(i));
        (self.0.along_line(x, &by_x, length), by_lambda.collect())
    }

    fn energy(&self, _: &Self::Point) -> Option<f64> {
        None
    }
}
