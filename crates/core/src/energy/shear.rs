//! Shear of a bond, `V = 1/2 k_s theta^2` (J) (\[IBDEM\] eq 9), theta the angle between d = R(u) d0 and n, k_s = G S l0 (N m).
//!
//! (The print has k_t = G S/l0, which is not an energy. And it has the angle between d0 and d, which is always zero in
//! the bond's frame and gives no force.)
//!
//! It is a function of x = 1 - d.n, which is accurate at small angles and needs no trigonometry: theta^2 = 2x + x^2/3 +
//! 4x^3/45 + ..., and phi = theta/sin(theta) = 1/2 d(theta^2)/dx.

use crate::geometry::{Mat3, Vec3, rotation::cross_matrix};

use super::stretch::tangential_projector;
use super::{BondGradient, BondHessian, BondPose};

/// theta^2, phi = theta/sin(theta) and dphi/dx as functions of x = 1 - cos(theta), which is |d - n|^2/2 without cancellation.
#[derive(Clone, Copy, Debug)]
pub struct ShearAngle {
    /// 1 - cos(theta).
    pub x: f64,
    /// theta^2, rad2.
    pub squared: f64,
    /// theta/sin(theta).
    pub phi: f64,
    /// dphi/dx.
    pub phi_x: f64,
}

impl ShearAngle {
    /// Largest x (theta = 0.014 rad) for which four terms of the series are exact to the last bit.
    const SHORT_UP_TO: f64 = 1e-4;

    /// Largest x (theta = 0.2 rad) for which nine terms are.
    pub(super) const SERIES_UP_TO: f64 = 0.02;

    /// Functions of `x`.
    #[inline(always)]
    pub fn new(x: f64) -> Self {
        if x < Self::SHORT_UP_TO {
            Self::series::<4>(x)
        } else if x < Self::SERIES_UP_TO {
            Self::series::<9>(x)
        } else {
            Self::closed(x)
        }
    }

    /// phi = sum a_k x^k with a_0 = 1, a_k = a_(k-1) k/(2k+1), from arcsin^2(y) = 1/2 sum (2y)^2n/(n^2 C(2n,n)).
    #[inline(always)]
    fn series<const TERMS: usize>(x: f64) -> Self {
        const A: [f64; 9] = coefficients();
        let (mut phi, mut phi_x, mut integral) = (0.0, 0.0, 0.0);
        for k in (0..TERMS).rev() {
            integral = integral * x + A[k] / (k as f64 + 1.0);
            phi_x = phi_x * x + phi;
            phi = phi * x + A[k];
        }
        Self { x, squared: 2.0 * x * integral, phi, phi_x }
    }

    /// d2phi/dx2: by the series, or from x (2 - x) phi_x = 1 - phi (1 - x).
    pub(super) fn phi_xx(&self) -> f64 {
        const A: [f64; 9] = coefficients();
        let x = self.x;
        if x < Self::SERIES_UP_TO {
            return (2..A.len()).rev().fold(0.0, |sum, k| sum * x + (k * (k - 1)) as f64 * A[k]);
        }
        (self.phi - 3.0 * (1.0 - x) * self.phi_x) / (x * (2.0 - x)).max(f64::EPSILON)
    }

    #[cold]
    fn closed(x: f64) -> Self {
        let theta = 2.0 * libm::asin((0.5 * x).sqrt().min(1.0));
        // opposite directions have no axis: any will do
        let sin2 = (x * (2.0 - x)).max(f64::EPSILON);
        let phi = theta / sin2.sqrt();
        Self { x, squared: theta * theta, phi, phi_x: (1.0 - phi * (1.0 - x)) / sin2 }
    }
}

pub(super) const fn coefficients() -> [f64; 9] {
    let mut a = [1.0; 9];
    let mut k = 1;
    while k < a.len() {
        a[k] = a[k - 1] * k as f64 / (2.0 * k as f64 + 1.0);
        k += 1;
    }
    a
}

/// The gradient of c = d.n.
#[inline(always)]
fn cosine_gradient(pose: &BondPose) -> BondGradient {
    projection_gradient(&pose.d, pose.c(), pose)
}

/// The gradient of f.n, whose value is `projection`. The vector f is fixed in the frame of the mean orientation.
#[inline(always)]
pub(super) fn projection_gradient(f: &Vec3, projection: f64, pose: &BondPose) -> BondGradient {
    BondGradient { p_j: (f - pose.n * projection) / pose.l, theta: pose.share(&f.cross(&pose.n)) }
}

/// The shear strain s = phi (n - c d): theta times the unit vector from d towards n, across d, in the world frame.
pub(crate) fn strain(pose: &BondPose) -> Vec3 {
    (pose.n - pose.d * pose.c()) * pose.angle.phi
}

