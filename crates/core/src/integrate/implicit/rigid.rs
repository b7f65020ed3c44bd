//! Rigid bodies in an implicit step. The rule for a sphere's angular velocity applies to a body's angular momentum L = I w about its
//! centre of mass. The rule for a sphere's orientation applies to the rotation x (rad) of a body from where it would be in free
//! rotation with L_n, which is exact: q(t) = exp(x(t)/2) q_free(t). So x is zero without torque, and energy and L are conserved.
//!
//! ```text
//! L^ = L_n + a (L_n - L_(n-1)),    x^ = a (x_n - x_(n-1)) + b (w^ - R(x^) w_free),    x_n = 0,
//! I(q^) w^ = L^,    L_(n+1) = L^ + b torque = I(q^) (w^ + delta/b)      at the objective's minimum,
//! ```
//!
//! where delta (rad) is the rotation from q^ to q_(n+1).

use crate::geometry::{Mat3, Quat, Vec3, free_rotation, rotation, solve_positive};
use crate::model::{Particles, RigidBody, State, Twist, World, Wrench};

use super::StepHistory;
use super::rule::{Inertia, shortest};

/// Sets p^, q^ and w^ of rigid bodies for a step with these `loads` on particles. Before, they are set as those of free
/// particles.
pub(super) fn predict<L: Iterator<Item = (usize, Wrench)>>(
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
    let inverse = RigidBody::inverse(&moment);
    let now = moment * state.w[first];
    let (mut momentum, mut dt, mut history) = (now + torque * weights.dt, weights.dt, Vec3::zeros());
    if let Some(previous) = previous.filter(|_| weights.previous != 0.0) {
        let former = &previous.start;
        let before = body.inertia(particles, &former.p, &body.mean(particles, &former.p)) * former.w[first];
        // without later changes of the spin: an impulse counts once, see `StepHistory`
        let after = moment * previous.w[first];
        momentum += (after - before) * weights.previous;
        dt += previous.dt * weights.previous;
        let free = free_rotation(&inverse, &after, -previous.dt) * state.q[first];
        history = rotation::rotation_between(&former.q[first], &free) * weights.previous;
    }
    let flight = Flight { turn: free_rotation(&inverse, &now, dt), inverse, momentum: now };
    let (turn, spin) = flight.deflected(&momentum, &history, weights.dt);
    body.set_rigid_positions(particles, &state.p, &turn, &mut inertia.target.p);
    for i in body.particles.clone() {
        inertia.target.q[i] = rotation::turn_by(&state.q[i], &turn);
        inertia.w[i] = spin;
    }
}

/// Free rotation of a body.
struct Flight {
    turn: Quat,
    /// Inverse of the moment of inertia before it, 1/(kg m2).
    inverse: Mat3,
    /// kg m2/s.
    momentum: Vec3,
}

impl Flight {
    /// Rotation and angular velocity (rad/s) of the body with the angular momentum L^, `momentum` (kg m2/s), at the end of a step.
    /// `history` (rad) is a (x_n - x_(n-1)), and `b` (s) the weight of the end. Fixed-point iteration of x^.
    fn deflected(&self, momentum: &Vec3, history: &Vec3, b: f64) -> (Quat, Vec3) {
        /// Number of evaluations: each improves the result by an order of the deflection.
        const ROUNDS: usize = 8;
        let spin_of = |turn: &Quat, momentum: &Vec3| {
            rotation::rotate(turn, &(self.inverse * rotation::rotate(&turn.conjugate(), momentum)))
        };
        let free = spin_of(&self.turn, &self.momentum);
        let (mut turn, mut spin) = (self.turn, spin_of(&self.turn, momentum));
        let mut by = Quat::identity();
        for _ in 1..ROUNDS {
            by = rotation::exp(&((history + (spin - rotation::rotate(&by, &free)) * b) * 0.5));
            turn = by * self.turn;
            spin = spin_of(&turn, momentum);
        }
        (turn, spin)
    }
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
    solve_positive(moment, momentum).expect("spheres have inertia about every axis")
}
