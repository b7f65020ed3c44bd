use std::ops::{AddAssign, Neg};

use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;

/// Force (N) and torque (N m) on one particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    pub force: Vec3,
    pub torque: Vec3,
}

/// Gradient of an energy by one particle's position (J/m) and world rotation vector (J/rad). Its potential loads the
/// particle with the opposite: see [`Wrench::opposite`].
pub type Gradient = Wrench;

/// Displacement of one particle: translation (m) and world rotation vector (rad).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    pub translation: Vec3,
    pub rotation: Vec3,
}

impl Wrench {
    /// Gradient of the potential that exerts this load, or the load that the potential of this gradient exerts.
    #[inline(always)]
    pub fn opposite(&self) -> Self {
        -*self
    }

    /// Work over a displacement, J; of a gradient the change of energy.
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
