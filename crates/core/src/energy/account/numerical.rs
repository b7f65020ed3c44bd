//! Energy errors of time rules: see [`account`](super).

use std::ops::AddAssign;

use crate::geometry::{Quat, Vec3, rotation};
use crate::model::{Displacement, Gradient, State, World};
use crate::parallel::{self, CHUNK, SERIAL_BELOW, sum_chunks};

/// Displacement of particle `i` in a step: translation (m), and world rotation vector (rad). Whole turns are recovered
/// from the spins. Without them the torque of a grain that spins over half a turn a step would do work of the wrong
/// sign.
#[inline]
pub(crate) fn displacement(before: &State, after: &State, i: usize) -> Displacement {
    let expected = (before.w[i] + after.w[i]) * (0.5 * (after.time - before.time));
    let turned = rotation::with_whole_turns(turned(&before.q[i], &after.q[i]), &expected);
    Displacement { translation: after.p[i] - before.p[i], rotation: turned }
}

/// [`rotation::rotation_between`], by a series for small rotations.
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

/// Energy gain `(v_1 - v_0).M ((v_0 + v_1)/2 - dx/dt)` (J) of particle `i` in a step by kicks, from `state` to the
/// velocities `to`. `mean` is its displacement over the step (m/s, rad/s).
#[inline(always)]
pub(crate) fn by_impulse(world: &World, state: &State, i: usize, mean: [Vec3; 2], to: [Vec3; 2]) -> f64 {
    let of = |m: f64, from: &Vec3, k: usize| m * (to[k] - from).dot(&((from + to[k]) * 0.5 - mean[k]));
    of(world.particles.mass[i], &state.v[i], 0) + of(world.particles.inertia[i], &state.w[i], 1)
}

/// Energy gain of a step by kicks, J: [`by_impulse`] over the particles with `of(i)`.
pub(crate) fn by_impulses(world: &World, before: &State, after: &State, of: impl Fn(usize) -> bool + Sync) -> f64 {
    let rate = 1.0 / (after.time - before.time);
    let spurious = |i: usize| {
        let Displacement { translation, rotation } = displacement(before, after, i);
        by_impulse(world, before, i, [translation * rate, rotation * rate], [after.v[i], after.w[i]])
    };
    sum_chunks(after.len(), SERIAL_BELOW, |range| range.filter(|i| of(*i)).map(spurious).sum())
}

/// Change of the kinetic energy of particle `i` in a step, J.
#[inline]
pub(crate) fn kinetic_gain(world: &World, before: &State, after: &State, i: usize) -> f64 {
    let gain = |m: f64, from: &Vec3, to: &Vec3| 0.5 * m * (to - from).dot(&(to + from));
    gain(world.particles.mass[i], &before.v[i], &after.v[i])
        + gain(world.particles.inertia[i], &before.w[i], &after.w[i])
}

/// Energies of an implicit step, J.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByInertia {
    /// Gain of free particles in kinetic energy.
    pub gained: f64,
    /// F.dx of free particles, with the force F = M (x_1 - x^)/b^2 of the time rule.
    pub work: f64,
    /// S.dx of free particles.
    pub free: f64,
    /// S.dx of held particles.
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

/// Energies of an implicit step with the `gradients` S at its end. `off` is the distance of each particle from its
/// inertial target with loads (m, rad). `b` is the time rule's weight of the step's length, s.
pub(crate) fn by_inertia(
    world: &World,
    held: &[bool],
    before: &State,
    after: &State,
    gradients: &[Gradient],
    off: impl Fn(usize) -> Displacement + Sync,
    b: f64,
) -> ByInertia {
    let (mass, inertia, rate) = (&world.particles.mass, &world.particles.inertia, 1.0 / (b * b));
    parallel::sum(parallel::chunks(gradients, CHUNK), |chunk, gradients| {
        let mut sum = ByInertia::default();
        for (i, gradient) in (chunk * CHUNK..).zip(gradients) {
            let displacement = displacement(before, after, i);
            if held[i] {
                sum.held += gradient.dot(&displacement);
                continue;
            }
            let off = off(i);
            sum.work += rate
                * (mass[i] * off.translation.dot(&displacement.translation)
                    + inertia[i] * off.rotation.dot(&displacement.rotation));
            sum.gained += kinetic_gain(world, before, after, i);
            sum.free += gradient.dot(&displacement);
        }
        sum
    })
}

/// `dV/dx.dx` of all particles, J, with the `gradient` of V by each.
pub(crate) fn by_gradients(before: &State, after: &State, gradient: impl Fn(usize) -> Gradient + Sync) -> f64 {
    sum_chunks(after.len(), SERIAL_BELOW, |range| range.map(|i| gradient(i).dot(&displacement(before, after, i))).sum())
}

/// Energy (J) above that which kicks of `dt` (s) conserve, `sum dt^2/8 |F|^2/M`, for dV/dx and the inverse masses and moments of inertia
/// (1/kg, 1/(kg m2)) of particles.
pub fn shadow_gap(gradients: &[Gradient], inverse: &[[f64; 2]], dt: f64) -> f64 {
    let of = |(gradient, [by_mass, by_inertia]): (&Gradient, &[f64; 2])| {
        gradient.p.norm_squared() * by_mass + gradient.theta.norm_squared() * by_inertia
    };
    let squares = parallel::sum(
        (parallel::chunks(gradients, CHUNK), parallel::chunks(inverse, CHUNK)),
        |_, (gradients, inverse)| gradients.iter().zip(inverse).map(of).sum::<f64>(),
    );
    0.125 * dt * dt * squares
}
