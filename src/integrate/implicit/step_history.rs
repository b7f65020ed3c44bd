use serde::{Deserialize, Serialize};

use crate::geometry::{Vec3, rotation};
use crate::model::{Particles, State, Wrench};

/// What an implicit integrator keeps of the step before: all that a run needs, besides its state, to go on.
///
/// **Impulses.** Friction and whatever else changes velocities between two steps is not part of a smooth motion. A rule
/// that took
/// `v_n - v_(n-1)` as it stands would carry the change on: BDF2 makes 3/2 of it (e_(k+1) = 4/3 e_k - 1/3 e_(k-1) from
/// e_0 = 1, e_(-1) = 0). So an impulse moves the history along, as if the particle had had that velocity all the time:
/// all differences here are those of the motion that the integrator itself made, and every impulse counts once.
///
/// **Breakage.** Where a bond broke a force is gone, and no velocity has jumped: what the bond did in the step before is taken
/// out of v_(n-1), so that v_n - v_(n-1) is what the forces that are left did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepHistory {
    /// Length of the step that led here, s.
    pub dt: f64,
    /// The state that it began with.
    pub start: State,
    /// The velocities that it ended with, before anything else changed them: m/s, rad/s.
    pub v: Vec<Vec3>,
    pub w: Vec<Vec3>,
    /// Whether forces have jumped since, for bonds broke in a long step or constraints began or ceased to act: the motion before
    /// is no guide to the one that follows, and the next step is implicit Euler's.
    pub force_jump: bool,
    /// Whether anything might touch anything in it.
    pub touching: bool,
}

impl StepHistory {
    /// Whether it is one of `particles`.
    pub(super) fn is_of(&self, particles: usize) -> bool {
        self.start.is_of(particles) && [self.v.len(), self.w.len()] == [particles; 2]
    }

    /// Forces of the energy slope `lost` (N, N m) act on particle `i` no more: the motion before is as if they had not in the
    /// step that led here. Places are as they were, for velocities do not jump.
    pub(super) fn remove_force(&mut self, particles: &Particles, i: usize, gradient: &Wrench) {
        self.start.v[i] -= gradient.force * (self.dt / particles.mass[i]);
        self.start.w[i] -= gradient.torque * (self.dt / particles.inertia[i]);
    }

    /// p_n - p_(n-1), m, had the particle had today's impulse then.
    #[inline]
    pub fn displacement(&self, now: &State, i: usize) -> Vec3 {
        now.p[i] - self.start.p[i] + (now.v[i] - self.v[i]) * self.dt
    }

    /// The world rotation vector (rad) from q_(n-1) to q_n, with the impulse likewise.
    #[inline]
    pub fn rotation(&self, now: &State, i: usize) -> Vec3 {
        let expected = (self.start.w[i] + self.w[i]) * (0.5 * self.dt);
        let turned = rotation::rotation_between(&self.start.q[i], &now.q[i]);
        rotation::with_whole_turns(turned, &expected) + (now.w[i] - self.w[i]) * self.dt
    }

    /// v_n - v_(n-1), m/s.
    #[inline]
    pub fn velocity_change(&self, i: usize) -> Vec3 {
        self.v[i] - self.start.v[i]
    }

    /// w_n - w_(n-1), rad/s.
    #[inline]
    pub fn spin_change(&self, i: usize) -> Vec3 {
        self.w[i] - self.start.w[i]
    }
}
