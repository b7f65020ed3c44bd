use std::ops::Range;

use crate::geometry::{Quat, Vec3, rotation};

use super::{Motion, Ramp, State, Wrench};

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
    /// Velocity (m/s) and angular velocity (rad/s) of each particle after its end. Without any, those of its motion.
    pub released: Vec<[Vec3; 2]>,
}

/// Action of a constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Prescribes the particles' motion.
    Motion(Motion),
    /// Force and torque on each particle, N and N m.
    Load(Wrench),
    /// Those on each of the particles, in their order and in the mean of the particles' own axes, with which they turn. A load
    /// that turned with its own particle would make energy of vibrations.
    Loads(Vec<Wrench>),
}

impl Constraint {
    /// A constraint at all times.
    pub fn new(particles: Vec<u32>, action: Action) -> Self {
        Self { particles, action, times: 0.0..f64::INFINITY, factor: Ramp::default(), released: Vec::new() }
    }

    /// A motion prescribed at all times.
    pub fn moved(particles: Vec<u32>, motion: Motion) -> Self {
        Self::new(particles, Action::Motion(motion))
    }

    /// Whether it acts in a step from one time to another, s.
    pub fn acts(&self, from: f64, to: f64) -> bool {
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

    /// Loads on its particles at `time` (s) of a step from `start`, for orientations `ahead` (s) of those there; none of a motion.
    pub fn loads<'a>(
        &'a self,
        time: f64,
        start: &State,
        ahead: f64,
    ) -> impl Iterator<Item = (usize, Wrench)> + use<'a> {
        let factor = self.factor.at(time);
        let is_turned = matches!(self.action, Action::Loads(_));
        let turn = if is_turned { self.mean_orientation(start, ahead) } else { Quat::identity() };
        let loads = self.particles.iter().enumerate().filter(|_| self.motion().is_none());
        loads.map(move |(k, &i)| {
            let load = match &self.action {
                Action::Load(load) => *load,
                Action::Loads(loads) => loads[k].turned_by(&turn),
                Action::Motion(_) => Wrench::default(),
            };
            (i as usize, load * factor)
        })
    }

    /// Mean of its particles' orientations, turned on by their mean angular velocity for a time, s.
    fn mean_orientation(&self, state: &State, ahead: f64) -> Quat {
        let first = self.particles.first().map_or(Quat::identity(), |&i| state.q[i as usize]);
        // q and -q are the same rotation
        let aligned = |&i: &u32| state.q[i as usize] * state.q[i as usize].dot(&first).signum();
        let sum = self.particles.iter().map(aligned).fold(first * 0.0, |sum, q| sum + q);
        let spin = self.particles.iter().map(|&i| state.w[i as usize]).sum::<Vec3>() / self.particles.len() as f64;
        rotation::exp(&(spin * (0.5 * ahead))) * sum.normalize()
    }

    /// The prescribed motion, to advance one under a load.
    pub(crate) fn motion_mut(&mut self) -> Option<&mut Motion> {
        match &mut self.action {
            Action::Motion(motion) => Some(motion),
            Action::Load(_) | Action::Loads(_) => None,
        }
    }
}
