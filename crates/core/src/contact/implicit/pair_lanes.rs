use crate::contact::tangential_spring::Coefficients;
use crate::contact::{ContactPair, TangentialSpring};
use crate::geometry::Vec3;
use crate::model::{ContactLaw, ContactSpring};
use crate::simd::{Lanes, Vec3x};

/// Lanes at most.
pub(crate) const MOST: usize = 8;

/// Pairs of a register: their particles, and their contact law.
pub(super) struct PairLanes<L> {
    pub i: [u32; MOST],
    pub j: [u32; MOST],
    pub reach: L,
    pub spring: ContactSpring<L>,
    pub mu: Coefficients<L>,
}

impl<L: Lanes> PairLanes<L> {
    #[inline(always)]
    pub(super) fn load(pairs: &[ContactPair], law: ContactLaw, index: &[u32; MOST]) -> Self {
        let mut ends = [[0; MOST]; 2];
        let mut columns = [[0.0; MOST]; 7];
        let mut lane = 0;
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
        let [reach, k, size, softening, damping, sticking, sliding] = &columns;
        Self {
            i: ends[0],
            j: ends[1],
            reach: L::load(reach),
            spring: ContactSpring {
                law,
                k: L::load(k),
                size: L::load(size),
                softening: L::load(softening),
                damping: L::load(damping),
            },
            mu: Coefficients { sticking: L::load(sticking), sliding: L::load(sliding) },
        }
    }
}

/// Tangential springs of a register.
#[derive(Clone, Copy)]
pub(super) struct SpringLanes<L> {
    pub stretch: Vec3x<L>,
    /// 1 for one that slid.
    pub slid: L,
    pub n: Vec3x<L>,
    pub limit: L,
    pub arms: [L; 2],
}

impl<L: Lanes> SpringLanes<L> {
    #[inline(always)]
    pub(super) fn load(springs: &[TangentialSpring], index: &[u32; MOST]) -> Self {
        let mut c = [[0.0; MOST]; 10];
        let mut lane = 0;
        while lane < L::COUNT {
            let TangentialSpring { stretch, slides, n, limit, arms } = &springs[index[lane] as usize];
            (c[0][lane], c[1][lane], c[2][lane]) = (stretch.x, stretch.y, stretch.z);
            (c[3][lane], c[4][lane], c[5][lane]) = (n.x, n.y, n.z);
            (c[6][lane], c[7][lane]) = (arms[0], arms[1]);
            (c[8][lane], c[9][lane]) = (if *slides { 1.0 } else { 0.0 }, *limit);
            lane += 1;
        }
        Self {
            stretch: Vec3x::new(L::load(&c[0]), L::load(&c[1]), L::load(&c[2])),
            n: Vec3x::new(L::load(&c[3]), L::load(&c[4]), L::load(&c[5])),
            arms: [L::load(&c[6]), L::load(&c[7])],
            slid: L::load(&c[8]),
            limit: L::load(&c[9]),
        }
    }

    /// Calls `visit(lane, spring)` for the first `count` lanes.
    #[inline(always)]
    pub(super) fn each(&self, count: usize, mut visit: impl FnMut(usize, TangentialSpring)) {
        let Self { stretch, slid, n, limit, arms } = self;
        let lanes = [stretch.x, stretch.y, stretch.z, *slid, n.x, n.y, n.z, *limit, arms[0], arms[1]];
        let mut c = [[0.0; MOST]; 10];
        let mut k = 0;
        while k < 10 {
            lanes[k].store(&mut c[k]);
            k += 1;
        }
        for lane in 0..count {
            let [x, y, z, slid, n_x, n_y, n_z, limit, arm_i, arm_j] = c.map(|column| column[lane]);
            let spring = TangentialSpring {
                stretch: Vec3::new(x, y, z),
                slides: slid > 0.0,
                n: Vec3::new(n_x, n_y, n_z),
                limit,
                arms: [arm_i, arm_j],
            };
            visit(lane, spring);
        }
    }
}
