//! In the notation of [`BondPose`], with x = (p_j - p_i)/l0, the strains of \[ROD\] are in the world frame
//!
//! ```text
//! R B Gamma = e = x - d,    R B (l0 Omega) = -w,    w = 2 s g_v,    s = 2/|q_i + q_j| = sqrt(2/(1 + g_w))
//! ```
//!
//! So V = 1/2 k_s |e - (e.d) d|^2 + 1/2 k_n l0^2 (e.d)^2 + 1/2 k_b |w|^2 + 1/2 (k_t - k_b) (w.d)^2, with the
//! stiffnesses of the quaternion bond. (In print eq 13 has the wrong sign and omits R(q0)^T, and eqs 3 and 5 have T for
//! I.)

use crate::energy::bond_lanes::half;
use crate::energy::shear::{tangent_frame, turning};
use crate::energy::{BondGradient, BondHessian, BondPose, GradientLanes, PoseLanes, bend_twist};
use crate::geometry::{Mat3, Vec3, rotation::cross_matrix};
use crate::model::{Bond, Stiffness};
use crate::simd::{Lanes, Vec3x};

use super::{BondLaw, LoadStrain};

/// The Cosserat bond (\[ROD\]) with a moment of 2 k sin(theta/2). The quaternion bond has k sin(theta), which softens
/// beyond a right angle.
pub(super) struct Cosserat;

/// Strains of several bonds in the world frame: x, e, w and s.
#[inline(always)]
fn strains<L: Lanes>(pose: &PoseLanes<L>, l0: L) -> (Vec3x<L>, Vec3x<L>, Vec3x<L>, L) {
    let x = pose.n * (pose.l / l0);
    let s = (L::splat(2.0) * pose.inverse).sqrt();
    (x, x - pose.d, pose.turn() * s, s)
}

impl BondLaw for Cosserat {
    const NAME: &'static str = "cosserat";

    /// f = dV/de: dV/dp_j = f/l0, dV/dw_c = f x x; and dw = s (I - g_v g_v^T/(2 (1 + g_w))) (theta_i - theta_j).
    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        let [k_n, k_s, k_t, k_b] = s.k;
        let (x, e, w, scale) = strains(pose, s.l0);
        let f = pose.moment(k_n * s.l0 * s.l0, k_s, e);
        let m = pose.moment(k_t, k_b, w);
        let [turn_i, turn_j] = pose.share(f.cross(x));
        let bend = pose.g_v.neg_mul_add(pose.g_v.dot(m) * pose.inverse * half(), m) * scale;
        let gradient =
            GradientLanes { p_j: f * (L::splat(1.0) / s.l0), theta_i: turn_i + bend, theta_j: turn_j - bend };
        (half::<L>() * (e.dot(f) + w.dot(m)), gradient)
    }

    /// F_s = |dV_shear/dp| = k_s |e - (e.d) d|/l0.
    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        let (_, e, w, _) = strains(pose, s.l0);
        let [axial, shear_squared] = pose.twist_and_bend_squared(e);
        let [twist, bend_squared] = pose.twist_and_bend_squared(w);
        LoadStrain { stretch: s.l0 * axial, shear_squared: s.l0 * s.l0 * shear_squared, twist, bend_squared }
    }

    /// l0 J^T C J.
    fn semidefinite_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let x = pose.n * (pose.l / bond.l0);
        let row = |e: &Vec3| BondGradient { p_j: e / bond.l0, theta: pose.share(&e.cross(&x)) };
        let mut h = BondHessian::default();
        h.add_outer(bond.k.n * bond.l0 * bond.l0, &row(&pose.d));
        tangent_frame(&pose.d).iter().for_each(|e| h.add_outer(bond.k.s, &row(e)));
        let p = Mat3::identity() * scale(pose) - pose.g_v * pose.b().transpose() * (0.5 * scale(pose));
        let d = p * pose.d;
        let bend = p * p * bond.k.b + d * d.transpose() * (bond.k.t - bond.k.b);
        h += BondHessian { theta: [bend, -bend, bend], ..Default::default() };
        h
    }

    /// Gauss-Newton, plus f and m times the second derivatives of e and w.
    fn hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        let x = pose.n * (pose.l / bond.l0);
        let e = x - pose.d;
        let f = e * bond.k.s + pose.d * ((bond.k.n * bond.l0 * bond.l0 - bond.k.s) * pose.d.dot(&e));
        let lean = cross_matrix(&f) / -bond.l0;
        let mut h = Self::semidefinite_hessian(bond, pose);
        h += BondHessian {
            p_theta: pose.halves().map(|w| lean * w),
            theta: turning(&f, &x, pose),
            ..Default::default()
        };
        h += second_derivative_of_w(&bend_twist::stress(&bond.k, &(pose.g_v * (2.0 * scale(pose))), pose), pose);
        h
    }
}

/// s.
fn scale(pose: &BondPose) -> f64 {
    (2.0 / (1.0 + pose.g_w)).sqrt()
}

/// The second derivative of m.w = s (m.U), U = 2 g_v. With delta = theta_i - theta_j,
/// dg_w = -1/2 g_v.delta and d2g_w = -g_w/4 |delta|^2 - 1/2 theta_i.(g_v x theta_j), from g = exp(theta_i/2) g exp(-theta_j/2).
fn second_derivative_of_w(m: &Vec3, pose: &BondPose) -> BondHessian {
    let (s, spread, g_v) = (scale(pose), 1.0 + pose.g_w, &pose.g_v);
    let [first, second] = [-s / (2.0 * spread), 0.75 * s / (spread * spread)];
    let axial = 2.0 * m.dot(g_v);
    let turn = bend_twist::second_derivative(m, pose);

    // by delta: products of the first derivatives, and s' times d2g_w
    let (dg, du) = (g_v * -0.5, pose.bend_projection(m));
    let both = (dg * du.transpose() + du * dg.transpose()) * first + dg * dg.transpose() * (second * axial);
    let alike = both - Mat3::identity() * (0.25 * first * axial * pose.g_w);
    let cross = cross_matrix(g_v) * (-0.25 * first * axial);
    let [ii, ij, jj] = turn.theta.map(|block| block * s);
    BondHessian { theta: [ii + alike, ij - alike - cross, jj + alike], ..Default::default() }
}
