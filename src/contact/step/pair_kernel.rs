//! Kernel over the pairs in contact in an explicit step.

use crate::contact::tangential_spring::{Coefficients, Stretched, TANGENTIAL};
use crate::contact::{ContactPair, TangentialSpring};
use crate::dispatch;
use crate::geometry::Vec3;
use crate::model::{Closing, ClosingSpring, ContactLaw, ContactSpring, Spring};
use crate::simd::{Lanes, Level, Vec3x};

use super::pairs::{ChunkForces, Motions};

/// Input of the kernel.
pub struct Task<'a> {
    pub pairs: &'a [ContactPair],
    /// Empty without friction.
    pub springs: &'a [TangentialSpring],
    pub law: ContactLaw,
    /// Inverse of the step, 1/s; zero without damping.
    pub rate: f64,
    pub motions: &'a Motions,
}

/// Lanes at most.
pub const MOST: usize = 8;

/// Evaluates the active pairs of a chunk, whose results are empty.
pub fn evaluate_pairs(level: Level, task: &Task, chunk: &mut ChunkForces) {
    dispatch! { fn elastic<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[false, false] }
    dispatch! { fn damped<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[false, true] }
    dispatch! { fn rough<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[true, false] }
    dispatch! { fn rough_damped<'a>(task: &Task<'a>, chunk: &mut ChunkForces) = kernel[true, true] }
    match (!task.springs.is_empty(), task.rate > 0.0) {
        (false, false) => elastic(level, task, chunk),
        (false, true) => damped(level, task, chunk),
        (true, false) => rough(level, task, chunk),
        (true, true) => rough_damped(level, task, chunk),
    }
}

#[inline(always)]
fn kernel<L: Lanes, const ROUGH: bool, const DAMPED: bool>(task: &Task, chunk: &mut ChunkForces) {
    let mut first = 0;
    while first < chunk.active.len() {
        let count = L::COUNT.min(chunk.active.len() - first);
        // the last pair fills the lanes that are left over
        let mut index = [chunk.active[first + count - 1]; MOST];
        index[..count].copy_from_slice(&chunk.active[first..first + count]);
        evaluate::<L, ROUGH, DAMPED>(task, &index, [first, count], chunk);
        first += count;
    }
}

/// Pairs of a register: their particles, and their contact law.
pub struct PairLanes<L> {
    pub i: [u32; MOST],
    pub j: [u32; MOST],
    pub reach: L,
    pub spring: ContactSpring<L>,
    pub mu: Coefficients<L>,
}

