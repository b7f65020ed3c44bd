use crate::geometry::rotation::cross_matrix;
use crate::geometry::{Mat3, Quat, Vec3, rotation};

use super::shear::ShearAngle;

/// Geometry of a bond's two particles, shared by all bond energies.
///
/// Notation: n, l direction and length from i to j; u = (q_i + q_j)/|q_i + q_j| the mean orientation; d = R(u) d0 the
/// rotated rest direction; g = q_i conj(q_j) the relative orientation, g = (g_v, g_w).
///
/// The mean orientation rotates with the particles' world rotation vectors as, with b = g_v/(1 + g_w),
///
/// ```text
/// w_c = 1/2 (w_i + w_j) + 1/2 (w_i - w_j) x b
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BondPose {
    /// Unit vector from i to j.
    pub n: Vec3,
    /// Length, m.
    pub l: f64,
    /// Rest direction in the world, a unit vector.
    pub d: Vec3,
    /// Imaginary part of g.
    pub g_v: Vec3,
    /// Real part of g, >= 0, for q and -q are the same orientation.
    pub g_w: f64,
    /// The shear angle, between d and n.
    pub angle: ShearAngle,
    /// 1/(1 + g_w).
    pub(super) inverse: f64,
    /// Sum of the two quaternions after the sign choice: 2 cos(alpha) u.
    pub(super) sum: Quat,
}

impl BondPose {
    /// Pose of a bond.
    #[inline(always)]
    pub fn new(d0: &Vec3, p: [&Vec3; 2], q: [&Quat; 2]) -> Self {
        let branch = p[1] - p[0];
        let l = branch.norm();
        let n = if l > 0.0 { branch * (1.0 / l) } else { Vec3::zeros() };
        let sign = if q[0].coords.dot(&q[1].coords) < 0.0 { -1.0 } else { 1.0 };
        let q_j = q[1] * sign;
        let g = q[0] * q_j.conjugate();
        let sum = q[0] + q_j;
        // |sum|^2 = 2 (1 + g_w), for unit quaternions
        let inverse = 1.0 / (1.0 + g.w);
        let turn = sum.imag().cross(d0);
        let d = d0 + (turn * sum.w + sum.imag().cross(&turn)) * inverse;
        let angle = ShearAngle::new(0.5 * (d - n).norm_squared());
        Self { n, l, d, g_v: g.imag(), g_w: g.w, angle, inverse, sum }
    }

    /// b of the type's formula.
    #[inline(always)]
    pub fn b(&self) -> Vec3 {
        self.g_v * self.inverse
    }

    /// d . n, the cosine of the shear angle.
    #[inline(always)]
    pub(crate) fn c(&self) -> f64 {
        1.0 - self.angle.x
    }

    /// A world vector in the frame of the mean orientation, R(u)^T v.
    pub(crate) fn to_body(self, v: &Vec3) -> Vec3 {
        rotation::rotate(&self.sum.conjugate(), v)
    }

    /// A vector of the mean orientation's frame in the world, R(u) v.
    pub(crate) fn to_world(self, v: &Vec3) -> Vec3 {
        rotation::rotate(&self.sum, v)
    }

    /// W_i and W_j with w_c = W_i w_i + W_j w_j.
    pub(crate) fn halves(&self) -> [Mat3; 2] {
        let b = cross_matrix(&self.b());
        [Mat3::identity() - b, Mat3::identity() + b].map(|m| m * 0.5)
    }

    /// Moments on i and j equivalent to a moment `a` on the mean orientation: a . w_c = a_i . w_i + a_j . w_j.
    #[inline(always)]
    pub(crate) fn share(&self, a: &Vec3) -> [Vec3; 2] {
        let cross = self.b().cross(a);
        [(a + cross) * 0.5, (a - cross) * 0.5]
    }

    /// P m with P = I - g_v g_v^T/(1 + g_w), the derivative of g_v with respect to w_i - w_j (in the mean frame).
    #[inline(always)]
    pub(crate) fn bend_projection(&self, m: &Vec3) -> Vec3 {
        m - self.g_v * (self.g_v.dot(m) * self.inverse)
    }
}
