//! Forces of contacts at the end of an explicit step, one contact a lane: of a particle with another one, or with a wall.

use crate::contact::Coefficients;
use crate::contact::particle_lanes::{TurnLanes, pick, rolled};
use crate::contact::tangential_spring::{Stretched, TangentialLaw};
use crate::model::{Closing, ClosingSpring, ContactSpring, Spring, World};
use crate::simd::{Lanes, Vec3x};

/// Contacts in the step, of `N` particles each: i and j, or i and a wall.
pub(super) struct StepGeometry<L, const N: usize> {
    /// Unit normals at the start and at the end, from i to the other.
    pub n: [Vec3x<L>; 2],
    /// Overlaps at the start and at the end, negative for gaps, m.
    pub overlaps: [L; 2],
    /// Displacement of i over the other at the contact point, but for rotations of particles, m.
    pub moved: Vec3x<L>,
    /// Rotations of the particles.
    pub turns: [TurnLanes<L>; N],
}

impl<L: Lanes, const N: usize> StepGeometry<L, N> {
    /// Overlap (m) at the end, or where the surfaces parted, at the start: their spring does its last work at its last contact
    /// point.
    #[inline(always)]
    pub(super) fn last_overlap(&self) -> L {
        let zero = L::splat(0.0);
        let (before, overlap) = (self.overlaps[0].max(zero), self.overlaps[1].max(zero));
        zero.pick_below(overlap, overlap, before)
    }

    /// Torques (N m) on the rotations of the particles, by a `force` (N) across the normal `n` at `arms` (m) from the centres.
    #[inline(always)]
    fn torques(&self, n: Vec3x<L>, force: Vec3x<L>, arms: [L; N]) -> [Vec3x<L>; N] {
        let (torque, mut torques, mut k) = (n.cross(force), [Vec3x::splat(0.0); N], 0);
        while k < N {
            torques[k] = self.turns[k].pull_back(torque * arms[k]);
            k += 1;
        }
        torques
    }
}

/// Damping of contacts in explicit steps.
#[derive(Clone, Copy)]
pub(super) struct StepDamping {
    /// Damping ratio: see [`World::contact_damping`](crate::model::World::contact_damping).
    pub zeta: f64,
    /// Inverse of the step, 1/s.
    pub rate: f64,
}

impl StepDamping {
    /// Damping of a `world` in a step between two times (s).
    pub(super) fn new(world: &World, [from, to]: [f64; 2]) -> Self {
        Self { zeta: world.contact_damping, rate: 1.0 / (to - from) }
    }
}

/// Normal forces.
pub(super) struct NormalForce<L> {
    /// Of spring and dashpot, N: negative where a step opens the contact.
    pub push: L,
    /// Of the dashpot, N.
    pub dashpot: L,
    /// What `push` has for the trapezoidal rule's error where the contact opens or closes, N.
    pub correction: L,
    /// Error of the trapezoidal rule for the spring, J.
    pub trapezoid_error: L,
    /// The dashpot's coefficient over the step, N/m.
    pub drag: L,
}

impl<L: Lanes> NormalForce<L> {
    /// Forces of these springs.
    #[inline(always)]
    pub(super) fn new<const DAMPED: bool, const N: usize>(
        spring: &ContactSpring<L>,
        step: &StepGeometry<L, N>,
        StepDamping { zeta, rate }: StepDamping,
    ) -> Self {
        let zero = L::splat(0.0);
        let (before, overlap) = (step.overlaps[0].max(zero), step.overlaps[1].max(zero));
        let elastic = spring.push(overlap);
        let [trapezoid_error, correction] = spring.trapezoid_error(step.overlaps);
        if !DAMPED || zeta == 0.0 {
            return Self { push: elastic, dashpot: zero, correction: zero, trapezoid_error, drag: zero };
        }
        let (spring, rate_) = (spring.in_explicit_step(zeta, rate, overlap.max(before)), L::splat(rate));
        let push = ClosingSpring { spring: &spring, closing: Closing { before, rate: rate_ } }.push(overlap);
        Self {
            push: push + correction,
            dashpot: push - elastic,
            correction,
            trapezoid_error,
            drag: spring.damping * rate_,
        }
    }
}

/// Friction.
pub(super) struct Friction<L, const N: usize> {
    /// On the surface of the other by i, N.
    pub force: Vec3x<L>,
    /// Torques on the rotations of the particles, N m.
    pub torques: [Vec3x<L>; N],
    /// The dashpot's part of `force` (N) and of `torques` (N m).
    pub dashpot: Vec3x<L>,
    pub dashpot_torques: [Vec3x<L>; N],
    /// Mean force of the spring in the step, N, and the energy dissipated without the dashpot, J.
    pub mean_force: Vec3x<L>,
    pub lost: L,
    /// Spring (m) and friction limit (N) at the end, zero without a normal force, and which of them slid, as bits.
    pub stretch: Vec3x<L>,
    pub limit: L,
    pub slides: u32,
}

impl<L: Lanes, const N: usize> Friction<L, N> {
    /// Friction of springs that were `stretch` (m) at the start, under a `normal` force, with `arms` (m) from the centres to
    /// the contact point. `slid` is 1 for those that slid, `k` the stiffness (N/m) that they refer to.
    #[inline(always)]
    pub(super) fn new(
        step: &StepGeometry<L, N>,
        shear: TangentialLaw<L>,
        push: L,
        mu: &Coefficients<L>,
        arms: [L; N],
        stretch: Vec3x<L>,
        slid: L,
    ) -> Self {
        let n = pick(step.overlaps[1], step.n[1], step.n[0]);
        let u = step.moved + rolled(&step.turns, arms).cross(n);
        let stretched = Stretched::new(shear, stretch, n, u);
        let limit = stretched.limit(push.max(L::splat(0.0)), mu, slid);
        let force = stretched.spring * stretched.weight(limit);
        let end = stretched.committed(limit);
        let mean_force = stretched.mean_force([stretch, end], n);
        let dashpot = stretched.dashpot(limit, end);
        Self {
            force,
            torques: step.torques(n, force, arms),
            dashpot,
            dashpot_torques: step.torques(n, dashpot, arms),
            mean_force,
            lost: stretched.dissipated([stretch, end], u, mean_force),
            stretch: pick(limit, end, Vec3x::splat(0.0)),
            limit,
            slides: !limit.not_below(stretched.unlimited()) & limit.not_below(L::splat(f64::MIN_POSITIVE)),
        }
    }
}