/// The gradient of y.s for a constant vector y (across d0) of the bond's own frame, given in world coordinates: the
/// pull-back of a stress y.
#[inline(always)]
pub(crate) fn pull_back(y: &Vec3, pose: &BondPose) -> BondGradient {
    let angle = &pose.angle;
    let axial = y.dot(&pose.n);
    // dphi/dc = -dphi/dx
    let lean = -angle.phi_x * axial;
    let toward = cosine_gradient(pose);
    let [turn_i, turn_j] = pose.share(&(y.cross(&pose.n) * angle.phi));
    BondGradient {
        p_j: (y - pose.n * axial) * (angle.phi / pose.l) + toward.p_j * lean,
        theta: [turn_i + toward.theta[0] * lean, turn_j + toward.theta[1] * lean],
    }
}

/// Gauss-Newton with the two residuals sqrt(k_s) s in the bond's frame. (The single residual theta would give a
/// rank-one block that is undefined at rest.)
pub(crate) fn gauss_newton(k_s: f64, pose: &BondPose) -> BondHessian {
    let mut h = BondHessian::default();
    for e in tangent_frame(&pose.d) {
        h.add_outer(k_s, &pull_back(&e, pose));
    }
    h
}

/// The exact second derivative, (k_s/2) [f'' dc dc^T + f' d2c] with f(c) = theta^2.
pub(crate) fn hessian(k_s: f64, pose: &BondPose) -> BondHessian {
    let angle = &pose.angle;
    let mut h = projection_hessian(&pose.d, pose.c(), pose);
    h.scale(-k_s * angle.phi);
    h.add_outer(k_s * angle.phi_x, &cosine_gradient(pose));
    h
}

/// The second derivative of a = f.n along the retraction. The vector f is fixed in the frame of the mean orientation.
///
/// Positions: -(f n^T + n f^T + a I - 3 a n n^T)/l^2. Mixed: -(I - n n^T)\[f\]x W_a/l with w_c = W_i theta_i + W_j theta_j.
/// Orientations: see [`turning`].
pub(super) fn projection_hessian(f: &Vec3, projection: f64, pose: &BondPose) -> BondHessian {
    let (n, a, l) = (&pose.n, projection, pose.l);
    let fn_ = f * n.transpose();
    let pp = -(fn_ + fn_.transpose() + Mat3::identity() * a - n * n.transpose() * (3.0 * a)) / (l * l);
    let mixed = -tangential_projector(n) * cross_matrix(f) / l;
    BondHessian { pp, p_theta: pose.halves().map(|w| mixed * w), theta: turning(f, n, pose) }
}

/// The second derivative of y.s for a constant vector y (across d0) of the bond's own frame, given in world coordinates.
///
/// With a = y.n and s.y = phi(c) a: phi d2a + phi_c (da dc^T + dc da^T) + a phi_cc dc dc^T + a phi_c d2c.
pub(super) fn strain_hessian(y: &Vec3, pose: &BondPose) -> BondHessian {
    let (angle, a) = (&pose.angle, y.dot(&pose.n));
    let (of_y, of_d) = (projection_gradient(y, a, pose), cosine_gradient(pose));
    let mut h = projection_hessian(y, a, pose);
    h.scale(angle.phi);
    // dphi/dc = -dphi/dx
    h.add_outer_pair(-angle.phi_x, &of_y, &of_d);
    h.add_outer(a * angle.phi_xx(), &of_d);
    let mut cosine = projection_hessian(&pose.d, pose.c(), pose);
    cosine.scale(-a * angle.phi_x);
    h += cosine;
    h
}

/// The second derivative of f.x by the orientations (i by i, i by j, j by j). The vector f is fixed in the frame of the
/// mean orientation, x in the world.
///
/// W_a^T (sym(f x^T) - (f.x) I) W_b. The curvature of the normalised mean of two rotating quaternions adds, with h = f
/// x x, -1/4 (b.h)(|theta_i|^2 - |theta_j|^2) + 1/2 (w_c.h)((theta_i - theta_j).b).
pub(super) fn turning(f: &Vec3, x: &Vec3, pose: &BondPose) -> [Mat3; 3] {
    let (b, h) = (pose.b(), f.cross(x));
    let fx = f * x.transpose();
    let turn = (fx + fx.transpose()) * 0.5 - Mat3::identity() * f.dot(x);
    let w = pose.halves();
    let [h_i, h_j] = pose.share(&h);
    let bh = Mat3::identity() * (0.25 * b.dot(&h));
    let hb = [h_i * b.transpose() * 0.25, h_j * b.transpose() * 0.25];
    [
        w[0].transpose() * turn * w[0] - bh + hb[0] + hb[0].transpose(),
        w[0].transpose() * turn * w[1] - hb[0] + hb[1].transpose(),
        w[1].transpose() * turn * w[1] + bh - hb[1] - hb[1].transpose(),
    ]
}

/// Two unit vectors orthogonal to the unit vector d and to each other.
pub(super) fn tangent_frame(d: &Vec3) -> [Vec3; 2] {
    // the axis of the smallest component of d, so that the cross product is long
    let axis = d.iamin();
    let first = d.cross(&Vec3::ith(axis, 1.0)).normalize();
    [first, d.cross(&first)]
}
