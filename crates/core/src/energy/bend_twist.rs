//! Bending and twisting of a bond, `V = 1/2 t^T diag(k_t, k_b, k_b) t` (J) (\[IBDEM\] eqs 10-11), with
//! t = 2 R0 G_l(q_j) q_i, k_t = G Jp/l0 and k_b = E I/l0 (N m).
//!
//! (The print omits the 2 of t, which would give a quarter of \[BDEM21\]'s stiffness.)
//!
//! In the world frame t is U = 2 g_v, g = q_i conj(q_j), and R0 is not needed:
//! V = 1/2 k_b |U|^2 + 1/2 (k_t - k_b) (d.U)^2.

use crate::geometry::{Mat3, Vec3, rotation::cross_matrix};
use crate::model::Modes;

use super::{BondGradient, BondHessian, BondPose};

/// U = 2 g_v: the rotation of i relative to j, rad, in the world frame.
#[inline(always)]
pub(crate) fn strain(pose: &BondPose) -> Vec3 {
    pose.g_v * 2.0
}

/// K t in the world frame, m = k_b U + (k_t - k_b)(d.U) d, N m.
#[inline(always)]
fn moment(k: &Modes, pose: &BondPose) -> Vec3 {
    stress(k, &strain(pose), pose)
}

/// The moment (N m) of a strain, or rate of strain, `u`.
#[inline(always)]
pub(crate) fn stress(k: &Modes, u: &Vec3, pose: &BondPose) -> Vec3 {
    u * k.b + pose.d * ((k.t - k.b) * pose.d.dot(u))
}

/// The gradient of m.U for a constant vector m of the bond's own frame, given in world coordinates.
#[inline(always)]
pub(crate) fn pull_back(m: &Vec3, pose: &BondPose) -> BondGradient {
    let on_i = pose.bend_projection(m);
    BondGradient { p_j: Vec3::zeros(), theta: [on_i, -on_i] }
}

/// Gauss-Newton with the three residuals sqrt(K) t: P K P on the difference theta_i - theta_j.
pub(crate) fn gauss_newton(k: &Modes, pose: &BondPose) -> BondHessian {
    let d = pose.bend_projection(&pose.d);
    let p = Mat3::identity() - pose.g_v * pose.b().transpose();
    let h = p * p * k.b + d * d.transpose() * (k.t - k.b);
    BondHessian { theta: [h, -h, h], ..Default::default() }
}

/// The exact second derivative: Gauss-Newton plus the moment times the second derivative of t.
pub(crate) fn hessian(k: &Modes, pose: &BondPose) -> BondHessian {
    let mut h = gauss_newton(k, pose);
    h += second_derivative(&moment(k, pose), pose);
    h
}

/// The second derivative of m.U for a constant vector m of the bond's own frame, given in world coordinates: (P
/// m).(theta_i x theta_j) - 1/2 (m.g_v) |theta_i - theta_j|^2.
pub(super) fn second_derivative(m: &Vec3, pose: &BondPose) -> BondHessian {
    let curve = Mat3::identity() * (0.5 * m.dot(&pose.g_v));
    let cross = cross_matrix(&pose.bend_projection(m)) * 0.5;
    BondHessian { theta: [-curve, curve - cross, -curve], ..Default::default() }
}
