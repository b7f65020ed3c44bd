use serde::{Deserialize, Serialize};

use crate::geometry::{Quat, Vec3};

use super::Particles;

/// Poses and velocities of all particles at a time.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Positions, m.
    pub p: Vec<Vec3>,
    /// Orientations: unit quaternions, body to world.
    pub q: Vec<Quat>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// Angular velocities in the world frame, rad/s.
    pub w: Vec<Vec3>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let Self { time, p, q, v, w } = self;
        Self { time: *time, p: p.clone(), q: q.clone(), v: v.clone(), w: w.clone() }
    }

    /// Reuses the memory, as steps do often.
    fn clone_from(&mut self, source: &Self) {
        self.time = source.time;
        self.p.clone_from(&source.p);
        self.q.clone_from(&source.q);
        self.v.clone_from(&source.v);
        self.w.clone_from(&source.w);
    }
}

impl State {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.p.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.p.is_empty()
    }

    /// Whether it has an entry for each of `particles`.
    pub(crate) fn is_of(&self, particles: usize) -> bool {
        [self.p.len(), self.q.len(), self.v.len(), self.w.len()] == [particles; 4]
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.first_not_finite().is_none()
    }

    /// The first particle of which a position, orientation or velocity is infinite or not a number.
    pub fn first_not_finite(&self) -> Option<usize> {
        let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
        let of = |i: &usize| {
            let [p, v, w] = [&self.p[*i], &self.v[*i], &self.w[*i]].map(finite);
            p && v && w && self.q[*i].coords.iter().all(|x| x.is_finite())
        };
        (0..self.len()).find(|i| !of(i))
    }

    /// Translational and rotational kinetic energy, J.
    pub fn kinetic_energy(&self, particles: &Particles) -> (f64, f64) {
        let linear: f64 = self.v.iter().zip(&particles.mass).map(|(v, m)| 0.5 * m * v.norm_squared()).sum();
        let spin: f64 = self.w.iter().zip(&particles.inertia).map(|(w, j)| 0.5 * j * w.norm_squared()).sum();
        (linear, spin)
    }

    /// Momentum (kg m/s) and angular momentum about the origin, `sum p x m v + J w` (kg m2/s).
    pub fn momentum(&self, particles: &Particles) -> (Vec3, Vec3) {
        let mut linear = Vec3::zeros();
        let mut angular = Vec3::zeros();
        for i in 0..self.len() {
            let mv = self.v[i] * particles.mass[i];
            linear += mv;
            angular += self.p[i].cross(&mv) + self.w[i] * particles.inertia[i];
        }
        (linear, angular)
    }
}