impl<L: Lanes> PairLanes<L> {
    #[inline(always)]
    pub fn load(pairs: &[ContactPair], law: ContactLaw, index: &[u32; MOST]) -> Self {
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
pub struct SpringLanes<L> {
    pub stretch: Vec3x<L>,
    /// 1 for one that slid.
    pub slid: L,
    pub n: Vec3x<L>,
    pub limit: L,
    pub arms: [L; 2],
}

impl<L: Lanes> SpringLanes<L> {
    #[inline(always)]
    pub fn load(springs: &[TangentialSpring], index: &[u32; MOST]) -> Self {
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
    pub fn each(&self, count: usize, mut visit: impl FnMut(usize, TangentialSpring)) {
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

/// Lanes of `touching` with an overlap, and of `parted` elsewhere.
#[inline(always)]
pub fn pick<L: Lanes>(overlap: L, touching: Vec3x<L>, parted: Vec3x<L>) -> Vec3x<L> {
    let zero = L::splat(0.0);
    Vec3x::new(
        zero.pick_below(overlap, touching.x, parted.x),
        zero.pick_below(overlap, touching.y, parted.y),
        zero.pick_below(overlap, touching.z, parted.z),
    )
}

/// Evaluates the pairs `index`, and writes the first `count` of them at `first`.
#[inline(always)]
fn evaluate<L: Lanes, const ROUGH: bool, const DAMPED: bool>(
    task: &Task,
    index: &[u32; MOST],
    [first, count]: [usize; 2],
    chunk: &mut ChunkForces,
) {
    let zero = L::splat(0.0);
    let pair = PairLanes::<L>::load(task.pairs, task.law, index);
    let [x_i, y_i, z_i, u_i, v_i, w_i, r_i, _] = L::columns(&task.motions.translations, &pair.i);
    let [x_j, y_j, z_j, u_j, v_j, w_j, r_j, _] = L::columns(&task.motions.translations, &pair.j);
    let branch = Vec3x::new(x_j - x_i, y_j - y_i, z_j - z_i);
    let moved = Vec3x::new(u_i - u_j, v_i - v_j, w_i - w_j);
    let start = branch + moved;
    let (l, l_0) = (branch.dot(branch).sqrt(), start.dot(start).sqrt());
    let overlaps = [pair.reach - l_0, pair.reach - l];
    let [before, overlap] = [overlaps[0].max(zero), overlaps[1].max(zero)];

    // coincident centres are separated along z
    let tiny = L::splat(f64::MIN_POSITIVE);
    let mut n = branch * (L::splat(1.0) / l.max(tiny));
    n.z = l.pick_below(tiny, L::splat(1.0), n.z);

    let closing = Closing { before, rate: L::splat(if DAMPED { task.rate } else { 0.0 }) };
    let elastic = pair.spring.push(overlap);
    let push = if DAMPED { ClosingSpring { spring: &pair.spring, closing }.push(overlap) } else { elastic };
    let mut force = n * push;
    let mut torque = Vec3x::splat(0.0);
    let arms = [r_i - L::splat(0.5) * overlap, r_j - L::splat(0.5) * overlap];

    let mut work = [[0.0; MOST]; 2];
    pair.spring.trapezoid_error(overlaps).store(&mut work[1]);
    if ROUGH {
        let SpringLanes { stretch, slid, n: last_n, arms: last_arms, .. } = SpringLanes::load(task.springs, index);
        // the spring of a pair that parted does its last work at its last contact point
        let n = pick(overlap, n, last_n);
        let arms = [zero.pick_below(overlap, arms[0], last_arms[0]), zero.pick_below(overlap, arms[1], last_arms[1])];
        let [a_i, b_i, c_i, ..] = L::columns(&task.motions.rotations, &pair.i);
        let [a_j, b_j, c_j, ..] = L::columns(&task.motions.rotations, &pair.j);
        let turned = Vec3x::new(a_j, b_j, c_j).mul_add(arms[1], Vec3x::new(a_i, b_i, c_i) * arms[0]);
        let u = moved + turned.cross(n);
        let stretched = Stretched::new(L::splat(TANGENTIAL) * pair.spring.k, stretch, n, u);
        let limit = stretched.limit(push, &pair.mu, slid);
        let friction = stretched.spring * stretched.weight(limit);
        force = force + friction;
        torque = n.cross(friction);
        let after = stretched.committed(limit);
        let ends = [stretch, after];
        stretched.dissipated(ends, u, stretched.mean_force(ends, n)).store(&mut work[0]);
        let slides = limit.pick_below(stretched.unlimited(), L::splat(1.0), zero);
        // none without a normal force
        let after = SpringLanes { stretch: after, slid: slides, n, limit, arms };
        after.each(count, |_, spring| {
            chunk.springs.push(if spring.is_loaded() { spring } else { TangentialSpring::default() });
        });
    }
    let rows = L::rows([force.x, force.y, force.z, torque.x, torque.y, torque.z, arms[0], arms[1]]);
    // unrolled, so that the rows stay in registers
    for lane in [0, 1, 2, 3, 4, 5, 6, 7] {
        if lane < count {
            L::add_row(&rows, lane, &mut chunk.rows[first + lane]);
        }
    }
    if DAMPED {
        store_dashpots(n, push - elastic, count, &mut chunk.dashpots);
    }
    for (sum, lanes) in chunk.work.iter_mut().zip(&work) {
        lanes[..count].iter().for_each(|value| *sum += value);
    }
}

/// Appends normals and forces of dashpots.
#[inline(always)]
fn store_dashpots<L: Lanes>(n: Vec3x<L>, force: L, count: usize, dashpots: &mut Vec<(Vec3, f64)>) {
    let mut c = [[0.0; MOST]; 4];
    n.x.store(&mut c[0]);
    n.y.store(&mut c[1]);
    n.z.store(&mut c[2]);
    force.store(&mut c[3]);
    let row = |lane: usize| c.map(|column| column[lane]);
    for lane in 0..count {
        let [x, y, z, force] = row(lane);
        dashpots.push((Vec3::new(x, y, z), force));
    }
}
