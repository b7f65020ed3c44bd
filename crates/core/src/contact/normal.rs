//! Normal forces of contacts in an explicit step, one contact a lane. The law is that of
//! [`NormalSpring`](crate::model::NormalSpring).

use crate::model::{Closing, DampedNormalSpring, NormalPotential, NormalSpring, World};
use crate::simd::Lanes;

/// Damping of contacts in explicit steps.
#[derive(Clone, Copy, Debug)]
pub struct StepDamping {
    /// Damping ratio: see [`World::contact_damping`].
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

/// Normal forces at the end of a step.
pub(super) struct NormalForce<L> {
    /// All of it, N: negative where a step opens the contact.
    pub push: L,
    /// Part of the dashpot, N.
    pub dashpot: L,
    /// Part that undoes the trapezoidal rule's error of a step that opens or closes a damped contact, N.
    pub correction: L,
    /// Error of the trapezoidal rule for the spring, J.
    pub trapezoid_error: L,
    /// The dashpot's coefficient over the step, N/m.
    pub drag: L,
}

impl<L: Lanes> NormalForce<L> {
    /// Forces in an implicit step: see [`SurfaceMotion`](super::SurfaceMotion).
    #[inline(always)]
    pub(super) fn in_implicit_step(spring: &NormalSpring<L>, overlaps: [L; 2], damping: StepDamping) -> Self {
        let zero = L::splat(0.0);
        let [before, overlap] = [overlaps[0].max(zero), overlaps[1].max(zero)];
        let rate = L::splat(if damping.zeta > 0.0 { damping.rate } else { 0.0 });
        let (elastic, closing) =
            (spring.push(overlap), DampedNormalSpring { spring, closing: Closing { before, rate } });
        let push = closing.push(overlap);
        Self { push, dashpot: push - elastic, correction: zero, trapezoid_error: zero, drag: spring.damping * rate }
    }

    /// Forces of these springs, where `overlaps` are those at the start and at the end, negative for gaps, m.
    #[inline(always)]
    pub(super) fn new<const DAMPED: bool>(spring: &NormalSpring<L>, overlaps: [L; 2], damping: StepDamping) -> Self {
        let (zero, StepDamping { zeta, rate }) = (L::splat(0.0), damping);
        let [before, overlap] = [overlaps[0].max(zero), overlaps[1].max(zero)];
        let elastic = spring.push(overlap);
        let [trapezoid_error, correction] = spring.trapezoid_error(overlaps);
        if !DAMPED || zeta == 0.0 {
            return Self { push: elastic, dashpot: zero, correction: zero, trapezoid_error, drag: zero };
        }
        let spring = &spring.in_explicit_step(zeta, rate, overlap.max(before));
        let rate = L::splat(rate);
        let push = DampedNormalSpring { spring, closing: Closing { before, rate } }.push(overlap);
        Self {
            push: push + correction,
            dashpot: push - elastic,
            correction,
            trapezoid_error,
            drag: spring.damping * rate,
        }
    }
}
