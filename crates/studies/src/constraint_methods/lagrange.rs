use bdem_core::model::State;
use nalgebra::{SMatrix, SVector};

use super::blocks::{SymmetricBlocks, mapped};
use super::newton::{Formulation, newton};
use super::{Method, Problem, Series, Until};

/// Unit length by Lagrange multipliers (\[IBDEM\] eq 37): Newton's method on dPhi + lambda dC = 0 and C = 0, the
/// conditions of a constrained minimum. Eight unknowns for each particle, and an indefinite matrix.
#[derive(Clone, Copy, Debug)]
pub struct Lagrange;

impl Method for Lagrange {
    fn name(&self) -> &'static str {
        "lagrange"
    }

    fn minimise(&self, problem: &Problem, until: &Until) -> Series {
        let x = problem.start.clone();
        // least-squares solution of dPhi + lambda dC = 0
        let along = problem.along(&x, &problem.gradient(&x));
        let multipliers = along.iter().enumerate().map(|(i, along)| -along * problem.size(i).powi(2)).collect();
        newton(self.name(), Conditions(problem), Multiplied { x, multipliers }, problem, until)
    }
}

#[derive(Clone)]
struct Multiplied {
    x: State,
    /// Multiplier lambda of each particle, J.
    multipliers: Vec<f64>,
}

struct Conditions<'a>(&'a Problem<'a>);

type Vector8 = SVector<f64, 8>;

impl Conditions<'_> {
    /// Scale of the constraints, N. It makes forces of them, and lengths of the multipliers.
    fn force(&self, i: usize) -> f64 {
        self.0.stiffness(i) * self.0.size(i)
    }
}

impl Formulation<8> for Conditions<'_> {
    type Point = Multiplied;

    fn state<'x>(&self, at: &'x Multiplied) -> &'x State {
        &at.x
    }

    fn residual(&self, Multiplied { x, multipliers }: &Multiplied) -> Vec<Vector8> {
        let mut residual: Vec<Vector8> = mapped(&vec![SMatrix::identity(); x.len()], &self.0.gradient(x));
        for (i, residual) in residual.iter_mut().enumerate().filter(|(i, _)| !self.0.is_held(*i)) {
            let mut by_x = residual.fixed_rows_mut::<7>(0);
            by_x += self.0.constraint_gradient(x, i) * multipliers[i];
            residual[7] = self.0.constraint(x, i) * self.force(i);
        }
        residual
    }

    fn matrix(&self, Multiplied { x, multipliers }: &Multiplied) -> SymmetricBlocks<8> {
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

    fn moved(&self, Multiplied { x, multipliers }: &Multiplied, step: &[Vector8], length: f64) -> Multiplied {
        let by_x: Vec<_> = step.iter().map(|step| step.fixed_rows::<7>(0).into_owned()).collect();
        let by_lambda = step.iter().enumerate().map(|(i, step)| multipliers[i] + length * step[7] * self.force(i));
        Multiplied { x: self.0.along_line(x, &by_x, length), multipliers: by_lambda.collect() }
    }

    fn energy(&self, _: &Multiplied) -> Option<f64> {
        None
    }
}
