//! Close pairs in blocks of eight, as columns that a vector register reads at once.

use std::ops::Range;

use crate::contact::lanes::{direction, vectors};
use crate::contact::{Coefficients, ContactPair};
use crate::geometry::Vec3;
use crate::model::{ContactLaw, ContactSpring};
use crate::simd::{Lanes, Vec3x};

/// Pairs a block.
pub(super) const BLOCK: usize = 8;

/// A number for each pair of a block.
type Column = [f64; BLOCK];

/// Particles of a block's pairs, and their rows in the chunk's sums. A partial block ends with copies of its last pair, whose
/// sums go to a spare row.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct PairBlock {
    pub i: [u32; BLOCK],
    pub j: [u32; BLOCK],
    pub to_i: [u32; BLOCK],
    pub to_j: [u32; BLOCK],
    /// Places of the pairs in the list.
    pub places: [u32; BLOCK],
}

/// Close pairs out of contact, to be looked at in each step.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct WatchBlock {
    i: [u32; BLOCK],
    j: [u32; BLOCK],
    /// Square of the distance at which they begin to touch, m2.
    square: Column,
}

/// Contact laws of a block's pairs, and the sizes of their particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct LawBlock {
    /// See [`ContactPair::reach`], m.
    reach: [Column; 1],
    /// Stiffness (N/m), size (m), softening (m) and damping (N s/m) of the [`ContactSpring`].
    spring: [Column; 4],
    /// Static and sliding friction.
    mu: [Column; 2],
    /// Radii of i and j, m.
    radii: [Column; 2],
}

/// Dashpots of a block's pairs at the end of a step.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct DashpotBlock {
    /// Part of dV/dx, N: on i, and opposite on j.
    pub force: [Column; 3],
    /// Torques on i and on j, N m.
    pub torques: [[Column; 3]; 2],
    /// Power in the step's own drift, W.
    pub power: Column,
    /// See [`NormalForce::correction`](crate::contact::normal::NormalForce::correction), N.
    pub correction: Column,
}

impl DashpotBlock {
    /// No forces.
    pub(super) const NONE: Self = Self {
        force: [[0.0; BLOCK]; 3],
        torques: [[[0.0; BLOCK]; 3]; 2],
        power: [0.0; BLOCK],
        correction: [0.0; BLOCK],
    };
}

impl PairBlock {
    /// Block of these pairs at `places`, whose sums are in these `rows`.
    pub(super) fn new(places: [u32; BLOCK], pairs: &[&ContactPair; BLOCK], rows: &[[u32; 2]; BLOCK]) -> Self {
        Self {
            i: pairs.map(|pair| pair.i),
            j: pairs.map(|pair| pair.j),
            to_i: rows.map(|[to_i, _]| to_i),
            to_j: rows.map(|[_, to_j]| to_j),
            places,
        }
    }
}

impl PairBlock {
    /// Indices of the particles of `lane`'s pair.
    pub(super) fn ends(&self, lane: usize) -> [usize; 2] {
        [self.i[lane], self.j[lane]].map(|particle| particle as usize)
    }
}

impl WatchBlock {
    /// Block of these pairs.
    pub(super) fn new(pairs: [&ContactPair; BLOCK]) -> Self {
        let square = |pair: &ContactPair| pair.reach * pair.reach;
        Self { i: pairs.map(|pair| pair.i), j: pairs.map(|pair| pair.j), square: pairs.map(square) }
    }

    /// Pairs whose distance at `p` (m) is below `factor` times that at which they begin to touch, as bits. NaN is.
    #[inline(always)]
    pub(super) fn nearer<L: Lanes>(&self, factor: f64, p: &[Vec3]) -> u32 {
        let (factor, mut bits, mut lane) = (L::splat(factor * factor), 0, 0);
        while lane < BLOCK {
            let branch = vectors::<L>(p, &self.j[lane..]) - vectors(p, &self.i[lane..]);
            bits |= (L::load(&self.square[lane..]) * factor).not_below(branch.dot(branch)) << lane;
            lane += L::COUNT;
        }
        bits
    }
}

impl LawBlock {
    /// Laws of these pairs of particles of these radii (m).
    pub(super) fn new(pairs: &[&ContactPair; BLOCK], radius: &[f64]) -> Self {
        Self {
            reach: [pairs.map(|pair| pair.reach)],
            spring: [
                pairs.map(|pair| pair.spring.k),
                pairs.map(|pair| pair.spring.size),
                pairs.map(|pair| pair.spring.softening),
                pairs.map(|pair| pair.spring.damping),
            ],
            mu: [pairs.map(|pair| pair.mu.sticking), pairs.map(|pair| pair.mu.sliding)],
            radii: [pairs.map(|pair| radius[pair.i as usize]), pairs.map(|pair| radius[pair.j as usize])],
        }
    }

    /// Sets the damping (N s/m) of the pairs of these lanes.
    pub(super) fn set_damping(&mut self, lanes: Range<usize>, damping: f64) {
        self.spring[3][lanes].fill(damping);
    }

    /// Distances (m) at which the pairs from `lane` on begin to touch.
    #[inline(always)]
    pub(super) fn reach<L: Lanes>(&self, lane: usize) -> L {
        let [reach] = lanes(&self.reach, lane);
        reach
    }

    /// Normal springs of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn spring<L: Lanes>(&self, law: ContactLaw, lane: usize) -> ContactSpring<L> {
        let [k, size, softening, damping] = lanes(&self.spring, lane);
        ContactSpring { law, k, size, softening, damping }
    }

    /// Stiffnesses (N/m) of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn stiffness<L: Lanes>(&self, lane: usize) -> L {
        L::load(&self.spring[0][lane..])
    }

    /// Friction of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn mu<L: Lanes>(&self, lane: usize) -> Coefficients<L> {
        let [sticking, sliding] = lanes(&self.mu, lane);
        Coefficients { sticking, sliding }
    }

    /// Unit normal, and distances (m) of the contact point from both centres, of a pair whose centres are apart by `branch` (m).
    pub(super) fn contact_point(&self, lane: usize, branch: &Vec3) -> (Vec3, [f64; 2]) {
        let (n, l) = direction::<f64>(branch.into());
        let half = 0.5 * (self.reach[0][lane] - l).max(0.0);
        (n.into(), self.radii.map(|radii| radii[lane] - half))
    }

    /// Radii (m) of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn radii<L: Lanes>(&self, lane: usize) -> [L; 2] {
        lanes(&self.radii, lane)
    }
}

/// Lanes of columns from `lane` on.
#[inline(always)]
fn lanes<L: Lanes, const N: usize>(columns: &[Column; N], lane: usize) -> [L; N] {
    let mut lanes = [L::splat(0.0); N];
    let mut k = 0;
    while k < N {
        lanes[k] = L::load(&columns[k][lane..]);
        k += 1;
    }
    lanes
}

/// Writes lanes to columns from `lane` on.
#[inline(always)]
pub(super) fn store<L: Lanes, const N: usize>(values: [L; N], columns: &mut [Column; N], lane: usize) {
    let mut k = 0;
    while k < N {
        values[k].store(&mut columns[k][lane..]);
        k += 1;
    }
}

/// Lanes of three columns from `lane` on, as a vector.
#[inline(always)]
pub(super) fn vector<L: Lanes>(columns: &[Column; 3], lane: usize) -> Vec3x<L> {
    let [x, y, z] = lanes(columns, lane);
    Vec3x::new(x, y, z)
}
