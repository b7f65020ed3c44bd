//! Contact of a sphere with a wall, `V = 1/2 k_c g^2` (J) where g = sdf(p) - r < 0 (\[IBDEM\] eq 33), k_c (N/m).

use crate::geometry::{Mat3, Vec3};

/// V, J, at the gap g (m).
#[inline(always)]
pub fn value(k: f64, gap: f64) -> f64 {
    0.5 * k * gap.min(0.0).powi(2)
}

/// dV/dp = k g grad(sdf), N.
#[inline(always)]
pub fn gradient(k: f64, gap: f64, normal: &Vec3) -> Vec3 {
    normal * (k * gap.min(0.0))
}

/// Second derivative, Gauss-Newton's: k n n^T. It is exact for flat walls; a curved one adds k g times its curvature,
/// which is small where overlaps are small against its radius, and negative for what is round outwards.
#[inline(always)]
pub fn hessian(k: f64, gap: f64, normal: &Vec3) -> Mat3 {
    if gap < 0.0 { normal * normal.transpose() * k } else { Mat3::zeros() }
}
