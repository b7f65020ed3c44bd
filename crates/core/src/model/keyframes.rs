use crate::geometry::{Pose, Quat, Vec3, rotation};

use super::{Ease, Twist};

/// Poses at given times, with uniform or eased motion between them and rest outside. Only their change since time 0 matters.
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
    /// Progress towards the next key; uniform if none.
    pub ease: Option<Ease>,
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
        self.twist_of(velocities(self.segment(time), time), time)
    }

    /// Velocities at `time` (s), the end of a step of `dt` (s); at a key, those of the segment before.
    pub(super) fn twist_before(&self, time: f64, dt: f64) -> Twist {
        /// Rounding of times, over the length of a step.
        const ROUNDING: f64 = 1e-6;
        self.twist_of(velocities(self.segment(time - ROUNDING * dt), time), time)
    }

    /// Velocities at `time` (s) of a motion with this velocity (m/s) of the pivot and this spin (rad/s).
    fn twist_of(&self, [velocity, spin]: [Vec3; 2], time: f64) -> Twist {
        let moved = self.pivot_at(time).0 - self.pivot_at(0.0).0;
        let turning = Twist::about(&(self.pivot + moved), spin);
        Twist { velocity: turning.velocity + velocity, ..turning }
    }

    /// Position of the pivot (m) and orientation at `time` (s).
    fn pivot_at(&self, time: f64) -> (Vec3, Quat) {
        let (from, to) = self.segment(time);
        let Some(to) = to else { return (from.position, rotation::exp(&(from.turn * 0.5))) };
        let share = (time - from.time) / (to.time - from.time);
        let progress = from.ease.map_or(share, |ease| ease.progress(share));
        let turn = rotation::exp(&(between(&from.turn, &to.turn) * (0.5 * progress)));
        (from.position + (to.position - from.position) * progress, turn * rotation::exp(&(from.turn * 0.5)))
    }

    /// Key before `time` and the one after it, between which it moves; before the first key and after the last that one alone.
    fn segment(&self, time: f64) -> (&Key, Option<&Key>) {
        let passed = self.keys.partition_point(|key| key.time <= time);
        match passed.checked_sub(1) {
            Some(last) => (&self.keys[last], self.keys.get(passed)),
            None => (&self.keys[0], None),
        }
    }
}

/// Velocity of the pivot (m/s) and spin (rad/s) of a segment at `time` (s).
fn velocities((from, to): (&Key, Option<&Key>), time: f64) -> [Vec3; 2] {
    let Some(to) = to else { return [Vec3::zeros(); 2] };
    let span = to.time - from.time;
    let rate = from.ease.map_or(1.0, |ease| ease.rate((time - from.time) / span)) / span;
    [(to.position - from.position) * rate, between(&from.turn, &to.turn) * rate]
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
