use super::{Quat, Vec3, rotation};

/// Pose of a rigid body: a rotation `turn` about the origin, then a translation `shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation, a unit quaternion.
    pub turn: Quat,
    /// Translation, m.
    pub shift: Vec3,
}

impl Default for Pose {
    /// The identity.
    fn default() -> Self {
        Self::about(&Vec3::zeros(), Quat::identity())
    }
}

impl Pose {
    /// Rotation by `turn` about `point` (m).
    pub fn about(point: &Vec3, turn: Quat) -> Self {
        Self { turn, shift: point - rotation::rotate(&turn, point) }
    }

    /// World position of the body's point `p`.
    #[inline(always)]
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        rotation::rotate(&self.turn, p) + self.shift
    }

    /// World direction of the body's direction `d`.
    pub fn rotate(&self, d: &Vec3) -> Vec3 {
        rotation::rotate(&self.turn, d)
    }

    /// Body coordinates of the world point `p`.
    #[inline(always)]
    pub fn undo(&self, p: &Vec3) -> Vec3 {
        rotation::rotate(&self.turn.conjugate(), &(p - self.shift))
    }

    /// The composition that takes a body from `before` to `self`.
    pub fn after(&self, before: &Self) -> Self {
        let turn = self.turn * before.turn.conjugate();
        Self { turn, shift: self.shift - rotation::rotate(&turn, &before.shift) }
    }
}
