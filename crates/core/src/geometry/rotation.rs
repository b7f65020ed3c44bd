//! Unit quaternions as orientations: \[IBDEM\] appendix A.
//!
//! A quaternion is `(x, y, z, w)`, imaginary part `t = (x, y, z)` first (nalgebra's storage order), with the Hamilton
//! product; `q` rotates body vectors into world vectors, `R(q) v = q v conj(q)`.
//!
//! Tangent coordinates. The paper moves a unit quaternion by `dq = G_l(q)^T dphi = q (dphi, 0)`; we move it by the world
//! rotation vector `dtheta = 2 R(q) dphi`, so `dq = 1/2 (dtheta, 0) q = 1/2 G_r(q)^T dtheta`. Both span the same tangent
//! space; with world vectors the rigid modes of a body are the same six columns for every particle.

use nalgebra::{Matrix3, Matrix3x4, Quaternion, Vector3};

/// A vector, m where it is a position.
pub type Vec3 = Vector3<f64>;
/// A matrix over vectors.
pub type Mat3 = Matrix3<f64>;
/// An orientation: a unit quaternion, normalised by its writers.
pub type Quat = Quaternion<f64>;

/// `[t]x`, so that `cross_matrix(t) * v = t x v`.
pub fn cross_matrix(t: &Vec3) -> Mat3 {
    Mat3::new(0.0, -t.z, t.y, t.z, 0.0, -t.x, -t.y, t.x, 0.0)
}

/// The left nullspace operator `G_l(q) = [w I - [t]x, -t]` (\[IBDEM\] appendix A): `G_l q = 0`, `G_l G_l^T = I`.
pub fn nullspace_left(q: &Quat) -> Matrix3x4<f64> {
    let t = q.imag();
    let mut g = Matrix3x4::zeros();
    g.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * q.w - cross_matrix(&t)));
    g.set_column(3, &-t);
    g
}

/// The right nullspace operator `G_r(q) = [w I + [t]x, -t]` (\[IBDEM\] appendix A); `R(q) = G_r(q) G_l(q)^T`.
pub fn nullspace_right(q: &Quat) -> Matrix3x4<f64> {
    let t = q.imag();
    let mut g = Matrix3x4::zeros();
    g.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * q.w + cross_matrix(&t)));
    g.set_column(3, &-t);
    g
}

/// `R(q) v` for a quaternion of any length but zero (the rotation of `q/|q|`).
#[inline(always)]
pub fn rotate(q: &Quat, v: &Vec3) -> Vec3 {
    let t = q.imag();
    let s = 2.0 / q.norm_squared();
    let tv = t.cross(v);
    v + (tv * q.w + t.cross(&tv)) * s
}

/// `R(q)` as a matrix, for a unit quaternion.
pub fn rotation_matrix(q: &Quat) -> Mat3 {
    nullspace_right(q) * nullspace_left(q).transpose()
}

/// `exp(u) = (u sin|u|/|u|, cos|u|)`: the unit quaternion of the rotation vector `2u`.
#[inline(always)]
pub fn exp(u: &Vec3) -> Quat {
    let a2 = u.norm_squared();
    let (sinc, cos) = if a2 < 1e-4 {
        // products, because explicit steps rotate every particle and divisions are slow
        let sinc = 1.0 - a2 * (1.0 / 6.0) * (1.0 - a2 * (1.0 / 20.0) * (1.0 - a2 * (1.0 / 42.0)));
        (sinc, 1.0 - a2 * 0.5 * (1.0 - a2 * (1.0 / 12.0) * (1.0 - a2 * (1.0 / 30.0))))
    } else {
        let a = a2.sqrt();
        (libm::sin(a) / a, libm::cos(a))
    };
    Quat::from_parts(cos, u * sinc)
}

/// The inverse of [`exp`], for a unit quaternion. `q` and `-q` are the same orientation and give the same, shortest
/// vector.
pub fn log(q: &Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { *q };
    let s = q.imag().norm();
    let ratio = if s < 1e-8 { 1.0 / q.w } else { libm::atan2(s, q.w) / s };
    q.imag() * ratio
}

/// `q` rotated by the world rotation vector `theta` (rad), renormalised.
#[inline]
pub fn turn(q: &Quat, theta: &Vec3) -> Quat {
    let turned = exp(&(theta * 0.5)) * q;
    turned / turned.norm()
}

/// `q` rotated by `turn`, both of unit length up to rounding: renormalised without roots and divisions.
#[inline(always)]
pub fn turn_by(q: &Quat, turn: &Quat) -> Quat {
    let turned = turn * q;
    // one Newton step for 1/|q|: the squared rounding error is negligible
    turned * (1.5 - 0.5 * turned.norm_squared())
}

/// The world rotation vector (rad) from `from` to `to`.
pub fn rotation_between(from: &Quat, to: &Quat) -> Vec3 {
    log(&(to * from.conjugate())) * 2.0
}

/// The rotation vector (rad) of an orientation nearest to `expected`, of those that differ by whole turns about its
/// axis. It is `theta`, the shortest, if that is no longer than two radians.
pub fn with_whole_turns(theta: Vec3, expected: &Vec3) -> Vec3 {
    use std::f64::consts::TAU;
    /// Length up to which the shortest vector is taken, rad: half a turn minus the error of `expected`.
    const SURELY_SHORTEST: f64 = 2.0;
    if expected.norm_squared() <= SURELY_SHORTEST * SURELY_SHORTEST {
        return theta;
    }
    let angle = theta.norm();
    let axis = if angle > 0.0 { theta / angle } else { expected.normalize() };
    axis * (angle + ((expected.dot(&axis) - angle) / TAU).round() * TAU)
}
