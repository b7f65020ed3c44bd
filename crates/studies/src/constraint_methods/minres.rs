//! Minimal residual method for symmetric matrices, which may be indefinite or singular. H. Elman, D. Silvester, A.
//! Wathen, "Finite Elements and Fast Iterative Solvers" (2014), algorithm 4.1.

use nalgebra::{DMatrix, DVector, SMatrix, SVector};

use super::blocks::{SymmetricBlocks, dot, plus, scaled};

type Vectors<const N: usize> = Vec<SVector<f64, N>>;

/// Block Jacobi preconditioner, made positive definite: each diagonal block has the absolute values of its
/// eigenvalues.
#[derive(Clone, Debug)]
pub struct Jacobi<const N: usize>(Vec<SMatrix<f64, N, N>>);

impl<const N: usize> Jacobi<N> {
    /// Preconditioner of `matrix`.
    pub fn new(matrix: &SymmetricBlocks<N>) -> Self {
        Self(matrix.diagonal.iter().map(absolute_inverse).collect())
    }

    /// Product M^-1 r.
    pub fn times(&self, r: &[SVector<f64, N>]) -> Vectors<N> {
        self.0.iter().zip(r).map(|(inverse, r)| inverse * r).collect()
    }

    /// Norm sqrt(r^T M^-1 r).
    pub fn norm(&self, r: &[SVector<f64, N>]) -> f64 {
        dot(r, &self.times(r)).sqrt()
    }
}

/// Inverse |A|^-1. Zero eigenvalues count as the greatest.
fn absolute_inverse<const N: usize>(block: &SMatrix<f64, N, N>) -> SMatrix<f64, N, N> {
    /// Share of the greatest eigenvalue below which others are rounding errors.
    const SINGULAR: f64 = 1e-12;
    let eigen = DMatrix::from_fn(N, N, |row, column| block[(row, column)]).symmetric_eigen();
    let greatest = eigen.eigenvalues.amax();
    let inverse = |value: &f64| if value.abs() > SINGULAR * greatest { value.abs() } else { greatest }.recip();
    let inverses = DVector::from_iterator(N, eigen.eigenvalues.iter().map(inverse));
    let v = &eigen.eigenvectors;
    let whole = v * DMatrix::from_diagonal(&inverses) * v.transpose();
    SMatrix::from_fn(|row, column| whole[(row, column)])
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct Minres {
    /// Residual over right-hand side, both in the norm of M^-1.
    pub tolerance: f64,
    /// Limit on the number of iterations.
    pub max_iterations: usize,
    /// Whether to stop at a residual without positive curvature. The last iterate is then a descent direction of any
    /// function with gradient -b (Y. Liu, F. Roosta, "MINRES: From negative curvature detection to monotonicity
    /// properties", 2022).
    pub is_downhill: bool,
}

/// Solution of `A x = b`, and the number of iterations.
pub fn minres<const N: usize>(
    matrix: &SymmetricBlocks<N>,
    jacobi: &Jacobi<N>,
    b: &[SVector<f64, N>],
    effort: Minres,
) -> (Vectors<N>, usize) {
    let mut x = scaled(b, 0.0);
    let mut lanczos = Lanczos::new(jacobi, b);
    let (first, mut left) = (lanczos.gamma, lanczos.gamma);
    let mut directions = [x.clone(), x.clone()];
    let ([mut c_old, mut c], [mut s_old, mut s]) = ([1.0, 1.0], [0.0, 0.0]);
    for k in 0..effort.max_iterations {
        if left.abs() <= effort.tolerance * first {
            return (x, k);
        }
        let gamma = lanczos.gamma;
        let z = lanczos.direction();
        let delta = lanczos.advance(matrix, jacobi, &z);
        let diagonal = c * delta - c_old * s * gamma;
        if effort.is_downhill && c * diagonal <= 0.0 {
            return if k > 0 { (x, k) } else { (jacobi.times(b), 1) };
        }
        let length = libm::hypot(diagonal, lanczos.gamma);
        let above = [s_old * gamma, s * delta + c_old * c * gamma];
        let direction = plus(&plus(&z, -above[0], &directions[0]), -above[1], &directions[1]);
        directions = [std::mem::take(&mut directions[1]), scaled(&direction, 1.0 / length)];
        ([c_old, c], [s_old, s]) = ([c, diagonal / length], [s, lanczos.gamma / length]);
        x = plus(&x, c * left, &directions[1]);
        left *= -s;
    }
    (x, effort.max_iterations)
}

/// Three-term recurrence of the vectors v_k and M^-1 v_k.
struct Lanczos<const N: usize> {
    v: [Vectors<N>; 2],
    z: Vectors<N>,
    /// Norms sqrt(v^T M^-1 v) of the present and of the previous vector.
    gamma: f64,
    gamma_old: f64,
}

impl<const N: usize> Lanczos<N> {
    fn new(jacobi: &Jacobi<N>, b: &[SVector<f64, N>]) -> Self {
        let z = jacobi.times(b);
        let gamma = dot(&z, b).sqrt();
        Self { v: [scaled(b, 0.0), b.to_vec()], z, gamma, gamma_old: 1.0 }
    }

    /// Normalised M^-1 v_k.
    fn direction(&self) -> Vectors<N> {
        scaled(&self.z, 1.0 / self.gamma)
    }

    /// Advance to the next vector. Returns z^T A z of the direction `z`.
    fn advance(&mut self, matrix: &SymmetricBlocks<N>, jacobi: &Jacobi<N>, z: &[SVector<f64, N>]) -> f64 {
        let az = matrix.times(z);
        let delta = dot(&az, z);
        let [older, old] = &self.v;
        let next = plus(&plus(&az, -delta / self.gamma, old), -self.gamma / self.gamma_old, older);
        self.z = jacobi.times(&next);
        self.gamma_old = self.gamma;
        // rounding may make a zero negative
        self.gamma = dot(&self.z, &next).max(0.0).sqrt();
        self.v = [std::mem::take(&mut self.v[1]), next];
        delta
    }
}
