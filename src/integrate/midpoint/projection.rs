//! The discrete Euler-Lagrange equation of \[IBDEM\] eq 75 for one particle.
//!
//! With h = dt/2 and the midpoints pm = (p_n + p_(n+1))/2 and qm = (q_n + q_(n+1))/2, which is not of unit length, eq 75
//! says in momenta (4J being the extended mass of q)
//!
//! ```text
//! m (pm - p_n)/h + h dV/dp(pm, qm)     = m v_n                  m v_(n+1) = m v_n - 2h dV/dp
//! P [4J (qm - q_n)/h + h dV/dq(pm, qm) - pi_n] = 0              pi_(n+1) = 4J (qm - q_n)/h - h dV/dq
//! ```
//!
//! where P leaves what is tangent to the sphere at q_n, as variations of q_n are. The print minimises over q_(n+1) instead
//! (eq 77), which puts P there: it is of lower order, and damps rotation.
//!
//! **In world vectors.** r = (x, c) turns q_n to the direction of qm, so that c is qm's length and r r turns to q_(n+1);
//! b = x/c. Of dV/dq at qm, g = 1/2 G_r(qm) dV/dq is the torque and a the part along qm. Then the tangent parts, 1/2 G_r of
//! all terms, over h, are
//!
//! ```text
//! at q_n:      (1 - [b]x) g + a/2 x + 2J/h2 c x - J/h w = 0
//! at q_(n+1):  (1 + [b]x) g - a/2 x + 2J/h2 c x - J/h (k w + 2c x x w) + s/h c x = 0,    k = c2 - |x|2
//! ```
//!
//! w being the spin that belongs to pi_n and s = q_n . pi_n its part along q_n, which the first needs not know. Either is
//! solved in the form that has g alone, by `(1 -+ [b]x)^-1 y = c2 y +- c x x y + x (x . y)`: so what is not symmetric in the
//! Jacobian is inertia's alone, and as small as what a particle turns in a step. At a solution the first leaves
//!
//! ```text
//! w_(n+1) = w_n - 2h g/J,
//! ```
//!
//! a torque's impulse exactly: V does not change as all turns, so angular momentum stays as it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::{Quat, Vec3};

/// Where the equation of motion is projected onto the sphere of unit quaternions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// Where a step starts: of second order, and keeps angular momentum.
    #[default]
    Start,
    /// Where a step ends, as \[IBDEM\] eq 77 is printed: loses spin.
    End,
}

impl Projection {
    pub const ALL: [Self; 2] = [Self::Start, Self::End];
}

/// A particle's rotation in a step.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
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

/// dV/dq at the midpoint.
#[derive(Clone, Copy, Debug)]
pub struct QuaternionGradient {
    /// g, N m.
    pub torque: Vec3,
    /// a, J.
    pub radial: f64,
}

impl Turn {
    /// From q_n to the midpoint's direction `mid`.
    pub fn new([q, mid]: [&Quat; 2], w: Vec3, inertia: f64, h: f64, radial: Option<f64>) -> Self {
        let r = mid * q.conjugate();
        let r = if r.w < 0.0 { -r } else { r };
        Self { inertia, h, x: r.imag(), c: r.w, w, radial }
    }

    /// What is to be zero, N m.
    pub fn residual(&self, gradient: &QuaternionGradient) -> Vec3 {
        let Self { inertia: j, h, x, c, w, radial } = *self;
        let along = 2.0 * j / (h * h) * c;
        match radial {
            None => gradient.torque + x * (along + 0.5 * gradient.radial) - self.freed(&w, 1.0) * (j / h),
            Some(s) => {
                let turned = w * (c * c - x.norm_squared()) + x.cross(&w) * (2.0 * c);
                gradient.torque + x * (along - 0.5 * gradient.radial + s / h * c) - self.freed(&turned, -1.0) * (j / h)
            }
        }
    }

    /// `(1 - side [b]x)^-1 y`.
    fn freed(&self, y: &Vec3, side: f64) -> Vec3 {
        y * (self.c * self.c) + self.x.cross(y) * (side * self.c) + self.x * self.x.dot(y)
    }

    /// w_(n+1), rad/s.
    pub fn spin(&self, gradient: &QuaternionGradient) -> Vec3 {
        let Self { inertia: j, h, x, c, w, radial } = *self;
        match radial {
            None => w - gradient.torque * (2.0 * h / j),
            Some(_) => {
                let torque = gradient.torque + x.cross(&gradient.torque) / c - x * (0.5 * gradient.radial);
                x * (2.0 * c / h) - torque * (h / j)
            }
        }
    }

    /// q_(n+1) . pi_(n+1), J s.
    pub fn radial_momentum(&self, gradient: &QuaternionGradient) -> f64 {
        let Self { inertia: j, h, x, c, .. } = *self;
        4.0 * j / h * x.norm_squared() - h * (gradient.radial * c + 2.0 * gradient.torque.dot(&x) / c)
    }
}
