use serde::{Deserialize, Serialize};

use crate::geometry::{Vec3, rotation};
use crate::model::{Gradient, Particles, State};

/// Previous step of an implicit integrator, the data besides the state that it resumes from.
///
/// **Impulses.** Friction and other impulses between two steps are no part of a smooth motion. BDF2 of the plain difference
/// `v_n - v_(n-1)` would amplify them by 3/2 (e_(k+1) = 4/3 e_k - 1/3 e_(k-1) from e_0 = 1, e_(-1) = 0). So an impulse shifts
/// the history, as if the particle had always had the new velocity. All differences here are those of the integrator's own
/// motion, and every impulse counts once.
///
/// **Breakage.** A broken bond's force is gone, but no velocity jumped. So v_(n-1) loses the bond's acceleration in the
/// previous step. Then v_n - v_(n-1) is the effect of the remaining forces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepHistory {
    /// Length of the step, s.
    pub dt: f64,
    /// State at its start.
    pub start: State,
    /// Velocities at its end, before any impulse, m/s.
    pub v: Vec<Vec3>,
    /// Angular velocities at its end, before any impulse, rad/s.
    pub w: Vec<Vec3>,
    /// Whether forces jumped since then: bonds broke in a long step, or the active constraints changed. The next step is then
    /// one of implicit Euler.
    pub(crate) force_jump: bool,
    /// Whether a contact was possible in it.
    pub touching: bool,
}

impl StepHistory {
    /// Whether it fits a world of this number of `particles`.
    pub(super) fn is_of(&self, particles: usize) -> bool {
        self.start.is_of(particles) && [self.v.len(), self.w.len()] == [particles; 2]
    }

    /// Removes a force from the previous step: that of a broken bond with this `gradient` (N, N m) on particle `i`. Positions
    /// stay, because velocities do not jump.
    pub(super) fn remove_force(&mut self, particles: &Particles, i: usize, gradient: &Gradient) {
        self.start.v[i] -= gradient.p * (self.dt / particles.mass[i]);
        self.start.w[i] -= gradient.theta * (self.dt / particles.inertia[i]);
    }

    /// p_n - p_(n-1), m, with today's impulses in the previous step.
    #[inline]
    pub(crate) fn displacement(&self, now: &State, i: usize) -> Vec3 {
        now.p[i] - self.start.p[i] + (now.v[i] - self.v[i]) * self.dt
    }

    /// World rotation vector (rad) from q_(n-1) to q_n, likewise.
    #[inline]
    pub(crate) fn rotation(&self, now: &State, i: usize) -> Vec3 {
        let expected = (self.start.w[i] + self.w[i]) * (0.5 * self.dt);
        let turned = rotation::rotation_between(&self.start.q[i], &now.q[i]);
        rotation::with_whole_turns(turned, &expected) + (now.w[i] - self.w[i]) * self.dt
    }

    /// v_n - v_(n-1), m/s.
    #[inline]
    pub(crate) fn velocity_change(&self, i: usize) -> Vec3 {
        self.v[i] - self.start.v[i]
    }

    /// w_n - w_(n-1), rad/s.
    #[inline]
    pub(crate) fn spin_change(&self, i: usize) -> Vec3 {
        self.w[i] - self.start.w[i]
    }
}
