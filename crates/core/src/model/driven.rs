use serde::{Deserialize, Serialize};

use crate::geometry::{Pose, Vec3};

use super::{Motion, Ramp, RestPoseTransfer, Twist};

/// Motion whose translation along an axis follows from a load and the forces of particles, as of a platen. All else is
/// prescribed.
#[derive(Clone, Debug, PartialEq)]
pub struct Driven {
    /// The prescribed part.
    pub prescribed: Motion,
    /// Unit vector along which the load acts.
    pub axis: Vec3,
    /// Force along the axis over time, N.
    pub force: Ramp,
    /// Law of the translation.
    pub law: DriveLaw,
    /// Translation so far.
    pub course: Course,
}

/// Law of a translation under a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriveLaw {
    /// Newton's law for this mass, kg.
    Mass(f64),
    /// Servo: a velocity towards the position where the particles balance the load, of at most this speed, m/s.
    Servo(f64),
}

/// Translation along the axis of a [`Driven`] motion: steady in each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// End of the last step, s.
    time: f64,
    /// Displacement there, m.
    shift: f64,
    /// Velocities before and after it, m/s.
    velocities: [f64; 2],
    /// Force of the particles there, N.
    force: f64,
    /// Decrease of that force over the displacement, N/m: see [`Course::stiffness_after`].
    stiffness: f64,
}

/// Particles in the way of a [`Driven`] wall that touches none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ahead {
    /// Smallest gap, m; infinite without particles.
    pub gap: f64,
    /// Stiffness of those that it meets in the step, N/m.
    pub stiffness: f64,
}

impl Ahead {
    pub(crate) const NOTHING: Self = Self { gap: f64::INFINITY, stiffness: 0.0 };
}

/// Share of the way to balance that a servo takes in a step.
const SERVO_SHARE: f64 = 0.5;

impl Driven {
    /// A motion under a load, at rest.
    pub fn new(prescribed: Motion, axis: Vec3, force: Ramp, law: DriveLaw) -> Self {
        Self { prescribed, axis, force, law, course: Course::default() }
    }

    /// Course of the first step, of `dt` (s): velocities are those at the middle of steps.
    pub(crate) fn first(&self, dt: f64, ahead: impl Fn(f64) -> Ahead) -> Course {
        let next = self.next_velocity(0.5 * dt, self.force.at(0.0), 0.0, ahead);
        Course { velocities: [0.0, next], ..self.course }
    }

    /// Course after a step of `dt` (s) to `time`, at whose end particles exerted a `force` along the axis (N). Their
    /// springs have the stiffness `elastic` (N/m). `ahead` is a function of the displacement of the next step, m.
    pub(crate) fn next(&self, time: f64, dt: f64, force: f64, elastic: f64, ahead: impl Fn(f64) -> Ahead) -> Course {
        let shift = self.course.shift(time);
        let stiffness = self.course.stiffness_after(shift, force, elastic);
        let next = self.next_velocity(dt, self.force.at(time) + force, stiffness, ahead);
        Course { time, shift, velocities: [self.course.velocities[1], next], force, stiffness }
    }

    /// Velocity (m/s) for a step of `dt` (s) under a `net` force (N). The mass is solved linearly implicitly in the `stiffness` of
    /// the last step (N/m), or in that ahead: stable at any step as long as it does not double.
    fn next_velocity(&self, dt: f64, net: f64, stiffness: f64, ahead: impl Fn(f64) -> Ahead) -> f64 {
        let velocity = self.course.velocities[1];
        if stiffness > 0.0 {
            return match self.law {
                DriveLaw::Mass(mass) => (velocity + dt * net / mass) / (1.0 + dt * dt * stiffness / mass),
                DriveLaw::Servo(speed) => (SERVO_SHARE * net / (stiffness * dt)).clamp(-speed, speed),
            };
        }
        let free = match self.law {
            DriveLaw::Mass(mass) => velocity + dt * net / mass,
            DriveLaw::Servo(speed) => speed * if net == 0.0 { 0.0 } else { net.signum() },
        };
        let way = dt * free;
        let Ahead { gap, stiffness } = ahead(way);
        if gap >= way.abs() {
            return free;
        }
        let beyond = match self.law {
            DriveLaw::Mass(mass) => (way.abs() - gap) / (1.0 + dt * dt * stiffness / mass),
            DriveLaw::Servo(_) => (SERVO_SHARE * net.abs() / stiffness).min(way.abs() - gap),
        };
        way.signum() * (gap + beyond) / dt
    }

    pub(super) fn pose(&self, time: f64) -> Pose {
        let pose = self.prescribed.pose(time);
        Pose { shift: pose.shift + self.axis * self.course.shift(time), ..pose }
    }

    pub(super) fn twist(&self, time: f64) -> Twist {
        self.with_velocity(self.prescribed.twist(time), time)
    }

    pub(super) fn between(&self, from: f64, to: f64) -> RestPoseTransfer {
        let twist = self.with_velocity(self.prescribed.between(from, to).twist, to);
        RestPoseTransfer { by: self.pose(to).after(&self.pose(from)), twist }
    }

    fn with_velocity(&self, twist: Twist, time: f64) -> Twist {
        Twist { velocity: twist.velocity + self.axis * self.course.velocity(time), ..twist }
    }
}

impl Course {
    fn velocity(&self, time: f64) -> f64 {
        self.velocities[usize::from(time > self.time)]
    }

    /// Stiffness of the particles (N/m) by a step to this displacement (m) and force (N); `elastic` is that of their springs alone.
    /// It follows a rise at once, and a fall over some steps, since waves make a contact look soft.
    fn stiffness_after(&self, shift: f64, force: f64, elastic: f64) -> f64 {
        /// Share that is left of the stiffness after a step that shows less.
        const KEPT: f64 = 0.8;
        /// Bound over the elastic stiffness. Dashpots of a short step add several times that.
        const BOUND: f64 = 10.0;
        let before = if self.stiffness > 0.0 { KEPT * self.stiffness } else { elastic };
        let shown = (self.force - force) / (shift - self.shift);
        before.max(if shown.is_finite() { shown } else { 0.0 }).min(BOUND * elastic)
    }

    fn shift(&self, time: f64) -> f64 {
        self.shift + self.velocity(time) * (time - self.time)
    }
}
