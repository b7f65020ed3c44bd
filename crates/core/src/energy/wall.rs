//! Contact of a sphere with a wall, `V = 1/2 k_c g^2` (J) where g = sdf(p) - r < 0 (\[IBDEM\] eq 33), k_c (N/m), or by Hertz's law:
//! see [`NormalSpring`](crate::model::NormalSpring). Gaps are of [`Shape`](crate::geometry::shape::Shape).

use crate::geometry::{Mat3, Vec3};
use crate::model::NormalPotential;

/// V, J, at the gap g (m).
#[inline(always)]
pub fn value(spring: &impl NormalPotential, gap: f64) -> f64 {
    spring.energy(-gap.min(0.0))
}

/// dV/dp = k g grad(sdf), N.
#[inline(always)]
pub fn gradient(spring: &impl NormalPotential, gap: f64, normal: &Vec3) -> Vec3 {
    normal * -spring.push(-gap.min(0.0))
}

/// Gauss-Newton second derivative, k n n^T. It is exact for flat walls. A curved wall adds k g times its curvature: small for
/// overlaps far below its radius, and negative for convex walls.
#[inline(always)]
pub fn hessian(spring: &impl NormalPotential, gap: f64, normal: &Vec3) -> Mat3 {
    if gap < 0.0 { normal * normal.transpose() * spring.stiffness(-gap) } else { Mat3::zeros() }
}
