use std::ops::Range;

use crate::geometry::{Mat3, Quat, Vec3, rotation, solve_positive};

use super::{Gradient, Particles, State, Wrench};

/// Particles at fixed relative positions.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// Indices of its particles.
    pub particles: Range<usize>,
    /// Whether it moves by the resultant of its forces; otherwise by a constraint.
    pub is_free: bool,
    /// Mass, kg.
    pub mass: f64,
}

impl RigidBody {
    /// The body of some of `all` particles.
    pub fn new(particles: Range<usize>, all: &Particles, is_free: bool) -> Self {
        Self { mass: all.mass[particles.clone()].iter().sum(), particles, is_free }
    }

    /// Mass-weighted mean of `of` over its particles.
    pub fn mean(&self, particles: &Particles, of: &[Vec3]) -> Vec3 {
        let sum: Vec3 = self.particles.clone().map(|i| of[i] * particles.mass[i]).sum();
        sum / self.mass
    }

    /// Moment of inertia about `centre` (m), kg m2.
    pub fn inertia(&self, particles: &Particles, p: &[Vec3], centre: &Vec3) -> Mat3 {
        self.particles.clone().map(|i| particles.inertia_about(i, &(p[i] - centre))).sum()
    }

    /// Inverse of a moment of inertia.
    pub(crate) fn inverse(inertia: &Mat3) -> Mat3 {
        inertia.try_inverse().expect("spheres have inertia about every axis")
    }

    /// Resultant about `centre` (m) of the loads that a potential of this `gradient` exerts on its particles.
    pub(crate) fn resultant(&self, gradient: &[Gradient], p: &[Vec3], centre: &Vec3) -> Wrench {
        sum_about(centre, p, self.particles.clone().map(|i| (i, gradient[i].load())))
    }

    /// Resultant of those `loads` on particles that are on its own, about `centre` (m).
    pub(crate) fn load(&self, loads: impl Iterator<Item = (usize, Wrench)>, p: &[Vec3], centre: &Vec3) -> Wrench {
        sum_about(centre, p, loads.filter(|(i, _)| self.particles.contains(i)))
    }

    /// Restores the rigid form after its particles moved from `from` to `p` (m) and `q`. It keeps their mean and the
    /// rotation of the first.
    pub(crate) fn make_rigid(&self, particles: &Particles, from: &State, p: &mut [Vec3], q: &[Quat]) {
        let first = self.particles.start;
        let turn = q[first] * from.q[first].conjugate();
        self.set_rigid_positions(particles, &from.p, &turn, p);
    }

    /// Sets the velocities of its particles to the rigid motion of equal momentum and angular momentum. Returns the
    /// dissipated kinetic energy, J.
    pub(crate) fn make_velocities_rigid(&self, particles: &Particles, state: &mut State) -> f64 {
        let centre = self.mean(particles, &state.p);
        let velocity = self.mean(particles, &state.v);
        let (mut momentum, mut dissipated) = (Vec3::zeros(), 0.0);
        for i in self.particles.clone() {
            let (m, j, v, w) = (particles.mass[i], particles.inertia[i], state.v[i], state.w[i]);
            momentum += (state.p[i] - centre).cross(&v) * m + w * j;
            dissipated += 0.5 * (m * v.norm_squared() + j * w.norm_squared());
        }
        let inertia = self.inertia(particles, &state.p, &centre);
        let spin = solve_positive(&inertia, &momentum).expect("spheres have inertia about every axis");
        for i in self.particles.clone() {
            let (v, w) = (velocity + spin.cross(&(state.p[i] - centre)), spin);
            dissipated -= 0.5 * (particles.mass[i] * v.norm_squared() + particles.inertia[i] * w.norm_squared());
            (state.v[i], state.w[i]) = (v, w);
        }
        dissipated
    }

    /// Sets the positions `p` of its particles to `from`, rotated by `turn` about their mean in `p` (m).
    pub(crate) fn set_rigid_positions(&self, particles: &Particles, from: &[Vec3], turn: &Quat, p: &mut [Vec3]) {
        let (old, new) = (self.mean(particles, from), self.mean(particles, p));
        for i in self.particles.clone() {
            p[i] = new + rotation::rotate(turn, &(from[i] - old));
        }
    }
}

/// Resultant of loads on particles at `p` (m), about `centre` (m).
fn sum_about(centre: &Vec3, p: &[Vec3], loads: impl Iterator<Item = (usize, Wrench)>) -> Wrench {
    let mut sum = Wrench::default();
    loads.for_each(|(i, load)| sum += load.with_arm(&(p[i] - centre)));
    sum
}
