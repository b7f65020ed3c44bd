use std::ops::Range;

use super::{Motion, Wrench};

/// What is done to chosen particles, and when.
#[derive(Clone, Debug)]
pub struct Constraint {
    pub particles: Vec<u32>,
    pub action: Action,
    /// From when to when, s. A step belongs to it whole if its middle does.
    pub times: Range<f64>,
}

/// What a constraint does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Prescribes the particles' motion.
    Motion(Motion),
    /// Pushes and turns each particle, N and N m, wherever it is.
    Load(Wrench),
}

impl Constraint {
    /// One that acts at all times.
    pub fn new(particles: Vec<u32>, action: Action) -> Self {
        Self { particles, action, times: 0.0..f64::INFINITY }
    }

    /// Particles that move as they are told at all times.
    pub fn moved(particles: Vec<u32>, motion: Motion) -> Self {
        Self::new(particles, Action::Motion(motion))
    }

    /// Whether it acts in a step from one time to another, s.
    pub fn acts(&self, from: f64, to: f64) -> bool {
        self.times.contains(&(0.5 * (from + to)))
    }

    /// The motion that it prescribes.
    pub fn motion(&self) -> Option<&Motion> {
        match &self.action {
            Action::Motion(motion) => Some(motion),
            Action::Load(_) => None,
        }
    }
}
