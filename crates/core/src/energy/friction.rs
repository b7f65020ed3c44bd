//! Derivatives of friction's energy by the particles, for Newton's method: see [`Friction`]. Its dissipated energy enters the account in
//! `integrate/*/flows.rs`.

use crate::contact::Friction;
use crate::geometry::{Mat3, Vec3};
use crate::model::Gradient;

use super::BondHessian;

/// dW/dx of a particle on a wall.
pub(crate) fn wall_gradient(friction: &Friction<f64, 1>) -> Gradient {
    let force = friction.force();
    let [theta] = friction.point.torques(force).map(Vec3::from);
    Gradient { p: force.into(), theta }
}

/// Second derivative of W by u, N/m: K T, or in sliding F/|xi| (T - e e^T), with the sliding direction e.
fn hessian<const N: usize>(friction: &Friction<f64, N>) -> Mat3 {
    let [n, e] = [friction.point.n, friction.direction()].map(Vec3::from);
    let tangential = Mat3::identity() - n * n.transpose();
    match friction.slides() != 0 {
        true => (tangential - e * e.transpose()) * friction.weight(),
        false => tangential * friction.stiffness,
    }
}

/// Second derivatives by the two particles of a pair, with theta as a vector.
pub(crate) fn pair_hessian(friction: &Friction<f64, 2>) -> BondHessian {
    let h = hessian(friction);
    let n = Vec3::from(friction.point.n).cross_matrix();
    let [i, j] = friction.point.arms;
    let [by_i, by_j] = friction.point.arms.map(|arm| h * n * arm);
    let lever = |arm: f64, by: &Mat3| n.transpose() * by * arm;
    BondHessian { pp: h, p_theta: [by_i, by_j], theta: [lever(i, &by_i), lever(i, &by_j), lever(j, &by_j)] }
}

/// Second derivatives by a particle on a wall, as parts `[[pp, p theta], [theta p, theta theta]]`.
pub(crate) fn wall_hessian(friction: &Friction<f64, 1>) -> [[Mat3; 2]; 2] {
    let h = hessian(friction);
    // u is the displacement of the particle itself
    let arm = -Vec3::from(friction.point.n).cross_matrix() * friction.point.arms[0];
    [[h, h * arm], [arm.transpose() * h, arm.transpose() * h * arm]]
}
