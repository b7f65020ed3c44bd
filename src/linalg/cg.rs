//! Preconditioned conjugate gradients.

use crate::interrupt;

use super::operator::{Operator, Preconditioner};
use super::vector::{Real, Vec6, advance, dot, norm, xpay};

/// Why a solve stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CgStop {
    /// The residual is as small as was asked for.
    Converged,
    /// It is not, after as many iterations as were allowed.
    NotConverged,
    /// A direction `p` with `p.Ap <= 0`: the matrix is not positive definite. `x` is the iterate before it.
    NegativeCurvature,
    /// A residual `r` with `r.M^-1 r <= 0`: the preconditioner is not positive definite. `x` is the iterate before it.
    IndefinitePreconditioner,
    /// A stop is requested: see [`interrupt`].
    Interrupted,
    /// A number that is not finite turned up: in the matrix, the preconditioner, the right-hand side or the first guess.
    NotFinite,
}

/// What a solve came to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "a solve that did not converge leaves whatever it has reached"]
pub struct CgOutcome {
    /// Why it stopped.
    pub stop: CgStop,
    /// Steps taken: products with the matrix, but for one if the first guess was not zero.
    pub iterations: usize,
    /// `|b - A x|/|b|` in the 2-norm, as the recursion has it.
    pub residual: f64,
}

impl CgOutcome {
    /// Whether the residual is as small as was asked for.
    pub fn converged(&self) -> bool {
        self.stop == CgStop::Converged
    }
}

/// The vectors of a solve, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Cg<T> {
    residual: Vec<Vec6<T>>,
    preconditioned: Vec<Vec6<T>>,
    direction: Vec<Vec6<T>>,
    product: Vec<Vec6<T>>,
}

impl<T: Real> Cg<T> {
    /// Solves `A x = b` until `|b - A x| <= tolerance |b|` in the 2-norm, or for `most_iterations`. `x` holds the first guess, and
    /// is left at the last iterate whatever the outcome; a guess of zeros saves a product.
    ///
    /// Y. Saad, "Iterative Methods for Sparse Linear Systems" (2003), algorithm 9.1, but stopping on the residual's own norm.
    pub fn solve(
        &mut self,
        matrix: &impl Operator<T>,
        preconditioner: &mut impl Preconditioner<T>,
        b: &[Vec6<T>],
        x: &mut [Vec6<T>],
        tolerance: f64,
        most_iterations: usize,
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
            if interrupt::is_requested() {
                break CgStop::Interrupted;
            }
            if !residual.is_finite() || !scale.is_finite() {
                break CgStop::NotFinite;
            }
            if residual <= tolerance * scale {
                break CgStop::Converged;
            }
            if iterations == most_iterations {
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

    /// Sets the residual and a zero direction; returns the norm of the residual.
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

    /// One iteration from `rho`, the `r.z` of the one before (any value at the first: the direction is zero then); returns the
    /// norm of the new residual.
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

/// The value if it is positive and finite; otherwise why not: `otherwise` if it is not positive.
fn positive(value: f64, otherwise: CgStop) -> Result<f64, CgStop> {
    match value {
        value if !value.is_finite() => Err(CgStop::NotFinite),
        value if value > 0.0 => Ok(value),
        _ => Err(otherwise),
    }
}
