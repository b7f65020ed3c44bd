use nalgebra::{SMatrix, SVector, SymmetricEigen};

use crate::geometry::{Mat3, Vec3};
use crate::model::{Displacement, Gradient};

/// Second derivative of a function with respect to (p_i, theta_i, p_j, theta_j).
pub type Matrix12 = SMatrix<f64, 12, 12>;

/// Derivatives of a bond energy with respect to (p_i, theta_i, p_j, theta_j), with world rotation vectors theta.
/// Energies depend on p_j - p_i alone, so d/dp_i = -d/dp_j.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BondGradient {
    /// dV/dp_j, N.
    pub p_j: Vec3,
    /// dV/dtheta_i and dV/dtheta_j, N m.
    pub theta: [Vec3; 2],
}

impl BondGradient {
    /// Contributions to particles i and j.
    #[inline(always)]
    pub fn by_particle(&self) -> [Gradient; 2] {
        [Gradient { p: -self.p_j, theta: self.theta[0] }, Gradient { p: self.p_j, theta: self.theta[1] }]
    }

    /// Change of the energy over displacements of i and j, to first order.
    #[inline(always)]
    pub fn dot(&self, [i, j]: [&Displacement; 2]) -> f64 {
        self.p_j.dot(&(j.translation - i.translation)) + self.theta[0].dot(&i.rotation) + self.theta[1].dot(&j.rotation)
    }
}

impl std::ops::Neg for BondGradient {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { p_j: -self.p_j, theta: [-self.theta[0], -self.theta[1]] }
    }
}

impl std::ops::AddAssign for BondGradient {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.p_j += other.p_j;
        self.theta[0] += other.theta[0];
        self.theta[1] += other.theta[1];
    }
}

/// Second derivatives of a bond energy along the retraction of positions and orientations: the Riemannian Hessian
/// (\[IBDEM\] eqs 23-27, 29), in world coordinates. Six 3x3 blocks suffice, since it depends on p_j - p_i alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BondHessian {
    /// p_j by p_j (equal for i, negative between i and j), N/m.
    pub pp: Mat3,
    /// p_j by theta_i and theta_j, N.
    pub p_theta: [Mat3; 2],
    /// theta_i by theta_i, theta_i by theta_j, theta_j by theta_j, N m.
    pub theta: [Mat3; 3],
}

impl BondHessian {
    /// Adds `weight J^T J` for one residual with the gradient `row`.
    #[inline(always)]
    pub(crate) fn add_outer(&mut self, weight: f64, row: &BondGradient) {
        let a = row.p_j * weight;
        let [w_i, w_j] = row.theta;
        self.pp += a * row.p_j.transpose();
        self.p_theta[0] += a * w_i.transpose();
        self.p_theta[1] += a * w_j.transpose();
        let w_i_weighted = w_i * weight;
        self.theta[0] += w_i_weighted * w_i.transpose();
        self.theta[1] += w_i_weighted * w_j.transpose();
        self.theta[2] += w_j * weight * w_j.transpose();
    }

    /// Adds `weight (a b^T + b a^T)`.
    pub(crate) fn add_outer_pair(&mut self, weight: f64, a: &BondGradient, b: &BondGradient) {
        // (a + b)(a + b)^T - (a - b)(a - b)^T = 2 (a b^T + b a^T)
        let (mut sum, mut difference) = (*a, *a);
        sum += *b;
        difference += -*b;
        self.add_outer(0.5 * weight, &sum);
        self.add_outer(-0.5 * weight, &difference);
    }

    /// Multiplies every entry.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.pp *= factor;
        self.p_theta.iter_mut().chain(&mut self.theta).for_each(|block| *block *= factor);
    }

    /// The 6x6 blocks (i, i), (i, j), (j, j) as 3x3 parts `[[pp, p theta], [theta p, theta theta]]`.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> [[[Mat3; 2]; 2]; 3] {
        let [p_i, p_j] = self.p_theta;
        let [ii, ij, jj] = self.theta;
        [
            [[self.pp, -p_i], [-p_i.transpose(), ii]],
            [[-self.pp, -p_j], [p_i.transpose(), ij]],
            [[self.pp, p_j], [p_j.transpose(), jj]],
        ]
    }

    /// Product with displacements of i and j, as contributions to both particles.
    pub fn times(&self, [i, j]: [&Displacement; 2]) -> [Gradient; 2] {
        let apart = j.translation - i.translation;
        let [p_i, p_j] = &self.p_theta;
        let [ii, ij, jj] = &self.theta;
        let p = self.pp * apart + p_i * i.rotation + p_j * j.rotation;
        let theta_i = p_i.tr_mul(&apart) + ii * i.rotation + ij * j.rotation;
        let theta_j = p_j.tr_mul(&apart) + ij.tr_mul(&i.rotation) + jj * j.rotation;
        [Gradient { p: -p, theta: theta_i }, Gradient { p, theta: theta_j }]
    }

    /// The whole matrix.
    pub fn to_matrix(&self) -> Matrix12 {
        let [ii, ij, jj] = self.blocks();
        let mut h = Matrix12::zeros();
        for (block, row, column) in [(&ii, 0, 0), (&ij, 0, 6), (&jj, 6, 6)] {
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                h.fixed_view_mut::<3, 3>(row + 3 * a, column + 3 * b).copy_from(&block[a][b]);
            }
        }
        let upper = h.fixed_view::<6, 6>(0, 6).transpose();
        h.fixed_view_mut::<6, 6>(6, 0).copy_from(&upper);
        h
    }

    /// From the blocks of `h`, which must depend on p_j - p_i alone.
    pub fn from_matrix(h: &Matrix12) -> Self {
        let part = |row, column| Mat3::from(h.fixed_view::<3, 3>(row, column));
        Self { pp: part(6, 6), p_theta: [part(6, 3), part(6, 9)], theta: [part(3, 3), part(3, 9), part(9, 9)] }
    }

    /// The nearest positive semidefinite matrix: negative eigenvalues of D H D, D = diag(l0, l0, l0, 1, 1, 1, ...), set
    /// to zero. The scaling by the rest length makes the result independent of the unit of length.
    pub fn project(&self, l0: f64) -> Self {
        let scale = SVector::<f64, 12>::from_fn(|k, _| if k % 6 < 3 { l0 } else { 1.0 });
        let scaled = self.to_matrix().component_mul(&(scale * scale.transpose()));
        let mut eigen = SymmetricEigen::new(scaled);
        eigen.eigenvalues.iter_mut().for_each(|x| *x = x.max(0.0));
        Self::from_matrix(&eigen.recompose().component_div(&(scale * scale.transpose())))
    }
}

impl std::ops::AddAssign for BondHessian {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.pp += other.pp;
        for (a, b) in self.p_theta.iter_mut().zip(other.p_theta) {
            *a += b;
        }
        for (a, b) in self.theta.iter_mut().zip(other.theta) {
            *a += b;
        }
    }
}
