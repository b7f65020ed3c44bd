//! Polynomials for functions of x = 1 - cos(theta) that the lanes of processors compute one by one.
//!
//! Such a function has a pole of order 1/2 at x = 2, like theta/sin(theta). With z = sqrt(2 - x) the product z f(x) is smooth on
//! all of 0 <= x <= 2. Its nearest singularity is at z = -sqrt(2), so an interpolant of degree n errs by some 5.8^-n.

use std::f64::consts::{PI, SQRT_2};

use super::Traced;
use crate::simd::Lanes;

/// Degree, with an error of 1e-9 for theta/sin(theta).
const DEGREE: usize = 12;

/// Least 2 - x, as in [`ShearAngle`](crate::energy::shear::ShearAngle).
const LEAST: f64 = 0.5 * f64::EPSILON;

/// f(x) by its interpolant.
pub(super) fn polynomial(x: Traced, f: impl Fn(f64) -> f64) -> Traced {
    let one = Traced::splat(1.0);
    let z = (Traced::splat(2.0) - x).max(Traced::splat(LEAST)).sqrt();
    let y = z * Traced::splat(SQRT_2) - one;
    let of_y = |y: f64| {
        let z = (y + 1.0) / SQRT_2;
        z * f(2.0 - z * z)
    };
    let [coefficients @ .., last] = interpolant(of_y);
    let sum = coefficients.iter().rev().fold(Traced::splat(last), |sum, &c| sum * y + Traced::splat(c));
    sum / z
}

/// Coefficients of powers of y of the interpolant at Chebyshev's points in [-1, 1].
fn interpolant(of: impl Fn(f64) -> f64) -> [f64; DEGREE + 1] {
    const COUNT: usize = DEGREE + 1;
    let angle = |k: usize| PI * (k as f64 + 0.5) / COUNT as f64;
    let values: [f64; COUNT] = std::array::from_fn(|k| of(libm::cos(angle(k))));
    // T_0, T_1 = y, T_(j+1) = 2 y T_j - T_(j-1)
    let (mut sum, mut before, mut now) = ([0.0; COUNT], [0.0; COUNT], [0.0; COUNT]);
    now[0] = 1.0;
    for j in 0..COUNT {
        let weights = values.iter().enumerate().map(|(k, value)| value * libm::cos(j as f64 * angle(k)));
        let c = weights.sum::<f64>() * if j == 0 { 1.0 } else { 2.0 } / COUNT as f64;
        sum.iter_mut().zip(&now).for_each(|(sum, power)| *sum += c * power);
        let factor = if j == 0 { 1.0 } else { 2.0 };
        let next = std::array::from_fn(|k| if k > 0 { factor * now[k - 1] } else { 0.0 } - before[k]);
        before = std::mem::replace(&mut now, next);
    }
    sum
}
