//! Traits of matrices and preconditioners.

use super::vector::{Real, Vec6, dot, xpay};

/// A symmetric linear map of block vectors.
pub trait Operator<T: Real> {
    /// `y = A x`; `y` is overwritten.
    fn apply(&self, x: &[Vec6<T>], y: &mut [Vec6<T>]);

    /// `r = b - A x`; `r` is overwritten.
    fn residual(&self, b: &[Vec6<T>], x: &[Vec6<T>], r: &mut [Vec6<T>]) {
        self.apply(x, r);
        xpay(b, -1.0, r);
    }
}

/// An approximate inverse of an operator: symmetric, positive definite and the same at every call.
pub trait Preconditioner<T: Real> {
    /// `z = M^-1 r`; `z` is overwritten.
    fn apply(&mut self, r: &[Vec6<T>], z: &mut [Vec6<T>]);

    /// [`Self::apply`], and `r . z`.
    fn apply_and_dot(&mut self, r: &[Vec6<T>], z: &mut [Vec6<T>]) -> f64 {
        self.apply(r, z);
        dot(r, z)
    }
}
