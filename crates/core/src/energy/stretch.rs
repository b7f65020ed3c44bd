//! Stretch of a bond, `V = 1/2 k_n (l - l0)^2` (J) (\[IBDEM\] eq 8), k_n = E S/l0 (N/m).

use crate::geometry::{Mat3, Vec3};

use super::{BondHessian, BondPose};

/// Gauss-Newton, residual sqrt(k_n) (l - l0): k_n n n^T.
pub(crate) fn gauss_newton(k_n: f64, pose: &BondPose) -> BondHessian {
    BondHessian { pp: pose.n * pose.n.transpose() * k_n, ..Default::default() }
}

/// The geometric term, k_n (1 - l0/l)(I - n n^T): positive in tension, negative in compression.
pub(crate) fn geometric(k_n: f64, l0: f64, pose: &BondPose) -> BondHessian {
    let across = if pose.l > 0.0 { k_n * (1.0 - l0 / pose.l) } else { 0.0 };
    BondHessian { pp: tangential_projector(&pose.n) * across, ..Default::default() }
}

/// The geometric term in tension: with it, Gauss-Newton stays positive semidefinite.
pub(crate) fn tension(k_n: f64, l0: f64, pose: &BondPose) -> BondHessian {
    if pose.l > l0 { geometric(k_n, l0, pose) } else { BondHessian::default() }
}

/// The exact second derivative, k_n [(1 - l0/l)(I - n n^T) + n n^T].
pub(crate) fn hessian(k_n: f64, l0: f64, pose: &BondPose) -> BondHessian {
    let mut h = gauss_newton(k_n, pose);
    h += geometric(k_n, l0, pose);
    h
}

/// Projector onto the tangent plane, I - n n^T.
pub(super) fn tangential_projector(n: &Vec3) -> Mat3 {
    Mat3::identity() - n * n.transpose()
}
