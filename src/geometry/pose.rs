use super::{Quat, Vec3, rotation};

/// Where a rigid body is: turned by `turn` about the origin, then moved by `shift`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// A unit quaternion.
    pub turn: Quat,
    /// m.
    pub shift: Vec3,
}

impl Default for Pose {
    /// Where it was made.
    fn default() -> Self {
        Self::about(&Vec3::zeros(), Quat::identity())
    }
}

impl Pose {
    /// Turned by `turn` about `point` (m).
    pub fn about(point: &Vec3, turn: Quat) -> Self {
        Self { turn, shift: point - rotation::rotate(&turn, point) }
    }

    /// Where the body's point `p` is.
    #[inline(always)]
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        rotation::rotate(&self.turn, p) + self.shift
    }

    /// How its direction `d` points.
    pub fn rotate(&self, d: &Vec3) -> Vec3 {
        rotation::rotate(&self.turn, d)
    }

    /// The body's point that is at `p`.
    #[inline(always)]
    pub fn undo(&self, p: &Vec3) -> Vec3 {
        rotation::rotate(&self.turn.conjugate(), &(p - self.shift))
    }

    /// What takes a body from `before` to `self`.
    pub fn after(&self, before: &Self) -> Self {
        let turn = self.turn * before.turn.conjugate();
        Self { turn, shift: self.shift - rotation::rotate(&turn, &before.shift) }
    }
}
