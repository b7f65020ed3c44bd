//! Direct solver of the coarsest level.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::linalg::{BlockMatrix, Vec6};

/// A dense Cholesky factorization in double precision.
#[derive(Clone, Debug)]
pub(super) struct DenseSolver {
    cholesky: Cholesky<f64, Dyn>,
    /// Power of two that scales the matrix, so that its roots do not depend on units by powers of two.
    unit: f64,
    vector: DVector<f64>,
}

impl DenseSolver {
    /// Factorizes a matrix with its diagonal raised by the smallest of some relative shifts that succeeds. Free bodies
    /// and rounding leave the matrix semidefinite. `None` if no shift succeeds, because an entry is not finite.
    pub(super) fn new(matrix: &BlockMatrix<f32>) -> Option<Self> {
        /// Relative shifts of the diagonal, from the rounding of single precision up.
        const SHIFTS: [f64; 6] = [1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 1e1];
        let dense = to_dense(matrix);
        let unit = libm::ldexp(1.0, -libm::frexp(dense.diagonal().amax()).1);
        let dense = dense * unit;
        let least = 1e-12 * dense.diagonal().amax();
        let cholesky = SHIFTS.into_iter().find_map(|shift| {
            let mut shifted = dense.clone();
            (0..dense.nrows()).for_each(|k| shifted[(k, k)] += shift * dense[(k, k)].abs().max(least));
            Cholesky::new(shifted)
        })?;
        Some(Self { cholesky, unit, vector: DVector::zeros(dense.nrows()) })
    }

    /// `x = A^-1 b`.
    pub(super) fn solve(&mut self, b: &[Vec6<f32>], x: &mut [Vec6<f32>]) {
        for (six, b) in self.vector.as_mut_slice().chunks_exact_mut(6).zip(b) {
            six.copy_from_slice(&b.to_array().map(f64::from));
        }
        self.cholesky.solve_mut(&mut self.vector);
        for (six, x) in self.vector.as_slice().chunks_exact(6).zip(x) {
            (0..6).for_each(|k| x[k] = (six[k] * self.unit) as f32);
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        (self.vector.len() + 1) * self.vector.len() * size_of::<f64>()
    }
}

fn to_dense(matrix: &BlockMatrix<f32>) -> DMatrix<f64> {
    let mut dense = DMatrix::zeros(6 * matrix.nodes(), 6 * matrix.nodes());
    for i in 0..matrix.nodes() {
        for (j, block) in matrix.rows().row(i) {
            dense.fixed_view_mut::<6, 6>(6 * i, 6 * j).copy_from(&block.to_matrix());
        }
    }
    dense
}
