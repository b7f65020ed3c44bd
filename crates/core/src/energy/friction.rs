//! Friction as the energy of a tangential spring (\[BDEM21\] eqs 23-27), for a tangential displacement u (m) between
//! two surfaces. With the spring xi = T (xi_0 + u), the projector T onto the tangent plane, the stiffness k = 2/7 k_r
//! (N/m), and the friction limit F = mu |F_r| (N),
//!
//! ```text
//! W = 1/2 k |xi|^2           while k |xi| <= F
//!     F |xi| - F^2/(2 k)     in sliding               [J]
//! ```
//!
//! F and the normal are those of a previous state, so W is convex and has a gradient. A step updates them until they
//! converge. A dashpot beside the spring changes xi_0 and k within a step: see [`Stretched`]. It has no part in what a
//! contact at rest bears, so sticking contacts do not creep.

use crate::contact::{Stretched, SurfaceMotion, TangentialLaw, TangentialSpring};
use crate::geometry::{Mat3, Vec3};
use crate::model::{Gradient, State};

use super::BondHessian;

/// Friction of a contact after a tangential displacement.
#[derive(Clone, Copy, Debug)]
pub struct Sliding {
    stretched: Stretched,
    /// F, N.
    limit: f64,
    n: Vec3,
    /// See [`TangentialSpring::arms`].
    arms: [f64; 2],
}

impl Sliding {
    /// Friction after the tangential displacement `u` (m); `None` without normal force.
    #[inline]
    pub(crate) fn new(tangential: &TangentialSpring, shear: TangentialLaw, u: &Vec3) -> Option<Self> {
        tangential.is_loaded().then(|| Self {
            stretched: tangential.stretched(shear, u),
            limit: tangential.limit,
            n: tangential.n,
            arms: tangential.arms,
        })
    }

    fn spring(&self) -> Vec3 {
        self.stretched.spring.into()
    }

    /// W, J.
    pub(crate) fn value(&self) -> f64 {
        self.stretched.value(self.limit)
    }

    /// dW/du, N.
    pub(crate) fn gradient(&self) -> Vec3 {
        self.spring() * self.weight()
    }

    /// Second derivative by u, N/m: k T, or in sliding F/|xi| (T - e e^T), with the sliding direction e.
    pub(crate) fn hessian(&self) -> Mat3 {
        let tangential = Mat3::identity() - self.n * self.n.transpose();
        match self.direction() {
            None => tangential * self.stretched.stiffness,
            Some(e) => (tangential - e * e.transpose()) * self.weight(),
        }
    }

    /// See [`Stretched::weight`].
    pub(crate) fn weight(&self) -> f64 {
        self.stretched.weight(self.limit)
    }

    /// Unit vector of the sliding direction, in which it has no stiffness; `None` in sticking.
    pub(crate) fn direction(&self) -> Option<Vec3> {
        self.slides().then(|| self.stretched.direction().into())
    }

    /// Whether it slides: the force is at its limit.
    pub fn slides(&self) -> bool {
        self.stretched.unlimited() > self.limit
    }
}

/// dW/dx of particle `i` on a wall.
pub(crate) fn wall_gradient(sliding: &Sliding, motion: SurfaceMotion, x: &State, i: usize) -> Gradient {
    let p = sliding.gradient();
    let theta = p.cross(&sliding.n) * sliding.arms[0];
    Gradient { p, theta: motion.turned(x, i).pull_back(&theta) }
}

/// Second derivatives by the two particles of a pair, with theta as a vector.
pub(crate) fn pair_hessian(sliding: &Sliding) -> BondHessian {
    let h = sliding.hessian();
    let n = sliding.n.cross_matrix();
    let [i, j] = sliding.arms;
    let [by_i, by_j] = sliding.arms.map(|arm| h * n * arm);
    let lever = |arm: f64, by: &Mat3| n.transpose() * by * arm;
    BondHessian { pp: h, p_theta: [by_i, by_j], theta: [lever(i, &by_i), lever(i, &by_j), lever(j, &by_j)] }
}

/// Second derivatives by a particle on a wall, as parts `[[pp, p theta], [theta p, theta theta]]`.
pub(crate) fn wall_hessian(sliding: &Sliding) -> [[Mat3; 2]; 2] {
    let h = sliding.hessian();
    let arm = sliding.n.cross_matrix() * sliding.arms[0];
    [[h, h * arm], [arm.transpose() * h, arm.transpose() * h * arm]]
}
