//! Bond energies extended beyond unit quaternions. The quaternion bond uses \[IBDEM\] eqs 7-11 for any quaternions. The
//! mean orientation is normalised, u = (s_i q_i + s_j q_j)/L; the strain t = 2 R0 G_l(s_j q_j) s_i q_i is not. Other
//! bonds depend on the directions of quaternions alone.
//!
//! So lengths s act on a quaternion bond in two ways. The energies of bend and twist are multiplied by s_i^2 s_j^2. And
//! the mean orientation is weighted towards the longer quaternion, which rotates the reference direction of shear.

use crate::geometry::{Vec3, rotation};
use crate::model::{Bond, BondModel, Pair, State};

use super::shear::ShearAngle;
use super::{BondGradient, bend_twist, bond};

/// Gradient at quaternions of the lengths `s` in the directions of `x`, minus that at unit quaternions: with respect to positions
/// and world rotation vectors, and to the lengths s_i and s_j, J.
pub(crate) fn excess(bond: &Bond, x: &State, s: [f64; 2]) -> (BondGradient, [f64; 2]) {
    if bond.model != BondModel::QUATERNION {
        return Default::default();
    }
    let pose = bond::pose(bond, x);
    let strain = bend_twist::strain(&pose);
    let moment = bend_twist::stress(&bond.k, &strain, &pose);
    let factor = (s[0] * s[1]).powi(2);
    let (bent, (sheared, _)) = (bend_twist::pull_back(&moment, &pose), shear_gradient(bond, x, [1.0; 2]));
    let (mut gradient, mut radial) = shear_gradient(bond, x, s);
    gradient.p_j -= sheared.p_j;
    for k in [0, 1] {
        gradient.theta[k] += bent.theta[k] * (factor - 1.0) - sheared.theta[k];
        radial[k] += factor / s[k] * strain.dot(&moment);
    }
    (gradient, radial)
}

/// Shear, with h = d x n: dV/dp_j = -k_s phi (d - c n)/l, dV/dtheta_a = -k_s phi (s_a/L) (k_w h + h x k_v) with
/// k = u conj(q_a), and dV/ds_a = -k_s phi (2/L) h . Im(q_a conj(u)).
fn shear_gradient(bond: &Bond, x: &State, s: [f64; 2]) -> (BondGradient, [f64; 2]) {
    let [i, j] = bond.ends();
    let sign = if x.q[i].coords.dot(&x.q[j].coords) < 0.0 { -1.0 } else { 1.0 };
    let q = [x.q[i], x.q[j] * sign];
    let sum = q[0] * s[0] + q[1] * s[1];
    let length = sum.norm();
    let branch = x.p[j] - x.p[i];
    let l = branch.norm();
    let (n, d) = (branch / l, rotation::rotate(&sum, &bond.d0));
    let angle = ShearAngle::new(0.5 * (d - n).norm_squared());
    let (weight, h) = (-bond.k.s * angle.phi, d.cross(&n));
    let between = q.map(|q| sum * q.conjugate() / length);
    let turn = |k: usize| (h * between[k].w + h.cross(&between[k].imag())) * (weight * s[k] / length);
    let radial = |k: usize| -2.0 * weight / length * h.dot(&between[k].imag());
    let p_j: Vec3 = (d - n * (1.0 - angle.x)) * (weight / l);
    (BondGradient { p_j, theta: [turn(0), turn(1)] }, [radial(0), radial(1)])
}
