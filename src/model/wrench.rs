use std::ops::{AddAssign, Neg};

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;

/// Force (N) and torque (N m) on one particle, or a gradient by its position (J/m) and world rotation vector (J/rad).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    pub force: Vec3,
    pub torque: Vec3,
}

/// Displacement of one particle: translation (m) and world rotation vector (rad).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    pub translation: Vec3,
    pub rotation: Vec3,
}

impl Wrench {
    /// Work over a displacement, J.
    pub fn dot(&self, displacement: &Displacement) -> f64 {
        self.force.dot(&displacement.translation) + self.torque.dot(&displacement.rotation)
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
