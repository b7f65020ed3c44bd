use crate::geometry::{Pose, Quat, Vec3, rotation};

use super::Twist;

/// Poses at given times, with uniform motion between them and rest outside. Only their change since time 0 matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// Centre of rotations at time 0, m.
    pub pivot: Vec3,
    /// Keyframes, at least one, in order of time.
    pub keys: Vec<Key>,
}

/// Pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Time, s.
    pub time: f64,
    /// Position of the pivot, m.
    pub position: Vec3,
    /// Rotation vector, rad; of any number of turns.
    pub turn: Vec3,
}

impl Keyframes {
    /// Pose at `time` (s) of a body with the identity pose at time 0.
    pub fn pose(&self, time: f64) -> Pose {
        let [(from, start), (to, turn)] = [0.0, time].map(|time| self.pivot_at(time));
        let about = Pose::about(&self.pivot, turn * start.conjugate());
        Pose { shift: about.shift + to - from, ..about }
    }

    /// Velocities at `time` (s); at a key, those of the following segment.
    pub fn twist(&self, time: f64) -> Twist {
        self.twist_of(self.segment(time).1, time)
    }

    /// Velocities at `time` (s), the end of a step of `dt` (s); at a key, those of the segment before.
    pub(super) fn twist_before(&self, time: f64, dt: f64) -> Twist {
        /// Rounding of times, over the length of a step.
        const ROUNDING: f64 = 1e-6;
        self.twist_of(self.segment(time - ROUNDING * dt).1, time)
    }

    /// Velocities at `time` (s) of the uniform motion with this velocity (m/s) of the pivot and this spin (rad/s).
    fn twist_of(&self, [velocity, spin]: [Vec3; 2], time: f64) -> Twist {
        let moved = self.pivot_at(time).0 - self.pivot_at(0.0).0;
        let turning = Twist::about(&(self.pivot + moved), spin);
        Twist { velocity: turning.velocity + velocity, ..turning }
    }

    /// Position of the pivot (m) and orientation at `time` (s).
    fn pivot_at(&self, time: f64) -> (Vec3, Quat) {
        let (from, [velocity, spin]) = self.segment(time);
        let since = time.max(from.time) - from.time;
        let turn = rotation::exp(&(spin * (0.5 * since))) * rotation::exp(&(from.turn * 0.5));
        (from.position + velocity * since, turn)
    }

    /// Start of the segment at `time`, and the uniform motion in it: velocity (m/s) and spin (rad/s).
    fn segment(&self, time: f64) -> (&Key, [Vec3; 2]) {
        let passed = self.keys.partition_point(|key| key.time <= time);
        match (passed.checked_sub(1).map(|last| &self.keys[last]), self.keys.get(passed)) {
            (Some(from), Some(to)) => {
                let rate = 1.0 / (to.time - from.time);
                let velocity = (to.position - from.position) * rate;
                (from, [velocity, between(&from.turn, &to.turn) * rate])
            }
            (from, _) => (from.unwrap_or(&self.keys[0]), [Vec3::zeros(); 2]),
        }
    }
}

/// Rotation vector from one orientation to another. About a common axis it has the difference of their turns, otherwise
/// it is the shortest.
fn between(from: &Vec3, to: &Vec3) -> Vec3 {
    /// Sine of the angle between axes that differ by rounding.
    const ROUNDING: f64 = 1e-12;
    if from.cross(to).norm() <= ROUNDING * from.norm() * to.norm() {
        return to - from;
    }
    rotation::rotation_between(&rotation::exp(&(from * 0.5)), &rotation::exp(&(to * 0.5)))
}
