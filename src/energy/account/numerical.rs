//! What a time rule itself makes or takes: see [`account`](super).

use std::ops::AddAssign;

use rayon::prelude::*;

use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{State, World, Wrench};
use crate::parallel::{sum_chunks, sum_parts};

/// Particles that are worth a second thread.
const SERIAL_BELOW: usize = 4096;

/// Particles a task.
const CHUNK: usize = 1024;

/// The way of a particle in a step: how far it moved (m), and the world rotation vector (rad) by which it turned. Spins tell
/// whole turns: of a grain that spins by more than a half turn a step, orientations show another rotation, and its torque's work
/// would have another sign.
#[inline]
pub fn way(before: &State, after: &State, i: usize) -> Wrench {
    let expected = (before.w[i] + after.w[i]) * (0.5 * (after.time - before.time));
    let turned = rotation::with_whole_turns(turned(&before.q[i], &after.q[i]), &expected);
    Wrench { force: after.p[i] - before.p[i], torque: turned }
}

/// [`rotation::rotation_between`], without elementary functions where little turns.
#[inline]
fn turned(from: &Quat, to: &Quat) -> Vec3 {
    let between = to * from.conjugate();
    let x = between.imag().norm_squared();
    if x > 1e-4 {
        return rotation::rotation_between(from, to);
    }
    // arcsin s/s, s = sqrt x
    let ratio = 1.0 + x / 6.0 * (1.0 + 9.0 * x / 20.0 * (1.0 + 25.0 * x / 42.0));
    between.imag() * (if between.w < 0.0 { -2.0 } else { 2.0 } * ratio)
}

/// `(v_1 - v_0).M ((v_0 + v_1)/2 - dx/dt)`, J: what a step by kicks makes of particle `i` between `state` and the velocities
/// `to`, its way between being `mean` (both m/s, rad/s) times the step.
#[inline(always)]
pub fn by_impulse(world: &World, state: &State, i: usize, mean: [Vec3; 2], to: [Vec3; 2]) -> f64 {
    let of = |m: f64, from: &Vec3, k: usize| m * (to[k] - from).dot(&((from + to[k]) * 0.5 - mean[k]));
    of(world.particles.mass[i], &state.v[i], 0) + of(world.particles.inertia[i], &state.w[i], 1)
}

/// What a step by kicks makes, J: [`by_impulse`] of the particles that are `of` a kind.
pub fn by_impulses(world: &World, before: &State, after: &State, of: impl Fn(usize) -> bool + Sync) -> f64 {
    let rate = 1.0 / (after.time - before.time);
    let made = |i: usize| {
        let way = way(before, after, i);
        by_impulse(world, before, i, [way.force * rate, way.torque * rate], [after.v[i], after.w[i]])
    };
    sum_chunks(after.len(), SERIAL_BELOW, |range| range.filter(|i| of(*i)).map(made).sum())
}

/// By how much a step raises the kinetic energy of particle `i`, J.
#[inline]
pub fn kinetic_gain(world: &World, before: &State, after: &State, i: usize) -> f64 {
    let gain = |m: f64, from: &Vec3, to: &Vec3| 0.5 * m * (to - from).dot(&(to + from));
    gain(world.particles.mass[i], &before.v[i], &after.v[i])
        + gain(world.particles.inertia[i], &before.w[i], &after.w[i])
}

/// Energies of an implicit step, J.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByInertia {
    /// What free particles gain in kinetic energy.
    pub gained: f64,
    /// F.dx of free particles, F = M (x_1 - x^)/b^2 being the force that the rule had.
    pub work: f64,
    /// S.dx of free particles, and of those that are held.
    pub free: f64,
    pub held: f64,
}

impl AddAssign for ByInertia {
    fn add_assign(&mut self, other: Self) {
        self.gained += other.gained;
        self.work += other.work;
        self.free += other.free;
        self.held += other.held;
    }
}

/// Those of a step whose `slopes` S at the end are these, by how far particles came `off` from where inertia and loads would
/// have taken them (m, rad), and by the weight `b` (s) that the rule has for the length of the step.
pub fn by_inertia(
    world: &World,
    held: &[bool],
    before: &State,
    after: &State,
    slopes: &[Wrench],
    off: impl Fn(usize) -> Wrench + Sync,
    b: f64,
) -> ByInertia {
    let (mass, inertia, rate) = (&world.particles.mass, &world.particles.inertia, 1.0 / (b * b));
    sum_parts(slopes.par_chunks(CHUNK).enumerate(), |(chunk, slopes)| {
        let mut sum = ByInertia::default();
        for (i, slope) in (chunk * CHUNK..).zip(slopes) {
            let way = way(before, after, i);
            if held[i] {
                sum.held += slope.dot(&way);
                continue;
            }
            let off = off(i);
            sum.work += rate * (mass[i] * off.force.dot(&way.force) + inertia[i] * off.torque.dot(&way.torque));
            sum.gained += kinetic_gain(world, before, after, i);
            sum.free += slope.dot(&way);
        }
        sum
    })
}

/// `dV/dx.dx` of all particles, J, V having the `slope` by each.
pub fn by_slopes(before: &State, after: &State, slope: impl Fn(usize) -> Wrench + Sync) -> f64 {
    sum_chunks(after.len(), SERIAL_BELOW, |range| range.map(|i| slope(i).dot(&way(before, after, i))).sum())
}
