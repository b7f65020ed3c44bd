//! Preconditioned conjugate gradients.

use crate::interrupt::Interrupt;

use super::operator::{Operator, Preconditioner};
use super::vector::{Real, Vec6, advance, dot, norm, xpay};

/// Reason for the end of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgStop {
    /// The residual is below the tolerance.
    Converged,
    /// The residual is above the tolerance after the maximum number of iterations.
    NotConverged,
    /// A direction `p` with `p.Ap <= 0`: the matrix is not positive definite. `x` is the iterate before it.
    NegativeCurvature,
    /// A residual `r` with `r.M^-1 r <= 0`: the preconditioner is not positive definite. `x` is the iterate before it.
    IndefinitePreconditioner,
    /// A stop is requested.
    Interrupted,
    /// A number that is not finite: in the matrix, the preconditioner, the right-hand side or the first guess.
    NotFinite,
}

/// Outcome of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "a solve that did not converge leaves whatever it has reached"]
pub struct CgOutcome {
    /// Reason for its end.
    pub stop: CgStop,
    /// Iterations: one product with the matrix each, and one more for a first guess that is not zero.
    pub iterations: usize,
    /// `|b - A x|/|b|` in the 2-norm, by the recursion.
    pub residual: f64,
}

impl CgOutcome {
    /// Whether the residual is below the tolerance.
    pub fn converged(&self) -> bool {
        self.stop == CgStop::Converged
    }
}

/// Conditions that end a solve.
#[derive(Clone, Copy, Debug)]
pub struct IterationLimits<'a> {
    /// Residual of convergence, |b - A x|/|b|.
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub max_iterations: usize,
    /// Request to stop.
    pub interrupt: &'a Interrupt,
}

/// Work vectors of a solve, reused by the next.
#[derive(Clone, Debug, Default)]
pub struct Cg<T> {
    residual: Vec<Vec6<T>>,
    preconditioned: Vec<Vec6<T>>,
    direction: Vec<Vec6<T>>,
    product: Vec<Vec6<T>>,
}

impl<T: Real> Cg<T> {
    /// Solves `A x = b` to one of the limits. `x` holds the first guess and, for any outcome, the last iterate. A zero guess saves a product.
    ///
    /// Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 9.1, with the 2-norm of the residual as
    /// the criterion.
    pub fn solve(
        &mut self,
        matrix: &impl Operator<T>,
        preconditioner: &mut impl Preconditioner<T>,
        b: &[Vec6<T>],
        x: &mut [Vec6<T>],
        IterationLimits { tolerance, max_iterations, interrupt }: IterationLimits,
    ) -> CgOutcome {
        let scale = norm(b);
        if scale == 0.0 {
            x.fill(Vec6::ZERO);
            return CgOutcome { stop: CgStop::Converged, iterations: 0, residual: 0.0 };
        }
        let mut residual = self.start(matrix, b, x);
        let mut rho = 0.0;
        let mut iterations = 0;
        let stop = loop {
            if interrupt.is_requested() {
                break CgStop::Interrupted;
            }
            if !residual.is_finite() || !scale.is_finite() {
                break CgStop::NotFinite;
            }
            if residual <= tolerance * scale {
                break CgStop::Converged;
            }
            if iterations == max_iterations {
                break CgStop::NotConverged;
            }
            match self.step(matrix, preconditioner, x, &mut rho) {
                Ok(norm) => residual = norm,
                Err(stop) => break stop,
            }
            iterations += 1;
        };
        CgOutcome { stop, iterations, residual: residual / scale }
    }

    /// Sets the residual and a zero direction; returns the residual's norm.
    fn start(&mut self, matrix: &impl Operator<T>, b: &[Vec6<T>], x: &[Vec6<T>]) -> f64 {
        for vector in [&mut self.residual, &mut self.preconditioned, &mut self.direction, &mut self.product] {
            vector.clear();
            vector.resize(b.len(), Vec6::ZERO);
        }
        if norm(x) == 0.0 {
            self.residual.copy_from_slice(b);
        } else {
            matrix.residual(b, x, &mut self.residual);
        }
        norm(&self.residual)
    }

    /// One iteration from `rho`, the last `r.z`; any value at the first, whose direction is zero. Returns the norm of
    /// the new residual.
    fn step(
        &mut self,
        matrix: &impl Operator<T>,
        preconditioner: &mut impl Preconditioner<T>,
        x: &mut [Vec6<T>],
        rho: &mut f64,
    ) -> Result<f64, CgStop> {
        let Self { residual: r, preconditioned: z, direction: p, product: q } = self;
        let product = preconditioner.apply_and_dot(r, z);
        let before = std::mem::replace(rho, positive(product, CgStop::IndefinitePreconditioner)?);
        xpay(z, if before == 0.0 { 0.0 } else { *rho / before }, p);
        matrix.apply(p, q);
        let alpha = *rho / positive(dot(p, q), CgStop::NegativeCurvature)?;
        Ok(advance(alpha, [p, q], x, r))
    }
}

/// The value if it is positive and finite. The error is `otherwise` for a value that is not positive.
fn positive(value: f64, otherwise: CgStop) -> Result<f64, CgStop> {
    match value {
        value if !value.is_finite() => Err(CgStop::NotFinite),
        value if value > 0.0 => Ok(value),
        _ => Err(otherwise),
    }
}
