//! Derivatives by finite differences.

use std::ops::{Mul, Sub};

/// The slope of `f` at zero, to fourth order in the step `h`.
pub(crate) fn slope_at_zero<T>(f: impl Fn(f64) -> T, h: f64) -> T
where
    T: Sub<Output = T> + Mul<f64, Output = T>,
{
    (f(h) - f(-h)) * (2.0 / (3.0 * h)) - (f(2.0 * h) - f(-2.0 * h)) * (1.0 / (12.0 * h))
}
