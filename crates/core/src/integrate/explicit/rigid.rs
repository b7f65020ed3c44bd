//! Rigid bodies in explicit steps: Newton's and Euler's equations for the total force F and torque T on their particles, about the
//! centre of mass. Kicks change the linear momentum and the angular momentum L, between which the body moves freely:
//!
//! ```text
//! M V <- M V + F dt/2,    L <- L + T dt/2,    w = I^-1 L
//! ```
//!
//! The [free rotation](free_rotation) conserves L and the energy at any length of the step. So the splitting is symmetric, of
//! second order, and exact without forces.

use crate::geometry::{Quat, Vec3, free_rotation, rotation, solve_positive};
use crate::model::{Gradient, RigidBody, State, World};

use super::Rule;

/// First kick of the bodies, where dV/dx is `gradient`. Each particle's velocity in `next` becomes that of a straight path from
/// its start to its end in the rotated body. `times` are the start and end of the step, s. Sets the angular
/// momenta of the bodies in the drift (kg m2/s), in their order.
pub(super) fn first_kick<R: Rule>(
    world: &World,
    gradient: &[Gradient],
    state: &State,
    times: [f64; 2],
    next: &mut State,
    momenta: &mut Vec<Vec3>,
) {
    let dt = times[1] - times[0];
    momenta.clear();
    for body in world.free_rigid() {
        let first = body.particles.start;
        let Kick { centre, velocity, impulse } = Kick::new(body, world, gradient, state, times, R::KICKS[0]);
        let inertia = body.inertia(&world.particles, &state.p, &centre);
        let momentum = inertia * state.w[first] + impulse;
        let inverse = RigidBody::inverse(&inertia);
        let turn = free_rotation(&inverse, &momentum, dt);
        let spin = rotation_vector(&turn, &(inverse * momentum * dt)) / dt;
        for i in body.particles.clone() {
            let arm = state.p[i] - centre;
            (next.v[i], next.w[i]) = (velocity + (rotation::rotate(&turn, &arm) - arm) / dt, spin);
        }
        momenta.push(momentum);
    }
}

/// Last kick. The particles receive the velocities of their body.
pub(super) fn last_kick<R: Rule>(
    world: &World,
    gradient: &[Gradient],
    state: &mut State,
    times: [f64; 2],
    momenta: &[Vec3],
) {
    for (body, momentum) in world.free_rigid().zip(momenta) {
        let Kick { centre, velocity, impulse } = Kick::new(body, world, gradient, state, times, R::KICKS[1]);
        let inertia = body.inertia(&world.particles, &state.p, &centre);
        let spin = solve_positive(&inertia, &(momentum + impulse)).expect("spheres have inertia about every axis");
        for i in body.particles.clone() {
            (state.v[i], state.w[i]) = (velocity + spin.cross(&(state.p[i] - centre)), spin);
        }
    }
}

/// Kick of a rigid body.
struct Kick {
    /// Centre of mass, m, and its velocity after the kick, m/s.
    centre: Vec3,
    velocity: Vec3,
    /// Angular impulse, kg m2/s.
    impulse: Vec3,
}

impl Kick {
    /// A `share` of a step's kick.
    fn new(body: &RigidBody, world: &World, gradient: &[Gradient], state: &State, times: [f64; 2], share: f64) -> Self {
        let (particles, dt) = (&world.particles, share * (times[1] - times[0]));
        let centre = body.mean(particles, &state.p);
        let mut push = body.resultant(gradient, &state.p, &centre);
        push += body.load(world.loads(times, state, 0.0), &state.p, &centre);
        let velocity = body.mean(particles, &state.v) + push.force * (dt / body.mass);
        Self { centre, velocity, impulse: push.torque * dt }
    }
}

/// Rotation vector (rad) of `turn`, with the whole turns of the vector `expected`.
fn rotation_vector(turn: &Quat, expected: &Vec3) -> Vec3 {
    rotation::with_whole_turns(rotation::log(turn) * 2.0, expected)
}
