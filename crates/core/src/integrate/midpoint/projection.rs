//! The discrete Euler-Lagrange equation of \[IBDEM\] eq 75 for one particle.
//!
//! h = dt/2, and the midpoints are pm = (p_n + p_(n+1))/2 and qm = (q_n + q_(n+1))/2. qm is not of unit length. In momenta,
//! with 4J the extended mass of q, eq 75 reads
//!
//! ```text
//! m (pm - p_n)/h + h dV/dp(pm, qm)     = m v_n                  m v_(n+1) = m v_n - 2h dV/dp
//! P [4J (qm - q_n)/h + h dV/dq(pm, qm) - pi_n] = 0              pi_(n+1) = 4J (qm - q_n)/h - h dV/dq
//! ```
//!
//! where P projects onto the tangent space of the sphere at q_n, the space of variations of q_n. Eq 77 minimises over q_(n+1)
//! instead, which puts P there. It is of lower order and damps rotation.
//!
//! **In world vectors.** r = (x, c) rotates q_n to the direction of qm, so c is qm's length and r r rotates to q_(n+1). b =
//! x/c. dV/dq at qm has the torque g = 1/2 G_r(qm) dV/dq and the part a along qm. The tangent parts, 1/2 G_r of all terms, over
//! h, are
//!
//! ```text
//! at q_n:      (1 - [b]x) g + a/2 x + 2J/h2 c x - J/h w = 0
//! at q_(n+1):  (1 + [b]x) g - a/2 x + 2J/h2 c x - J/h (k w + 2c x x w) + s/h c x = 0,    k = c2 - |x|2
//! ```
//!
//! where w is the angular velocity of pi_n, and s = q_n . pi_n is its part along q_n, which the first equation does not need.
//! Both are solved in a form with g alone, by `(1 -+ [b]x)^-1 y = c2 y +- c x x y + x (x . y)`. So the unsymmetric part of the
//! Jacobian is due to inertia only, and of the order of a particle's rotation in a step. A solution of the first satisfies
//!
//! ```text
//! w_(n+1) = w_n - 2h g/J,
//! ```
//!
//! exactly the torque's impulse. V is invariant under rotation, so angular momentum is conserved.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::geometry::{Quat, Vec3};
use crate::model::Gradient;

/// Where the equation of motion is projected onto the sphere of unit quaternions.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// At the start of a step: second order, conserves angular momentum.
    #[default]
    Start,
    /// At the end of a step, as \[IBDEM\] eq 77 is printed: dissipates rotation.
    End,
}

impl Projection {
    /// Both projections.
    pub(crate) const ALL: [Self; 2] = [Self::Start, Self::End];
}

/// Rotation of a particle in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// J, kg m2.
    pub inertia: f64,
    /// dt/2, s.
    pub h: f64,
    /// r = (x, c), from q_n to the midpoint's direction.
    pub x: Vec3,
    pub c: f64,
    /// w_n, rad/s.
    pub w: Vec3,
    /// s = q_n . pi_n where the projection is at the end, J s.
    pub radial: Option<f64>,
}

/// Derivatives of V at the midpoint: dV/dp, g and a.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QuaternionGradient {
    /// dV/dp, N, and g, N m.
    pub by: Gradient,
    /// a, J.
    pub radial: f64,
}

impl AddAssign for QuaternionGradient {
    fn add_assign(&mut self, other: Self) {
        self.by += other.by;
        self.radial += other.radial;
    }
}

impl Turn {
    /// Rotation from q_n to the midpoint's direction `mid`.
    pub(super) fn new([q, mid]: [&Quat; 2], w: Vec3, inertia: f64, h: f64, radial: Option<f64>) -> Self {
        let r = mid * q.conjugate();
        let r = if r.w < 0.0 { -r } else { r };
        Self { inertia, h, x: r.imag(), c: r.w, w, radial }
    }

    /// Residual of the equation of rotation, N m.
    pub(super) fn residual(&self, gradient: &QuaternionGradient) -> Vec3 {
        let Self { inertia: j, h, x, c, w, radial } = *self;
        let along = 2.0 * j / (h * h) * c;
        match radial {
            None => gradient.by.theta + x * (along + 0.5 * gradient.radial) - self.freed(&w, 1.0) * (j / h),
            Some(s) => {
                let turned = w * (c * c - x.norm_squared()) + x.cross(&w) * (2.0 * c);
                gradient.by.theta + x * (along - 0.5 * gradient.radial + s / h * c)
                    - self.freed(&turned, -1.0) * (j / h)
            }
        }
    }

    /// `(1 - side [b]x)^-1 y`.
    fn freed(&self, y: &Vec3, side: f64) -> Vec3 {
        y * (self.c * self.c) + self.x.cross(y) * (side * self.c) + self.x * self.x.dot(y)
    }

    /// w_(n+1), rad/s.
    pub(super) fn spin(&self, gradient: &QuaternionGradient) -> Vec3 {
        let Self { inertia: j, h, x, c, w, radial } = *self;
        match radial {
            None => w - gradient.by.theta * (2.0 * h / j),
            Some(_) => {
                let torque = gradient.by.theta + x.cross(&gradient.by.theta) / c - x * (0.5 * gradient.radial);
                x * (2.0 * c / h) - torque * (h / j)
            }
        }
    }

    /// q_(n+1) . pi_(n+1), J s.
    pub(super) fn radial_momentum(&self, gradient: &QuaternionGradient) -> f64 {
        let Self { inertia: j, h, x, c, .. } = *self;
        4.0 * j / h * x.norm_squared() - h * (gradient.radial * c + 2.0 * gradient.by.theta.dot(&x) / c)
    }
}
