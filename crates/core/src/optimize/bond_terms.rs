//! The bonds' terms of the semidefinite Hessian, eight at a time.
//!
//! The bonds count as unsheared and their ends as parallel: d = n, phi = 1, b = 0 in the notation of
//! [`BondPose`](crate::energy::BondPose).

use std::array::from_fn;

use crate::geometry::Vec3;
use crate::linalg::{Chunk, PairTerm};
use crate::model::{Bond, Modes};
use crate::simd::dispatch;
use crate::simd::{Lanes, PlainSingles, Singles, Vec3x};

/// One number each of eight bonds.
type Eight = [f32; 8];

/// Stiffnesses of eight bonds, scaled to N/m. Zeros in lanes without a bond.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Springs {
    n: Eight,
    /// Shear stiffness over (2 length)^2, for it multiplies an angle.
    s: Eight,
    /// Twisting and bending stiffness over length^2.
    t: Eight,
    b: Eight,
    /// Rest length over 2 length.
    rest: Eight,
}

impl Springs {
    /// Sets the bond in `lane`, with its damping: `rate` (1/s) is the coefficient's factor over the time step. `length`
    /// (m) scales rotations.
    pub(super) fn set(&mut self, lane: usize, bond: &Bond, length: f64, rate: f64) {
        let Modes { n, s, t, b } = bond.k.plus(&bond.c, rate);
        let square = length * length;
        self.n[lane] = n as f32;
        self.s[lane] = (s / (4.0 * square)) as f32;
        self.t[lane] = (t / square) as f32;
        self.b[lane] = (b / square) as f32;
        self.rest[lane] = (bond.l0 / (2.0 * length)) as f32;
    }

    /// The terms of bonds with `arm` between their ends, in units of 2 length. Zeros in lanes without a bond, for any
    /// arm.
    #[inline(always)]
    fn terms<S: Singles>(&self, arm: Vec3x<S>) -> PairTerm<S> {
        let (n, b) = (S::load(&self.n), S::load(&self.b));
        let one = S::splat(1.0);
        /// Least squared arm. A lane without a bond couples a node to itself, with a zero arm, and so does a spring whose
        /// ends meet. The quotient by it must be finite.
        const LEAST: f32 = 1e-24;
        let squared = arm.dot(arm).max(S::splat(LEAST));
        let per_square = one / squared;
        let shear = S::load(&self.s) * per_square;
        // the geometric term of tension, k_n (1 - l0/l) across n
        let geometric = n * (one - S::load(&self.rest) / squared.sqrt()).max(S::splat(0.0));
        PairTerm {
            arm: [arm.x, arm.y, arm.z],
            shear,
            geometric,
            axial: (n - shear - geometric) * per_square,
            bend: b,
            twist: (S::load(&self.t) - b) * per_square,
        }
    }
}

/// The term of one bond between positions `p` (m), with the bits of the vector lanes.
pub(crate) fn bond_term(bond: &Bond, p: &[Vec3], length: f64, rate: f64) -> PairTerm {
    let mut springs = Springs::default();
    springs.set(0, bond, length, rate);
    let arms = arms::<PlainSingles>(p, [bond.i as usize; 8], [bond.j; 8], 0.5 / length);
    springs.terms(arms).lane(0)
}

dispatch! {
    /// Sets the terms of a chunk whose groups are `springs` between positions `p`, m; `half` = 1/(2 length).
    pub(super) fn set_bond_terms(springs: &[Springs], p: &[Vec3], half: f64, chunk: &mut Chunk) = kernel
}

#[inline(always)]
fn kernel<L: Lanes>(springs: &[Springs], p: &[Vec3], half: f64, chunk: &mut Chunk) {
    for tile in chunk.tiles() {
        let (i, groups) = (chunk.nodes_of(tile), chunk.groups_of(tile));
        for (group, springs) in chunk.groups[groups.clone()].iter_mut().zip(&springs[groups]) {
            let arms = arms::<L::Singles>(p, i, group.read, half);
            group.set(&springs.terms(arms));
        }
    }
}

/// Arms: half the vectors from i to j, over the length. Differences are in double precision, since positions may be far
/// from the origin.
#[inline(always)]
fn arms<S: Singles>(p: &[Vec3], i: [usize; 8], j: [u32; 8], half: f64) -> Vec3x<S> {
    let (p_i, p_j) = (i.map(|i| &p[i]), j.map(|j| &p[j as usize]));
    let component = |k: usize| S::rounded(&from_fn(|lane| (p_j[lane][k] - p_i[lane][k]) * half));
    Vec3x::new(component(0), component(1), component(2))
}
