//! Largest eigenvalue of a self-adjoint operator.

use super::cg::IterationLimits;
use super::vector::{Real, Vec6, axpy, scale};

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

/// The largest eigenvalue of an operator `B` on vectors of `nodes` nodes, self-adjoint in the inner product `<x, y>`. For
/// `A x = lambda M x`, that is `M^-1 A` with `x . M y`, or `A M^-1` with `x . M^-1 y`.
///
/// `subtract_from(x, y)` sets `y = B x - y`, `inner(x, y)` is `<x, y>`. It stops when the bound is below the tolerance
/// times the estimate, or at another of the limits.
///
/// Lanczos (Y. Saad, "Numerical Methods for Large Eigenvalue Problems" (2011), section 9.2.6) without
/// reorthogonalization: loss of orthogonality repeats converged eigenvalues and moves none. It holds two vectors. The
/// start vector is pseudo-random and always the same.
pub fn largest_eigenvalue<T: Real>(
    nodes: usize,
    mut subtract_from: impl FnMut(&[Vec6<T>], &mut [Vec6<T>]),
    inner: impl Fn(&[Vec6<T>], &[Vec6<T>]) -> f64,
    IterationLimits { tolerance, max_iterations, interrupt }: IterationLimits,
) -> Eigenvalue {
    /// Iterations between eigenvalue solves of the tridiagonal matrix.
    const STRIDE: usize = 4;
    let v = start_vector(nodes);
    // roots of norms do not depend on units by powers of two then
    let unit = libm::ldexp(1.0, -libm::frexp(inner(&v, &v)).1);
    let inner = |x: &[Vec6<T>], y: &[Vec6<T>]| unit * inner(x, y);
    let mut lanczos = Lanczos::new(v, &inner);
    let mut estimate = Eigenvalue { value: 0.0, bound: f64::INFINITY, iterations: 0 };
    while estimate.iterations < max_iterations && !lanczos.is_exhausted() && !interrupt.is_requested() {
        lanczos.step(&mut subtract_from, &inner);
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

/// The Lanczos recursion: `B v_k = beta_k v_(k-1) + alpha_k v_k + beta_(k+1) v_(k+1)`.
struct Lanczos<T> {
    v: Vec<Vec6<T>>,
    last: Vec<Vec6<T>>,
    alphas: Vec<f64>,
    /// One more than `alphas`: the last is the norm of `v` before its normalization.
    betas: Vec<f64>,
}

impl<T: Real> Lanczos<T> {
    fn new(v: Vec<Vec6<T>>, inner: &impl Fn(&[Vec6<T>], &[Vec6<T>]) -> f64) -> Self {
        let betas = vec![inner(&v, &v).sqrt()];
        Self { last: vec![Vec6::ZERO; v.len()], v, alphas: Vec::new(), betas }
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
        subtract_from: &mut impl FnMut(&[Vec6<T>], &mut [Vec6<T>]),
        inner: &impl Fn(&[Vec6<T>], &[Vec6<T>]) -> f64,
    ) {
        let (beta, Self { v, last, .. }) = (self.beta(), &mut *self);
        scale(1.0 / beta, v);
        // zero in the first step
        scale(beta, last);
        subtract_from(v, last);
        let alpha = inner(v, last);
        axpy(-alpha, v, last);
        std::mem::swap(v, last);
        self.alphas.push(alpha);
        self.betas.push(inner(&self.v, &self.v).max(0.0).sqrt());
    }

    /// Largest eigenvalue of the tridiagonal matrix, and the norm of its residual: the last beta times the last entry of
    /// the unit eigenvector.
    fn largest_ritz_value(&self) -> (f64, f64) {
        /// Relative width of the interval that a bisection ends with, above rounding.
        const WIDTH: f64 = 1e-14;
        let Self { alphas, betas, .. } = self;
        if !alphas.iter().chain(betas).all(|value| value.is_finite()) {
            return (f64::NAN, f64::INFINITY);
        }
        let size = alphas.len();
        let off = &betas[1..size];
        let beside = |k: usize| off.get(k).unwrap_or(&0.0) + k.checked_sub(1).map_or(0.0, |k| off[k]);
        let largest = |a: f64, b: f64| a.max(b);
        // the largest diagonal entry, and Gershgorin's bound beyond rounding
        let mut below = alphas.iter().copied().fold(f64::NEG_INFINITY, largest);
        let mut above = (0..size).map(|k| alphas[k] + beside(k)).fold(below, largest);
        above += WIDTH * above.abs();
        if above <= 0.0 {
            return (above, self.beta());
        }
        let mut pivots = vec![0.0; size];
        while above - below > WIDTH * above {
            let middle = 0.5 * (below + above);
            *(if self.factor(middle, &mut pivots) { &mut above } else { &mut below }) = middle;
        }
        self.factor(above, &mut pivots);
        (above, self.beta() * last_entry(&pivots, off))
    }

    /// Pivots of `shift - T` with the tridiagonal matrix T, as far as they are positive. Returns whether all are: `shift` is
    /// above the eigenvalues then.
    fn factor(&self, shift: f64, pivots: &mut [f64]) -> bool {
        let mut subtracted = 0.0;
        for (k, pivot) in pivots.iter_mut().enumerate() {
            *pivot = shift - self.alphas[k] - subtracted;
            if *pivot <= 0.0 {
                return false;
            }
            subtracted = self.betas[k + 1] * self.betas[k + 1] / *pivot;
        }
        true
    }
}

/// Last entry of the unit eigenvector for the least eigenvalue of a tridiagonal matrix, by inverse iteration from its
/// `pivots`. The matrix has the entries `-off` beside its diagonal, so that no entry of the vector changes sign.
fn last_entry(pivots: &[f64], off: &[f64]) -> f64 {
    /// The shift is at the eigenvalue up to rounding, so that one iteration would suffice.
    const ITERATIONS: usize = 2;
    let mut x = vec![1.0; pivots.len()];
    for _ in 0..ITERATIONS {
        for k in 1..x.len() {
            x[k] += off[k - 1] / pivots[k - 1] * x[k - 1];
        }
        for k in (0..x.len()).rev() {
            let after = if k < off.len() { off[k] * x[k + 1] } else { 0.0 };
            x[k] = (x[k] + after) / pivots[k];
        }
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        x.iter_mut().for_each(|x| *x /= norm);
    }
    x[x.len() - 1]
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
