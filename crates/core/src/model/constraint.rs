use std::ops::Range;

use super::{Motion, Ramp, Wrench};

/// A motion or load of chosen particles, and its times.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Indices of the particles.
    pub particles: Vec<u32>,
    /// Motion or load of each of them.
    pub action: Action,
    /// Start and end, s. It acts in steps whose middle lies between them.
    pub times: Range<f64>,
    /// Factor on loads over time, that of the middle of a step.
    pub factor: Ramp,
}

/// Action of a constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Prescribes the particles' motion.
    Motion(Motion),
    /// Force and torque on each particle, N and N m.
    Load(Wrench),
    /// Those on each of the particles, in their order.
    Loads(Vec<Wrench>),
}

impl Constraint {
    /// A constraint at all times.
    pub fn new(particles: Vec<u32>, action: Action) -> Self {
        Self { particles, action, times: 0.0..f64::INFINITY, factor: Ramp::default() }
    }

    /// A motion prescribed at all times.
    pub fn moved(particles: Vec<u32>, motion: Motion) -> Self {
        Self::new(particles, Action::Motion(motion))
    }

    /// Whether it acts in a step from one time to another, s.
    pub(crate) fn acts(&self, from: f64, to: f64) -> bool {
        self.times.contains(&(0.5 * (from + to)))
    }

    /// Whether it acts at times of another one.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.times.start < other.times.end && other.times.start < self.times.end
    }

    /// The prescribed motion.
    pub fn motion(&self) -> Option<&Motion> {
        match &self.action {
            Action::Motion(motion) => Some(motion),
            Action::Load(_) | Action::Loads(_) => None,
        }
    }

    /// Loads on its particles at `time` (s); none of a motion.
    pub fn loads(&self, time: f64) -> impl Iterator<Item = (usize, Wrench)> {
        let factor = self.factor.at(time);
        let loads = self.particles.iter().enumerate().filter(|_| self.motion().is_none());
        loads.map(move |(k, &i)| {
            let load = match &self.action {
                Action::Load(load) => *load,
                Action::Loads(loads) => loads[k],
                Action::Motion(_) => Wrench::default(),
            };
            (i as usize, load * factor)
        })
    }

    /// The prescribed motion, to advance one under a load.
    pub(crate) fn motion_mut(&mut self) -> Option<&mut Motion> {
        match &mut self.action {
            Action::Motion(motion) => Some(motion),
            Action::Load(_) | Action::Loads(_) => None,
        }
    }
}
