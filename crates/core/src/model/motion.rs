use crate::geometry::{Pose, Quat, Vec3, rotation};

use super::{Driven, Keyframes};

/// Motion of a wall or of held particles, as of a rigid body: a function of time, but along the axis of a load.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// No motion.
    Fixed,
    /// Constant velocity, m/s.
    Velocity(Vec3),
    /// Rotation about a line, and translation along it.
    Screw {
        /// Point of the line, m.
        point: Vec3,
        /// Unit vector along the line.
        axis: Vec3,
        /// Angular velocity, rad/s.
        rate: f64,
        /// Velocity along the line, m/s.
        velocity: f64,
    },
    /// Motion through poses at given times.
    Keyframes(Keyframes),
    /// Motion under a load along an axis.
    Driven(Box<Driven>),
}

/// Velocities of a rigid body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of its point at the origin, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
}

impl Twist {
    /// Rotation at `spin` (rad/s) about an axis through `point` (m).
    pub(crate) fn about(point: &Vec3, spin: Vec3) -> Self {
        Self { velocity: point.cross(&spin), spin }
    }

    /// Velocity (m/s) of its point at `p` (m).
    #[inline(always)]
    pub fn at(&self, p: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(p)
    }
}

impl Motion {
    /// Pose at `time` (s) of a body with the identity pose at time 0.
    pub fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Fixed => Pose::default(),
            Self::Velocity(v) => Pose { shift: v * time, ..Pose::default() },
            Self::Screw { point, axis, rate, velocity } => {
                let turned = Pose::about(point, rotation::exp(&(axis * (0.5 * rate * time))));
                Pose { shift: turned.shift + axis * (velocity * time), ..turned }
            }
            Self::Keyframes(keyframes) => keyframes.pose(time),
            Self::Driven(driven) => driven.pose(time),
        }
    }

    /// Velocities at `time` (s).
    pub fn twist(&self, time: f64) -> Twist {
        match self {
            Self::Fixed => Twist::default(),
            Self::Velocity(velocity) => Twist { velocity: *velocity, ..Twist::default() },
            Self::Screw { point, axis, rate, velocity } => {
                let turning = Twist::about(point, axis * *rate);
                Twist { velocity: turning.velocity + axis * *velocity, ..turning }
            }
            Self::Keyframes(keyframes) => keyframes.twist(time),
            Self::Driven(driven) => driven.twist(time),
        }
    }

    /// Times (s) at which its velocities or its load jump.
    pub(super) fn turns(&self) -> Vec<f64> {
        match self {
            Self::Keyframes(keyframes) => keyframes.keys.iter().map(|key| key.time).collect(),
            Self::Driven(driven) => driven.force.times().chain(driven.prescribed.turns()).collect(),
            _ => Vec::new(),
        }
    }

    /// The load and the translation under it.
    pub fn driven(&self) -> Option<&Driven> {
        match self {
            Self::Driven(driven) => Some(driven),
            _ => None,
        }
    }

    /// The same, to advance it.
    pub(crate) fn driven_mut(&mut self) -> Option<&mut Driven> {
        match self {
            Self::Driven(driven) => Some(driven),
            _ => None,
        }
    }

    /// Change of the motion between two times, s. Its velocities are those with which it ends: where the motion turns then, those
    /// before.
    pub fn between(&self, from: f64, to: f64) -> RestPoseTransfer {
        let twist = match self {
            Self::Keyframes(keyframes) => keyframes.twist_before(to, to - from),
            Self::Driven(driven) => return driven.between(from, to),
            _ => self.twist(to),
        };
        RestPoseTransfer { by: self.pose(to).after(&self.pose(from)), twist }
    }
}

/// Rigid motion of a held particle in a step.
#[derive(Clone, Copy, Debug)]
pub struct RestPoseTransfer {
    pub(super) by: Pose,
    /// Velocities at the end.
    pub(super) twist: Twist,
}

impl RestPoseTransfer {
    /// Position, orientation, velocity and spin after the step of a particle at `p`, `q` before it.
    #[inline]
    pub fn apply(&self, p: &Vec3, q: &Quat) -> (Vec3, Quat, Vec3, Vec3) {
        let p = self.by.apply(p);
        let q = self.by.turn * q;
        (p, q / q.norm(), self.twist.at(&p), self.twist.spin)
    }
}
