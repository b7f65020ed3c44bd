use std::ops::{AddAssign, Mul, Neg, SubAssign};

use serde::{Deserialize, Serialize};

use crate::geometry::{Quat, Vec3, rotation};

/// Force (N) and torque (N m) on one particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// N.
    pub force: Vec3,
    /// N m.
    pub torque: Vec3,
}

/// Gradient of an energy by the position and the world rotation vector of one particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gradient {
    /// dV/dp, N.
    pub p: Vec3,
    /// dV/dtheta, N m.
    pub theta: Vec3,
}

/// Displacement of one particle: translation (m) and world rotation vector (rad).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    /// m.
    pub translation: Vec3,
    /// World rotation vector, rad.
    pub rotation: Vec3,
}

impl Wrench {
    /// The same, turned by `q`.
    pub fn turned_by(&self, q: &Quat) -> Self {
        Self { force: rotation::rotate(q, &self.force), torque: rotation::rotate(q, &self.torque) }
    }

    /// The same load about a point other than the particle's centre, where `arm` (m) is from the point to the centre.
    pub(crate) fn with_arm(&self, arm: &Vec3) -> Self {
        Self { force: self.force, torque: self.torque + arm.cross(&self.force) }
    }

    /// Work over a displacement, J.
    pub(crate) fn dot(&self, displacement: &Displacement) -> f64 {
        self.force.dot(&displacement.translation) + self.torque.dot(&displacement.rotation)
    }

    /// Gradient of a potential that exerts this load: minus the load.
    #[inline(always)]
    pub fn gradient(&self) -> Gradient {
        Gradient { p: -self.force, theta: -self.torque }
    }
}

impl Gradient {
    /// Load that the potential exerts: minus the gradient.
    #[inline(always)]
    pub(crate) fn load(&self) -> Wrench {
        Wrench { force: -self.p, torque: -self.theta }
    }

    /// Change of the energy over a displacement, J, to first order.
    pub fn dot(&self, displacement: &Displacement) -> f64 {
        self.p.dot(&displacement.translation) + self.theta.dot(&displacement.rotation)
    }
}

impl Mul<f64> for Wrench {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        Self { force: self.force * factor, torque: self.torque * factor }
    }
}

impl Neg for Wrench {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { force: -self.force, torque: -self.torque }
    }
}

impl AddAssign for Wrench {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

impl AddAssign for Gradient {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.p += other.p;
        self.theta += other.theta;
    }
}

impl SubAssign for Gradient {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.p -= other.p;
        self.theta -= other.theta;
    }
}
