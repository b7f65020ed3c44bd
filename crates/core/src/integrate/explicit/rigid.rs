//! Rigid bodies in explicit steps: Newton's and Euler's equations for the total force and torque on their particles,
//!
//! ```text
//! M dV/dt = F,    I dw/dt = T - w x I w        about the centre of mass
//! ```

use crate::geometry::{Vec3, rotation};
use crate::model::{Gradient, RigidBody, State, World};

use super::Rule;

/// First kick of the bodies, where dV/dx is `gradient`. Each particle's velocity in `next` becomes that of a straight path from
/// its start to its end in the rotated body. `times` are the start and end of the step, s.
pub(super) fn first_kick<R: Rule>(
    world: &World,
    gradient: &[Gradient],
    state: &State,
    times: [f64; 2],
    next: &mut State,
) {
    let dt = times[1] - times[0];
    for body in world.free_rigid() {
        let [centre, velocity, spin] = kicked(body, world, gradient, state, times, R::KICKS[0]);
        let turn = R::turn(&(spin * dt));
        for i in body.particles.clone() {
            let arm = state.p[i] - centre;
            (next.v[i], next.w[i]) = (velocity + (rotation::rotate(&turn, &arm) - arm) / dt, spin);
        }
    }
}

/// Last kick. The particles receive the velocities of their body.
pub(super) fn last_kick<R: Rule>(world: &World, gradient: &[Gradient], state: &mut State, times: [f64; 2]) {
    for body in world.free_rigid() {
        let [centre, velocity, spin] = kicked(body, world, gradient, state, times, R::KICKS[1]);
        for i in body.particles.clone() {
            (state.v[i], state.w[i]) = (velocity + spin.cross(&(state.p[i] - centre)), spin);
        }
    }
}

/// Centre (m), velocity (m/s) and angular velocity (rad/s) of a body after a `share` of a step's kick.
fn kicked(
    body: &RigidBody,
    world: &World,
    gradient: &[Gradient],
    state: &State,
    times: [f64; 2],
    share: f64,
) -> [Vec3; 3] {
    let (particles, dt) = (&world.particles, share * (times[1] - times[0]));
    let (centre, spin) = (body.mean(particles, &state.p), state.w[body.particles.start]);
    let mut push = body.resultant(gradient, &state.p, &centre);
    push += body.load(world.loads(times[0], times[1]), &state.p, &centre);
    let inertia = body.inertia(particles, &state.p, &centre);
    let torque = push.torque - spin.cross(&(inertia * spin));
    let velocity = body.mean(particles, &state.v) + push.force * (dt / body.mass);
    let turned = inertia.cholesky().expect("spheres have inertia about every axis").solve(&torque);
    [centre, velocity, spin + turned * dt]
}
