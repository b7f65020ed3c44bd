use crate::geometry::{Quat, Vec3};
use crate::integrate::Integrator;
use crate::model::{State, World};

/// Parts of a simulation that another program brings: see [`Simulation::extended`](super::Simulation::extended).
#[derive(Default)]
pub struct Extensions {
    /// Integrator in place of that of the settings, whose kind says how long steps are.
    pub integrator: Option<Box<dyn Integrator>>,
    /// Function of every committed step. With one, pieces do not sleep, and BDF2 takes the steps of implicit Euler.
    pub after_step: Option<AfterStep>,
}

/// Function of a committed step: a force of one's own, or something to look at.
pub type AfterStep = Box<dyn FnMut(StepEnd<'_>) + Send>;

/// End of a committed step. Velocities may be changed: the change of kinetic energy is the work of loads. Held particles keep
/// theirs, and free rigid bodies stay rigid.
///
/// A force F on particle i is `v[i] += F * dt / m`: a kick after the step, of first order in it.
pub struct StepEnd<'a> {
    /// World, without its moving state.
    pub world: &'a World,
    /// Time, s.
    pub time: f64,
    /// Length of the step, s.
    pub dt: f64,
    /// Position of each particle, m.
    pub p: &'a [Vec3],
    /// Orientation of each particle, a unit quaternion.
    pub q: &'a [Quat],
    /// Velocity of each particle, m/s.
    pub v: &'a mut [Vec3],
    /// Angular velocity of each particle, rad/s.
    pub w: &'a mut [Vec3],
}

impl Extensions {
    /// Calls the function, if there is one, at the end `state` of a step of `dt` (s). Returns the change of kinetic energy, J.
    pub(super) fn after_step(&mut self, world: &World, held: &[bool], state: &mut State, dt: f64) -> f64 {
        let Some(call) = &mut self.after_step else { return 0.0 };
        change_velocities(world, held, state, |State { p, q, v, w, time }| {
            call(StepEnd { world, time: *time, dt, p, q, v, w });
        })
    }
}

/// Changes velocities of `state` by `change`, but for `held` particles. Free rigid bodies stay rigid. Returns the change of kinetic
/// energy, J.
pub(super) fn change_velocities(
    world: &World,
    held: &[bool],
    state: &mut State,
    change: impl FnOnce(&mut State),
) -> f64 {
    let kinetic = |state: &State| <[f64; 2]>::from(state.kinetic_energy(&world.particles)).iter().sum::<f64>();
    let is_held = |&i: &usize| held.get(i).is_some_and(|held| *held);
    let kept: Vec<_> = (0..state.len()).filter(is_held).map(|i| (i, state.v[i], state.w[i])).collect();
    let before = kinetic(state);
    change(state);
    kept.into_iter().for_each(|(i, v, w)| (state.v[i], state.w[i]) = (v, w));
    for body in world.free_rigid() {
        body.make_velocities_rigid(&world.particles, state);
    }
    kinetic(state) - before
}
