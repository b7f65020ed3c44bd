//! Rigid bodies in an implicit step. The rule for a sphere's angular velocity applies to a body's angular momentum L = I w
//! about its centre of mass. Free flight conserves L while w rotates with the body:
//!
//! ```text
//! L^ = L_n + a (L_n - L_(n-1)),    I(q^) w^ = L^,    q^ = exp((a theta_0 + b w^)/2) q_n,
//! L_(n+1) = L^ + b torque = I(q^) (w^ + delta/b)         at the objective's minimum,
//! ```
//!
//! where delta (rad) is the rotation from q^ to q_(n+1).

use crate::geometry::{Mat3, Vec3, rotation};
use crate::model::{Particles, RigidBody, State, Twist, World, Wrench};

use super::StepHistory;
use super::rule::{Inertia, shortest};

/// Number of evaluations in [`free_turn`].
const ROUNDS: usize = 8;

/// Sets p^, q^ and w^ of rigid bodies for a step with these `loads` on particles. Before, they are set as those of free
/// particles.
pub(super) fn predict<'a, L: Iterator<Item = (usize, &'a Wrench)>>(
    world: &World,
    state: &State,
    previous: Option<&StepHistory>,
    loads: impl Fn() -> L,
    inertia: &mut Inertia,
) {
    for body in world.free_rigid() {
        let centre = body.mean(&world.particles, &state.p);
        let load = body.load(loads(), &state.p, &centre);
        predict_one(body, &world.particles, state, previous, &load.torque, inertia);
    }
}

fn predict_one(
    body: &RigidBody,
    particles: &Particles,
    state: &State,
    previous: Option<&StepHistory>,
    torque: &Vec3,
    inertia: &mut Inertia,
) {
    let (first, weights) = (body.particles.start, inertia.weights);
    let moment = body.inertia(particles, &state.p, &body.mean(particles, &state.p));
    let now = moment * state.w[first];
    let mut momentum = now + torque * weights.dt;
    let mut history_turn = Vec3::zeros();
    if let Some(previous) = previous.filter(|_| weights.previous != 0.0) {
        let former = &previous.start;
        let before = body.inertia(particles, &former.p, &body.mean(particles, &former.p)) * former.w[first];
        // without later changes of the spin: an impulse counts once, see `StepHistory`
        momentum += (moment * previous.w[first] - before) * weights.previous;
        history_turn = previous.rotation(state, first) * weights.previous;
    }
    let (theta, spin) = free_turn(&moment, &momentum, &history_turn, weights.dt, ROUNDS);
    body.set_rigid_positions(particles, &state.p, &theta, &mut inertia.target.p);
    for i in body.particles.clone() {
        inertia.target.q[i] = rotation::turn(&state.q[i], &theta);
        inertia.w[i] = spin;
    }
}

/// Rotation a theta_0 + b w^ (rad) and angular velocity w^ (rad/s) of a free body. Input: its moment of inertia before the
/// rotation (kg m2), its angular momentum L^ (kg m2/s), and `history_turn` = a theta_0. Fixed-point iteration of
/// `I(q^) w^ = L^`; each of the `rounds` improves the result by an order of the rotation.
pub(super) fn free_turn(moment: &Mat3, momentum: &Vec3, history_turn: &Vec3, b: f64, rounds: usize) -> (Vec3, Vec3) {
    let inverse = moment.try_inverse().expect("spheres have inertia about every axis");
    let mut spin = inverse * momentum;
    for _ in 1..rounds {
        let turn = rotation::rotation_matrix(&rotation::exp(&((history_turn + spin * b) * 0.5)));
        spin = turn * (inverse * (turn.transpose() * momentum));
    }
    (history_turn + spin * b, spin)
}

/// Sets the velocities of rigid bodies' particles in `next` to those of their body.
pub(super) fn set_velocities(world: &World, inertia: &Inertia, next: &mut State) {
    let particles = &world.particles;
    for body in world.free_rigid() {
        let first = body.particles.start;
        let moment = |p: &[Vec3]| body.inertia(particles, p, &body.mean(particles, p));
        let delta = shortest(&(next.q[first] * inertia.target.q[first].conjugate())) * 2.0;
        let momentum = moment(&inertia.target.p) * (inertia.w[first] + delta / inertia.weights.dt);
        let spin = solve(&moment(&next.p), &momentum);
        let (centre, velocity) = (body.mean(particles, &next.p), body.mean(particles, &next.v));
        let twist = Twist { velocity: velocity + centre.cross(&spin), spin };
        for i in body.particles.clone() {
            (next.v[i], next.w[i]) = (twist.at(&next.p[i]), spin);
        }
    }
}

fn solve(moment: &Mat3, momentum: &Vec3) -> Vec3 {
    moment.cholesky().expect("spheres have inertia about every axis").solve(momentum)
}
