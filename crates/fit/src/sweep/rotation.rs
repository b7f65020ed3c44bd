//! Derivatives of the exponential map of rotations, with world rotation vectors.

use bdem_core::geometry::{Mat3, Quat, Vec3, rotation};

/// Angle below which the series' first terms are exact to rounding, rad.
const SMALL: f64 = 1e-3;

/// J of exp(phi + d) = exp(J d) exp(phi), for the rotation vector `phi` (rad).
pub(super) fn left_jacobian(phi: &Vec3) -> Mat3 {
    let cross = rotation::cross_matrix(phi);
    let (a2, a) = (phi.norm_squared(), phi.norm());
    let [first, second] = if a < SMALL {
        [0.5 - a2 / 24.0, 1.0 / 6.0 - a2 / 120.0]
    } else {
        [(1.0 - libm::cos(a)) / a2, (a - libm::sin(a)) / (a2 * a)]
    };
    Mat3::identity() + cross * first + cross * cross * second
}

/// Inverse of [`left_jacobian`], for angles below a turn.
pub(super) fn inverse_left_jacobian(phi: &Vec3) -> Mat3 {
    let cross = rotation::cross_matrix(phi);
    let (a2, a) = (phi.norm_squared(), phi.norm());
    let second =
        if a < SMALL { 1.0 / 12.0 + a2 / 720.0 } else { 1.0 / a2 - (1.0 + libm::cos(a)) / (2.0 * a * libm::sin(a)) };
    Mat3::identity() - cross * 0.5 + cross * cross * second
}

/// R(exp(phi))^T v.
pub(super) fn turned_back(phi: &Vec3, v: &Vec3) -> Vec3 {
    rotation::rotate(&rotation::exp(&(phi * -0.5)), v)
}

/// Derivatives of y . Im(a conj(b)) by the world rotation vectors of the quaternions a and b.
pub(super) fn imaginary(a: &Quat, b: &Quat, y: &Vec3) -> [Vec3; 2] {
    let e = a * b.conjugate();
    let cross = e.imag().cross(y);
    [(y * e.w + cross) * 0.5, (y * e.w - cross) * -0.5]
}
