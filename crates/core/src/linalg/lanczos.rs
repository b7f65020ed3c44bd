//! Largest eigenvalue of a symmetric operator.

use nalgebra::{DMatrix, SymmetricEigen};

use super::cg::IterationLimits;
use super::vector::{Real, Vec6, axpy, dot, scale};

/// An estimate of the largest eigenvalue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigenvalue {
    /// The estimate: a lower bound, up to rounding.
    pub value: f64,
    /// Bound on the distance to an eigenvalue. The distance itself is about its square over the spectral gap.
    pub bound: f64,
    /// Products with the operator.
    pub iterations: usize,
}

/// The largest eigenvalue of `A x = lambda M x`, `A` symmetric, `M` symmetric positive definite, on vectors of `nodes`
/// nodes.
///
/// `apply(x, y)` sets `y = A x`, `invert(x, y)` sets `y = M^-1 x`. It stops when the bound is below the
/// tolerance times the estimate, or at another of the limits.
///
/// Lanczos in the inner product of `M` (Y. Saad, "Numerical Methods for Large Eigenvalue Problems" (2011), section
/// 9.2.6) without reorthogonalization: loss of orthogonality repeats converged eigenvalues and moves none. The start
/// vector is pseudo-random and always the same.
pub fn largest_eigenvalue<T: Real>(
    nodes: usize,
    mut apply: impl FnMut(&[Vec6<T>], &mut [Vec6<T>]),
    mut invert: impl FnMut(&[Vec6<T>], &mut [Vec6<T>]),
    IterationLimits { tolerance, max_iterations, interrupt }: IterationLimits,
) -> Eigenvalue {
    /// Iterations between eigenvalue solves of the tridiagonal matrix.
    const STRIDE: usize = 4;
    let mut lanczos = Lanczos::new(nodes, &mut invert);
    let mut estimate = Eigenvalue { value: 0.0, bound: f64::INFINITY, iterations: 0 };
    while estimate.iterations < max_iterations && !lanczos.is_exhausted() && !interrupt.is_requested() {
        lanczos.step(&mut apply, &mut invert);
        estimate.iterations += 1;
        if estimate.iterations.is_multiple_of(STRIDE) || estimate.iterations == max_iterations || lanczos.is_exhausted()
        {
            (estimate.value, estimate.bound) = lanczos.largest_ritz_value();
            if estimate.bound <= tolerance * estimate.value {
                break;
            }
        }
    }
    estimate
}

/// The Lanczos recursion: `A v_k = beta_k M v_(k-1) + alpha_k M v_k + beta_(k+1) M v_(k+1)`.
///
/// Each `v` comes with its `dual = M v`, so that only the inverse of `M` is applied.
struct Lanczos<T> {
    v: Vec<Vec6<T>>,
    dual: Vec<Vec6<T>>,
    last_dual: Vec<Vec6<T>>,
    product: Vec<Vec6<T>>,
    alphas: Vec<f64>,
    /// One more than `alphas`: the last is the M-norm of `v` before its normalization.
    betas: Vec<f64>,
}

impl<T: Real> Lanczos<T> {
    fn new(nodes: usize, invert: &mut impl FnMut(&[Vec6<T>], &mut [Vec6<T>])) -> Self {
        let zeros = vec![Vec6::ZERO; nodes];
        let (dual, mut v) = (start_vector(nodes), zeros.clone());
        invert(&dual, &mut v);
        let betas = vec![dot(&v, &dual).sqrt()];
        Self { v, dual, last_dual: zeros.clone(), product: zeros, alphas: Vec::new(), betas }
    }

    fn beta(&self) -> f64 {
        self.betas[self.alphas.len()]
    }

    /// Whether the Krylov space is exhausted, or a number is not finite.
    fn is_exhausted(&self) -> bool {
        /// Smallest norm of a new direction, relative to its product, above rounding.
        const MIN_NORM: f64 = 1e-7;
        let product = self.alphas.last().map_or(0.0, |alpha| alpha.abs());
        let beta = self.beta();
        !(beta > MIN_NORM * product && beta.is_finite())
    }

    fn step(
        &mut self,
        apply: &mut impl FnMut(&[Vec6<T>], &mut [Vec6<T>]),
        invert: &mut impl FnMut(&[Vec6<T>], &mut [Vec6<T>]),
    ) {
        let beta = self.beta();
        scale(1.0 / beta, &mut self.v);
        scale(1.0 / beta, &mut self.dual);
        apply(&self.v, &mut self.product);
        let alpha = dot(&self.v, &self.product);
        axpy(-alpha, &self.dual, &mut self.product);
        if !self.alphas.is_empty() {
            axpy(-beta, &self.last_dual, &mut self.product);
        }
        std::mem::swap(&mut self.last_dual, &mut self.dual);
        std::mem::swap(&mut self.dual, &mut self.product);
        invert(&self.dual, &mut self.v);
        self.alphas.push(alpha);
        self.betas.push(dot(&self.v, &self.dual).max(0.0).sqrt());
    }

    /// Largest eigenvalue of the tridiagonal matrix, and the norm of its residual: the last beta times the last entry
    /// of the eigenvector.
    fn largest_ritz_value(&self) -> (f64, f64) {
        let size = self.alphas.len();
        let mut matrix = DMatrix::from_diagonal(&self.alphas.clone().into());
        for k in 1..size {
            (matrix[(k, k - 1)], matrix[(k - 1, k)]) = (self.betas[k], self.betas[k]);
        }
        if matrix.iter().any(|value| !value.is_finite()) {
            return (f64::NAN, f64::INFINITY);
        }
        let eigen = SymmetricEigen::new(matrix);
        let greatest = eigen.eigenvalues.imax();
        (eigen.eigenvalues[greatest], self.beta() * eigen.eigenvectors[(size - 1, greatest)].abs())
    }
}

/// Pseudo-random start vector, so that it is not orthogonal to the eigenvector: Weyl's sequence, mixed (splitmix64).
fn start_vector<T: Real>(nodes: usize) -> Vec<Vec6<T>> {
    let number = |k: usize| {
        let mut bits = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        T::from_f64((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    (0..nodes).map(|node| Vec6::new([0, 1, 2, 3, 4, 5].map(|k| number(6 * node + k)))).collect()
}
