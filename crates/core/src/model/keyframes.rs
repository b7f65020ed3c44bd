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

/// Uniform motion between two keys.
struct Segment {
    from: Key,
    /// m/s.
    velocity: Vec3,
    /// rad/s.
    spin: Vec3,
}

impl Keyframes {
    /// Pose at `time` (s) of a body with the identity pose at time 0.
    pub fn pose(&self, time: f64) -> Pose {
        let [(from, start), (to, turn)] = [0.0, time].map(|time| self.segment(time).at(time));
        let about = Pose::about(&self.pivot, turn * start.conjugate());
        Pose { shift: about.shift + to - from, ..about }
    }

    /// Velocities at `time` (s); at a key, those of the following segment.
    pub fn twist(&self, time: f64) -> Twist {
        let segment = self.segment(time);
        let moved = segment.at(time).0 - self.segment(0.0).at(0.0).0;
        let turning = Twist::about(&(self.pivot + moved), segment.spin);
        Twist { velocity: turning.velocity + segment.velocity, ..turning }
    }

    /// The segment at `time`.
    fn segment(&self, time: f64) -> Segment {
        let passed = self.keys.partition_point(|key| key.time <= time);
        let rest = |from: Key| Segment { from, velocity: Vec3::zeros(), spin: Vec3::zeros() };
        match (passed.checked_sub(1).map(|last| self.keys[last]), self.keys.get(passed)) {
            (Some(from), Some(to)) => {
                let rate = 1.0 / (to.time - from.time);
                let velocity = (to.position - from.position) * rate;
                Segment { from, velocity, spin: between(&from.turn, &to.turn) * rate }
            }
            (from, _) => rest(from.unwrap_or(self.keys[0])),
        }
    }
}

impl Segment {
    /// Position (m) and orientation at `time` (s).
    fn at(&self, time: f64) -> (Vec3, Quat) {
        let since = time.max(self.from.time) - self.from.time;
        let turn = rotation::exp(&(self.spin * (0.5 * since))) * rotation::exp(&(self.from.turn * 0.5));
        (self.from.position + self.velocity * since, turn)
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
