use super::PairStep;
use crate::contact::friction::{Coefficients, ContactPoint, TangentialLaw};
use crate::contact::lanes::{Turn, unit, vectors};
use crate::contact::{ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{Closing, ClosingSpring, ContactSpring};
use crate::simd::{Lanes, Vec3x};

/// Lanes at most.
pub(crate) const MOST: usize = 8;

/// Pairs of a register in a step.
pub(super) struct PairLanes<'a, L> {
    step: &'a PairStep<'a>,
    ends: [[u32; MOST]; 2],
    /// Distance at which they begin to touch, m.
    pub reach: L,
    spring: ContactSpring<L>,
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
        let (ends, [reach, k, size, softening, damping, sticking, sliding]) = columns::<L>(step.pairs, index);
        let [p_i, p_j]: [Vec3x<L>; 2] = [vectors(&step.after.p, &ends[0]), vectors(&step.after.p, &ends[1])];
        let moved = (p_i - vectors(&step.before.p, &ends[0])) - (p_j - vectors(&step.before.p, &ends[1]));
        let branch = p_j - p_i;
        let start = branch + moved;
        let (distance, distance_0) = (branch.dot(branch).sqrt(), start.dot(start).sqrt());
        let zero = L::splat(0.0);
        Self {
            step,
            ends,
            reach,
            spring: ContactSpring { law: step.law, k, size, softening, damping },
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
    pub(super) fn spring(&self) -> ClosingSpring<'_, L> {
        ClosingSpring { spring: &self.spring, closing: self.closing }
    }

    /// Power of the dashpot, W.
    #[inline(always)]
    pub(super) fn power(&self) -> L {
        self.spring().resistance(self.overlap) * ((self.overlap - self.closing.before) * self.closing.rate)
    }

    #[inline(always)]
    pub(super) fn shear(&self) -> TangentialLaw<L> {
        TangentialLaw::new(self.spring.k, self.spring.damping * self.closing.rate)
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

    /// The contact points at the normals `n`, at `arms` (m) from the centres, with the slip `shift` (m) by their turn.
    #[inline(always)]
    pub(super) fn point(&self, n: Vec3x<L>, arms: [L; 2], shift: Vec3x<L>) -> ContactPoint<L, 2> {
        let states = [self.step.reference, &self.step.after.q];
        let turns = [Turn::load(states, &self.ends[0]), Turn::load(states, &self.ends[1])];
        ContactPoint { n, arms, moved: self.moved, turns, shift: self.step.slip(shift) }
    }
}

/// Particles of pairs; reach, normal springs and coefficients of friction.
#[inline(always)]
fn columns<L: Lanes>(pairs: &[ContactPair], index: &[u32; MOST]) -> ([[u32; MOST]; 2], [L; 7]) {
    let (mut ends, mut columns, mut lane) = ([[0; MOST]; 2], [[0.0; MOST]; 7], 0);
    while lane < L::COUNT {
        let ContactPair { i, j, reach, spring, mu } = &pairs[index[lane] as usize];
        (ends[0][lane], ends[1][lane]) = (*i, *j);
        let row = [*reach, spring.k, spring.size, spring.softening, spring.damping, mu.sticking, mu.sliding];
        let mut k = 0;
        while k < 7 {
            columns[k][lane] = row[k];
            k += 1;
        }
        lane += 1;
    }
    (ends, loaded(&columns))
}

/// Tangential springs of a register: see [`TangentialSpring`].
#[derive(Clone, Copy)]
pub(super) struct SpringLanes<L> {
    pub stretch: Vec3x<L>,
    /// 1 for one that slid.
    pub slid: L,
    pub n: Vec3x<L>,
    pub shift: Vec3x<L>,
    pub limit: L,
    pub arms: [L; 2],
}

impl<L: Lanes> SpringLanes<L> {
    #[inline(always)]
    pub(super) fn load(springs: &[TangentialSpring], index: &[u32; MOST]) -> Self {
        let (mut c, mut lane) = ([[0.0; MOST]; 13], 0);
        while lane < L::COUNT {
            let TangentialSpring { stretch, slides, n, shift, limit, arms } = &springs[index[lane] as usize];
            let slid = if *slides { 1.0 } else { 0.0 };
            let [a, b, c_] = [shift.x, shift.y, shift.z];
            let row = [stretch.x, stretch.y, stretch.z, n.x, n.y, n.z, a, b, c_, arms[0], arms[1], slid, *limit];
            let mut k = 0;
            while k < 13 {
                c[k][lane] = row[k];
                k += 1;
            }
            lane += 1;
        }
        let [x, y, z, n_x, n_y, n_z, s_x, s_y, s_z, arm_i, arm_j, slid, limit] = loaded(&c);
        let (stretch, n, shift) = (Vec3x::new(x, y, z), Vec3x::new(n_x, n_y, n_z), Vec3x::new(s_x, s_y, s_z));
        Self { stretch, slid, n, shift, limit, arms: [arm_i, arm_j] }
    }

    /// Writes the springs to the start of `out`.
    #[inline(always)]
    pub(super) fn store(&self, out: &mut [TangentialSpring]) {
        let Self { stretch, slid, n, shift, limit, arms } = self;
        let [x, y, z, s_x, s_y, s_z] = [stretch.x, stretch.y, stretch.z, shift.x, shift.y, shift.z];
        let c = stored([x, y, z, *slid, n.x, n.y, n.z, s_x, s_y, s_z, *limit, arms[0], arms[1]]);
        for (lane, out) in out[..L::COUNT].iter_mut().enumerate() {
            let [x, y, z, slid, n_x, n_y, n_z, s_x, s_y, s_z, limit, arm_i, arm_j] = c.map(|column| column[lane]);
            *out = TangentialSpring {
                stretch: Vec3::new(x, y, z),
                slides: slid > 0.0,
                n: Vec3::new(n_x, n_y, n_z),
                shift: Vec3::new(s_x, s_y, s_z),
                limit,
                arms: [arm_i, arm_j],
            };
        }
    }
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

/// The numbers of these registers.
#[inline(always)]
pub(super) fn stored<L: Lanes, const N: usize>(registers: [L; N]) -> [[f64; MOST]; N] {
    let (mut columns, mut k) = ([[0.0; MOST]; N], 0);
    while k < N {
        registers[k].store(&mut columns[k]);
        k += 1;
    }
    columns
}
