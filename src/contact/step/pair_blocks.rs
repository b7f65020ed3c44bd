//! Close pairs in blocks of eight, as columns that a vector register reads at once.

use crate::contact::{Coefficients, ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{ContactLaw, ContactSpring};
use crate::simd::{Lanes, Vec3x};

/// Pairs a block.
pub(super) const BLOCK: usize = 8;

/// One number of each pair of a block.
type Column = [f64; BLOCK];

/// Particles of a block's pairs, and the distance at which they begin to touch.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct PairBlock {
    /// See [`ContactPair::reach`]; negative where the block has no pair.
    pub reach: Column,
    pub i: [u32; BLOCK],
    pub j: [u32; BLOCK],
}

/// Contact laws of a block's pairs, and the radii of their particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct LawBlock {
    /// Stiffness (N/m), size (m), softening (m) and damping (N s/m) of the [`ContactSpring`].
    spring: [Column; 4],
    /// Static and sliding friction.
    mu: [Column; 2],
    /// Radii of i and j, m.
    radii: [Column; 2],
}

/// Tangential springs of a block's pairs: see [`TangentialSpring`].
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct SpringBlock {
    pub stretch: [Column; 3],
    /// 1 for one that slides.
    pub slides: Column,
    pub limit: Column,
    pub n: [Column; 3],
    pub arms: [Column; 2],
}

/// Dashpots of a block's pairs: normals, and forces, N.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct DashpotBlock {
    pub n: [Column; 3],
    pub force: Column,
}

impl PairBlock {
    /// Block of at most eight pairs.
    pub(super) fn new(pairs: &[&ContactPair]) -> Self {
        let last = pairs.len() - 1;
        let of = |lane: usize| pairs[lane.min(last)];
        Self {
            reach: std::array::from_fn(|lane| pairs.get(lane).map_or(-1.0, |pair| pair.reach)),
            i: std::array::from_fn(|lane| of(lane).i),
            j: std::array::from_fn(|lane| if lane <= last { of(lane).j } else { of(lane).i }),
        }
    }
}

impl LawBlock {
    /// Laws of at most eight pairs of particles of these radii (m).
    pub(super) fn new(pairs: &[&ContactPair], radius: &[f64]) -> Self {
        let column =
            |of: &dyn Fn(&ContactPair) -> f64| std::array::from_fn(|lane| of(pairs[lane.min(pairs.len() - 1)]));
        Self {
            spring: [
                column(&|pair| pair.spring.k),
                column(&|pair| pair.spring.size),
                column(&|pair| pair.spring.softening),
                column(&|pair| pair.spring.damping),
            ],
            mu: [column(&|pair| pair.mu.sticking), column(&|pair| pair.mu.sliding)],
            radii: [column(&|pair| radius[pair.i as usize]), column(&|pair| radius[pair.j as usize])],
        }
    }

    /// Normal springs of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn spring<L: Lanes>(&self, law: ContactLaw, lane: usize) -> ContactSpring<L> {
        let [k, size, softening, damping] = lanes(&self.spring, lane);
        ContactSpring { law, k, size, softening, damping }
    }

    /// Friction of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn mu<L: Lanes>(&self, lane: usize) -> Coefficients<L> {
        let [sticking, sliding] = lanes(&self.mu, lane);
        Coefficients { sticking, sliding }
    }

    /// Radii (m) of the pairs from `lane` on.
    #[inline(always)]
    pub(super) fn radii<L: Lanes>(&self, lane: usize) -> [L; 2] {
        lanes(&self.radii, lane)
    }
}

impl SpringBlock {
    /// Springs without force.
    pub(super) const NONE: Self = Self {
        stretch: [[0.0; BLOCK]; 3],
        slides: [0.0; BLOCK],
        limit: [0.0; BLOCK],
        n: [[0.0; BLOCK]; 3],
        arms: [[0.0; BLOCK]; 2],
    };

    /// The spring of `lane`.
    pub(super) fn get(&self, lane: usize) -> TangentialSpring {
        if self.limit[lane] <= 0.0 {
            return TangentialSpring::default();
        }
        let vector = |columns: &[Column; 3]| Vec3::from(columns.map(|column| column[lane]));
        TangentialSpring {
            stretch: vector(&self.stretch),
            slides: self.slides[lane] > 0.0,
            n: vector(&self.n),
            limit: self.limit[lane],
            arms: self.arms.map(|column| column[lane]),
        }
    }

    /// Sets the spring of `lane`.
    pub(super) fn set(&mut self, lane: usize, spring: &TangentialSpring) {
        for k in 0..3 {
            (self.stretch[k][lane], self.n[k][lane]) = (spring.stretch[k], spring.n[k]);
        }
        self.slides[lane] = f64::from(spring.slides);
        self.limit[lane] = spring.limit;
        (self.arms[0][lane], self.arms[1][lane]) = (spring.arms[0], spring.arms[1]);
    }
}

impl DashpotBlock {
    /// Dashpots without force.
    pub(super) const NONE: Self = Self { n: [[0.0; BLOCK]; 3], force: [0.0; BLOCK] };
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
