//! The one evaluation of contacts in an explicit step, of `N` particles each: i and j, or i and a wall. One contact a lane.

use crate::model::{Coefficients, NormalSpring};
use crate::simd::{Lanes, Vec3x};

use super::friction::{ContactPoint, Friction, Limit, TangentialLaw};
use super::lanes::{Turn, pick};
use super::normal::{NormalForce, StepDamping};

/// Contacts in a step.
pub struct Contact<L, const N: usize> {
    /// Unit normals at the start and at the end, from i to the other. That of the start of a new contact is either.
    pub n: [Vec3x<L>; 2],
    /// Overlaps at the start and at the end, negative for gaps, m.
    pub overlaps: [L; 2],
    /// Displacement of i over the other at the contact point, but for rotations of particles, m.
    pub moved: Vec3x<L>,
    /// Rotations of the particles.
    pub turns: [Turn<L>; N],
    /// Normal spring.
    pub spring: NormalSpring<L>,
    /// Tangential spring at the start.
    pub frictional: Frictional<L, N>,
}

/// Tangential springs at the start of a step, and what they depend on.
#[derive(Clone, Copy)]
pub struct Frictional<L, const N: usize> {
    /// Radii of the particles, m.
    pub radii: [L; N],
    /// Coefficients of friction.
    pub mu: Coefficients<L>,
    /// Stretch, m.
    pub stretch: Vec3x<L>,
    /// 1 for one that slid, else 0.
    pub slid: L,
}

/// Forces at the end of a step, and what the step dissipates.
pub struct Response<L, const N: usize> {
    /// dV/dp of i, N.
    pub force: Vec3x<L>,
    /// Negative torques on the particles, N m.
    pub torques: [Vec3x<L>; N],
    /// The dashpots' part of the force, N.
    pub dashpot: Vec3x<L>,
    /// The dashpots' part of the torques to first order in rotations of the step, N m.
    pub dashpot_torques: [Vec3x<L>; N],
    /// Work of the dashpots in the step, J.
    pub dashpot_work: L,
    /// Part of the normal force that undoes the trapezoidal rule's error of a step that opens or closes a damped contact, N.
    pub correction: L,
    /// Error of the trapezoidal rule, J.
    pub trapezoid_error: L,
    /// Energy dissipated in sliding, J.
    pub by_sliding: L,
    /// Tangential spring at the end, m. Zero without a normal force.
    pub stretch: Vec3x<L>,
    /// Friction limit at the end, N. Zero without a normal force.
    pub limit: L,
    /// Bits of those that slide.
    pub slides: u32,
    /// Mean force of the tangential spring in the step, N.
    pub mean_force: Vec3x<L>,
    /// Lever arms, m.
    pub arms: [L; N],
}

impl<L: Lanes, const N: usize> Frictional<L, N> {
    /// None.
    #[inline(always)]
    pub(super) fn none() -> Self {
        let zero = L::splat(0.0);
        let mu = Coefficients { sticking: zero, sliding: zero };
        Self { radii: [zero; N], mu, stretch: Vec3x::splat(0.0), slid: zero }
    }
}

impl<L: Lanes, const N: usize> Contact<L, N> {
    /// Evaluates the step.
    #[inline(always)]
    pub fn evaluate<const FRICTION: bool, const DAMPED: bool>(&self, damping: StepDamping) -> Response<L, N> {
        self.with_normal::<FRICTION>(&NormalForce::new::<DAMPED>(&self.spring, self.overlaps, damping))
    }

    #[inline(always)]
    fn with_normal<const FRICTION: bool>(&self, normal: &NormalForce<L>) -> Response<L, N> {
        let (zero, none) = (L::splat(0.0), Vec3x::splat(0.0));
        let smooth = Response {
            force: self.n[1] * normal.push,
            torques: [none; N],
            dashpot: self.n[1] * normal.dashpot,
            dashpot_work: normal.dashpot * self.n[1].dot(self.moved),
            dashpot_torques: [none; N],
            correction: normal.correction,
            trapezoid_error: normal.trapezoid_error,
            by_sliding: zero,
            stretch: none,
            limit: zero,
            slides: 0,
            mean_force: none,
            arms: [zero; N],
        };
        if FRICTION { self.with_friction(normal, smooth) } else { smooth }
    }

    /// The same in an implicit step: the dashpot is as it stands, and friction's limit that of the end.
    #[inline(always)]
    pub(super) fn in_implicit_step(&self, damping: StepDamping) -> Response<L, N> {
        self.with_normal::<true>(&NormalForce::in_implicit_step(&self.spring, self.overlaps, damping))
    }

    #[inline(always)]
    fn with_friction(&self, normal: &NormalForce<L>, smooth: Response<L, N>) -> Response<L, N> {
        let Frictional { mu, stretch, slid, .. } = self.frictional;
        let law = TangentialLaw::new(&self.spring, normal.drag, [self.overlaps[0], self.last_overlap()]);
        let friction = Friction::new(law, self.point(), stretch, Limit::Here(normal.push, mu, slid));
        let (force, end) = (friction.force(), friction.end());
        let (tangential, mean_force) = (friction.dashpot(end), friction.mean_force(end));
        let dashpot = smooth.dashpot + tangential;
        Response {
            force: smooth.force + force,
            torques: friction.point.moments(force),
            dashpot,
            dashpot_torques: friction.point.moments(tangential),
            // forces act about the normal at the end
            dashpot_work: dashpot.dot(friction.slip - friction.point.shift),
            by_sliding: friction.by_sliding(end, mean_force),
            stretch: pick(friction.limit, end, Vec3x::splat(0.0)),
            limit: friction.limit,
            slides: friction.slides(),
            mean_force,
            arms: friction.point.arms,
            ..smooth
        }
    }

    /// Overlap at the end, or at the start where the surfaces parted, m.
    #[inline(always)]
    fn last_overlap(&self) -> L {
        let (zero, [before, end]) = (L::splat(0.0), self.overlaps);
        zero.pick_below(end, end, before.max(zero))
    }

    /// The contact points: halfway within the overlap of two particles. Where the surfaces parted it is that of the start: their
    /// spring does its last work at its last contact point.
    #[inline(always)]
    fn point(&self) -> ContactPoint<L, N> {
        let (overlap, end) = (self.last_overlap(), self.overlaps[1]);
        let (share, mut arms, mut k) = (L::splat(1.0 / N as f64), self.frictional.radii, 0);
        while k < N {
            arms[k] = share.neg_mul_add(overlap, arms[k]);
            k += 1;
        }
        let (n, shift) = (pick(end, self.n[1], self.n[0]), Vec3x::splat(0.0));
        ContactPoint { n, arms, moved: self.moved, turns: self.turns, shift }.since(self.n[0])
    }
}
