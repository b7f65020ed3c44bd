use crate::geometry::{Pose, Vec3, rotation};

use super::Twist;

/// Places at given times, and steady ways from each to the next; at rest before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    /// The point that rotations are about, m.
    pub pivot: Vec3,
    /// At least one, in the order of their times.
    pub keys: Vec<Key>,
}

/// Where a body is at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// s.
    pub time: f64,
    /// Of the pivot, from its place, m.
    pub position: Vec3,
    /// Rotation vector, rad; it may be of several turns.
    pub turn: Vec3,
}

/// The way from one key to the next.
struct Way {
    from: Key,
    /// m/s.
    velocity: Vec3,
    /// rad/s.
    spin: Vec3,
}

impl Keyframes {
    /// Where the body is at `time` (s).
    pub fn pose(&self, time: f64) -> Pose {
        let way = self.way(time);
        let since = time.max(way.from.time) - way.from.time;
        let turn = rotation::exp(&(way.spin * (0.5 * since))) * rotation::exp(&(way.from.turn * 0.5));
        let about = Pose::about(&self.pivot, turn);
        Pose { shift: about.shift + way.from.position + way.velocity * since, ..about }
    }

    /// Its velocities at `time` (s); at a key, those of the way that begins there.
    pub fn twist(&self, time: f64) -> Twist {
        let way = self.way(time);
        let since = time.max(way.from.time) - way.from.time;
        let pivot = self.pivot + way.from.position + way.velocity * since;
        let turning = Twist::about(&pivot, way.spin);
        Twist { velocity: turning.velocity + way.velocity, ..turning }
    }

    /// The way that it is on at `time`.
    fn way(&self, time: f64) -> Way {
        let passed = self.keys.partition_point(|key| key.time <= time);
        let rest = |from: Key| Way { from, velocity: Vec3::zeros(), spin: Vec3::zeros() };
        match (passed.checked_sub(1).map(|last| self.keys[last]), self.keys.get(passed)) {
            (Some(from), Some(to)) => {
                let rate = 1.0 / (to.time - from.time);
                let velocity = (to.position - from.position) * rate;
                Way { from, velocity, spin: between(&from.turn, &to.turn) * rate }
            }
            (from, _) => rest(from.unwrap_or(self.keys[0])),
        }
    }
}

/// The rotation vector that leads from one to another: as many turns as they differ by if they are about one axis, and otherwise the
/// shortest.
fn between(from: &Vec3, to: &Vec3) -> Vec3 {
    /// Sine of the angle between axes that are one but for rounding.
    const ROUNDING: f64 = 1e-12;
    if from.cross(to).norm() <= ROUNDING * from.norm() * to.norm() {
        return to - from;
    }
    rotation::rotation_between(&rotation::exp(&(from * 0.5)), &rotation::exp(&(to * 0.5)))
}
