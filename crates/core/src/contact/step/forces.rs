//! Forces of contacts at the end of an explicit step, one contact a lane: of a particle with another one, or with a wall.

use crate::contact::Coefficients;
use crate::contact::particle_lanes::{TurnLanes, pick, rolled};
use crate::contact::tangential_spring::{Stretched, TANGENTIAL};
use crate::model::{Closing, ClosingSpring, ContactSpring, Spring};
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
}

/// Normal forces.
pub(super) struct NormalForce<L> {
    /// Of spring and dashpot, N.
    pub push: L,
    /// Of the dashpot, N.
    pub dashpot: L,
}

impl<L: Lanes> NormalForce<L> {
    /// Forces of these springs; `rate` is the inverse of the step, 1/s.
    #[inline(always)]
    pub(super) fn new<const DAMPED: bool, const N: usize>(
        spring: &ContactSpring<L>,
        step: &StepGeometry<L, N>,
        rate: f64,
    ) -> Self {
        let zero = L::splat(0.0);
        let (before, overlap) = (step.overlaps[0].max(zero), step.overlaps[1].max(zero));
        let elastic = spring.push(overlap);
        if !DAMPED {
            return Self { push: elastic, dashpot: zero };
        }
        let push = ClosingSpring { spring, closing: Closing { before, rate: L::splat(rate) } }.push(overlap);
        Self { push, dashpot: push - elastic }
    }
}

/// Friction.
pub(super) struct Friction<L, const N: usize> {
    /// On the surface of the other by i, N.
    pub force: Vec3x<L>,
    /// Torques on the rotations of the particles, N m.
    pub torques: [Vec3x<L>; N],
    /// Mean force in the step, N, and the energy dissipated, J.
    pub mean_force: Vec3x<L>,
    pub lost: L,
    /// Spring (m) and friction limit (N) at the end, zero without a normal force, and which of them slid, as bits.
    pub stretch: Vec3x<L>,
    pub limit: L,
    pub slides: u32,
}

impl<L: Lanes, const N: usize> Friction<L, N> {
    /// Friction of springs that were `stretch` (m) at the start, under the normal force `push` (N), with `arms` (m) from the
    /// centres to the contact point. `slid` is 1 for those that slid, `k` the normal stiffness (N/m).
    #[inline(always)]
    pub(super) fn new(
        step: &StepGeometry<L, N>,
        k: L,
        push: L,
        mu: &Coefficients<L>,
        arms: [L; N],
        stretch: Vec3x<L>,
        slid: L,
    ) -> Self {
        let n = pick(step.overlaps[1], step.n[1], step.n[0]);
        let u = step.moved + rolled(&step.turns, arms).cross(n);
        let stretched = Stretched::new(L::splat(TANGENTIAL) * k, stretch, n, u);
        let limit = stretched.limit(push, mu, slid);
        let force = stretched.spring * stretched.weight(limit);
        let end = stretched.committed(limit);
        let mean_force = stretched.mean_force([stretch, end], n);
        let (torque, mut torques, mut k) = (n.cross(force), [Vec3x::splat(0.0); N], 0);
        while k < N {
            torques[k] = step.turns[k].pull_back(torque * arms[k]);
            k += 1;
        }
        Self {
            force,
            torques,
            mean_force,
            lost: stretched.dissipated([stretch, end], u, mean_force),
            stretch: pick(limit, end, Vec3x::splat(0.0)),
            limit,
            slides: !limit.not_below(stretched.unlimited()) & limit.not_below(L::splat(f64::MIN_POSITIVE)),
        }
    }
}
