//! Gravity, `V = -m g.p` (J). Linear, so its Hessian is zero.

use crate::geometry::Vec3;

/// V, J, of a mass m (kg) at p (m) with the acceleration g (m/s2).
#[inline(always)]
pub fn value(m: f64, g: &Vec3, p: &Vec3) -> f64 {
    -m * g.dot(p)
}

/// dV/dp = -m g, N.
#[inline(always)]
pub fn gradient(m: f64, g: &Vec3) -> Vec3 {
    g * -m
}
