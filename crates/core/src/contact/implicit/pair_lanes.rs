use super::PairStep;
use crate::contact::friction::{ContactPoint, TangentialLaw};
use crate::contact::lanes::{Turn, stretches, unit};
use crate::model::{Closing, Coefficients, DampedNormalSpring, NormalSpring};
use crate::neighbours::ContactPair;
use crate::simd::{Lanes, Vec3x, vectors};

/// Lanes at most.
pub(crate) const MOST: usize = 8;

/// Pairs of a register in a step.
pub(super) struct PairLanes<'a, L> {
    step: &'a PairStep<'a>,
    index: [u32; MOST],
    ends: [[u32; MOST]; 2],
    /// Distance at which they begin to touch, m.
    pub reach: L,
    spring: NormalSpring<L>,
    pub mu: Coefficients<L>,
    /// Unit normal from i to j, and at the start of the step.
    pub n: Vec3x<L>,
    pub n_0: Vec3x<L>,
    /// Distance of the centres, m.
    pub distance: L,
    /// Overlap, zero without contact, m.
    pub overlap: L,
    closing: Closing<L>,
    /// Displacement of the centre of i over that of j, m.
    moved: Vec3x<L>,
}

impl<'a, L: Lanes> PairLanes<'a, L> {
    #[inline(always)]
    pub(super) fn load(step: &'a PairStep<'a>, index: &[u32; MOST]) -> Self {
        let (ends, [reach, k, size, softening, damping, tangential, sticking, sliding]) =
            columns::<L>(step.pairs, index);
        let [p_i, p_j]: [Vec3x<L>; 2] = [vectors(&step.after.p, &ends[0]), vectors(&step.after.p, &ends[1])];
        let moved = (p_i - vectors(&step.before.p, &ends[0])) - (p_j - vectors(&step.before.p, &ends[1]));
        let branch = p_j - p_i;
        let start = branch + moved;
        let (distance, distance_0) = (branch.dot(branch).sqrt(), start.dot(start).sqrt());
        let zero = L::splat(0.0);
        Self {
            step,
            index: *index,
            ends,
            reach,
            spring: NormalSpring { law: step.law, k, size, softening, damping, tangential },
            mu: Coefficients { sticking, sliding },
            n: unit(branch, distance),
            n_0: unit(start, distance_0),
            distance,
            overlap: (reach - distance).max(zero),
            closing: Closing { before: (reach - distance_0).max(zero), rate: L::splat(step.rate) },
            moved,
        }
    }

    /// The normal spring with its dashpot.
    #[inline(always)]
    pub(super) fn spring(&self) -> DampedNormalSpring<'_, L> {
        DampedNormalSpring { spring: &self.spring, closing: self.closing }
    }

    /// Power of the dashpot, W.
    #[inline(always)]
    pub(super) fn power(&self) -> L {
        self.spring().resistance(self.overlap) * ((self.overlap - self.closing.before) * self.closing.rate)
    }

    /// Tangential law at a `depth` (m) within both surfaces, half the overlap.
    #[inline(always)]
    pub(super) fn tangential(&self, depth: L) -> TangentialLaw<L> {
        let overlaps = [self.depth_0() * L::splat(2.0), depth * L::splat(2.0)];
        TangentialLaw::new(&self.spring, self.spring.damping * self.closing.rate, overlaps)
    }

    /// Depth of the contact points at the start of the step, m.
    #[inline(always)]
    fn depth_0(&self) -> L {
        let [_, _, _, depth, ..] = L::columns(self.step.springs, &self.index);
        depth
    }

    /// Radii of both particles, m.
    #[inline(always)]
    pub(super) fn radii(&self) -> [L; 2] {
        let (mut columns, mut lane) = ([[0.0; MOST]; 2], 0);
        while lane < L::COUNT {
            columns[0][lane] = self.step.radius[self.ends[0][lane] as usize];
            columns[1][lane] = self.step.radius[self.ends[1][lane] as usize];
            lane += 1;
        }
        loaded(&columns)
    }

    /// Tangential springs at the start, m, and 1 for those that slid.
    #[inline(always)]
    pub(super) fn stretches(&self) -> (Vec3x<L>, L) {
        stretches(self.step.springs, &self.index)
    }

    /// Contact points and friction limits (N) of the earlier state; those of the springs at rest.
    #[inline(always)]
    pub(super) fn lagged_point(&self) -> (ContactPoint<L, 2>, L) {
        if self.step.lagged.is_empty() {
            let [_, _, _, depth, x, y, z, limit] = L::columns(self.step.springs, &self.index);
            return (self.point(Vec3x::new(x, y, z), depth, Vec3x::splat(0.0)), limit.abs());
        }
        let [x, y, z, limit, a, b, c, depth] = L::columns(self.step.lagged, &self.index);
        (self.point(Vec3x::new(x, y, z), depth, Vec3x::new(a, b, c)), limit)
    }

    /// Overlap at the start of the step, zero without contact, m.
    #[inline(always)]
    pub(super) fn overlap_0(&self) -> L {
        self.closing.before
    }

    /// The contact points at the normals `n`, at a `depth` (m) within both surfaces, with the slip `shift` (m) by their turn.
    #[inline(always)]
    pub(super) fn point(&self, n: Vec3x<L>, depth: L, shift: Vec3x<L>) -> ContactPoint<L, 2> {
        let states = [self.step.reference, &self.step.after.q];
        let turns = [Turn::load(states, &self.ends[0]), Turn::load(states, &self.ends[1])];
        let [r_i, r_j] = self.radii();
        let shift = if self.step.moves { shift } else { Vec3x::splat(0.0) };
        ContactPoint { n, arms: [r_i - depth, r_j - depth], moved: self.moved, turns, shift }
    }
}

/// Particles of pairs; reach, normal springs and coefficients of friction.
#[inline(always)]
fn columns<L: Lanes>(pairs: &[ContactPair], index: &[u32; MOST]) -> ([[u32; MOST]; 2], [L; 8]) {
    let (mut ends, mut columns, mut lane) = ([[0; MOST]; 2], [[0.0; MOST]; 8], 0);
    while lane < L::COUNT {
        let ContactPair { i, j, reach, spring, mu } = &pairs[index[lane] as usize];
        (ends[0][lane], ends[1][lane]) = (*i, *j);
        let NormalSpring { k, size, softening, damping, tangential, .. } = *spring;
        let row = [*reach, k, size, softening, damping, tangential, mu.sticking, mu.sliding];
        let mut k = 0;
        while k < 8 {
            columns[k][lane] = row[k];
            k += 1;
        }
        lane += 1;
    }
    (ends, loaded(&columns))
}

/// Registers of these numbers: a loop, for what array methods call is not compiled for the lanes' instructions.
#[inline(always)]
fn loaded<L: Lanes, const N: usize>(columns: &[[f64; MOST]; N]) -> [L; N] {
    let (mut registers, mut k) = ([L::splat(0.0); N], 0);
    while k < N {
        registers[k] = L::load(&columns[k]);
        k += 1;
    }
    registers
}
